// SPDX-License-Identifier: GPL-2.0-only
/*
 * CTF 1.8, the Common Trace Format, as LTTng writes it, perf data convert and babeltrace2: a
 * directory whose file "metadata" tells in a language of its own (TSDL) what is in the others.
 *
 * Its env block holds what the tracer wants readers to know. There may be several of them, so the
 * stamp is one more, at the end of the file: as text, or where the text is in packets (section 7.1
 * of the specification), as one more of these. The whole is small, and becomes a new file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "child.h"
#include "evidence.h"
#include "stamp-text.h"
#include "trace.h"

/* LTTng's for all events of a kernel are 2 MB. */
#define METADATA_MAX	(64u << 20)

#define PACKET_MAGIC	0x75d11d57

/* What precedes the text in a packet, without any padding. */
enum {
	PACKET_UUID = 4,
	PACKET_CONTENT_SIZE = 24,	/* in bits, and with this header, as the next */
	PACKET_SIZE = 28,
	PACKET_COMPRESSION = 32,
	PACKET_ENCRYPTION = 33,
	PACKET_MAJOR = 35,
	PACKET_MINOR = 36,
	PACKET_HEADER_SIZE = 37,
};

#define PACKET_UUID_LEN	16
#define CTF_MAJOR	1
#define CTF_MINOR	8

/* Of our keys in an env block. */
#define PREFIX		"kreloc_"

/* Room for a word or a string; longer ones are cut. */
#define VALUE_LEN	128

/**
 * struct ctf - the metadata of a trace
 * @raw:	the file
 * @len:	of it
 * @text:	of all packets, or @raw
 * @text_len:	of it
 * @packets:	it is in packets
 * @big:	their byte order
 * @uuid:	in their headers
 * @open:	the text ends within a block, a string or a comment
 * @domain:	what was traced; empty where the file does not say
 * @stamp:	our keys
 */
struct ctf {
	unsigned char *raw;
	size_t len;
	char *text;
	size_t text_len;
	bool packets;
	bool big;
	unsigned char uuid[PACKET_UUID_LEN];
	bool open;
	char domain[VALUE_LEN];
	struct stamp_text stamp;
};

static bool is_packet(const unsigned char *p, size_t len, bool *big)
{
	*big = len >= 4 && get32(p, true) == PACKET_MAGIC;
	return len >= 4 && get32(p, *big) == PACKET_MAGIC;
}

/* A JSON text sequence (RFC 7464), which begins with a fragment that says so. */
static bool is_ctf2(const unsigned char *p, size_t len)
{
	return len && *p == 0x1e && memmem(p, len, "\"preamble\"", strlen("\"preamble\""));
}

static bool ctf_probe(const unsigned char *head, size_t len)
{
	static const char text[] = "/* CTF 1.";
	bool big;

	return (len >= strlen(text) && !memcmp(head, text, strlen(text))) ||
	       is_packet(head, len, &big) || is_ctf2(head, len);
}

/* Returns how long the packet is, 0 where it is none. */
static size_t add_packet(struct ctf *ctf, size_t at, struct why *why)
{
	const unsigned char *p = ctf->raw + at;
	uint32_t content, size;
	bool big;

	if (ctf->len - at < PACKET_HEADER_SIZE) {
		explain(why, "is truncated: it ends within the head of a packet");
		return 0;
	}
	content = get32(p + PACKET_CONTENT_SIZE, ctf->big);
	size = get32(p + PACKET_SIZE, ctf->big);
	if (!is_packet(p, ctf->len - at, &big) || big != ctf->big || content % 8 || size % 8 ||
	    content / 8 < PACKET_HEADER_SIZE || content > size) {
		explain(why, "is damaged: there is no packet at byte %zu", at);
		return 0;
	}
	if (size / 8 > ctf->len - at) {
		explain(why, "is truncated: it ends within a packet");
		return 0;
	}
	if (p[PACKET_MAJOR] != CTF_MAJOR) {
		explain(why, "is CTF %u, and kreloc knows CTF 1.8 only", p[PACKET_MAJOR]);
		return 0;
	}
	if (p[PACKET_COMPRESSION] || p[PACKET_ENCRYPTION]) {
		explain(why, "is compressed or encrypted, which no known tracer does");
		return 0;
	}
	content = content / 8 - PACKET_HEADER_SIZE;
	memcpy(ctf->text + ctf->text_len, p + PACKET_HEADER_SIZE, content);
	ctf->text_len += content;
	return size / 8;
}

