// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86_64. The image is linked at __START_KERNEL and starts with _text; KASLR moves it by a
 * multiple of MIN_KERNEL_ALIGN within the KERNEL_IMAGE_SIZE bytes above __START_KERNEL_map
 * (arch/x86/boot/compressed/kaslr.c). Its physical place is chosen separately.
 */
#include <linux/align.h>
#include <asm/boot.h>
#include <asm/page.h>
#include <xen/xen.h>

#include "kreloc.h"

/*
 * Under Xen PV paddr_vmcoreinfo_note() is a machine address (arch/x86/xen/mmu_pv.c), which
 * phys_to_virt() knows nothing of.
 */
static int kreloc_x86_vmcoreinfo(unsigned long *addr)
{
	if (xen_pv_domain())
		return -ENOENT;
	return kreloc_vmcoreinfo_text(addr);
}

static const struct kreloc_witness kreloc_x86_witnesses[] = {
	{ "kallsyms", kreloc_kallsyms_text },
	{ "vmcoreinfo", kreloc_x86_vmcoreinfo },
	{ }
};

static bool kreloc_x86_valid(unsigned long text)
{
	return IS_ALIGNED(text, MIN_KERNEL_ALIGN) && text >= __START_KERNEL_map &&
	       text - __START_KERNEL_map < KERNEL_IMAGE_SIZE;
}

/* phys_base is how far the image's mapping is off, and can be "negative": modulo 2^64. */
static unsigned long kreloc_x86_phys(unsigned long text)
{
	return text - __START_KERNEL_map + phys_base;
}

const struct kreloc_arch kreloc_arch = {
	.anchor = "_text",
	.link_text = __START_KERNEL,
	.witnesses = kreloc_x86_witnesses,
	.valid = kreloc_x86_valid,
	.phys = kreloc_x86_phys,
};
