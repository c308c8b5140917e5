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
#include "infer.h"
#include "kallsyms.h"
#include "perf-data.h"
#include "perf-file.h"
#include "symbols.h"
#include "trace.h"
#include "trip.h"

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

/* A line without an end may be the begin of another name's. */
static void test_kallsyms_cut(void)
{
	static const char text[] = "ffffffff81234000 T _text\nffffffff81235000 T _etext";
	struct symbol symbols[2] = { { .name = "_etext" }, { .name = "_text" } };
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);

	if (fd < 0 || pwrite_full(fd, text, sizeof(text) - 1, 0))
		exit(2);
	CHECK(!kallsyms_find(fd, symbols, 2));
	CHECK(!symbols[0].found && symbols[1].found);
	close(fd);
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

/* Finds the block in front of the four bytes of the file, or does not, as the last of them says. */
static int some_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	unsigned char data[1024];
	const ssize_t n = pread_full(trace->fd, data, sizeof(data), 0);

	(void)why;
	facts->end = trace->size;
	if (n <= 4 || data[n - 1] != 'y' ||
	    stamp_block_extract(data, (size_t)n - 4, &facts->block))
		return 0;
	facts->has_block = true;
	facts->block.gap.len = (uint64_t)n - 4;
	return 0;
}

static int some_stamp(const struct trace *trace, const struct facts *facts,
		      const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	unsigned char *block, *data;
	size_t len;

	(void)trace;
	(void)facts;
	if (stamp_block_embed(info, &block, &len, why))
		return -1;
	data = stamp_job_alloc(job, len, why);
	if (data) {
		memcpy(data, block, len);
		job->gap = (struct stamp_gap){ .len = len, .data = data };
		job->gap_is_stamp = true;
	}
	free(block);
	return data ? 0 : -1;
}

static const struct format some = { .name = "some", .read = some_read, .stamp = some_stamp };

/* As little as @read says of a stamp is enough to know it by, and to take it out. */
static void check_gap(const struct trace *new, const struct stamp_info *info, const char *file)
{
	const int fd = memfd_create("old", MFD_CLOEXEC);
	struct facts *facts = malloc(sizeof(*facts));
	char back[8] = "";
	struct why why;

	if (fd < 0 || !facts)
		exit(2);
	CHECK(!trace_examine(new, &some, facts, &why));
	CHECK(facts->state == TRACE_STAMPED && facts->text == info->text);
	CHECK(!strcmp(facts->anchor, info->anchor));
	CHECK(!strcmp(facts->machine, info->machine));
	CHECK(!strcmp(facts->release, info->release));
	CHECK(!rewrite_strip_into(fd, new, &some, &facts->block, &why));
	CHECK(pread_full(fd, back, sizeof(back), 0) == 4 && !strcmp(back, file));
	facts_free(facts);
	free(facts);
	close(fd);
}

