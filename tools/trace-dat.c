// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens a trace.dat: finds its parts, its options and, in version 6, all places that it names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "bytes.h"
#include "trace-dat.h"

/* The file's header is read at once; it is less than a tenth of that. */
#define HEAD_MAX	512

/* Limits on what is read, so that the time does not depend on the file. */
#define OPTIONS_MAX	(4u << 20)
#define OPTION_SECTIONS	64
#define CPUS_MAX	(1u << 16)
#define EVENTS_MAX	(1u << 16)

/* A compressed section or chunk begins with its two lengths. */
#define PACKED_HEAD	8

/* As much as a chunk of trace data holds at most; trace-cmd makes them of some pages. */
#define UNPACK_RATIO	1024

static uint64_t where(const struct dat_file *file, uint64_t at)
{
	return file->move ? moved(file->move, at) : at;
}

static void note_end(struct dat_file *file, uint64_t end)
{
	if (end > file->end)
		file->end = end;
}

/* A number of @len bytes at *@at, which goes behind it. */
static int read_number(const struct dat_file *file, uint64_t *at, unsigned int len,
		       uint64_t *value, struct why *why)
{
	unsigned char buf[8];

	if (trace_read(file->trace, buf, len, *at, why))
		return -1;
	*value = get_bytes(buf, len, file->big);
	*at += len;
	return 0;
}

/**
 * dat_unpack - decompress
 * @file:	knows how
 * @from:	compressed
 * @from_len:	bytes
 * @to:		room
 * @to_len:	bytes of it; how many are used, afterwards
 *
 * Return: 0, or -1 where they are damaged or do not fit.
 */
int dat_unpack(const struct dat_file *file, const unsigned char *from, size_t from_len,
	       unsigned char *to, size_t *to_len)
{
	uLongf len = *to_len;
	size_t got;

	switch (file->packing) {
	case DAT_ZLIB:
		if (uncompress(to, &len, from, from_len) != Z_OK)
			return -1;
		*to_len = len;
		return 0;
	case DAT_ZSTD:
		got = ZSTD_decompress(to, *to_len, from, from_len);
		if (ZSTD_isError(got))
			return -1;
		*to_len = got;
		return 0;
	default:
		return -1;
	}
}

static int unpack_part(const struct dat_file *file, const struct dat_part *part, size_t max,
		       unsigned char **data, size_t *len, struct why *why)
{
	unsigned char *packed, head[PACKED_HEAD];
	size_t packed_len, want;

	if (file->packing != DAT_ZLIB && file->packing != DAT_ZSTD)
		return fail(why, "is compressed in a way that kreloc does not know");
	if (part->len < sizeof(head) || trace_read(file->trace, head, sizeof(head), part->at, why))
		return fail(why, "is damaged: a compressed section is cut short");
	packed_len = get32(head, file->big);
	want = get32(head + 4, file->big);
	if (packed_len > part->len - sizeof(head) || want > max ||
	    want / UNPACK_RATIO > packed_len)
		return fail(why, "is damaged: the lengths of a compressed section are impossible");
	packed = malloc(packed_len + 1);
	*data = malloc(want + 1);
	*len = want;
	if (!packed || !*data) {
		explain(why, "out of memory");
		goto err;
	}
	if (trace_read(file->trace, packed, packed_len, part->at + sizeof(head), why))
		goto err;
	if (dat_unpack(file, packed, packed_len, *data, len)) {
		explain(why, "is damaged: a compressed section cannot be unpacked");
		goto err;
	}
	free(packed);
	return 0;
err:
	free(packed);
	free(*data);
	*data = NULL;
	return -1;
}

