// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading. Everything is learned here, once; afterwards the module only answers
 * reads. It says nothing when all is well.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "kreloc.h"

struct kreloc_place kreloc_place __ro_after_init;

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

module_init(kreloc_init);
module_exit(kreloc_exit);

MODULE_DESCRIPTION("Load offset of the running kernel");
MODULE_AUTHOR("The kreloc authors");
MODULE_LICENSE("GPL");
