// SPDX-License-Identifier: GPL-2.0-only
/*
 * Works out where this kernel is, once, when the module is loaded: each witness is asked for the
 * anchor's run-time address, all that answer must agree, and the offset is that address minus
 * the link address. A kernel does not move after boot, so the answer stays.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/err.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"
#include "decode.h"
#include "kreloc.h"

/*
 * A symbol's address, by name. register_kprobe() looks the name up and stores the address before
 * it judges whether that place may be probed at all, and a probe that is registered disabled is
 * never armed: no instruction is patched. kallsyms_lookup_name() itself is not exported
 * (0bd476e6c671, 5.7), and what is not exported is not called.
 */
static int kreloc_symbol(const char *name, unsigned long *addr)
{
	struct kprobe kp = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};

	if (!register_kprobe(&kp))
		unregister_kprobe(&kp);
	if (!kp.addr)
		return -ENOENT;
	*addr = (unsigned long)kp.addr;
	return 0;
}

/**
 * kreloc_linked_text - witness "linked": the symbol itself
 * @addr:	the anchor's run-time address
 *
 * Context: any.
 * Return: 0, or -ENOENT where kreloc is a module.
 */
int kreloc_linked_text(unsigned long *addr)
{
	if (!kreloc_arch.linked_text)
		return -ENOENT;
	*addr = (unsigned long)kreloc_arch.linked_text;
	return 0;
}

/**
 * kreloc_kallsyms_text - witness "kallsyms": the kernel's symbol table
 * @addr:	the anchor's run-time address
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOENT without CONFIG_KPROBES or CONFIG_KALLSYMS.
 */
int kreloc_kallsyms_text(unsigned long *addr)
{
	return kreloc_symbol(kreloc_arch.anchor, addr);
}

/**
 * kreloc_is_ram - is all of this the kernel's memory?
 * @addr:	physical address
 * @size:	how much, not beyond the end of what can be addressed
 *
 * Context: any.
 * Return: true if it is System RAM, except for what is nothing at all.
 */
bool kreloc_is_ram(phys_addr_t addr, size_t size)
{
	return region_intersects(addr, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) ==
	       REGION_INTERSECTS;
}

/**
 * kreloc_vmcoreinfo_text - witness "vmcoreinfo": SYMBOL(_stext) in the crash dump note
 * @addr:	run-time address of _stext, the anchor itself or another name for it
 *
 * The note lies in the linear mapping: kernel/crash_core.c (later vmcore_info.c) allocates its
 * pages and exports the physical address.
 *
 * Context: process context.
 * Return: 0; -ENOENT without CONFIG_VMCORE_INFO (CONFIG_CRASH_CORE before 6.9); -EINVAL where
 * the note is damaged.
 */
int kreloc_vmcoreinfo_text(unsigned long *addr)
{
	phys_addr_t note = paddr_vmcoreinfo_note();

	if (!KRELOC_HAVE_VMCOREINFO || !note || !kreloc_is_ram(note, VMCOREINFO_NOTE_SIZE))
		return -ENOENT;
	return kreloc_note_symbol(phys_to_virt(note), VMCOREINFO_NOTE_SIZE, "_stext", addr);
}

/*
 * Where kallsyms has no symbol beyond the text (no CONFIG_KALLSYMS_ALL), _etext can only be
 * walked to: sprint_symbol() tells each symbol's offset and size, the last one's up to _etext,
 * and prints an address there without a name.
 */
static unsigned long kreloc_walk_to_etext(unsigned long addr)
{
	char *name = kvmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	unsigned long off, size;

	if (!name)
		return 0;
	for (;;) {
		const char *plus;

		sprint_symbol(name, addr);
		plus = strrchr(name, '+');
		if (!plus || sscanf(plus, "+0x%lx/0x%lx", &off, &size) != 2)
			break;
		if (off >= size)
			break;
		addr += size - off;
		cond_resched();
	}
	kvfree(name);
	return addr;
}

static unsigned long kreloc_text_size(unsigned long text)
{
	unsigned long etext = (unsigned long)kreloc_arch.linked_etext;

	if (!etext && kreloc_symbol("_etext", &etext))
		etext = kreloc_walk_to_etext(text);
	return etext > text ? etext - text : 0;
}

/**
 * kreloc_ask - ask one witness where this kernel is
 * @witness:	the witness
 * @text:	its answer, stored also where it is out of range
 *
 * Context: process context, may sleep.
 * Return: 0; -ERANGE where the answer is none that can be; else what the witness says.
 */
int kreloc_ask(const struct kreloc_witness *witness, unsigned long *text)
{
	int err = witness->text(text);

	if (err)
		return err;
	return kreloc_arch.valid(*text) ? 0 : -ERANGE;
}

/**
 * kreloc_find - ask every witness where this kernel is
 * @place:	the answer
 *
 * A witness that does not answer, or answers what cannot be, is left out. No address is printed,
 * here or elsewhere.
 *
 * Context: process context, may sleep.
 * Return: 0; -ENODATA where no witness answers, or none with a place that can be; -EIO where two
 * disagree. @place is only touched on success.
 */
int kreloc_find(struct kreloc_place *place)
{
	struct kreloc_place found = { };
	const struct kreloc_witness *w;
	const char *impossible = NULL;
	unsigned long text;
	int err;

	for (w = kreloc_arch.witnesses; w->name; w++) {
		err = kreloc_ask(w, &text);
		if (err == -ERANGE)
			impossible = w->name;
		if (err)
			continue;
		if (found.nr_agreed && text != found.text) {
			pr_err("witnesses %s and %s disagree about %s: the offset is unknown\n",
			       found.agreed[0], w->name, kreloc_arch.anchor);
			return -EIO;
		}
		found.text = text;
		found.agreed[found.nr_agreed++] = w->name;
	}
	if (!found.nr_agreed) {
		if (impossible)
			pr_err("the offset is unknown: what witness %s says is no place for a kernel\n",
			       impossible);
		else
			pr_err("the offset is unknown: no witness answers; they take CONFIG_KPROBES with CONFIG_KALLSYMS, or CONFIG_VMCORE_INFO (CONFIG_CRASH_CORE before 6.9)\n");
		return -ENODATA;
	}
	found.offset = found.text - kreloc_arch.link_text;
	found.phys_text = kreloc_arch.phys(found.text);
	found.text_size = kreloc_text_size(found.text);
	*place = found;
	return 0;
}
