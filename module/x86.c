// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86_64. The image is linked at __START_KERNEL and starts with _text; KASLR moves it by a
 * multiple of MIN_KERNEL_ALIGN within the KERNEL_IMAGE_SIZE bytes above __START_KERNEL_map
 * (arch/x86/boot/compressed/kaslr.c). Its physical place is chosen separately.
 */
#include <linux/kernel.h>
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/overflow.h>
#include <linux/uaccess.h>
#include <asm/boot.h>
#include <asm/page.h>
#include <asm/sections.h>
#include <asm/setup.h>
#include <xen/xen.h>

#include "kreloc.h"

/*
 * Under Xen PV paddr_vmcoreinfo_note() is a machine address (arch/x86/xen/mmu_pv.c), which
 * phys_to_virt() knows nothing of.
 */
static int kreloc_x86_vmcoreinfo(unsigned long *addr)
{
	if (xen_pv_domain())
		return -EOPNOTSUPP;
	return kreloc_vmcoreinfo_text(addr);
}

static const struct kreloc_witness kreloc_x86_witnesses[] = {
	{ "linked", kreloc_linked_text },
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

static const void *kreloc_x86_boot_params(size_t *size)
{
	*size = sizeof(struct boot_params);
	return KRELOC_LINKED(boot_params);
}

/*
 * setup_data lies in memory that the kernel keeps, and counts as System RAM, to the byte: its
 * pages are shared. Nothing else is read, whatever a boot loader's address says: not a device's
 * registers, and nothing of which memremap() would complain. memremap(), since under memory
 * encryption this memory can be a plain exception; and a read that may fail, since RAM can end
 * inside.
 */
static int kreloc_x86_phys_read(unsigned long long addr, void *buf, size_t size)
{
	unsigned long long end;
	void *map;
	int err;

	if (check_add_overflow(addr, (unsigned long long)size, &end) || !kreloc_is_ram(addr, size))
		return -EFAULT;
	map = memremap(addr, size, MEMREMAP_WB);
	if (!map)
		return -EFAULT;
	err = copy_from_kernel_nofault(buf, map, size);
	memunmap(map);
	return err;
}

static const struct kreloc_field *const kreloc_x86_fields[] = {
	kreloc_zeropage_fields,
	NULL
};

const struct kreloc_arch kreloc_arch = {
	.anchor = "_text",
	.link_text = __START_KERNEL,
	.linked_text = KRELOC_LINKED(_text),
	.linked_etext = KRELOC_LINKED(_etext),
	.witnesses = kreloc_x86_witnesses,
	.valid = kreloc_x86_valid,
	.phys = kreloc_x86_phys,
	.boot_linked = kreloc_x86_boot_params,
	.boot_parent = &kernel_kobj,
	.boot_dir = "boot_params",
	.boot_file = "data",
	.boot_size = sizeof(struct boot_params),
	.fields = kreloc_x86_fields,
	.phys_read = kreloc_x86_phys_read,
};
