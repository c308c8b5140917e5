// SPDX-License-Identifier: GPL-2.0-only
/*
 * Addresses from text: what perf script, tracefs and babeltrace2 print, or a list.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "evidence.h"
#include "place.h"

/* An address of the kernel has all of its digits, as tools print it with %lx or %016lx. */
#define ADDRESS_DIGITS	16

/* More than perf records: 127 frames unless kernel.perf_event_max_stack was raised. */
#define CHAIN_MAX	1024

#define BLANKS		" \t\r\n"

/**
 * struct text - where the reading is
 * @ev:		where to
 * @nr:		addresses in @chain
 * @chain:	the call chain whose lines are being read
 */
struct text {
	struct evidence *ev;
	size_t nr;
	uint64_t chain[CHAIN_MAX];
};

static const char *next_word(const char *p)
{
	p += strcspn(p, BLANKS);
	return p + strspn(p, BLANKS);
}

static bool hex_word(const char *p, uint64_t *value)
{
	return parse_hex(p, strcspn(p, BLANKS), value);
}

/* Everything that kreloc knows has its kernel in the upper half. */
static bool address_word(const char *p, uint64_t *value)
{
	const size_t prefix = p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? 2 : 0;

	return strcspn(p, BLANKS) == prefix + ADDRESS_DIGITS && hex_word(p, value) && *value >> 63;
}

static void end_chain(struct text *text)
{
	if (text->nr)
		evidence_chain(text->ev, text->chain, text->nr);
	text->nr = 0;
}

/* "address", or "kind address". */
static bool list_line(struct text *text, const char *p)
{
	enum evidence_kind kind = EVIDENCE_IP;
	uint64_t address;
	unsigned int i;

	for (i = 0; i < EVIDENCE_KINDS; i++) {
		const size_t len = strcspn(p, BLANKS);

		if (strlen(evidence_kinds[i]) == len && !memcmp(evidence_kinds[i], p, len)) {
			kind = (enum evidence_kind)i;
			p = next_word(p);
			break;
		}
	}
	if (!address_word(p, &address))
		return false;
	evidence_add(text->ev, address, kind);
	return true;
}

/* The first address in [p, end), within brackets or not. Returns what is behind it, or NULL. */
static const char *find_address(const char *p, const char *end, uint64_t *value)
{
	while (p < end) {
		const size_t len = strspn(p, "0123456789abcdefABCDEF");

		if (len == ADDRESS_DIGITS && p + len <= end && parse_hex(p, len, value) &&
		    *value >> 63)
			return p + len;
		p += len ? len : 1;
	}
	return NULL;
}

/*
 * The function tracer's "callee <-- caller", by trace-cmd or perf; with the option sym-addr also
 * by tracefs, "callee <address> <-caller <address>".
 */
static bool function_line(struct text *text, const char *p)
{
	const char *arrow = strstr(p, "<-"), *end = p + strlen(p);
	uint64_t callee = 0, caller;

	if (!arrow)
		return false;
	while ((p = find_address(p, arrow, &callee)))
		;
	if (!callee || !find_address(arrow, end, &caller))
		return false;
	evidence_add(text->ev, callee, EVIDENCE_ENTRY);
	evidence_add(text->ev, caller, EVIDENCE_RETURN);
	return true;
}

/* LTTng's context, by babeltrace2: "callstack_kernel = [ [0] = address, [1] = address ]". */
static bool callstack_line(struct text *text, const char *p)
{
	static const char begin[] = "callstack_kernel = [ ";
	const char *end;
	uint64_t address;

	p = strstr(p, begin);
	if (!p)
		return false;
	p += strlen(begin);
	end = strstr(p, " ]");
	if (!end)
		end = p + strlen(p);
	while ((p = find_address(p, end, &address)) && text->nr < CHAIN_MAX)
		text->chain[text->nr++] = address;
	end_chain(text);
	return true;
}

/* A sample without a chain: "comm pid [cpu] time: period event:  address symbol". */
static void sample_line(struct text *text, const char *p)
{
	uint64_t address;

	for (; *p; p = next_word(p)) {
		const size_t len = strcspn(p, BLANKS);

		if (len && p[len - 1] == ':' && address_word(next_word(p), &address)) {
			evidence_add(text->ev, address, EVIDENCE_IP);
			return;
		}
	}
}

static void text_line(struct text *text, const char *line)
{
	const char *p = line + strspn(line, BLANKS);
	uint64_t address;

	/* Headers, and the lines of a stamp among them. */
	if (*line == '#')
		return;
	/* A stack of tracefs's, with the option sym-addr. */
	if (!strncmp(p, "=> ", 3) && find_address(p, p + strlen(p), &address)) {
		if (text->nr < CHAIN_MAX)
			text->chain[text->nr++] = address;
		return;
	}
	/*
	 * A chain's lines are indented. Not all of them are the kernel's: user space follows, and
	 * powerpc has zeros between its frames.
	 */
	if (p > line && hex_word(p, &address)) {
		if (address_word(p, &address) && text->nr < CHAIN_MAX)
			text->chain[text->nr++] = address;
		return;
	}
	end_chain(text);
	if (!list_line(text, p) && !function_line(text, p) && !callstack_line(text, p))
		sample_line(text, p);
}

/**
 * evidence_text - addresses from text
 * @ev:		where to
 * @file:	read up to @limit. What perf script prints, with call chains or without; what
 *		tracefs, trace-cmd report and babeltrace2 print of functions and stacks; or
 *		addresses, one a line, behind the name of their kind where that is known; without
 *		it they count as EVIDENCE_IP, which is true of all kinds. Other lines are passed
 *		over
 * @limit:	bytes that are read at most, and the rest of a line
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int evidence_text(struct evidence *ev, FILE *file, uint64_t limit, struct why *why)
{
	struct text *text = calloc(1, sizeof(*text));
	uint64_t seen = 0;
	bool whole = true;
	char line[4096];

	if (!text)
		return fail(why, "out of memory");
	text->ev = ev;
	while (seen < limit && fgets(line, sizeof(line), file)) {
		/* Of a line that is longer only the beginning counts. */
		if (whole)
			text_line(text, line);
		whole = strchr(line, '\n');
		seen += strlen(line);
	}
	end_chain(text);
	free(text);
	if (ferror(file))
		return fail(why, "%s", strerror(errno));
	return 0;
}
