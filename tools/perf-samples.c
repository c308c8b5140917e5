// SPDX-License-Identifier: GPL-2.0-only
/*
 * The kernel addresses in the samples of a perf.data, compressed ones too, as evidence.
 *
 * Only those of the kernel that recorded: the instruction pointer of samples in kernel mode, the
 * kernel's part of call chains, and what some tracepoints say of functions. Samples of guests are
 * of other kernels.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "bytes.h"
#include "evidence.h"
#include "perf-file.h"

/* As many frames of a chain as are looked at; perf records 127 unless it is told otherwise. */
#define CHAIN_MAX	1024

/* An event has an id for each processor. */
#define IDS_MAX		(64u << 10)

/* The descriptions of a machine's tracepoints that were recorded are a few KiB each. */
#define TRACING_DATA_MAX	(8u << 20)

/* Decompressed records that are not processed yet: the rest of one, and what comes next. */
#define PLAIN_BUFFER	(256u << 10)

/*
 * What the first fields of a tracepoint say, behind 8 bytes that all have (struct trace_entry).
 * The instruction pointer of a sample by a probe is not believed: it may be behind a breakpoint.
 */
enum payload {
	PAYLOAD_NONE,
	PAYLOAD_FUNCTION,	/* ftrace:function: entry, and return to its caller */
	PAYLOAD_PROBE,		/* kprobe: where it is */
	PAYLOAD_RETURN_PROBE,	/* kretprobe: entry, and return to its caller */
};

#define TRACE_ENTRY_SIZE	8

/* enum trace_type in kernel/trace/trace.h: the only event with a fixed number. */
#define TRACE_FN		1

/**
 * struct event - what one event's samples look like
 * @type:	sample_type
 * @read_format: as the attribute says
 * @payload:	of tracepoints
 */
struct event {
	uint64_t type;
	uint64_t read_format;
	enum payload payload;
};

struct event_id {
	uint64_t id;
	unsigned int event;
};

/**
 * struct reader - a perf.data whose samples are read
 * @file:	it
 * @ev:		where to
 * @events:	one for each attribute
 * @ids:	which event an id is of, ascending; only where there is more than one event
 * @nr_ids:	how many
 * @stream:	decompressor, where something is compressed
 * @plain:	PLAIN_BUFFER bytes of decompressed records
 * @plain_len:	of them
 * @left:	bytes that may still be read or decompressed
 * @chain:	room for a call chain
 */
struct reader {
	const struct perf_file *file;
	struct evidence *ev;
	struct event *events;
	struct event_id *ids;
	size_t nr_ids;
	ZSTD_DStream *stream;
	unsigned char *plain;
	size_t plain_len;
	uint64_t left;
	uint64_t chain[CHAIN_MAX];
};

/*
 * Events
 */

/* perf keeps the text of the tracepoints' format files, see Documentation/trace/events.rst. */
static enum payload payload_of(uint64_t number, const char *formats)
{
	char id[32];
	const char *fields, *end;
	const char *probe, *function;

	if (number == TRACE_FN)
		return PAYLOAD_FUNCTION;
	snprintf(id, sizeof(id), "\nID: %llu\n", (unsigned long long)number);
	fields = formats ? strstr(formats, id) : NULL;
	end = fields ? strstr(fields, "\nprint fmt:") : NULL;
	if (!end)
		return PAYLOAD_NONE;
	probe = strstr(fields, " __probe_ip;\toffset:8;\tsize:8;");
	function = strstr(fields, " __probe_func;\toffset:8;\tsize:8;");
	if (probe && probe < end)
		return PAYLOAD_PROBE;
	return function && function < end ? PAYLOAD_RETURN_PROBE : PAYLOAD_NONE;
}

/* The formats as one string; NULL where there are none. */
static char *read_formats(const struct perf_file *file)
{
	const struct section *s = &file->features[FEATURE_TRACING_DATA];
	size_t len, i;
	char *text;
	ssize_t n;

	if (!file->feature_set[FEATURE_TRACING_DATA])
		return NULL;
	len = s->len < TRACING_DATA_MAX ? s->len : TRACING_DATA_MAX;
	text = malloc(len + 1);
	if (!text)
		return NULL;
	n = pread_full(file->trace->fd, text, len, s->offset);
	len = n < 0 ? 0 : (size_t)n;
	/* Numbers stand between the texts. */
	for (i = 0; i < len; i++)
		if (!text[i])
			text[i] = '\n';
	text[len] = '\0';
	return text;
}

