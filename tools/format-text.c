// SPDX-License-Identifier: GPL-2.0-only
/*
 * Text with kernel addresses: what tracefs, trace-cmd report, perf script, babeltrace2 and dmesg
 * print. The stamp is lines of comment at the beginning, each "# kreloc: key: value"; behind the
 * first line of tracefs's header, by which others know that text, and before all else.
 *
 * Text can be anything, so only what a kernel or its tracers print is taken for such.
 */
#include <errno.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence.h"
#include "place.h"
#include "stamp-text.h"
#include "trace.h"

#define COMMENT		"# kreloc: "
#define TRACER		"# tracer: "

/* A stamp has a dozen lines, and perf's header not many more. */
#define HEAD_LEN	(64u << 10)
/* Of a line, to know it by. */
#define LINE_LEN	512
/* How far samples are looked for. */
#define SCAN_BYTES	(1u << 20)

/* What the first line that is no comment looks like. */
static const char *const lines[] = {
	/* tracefs and trace-cmd: comm-pid (tgid) [cpu] flags time: */
	"^ *[^ ].*-[0-9]+ +(\\([ 0-9-]+\\) +)?\\[[0-9]{3,}\\] +([^ ]{4,8} +)?[0-9]+(\\.[0-9]+)?: ",
	/* its function_graph: cpu) duration | */
	"^ *[0-9]+\\) [^|]*\\|  ",
	"^CPU:[0-9]+ \\[LOST [0-9]+ EVENTS\\]$",
	"^cpus=[0-9]+$",
	/* perf script: comm pid/tid [cpu] time: */
	"^ *[^ ].* +-?[0-9]+(/-?[0-9]+)? +(\\[[0-9]{3,}\\] +)?[0-9]+\\.[0-9]{6,}: ",
	/* babeltrace2: [time] (+delta) */
	"^\\[[0-9:]{8}\\.[0-9]{9}\\] \\(\\+[0-9?]+\\.[0-9?]{9}\\) ",
	/* dmesg, raw or not: <level>[time][caller]; with -T; in the journal */
	"^(<[0-9]+>)?\\[ *[0-9]+\\.[0-9]{6}\\](\\[ *[TC][0-9]+\\])? ",
	"^\\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} [0-9]{4}\\] ",
	"^[A-Z][a-z]{2} [ 0-9]{2} [0-9:]{8} [^ ]+ kernel: ",
};

static regex_t compiled[ARRAY_SIZE(lines)];
static unsigned int nr_compiled;

/* Fewer than all only where memory is short. */
static void compile_lines(void)
{
	while (nr_compiled < ARRAY_SIZE(lines) &&
	       !regcomp(&compiled[nr_compiled], lines[nr_compiled], REG_EXTENDED | REG_NOSUB))
		nr_compiled++;
}

static bool known_line(const char *line)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	unsigned int i;

	pthread_once(&once, compile_lines);
	for (i = 0; i < nr_compiled; i++)
		if (!regexec(&compiled[i], line, 0, NULL, 0))
			return true;
	return false;
}

/* One line without its end, cut where it is longer than @line; returns what is behind it. */
static const char *next_line(const char *p, const char *end, char *line, size_t size)
{
	const char *stop = memchr(p, '\n', (size_t)(end - p));
	size_t len = (size_t)((stop ? stop : end) - p);

	if (len && p[len - 1] == '\r')
		len--;
	if (len >= size)
		len = size - 1;
	memcpy(line, p, len);
	line[len] = '\0';
	return stop ? stop + 1 : end;
}

static bool begins(const char *line, const char *with)
{
	return !strncmp(line, with, strlen(with));
}

static bool printable(const unsigned char *p, size_t len)
{
	while (len--) {
		const unsigned char c = *p++;

		if (c == 0x7f || (c < ' ' && c != '\n' && c != '\t' && c != '\r'))
			return false;
	}
	return true;
}

static bool text_probe(const unsigned char *head, size_t len)
{
	const char *p = (const char *)head, *const end = p + len;
	char line[LINE_LEN];

	if (!printable(head, len))
		return false;
	while (p < end) {
		p = next_line(p, end, line, sizeof(line));
		if (begins(line, TRACER))
			return true;
		if (line[0] && line[0] != '#')
			return known_line(line);
	}
	return false;
}

