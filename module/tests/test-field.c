// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text that is longer than its buffer.
 */
#include <stdlib.h>
#include <string.h>

#include "tests.h"

void test_field(void)
{
	static const struct kreloc_name names[] = { { 1, "one" }, { 0x80000000, "top" }, { } };
	struct kreloc_text text = { .size = 0 };

	kreloc_print(&text, "%d %s\n", 12, "abc");
	ok(text.len == 7, "text without a buffer is counted");

	text = (struct kreloc_text){ .buf = malloc(8), .size = 8 };
	kreloc_print(&text, "%d ", 12);
	kreloc_print(&text, "%s\n", "abc");
	ok(text.len == 7 && !strcmp(text.buf, "12 abc\n"), "text that just fits is all there");
	kreloc_print(&text, "more");
	ok(text.len == 11 && !strcmp(text.buf, "12 abc\n"), "more is counted, and not written");
	free(text.buf);

	text = (struct kreloc_text){ .buf = malloc(4), .size = 4 };
	kreloc_print(&text, "0123456789");
	ok(text.len == 10 && !strcmp(text.buf, "012"), "text that is cut is terminated");
	kreloc_print(&text, "0123456789");
	ok(text.len == 20 && !strcmp(text.buf, "012"), "and stays as it is");
	free(text.buf);

	is(kreloc_name(names, 0x80000000), "top", "a name is found");
	ok(!kreloc_name(names, 2), "a number without a name has none");
	ok(!kreloc_name(names, 0x180000000), "nor has one that is only alike in 32 bits");
}
