// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flattened device tree: built here token by token, then damaged.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

#define AT_RSV		40
#define AT_STRUCT	0x100
#define AT_STRINGS	0x800
#define ROOM		0x1000

#define BEGIN	1
#define LEAVE	2
#define PROP	3
#define NOP	4
#define END	9

static unsigned char tree[ROOM];
static size_t struct_size;
static size_t strings_size;

static void word(unsigned int value)
{
	put_be(tree + AT_STRUCT + struct_size, value, 4);
	struct_size += 4;
}

static void raw(const void *data, size_t size)
{
	memcpy(tree + AT_STRUCT + struct_size, data, size);
	struct_size += (size + 3) / 4 * 4;
}

static void begin(const char *name)
{
	word(BEGIN);
	raw(name, strlen(name) + 1);
}

static void prop(const char *name, const void *data, size_t size)
{
	word(PROP);
	word(size);
	word(strings_size);
	raw(data, size);
	strcpy((char *)tree + AT_STRINGS + strings_size, name);
	strings_size += strlen(name) + 1;
}

static void header(unsigned int version)
{
	put_be(tree, 0xd00dfeed, 4);
	put_be(tree + 4, ROOM, 4);
	put_be(tree + 8, AT_STRUCT, 4);
	put_be(tree + 12, AT_STRINGS, 4);
	put_be(tree + 16, AT_RSV, 4);
	put_be(tree + 20, version, 4);
	put_be(tree + 24, 16, 4);
	put_be(tree + 28, 8, 4);
	put_be(tree + 32, strings_size, 4);
	put_be(tree + 36, struct_size, 4);
}

static void reserve(unsigned int nr, unsigned long long addr, unsigned long long size)
{
	put_be(tree + AT_RSV + 16 * nr, addr, 8);
	put_be(tree + AT_RSV + 16 * nr + 8, size, 8);
}

/* What a machine might hand over, up to where /chosen ends */
static void start(void)
{
	memset(tree, 0, sizeof(tree));
	struct_size = 0;
	strings_size = 0;
	begin("");
	prop("model", "IBM pSeries", 12);
	begin("cpus");
	begin("chosen");
	prop("bootargs", "not these", 10);
	word(LEAVE);
	word(LEAVE);
	word(NOP);
	begin("chosen");
	prop("bootargs", "quiet \"x\"", 10);
	prop("cells", "\0\0\0\1\0\0\0\2", 8);
	prop("list", "one\0two", 8);
	prop("flag", "", 0);
	prop("odd", "\1\2\3\4\5", 5);
	word(NOP);
	begin("inner");
	prop("no", "no", 3);
	word(LEAVE);
	prop("last", "\x1b[", 3);
	word(LEAVE);
	word(LEAVE);
	word(END);
	header(17);
}

static const char chosen[] =
	"bootargs = \"quiet \"x\"\"\n"
	"cells = 00000001 00000002\n"
	"list = \"one\" \"two\"\n"
	"flag\n"
	"odd = 01020304 05\n"
	"last = 1b5b00\n";

static const char *value(const char *name)
{
	return value_of(find(kreloc_fdt_fields, name), tree, ROOM);
}

static void test_header(void)
{
	static const struct {
		const char *name;
		unsigned int at;
		int decimal;
	} words[] = {
		{ "magic", 0, 0 }, { "totalsize", 4, 0 }, { "off_dt_struct", 8, 0 },
		{ "off_dt_strings", 12, 0 }, { "off_mem_rsvmap", 16, 0 }, { "version", 20, 1 },
		{ "last_comp_version", 24, 1 }, { "boot_cpuid_phys", 28, 0 },
		{ "size_dt_strings", 32, 0 }, { "size_dt_struct", 36, 0 },
	};
	char want[32];
	size_t i;

	start();
	for (i = 0; i < ARRAY_SIZE(words); i++) {
		put_be(tree + words[i].at, 0x12345678 + i, 4);
		snprintf(want, sizeof(want), words[i].decimal ? "%u\n" : "0x%08x\n",
			 (unsigned int)(0x12345678 + i));
		is(value(words[i].name), want, "%s is where it should be", words[i].name);
	}
	header(16);
	is(value("size_dt_struct"), "error -61", "version 16 has no size_dt_struct");
	ok(!strncmp(value("size_dt_strings"), "0x", 2), "but size_dt_strings");
	header(2);
	is(value("size_dt_strings"), "error -61", "version 2 has neither");
	is(value_of(find(kreloc_fdt_fields, "magic"), tree, 39), "error -61", "half a header");
}

