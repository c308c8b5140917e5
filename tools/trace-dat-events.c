// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel addresses in the events of a trace.dat: what the function tracers say, and the stack
 * traces. Pages of the kernel's ring buffer are in the file as they are, compressed or not
 * (Documentation/trace/ring-buffer-design.rst, include/linux/ring_buffer.h).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "evidence.h"
#include "trace-dat.h"

/* A page begins with the time, and how many bytes of it are used; the events are behind that. */
enum {
	PAGE_TIME = 0,
	PAGE_COMMIT = 8,
	PAGE_DATA = 16,
};

#define COMMIT_MASK	((1u << 27) - 1)

/* The kinds of the ring buffer's events beyond those whose kind is their length in words. */
enum {
	TYPE_LONG = 0,
	TYPE_PADDING = 29,
	TYPE_TIME_EXTEND = 30,
	TYPE_TIME_STAMP = 31,
};

/* Debian's kernels write pages of 4 KiB, or of 64 KiB on powerpc; a larger buffer can be chosen. */
#define PAGE_MIN	512
#define PAGE_MAX	(1u << 20)
/* trace-cmd compresses so much at a time, or somewhat more. */
#define CHUNK_MAX	(16u << 20)
#define FORMATS_MAX	(1u << 20)
#define HEADER_MAX	(64u << 10)

/* As many frames of a stack as are looked at. */
#define CHAIN_MAX	256

/* In front of all that an event says (struct trace_entry); it begins with its number. */
#define ENTRY_SIZE	8

/* Where a stack trace of an older kernel ends. */
#define STACK_END	UINT64_MAX

/* A field of 8 bytes that no event has. */
#define NOWHERE		UINT32_MAX

/**
 * struct shape - where the addresses of an event are
 * @name:	of the event
 * @first:	name of the field with the first one
 * @second:	the same for where that was called from; or NULL
 * @stack:	from the first one on they are all return addresses
 * @id:		of the event, 0 where the kernel had none
 * @first_at:	offset of the field
 * @second_at:	the same; NOWHERE where there is none
 */
struct shape {
	const char *name;
	const char *first;
	const char *second;
	bool stack;
	unsigned int id;
	uint32_t first_at;
	uint32_t second_at;
};

static const struct shape known_shapes[] = {
	{ .name = "function", .first = "ip", .second = "parent_ip" },
	{ .name = "funcgraph_entry", .first = "func" },
	{ .name = "funcgraph_exit", .first = "func" },
	{ .name = "kernel_stack", .first = "caller", .stack = true },
};

/**
 * struct walk - events that are being read
 * @file:	where
 * @ev:		where to; or NULL, and then
 * @facts:	there, until there is no room
 * @shapes:	of those events that matter
 * @page:	bytes of a page of the ring buffer
 * @left:	bytes that may still be looked at
 */
struct walk {
	const struct dat_file *file;
	struct evidence *ev;
	struct facts *facts;
	struct shape shapes[ARRAY_SIZE(known_shapes)];
	size_t page;
	uint64_t left;
};

/*
 * What the events look like
 */

/* "\tfield:TYPE NAME;\toffset:N;\tsize:N;", and the name may be that of an array. */
static bool line_at(const char *line, size_t line_len, const char *name, uint32_t *at)
{
	static const char offset[] = "\toffset:";
	const size_t len = strlen(name);
	const char *stop = memchr(line, ';', line_len), *word = stop, *p;

	if (!stop || strncmp(line, "\tfield:", 7))
		return false;
	if (word[-1] == ']')
		while (word > line && *word != '[')
			word--;
	if ((size_t)(word - line) <= len || memcmp(word - len, name, len) ||
	    !strchr(" *", *(word - len - 1)))
		return false;
	p = memmem(stop, line_len - (size_t)(stop - line), offset, strlen(offset));
	if (!p)
		return false;
	/* Behind the number is at least what ends the line. */
	*at = (uint32_t)strtoul(p + strlen(offset), NULL, 10);
	return *at < PAGE_MAX;
}