/**
 * dat_content - what is in a part of the file
 * @file:	open
 * @part:	of it
 * @max:	bytes at most: of what is not compressed, only so much is read
 * @data:	the caller frees it; there is room for one byte more
 * @len:	how many
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int dat_content(const struct dat_file *file, const struct dat_part *part, size_t max,
		unsigned char **data, size_t *len, struct why *why)
{
	if (part->packed)
		return unpack_part(file, part, max, data, len, why);
	*len = part->len < max ? part->len : max;
	*data = malloc(*len + 1);
	if (!*data)
		return fail(why, "out of memory");
	if (!trace_read(file->trace, *data, *len, part->at, why))
		return 0;
	free(*data);
	*data = NULL;
	return -1;
}

/**
 * dat_next - the options one after the other
 * @file:	open
 * @option:	starts with zeros
 *
 * Return: whether there is another.
 */
bool dat_next(const struct dat_file *file, struct dat_option *option)
{
	size_t at = option->data ? (size_t)(option->data - file->options) + option->len : 0;

	if (!file->options || !in_bounds(at, DAT_OPTION_HEAD, file->options_len))
		return false;
	option->id = get16(file->options + at, file->big);
	option->len = get32(file->options + at + 2, file->big);
	option->data = file->options + at + DAT_OPTION_HEAD;
	return true;
}

/**
 * dat_find - the last option of a kind, which is the one that counts
 * @file:	open
 * @id:		of the option
 * @option:	filled where there is one
 *
 * Return: whether there is.
 */
bool dat_find(const struct dat_file *file, unsigned int id, struct dat_option *option)
{
	struct dat_option next = { 0 };
	bool found = false;

	while (dat_next(file, &next)) {
		if (next.id != id)
			continue;
		*option = next;
		found = true;
	}
	return found;
}

static int add_place(struct dat_file *file, uint64_t at, struct why *why)
{
	uint64_t *more;

	if (file->nr_places & (file->nr_places - 1)) {
		file->places[file->nr_places++] = at;
		return 0;
	}
	/* A power of two is full, and 0. */
	more = realloc(file->places, (file->nr_places ? 2 * file->nr_places : 1) * sizeof(*more));
	if (!more)
		return fail(why, "out of memory");
	file->places = more;
	file->places[file->nr_places++] = at;
	return 0;
}

static int add_cpu(struct dat_file *file, uint64_t at, uint64_t len, bool packed, struct why *why)
{
	struct dat_part *more;

	if (!in_bounds(at, len, file->trace->size))
		return fail(why, "is truncated: the events of a processor are beyond its end");
	note_end(file, at + len);
	if (!(file->nr_cpus & (file->nr_cpus - 1))) {
		more = realloc(file->cpus,
			       (file->nr_cpus ? 2 * file->nr_cpus : 1) * sizeof(*more));
		if (!more)
			return fail(why, "out of memory");
		file->cpus = more;
	}
	file->cpus[file->nr_cpus++] = (struct dat_part){ .at = at, .len = len, .packed = packed };
	return 0;
}

/*
 * Version 7
 */

/* @part gets what is behind the head of the section at @at. */
static int read_section(struct dat_file *file, uint64_t at, unsigned int id,
			struct dat_part *part, struct why *why)
{
	unsigned char head[DAT_SECTION_HEAD];

	if (!in_bounds(at, sizeof(head), file->trace->size))
		return fail(why, "is truncated: section %u is beyond its end", id);
	if (trace_read(file->trace, head, sizeof(head), at, why))
		return -1;
	if (get16(head, file->big) != id)
		return fail(why, "is damaged: where section %u should be is none", id);
	part->at = at + sizeof(head);
	part->packed = get16(head + 2, file->big) & 1;
	part->title = get32(head + 4, file->big);
	part->len = get64(head + 8, file->big);
	if (!in_bounds(part->at, part->len, file->trace->size))
		return fail(why, "is truncated: section %u is beyond its end", id);
	note_end(file, part->at + part->len);
	return 0;
}

