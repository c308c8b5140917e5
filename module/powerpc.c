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
#include <linux/align.h>
#include <linux/sizes.h>
#include <asm/page.h>

#include "kreloc.h"

/* head_64.S stores the physical address at which it found itself running. */
static int kreloc_powerpc_kernstart(unsigned long *addr)
{
	*addr = KERNELBASE + PHYSICAL_START;
	return 0;
}

static const struct kreloc_witness kreloc_powerpc_witnesses[] = {
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

const struct kreloc_arch kreloc_arch = {
	.anchor = "_stext",
	.link_text = KERNELBASE,
	.witnesses = kreloc_powerpc_witnesses,
	.valid = kreloc_powerpc_valid,
	.phys = kreloc_powerpc_phys,
};