/* The stamp as it is in a text. The caller frees it. */
static char *make_stamp(const struct stamp_info *info, size_t *len)
{
	char value[STAMP_VALUE_LEN], *stamp = NULL;
	FILE *file = open_memstream(&stamp, len);
	unsigned int i;

	if (!file)
		return NULL;
	for (i = 0; stamp_text_key(i); i++)
		if (stamp_text_value(info, i, value))
			fprintf(file, COMMENT "%s: %s\n", stamp_text_key(i), value);
	if (fclose(file)) {
		free(stamp);
		return NULL;
	}
	return stamp;
}

/* Where the stamp is, or would be. */
static const char *stamp_place(const char *p, const char *end)
{
	const char *stop;

	if ((size_t)(end - p) < strlen(TRACER) || memcmp(p, TRACER, strlen(TRACER)))
		return p;
	stop = memchr(p, '\n', (size_t)(end - p));
	return stop ? stop + 1 : end;
}

static const char *read_stamp(const char *p, const char *end, struct stamp_text *stamp)
{
	const char *next;
	char line[LINE_LEN];

	for (; p < end; p = next) {
		char *key = line + strlen(COMMENT), *colon;

		next = next_line(p, end, line, sizeof(line));
		if (!begins(line, COMMENT))
			break;
		colon = strstr(key, ": ");
		if (!colon)
			break;
		*colon = '\0';
		stamp_text_set(stamp, key, colon + 2);
	}
	return p;
}

/* What perf script --header and a kernel's log say of the machine. */
static void take_line(const char *line, struct facts *facts)
{
	const struct {
		const char *before;
		char *to;
		size_t size;
	} known[] = {
		{ "# os release : ", facts->release, sizeof(facts->release) },
		{ "# hostname : ", facts->host, sizeof(facts->host) },
		{ "# arch : ", facts->machine, sizeof(facts->machine) },
		{ "] Linux version ", facts->release, sizeof(facts->release) },
	};
	const char *found;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(known); i++) {
		found = line[0] == '#' && !begins(line, known[i].before) ?
				NULL : strstr(line, known[i].before);
		if (!found || known[i].to[0])
			continue;
		found += strlen(known[i].before);
		snprintf(known[i].to, known[i].size, "%.*s", (int)strcspn(found, " "), found);
	}
}

/**
 * text_facts - what does the beginning of a text know?
 * @head:	as much of it as is at hand
 * @len:	of it
 * @facts:	filled; starts with zeros
 * @why:	filled on failure
 *
 * Return: 0; or -1, where it has a stamp that contradicts itself.
 */
int text_facts(const char *head, size_t len, struct facts *facts, struct why *why)
{
	const char *const end = head + len, *const at = stamp_place(head, end);
	struct stamp_text stamp = { 0 };
	const char *behind = read_stamp(at, end, &stamp), *p;
	char line[LINE_LEN];
	size_t size;
	char *same;

	for (p = head; p < end; ) {
		p = next_line(p, end, line, sizeof(line));
		take_line(line, facts);
	}
	if (stamp_text_done(&stamp, facts, why))
		return -1;
	/* Lines of comment like ours, and none of them says anything: not to be mixed with a stamp. */
	if (!facts->has_block)
		return behind > at ? fail(why, "its stamp is damaged, or of a newer kreloc") : 0;
	same = make_stamp(&stamp.info, &size);
	if (!same)
		return fail(why, "out of memory");
	facts->altered = size != (size_t)(behind - at) || memcmp(at, same, size);
	if (!facts->altered) {
		facts->block.gap.at = (uint64_t)(at - head);
		facts->block.gap.len = size;
	}
	free(same);
	return 0;
}

/**
 * text_stamp_ends - is all of the stamp there, if there is one?
 * @head:	the beginning of a text
 * @len:	as much as was read
 * @begin:	where the stamp begins
 * @end:	and ends, as far as it was read; both 0 without one
 *
 * Return: whether what follows can change nothing.
 */
