// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading. Everything is learned here, once; afterwards the module only answers
 * reads. It says nothing when all is well.
 */
#include <linux/errno.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/module.h>

#include "include/linux/kreloc.h"
#include "kreloc.h"

struct kreloc_place kreloc_place __ro_after_init;

/**
 * kreloc_offset - by how much was this kernel moved?
 * @offset:	run-time minus link address of the kernel's text, modulo 2^64; untouched where
 *		the offset is not known
 *
 * Kernel code may know it; who is told is the caller's responsibility from here on.
 *
 * Context: any, but not before kreloc's own initcall where both are built in.
 * Return: 0, or -ENODATA where the offset is not known.
 */
int kreloc_offset(unsigned long *offset)
{
	if (!kreloc_place.nr_agreed)
		return -ENODATA;
	*offset = kreloc_place.offset;
	return 0;
}
EXPORT_SYMBOL_GPL(kreloc_offset);

static int __init kreloc_init(void)
{
	int err = kreloc_find(&kreloc_place);

	if (err)
		return err;
	kreloc_boot_init();
	err = kreloc_sysfs_init();
	if (err) {
		kreloc_boot_exit();
		return err;
	}
	kreloc_debugfs_init();
	return 0;
}

static void __exit kreloc_exit(void)
{
	kreloc_debugfs_exit();
	kreloc_sysfs_exit();
	kreloc_boot_exit();
}

/*
 * Built in, after all that adds to /chosen: powerpc's kexec_setup() is a late initcall. What is not
 * there when the files are made has none.
 */
late_initcall_sync(kreloc_init);
module_exit(kreloc_exit);

MODULE_DESCRIPTION("Load offset of the running kernel");
MODULE_AUTHOR("The kreloc authors");
MODULE_LICENSE("GPL");
