// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes recordings of trace-cmd that no machine at hand makes:
 *
 *	craft-dat make OUT 6|7 little|big none|zlib|zstd KALLSYMS ADDRESS...
 *	craft-dat option IN OUT ID TEXT
 *	craft-dat loop IN OUT
 *	craft-dat bare IN OUT
 *
 * make is the shortest recording that trace-cmd reads: a function trace of the addresses, called
 * from nowhere, with that text as the kallsyms. option adds an option to one of version 7
 * in little-endian byte order, in a section of its own; loop adds one that leads to itself. bare
 * takes the options away from one of version 6 that has nothing behind its table but the events of
 * one processor, as they were before there were options.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "bytes.h"

#define PAGE	4096

static const char page_header[] =
	"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
	"\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
	"\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n";

static const char event_header[] =
	"# compressed entry header\n"
	"\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 bits\n\n"
	"\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n"
	"\tdata max type_len  == 28\n";

static const char function_format[] =
	"name: function\nID: 1\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long parent_ip;\toffset:16;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \" %ps <-- %ps\", (void *)REC->ip, (void *)REC->parent_ip\n";

static const char uname_text[] = "Linux crafted 6.1.0-crafted x86_64";
static const char clock_text[] = "[local] global counter\n";

static void die(const char *what)
{
	fprintf(stderr, "craft-dat: %s\n", what);
	exit(1);
}

struct bytes {
	unsigned char *data;
	size_t len;
};

static bool big;
static const char *packing;

static unsigned char *add(struct bytes *to, const void *data, size_t len)
{
	to->data = realloc(to->data, to->len + len + 1);
	if (!to->data)
		die("out of memory");
	if (data)
		memcpy(to->data + to->len, data, len);
	else
		memset(to->data + to->len, 0, len);
	to->len += len;
	return to->data + to->len - len;
}

static void number(struct bytes *to, uint64_t value, unsigned int len)
{
	put_bytes(add(to, NULL, len), value, len, big);
}

static void sized(struct bytes *to, const char *text, size_t len, unsigned int number_len)
{
	number(to, len, number_len);
	add(to, text, len);
}

static void option(struct bytes *to, unsigned int id, const void *data, size_t len)
{
	number(to, id, 2);
	number(to, len, 4);
	add(to, data, len);
}

static void option_number(struct bytes *to, unsigned int id, uint64_t value, unsigned int len)
{
	unsigned char data[8];

	put_bytes(data, value, len, big);
	option(to, id, data, len);
}

/* Its length, its length unpacked, and it. */
static void pack(struct bytes *to, const unsigned char *data, size_t len)
{
	struct bytes packed = { 0 };
	uLongf room = compressBound(len);
	size_t got = ZSTD_compressBound(len);

	add(&packed, NULL, room > got ? room : got);
	if (!strcmp(packing, "zlib")) {
		if (compress(packed.data, &room, data, len) != Z_OK)
			die("zlib");
		got = room;
	} else {
		got = ZSTD_compress(packed.data, packed.len, data, len, 1);
		if (ZSTD_isError(got))
			die("zstd");
	}
	number(to, got, 4);
	number(to, len, 4);
	add(to, packed.data, got);
	free(packed.data);
}

static bool packs(void)
{
	return strcmp(packing, "none") != 0;
}

/* Returns where it begins. */
static uint64_t section(struct bytes *to, unsigned int id, const struct bytes *content, bool plain)
{
	const uint64_t at = to->len;
	struct bytes packed = { 0 };

	if (packs() && !plain) {
		pack(&packed, content->data, content->len);
		content = &packed;
	}
	number(to, id, 2);
	number(to, content == &packed, 2);
	number(to, 0, 4);
	number(to, content->len, 8);
	add(to, content->data, content->len);
	free(packed.data);
	return at;
}

static void header_info(struct bytes *to)
{
	add(to, "header_page", 12);
	sized(to, page_header, strlen(page_header), 8);
	add(to, "header_event", 13);
	sized(to, event_header, strlen(event_header), 8);
}

static void ftrace_events(struct bytes *to)
{
	number(to, 1, 4);
	sized(to, function_format, strlen(function_format), 8);
}

/* Each 6 words behind the head: 24 bytes, and 1 us after the one before. */
static void make_page(unsigned char *page, int nr, char **addresses)
{
	unsigned char *p = page + 16;
	int i;

	for (i = 0; i < nr && p + 28 <= page + PAGE; i++, p += 28) {
		put32(p, big ? 6u << 27 | 1000 : 6 | 1000 << 5, big);
		put16(p + 4, 1, big);
		put32(p + 8, 1, big);
		put64(p + 12, strtoull(addresses[i], NULL, 0), big);
	}
	put64(page, 1000000000, big);
	put64(page + 8, (uint64_t)(p - page) - 16, big);
}

static void save(const char *path, const struct bytes *bytes)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(bytes->data, 1, bytes->len, file) != bytes->len || fclose(file))
		die(path);
}

static struct bytes load(const char *path)
{
	struct bytes bytes = { 0 };
	FILE *file = fopen(path, "r");
	unsigned char buf[PAGE];
	size_t n;

	if (!file)
		die(path);
	add(&bytes, "", 0);
	while ((n = fread(buf, 1, sizeof(buf), file)))
		add(&bytes, buf, n);
	fclose(file);
	return bytes;
}

static void pad(struct bytes *to)
{
	add(to, NULL, round_up(to->len, PAGE) - to->len);
}

