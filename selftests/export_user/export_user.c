// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: calls kreloc_offset() as a module does that cannot do without it. What it was told
 * is in its parameter, for root to read.
 */
#include <linux/kreloc.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

static unsigned long offset;
module_param(offset, ulong, 0400);
MODULE_PARM_DESC(offset, "what kreloc_offset() said; setting it is of no use");

static int __init export_user_init(void)
{
	return kreloc_offset(&offset);
}

static void __exit export_user_exit(void)
{
}

module_init(export_user_init);
module_exit(export_user_exit);

MODULE_DESCRIPTION("Test helper: a user of kreloc_offset()");
MODULE_AUTHOR("The kreloc authors");
MODULE_LICENSE("GPL");