static int read_packets(struct ctf *ctf, struct why *why)
{
	size_t at, size;

	if (ctf->len < PACKET_HEADER_SIZE)
		return fail(why, "is truncated: it ends within the head of a packet");
	memcpy(ctf->uuid, ctf->raw + PACKET_UUID, PACKET_UUID_LEN);
	ctf->text = malloc(ctf->len);
	if (!ctf->text)
		return fail(why, "out of memory");
	for (at = 0; at < ctf->len; at += size) {
		size = add_packet(ctf, at, why);
		if (!size)
			return -1;
	}
	return 0;
}

enum token_kind {
	TOKEN_END,
	TOKEN_OPEN,		/* the end, within a string or a comment */
	TOKEN_WORD,		/* or a number */
	TOKEN_STRING,		/* without the quotes, and as it is written */
	TOKEN_OTHER,		/* one character */
};

/**
 * struct token - a piece of TSDL
 * @kind:	of it
 * @at:		where
 * @len:	of it
 */
struct token {
	enum token_kind kind;
	const char *at;
	size_t len;
};

static bool in_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       c == '_' || c == '.';
}

/* Where @what begins, from @p on; else the end. */
static const char *find(const char *p, const char *end, const char *what)
{
	const char *found = memmem(p, (size_t)(end - p), what, strlen(what));

	return found ? found : end;
}

/* Returns what is behind it, NULL where it has no end. */
static const char *skip_comment(const char *p, const char *end)
{
	if (end - p < 2 || *p != '/')
		return p;
	if (p[1] == '/')
		return find(p, end, "\n");
	if (p[1] != '*')
		return p;
	p = find(p + 2, end, "*/");
	return p == end ? NULL : p + 2;
}

static const char *skip_blanks(const char *p, const char *end)
{
	const char *before;

	do {
		before = p;
		while (p < end && (*p == ' ' || (*p >= '\t' && *p <= '\r')))
			p++;
		p = skip_comment(p, end);
	} while (p && p != before);
	return p;
}

/* Returns what is behind it. */
static const char *next_token(const char *p, const char *end, struct token *token)
{
	p = skip_blanks(p, end);
	*token = (struct token){ .kind = p ? TOKEN_END : TOKEN_OPEN };
	if (!p || p == end)
		return end;
	token->at = p;
	if (*p == '"' || *p == '\'') {
		token->kind = TOKEN_STRING;
		token->at = ++p;
		while (p < end && *p != token->at[-1])
			p += *p == '\\' && end - p > 1 ? 2 : 1;
		if (p == end)
			token->kind = TOKEN_OPEN;
		token->len = (size_t)(p - token->at);
		return p < end ? p + 1 : end;
	}
	token->kind = in_word(*p) ? TOKEN_WORD : TOKEN_OTHER;
	do
		p++;
	while (token->kind == TOKEN_WORD && p < end && in_word(*p));
	token->len = (size_t)(p - token->at);
	return p;
}

static bool token_is(const struct token *token, enum token_kind kind, const char *text)
{
	return token->kind == kind && token->len == strlen(text) &&
	       !memcmp(token->at, text, token->len);
}

static void token_text(const struct token *token, char text[VALUE_LEN])
{
	const size_t len = token->len < VALUE_LEN ? token->len : VALUE_LEN - 1;

	memcpy(text, token->at, len);
	text[len] = '\0';
}

/* LTTng's names (lttng-events.c in lttng-modules), then perf's (data-convert-bt.c). */
static void env_entry(struct ctf *ctf, struct facts *facts, const struct token *key,
		      const struct token *token)
{
	const struct {
		const char *key;
		char *to;
		size_t size;
	} known[] = {
		{ "domain", ctf->domain, sizeof(ctf->domain) },
		{ "kernel_release", facts->release, sizeof(facts->release) },
		{ "release", facts->release, sizeof(facts->release) },
		{ "hostname", facts->host, sizeof(facts->host) },
		{ "host", facts->host, sizeof(facts->host) },
		{ "machine", facts->machine, sizeof(facts->machine) },
	};
	char name[VALUE_LEN], value[VALUE_LEN];
	unsigned int i;
	char *p;

	token_text(key, name);
	token_text(token, value);
	if (strncmp(name, PREFIX, strlen(PREFIX))) {
		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (!strcmp(known[i].key, name))
				snprintf(known[i].to, known[i].size, "%.*s",
					 (int)known[i].size - 1, value);
		return;
	}
	for (p = name; *p; p++)
		if (*p == '_')
			*p = '-';
	stamp_text_set(&ctf->stamp, name + strlen(PREFIX), value);
}