static void test_gap_stamp(void)
{
	static const char *const files[] = { "abcy", "abcn" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(files); i++) {
		struct trace trace = in_memory((const unsigned char *)files[i], 4);
		struct stamp_job job = { 0 };
		struct trace new = trace;
		struct stamp_info info;
		struct why why = { 0 };

		fill_info(&info);
		new.fd = memfd_create("new", MFD_CLOEXEC);
		CHECK(new.fd >= 0 && !some_stamp(&trace, NULL, &info, &job, &why));
		new.size = trace.size + job.gap.len;
		if (!rewrite_stamp_into(new.fd, &trace, &some, &info, &job, &why)) {
			CHECK(!i);
			check_gap(&new, &info, files[i]);
		} else {
			/* It would not be found again. */
			CHECK(i && strstr(why.text, "could not be read back"));
		}
		stamp_job_free(&job);
		close(new.fd);
		close(trace.fd);
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

/* A perf.data with two events and the records given, as a file that is open. */
static void samples_file(struct trace *trace, uint64_t type, uint64_t read_format,
			 const unsigned char *records, size_t len)
{
	static unsigned char data[4096];
	const size_t attr_size = ATTR_SIZE_MIN + SECTION_SIZE;
	unsigned int i;

	memset(data, 0, sizeof(data));
	memcpy(data, (const char[]){ 'P', 'E', 'R', 'F', 'I', 'L', 'E', '2' }, 8);
	put64(data + PERF_SIZE, PERF_HEADER_SIZE, false);
	put64(data + PERF_ATTR_SIZE, attr_size, false);
	put64(data + PERF_ATTRS, 512, false);
	put64(data + PERF_ATTRS + SECTION_LEN, 2 * attr_size, false);
	put64(data + PERF_DATA, 1024, false);
	put64(data + PERF_DATA + SECTION_LEN, len, false);
	for (i = 0; i < 2; i++) {
		unsigned char *attr = data + 512 + i * attr_size;

		put32(attr + ATTR_SIZE_AT, ATTR_SIZE_MIN, false);
		put64(attr + ATTR_SAMPLE_TYPE, type, false);
		put64(attr + ATTR_READ_FORMAT, read_format, false);
		put64(attr + ATTR_SIZE_MIN, 256 + 8 * i, false);
		put64(attr + ATTR_SIZE_MIN + SECTION_LEN, 8, false);
		put64(data + 256 + 8 * i, 100 + i, false);
	}
	/* The second is ftrace:function. */
	put32(data + 512 + attr_size + ATTR_TYPE, TYPE_TRACEPOINT, false);
	put64(data + 512 + attr_size + ATTR_CONFIG, 1, false);
	memcpy(data + 1024, records, len);

	memset(trace, 0, sizeof(*trace));
	trace->fd = memfd_create("samples", MFD_CLOEXEC);
	trace->size = 1024 + len;
	if (trace->fd < 0 || pwrite_full(trace->fd, data, trace->size, 0))
		exit(2);
}

static size_t sample(unsigned char *at, unsigned int misc, const uint64_t *fields, unsigned int nr)
{
	unsigned int i;

	put32(at + RECORD_TYPE, RECORD_SAMPLE, false);
	put16(at + RECORD_MISC, (uint16_t)misc, false);
	put16(at + RECORD_SIZE, (uint16_t)(RECORD_HEADER_SIZE + 8 * nr), false);
	for (i = 0; i < nr; i++)
		put64(at + RECORD_HEADER_SIZE + 8 * i, fields[i], false);
	return RECORD_HEADER_SIZE + 8 * nr;
}

#define KERNEL(n)	(0xffffffff90000000 + (n))

/* @want: pairs of kind and address, ascending, and then a kind that is none */
static void has_evidence(const unsigned char *records, size_t len, uint64_t type,
			 uint64_t read_format, const uint64_t *want, size_t calls)
{
	struct evidence ev;
	struct trace trace;
	struct why why;
	size_t i;

	samples_file(&trace, type, read_format, records, len);
	CHECK(!evidence_init(&ev, arch_by_name("x86_64"), &why));
	CHECK(!perf_evidence(&trace, &ev, UINT64_MAX, &why));
	CHECK(!evidence_done(&ev, &why));
	for (i = 0; i < ev.nr && want[2 * i] < EVIDENCE_KINDS; i++)
		CHECK(ev.addresses[i].kind == want[2 * i] &&
		      ev.addresses[i].value == want[2 * i + 1]);
	CHECK(i == ev.nr && want[2 * i] == EVIDENCE_KINDS);
	CHECK(ev.nr_calls == calls);
	evidence_free(&ev);
	close(trace.fd);
}

static void test_samples(void)
{
	static const uint64_t user = (uint64_t)PERF_CONTEXT_USER, kernel = CONTEXT_KERNEL,
			      guest = (uint64_t)PERF_CONTEXT_GUEST_KERNEL;
	const uint64_t type = SAMPLE_TYPE_IDENTIFIER | SAMPLE_TYPE_IP | SAMPLE_TYPE_TID |
			      SAMPLE_TYPE_READ | SAMPLE_TYPE_CALLCHAIN;
	const uint64_t format = READ_GROUP | READ_TIME_ENABLED | READ_ID;
	/* identifier, ip, tid; number of values, time, value and id; chain */
	const uint64_t chain[] = { 100, KERNEL(1), 0, 1, 7, KERNEL(90), KERNEL(91), 9,
				   guest, KERNEL(80), kernel, KERNEL(1), KERNEL(2), 0, KERNEL(3),
				   user, KERNEL(81) };
	/* Without a chain; raw: 32 bits of size, 64 that all tracepoints have, two addresses. */
	const uint64_t function[] = { 101, KERNEL(70), 0, 1, 7, 0, 0, 0,
				      28, KERNEL(5) << 32, KERNEL(6) << 32 | KERNEL(5) >> 32,
				      KERNEL(6) >> 32 };
	const uint64_t plain[] = { KERNEL(4), 100 }, unknown[] = { KERNEL(60), 555 };
	const uint64_t of_user[] = { KERNEL(50), 100 }, of_guest[] = { KERNEL(51), 100 };
	const uint64_t want_chain[] = { EVIDENCE_IP, KERNEL(1), EVIDENCE_RETURN, KERNEL(2),
					EVIDENCE_RETURN, KERNEL(3), EVIDENCE_KINDS };
	const uint64_t want_function[] = { EVIDENCE_ENTRY, KERNEL(5), EVIDENCE_RETURN, KERNEL(6),
					   EVIDENCE_KINDS };
	const uint64_t want_plain[] = { EVIDENCE_IP, KERNEL(4), EVIDENCE_KINDS };
	unsigned char records[512];
	size_t len;

	len = sample(records, MISC_KERNEL, chain, ARRAY_SIZE(chain));
	has_evidence(records, len, type, format, want_chain, 2);
	len = sample(records, MISC_KERNEL, function, ARRAY_SIZE(function));
	has_evidence(records, len, type | SAMPLE_TYPE_RAW, format, want_function, 0);
	/* Of the user or a guest, of no event that there is, and cut short */
	len = sample(records, MISC_KERNEL, plain, ARRAY_SIZE(plain));
	len += sample(records + len, PERF_RECORD_MISC_USER, of_user, ARRAY_SIZE(of_user));
	len += sample(records + len, PERF_RECORD_MISC_GUEST_KERNEL, of_guest, ARRAY_SIZE(of_guest));
	len += sample(records + len, MISC_KERNEL, unknown, ARRAY_SIZE(unknown));
	len += sample(records + len, MISC_KERNEL, plain, 1);
	has_evidence(records, len, SAMPLE_TYPE_IP | SAMPLE_TYPE_ID, 0, want_plain, 0);
}

/*
 * Of powerpc's words nearly none is bad by chance. Where there is no code all are, and that must
 * not look like the better explanation: between the text and what runs at boot is a gap, and some
 * words are no instructions.
 */
static void test_gap(void)
{
	enum { TEXT = 4 << 20, GAP = 8 << 20, BOOT = 1 << 20 };
	const size_t units = (TEXT + GAP + BOOT) / 4;
	struct codemap code = {
		.infer = &infer_powerpc,
		.start = 0xc000000000000000,
		.size = TEXT + GAP + BOOT,
		.text_size = TEXT,
		.starts = calloc(units / 64 + 1, 8),
		.entries = calloc(units / 64 + 1, 8),
		.returns = calloc(units / 64 + 1, 8),
	};
	struct inference inf;
	struct evidence ev;
	struct why why;
	unsigned int i;

	/* One word in a thousand: all that are 5 x 64 KiB from the addresses below. */
	for (i = 0; i < TEXT / 4; i++)
		if (i % 1001 != 1000)
			codemap_mark(&code, code.starts, 4ull * i);
	for (i = 0; i < BOOT / 4; i++)
		codemap_mark(&code, code.starts, TEXT + GAP + 4ull * i);
	CHECK(!evidence_init(&ev, arch_by_name("ppc64le"), &why));
	for (i = 0; i < 1000; i++)
		evidence_add(&ev, 0xc000000004000000 + (i * 4177ull % (TEXT / 4004)) * 4004 + 644,
			     EVIDENCE_IP);
	CHECK(!evidence_done(&ev, &why));
	ev.same_build = true;
	CHECK(!infer(&code, &ev, NULL, &inf, &why));
	CHECK(inf.top[0].offset == 0x4000000);
	CHECK(inf.top[0].fits[EVIDENCE_IP][FIT_BAD] == 0);
	/* Every address bad, everywhere: that is no fit, whatever the build-id says. */
	for (i = 0; i < ev.nr; i++)
		ev.addresses[i].value += 2;
	CHECK(!infer(&code, &ev, NULL, &inf, &why));
	CHECK(inf.verdict == INFER_NO_FIT);
	evidence_free(&ev);
	free(code.starts);
	free(code.entries);
	free(code.returns);
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
	run("kallsyms, cut short", test_kallsyms_cut);
	run("architectures and where their kernels can be", test_arches);
	run("bits of perf_event_attr", test_attr_flags);
	run("guards at their edges", test_guards);
	run("a stamp's block, and any bit of it changed", test_block);
	run("a block that reaches out of the file", test_block_bounds);
	run("a stamp within a file, found again or not made", test_gap_stamp);
	run("addresses in samples of every shape", test_samples);
	run("nothing fits where there is no code", test_gap);
	return 0;
}