/* Adds those of one section, and says where the next one is, or 0. */
static int take_options(struct dat_file *file, const unsigned char *data, size_t len,
			uint64_t *next, struct why *why)
{
	size_t at = 0;

	*next = 0;
	while (in_bounds(at, DAT_OPTION_HEAD, len)) {
		const unsigned int id = get16(data + at, file->big);
		const size_t size = get32(data + at + 2, file->big);
		const size_t whole = DAT_OPTION_HEAD + size;

		if (!in_bounds(at + DAT_OPTION_HEAD, size, len))
			break;
		if (id == DAT_DONE) {
			if (size < 8)
				break;
			*next = get64(data + at + DAT_OPTION_HEAD, file->big);
			return 0;
		}
		memcpy(file->options + file->options_len, data + at, whole);
		file->options_len += whole;
		at += whole;
	}
	return fail(why, "is damaged: its options have no end");
}

static int read_options(struct dat_file *file, struct why *why)
{
	uint64_t at = file->first, next;
	unsigned int sections;

	for (sections = 0; at; sections++, at = next) {
		unsigned char *data, *more;
		struct dat_part part;
		size_t len;
		int err;

		if (sections == OPTION_SECTIONS)
			return fail(why, "is damaged: its options have no end");
		if (read_section(file, at, DAT_DONE, &part, why))
			return -1;
		file->parts[DAT_DONE] = part;
		if (dat_content(file, &part, OPTIONS_MAX, &data, &len, why))
			return -1;
		more = file->options_len + len <= OPTIONS_MAX ?
			realloc(file->options, file->options_len + len + 1) : NULL;
		if (!more) {
			free(data);
			return fail(why, "has more options than kreloc can handle");
		}
		file->options = more;
		err = take_options(file, data, len, &next, why);
		free(data);
		if (err)
			return -1;
	}
	return 0;
}

/* Place, name, clock, size of a page, processors; of each of these its number, place and length. */
static int read_buffer(struct dat_file *file, const struct dat_option *option, struct why *why)
{
	const unsigned char *p = option->data, *const end = p + option->len;
	struct dat_part part;
	unsigned int i;
	uint32_t nr;

	if (option->len < 8)
		return fail(why, "is damaged: a buffer of it is nowhere");
	if (read_section(file, get64(p, file->big), option->id, &part, why))
		return -1;
	if (option->id == DAT_BUFFER_TEXT)
		return 0;
	p += 8;
	for (i = 0; i < 2; i++) {
		p = memchr(p, '\0', end - p);
		if (!p)
			return fail(why, "is damaged: a buffer of it has no name");
		p++;
	}
	if (end - p < 8)
		return fail(why, "is damaged: a buffer of it has no processors");
	nr = get32(p + 4, file->big);
	p += 8;
	if (nr > (size_t)(end - p) / 20 || file->nr_cpus + nr > CPUS_MAX)
		return fail(why, "is damaged: a buffer of it has impossibly many processors");
	for (; nr--; p += 20)
		if (add_cpu(file, get64(p + 4, file->big), get64(p + 12, file->big), part.packed,
			    why))
			return -1;
	return 0;
}

static int open_7(struct dat_file *file, struct why *why)
{
	struct dat_option option = { 0 };

	if (read_options(file, why))
		return -1;
	while (dat_next(file, &option)) {
		if (option.id == DAT_BUFFER || option.id == DAT_BUFFER_TEXT) {
			if (read_buffer(file, &option, why))
				return -1;
		} else if (option.id >= DAT_HEADER_INFO && option.id <= DAT_CMDLINES &&
			   option.len >= 8) {
			if (read_section(file, get64(option.data, file->big), option.id,
					 &file->parts[option.id], why))
				return -1;
		}
	}
	return 0;
}

/*
 * Version 6
 */

/* A number of @len bytes, and as many bytes. */
static int skip_sized(const struct dat_file *file, uint64_t *at, unsigned int len, struct why *why)
{
	uint64_t size;

	if (read_number(file, at, len, &size, why))
		return -1;
	if (!in_bounds(*at, size, file->trace->size))
		return fail(why, "is truncated: it ends within its header");
	*at += size;
	return 0;
}

static int skip_text(const struct dat_file *file, uint64_t *at, const char *text, size_t len,
		     struct why *why)
{
	char buf[16];

