// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints registers and stack, as an oops does, when the kernel comes to an address.
 */
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>

static unsigned long address;
module_param(address, ulong, 0400);
MODULE_PARM_DESC(address, "run-time address of an instruction");

static int on_hit(struct kprobe *probe, struct pt_regs *regs)
{
	dump_stack();
	return 0;
}

static struct kprobe probe = { .pre_handler = on_hit };

static int __init oops_module_init(void)
{
	probe.addr = (kprobe_opcode_t *)address;
	return register_kprobe(&probe);
}

static void __exit oops_module_exit(void)
{
	unregister_kprobe(&probe);
}
module_init(oops_module_init);
module_exit(oops_module_exit);

MODULE_DESCRIPTION("What an oops prints, at a given place");
MODULE_LICENSE("GPL");
