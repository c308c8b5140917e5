// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finds kernel addresses in a stream of any text and says what they are; all else passes as it is.
 *
 * An address is a word of 16 hexadecimal digits, with 0x before them or without. Kernel addresses
 * need all 16, and anything longer is a hash or the like. Whatever was read is written at once, so
 * that the output of a program that still runs can be followed; only a word that the end of a read
 * cut in two waits for its other half.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"
#include "trace.h"

#define IN_SIZE		(1u << 20)
#define OUT_SIZE	(1u << 20)
#define DIGITS		16
/* A longer word is no address. */
#define WORD_MAX	(2 + DIGITS)
/* What is shown of a name; the kernel's own limit is 512 (KSYM_NAME_LEN). */
#define NAME_LEN	512
/* Room for an annotation: two names, two numbers and what is between them. */
#define ANNOTATION_MAX	(2 * NAME_LEN + 128)

/**
 * struct filter - a stream on its way
 * @resolver:	knows what addresses are
 * @raw:	link addresses take the place of run-time addresses
 * @in_word:	what is next continues a word that was too long
 * @fd:		where the output goes
 * @out:	OUT_SIZE bytes that are still to be written
 * @len:	how many
 * @error:	errno of a failed write, and no more are made
 */
struct filter {
	struct resolver *resolver;
	bool raw;
	bool in_word;
	int fd;
	char *out;
	size_t len;
	int error;
};

/*
 * Of each character: 0 to 15 as a digit, WORD for others that words have, OTHER. And of each byte
 * its two digits.
 */
enum {
	WORD = 16,
	OTHER = 32,
};

static unsigned char kinds[256];
static char pairs[256][2];

/* Bytes of other scripts count as letters: a word with one is no address. */
static void make_tables(void)
{
	static const char digits[] = "0123456789abcdef";
	unsigned int c;

	for (c = 0; c < ARRAY_SIZE(kinds); c++) {
		pairs[c][0] = digits[c >> 4];
		pairs[c][1] = digits[c & 15];
		if (c < 0x80 && isxdigit((int)c))
			kinds[c] = (unsigned char)(isdigit((int)c) ? c - '0' :
								     (c | 0x20) - 'a' + 10);
		else if (c >= 0x80 || isalpha((int)c) || c == '_')
			kinds[c] = WORD;
		else
			kinds[c] = OTHER;
	}
}

static unsigned char kind(char c)
{
	return kinds[(unsigned char)c];
}

static void write_out(struct filter *filter, const char *data, size_t len)
{
	while (len && !filter->error) {
		ssize_t n = write(filter->fd, data, len);

		if (n < 0 && errno != EINTR)
			filter->error = errno;
		if (n > 0) {
			data += n;
			len -= (size_t)n;
		}
	}
}

static void flush(struct filter *filter)
{
	write_out(filter, filter->out, filter->len);
	filter->len = 0;
}

static void put(struct filter *filter, const char *data, size_t len)
{
	if (len > OUT_SIZE - filter->len)
		flush(filter);
	if (len > OUT_SIZE) {
		write_out(filter, data, len);
		return;
	}
	memcpy(filter->out + filter->len, data, len);
	filter->len += len;
}

static char *put_address(char *p, uint64_t addr)
{
	unsigned int shift;

	for (shift = 64; shift; shift -= 8, p += 2)
		memcpy(p, pairs[addr >> (shift - 8) & 255], 2);
	return p;
}

/* Without leading zeros, as "+0x1f". */
static char *put_offset(char *p, uint64_t offset)
{
	unsigned int shift = offset ? 64 - (unsigned int)__builtin_clzll(offset) : 1;

	*p++ = '+';
	*p++ = '0';
	*p++ = 'x';
	for (shift = (shift + 3) & ~3u; shift; shift -= 4)
		*p++ = pairs[offset >> (shift - 4) & 15][1];
	return p;
}

/* Names come from a file: no control characters. */
static char *put_name(char *p, const char *name)
{
	const char *const end = p + NAME_LEN;
	unsigned char c;

	for (; (c = (unsigned char)*name) && p < end; name++, p++) {
		*p = *name;
		if (c < ' ' || c == 0x7f)
			*p = '?';
	}
	return p;
}

/*
 * " [ffffffff81234567 name+0x89]", in a module " [name+0x89 module]". The link address is written
 * as the address before it is.
 */
static void annotate(struct filter *filter, const struct resolved *resolved, bool prefix)
{
	char *p;

	if (filter->len + ANNOTATION_MAX > OUT_SIZE)
		flush(filter);
	p = filter->out + filter->len;
	*p++ = ' ';
	*p++ = '[';
	if (resolved->as != RESOLVED_MODULE) {
		if (prefix) {
			*p++ = '0';
			*p++ = 'x';
		}
		p = put_address(p, resolved->link);
		*p++ = ' ';
	}
	if (resolved->name) {
		p = put_name(p, resolved->name);
		p = put_offset(p, resolved->offset);
	}
	if (resolved->local_entry)
		p = stpcpy(p, " local entry");
	if (resolved->module) {
		if (resolved->name)
			*p++ = ' ';
		p = put_name(p, resolved->module);
		if (!resolved->name)
			p = put_offset(p, resolved->offset);
	} else if (!resolved->name) {
		*p++ = '?';
	}
	*p++ = ']';
	filter->len = (size_t)(p - filter->out);
}