static void test_rsvmap(void)
{
	unsigned char *many;
	const char *got;

	start();
	is(value("mem_rsvmap"), "", "no reservations");
	reserve(0, 0x2000000, 0x1000);
	reserve(1, 0xfffffffffffffff0, 0xffffffffffffffff);
	reserve(2, 0, 1);
	is(value("mem_rsvmap"),
	   "0x0000000002000000 0x0000000000001000\n"
	   "0xfffffffffffffff0 0xffffffffffffffff\n"
	   "0x0000000000000000 0x0000000000000001\n", "reservations");
	put_be(tree + 16, ROOM - 24, 4);
	memset(tree + ROOM - 24, 0xff, 24);
	is(value("mem_rsvmap"), "0xffffffffffffffff 0xffffffffffffffff\ncut: no end\n",
	   "reservations without an end");
	put_be(tree + 16, ROOM, 4);
	is(value("mem_rsvmap"), "cut: no end\n", "reservations at the very end");
	put_be(tree + 16, ROOM + 1, 4);
	is(value("mem_rsvmap"), "error -22", "reservations outside");
	put_be(tree + 16, 0xffffffff, 4);
	is(value("mem_rsvmap"), "error -22", "reservations far outside");

	start();
	put_be(tree + 4, AT_RSV + 20, 4);
	reserve(0, 1, 1);
	reserve(1, 1, 1);
	is(value("mem_rsvmap"), "0x0000000000000001 0x0000000000000001\ncut: no end\n",
	   "what is beyond totalsize does not count");
	put_be(tree + 4, 0, 4);
	is(value("mem_rsvmap"), "error -22", "totalsize less than the header");
	put_be(tree, 0xd00dfeee, 4);
	is(value("mem_rsvmap"), "error -22", "another magic");

	start();
	put_be(tree + 4, 40 + 2048 * 16, 4);
	many = malloc(40 + 2048 * 16);
	memset(many, 1, 40 + 2048 * 16);
	memcpy(many, tree, 40);
	got = value_of(find(kreloc_fdt_fields, "mem_rsvmap"), many, 40 + 2048 * 16);
	free(many);
	ok(lines_in(got) == 1025 && strstr(got, "\ncut: too long\n"), "2048 reservations are cut");
}

static void test_chosen(void)
{
	char *text;

	start();
	is(value("chosen"), chosen, "/chosen, not /cpus/chosen nor what is in it");
	header(16);
	is(value("chosen"), chosen, "version 16");
	put_be(tree + 36, 0, 4);
	is(value("chosen"), chosen, "version 16, whose size_dt_struct is none");
	header(17);
	put_be(tree + 36, struct_size - 8, 4);
	is(value("chosen"), chosen, "all of /chosen is there, the tree's end is not");
	put_be(tree + 36, struct_size - 12, 4);
	text = strdup(value("chosen"));
	ok(!strncmp(text, chosen, strlen(chosen)) && strstr(text, "\ncut: damaged\n"),
	   "/chosen without its end");
	free(text);

	memset(tree, 0, sizeof(tree));
	struct_size = 0;
	begin("");
	word(LEAVE);
	word(END);
	header(17);
	is(value("chosen"), "error -61", "no /chosen");
	put_be(tree + AT_STRUCT, END, 4);
	is(value("chosen"), "error -61", "an empty tree");
	struct_size = 0;
	word(LEAVE);
	begin("");
	begin("");
	begin("chosen");
	prop("no", "no", 3);
	word(LEAVE);
	header(17);
	is(value("chosen"), "cut: damaged\n", "a node that ends before it began");
	put_be(tree + AT_STRUCT, 5, 4);
	is(value("chosen"), "cut: damaged\n", "a token that is none");
	put_be(tree + 8, ROOM + 4, 4);
	is(value("chosen"), "error -22", "the structure block is outside");
	header(17);
	put_be(tree + 12, 0xfffffff0, 4);
	is(value("chosen"), "error -22", "the strings block is outside");
}