bool text_stamp_ends(const char *head, size_t len, size_t *begin, size_t *end)
{
	const char *const stop = head + len, *const at = stamp_place(head, stop), *behind;
	struct stamp_text stamp = { 0 };
	size_t left, n;

	behind = read_stamp(at, stop, &stamp);
	*begin = behind > at ? (size_t)(at - head) : 0;
	*end = behind > at ? (size_t)(behind - head) : 0;
	/* What may become the line that comes before. */
	if (at == head && !memcmp(head, TRACER, len < strlen(TRACER) ? len : strlen(TRACER)) &&
	    len <= strlen(TRACER))
		return false;
	if (at > head && at[-1] != '\n')
		return false;
	/* And one of the stamp: read_stamp() took it, but it has no end. */
	if (behind > at && behind[-1] != '\n')
		return false;
	left = (size_t)(stop - behind);
	n = left < strlen(COMMENT) ? left : strlen(COMMENT);
	return memcmp(behind, COMMENT, n) || n == strlen(COMMENT);
}

static FILE *open_again(const struct trace *trace)
{
	const int fd = dup(trace->fd);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file && fd >= 0)
		close(fd);
	if (file)
		rewind(file);
	return file;
}

/**
 * text_evidence - addresses from a file, taken for text
 * @trace:	the file
 * @ev:		where to
 * @limit:	bytes that are read at most
 * @why:	filled on failure
 *
 * Return: 0, also where it is no text; or -1.
 */
int text_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit, struct why *why)
{
	FILE *file = open_again(trace);
	int err;

	if (!file)
		return fail(why, "%s", strerror(errno));
	err = evidence_text(ev, file, limit, why);
	fclose(file);
	return err;
}

/* Addresses of functions and samples are within the text of the kernel. */
static int take_samples(const struct trace *trace, const struct arch *arch, struct facts *facts,
			struct why *why)
{
	struct evidence ev;
	size_t i;
	int err;

	if (evidence_init(&ev, arch, why))
		return -1;
	err = text_evidence(trace, &ev, SCAN_BYTES, why) || evidence_done(&ev, why) ? -1 : 0;
	for (i = 0; !err && i < ev.nr && facts->nr_ips < FACTS_IPS; i++)
		if (ev.addresses[i].kind != EVIDENCE_RETURN)
			facts->ips[facts->nr_ips++] = ev.addresses[i].value;
	evidence_free(&ev);
	return err;
}

static int text_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	static const char *const arches[] = { "x86_64", "ppc64le" };
	char *head = malloc(HEAD_LEN);
	ssize_t len = head ? pread_full(trace->fd, head, HEAD_LEN, 0) : -1;
	unsigned int i;
	int err;

	err = len < 0 ? fail(why, "%s", strerror(errno)) :
			text_facts(head, (size_t)len, facts, why);
	free(head);
	facts->end = trace->size;
	/* Where the text does not say, the addresses do: they are in no other's image. */
	for (i = 0; !err && !facts->nr_ips && i < ARRAY_SIZE(arches); i++)
		if (!facts->machine[0] || !strcmp(facts->machine, arches[i]))
			err = take_samples(trace, arch_by_name(arches[i]), facts, why);
	return err;
}

static int text_stamp(const struct trace *trace, const struct facts *facts,
		      const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	char head[LINE_LEN], *stamp;
	unsigned char *data;
	const char *at;
	size_t len;
	ssize_t n;

	(void)facts;
	n = pread_full(trace->fd, head, sizeof(head), 0);
	if (n < 0)
		return fail(why, "%s", strerror(errno));
	at = stamp_place(head, head + n);
	if (at > head && at[-1] != '\n')
		return fail(why, "is no trace: its first line has no end");
	stamp = make_stamp(info, &len);
	data = stamp ? stamp_job_alloc(job, len, why) : NULL;
	if (data) {
		memcpy(data, stamp, len);
		job->gap = (struct stamp_gap){
			.at = (uint64_t)(at - head),
			.len = len,
			.data = data,
		};
		job->gap_is_stamp = true;
	}
	free(stamp);
	return data ? 0 : -1;
}

const struct format format_text = {
	.name = "text",
	.probe = text_probe,
	.read = text_read,
	.evidence = text_evidence,
	.stamp = text_stamp,
};