static uint32_t field_at(const char *format, const char *name)
{
	const char *line = format;
	uint32_t at;

	for (; *line; line += strspn(line, "\n")) {
		const size_t len = strcspn(line, "\n");

		if (line_at(line, len, name, &at))
			return at;
		line += len;
	}
	return NOWHERE;
}

static void take_format(struct walk *walk, const char *format)
{
	const char *id = strstr(format, "\nID:");
	unsigned int i;

	for (i = 0; id && i < ARRAY_SIZE(walk->shapes); i++) {
		struct shape *shape = &walk->shapes[i];
		const size_t len = strlen(shape->name);

		if (strncmp(format, "name: ", 6) || strncmp(format + 6, shape->name, len) ||
		    format[6 + len] != '\n')
			continue;
		shape->first_at = field_at(format, shape->first);
		shape->second_at = shape->second ? field_at(format, shape->second) : NOWHERE;
		if (shape->first_at != NOWHERE)
			shape->id = (unsigned int)strtoul(id + 4, NULL, 10);
	}
}

/* A number of formats, and each behind its length. */
static int read_shapes(struct walk *walk, struct why *why)
{
	const struct dat_file *file = walk->file;
	unsigned char *data;
	size_t len, at = 4;
	uint32_t nr;

	memcpy(walk->shapes, known_shapes, sizeof(known_shapes));
	if (!file->parts[DAT_FTRACE_EVENTS].at)
		return 0;
	if (dat_content(file, &file->parts[DAT_FTRACE_EVENTS], FORMATS_MAX, &data, &len, why))
		return -1;
	for (nr = len < 4 ? 0 : get32(data, file->big); nr && in_bounds(at, 8, len); nr--) {
		const uint64_t size = get64(data + at, file->big);
		unsigned char next;

		at += 8;
		if (!in_bounds(at, size, len))
			break;
		/* There is room for one more. */
		next = data[at + size];
		data[at + size] = '\0';
		take_format(walk, (const char *)data + at);
		at += size;
		data[at] = next;
	}
	free(data);
	return 0;
}

/*
 * The kernel says how its pages look: "field: local_t commit; offset:8; size:8;" and "field: char
 * data; offset:16; size:4080;". Others than those of a 64-bit kernel are not looked at.
 */
static int read_page_size(struct walk *walk, struct why *why)
{
	const struct dat_file *file = walk->file;
	const char *format, *data, *size;
	unsigned long bytes = 0;
	unsigned char *header;
	size_t len;

	if (!file->parts[DAT_HEADER_INFO].at)
		return 0;
	if (dat_content(file, &file->parts[DAT_HEADER_INFO], HEADER_MAX, &header, &len, why))
		return -1;
	header[len] = '\0';
	/* Behind "header_page" and its length */
	format = len > 20 ? (const char *)header + 20 : "";
	data = strstr(format, " data;\toffset:16;");
	size = data ? strstr(data, "\tsize:") : NULL;
	if (size && strstr(format, " commit;\toffset:8;\tsize:8;"))
		bytes = strtoul(size + strlen("\tsize:"), NULL, 10) + PAGE_DATA;
	free(header);
	if (bytes >= PAGE_MIN && bytes <= PAGE_MAX)
		walk->page = bytes;
	return 0;
}

/*
 * Events
 */

static void take_fact(uint64_t *array, unsigned int *nr, unsigned int room, uint64_t value)
{
	if (*nr < room)
		array[(*nr)++] = value;
}

/* A chain of callers, and behind it a 0; all of it or nothing. */
static void take_callers(struct facts *facts, const uint64_t *chain, size_t nr)
{
	size_t i;

	if (!nr || nr + 1 > FACTS_CALLERS - facts->nr_callers)
		return;
	for (i = 0; i < nr; i++)
		take_fact(facts->callers, &facts->nr_callers, FACTS_CALLERS, chain[i]);
	take_fact(facts->callers, &facts->nr_callers, FACTS_CALLERS, 0);
}