/* /chosen with one property that is made by hand */
static const char *with_property(unsigned int len, unsigned int nameoff)
{
	memset(tree, 0, sizeof(tree));
	struct_size = 0;
	strings_size = 0;
	begin("");
	begin("chosen");
	word(PROP);
	word(len);
	word(nameoff);
	raw("abc", 4);
	word(LEAVE);
	memcpy(tree + AT_STRINGS, "na\tme", 6);
	strings_size = 6;
	header(17);
	return value("chosen");
}

/* /chosen with a property of no value and of this name, or else what is shown instead */
static const char *with_name(const char *name, size_t len)
{
	const char *got;

	memset(tree, 0, sizeof(tree));
	struct_size = 0;
	strings_size = len + 1;
	begin("");
	begin("chosen");
	word(PROP);
	word(0);
	word(0);
	word(LEAVE);
	memcpy(tree + AT_STRINGS, name, len);
	header(17);
	got = value("chosen");
	return strlen(got) == len + 1 && !memcmp(got, name, len) ? "yes\n" : got;
}

static void test_property(void)
{
	char many[128];

	is(with_property(4, 0), "na.me = \"abc\"\n", "a name that would do harm");
	is(with_property(4, 3), "me = \"abc\"\n", "a name inside another");
	is(with_property(4, 6), "cut: damaged\n", "a name behind the strings");
	is(with_property(4, 0xffffffff), "cut: damaged\n", "a name far outside");
	is(with_property(0xffffffff, 0), "cut: damaged\n", "a property of 4 GiB");
	is(with_property(0xfffffffd, 0), "cut: damaged\n", "one that wraps when it is padded");
	is(with_property(9, 0), "cut: damaged\n", "one that is a byte too long");
	is(with_property(3, 0), "na.me = 616263\n", "text without an end is none");

	memset(many, 0x81, 100);
	start();
	struct_size = 0;
	begin("");
	begin("chosen");
	prop("long", many, 100);
	word(LEAVE);
	header(17);
	ok(strstr(value("chosen"), " 81818181 (100 bytes)\n"), "long bytes are cut, and say so");

	memset(many, 'n', sizeof(many));
	is(with_name(many, 127), "yes\n", "the longest name");
	is(with_name(many, 128), "cut: damaged\n", "a name that is longer than any");

	/* the strings block ends in the middle of a name */
	start();
	put_be(tree + 32, strings_size - 1, 4);
	ok(strstr(value("chosen"), "\ncut: damaged\n"), "a name without an end");
	/* so does the structure block */
	struct_size = 0;
	begin("");
	word(BEGIN);
	memset(tree + AT_STRUCT + struct_size, 'a', AT_STRINGS - AT_STRUCT - struct_size);
	header(17);
	put_be(tree + 36, AT_STRINGS - AT_STRUCT, 4);
	is(value("chosen"), "cut: damaged\n", "a node's name without an end");
}

static void show_all(const unsigned char *from, size_t size)
{
	const struct kreloc_field *field;

	for (field = kreloc_fdt_fields; field->name; field++) {
		char *text;

		(void)show(field, from, size, &text);
		free(text);
	}
}

static void test_hostile(void)
{
	unsigned char damaged[ROOM];
	size_t i, j;

	start();
	reserve(0, 1, 1);
	for (i = 0; i < ROOM; i += i < AT_STRUCT + struct_size ? 1 : 37)
		show_all(tree, i);
	ok(true, "trees that are cut short do no harm");

	for (i = 0; i < AT_STRUCT + struct_size; i++) {
		memcpy(damaged, tree, ROOM);
		damaged[i] = 0xff;
		show_all(damaged, ROOM);
		damaged[i] = tree[i] + 1;
		show_all(damaged, ROOM);
	}
	ok(true, "nor do trees with one byte that is wrong");

	for (i = 0; i < 20000; i++) {
		memcpy(damaged, tree, ROOM);
		for (j = 0; j < 1 + i % 8; j++)
			damaged[chance() % (i % 2 ? 40 : AT_STRUCT + struct_size)] = chance();
		show_all(damaged, ROOM);
	}
	ok(true, "nor 20000 with several");
}

void test_fdt(void)
{
	test_header();
	test_rsvmap();
	test_chosen();
	test_property();
	test_hostile();
}