	if (trace_read(file->trace, buf, len, *at, why))
		return -1;
	if (memcmp(buf, text, len))
		return fail(why, "is damaged: there is no %s in it", text);
	*at += len;
	return 0;
}

static int skip_string(const struct dat_file *file, uint64_t *at, struct why *why)
{
	char buf[256];
	const ssize_t n = pread_full(file->trace->fd, buf, sizeof(buf), *at);
	const char *end = n > 0 ? memchr(buf, '\0', (size_t)n) : NULL;

	if (!end)
		return fail(why, "is damaged: the name of a kind of events has no end");
	*at += (uint64_t)(end - buf) + 1;
	return 0;
}

static int skip_files(const struct dat_file *file, uint64_t *at, unsigned int *left,
		      struct why *why)
{
	uint64_t nr;

	if (read_number(file, at, 4, &nr, why))
		return -1;
	if (nr > *left)
		return fail(why, "has more events than kreloc can handle");
	*left -= (unsigned int)nr;
	while (nr--)
		if (skip_sized(file, at, 8, why))
			return -1;
	return 0;
}

static int skip_formats(struct dat_file *file, uint64_t *at, struct why *why)
{
	unsigned int left = EVENTS_MAX;
	uint64_t nr;

	file->parts[DAT_HEADER_INFO].at = *at;
	if (skip_text(file, at, "header_page", 12, why) || skip_sized(file, at, 8, why) ||
	    skip_text(file, at, "header_event", 13, why) || skip_sized(file, at, 8, why))
		return -1;
	file->parts[DAT_HEADER_INFO].len = *at - file->parts[DAT_HEADER_INFO].at;
	file->parts[DAT_FTRACE_EVENTS].at = *at;
	if (skip_files(file, at, &left, why))
		return -1;
	file->parts[DAT_FTRACE_EVENTS].len = *at - file->parts[DAT_FTRACE_EVENTS].at;
	if (read_number(file, at, 4, &nr, why))
		return -1;
	if (nr > left)
		return fail(why, "has more events than kreloc can handle");
	while (nr--)
		if (skip_string(file, at, why) || skip_files(file, at, &left, why))
			return -1;
	return 0;
}

/* From the tag of the options to that of the data. */
static int read_options_6(struct dat_file *file, uint64_t *at, struct why *why)
{
	const uint64_t start = *at;
	uint64_t id;

	for (;;) {
		file->options_end = *at;
		if (read_number(file, at, 2, &id, why))
			return -1;
		if (id == DAT_DONE)
			break;
		if (skip_sized(file, at, 4, why))
			return -1;
		if (*at - start > OPTIONS_MAX)
			return fail(why, "has more options than kreloc can handle");
	}
	file->options_at = start;
	file->options_len = file->options_end - start;
	file->options = malloc(file->options_len + 1);
	if (!file->options)
		return fail(why, "out of memory");
	return trace_read(file->trace, file->options, file->options_len, start, why);
}

/* Where the events of each processor are, and how long. */
static int read_table_6(struct dat_file *file, uint64_t at, uint64_t nr, struct why *why)
{
	uint64_t data, len;

	if (nr > CPUS_MAX - file->nr_cpus)
		return fail(why, "is damaged: it has an impossible number of processors");
	while (nr--) {
		if (add_place(file, at, why) || read_number(file, &at, 8, &data, why) ||
		    read_number(file, &at, 8, &len, why) ||
		    add_cpu(file, where(file, data), len, false, why))
			return -1;
	}
	note_end(file, at);
	return 0;
}

/* A text of the latency tracers goes on to the end of the file. */
static int read_data_6(struct dat_file *file, uint64_t at, uint64_t nr, struct why *why)
{
	char tag[DAT_TAG];

	if (trace_read(file->trace, tag, sizeof(tag), at, why))
		return -1;
	if (!memcmp(tag, "latency", 7))
		note_end(file, file->trace->size);
	else if (!memcmp(tag, "flyrecord", 9))
		return read_table_6(file, at + sizeof(tag), nr, why);
	else
		return fail(why, "is damaged: there are no events in it");
	return 0;
}

