/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader of trace.dat sees in a little-endian file: each part of its header, each option
 * and what it leads to, the events of each processor; wherever in the file these things are. What
 * is compressed is taken as it is. Written apart from trace-dat.c, so that the two do not err
 * together.
 */
#ifndef KRELOC_TESTS_VIEW_DAT_H
#define KRELOC_TESTS_VIEW_DAT_H

#include <stdio.h>
#include <string.h>

#include "bytes.h"

static inline unsigned long long view_hash(const unsigned char *p, uint64_t len);

/**
 * struct view_dat - a file that is looked at
 * @out:	what is seen
 * @p:		the file
 * @len:	bytes of it
 * @bad:	something is beyond its end
 */
struct view_dat {
	FILE *out;
	const unsigned char *p;
	uint64_t len;
	bool bad;
};

static inline uint64_t view_number(struct view_dat *v, uint64_t at, unsigned int len)
{
	if (!in_bounds(at, len, v->len)) {
		v->bad = true;
		return 0;
	}
	return get_bytes(v->p + at, len, false);
}

static inline void view_part(struct view_dat *v, const char *what, unsigned int id, uint64_t at,
			     uint64_t len)
{
	if (!in_bounds(at, len, v->len)) {
		v->bad = true;
		return;
	}
	fprintf(v->out, "%s %u size %llu %016llx\n", what, id, (unsigned long long)len,
		view_hash(v->p + at, len));
}

/* In kreloc's is also when it was stamped; a block at 24 has the address at 48. */
static inline void view_option(struct view_dat *v, unsigned int id, uint64_t at, uint64_t len)
{
	if (id == 0x4b52)
		fprintf(v->out, "option %u size %llu text 0x%016llx\n", id, (unsigned long long)len,
			(unsigned long long)view_number(v, at + 24 + 48, 8));
	else
		view_part(v, "option", id, at, len);
}

/* A number of bytes, and that many. Returns where they end. */
static inline uint64_t view_sized(struct view_dat *v, const char *what, uint64_t at,
				  unsigned int number)
{
	const uint64_t len = view_number(v, at, number);

	view_part(v, what, 0, at + number, len);
	return v->bad ? v->len : at + number + len;
}

/* The functions that are known: lines up to a NUL. */
static inline uint64_t view_kallsyms(struct view_dat *v, uint64_t at)
{
	const uint64_t len = view_number(v, at, 4);
	const unsigned char *end;

	if (v->bad || !in_bounds(at + 4, len, v->len)) {
		v->bad = true;
		return v->len;
	}
	end = memchr(v->p + at + 4, '\0', len);
	view_part(v, "kallsyms", 0, at + 4, end ? (uint64_t)(end - v->p) - at - 4 : len);
	return at + 4 + len;
}

/*
 * Version 7
 */

static inline void view_buffer(struct view_dat *v, uint64_t at, uint64_t len)
{
	const bool packed = view_number(v, view_number(v, at, 8) + 2, 2);
	uint64_t p = at + 8, nr;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		fprintf(v->out, "buffer \"%.20s\"\n", v->p + p);
		p += strlen((const char *)v->p + p) + 1;
	}
	for (nr = view_number(v, p + 4, 4), p += 8; !v->bad && nr-- && p < at + len; p += 20)
		view_part(v, "cpu", (unsigned int)view_number(v, p, 4), view_number(v, p + 4, 8),
			  view_number(v, p + 12, 8) +
				  (packed && view_number(v, p + 12, 8) ? 4 : 0));
}

static inline void view_option_7(struct view_dat *v, unsigned int id, uint64_t at, uint64_t len)
{
	const uint64_t to = id == 3 || (id >= 16 && id <= 22) ? view_number(v, at, 8) : 0;

	if (id == 3)
		view_buffer(v, at, len);
	else if (id == 19 && !view_number(v, to + 2, 2))
		view_kallsyms(v, to + 16);
	else if (to)
		view_part(v, "section", id, to + 16, view_number(v, to + 8, 8));
	else
		view_option(v, id, at, len);
}

static inline void view_7(struct view_dat *v, uint64_t at)
{
	unsigned int i, id, sections;

	/* Two names */
	for (i = 0; i < 2; i++)
		at += strnlen((const char *)v->p + at, v->len - at) + 1;
	at = view_number(v, at, 8);
	for (sections = 0; at && !v->bad && sections < 100; sections++) {
		for (at += 16; !v->bad; ) {
			const uint64_t len = view_number(v, at + 2, 4);

			id = (unsigned int)view_number(v, at, 2);
			at += 6;
			if (!id)
				break;
			if (in_bounds(at, len, v->len))
				view_option_7(v, id, at, len);
			else
				v->bad = true;
			at += len;
		}
		at = view_number(v, at, 8);
	}
}

/*
 * Version 6
 */

static inline uint64_t view_table(struct view_dat *v, uint64_t at, uint64_t nr)
{
	if (in_bounds(at, 10, v->len) && !memcmp(v->p + at, "latency", 7)) {
		view_part(v, "text", 0, at, v->len - at);
		return v->len;
	}
	if (!in_bounds(at, 10, v->len) || memcmp(v->p + at, "flyrecord", 10))
		v->bad = true;
	for (at += 10; nr-- && !v->bad; at += 16)
		/* Mapped by pages */
		view_part(v, view_number(v, at, 8) % 4096 ? "cpu within a page" : "cpu", 0,
			  view_number(v, at, 8), view_number(v, at + 8, 8));
	return at;
}

static inline void view_6(struct view_dat *v, uint64_t at)
{
	uint64_t buffers[16], nr, n;
	unsigned int nr_buffers = 0, i;

	at = view_sized(v, "page header", at + 12, 8);
	at = view_sized(v, "event header", at + 13, 8);
	for (n = view_number(v, at, 4), at += 4; n-- && !v->bad; )
		at = view_sized(v, "ftrace event", at, 8);
	for (nr = view_number(v, at, 4), at += 4; nr-- && !v->bad; ) {
		at += strnlen((const char *)v->p + at, v->len - at) + 1;
		for (n = view_number(v, at, 4), at += 4; n-- && !v->bad; )
			at = view_sized(v, "event", at, 8);
	}
	at = view_kallsyms(v, at);
	at = view_sized(v, "printk", at, 4);
	at = view_sized(v, "comms", at, 8);
	nr = view_number(v, at, 4);
	at += 4;
	if (in_bounds(at, 10, v->len) && !memcmp(v->p + at, "options", 7)) {
		for (at += 10; !v->bad && view_number(v, at, 2); at += n + 6) {
			const unsigned int id = (unsigned int)view_number(v, at, 2);

			n = view_number(v, at + 2, 4);
			if (id == 3 && nr_buffers < 16)
				buffers[nr_buffers++] = view_number(v, at + 6, 8);
			view_option(v, id, id == 3 ? at + 14 : at + 6, id == 3 ? n - 8 : n);
		}
		at += 2;
	}
	view_table(v, at, nr);
	for (i = 0; i < nr_buffers; i++)
		view_table(v, buffers[i], nr);
}

static inline bool view_dat(FILE *out, const unsigned char *p, size_t len)
{
	struct view_dat v = { .out = out, .p = p, .len = len };

	if (len < 20)
		return false;
	fprintf(out, "version %c\n", p[10]);
	if (p[10] == '6')
		view_6(&v, 18);
	else
		view_7(&v, 18);
	return !v.bad;
}

#endif /* KRELOC_TESTS_VIEW_DAT_H */
