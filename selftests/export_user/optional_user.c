// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: uses kreloc_offset() where it is there. What it was told, or the error, is in its
 * parameters, for root to read.
 */
#include <linux/errno.h>
#include <linux/kreloc.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static unsigned long offset;
module_param(offset, ulong, 0400);
MODULE_PARM_DESC(offset, "what kreloc_offset() said; setting it is of no use");

static int err = -ENOENT;
module_param(err, int, 0400);
MODULE_PARM_DESC(err, "its error, -ENOENT where there is none such");

static int __init optional_user_init(void)
{
	int (*ask)(unsigned long *offset) = symbol_get(kreloc_offset);

	if (ask) {
		err = ask(&offset);
		symbol_put(kreloc_offset);
	}
	return 0;
}

static void __exit optional_user_exit(void)
{
}

module_init(optional_user_init);
module_exit(optional_user_exit);

MODULE_DESCRIPTION("Test helper: an optional user of kreloc_offset()");
MODULE_AUTHOR("The kreloc authors");
MODULE_LICENSE("GPL");