static int by_id(const void *a, const void *b)
{
	const struct event_id *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static int read_ids(struct reader *reader, struct why *why)
{
	const struct perf_file *file = reader->file;
	unsigned char *raw = malloc(IDS_MAX * 8);
	unsigned int i;

	reader->ids = malloc(IDS_MAX * sizeof(*reader->ids));
	if (!reader->ids || !raw) {
		free(raw);
		return fail(why, "out of memory");
	}
	for (i = 0; i < file->nr_attrs; i++) {
		const struct section s = perf_ids(file, i);
		const size_t room = (IDS_MAX - reader->nr_ids) * 8;
		ssize_t at, n;

		n = pread_full(file->trace->fd, raw, s.len < room ? s.len : room, s.offset);
		for (at = 0; at + 8 <= n; at += 8)
			reader->ids[reader->nr_ids++] = (struct event_id){
				.id = get64(raw + at, file->big),
				.event = i,
			};
	}
	free(raw);
	qsort(reader->ids, reader->nr_ids, sizeof(*reader->ids), by_id);
	return 0;
}

static int read_events(struct reader *reader, struct why *why)
{
	const struct perf_file *file = reader->file;
	char *formats = read_formats(file);
	unsigned int i;

	reader->events = calloc(file->nr_attrs, sizeof(*reader->events));
	for (i = 0; reader->events && i < file->nr_attrs; i++) {
		const unsigned char *attr = file->attr_entries + i * file->attr_size;
		struct event *event = &reader->events[i];

		event->type = get64(attr + ATTR_SAMPLE_TYPE, file->big);
		event->read_format = get64(attr + ATTR_READ_FORMAT, file->big);
		if (get32(attr + ATTR_TYPE, file->big) == TYPE_TRACEPOINT)
			event->payload = payload_of(get64(attr + ATTR_CONFIG, file->big), formats);
	}
	free(formats);
	if (!reader->events)
		return fail(why, "out of memory");
	return file->nr_attrs > 1 ? read_ids(reader, why) : 0;
}

/*
 * Samples
 */

/**
 * struct cursor - the rest of a record
 * @at:		next byte
 * @len:	bytes left
 * @big:	byte order
 */
struct cursor {
	const unsigned char *at;
	size_t len;
	bool big;
};

static bool skip(struct cursor *c, uint64_t bytes)
{
	if (bytes > c->len)
		return false;
	c->at += bytes;
	c->len -= bytes;
	return true;
}

static bool take(struct cursor *c, uint64_t *value)
{
	if (c->len < 8)
		return false;
	*value = get64(c->at, c->big);
	return skip(c, 8);
}

static unsigned int bits(uint64_t value)
{
	return (unsigned int)__builtin_popcountll(value);
}

/* Where all events have the same fields in front, or say themselves which they are. */
static const struct event *event_of(const struct reader *reader, struct cursor c)
{
	const uint64_t type = reader->events[0].type;
	struct event_id key, *found;

	if (reader->file->nr_attrs == 1)
		return &reader->events[0];
	if (!(type & SAMPLE_TYPE_IDENTIFIER)) {
		const uint64_t before =
			SAMPLE_TYPE_IP | SAMPLE_TYPE_TID | SAMPLE_TYPE_TIME | SAMPLE_TYPE_ADDR;

		if (!(type & SAMPLE_TYPE_ID) || !skip(&c, 8 * bits(type & before)))
			return NULL;
	}
	if (!take(&c, &key.id) || !reader->nr_ids)
		return NULL;
	found = bsearch(&key, reader->ids, reader->nr_ids, sizeof(key), by_id);
	return found ? &reader->events[found->event] : NULL;
}

/* The values that were read with a sample (perf_event_open(2), read_format). */
static bool skip_read(struct cursor *c, uint64_t format)
{
	const unsigned int times = bits(format & (READ_TIME_ENABLED | READ_TIME_RUNNING));
	const unsigned int each = 1 + bits(format & (READ_ID | READ_LOST));
	uint64_t nr = 1;

	if (format & READ_GROUP && !take(c, &nr))
		return false;
	return nr <= c->len && skip(c, 8 * (times + nr * each));
}

/* A number, and as many addresses, with marks between those of the kernel, a guest and the user. */
static bool take_chain(struct reader *reader, struct cursor *c, size_t *frames)
{
	bool kernel = false;
	uint64_t nr, value;

	*frames = 0;
	if (!take(c, &nr))
		return false;
	while (nr--) {
		if (!take(c, &value))
			return false;
		if (value >= CONTEXT_MAX)
			kernel = value == CONTEXT_KERNEL;
		else if (kernel && value && *frames < CHAIN_MAX)
			/* Zeros stand between the frames of powerpc. */
			reader->chain[(*frames)++] = value;
	}
	return true;
}

static void take_payload(struct reader *reader, struct cursor *c, enum payload payload)
{
	uint64_t first, second;

	/* The size of the raw data, in 32 bits. */
	if (!skip(c, 4 + TRACE_ENTRY_SIZE) || !take(c, &first))
		return;
	evidence_add(reader->ev, first, EVIDENCE_ENTRY);
	if (payload != PAYLOAD_PROBE && take(c, &second))
		evidence_add(reader->ev, second, EVIDENCE_RETURN);
}

static void take_sample(struct reader *reader, const unsigned char *record, size_t size)
{
	static const uint64_t after_ip =
		SAMPLE_TYPE_TID | SAMPLE_TYPE_TIME | SAMPLE_TYPE_ADDR | SAMPLE_TYPE_ID |
		SAMPLE_TYPE_STREAM_ID | SAMPLE_TYPE_CPU | SAMPLE_TYPE_PERIOD;
	const bool big = reader->file->big;
	const unsigned int mode = get16(record + RECORD_MISC, big) & MISC_CPUMODE;
	struct cursor c = { record + RECORD_HEADER_SIZE, size - RECORD_HEADER_SIZE, big };
	const struct event *event = event_of(reader, c);
	size_t frames = 0;
	uint64_t ip = 0;

	if (!event || (event->type & SAMPLE_TYPE_IDENTIFIER && !skip(&c, 8)) ||
	    (event->type & SAMPLE_TYPE_IP && !take(&c, &ip)) ||
	    !skip(&c, 8 * bits(event->type & after_ip)) ||
	    (event->type & SAMPLE_TYPE_READ && !skip_read(&c, event->read_format)) ||
	    (event->type & SAMPLE_TYPE_CALLCHAIN && !take_chain(reader, &c, &frames)))
		return;
	/* The chain begins with the same address; a user's sample may have one of the kernel. */
	if (event->payload != PAYLOAD_NONE) {
		if (frames > 1)
			evidence_chain(reader->ev, reader->chain + 1, frames - 1);
	} else if (frames) {
		evidence_chain(reader->ev, reader->chain, frames);
	} else if (mode == MISC_KERNEL && event->type & SAMPLE_TYPE_IP) {
		evidence_add(reader->ev, ip, EVIDENCE_IP);
	}
	if (event->payload != PAYLOAD_NONE && event->type & SAMPLE_TYPE_RAW)
		take_payload(reader, &c, event->payload);
}

/*
 * Records
 */

static void take_plain(struct reader *reader)
{
	const bool big = reader->file->big;
	size_t at = 0;

	while (at + RECORD_HEADER_SIZE <= reader->plain_len) {
		const unsigned char *record = reader->plain + at;
		const size_t size = get16(record + RECORD_SIZE, big);

		if (size < RECORD_HEADER_SIZE) {
			/* Nothing tells where the next one is. */
			at = reader->plain_len;
			break;
		}
		if (size > reader->plain_len - at)
			break;
		if (get32(record + RECORD_TYPE, big) == RECORD_SAMPLE)
			take_sample(reader, record, size);
		at += size;
	}
	reader->plain_len -= at;
	memmove(reader->plain, reader->plain + at, reader->plain_len);
}

/* Records go on from one piece of the stream to the next. */
static int take_compressed(struct reader *reader, const unsigned char *data, size_t len,
			   struct why *why)
{
	ZSTD_inBuffer in = { data, len, 0 };

	if (!reader->stream) {
		reader->plain = malloc(PLAIN_BUFFER);
		reader->stream = ZSTD_createDStream();
		if (!reader->plain || !reader->stream)
			return fail(why, "out of memory");
	}
	while (reader->left) {
		ZSTD_outBuffer out = { reader->plain + reader->plain_len,
				       PLAIN_BUFFER - reader->plain_len, 0 };
		const size_t status = ZSTD_decompressStream(reader->stream, &out, &in);

		if (ZSTD_isError(status))
			return fail(why, "its compressed data are damaged: %s",
				    ZSTD_getErrorName(status));
		reader->plain_len += out.pos;
		reader->left -= out.pos < reader->left ? out.pos : reader->left;
		take_plain(reader);
		/* Room that is left means that the input is used up. */
		if (out.pos < out.size && in.pos == in.size)
			break;
	}
	return 0;
}

static int take_record(struct reader *reader, const struct perf_walk *walk, struct why *why)
{
	const bool big = reader->file->big;
	uint64_t len;

	reader->left -= walk->size < reader->left ? walk->size : reader->left;
	switch (get32(walk->record + RECORD_TYPE, big)) {
	case RECORD_SAMPLE:
		take_sample(reader, walk->record, walk->size);
		return 0;
	case RECORD_COMPRESSED:
		return take_compressed(reader, walk->record + COMPRESSED_DATA,
				       walk->size - COMPRESSED_DATA, why);
	case RECORD_COMPRESSED2:
		if (walk->size < COMPRESSED2_DATA)
			return 0;
		len = get64(walk->record + COMPRESSED2_SIZE, big);
		if (len > walk->size - COMPRESSED2_DATA)
			return fail(why, "its compressed data are damaged");
		return take_compressed(reader, walk->record + COMPRESSED2_DATA, len, why);
	default:
		return 0;
	}
}

static int take_records(struct reader *reader, const struct perf_file *file,
			const struct section *data, struct why *why)
{
	struct perf_walk walk;
	int err = 0;

	if (perf_walk_start(&walk, file, data, UINT64_MAX, why))
		return -1;
	while (!err && reader->left && perf_walk_next(&walk))
		err = take_record(reader, &walk, why);
	perf_walk_end(&walk);
	return err;
}

/*
 * perf record --threads leaves a directory with the samples in files of nothing but records,
 * data.0 and so on, beside the one that says how to read them.
 */
static int take_thread_files(struct reader *reader, struct why *why)
{
	const struct trace *trace = reader->file->trace;
	int err = 0;
	unsigned int i;

	if (!trace->file || !strcmp(trace->file, trace->path))
		return 0;
	for (i = 0; !err && reader->left; i++) {
		struct perf_file part = *reader->file;
		struct trace records = *trace;
		struct section all = { 0 };
		struct stat st;
		char *name;

		if (asprintf(&name, "%s.%u", trace->file, i) < 0)
			return fail(why, "out of memory");
		records.fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		free(name);
		if (records.fd < 0)
			break;
		if (!fstat(records.fd, &st) && S_ISREG(st.st_mode)) {
			all.len = (uint64_t)st.st_size;
			part.trace = &records;
			/* Each is compressed for itself. */
			reader->plain_len = 0;
			if (reader->stream)
				ZSTD_initDStream(reader->stream);
			err = take_records(reader, &part, &all, why);
		}
		close(records.fd);
	}
	return err;
}

/**
 * perf_evidence - the kernel addresses in the samples of a perf.data
 * @trace:	the file
 * @ev:		where to
 * @limit:	bytes that are read at most, and decompressed
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int perf_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit, struct why *why)
{
	struct reader *reader;
	struct perf_file file;
	int err;

	if (perf_open(&file, trace, why))
		return -1;
	reader = calloc(1, sizeof(*reader));
	if (!reader) {
		perf_close(&file);
		return fail(why, "out of memory");
	}
	reader->file = &file;
	reader->ev = ev;
	reader->left = limit;
	err = read_events(reader, why) || take_records(reader, &file, &file.data, why) ||
	      take_thread_files(reader, why) ? -1 : 0;
	ZSTD_freeDStream(reader->stream);
	free(reader->plain);
	free(reader->ids);
	free(reader->events);
	free(reader);
	perf_close(&file);
	return err;
}