static void take_function(struct walk *walk, uint64_t function, uint64_t caller)
{
	if (walk->ev) {
		evidence_add(walk->ev, function, EVIDENCE_ENTRY);
		if (caller)
			evidence_add(walk->ev, caller, EVIDENCE_RETURN);
		return;
	}
	take_fact(walk->facts->ips, &walk->facts->nr_ips, FACTS_IPS, function);
	if (caller)
		take_callers(walk->facts, &caller, 1);
}

/* Whoever asked for the trace comes first; the others are its callers. */
static void take_stack(struct walk *walk, const unsigned char *p, size_t len)
{
	uint64_t chain[CHAIN_MAX];
	size_t nr = 0;

	for (; len >= 8 && nr < CHAIN_MAX; p += 8, len -= 8) {
		const uint64_t value = get64(p, walk->file->big);

		if (value == STACK_END)
			break;
		/* What an event is rounded up with. */
		if (value)
			chain[nr++] = value;
	}
	if (walk->ev) {
		evidence_chain(walk->ev, chain, nr);
	} else if (nr) {
		take_fact(walk->facts->ips, &walk->facts->nr_ips, FACTS_IPS, chain[0]);
		take_callers(walk->facts, chain + 1, nr - 1);
	}
}

static void take_event(struct walk *walk, const unsigned char *p, size_t len)
{
	const bool big = walk->file->big;
	unsigned int i, id;

	if (len < ENTRY_SIZE)
		return;
	id = get16(p, big);
	for (i = 0; i < ARRAY_SIZE(walk->shapes); i++) {
		const struct shape *shape = &walk->shapes[i];

		if (!shape->id || shape->id != id || !in_bounds(shape->first_at, 8, len))
			continue;
		if (shape->stack)
			take_stack(walk, p + shape->first_at, len - shape->first_at);
		else
			take_function(walk, get64(p + shape->first_at, big),
				      shape->second_at != NOWHERE &&
						      in_bounds(shape->second_at, 8, len) ?
					      get64(p + shape->second_at, big) : 0);
		return;
	}
}

static void take_page(struct walk *walk, const unsigned char *page)
{
	const bool big = walk->file->big;
	const uint64_t time = get64(page + PAGE_TIME, big);
	const size_t used = get64(page + PAGE_COMMIT, big) & COMMIT_MASK;
	const unsigned char *p = page + PAGE_DATA, *end;

	if (used > walk->page - PAGE_DATA)
		return;
	end = p + used;
	if (walk->facts && used && time > walk->facts->last_time)
		walk->facts->last_time = time;
	while (end - p >= 8) {
		const uint32_t head = get32(p, big), word = get32(p + 4, big);
		const unsigned int type = big ? head >> 27 : head & 31;
		size_t len;

		p += 4;
		switch (type) {
		case TYPE_PADDING:
			/* Without a time there is nothing behind it. */
			if (!(big ? head & COMMIT_MASK : head >> 5))
				return;
			len = word;
			break;
		case TYPE_TIME_EXTEND:
		case TYPE_TIME_STAMP:
			len = 4;
			break;
		case TYPE_LONG:
			p += 4;
			len = word < 4 ? 0 : round_up(word - 4, 4);
			break;
		default:
			len = 4 * type;
			break;
		}
		if (len > (size_t)(end - p))
			return;
		if (type == TYPE_LONG || type < TYPE_PADDING)
			take_event(walk, p, len);
		p += len;
	}
}

static bool enough(const struct walk *walk)
{
	return !walk->left || (walk->facts && walk->facts->nr_ips == FACTS_IPS);
}

static void take_pages(struct walk *walk, const unsigned char *data, size_t len)
{
	for (; len >= walk->page && !enough(walk); data += walk->page, len -= walk->page) {
		take_page(walk, data);
		walk->left -= walk->page < walk->left ? walk->page : walk->left;
	}
}