static void make_6(struct bytes *out, const struct bytes *kallsyms, const unsigned char *page)
{
	size_t table;

	header_info(out);
	ftrace_events(out);
	number(out, 0, 4);
	sized(out, (const char *)kallsyms->data, kallsyms->len, 4);
	number(out, 0, 4);
	number(out, 0, 8);
	number(out, 1, 4);
	add(out, "options  ", 10);
	option(out, 4, clock_text, sizeof(clock_text));
	option(out, 5, uname_text, sizeof(uname_text));
	number(out, 0, 2);
	add(out, "flyrecord", 10);
	table = out->len;
	add(out, NULL, 16);
	pad(out);
	put64(out->data + table, out->len, big);
	put64(out->data + table + 8, PAGE, big);
	add(out, page, PAGE);
}

static void make_7(struct bytes *out, const struct bytes *kallsyms, const unsigned char *page)
{
	struct bytes content = { 0 }, options = { 0 }, buffer = { 0 };
	uint64_t root, head, at, len = PAGE;

	add(out, packing, strlen(packing) + 1);
	add(out, "1", 2);
	root = out->len;
	number(out, 0, 8);

	header_info(&content);
	option_number(&options, 16, section(out, 16, &content, false), 8);
	content.len = 0;
	ftrace_events(&content);
	option_number(&options, 17, section(out, 17, &content, false), 8);
	content.len = 0;
	number(&content, 0, 4);
	option_number(&options, 18, section(out, 18, &content, false), 8);
	content.len = 0;
	sized(&content, (const char *)kallsyms->data, kallsyms->len, 4);
	option_number(&options, 19, section(out, 19, &content, false), 8);
	content.len = 0;
	number(&content, 0, 4);
	option_number(&options, 20, section(out, 20, &content, false), 8);
	content.len = 0;
	number(&content, 0, 8);
	option_number(&options, 21, section(out, 21, &content, false), 8);
	option(&options, 4, clock_text, sizeof(clock_text));
	option(&options, 5, uname_text, sizeof(uname_text));
	option_number(&options, 8, 1, 4);

	head = out->len;
	number(out, 3, 2);
	number(out, packs(), 2);
	number(out, 0, 4);
	number(out, 0, 8);
	pad(out);
	at = out->len;
	if (packs()) {
		number(out, 1, 4);
		pack(out, page, PAGE);
		len = out->len - at - 4;
	} else {
		add(out, page, PAGE);
	}
	put64(out->data + head + 8, out->len - head - 16, big);
	number(&buffer, head, 8);
	add(&buffer, "", 1);
	add(&buffer, "local", 6);
	number(&buffer, PAGE, 4);
	number(&buffer, 1, 4);
	number(&buffer, 0, 4);
	number(&buffer, at, 8);
	number(&buffer, len, 8);
	option(&options, 3, buffer.data, buffer.len);
	option_number(&options, 0, 0, 8);
	at = section(out, 0, &options, false);
	put64(out->data + root, at, big);
	free(content.data);
	free(options.data);
	free(buffer.data);
}

static int make(int argc, char **argv)
{
	static unsigned char page[PAGE];
	struct bytes out = { 0 }, kallsyms;

	if (argc < 5)
		return -1;
	big = !strcmp(argv[2], "big");
	packing = argv[3];
	kallsyms = load(argv[4]);
	make_page(page, argc - 5, argv + 5);
	add(&out, "\x17\x08\x44tracing", 10);
	add(&out, argv[1], 2);
	add(&out, big ? "\1\10" : "\0\10", 2);
	number(&out, PAGE, 4);
	if (*argv[1] == '6')
		make_6(&out, &kallsyms, page);
	else
		make_7(&out, &kallsyms, page);
	save(argv[0], &out);
	free(out.data);
	free(kallsyms.data);
	return 0;
}

/* A section in front of all others; without a text it leads to itself. */
static int prepend(const char *in, const char *out, unsigned int id, const char *text)
{
	struct bytes file, options = { 0 };
	uint64_t at;
	size_t p = 18;

	packing = "none";
	file = load(in);
	p += strlen((const char *)file.data + p) + 1;
	p += strlen((const char *)file.data + p) + 1;
	option(&options, id, text, strlen(text) + 1);
	option_number(&options, 0, *text ? get64(file.data + p, false) : file.len, 8);
	at = section(&file, 0, &options, true);
	put64(file.data + p, at, false);
	save(out, &file);
	free(file.data);
	free(options.data);
	return 0;
}

static int add_option(int argc, char **argv)
{
	return argc == 4 ? prepend(argv[0], argv[1], (unsigned int)atoi(argv[2]), argv[3]) : -1;
}

static int loop(int argc, char **argv)
{
	return argc == 2 ? prepend(argv[0], argv[1], 99, "") : -1;
}

/* What is taken away is made up for by what is in front of the events. */
static int bare(int argc, char **argv)
{
	struct bytes file;
	size_t from, to;

	if (argc != 2)
		return -1;
	file = load(argv[0]);
	for (from = 0; memcmp(file.data + from, "options  ", 10); from++)
		if (from + 10 >= file.len)
			die("no options");
	for (to = from; memcmp(file.data + to, "flyrecord", 10); to++)
		;
	memmove(file.data + from, file.data + to, 26);
	memset(file.data + from + 26, 0, to - from);
	save(argv[1], &file);
	free(file.data);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*make)(int argc, char **argv);
	} makers[] = {
		{ "make", make }, { "option", add_option },
		{ "loop", loop },
		{ "bare", bare },
	};
	unsigned int i;

	for (i = 0; argc > 1 && i < sizeof(makers) / sizeof(makers[0]); i++)
		if (!strcmp(makers[i].name, argv[1]) && !makers[i].make(argc - 2, argv + 2))
			return 0;
	fprintf(stderr, "craft-dat: see the head of its source for usage\n");
	return 2;
}
