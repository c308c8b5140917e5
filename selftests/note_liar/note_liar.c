// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test module: makes the running kernel's VMCOREINFO note lie, so that the kreloc module that is
 * shipped, not one with a hook in it, can be seen to notice. Unloading puts the note back. For
 * throw-away guests only: a crash dump taken meanwhile would be wrong.
 */
#include <linux/errno.h>
#include <linux/io.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat.h"

static char *lie = "shifted";
module_param(lie, charp, 0444);
MODULE_PARM_DESC(lie, "missing, garbage, name, shifted (by 2 MiB) or low");

static char *note;
static char *saved;

static int tell(const char *how)
{
	char *symbol = strnstr(note, "SYMBOL(_stext)=", VMCOREINFO_NOTE_SIZE);
	char *digit;

	if (!symbol)
		return -ENOENT;
	/* the sixth digit from the right counts 2^20 */
	digit = strnchr(symbol, 64, '\n') - 6;
	if (!strcmp(how, "missing"))
		symbol[0] = 's';
	else if (!strcmp(how, "garbage"))
		*digit = 'x';
	else if (!strcmp(how, "name"))
		*strnstr(note, "VMCOREINFO", VMCOREINFO_NOTE_SIZE) = 'W';
	else if (!strcmp(how, "shifted"))
		*digit = *digit == '2' ? '4' : '2';
	else if (!strcmp(how, "low"))
		digit[-10] = '0';
	else
		return -EINVAL;
	return 0;
}

static int __init note_liar_init(void)
{
	size_t i;
	int err;

	note = phys_to_virt(paddr_vmcoreinfo_note());
	saved = kmemdup(note, VMCOREINFO_NOTE_SIZE, GFP_KERNEL);
	if (!saved)
		return -ENOMEM;
	/* strnstr() stops at the first zero byte, and the note's header has some */
	for (i = 0; i < VMCOREINFO_NOTE_SIZE && memcmp(note, "VMCOREINFO", 10); i++)
		note++;
	err = tell(lie);
	if (err)
		kfree(saved);
	return err;
}

static void __exit note_liar_exit(void)
{
	memcpy(phys_to_virt(paddr_vmcoreinfo_note()), saved, VMCOREINFO_NOTE_SIZE);
	kfree(saved);
}

module_init(note_liar_init);
module_exit(note_liar_exit);

MODULE_DESCRIPTION("Test helper: a VMCOREINFO note that lies");
MODULE_AUTHOR("The kreloc authors");
MODULE_LICENSE("GPL");