/* The id of LTTng's clock is that of the boot (lttng-clock.c: trace_clock_uuid). */
static void clock_entry(struct facts *facts, const struct token *key, const struct token *token)
{
	char value[VALUE_LEN];

	if (!token_is(key, TOKEN_WORD, "uuid"))
		return;
	token_text(token, value);
	boot_id_parse(facts->boot_id, value);
}

/* The outermost blocks, and what is set in them. */
static void parse_text(struct ctf *ctf, struct facts *facts)
{
	const char *p = ctf->text, *const end = p + ctf->text_len;
	struct token token, last = { 0 }, block = { 0 };
	unsigned int depth = 0;

	for (p = next_token(p, end, &token); token.kind > TOKEN_OPEN;
	     p = next_token(p, end, &token)) {
		if (token_is(&token, TOKEN_OTHER, "{")) {
			if (!depth++)
				block = last;
		} else if (token_is(&token, TOKEN_OTHER, "}")) {
			depth -= depth > 0;
		} else if (token_is(&token, TOKEN_OTHER, "=") && depth == 1) {
			p = next_token(p, end, &token);
			if (token.kind <= TOKEN_OPEN)
				break;
			if (token_is(&block, TOKEN_WORD, "env"))
				env_entry(ctf, facts, &last, &token);
			else if (token_is(&block, TOKEN_WORD, "clock"))
				clock_entry(facts, &last, &token);
		}
		last = token;
	}
	ctf->open = depth || token.kind == TOKEN_OPEN;
}

static void ctf_close(struct ctf *ctf)
{
	if (ctf->packets)
		free(ctf->text);
	free(ctf->raw);
}

static int ctf_load(struct ctf *ctf, const struct trace *trace, struct why *why)
{
	ssize_t n;

	if (trace->size > METADATA_MAX)
		return fail(why, "has more metadata than kreloc can handle");
	ctf->len = trace->size;
	ctf->raw = malloc(ctf->len + 1);
	if (!ctf->raw)
		return fail(why, "out of memory");
	n = pread_full(trace->fd, ctf->raw, ctf->len, 0);
	if (n != (ssize_t)ctf->len)
		return fail(why, "%s", n < 0 ? strerror(errno) : "is truncated");
	ctf->packets = is_packet(ctf->raw, ctf->len, &ctf->big);
	if (ctf->packets)
		return read_packets(ctf, why);
	if (is_ctf2(ctf->raw, ctf->len))
		return fail(why, "is CTF 2, and kreloc knows CTF 1.8 only");
	ctf->text = (char *)ctf->raw;
	ctf->text_len = ctf->len;
	return 0;
}

/* Also to be closed on failure. */
static int ctf_open(struct ctf *ctf, const struct trace *trace, struct facts *facts,
		    struct why *why)
{
	memset(ctf, 0, sizeof(*ctf));
	if (ctf_load(ctf, trace, why))
		return -1;
	parse_text(ctf, facts);
	return 0;
}

/* One more env block, as it is at the end of a stamped file. The caller frees it. */
static char *make_stamp(const struct ctf *ctf, const struct stamp_info *info, size_t *len)
{
	const size_t head = ctf->packets ? PACKET_HEADER_SIZE : 0;
	char value[STAMP_VALUE_LEN], *stamp = NULL;
	unsigned int i;
	FILE *file;

	file = open_memstream(&stamp, len);
	if (!file)
		return NULL;
	for (i = 0; i < head; i++)
		fputc(0, file);
	/* Whether the last line of the file has an end is not sure. */
	fputs("\nenv {\n", file);
	for (i = 0; stamp_text_key(i); i++) {
		const char *p;

		if (!stamp_text_value(info, i, value))
			continue;
		fputs("\t" PREFIX, file);
		for (p = stamp_text_key(i); *p; p++)
			fputc(*p == '-' ? '_' : *p, file);
		fprintf(file, " = \"%s\";\n", value);
	}
	fputs("};\n", file);
	if (fclose(file)) {
		free(stamp);
		return NULL;
	}
	if (head) {
		put32(stamp, PACKET_MAGIC, ctf->big);
		memcpy(stamp + PACKET_UUID, ctf->uuid, PACKET_UUID_LEN);
		put32(stamp + PACKET_CONTENT_SIZE, (uint32_t)*len * 8, ctf->big);
		put32(stamp + PACKET_SIZE, (uint32_t)*len * 8, ctf->big);
		stamp[PACKET_MAJOR] = CTF_MAJOR;
		stamp[PACKET_MINOR] = CTF_MINOR;
	}
	return stamp;
}