/* A word with the digits of an address at its end; *from is what has been passed on so far. */
static void found(struct filter *filter, const char **from, const char *digits, uint64_t addr,
		  bool prefix)
{
	const char *const end = digits + DIGITS;
	struct resolved resolved;

	resolve(filter->resolver, addr, &resolved);
	if (resolved.as == RESOLVED_NOT)
		return;
	if (!filter->raw) {
		put(filter, *from, end - *from);
		annotate(filter, &resolved, prefix);
	} else if (resolved.as == RESOLVED_MOVED) {
		char link[DIGITS];

		put(filter, *from, digits - *from);
		put_address(link, resolved.link);
		put(filter, link, sizeof(link));
	} else {
		return;
	}
	*from = end;
}

/* Returns how much of it is done; the rest is the begin of a word, which may go on. */
static size_t scan(struct filter *filter, const char *text, size_t len, bool last)
{
	const char *p = text, *from = text, *const end = text + len;

	while (p < end && filter->in_word) {
		filter->in_word = kind(*p) != OTHER;
		p += filter->in_word;
	}
	while (p < end) {
		const char *word = p, *digits = p;
		unsigned char all = 0, k;
		uint64_t addr = 0;

		if (kind(*p) == OTHER) {
			p++;
			continue;
		}
		if (end - p > 2 && p[0] == '0' && (p[1] | 0x20) == 'x')
			digits = p += 2;
		for (; p < end && (k = kind(*p)) != OTHER; p++) {
			all |= k;
			addr = addr << 4 | (k & 15);
		}
		if (p == end && !last) {
			filter->in_word = p - word > WORD_MAX;
			if (!filter->in_word)
				p = word;
			break;
		}
		if (p - digits == DIGITS && !(all & WORD))
			found(filter, &from, digits, addr, digits != word);
	}
	put(filter, from, p - from);
	return (size_t)(p - text);
}

/* Where a stamp begins in a text. */
static const char mark[] = "\n# kreloc: layout: ";

#define MARK_LEN	(sizeof(mark) - 1)

/* Texts one behind the other, each with a stamp: the offset of the first is not that of all. */
static bool has_mark(const char *seen, size_t len)
{
	return memmem(seen, len, mark, MARK_LEN);
}

static int copy(struct filter *filter, const struct filter_in *in, char *buf, struct why *why)
{
	/* The last of what was read before, in front of what is read. */
	size_t have = in->len - in->stamp_end, done;
	char *const text = buf + MARK_LEN;
	bool held = have;
	ssize_t n = 1;

	memset(buf, 0, MARK_LEN);
	memcpy(text, in->held + in->stamp_end, have);
	do {
		if (!held) {
			n = read(in->fd, text + have, IN_SIZE - have);
			if (n < 0 && errno == EINTR)
				continue;
			if (n < 0)
				return fail(why, "standard input: %s", strerror(errno));
			have += (size_t)n;
		}
		held = false;
		if (in->stamped && has_mark(text - MARK_LEN, have + MARK_LEN))
			return fail(why, "standard input: another stamp begins in its midst: each text by itself, or --offset=HEX");
		done = scan(filter, text, have, !n);
		flush(filter);
		if (filter->error)
			return fail(why, "standard output: %s", strerror(filter->error));
		have -= done;
		memmove(buf, buf + done, have + MARK_LEN);
	} while (n);
	return 0;
}

/**
 * filter_hold - look for a stamp at the begin of a stream
 * @in:		with @in->fd; filled
 * @why:	filled on failure
 *
 * Reads no more than it takes to know, so that the output of a program that still runs can be
 * followed.
 *
 * Return: 0 or -1.
 */
int filter_hold(struct filter_in *in, struct why *why)
{
	ssize_t n;

	in->len = 0;
	while (!text_stamp_ends(in->held, in->len, &in->stamp_at, &in->stamp_end) &&
	       in->len < sizeof(in->held)) {
		n = read(in->fd, in->held + in->len, sizeof(in->held) - in->len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(why, "standard input: %s", strerror(errno));
		if (!n)
			break;
		in->len += (size_t)n;
	}
	return 0;
}

/**
 * filter - pass a stream on and say what the kernel addresses in it are
 * @in:		filled by filter_hold()
 * @out:	open for writing
 * @resolver:	knows what addresses are, counts them
 * @raw:	put link addresses in the place of run-time addresses, and nothing else. There is no
 *		stamp then, since it is not true of what comes out
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int filter(const struct filter_in *in, int out, struct resolver *resolver, bool raw,
	   struct why *why)
{
	struct filter filter = { .resolver = resolver, .raw = raw, .fd = out };
	char *buf = malloc(IN_SIZE + MARK_LEN), *out_buf = malloc(OUT_SIZE);
	int err;

	filter.out = out_buf;
	make_tables();
	if (buf && out_buf) {
		put(&filter, in->held, raw ? in->stamp_at : in->stamp_end);
		err = copy(&filter, in, buf, why);
	} else {
		err = fail(why, "out of memory");
	}
	free(buf);
	free(out_buf);
	return err;
}