static int take_plain(struct walk *walk, const struct dat_part *cpu, struct why *why)
{
	unsigned char *page = malloc(walk->page);
	uint64_t at;

	if (!page)
		return fail(why, "out of memory");
	for (at = 0; cpu->len - at >= walk->page && !enough(walk); at += walk->page) {
		if (pread_full(walk->file->trace->fd, page, walk->page, cpu->at + at) !=
		    (ssize_t)walk->page)
			break;
		take_pages(walk, page, walk->page);
	}
	/* When it ended: the last page, if that was not reached. */
	at = cpu->len - cpu->len % walk->page;
	if (walk->facts && at >= walk->page &&
	    pread_full(walk->file->trace->fd, page, PAGE_DATA, cpu->at + at - walk->page) ==
		    PAGE_DATA && get64(page + PAGE_COMMIT, walk->file->big) & COMMIT_MASK &&
	    get64(page, walk->file->big) > walk->facts->last_time)
		walk->facts->last_time = get64(page, walk->file->big);
	free(page);
	return 0;
}

/*
 * A number of chunks; each begins with its length, and that of its contents. What the file says is
 * the length of all counts the chunks only.
 */
static int take_packed(struct walk *walk, const struct dat_part *cpu, struct why *why)
{
	const struct dat_file *file = walk->file;
	uint64_t at = cpu->at + 4;
	unsigned char head[8];
	uint32_t nr;
	int err = 0;

	if (!cpu->len || pread_full(file->trace->fd, head, 4, cpu->at) != 4)
		return 0;
	for (nr = get32(head, file->big); !err && nr && !enough(walk); nr--) {
		unsigned char *packed, *plain;
		size_t len, want;

		if (pread_full(file->trace->fd, head, sizeof(head), at) != sizeof(head))
			break;
		at += sizeof(head);
		len = get32(head, file->big);
		want = get32(head + 4, file->big);
		if (!in_bounds(at, len, file->trace->size) || want > CHUNK_MAX || len > CHUNK_MAX)
			return fail(why, "its compressed events are damaged");
		packed = malloc(len + 1);
		plain = malloc(want + 1);
		if (!packed || !plain)
			err = fail(why, "out of memory");
		else if (pread_full(file->trace->fd, packed, len, at) != (ssize_t)len ||
			 dat_unpack(file, packed, len, plain, &want))
			err = fail(why, "its compressed events are damaged");
		else
			take_pages(walk, plain, want);
		free(packed);
		free(plain);
		at += len;
		/* What does not yield a page costs as well. */
		walk->left -= walk->left < sizeof(head) ? walk->left : sizeof(head);
	}
	return err;
}

static int walk_events(struct walk *walk, struct why *why)
{
	size_t i;

	if (read_page_size(walk, why) || read_shapes(walk, why))
		return -1;
	for (i = 0; walk->page && i < walk->file->nr_cpus; i++) {
		const struct dat_part *cpu = &walk->file->cpus[i];

		if (cpu->packed ? take_packed(walk, cpu, why) : take_plain(walk, cpu, why))
			return -1;
	}
	return 0;
}

/**
 * dat_evidence - the kernel addresses in the events of a trace.dat
 * @trace:	the file
 * @ev:		where to
 * @limit:	bytes of events that are looked at
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int dat_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit, struct why *why)
{
	struct walk walk = { .ev = ev, .left = limit };
	struct dat_file file;
	int err;

	if (dat_open(&file, trace, NULL, why))
		return -1;
	walk.file = &file;
	err = walk_events(&walk, why);
	dat_close(&file);
	return err;
}

/* As much as is looked at for what a file says of itself. */
#define FACTS_BYTES	(8u << 20)

/**
 * dat_first_events - the first kernel addresses in a trace.dat, and its last time
 * @file:	open
 * @facts:	gets them
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int dat_first_events(const struct dat_file *file, struct facts *facts, struct why *why)
{
	struct walk walk = { .file = file, .facts = facts, .left = FACTS_BYTES };

	return walk_events(&walk, why);
}