/* It can be taken out where it is the end of the file; converters put it elsewhere. */
static int place_stamp(const struct ctf *ctf, struct facts *facts, struct why *why)
{
	char *stamp;
	size_t len;

	stamp = make_stamp(ctf, &ctf->stamp.info, &len);
	if (!stamp)
		return fail(why, "out of memory");
	facts->altered = len > ctf->len || memcmp(ctf->raw + ctf->len - len, stamp, len);
	if (!facts->altered) {
		facts->block.gap.at = ctf->len - len;
		facts->block.gap.len = len;
	}
	free(stamp);
	return 0;
}

static bool of_kernel(const struct ctf *ctf, struct why *why)
{
	if (!strcmp(ctf->domain, "kernel"))
		return true;
	if (ctf->domain[0])
		explain(why, "is no trace of a kernel: its domain is %s", ctf->domain);
	else
		explain(why, "does not say that it is the trace of a kernel: no domain in its env");
	return false;
}

/**
 * ctf_elsewhere - is this certainly the trace of something else than a kernel?
 * @trace:	what may be a trace
 *
 * Return: whether it is; false also for what cannot be read.
 */
bool ctf_elsewhere(const struct trace *trace)
{
	struct facts *facts = calloc(1, sizeof(*facts));
	struct ctf ctf = { 0 };
	struct why why;
	bool elsewhere;

	elsewhere = facts && !ctf_open(&ctf, trace, facts, &why) && !of_kernel(&ctf, &why);
	ctf_close(&ctf);
	free(facts);
	return elsewhere;
}

static int ctf_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	struct ctf ctf;
	int err = -1;

	if (!ctf_open(&ctf, trace, facts, why) && of_kernel(&ctf, why))
		err = stamp_text_done(&ctf.stamp, facts, why);
	if (!err && facts->has_block)
		err = place_stamp(&ctf, facts, why);
	facts->end = trace->size;
	ctf_close(&ctf);
	return err;
}

static int ctf_stamp(const struct trace *trace, const struct facts *facts,
		     const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	unsigned char *data = NULL;
	struct ctf ctf = { 0 };
	struct facts *again;
	char *stamp;
	size_t len;

	(void)facts;
	again = stamp_job_alloc(job, sizeof(*again), why);
	if (!again || ctf_open(&ctf, trace, again, why))
		goto out;
	if (ctf.open) {
		explain(why, "is damaged: its metadata end in the midst of something");
		goto out;
	}
	stamp = make_stamp(&ctf, info, &len);
	data = stamp ? stamp_job_alloc(job, len, why) : NULL;
	if (data) {
		memcpy(data, stamp, len);
		job->gap = (struct stamp_gap){ .at = trace->size, .len = len, .data = data };
		job->gap_is_stamp = true;
	}
	free(stamp);
out:
	ctf_close(&ctf);
	return data ? 0 : -1;
}

/*
 * The events can be of any shape, which the metadata describe. babeltrace2 is made to read them;
 * what it prints of functions and stacks is text like any other.
 */
static int ctf_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit,
			struct why *why)
{
	/* It looks for traces in directories; and none of them begins like an option. */
	char *directory = NULL, *argv[] = { "babeltrace2", NULL, NULL };
	const char *slash = strrchr(trace->file, '/');
	struct child child;
	int err;

	if (asprintf(&directory, "%s%.*s", *trace->file == '/' ? "" : "./",
		     slash ? (int)(slash - trace->file + 1) : 0, trace->file) < 0)
		return fail(why, "out of memory");
	argv[1] = directory;
	err = child_start(&child, argv, why);
	if (!err) {
		struct why end;

		err = evidence_text(ev, child.output, limit, why);
		if (child_end(&child, &end) && !err)
			err = fail(why, "%s cannot read it: %s; see what it says of it", argv[0],
				   end.text);
	}
	free(directory);
	return err;
}

const struct format format_ctf = {
	.name = "CTF",
	.probe = ctf_probe,
	.read = ctf_read,
	.evidence = ctf_evidence,
	.stamp = ctf_stamp,
	.small = true,
};
