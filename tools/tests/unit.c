// SPDX-License-Identifier: GPL-2.0-only
/*
 * Functions of the library, called directly. Prints "ok - NAME" or "not ok - NAME".
 */
#include <elf.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "kallsyms.h"
#include "perf-data.h"
#include "symbols.h"
#include "trace.h"

static const char *current;
static int failures;

#define CHECK(condition)							\
	do {									\
		if (!(condition)) {						\
			fprintf(stderr, "%s: line %d: %s\n", current, __LINE__,	\
				#condition);					\
			failures++;						\
		}								\
	} while (0)

/* What perf-data.h says, against the kernel's own header as far as that goes. */
_Static_assert(ATTR_SAMPLE_TYPE == offsetof(struct perf_event_attr, sample_type), "attr");
_Static_assert(ATTR_FLAGS == offsetof(struct perf_event_attr, read_format) + 8, "attr");
_Static_assert(ATTR_SIZE_AT == offsetof(struct perf_event_attr, size), "attr");
_Static_assert(ATTR_SIZE_MIN == PERF_ATTR_SIZE_VER0, "attr");
_Static_assert(SAMPLE_TYPE_IP == PERF_SAMPLE_IP, "sample_type");
_Static_assert(SAMPLE_TYPE_TID == PERF_SAMPLE_TID, "sample_type");
_Static_assert(SAMPLE_TYPE_TIME == PERF_SAMPLE_TIME, "sample_type");
_Static_assert(SAMPLE_TYPE_ADDR == PERF_SAMPLE_ADDR, "sample_type");
_Static_assert(SAMPLE_TYPE_READ == PERF_SAMPLE_READ, "sample_type");
_Static_assert(SAMPLE_TYPE_CALLCHAIN == PERF_SAMPLE_CALLCHAIN, "sample_type");
_Static_assert(SAMPLE_TYPE_ID == PERF_SAMPLE_ID, "sample_type");
_Static_assert(SAMPLE_TYPE_CPU == PERF_SAMPLE_CPU, "sample_type");
_Static_assert(SAMPLE_TYPE_PERIOD == PERF_SAMPLE_PERIOD, "sample_type");
_Static_assert(SAMPLE_TYPE_STREAM_ID == PERF_SAMPLE_STREAM_ID, "sample_type");
_Static_assert(SAMPLE_TYPE_IDENTIFIER == PERF_SAMPLE_IDENTIFIER, "sample_type");
_Static_assert((int)RECORD_MMAP == (int)PERF_RECORD_MMAP, "record");
_Static_assert((int)RECORD_MMAP2 == (int)PERF_RECORD_MMAP2, "record");
_Static_assert((int)RECORD_SAMPLE == (int)PERF_RECORD_SAMPLE, "record");
_Static_assert(MISC_CPUMODE == PERF_RECORD_MISC_CPUMODE_MASK, "misc");
_Static_assert(MISC_KERNEL == PERF_RECORD_MISC_KERNEL, "misc");
_Static_assert(MISC_MMAP_BUILD_ID == PERF_RECORD_MISC_MMAP_BUILD_ID, "misc");
_Static_assert(CONTEXT_KERNEL == (uint64_t)PERF_CONTEXT_KERNEL, "context");
_Static_assert(CONTEXT_MAX == (uint64_t)PERF_CONTEXT_MAX, "context");

static void test_attr_flags(void)
{
	struct perf_event_attr attr = { .sample_id_all = 1 };
	unsigned char *p = (unsigned char *)&attr;

	CHECK(get64(p + ATTR_FLAGS, HOST_BIG) == ATTR_FLAG(ATTR_FLAG_SAMPLE_ID_ALL, HOST_BIG));
	memset(&attr, 0, sizeof(attr));
	attr.use_clockid = 1;
	CHECK(get64(p + ATTR_FLAGS, HOST_BIG) == ATTR_FLAG(ATTR_FLAG_USE_CLOCKID, HOST_BIG));
	CHECK(ATTR_FLAG(ATTR_FLAG_SAMPLE_ID_ALL, true) == 1ull << 45);
}

static void test_bytes(void)
{
	unsigned char b[8];

	put64(b, 0x0123456789abcdef, false);
	CHECK(b[0] == 0xef && b[7] == 0x01);
	CHECK(get64(b, false) == 0x0123456789abcdef);
	CHECK(get64(b, true) == 0xefcdab8967452301);
	CHECK(get32(b, false) == 0x89abcdef && get16(b, true) == 0xefcd);
	put64(b, 0x0123456789abcdef, true);
	CHECK(b[0] == 0x01 && get32(b, true) == 0x01234567);
	put16(b, 0x1234, true);
	CHECK(b[0] == 0x12 && b[1] == 0x34);
	CHECK(round_up(0, 8) == 0 && round_up(1, 8) == 8 && round_up(8, 8) == 8);
	CHECK(in_bounds(0, 0, 0) && in_bounds(1, 2, 3) && !in_bounds(1, 3, 3));
	CHECK(!in_bounds(UINT64_MAX, 1, 10) && !in_bounds(1, UINT64_MAX, 10));
	CHECK(!in_bounds(UINT64_MAX, UINT64_MAX, UINT64_MAX - 1));
}

static void test_parse_hex(void)
{
	static const char *const bad[] = { "", "0x", "-1", "+1", " 1", "1 ", "0x1g", "0x0x1",
					   "10000000000000000", "0x10000000000000000" };
	uint64_t v = 0;
	unsigned int i;

	CHECK(parse_hex("0", 1, &v) && v == 0);
	CHECK(parse_hex("0xFfffffff81000000", 18, &v) && v == 0xffffffff81000000);
	CHECK(parse_hex("ffffffffffffffff", 16, &v) && v == UINT64_MAX);
	CHECK(parse_hex("000000000000000000001", 21, &v) && v == 1);
	CHECK(parse_hex("12z", 2, &v) && v == 0x12);
	v = 4711;
	for (i = 0; i < ARRAY_SIZE(bad); i++)
		CHECK(!parse_hex(bad[i], strlen(bad[i]), &v));
	CHECK(v == 4711);
}

static void test_build_id(void)
{
	struct build_id a, b;
	char hex[BUILD_ID_HEX];

	memset(&a, 0, sizeof(a));
	memset(&b, 0, sizeof(b));
	CHECK(!build_id_differ(&a, &b) && !build_id_hex(&a, hex));
	build_id_set(&a, "\1\2\3\xff", 4);
	CHECK(!build_id_differ(&a, &b));
	CHECK(!strcmp(build_id_hex(&a, hex), "010203ff"));
	/* as old perf stored it */
	build_id_set(&b, "\1\2\3\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", 20);
	CHECK(!build_id_differ(&a, &b));
	build_id_set(&b, "\1\2\4\xff", 4);
	CHECK(build_id_differ(&a, &b));
	build_id_set(&b, "0123456789012345678901234567890", 31);
	CHECK(b.size == BUILD_ID_LEN && strlen(build_id_hex(&b, hex)) == 40);
}

static void test_notes(void)
{
	unsigned char notes[64];
	const unsigned char *desc;
	size_t len;
	int order;

	for (order = 0; order < 2; order++) {
		const bool big = order;

		memset(notes, 0, sizeof(notes));
		put32(notes, 2, big);
		put32(notes + 4, 1, big);
		put32(notes + 8, 3, big);
		notes[12] = 'X';
		notes[16] = 1;
		put32(notes + 20, 4, big);
		put32(notes + 24, 6, big);
		put32(notes + 28, 3, big);
		put32(notes + 32, 0x00554e47, false);
		memset(notes + 36, 0xab, 6);
		desc = note_find(notes, 44, big, "GNU", 3, &len);
		CHECK(desc == notes + 36 && len == 6);
		/* the last one's padding may be missing, its descriptor not */
		CHECK(note_find(notes, 42, big, "GNU", 3, &len));
		CHECK(!note_find(notes, 41, big, "GNU", 3, &len));
		CHECK(!note_find(notes, 44, big, "GNU", 4, &len));
		CHECK(!note_find(notes, 44, big, "GN", 3, &len));
		CHECK(!note_find(notes, 44, big, "GNUX", 3, &len));
		put32(notes, 0xffffffff, big);
		CHECK(!note_find(notes, 44, big, "GNU", 3, &len));
		put32(notes, 2, big);
		put32(notes + 4, 0xfffffff8, big);
		CHECK(!note_find(notes, 44, big, "GNU", 3, &len));
	}
	CHECK(!note_find(notes, 0, false, "GNU", 3, &len));
}

/* Reads come in any length: the table is found whatever is in front of it. */
static void test_kallsyms(void)
{
	static const char line[] = "ffffffff81234000 T _text\nffffffff81235000 T _etext\n";
	struct symbol symbols[2];
	int before;

	for (before = 16300; before < 16420; before++) {
		int fd = memfd_create("kallsyms", MFD_CLOEXEC);
		char *filler = malloc((size_t)before);
		int i;

		if (fd < 0 || !filler)
			exit(2);
		for (i = 0; i < before; i++)
			filler[i] = i % 50 == 49 || i == before - 1 ? '\n' : 'a';
		if (write(fd, filler, (size_t)before) != before ||
		    write(fd, line, sizeof(line) - 1) != sizeof(line) - 1)
			exit(2);
		free(filler);
		lseek(fd, 0, SEEK_SET);
		memset(symbols, 0, sizeof(symbols));
		symbols[0].name = "_etext";
		symbols[1].name = "_text";
		CHECK(!kallsyms_find(fd, symbols, 2));
		CHECK(symbols[0].found && symbols[0].value == 0xffffffff81235000);
		CHECK(symbols[1].found && symbols[1].value == 0xffffffff81234000);
		close(fd);
	}
}

static void test_arches(void)
{
	const struct arch *x86 = arch_by_name("x86_64");
	struct place place = { .source = "test", .link_source = "test" };
	struct why why;

	CHECK(x86 && arch_by_machine(EM_X86_64, false) == x86);
	CHECK(!arch_by_machine(EM_X86_64, true));
	CHECK(arch_by_machine(EM_PPC64, false) == arch_by_name("ppc64le"));
	CHECK(arch_by_machine(EM_PPC64, true) == arch_by_name("ppc64"));
	CHECK(!arch_by_name("m68k") && !arch_by_name(""));

	place.arch = x86;
	place.text = 0xffffffff81000000;
	CHECK(!place_check(&place, &why));
	place.link = 0xffffffff81000000;
	CHECK(!place_check(&place, &why) && place_offset(&place) == 0);
	place.text = 0xffffffffbfe00000;
	CHECK(!place_check(&place, &why));
	place.text = 0xffffffffc0000000;
	CHECK(place_check(&place, &why));
	place.text = 0xffffffff80e00000;
	CHECK(place_check(&place, &why));
	place.text = 0xffffffff81100000;
	CHECK(place_check(&place, &why));
}

/* The guards, with facts that no recording at hand has. */
static void guard_with(struct facts *facts, struct place *place, unsigned int want)
{
	struct trace trace = { .path = "test" };
	struct guard guard = { .place = place, .release = "", .build_id_of = "test" };
	struct verdict verdict;

	guard_check(&guard, &trace, facts, &verdict);
	CHECK(verdict.nr == want);
	if (verdict.nr != want)
		fprintf(stderr, "%u reasons: %s\n", verdict.nr, verdict.nr ? verdict.why[0].text : "");
}

static void test_guards(void)
{
	struct facts *facts = calloc(1, sizeof(*facts));
	struct place place = {
		.arch = arch_by_name("x86_64"),
		.text = 0xffffffff87800000,
		.link = 0xffffffff81000000,
		.text_size = 0xe00000,
		.source = "test",
	};
	unsigned int i;

	if (!facts)
		exit(2);
	guard_with(facts, &place, 0);

	/* first and last byte of the text, and one further */
	facts->ips[0] = place.text;
	facts->ips[1] = place.text + place.text_size - 1;
	facts->nr_ips = 2;
	guard_with(facts, &place, 0);
	facts->ips[0] = place.text - 1;
	guard_with(facts, &place, 1);
	facts->ips[0] = place.text;
	facts->ips[1] = place.text + place.text_size;
	guard_with(facts, &place, 1);

	/* modules say nothing, but alone they are no support */
	facts->ips[1] = 0xffffffffc0123456;
	guard_with(facts, &place, 0);
	facts->ips[0] = 0xffffffffc0000000;
	guard_with(facts, &place, 1);
	facts->ips[0] = place.text;
	facts->ips[1] = 0xffffffffbfffffff;
	guard_with(facts, &place, 1);

	/* below 1 GiB there may be modules where the kernel was not moved, and then only */
	place.text = place.link;
	facts->ips[0] = place.text;
	facts->ips[1] = 0xffffffffa0000000;
	guard_with(facts, &place, 0);
	facts->ips[1] = 0xffffffff9fffffff;
	guard_with(facts, &place, 1);
	place.link = 0;
	facts->ips[1] = 0xffffffffa0000000;
	guard_with(facts, &place, 1);

	/* callers: one in fifty may be rubbish */
	place.text = 0xffffffff87800000;
	place.link = 0xffffffff81000000;
	facts->nr_ips = 0;
	facts->nr_callers = 101;
	for (i = 0; i < 100; i++)
		facts->callers[i] = place.text + 0x100000 + i;
	facts->callers[7] = place.text - 1;
	facts->callers[8] = place.text + place.text_size;
	guard_with(facts, &place, 0);
	facts->callers[9] = 0xffffffffc0000000;
	guard_with(facts, &place, 1);
	facts->callers[9] = place.text;
	guard_with(facts, &place, 0);
	facts->callers[10] = place.text - 1;
	guard_with(facts, &place, 1);

	/* the idle task of the processor that booted, which ends where the kernel began */
	for (i = 0; i < 100; i++)
		facts->callers[i] = i % 4 ? place.text + place.text_size + 0x1000 : 0;
	guard_with(facts, &place, 1);
	for (i = 3; i < 100; i += 4)
		facts->callers[i] = place.text + 0x159;
	guard_with(facts, &place, 0);
	place.text += 0x200000;
	guard_with(facts, &place, 1);
	place.text -= 0x200000;

	/* powerpc: the vectors at the start of memory are there wherever the kernel is */
	memset(facts, 0, sizeof(*facts));
	place.arch = arch_by_name("ppc64le");
	place.link = 0xc000000000000000;
	place.text = 0xc000000002000000;
	facts->nr_ips = 3;
	facts->ips[0] = place.text;
	facts->ips[1] = 0xc000000000004500;
	facts->ips[2] = 0xc008000000123456;
	guard_with(facts, &place, 0);
	facts->ips[1] = 0xc000000000123456;
	guard_with(facts, &place, 1);
	free(facts);
}

static void fill_info(struct stamp_info *info)
{
	memset(info, 0, sizeof(*info));
	info->text = 0xffffffff87800000;
	info->link = 0xffffffff81000000;
	info->text_size = 4711;
	info->time = 1234567890;
	memcpy(info->boot_id, "0123456789abcdef", BOOT_ID_LEN);
	build_id_set(&info->build_id, "abcdefghijklmnopqrst", 20);
	strcpy(info->anchor, "_text");
	strcpy(info->source, "sysfs");
	strcpy(info->machine, "x86_64");
	strcpy(info->link_source, "vmlinux");
	strcpy(info->version, "1.2.3");
	memset(info->release, 'r', sizeof(info->release) - 1);
}

/* A block comes back as it was, at every remainder of the size; with one bit changed it does not. */
static void test_block(void)
{
	static const unsigned char payload[] = "payload", old[] = "old bytes", new[] = "new bytes";
	struct stamp_job job = {
		.payload = payload,
		.payload_len = sizeof(payload),
		.changes = { { 100, 8, old, new }, { 200, 3, new, old } },
		.nr_changes = 2,
	};
	uint64_t size;

	for (size = 1000; size < 1008; size++) {
		const size_t pad = (8 - size % 8) % 8;
		struct stamp_info info;
		struct stamp_block block;
		unsigned char *data;
		struct why why;
		size_t len, i;

		fill_info(&info);
		CHECK(!stamp_block_build(&info, size, &job, &data, &len, &why));
		CHECK(!stamp_block_parse(data + pad, len - pad, size + len, &block));
		CHECK(block.orig_size == size && block.size == len - pad && block.nr_changes == 2);
		CHECK(!memcmp(&block.info, &info, sizeof(info)));
		CHECK(block.changes[0].at == 100 && block.changes[0].len == 8 &&
		      !memcmp(block.changes[0].old, old, 8) && !memcmp(block.changes[0].new, new, 8));
		CHECK(block.changes[1].at == 200 && block.changes[1].len == 3);
		CHECK(stamp_payload_at(size) % 8 == 0);
		CHECK(!memcmp(data + (stamp_payload_at(size) - size), payload, sizeof(payload)));

		for (i = 8 * pad; i < 8 * len; i++) {
			data[i / 8] ^= (unsigned char)(1 << i % 8);
			CHECK(stamp_block_parse(data + pad, len - pad, size + len, &block));
			data[i / 8] ^= (unsigned char)(1 << i % 8);
		}
		/* cut, and in another place than it was made for */
		for (i = 0; i < len - pad; i++)
			CHECK(stamp_block_parse(data + pad, i, size + pad + i, &block));
		CHECK(stamp_block_parse(data + pad, len - pad, size + len + 8, &block));
		CHECK(stamp_block_parse(data + pad, len - pad, size + len - 8, &block));
		free(data);
	}
}

/* Sound checksums do not make a block sound: changes must lie in the original file. */
static void test_block_bounds(void)
{
	static const unsigned char bytes[STAMP_CHANGE_LEN];
	static const struct stamp_change bad[] = {
		{ 1000, 1, bytes, bytes },	{ 999, 2, bytes, bytes },
		{ UINT64_MAX, 1, bytes, bytes }, { 0, 0, bytes, bytes },
		{ 0, 1001, bytes, bytes },
	};
	unsigned int i;

	for (i = 0; i <= ARRAY_SIZE(bad); i++) {
		struct stamp_job job = { .nr_changes = 1 };
		struct stamp_info info;
		struct stamp_block block;
		unsigned char *data;
		struct why why;
		size_t len;

		job.changes[0] = i < ARRAY_SIZE(bad) ? bad[i] :
						       (struct stamp_change){ 999, 1, bytes, bytes };
		fill_info(&info);
		CHECK(!stamp_block_build(&info, 1000, &job, &data, &len, &why));
		CHECK(!stamp_block_parse(data, len, 1000 + len, &block) == (i == ARRAY_SIZE(bad)));
		free(data);
	}
}

static void run(const char *name, void (*test)(void))
{
	current = name;
	failures = 0;
	test();
	printf("%s - %s\n", failures ? "not ok" : "ok", name);
	fflush(stdout);
}

int main(void)
{
	run("numbers in either byte order", test_bytes);
	run("hexadecimal numbers", test_parse_hex);
	run("build-ids", test_build_id);
	run("ELF notes, whole and damaged", test_notes);
	run("kallsyms across buffers", test_kallsyms);
	run("architectures and where their kernels can be", test_arches);
	run("bits of perf_event_attr", test_attr_flags);
	run("guards at their edges", test_guards);
	run("a stamp's block, and any bit of it changed", test_block);
	run("a block that reaches out of the file", test_block_bounds);
	return 0;
}
