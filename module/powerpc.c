// SPDX-License-Identifier: GPL-2.0-only
/*
 * 64-bit powerpc, Book3S. There is no KASLR: an ordinary boot copies the image to physical 0,
 * where it was linked for (KERNELBASE). A crash kernel stays where it was loaded, and relocates
 * itself to there, when its __run_at_load word says so (arch/powerpc/kernel/head_64.S). The
 * linear mapping is fixed, so the virtual and the physical offset are the same.
 *
 * KERNELOFFSET in VMCOREINFO is no witness: it is kernstart_virt_addr - KERNELBASE, 0 on every
 * Book3S kernel wherever it runs.
 */
#include <linux/kernel.h>
#include <linux/crash_dump.h>
#include <linux/errno.h>
#include <linux/of.h>
#include <linux/of_fdt.h>
#include <linux/sizes.h>
#include <linux/uaccess.h>
#include <asm/page.h>
#include <asm/sections.h>

#include "kreloc.h"

/* head_64.S stores the physical address at which it found itself running. */
static int kreloc_powerpc_kernstart(unsigned long *addr)
{
	*addr = KERNELBASE + PHYSICAL_START;
	return 0;
}

static const struct kreloc_witness kreloc_powerpc_witnesses[] = {
	{ "linked", kreloc_linked_text },
	{ "kernstart_addr", kreloc_powerpc_kernstart },
	{ "vmcoreinfo", kreloc_vmcoreinfo_text },
	{ }
};

/* head_64.S can only run at a multiple of 64 KiB; the linear mapping begins at KERNELBASE. */
static bool kreloc_powerpc_valid(unsigned long text)
{
	return IS_ALIGNED(text, SZ_64K) && text >= KERNELBASE;
}

static unsigned long kreloc_powerpc_phys(unsigned long text)
{
	return __pa(text);
}

/* Its size is the fourth to seventh byte of the header; the kernel has checked its sum. */
static const void *kreloc_powerpc_fdt(size_t *size)
{
	void *const *tree = KRELOC_LINKED(initial_boot_params);

	if (!tree || !*tree)
		return NULL;
	*size = be32_to_cpup(*tree + 4);
	return *tree;
}

/*
 * /chosen is shown as the kernel has it now: it takes some properties out, and adds what tells
 * kexec-tools where it lies (arch/powerpc/kexec/core.c).
 */
static int kreloc_powerpc_string(const struct kreloc_field *field, const struct kreloc_boot *boot,
				 struct kreloc_text *text)
{
	const char *value;

	if (of_property_read_string(of_chosen, field->name, &value))
		return -ENODATA;
	kreloc_print(text, "%s\n", value);
	return 0;
}

static int kreloc_powerpc_number(const struct kreloc_field *field, const struct kreloc_boot *boot,
				 struct kreloc_text *text)
{
	int len;
	const __be32 *value = of_get_property(of_chosen, field->name, &len);

	if (!value || (len != sizeof(u32) && len != sizeof(u64)))
		return -ENODATA;
	kreloc_print(text, "0x%016llx\n", of_read_number(value, len / sizeof(u32)));
	return 0;
}

/* The word by which kexec tells a crash kernel to stay where it is, this far into the image. */
#define RUN_AT_LOAD	0x5c

static int kreloc_powerpc_run_at_load(const struct kreloc_field *field,
				      const struct kreloc_boot *boot, struct kreloc_text *text)
{
	const void *at = (const void *)(kreloc_place.text + RUN_AT_LOAD);
	u32 word;

	if (copy_from_kernel_nofault(&word, at, sizeof(word)))
		return -ENODATA;
	kreloc_print(text, "0x%08x\n", word);
	return 0;
}

static int kreloc_powerpc_is_kdump(const struct kreloc_field *field,
				   const struct kreloc_boot *boot, struct kreloc_text *text)
{
	kreloc_print(text, "%d\n", is_kdump_kernel());
	return 0;
}

static const struct kreloc_field kreloc_powerpc_own_fields[] = {
	{ .name = "bootargs", .show = kreloc_powerpc_string },
	{ .name = "stdout-path", .show = kreloc_powerpc_string },
	{ .name = "linux,stdout-path", .show = kreloc_powerpc_string },
	{ .name = "linux,initrd-start", .show = kreloc_powerpc_number },
	{ .name = "linux,initrd-end", .show = kreloc_powerpc_number },
	{ .name = "linux,kernel-end", .show = kreloc_powerpc_number },
	{ .name = "linux,crashkernel-base", .show = kreloc_powerpc_number },
	{ .name = "linux,crashkernel-size", .show = kreloc_powerpc_number },
	{ .name = "linux,memory-limit", .show = kreloc_powerpc_number },
	{ .name = "run_at_load", .show = kreloc_powerpc_run_at_load },
	{ .name = "is_kdump_kernel", .show = kreloc_powerpc_is_kdump },
	{ }
};

static const struct kreloc_field *const kreloc_powerpc_fields[] = {
	kreloc_fdt_fields,
	kreloc_powerpc_own_fields,
	NULL
};

const struct kreloc_arch kreloc_arch = {
	.anchor = "_stext",
	.link_text = KERNELBASE,
	.linked_text = KRELOC_LINKED(_stext),
	.linked_etext = KRELOC_LINKED(_etext),
	.witnesses = kreloc_powerpc_witnesses,
	.valid = kreloc_powerpc_valid,
	.phys = kreloc_powerpc_phys,
	.boot_linked = kreloc_powerpc_fdt,
	.boot_parent = &firmware_kobj,
	.boot_file = "fdt",
	.fields = kreloc_powerpc_fields,
};
