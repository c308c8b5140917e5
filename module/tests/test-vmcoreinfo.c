// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMCOREINFO note: where it is damaged, no value comes out of it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

#define HEAD	(12 + 12)

/* A note of this name and text, in a block of exactly its size */
static unsigned char *make_note(const char *name, const char *desc, size_t *size)
{
	size_t len = strlen(desc);
	unsigned char *note;
	unsigned int word;

	*size = HEAD + len;
	note = calloc(1, *size);
	word = strlen(name) + 1;
	memcpy(note, &word, 4);
	word = len;
	memcpy(note + 4, &word, 4);
	memcpy(note + 12, name, strlen(name));
	memcpy(note + HEAD, desc, len);
	return note;
}

static void check_note(const char *desc, int want_err, unsigned long want, const char *what)
{
	unsigned long value = 0;
	size_t size;
	unsigned char *note = make_note("VMCOREINFO", desc, &size);
	int err = kreloc_note_symbol(note, size, "_stext", &value);

	ok(err == want_err && value == want, "note: %s", what);
	free(note);
}

static void test_damage(void)
{
	static const char good[] = "OSRELEASE=6.1\nSYMBOL(_stext)=ffffffff81000000\nX=1\n";
	unsigned long value = 0;
	bool bad = false;
	size_t size, i;
	unsigned char *note = make_note("VMCOREINFO", good, &size);
	unsigned int word = 0xfffffff0;

	for (i = 0; i < size; i++) {
		unsigned char *part = malloc(i);

		memcpy(part, note, i);
		if (!kreloc_note_symbol(part, i, "_stext", &value))
			bad = true;
		free(part);
	}
	ok(!bad, "note: none that is cut short has a value");

	memcpy(note + 4, &word, 4);
	ok(kreloc_note_symbol(note, size, "_stext", &value) == -EINVAL,
	   "note: one that claims to be longer than its memory has none");
	word = 11;
	memcpy(note + 4, &word, 4);
	ok(kreloc_note_symbol(note, size, "_stext", &value) == -ENOENT,
	   "note: what is behind its end is not looked at");
	free(note);

	note = make_note("VMCOREINFO", good, &size);
	for (i = 0; i < 20000; i++) {
		size_t at = chance() % size;
		unsigned char was = note[at];

		note[at] = chance();
		(void)kreloc_note_symbol(note, size, "_stext", &value);
		/* sometimes the damage stays */
		if (i % 16)
			note[at] = was;
	}
	ok(true, "note: 20000 damaged ones do no harm");
	free(note);
}

void test_vmcoreinfo(void)
{
	size_t size;
	unsigned char *other;
	unsigned long value;

	check_note("SYMBOL(_stext)=ffffffff81000000\n", 0, 0xffffffff81000000, "a symbol");
	check_note("A=1\nSYMBOL(_stext)=c000000002000000\nB=2\n", 0, 0xc000000002000000,
		   "a symbol among others");
	check_note("SYMBOL(_stext2)=1\nXSYMBOL(_stext)=2\nSYMBOL(_stex)=3\n", -ENOENT, 0,
		   "a name that is only similar");
	check_note("SYMBOL(_stext)=\n", -ENOENT, 0, "no digits");
	check_note("SYMBOL(_stext)=ffffffff8100000g\n", -EINVAL, 0, "a digit that is none");
	check_note("SYMBOL(_stext)=FFFFFFFF81000000\n", -EINVAL, 0,
		   "capitals, which no kernel writes");
	check_note("SYMBOL(_stext)=0ffffffff81000000\n", -EINVAL, 0, "seventeen digits");
	check_note("SYMBOL(_stext)=ffffffff81000000", -ENOENT, 0, "a line without an end");
	check_note("SYMBOL(_stext)=ffff ffff81000000\n", -EINVAL, 0, "a blank inside");
	check_note("", -ENOENT, 0, "no text");
	check_note("\n\n\n", -ENOENT, 0, "empty lines");

	other = make_note("VMCOREINFX", "SYMBOL(_stext)=1\n", &size);
	ok(kreloc_note_symbol(other, size, "_stext", &value) == -ENOENT, "note: another name");
	free(other);
	other = make_note("VMCOREINFO", "SYMBOL(_stext)=1\n", &size);
	other[8] = 1;
	ok(kreloc_note_symbol(other, size, "_stext", &value) == -ENOENT, "note: another type");
	free(other);
	test_damage();
}