static int open_6(struct dat_file *file, uint64_t at, struct why *why)
{
	struct dat_part *const kallsyms = &file->parts[DAT_KALLSYMS];
	struct dat_option option = { 0 };
	char tag[DAT_TAG];
	uint64_t nr;

	if (skip_formats(file, &at, why))
		return -1;
	kallsyms->at = at;
	if (skip_sized(file, &at, 4, why))
		return -1;
	kallsyms->len = at - kallsyms->at;
	if (skip_sized(file, &at, 4, why) || skip_sized(file, &at, 8, why) ||
	    read_number(file, &at, 4, &nr, why) || trace_read(file->trace, tag, sizeof(tag), at, why))
		return -1;
	file->options_end = at;
	if (!memcmp(tag, "options", 7)) {
		at += sizeof(tag);
		if (read_options_6(file, &at, why))
			return -1;
	}
	if (dat_find(file, DAT_CPUCOUNT, &option) && option.len == 4)
		nr = get32(option.data, file->big);
	if (read_data_6(file, at, nr, why))
		return -1;

	memset(&option, 0, sizeof(option));
	while (dat_next(file, &option)) {
		uint64_t buffer;

		if (option.id != DAT_BUFFER || option.len < 8)
			continue;
		buffer = where(file, get64(option.data, file->big));
		if (buffer <= file->options_end)
			return fail(why, "is damaged: a buffer of it is within its options");
		if (add_place(file, file->options_at + (size_t)(option.data - file->options),
			      why) ||
		    read_data_6(file, buffer, nr, why))
			return -1;
	}
	return 0;
}

/* Magic, version, byte order, size of a long, of a page; and in version 7 the compression. */
static int read_head(struct dat_file *file, uint64_t *at, struct why *why)
{
	unsigned char head[HEAD_MAX + 1];
	const unsigned char *p = head + DAT_MAGIC_LEN, *end;
	const ssize_t n = pread_full(file->trace->fd, head, HEAD_MAX, 0);
	const char *name;

	if (n < 0)
		return fail(why, "%s", strerror(errno));
	head[n] = '\0';
	end = head + n;
	if (end - p < 8)
		return fail(why, "is truncated: it ends within the header");
	if (p[1] || (p[0] != '6' && p[0] != '7'))
		return fail(why, "is a trace.dat of version %.8s, and kreloc knows 6 and 7", p);
	file->version = p[0] - '0';
	file->big = p[2];
	file->page_size = get32(p + 4, file->big);
	p += 8;
	*at = (uint64_t)(p - head);
	if (file->version == 6)
		return 0;

	name = (const char *)p;
	p += strlen(name) + 1;
	if (p < end)
		p += strlen((const char *)p) + 1;
	if (end - p < 8)
		return fail(why, "is truncated: it ends within the header");
	file->packing = !strcmp(name, "none") ? DAT_PLAIN :
			!strcmp(name, "zlib") ? DAT_ZLIB :
			!strcmp(name, "zstd") ? DAT_ZSTD : DAT_UNKNOWN;
	file->root = (uint64_t)(p - head);
	file->first = get64(p, file->big);
	return 0;
}

/**
 * dat_open - find out what is where in a trace.dat
 * @file:	filled on success, then to be closed with dat_close()
 * @trace:	the file
 * @move:	where it is a copy with gaps whose places are still those of the original; or NULL
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int dat_open(struct dat_file *file, const struct trace *trace, const struct move *move,
	     struct why *why)
{
	uint64_t at;

	memset(file, 0, sizeof(*file));
	file->trace = trace;
	file->move = move;
	if (!read_head(file, &at, why) &&
	    !(file->version == 7 ? open_7(file, why) : open_6(file, at, why)))
		return 0;
	dat_close(file);
	return -1;
}

/**
 * dat_close - free what dat_open() gave
 * @file:	opened
 */
void dat_close(struct dat_file *file)
{
	free(file->options);
	free(file->cpus);
	free(file->places);
	memset(file, 0, sizeof(*file));
}
