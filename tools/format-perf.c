// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf.data, as perf record writes it to a file.
 *
 * The stamp is the record that perf itself would have written, had it been allowed to know: a
 * kernel MMAP2 with pid -1, named after the anchor, with its run-time address (machine.c and
 * synthetic-events.c in tools/perf/util). Readers process records in order, so it has to come
 * before the samples, and a file cannot grow in front. But the event attributes, which perf puts
 * between header and data, may be anywhere: they move to the end, and the place they leave takes
 * the record. Nothing else moves, so the cost does not depend on the size of the file.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "loaded.h"
#include "perf-data.h"
#include "perf-file.h"
#include "trace.h"

#define KERNEL_NAME	"[kernel.kallsyms]"

/* Limits on what is read, so that the time does not depend on the file. */
#define SCAN_BYTES	(8u << 20)
#define WALK_BUFFER	(128u << 10)
#define BUILD_IDS_BYTES	(1u << 20)
/* What disks write whole or not at all. */
#define SECTOR		512

/* An attr is 64 bytes in the first version and 136 now. */
#define ATTR_SIZE_MAX	4096

static bool perf_probe(const unsigned char *head, size_t len)
{
	return len >= 8 && (!memcmp(head, "PERFILE2", 8) || !memcmp(head, "2ELIFREP", 8) ||
			    !memcmp(head, "PERFFILE", 8));
}

static struct section get_section(const unsigned char *p, bool big)
{
	return (struct section){
		.offset = get64(p + SECTION_OFFSET, big),
		.len = get64(p + SECTION_LEN, big),
	};
}

static int read_header(struct perf_file *file, unsigned char head[PERF_HEADER_SIZE],
		       struct why *why)
{
	ssize_t n = pread_full(file->trace->fd, head, PERF_HEADER_SIZE, 0);
	uint64_t size;

	if (n < 0)
		return fail(why, "%s", strerror(errno));
	if (n < PERF_PIPE_HEADER_SIZE)
		return fail(why, "is truncated: it ends within the header");
	if (!memcmp(head, "PERFFILE", 8))
		return fail(why, "written by perf from before 2.6.36, which kreloc cannot read");
	file->big = !memcmp(head, "2ELIFREP", 8);
	size = get64(head + PERF_SIZE, file->big);
	file->pipe = size == PERF_PIPE_HEADER_SIZE;
	if (file->pipe)
		return 0;
	if (size != PERF_HEADER_SIZE)
		return fail(why, "has a header of %llu bytes, which no perf writes",
			    (unsigned long long)size);
	if (n < PERF_HEADER_SIZE)
		return fail(why, "is truncated: it ends within the header");
	return 0;
}

static void note_end(struct perf_file *file, const struct section *s)
{
	if (s->len && s->offset + s->len > file->end)
		file->end = s->offset + s->len;
}

static int read_attrs(struct perf_file *file, struct why *why)
{
	const uint64_t size = file->trace->size;
	unsigned int i;

	if (file->attr_size < ATTR_SIZE_MIN + SECTION_SIZE || file->attr_size > ATTR_SIZE_MAX ||
	    file->attr_size % 8 || !file->attrs.len || file->attrs.len % file->attr_size)
		return fail(why, "its event attributes are damaged");
	if (!in_bounds(file->attrs.offset, file->attrs.len, size))
		return fail(why, "is truncated: its event attributes are beyond its end");
	if (file->attrs.len > STAMP_PAYLOAD_MAX)
		return fail(why, "has more events than kreloc can handle");

	file->attr_entries = malloc(file->attrs.len);
	if (!file->attr_entries)
		return fail(why, "out of memory");
	file->nr_attrs = (unsigned int)(file->attrs.len / file->attr_size);
	if (trace_read(file->trace, file->attr_entries, file->attrs.len, file->attrs.offset, why))
		return -1;
	for (i = 0; i < file->nr_attrs; i++) {
		const unsigned char *entry = file->attr_entries + i * file->attr_size;
		const struct section ids =
			get_section(entry + file->attr_size - SECTION_SIZE, file->big);

		if (!in_bounds(ids.offset, ids.len, size))
			return fail(why, "is truncated: event ids are beyond its end");
		note_end(file, &ids);
	}
	return 0;
}

static bool bit_set(const unsigned char *bitmap, unsigned int bit, unsigned int word, bool big)
{
	return get_bytes(bitmap + bit / (8 * word) * word, word, big) >> bit % (8 * word) & 1;
}

/*
 * The bitmap is an array of longs, and only who wrote it knows how long they were. On big-endian
 * machines it matters; perf looks whether the bit of the host's name is where it should be.
 */
static unsigned int bitmap_word(const unsigned char *bitmap, bool big)
{
	return !bit_set(bitmap, FEATURE_HOSTNAME, 8, big) &&
	       bit_set(bitmap, FEATURE_HOSTNAME, 4, big) ? 4 : 8;
}

/* One entry after the data for each bit that is set, in the order of the bits. */
static int read_features(struct perf_file *file, const unsigned char *bitmap, struct why *why)
{
	const unsigned int word = bitmap_word(bitmap, file->big);
	uint64_t at = file->data.offset + file->data.len;
	unsigned int bit;

	for (bit = 0; bit < PERF_FEATURE_BITS; bit++) {
		unsigned char entry[SECTION_SIZE];
		struct section *s = &file->features[bit];

		if (!bit_set(bitmap, bit, word, file->big))
			continue;
		if (!in_bounds(at, sizeof(entry), file->trace->size))
			return fail(why, "is truncated: it ends within the table of its features");
		if (trace_read(file->trace, entry, sizeof(entry), at, why))
			return -1;
		at += sizeof(entry);
		*s = get_section(entry, file->big);
		if (!in_bounds(s->offset, s->len, file->trace->size))
			return fail(why, "is truncated: feature %u is beyond its end", bit);
		file->feature_set[bit] = true;
		note_end(file, s);
	}
	if (at > file->end)
		file->end = at;
	return 0;
}

/**
 * perf_walk_start - start to go through records
 * @walk:	filled, then to be freed with perf_walk_end()
 * @file:	the file
 * @section:	where they are
 * @budget:	how many bytes may be read
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int perf_walk_start(struct perf_walk *walk, const struct perf_file *file,
		    const struct section *section, uint64_t budget, struct why *why)
{
	memset(walk, 0, sizeof(*walk));
	walk->file = file;
	walk->at = section->offset;
	walk->end = section->offset + section->len;
	walk->budget = budget;
	walk->buf = malloc(WALK_BUFFER);
	if (!walk->buf)
		return fail(why, "out of memory");
	return 0;
}

/**
 * perf_walk_end - stop
 * @walk:	started by perf_walk_start()
 */
void perf_walk_end(struct perf_walk *walk)
{
	free(walk->buf);
}

/* Makes @len bytes at walk->at available, and as many more as fit. */
static bool walk_fill(struct perf_walk *walk, size_t len)
{
	size_t want = WALK_BUFFER;
	ssize_t n;

	if (walk->at > walk->end || len > walk->end - walk->at)
		return false;
	if (walk->at >= walk->buf_at && in_bounds(walk->at - walk->buf_at, len, walk->buf_len))
		return true;
	if (want > walk->end - walk->at)
		want = walk->end - walk->at;
	if (want > walk->budget)
		want = walk->budget;
	n = pread_full(walk->file->trace->fd, walk->buf, want, walk->at);
	walk->budget -= want;
	walk->buf_at = walk->at;
	walk->buf_len = n < 0 ? 0 : (size_t)n;
	return walk->buf_len >= len;
}

/**
 * perf_walk_next - go to the next record
 * @walk:	its record and size are then that one's
 *
 * Return: false at the end, and where the records cannot be followed any further.
 */
bool perf_walk_next(struct perf_walk *walk)
{
	const bool big = walk->file->big;

	if (walk->record) {
		const uint64_t payload = perf_payload(walk->record, walk->size, big);

		if (payload > walk->end - walk->at)
			return false;
		walk->at += walk->size + payload;
	}
	walk->record = NULL;
	if (!walk_fill(walk, RECORD_HEADER_SIZE))
		return false;
	walk->size = get16(walk->buf + (walk->at - walk->buf_at) + RECORD_SIZE, big);
	if (walk->size < RECORD_HEADER_SIZE || !walk_fill(walk, walk->size))
		return false;
	walk->record = walk->buf + (walk->at - walk->buf_at);
	return true;
}

/**
 * perf_close - free what perf_open() read
 * @file:	filled by it
 */
void perf_close(struct perf_file *file)
{
	free(file->attr_entries);
}

/* Entries as in the table of a file, all of the first one's size, with no ids. */
static int add_pipe_attr(struct perf_file *file, const struct perf_walk *walk, struct why *why)
{
	const unsigned char *attr = walk->record + RECORD_HEADER_SIZE;
	unsigned char *entries;
	uint32_t size;

	if (walk->size < RECORD_HEADER_SIZE + ATTR_SIZE_MIN)
		return fail(why, "its event attributes are damaged");
	size = get32(attr + ATTR_SIZE_AT, file->big);
	if (size < ATTR_SIZE_MIN || size > ATTR_SIZE_MAX || size > walk->size - RECORD_HEADER_SIZE ||
	    (file->nr_attrs && size + SECTION_SIZE != file->attr_size))
		return fail(why, "its event attributes are damaged");
	file->attr_size = size + SECTION_SIZE;
	if ((file->nr_attrs + 1) * file->attr_size > STAMP_PAYLOAD_MAX)
		return fail(why, "has more events than kreloc can handle");
	entries = realloc(file->attr_entries, (file->nr_attrs + 1) * file->attr_size);
	if (!entries)
		return fail(why, "out of memory");
	file->attr_entries = entries;
	entries += file->nr_attrs++ * file->attr_size;
	memset(entries, 0, file->attr_size);
	memcpy(entries, attr, size);
	return 0;
}

static void add_pipe_feature(struct perf_file *file, const struct perf_walk *walk)
{
	uint64_t bit;

	if (walk->size < FEATURE_DATA)
		return;
	bit = get64(walk->record + FEATURE_BIT, file->big);
	if (bit >= PERF_FEATURE_BITS)
		return;
	file->feature_set[bit] = true;
	file->features[bit].offset = walk->at + FEATURE_DATA;
	file->features[bit].len = walk->size - FEATURE_DATA;
}

/* Does it describe the recording, before anything happens? */
static bool is_prologue(uint32_t type)
{
	return type == RECORD_ATTR || type == RECORD_EVENT_TYPE || type == RECORD_TRACING_DATA ||
	       type == RECORD_BUILD_ID || type == RECORD_ID_INDEX || type == RECORD_AUXTRACE_INFO ||
	       type == RECORD_THREAD_MAP || type == RECORD_CPU_MAP || type == RECORD_EVENT_UPDATE ||
	       type == RECORD_TIME_CONV || type == RECORD_FEATURE;
}

static int open_pipe(struct perf_file *file, struct why *why)
{
	struct perf_walk walk;
	int err = 0;

	file->data.offset = PERF_PIPE_HEADER_SIZE;
	file->data.len = file->trace->size - PERF_PIPE_HEADER_SIZE;
	file->end = file->trace->size;
	if (perf_walk_start(&walk, file, &file->data, SCAN_BYTES, why))
		return -1;
	while (!err && perf_walk_next(&walk)) {
		const uint32_t type = get32(walk.record + RECORD_TYPE, file->big);

		if (!is_prologue(type))
			break;
		if (type == RECORD_ATTR)
			err = add_pipe_attr(file, &walk, why);
		else if (type == RECORD_FEATURE)
			add_pipe_feature(file, &walk);
	}
	if (!err && !walk.record)
		err = fail(why, "is truncated: it ends before anything was recorded");
	if (!err && !file->nr_attrs)
		err = fail(why, "is damaged: something happens in it before there is any event");
	file->body = walk.at;
	perf_walk_end(&walk);
	if (err)
		perf_close(file);
	return err;
}

/**
 * perf_ids - where the ids of an event are
 * @file:	the file
 * @i:		number of its attribute
 *
 * Return: a section that lies within the file.
 */
struct section perf_ids(const struct perf_file *file, unsigned int i)
{
	return get_section(file->attr_entries + (i + 1) * file->attr_size - SECTION_SIZE,
			   file->big);
}

/**
 * perf_open - read the headers of a perf.data
 * @file:	filled on success, then to be freed with perf_close()
 * @trace:	the file
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int perf_open(struct perf_file *file, const struct trace *trace, struct why *why)
{
	unsigned char head[PERF_HEADER_SIZE];

	memset(file, 0, sizeof(*file));
	file->trace = trace;
	if (read_header(file, head, why))
		return -1;
	if (file->pipe)
		return open_pipe(file, why);
	file->attr_size = get64(head + PERF_ATTR_SIZE, file->big);
	file->attrs = get_section(head + PERF_ATTRS, file->big);
	file->data = get_section(head + PERF_DATA, file->big);
	file->event_types = get_section(head + PERF_EVENT_TYPES, file->big);

	if (!file->data.len)
		return fail(why, "is not finished: perf is still writing it, or was killed");
	if (file->data.offset < PERF_HEADER_SIZE)
		return fail(why, "its header is damaged: the data begin within it");
	if (!in_bounds(file->data.offset, file->data.len, trace->size))
		return fail(why, "is truncated: its data are beyond its end");
	if (!in_bounds(file->event_types.offset, file->event_types.len, trace->size))
		return fail(why, "is truncated: its event types are beyond its end");

	note_end(file, &file->attrs);
	note_end(file, &file->data);
	note_end(file, &file->event_types);
	if (read_attrs(file, why) || read_features(file, head + PERF_FEATURES, why)) {
		perf_close(file);
		return -1;
	}
	return 0;
}

/* A feature that is a string: u32 length, and the bytes with their NUL and padding. */
static void read_string(const struct perf_file *file, unsigned int feature, char *to, size_t room)
{
	const struct section *s = &file->features[feature];
	unsigned char buf[4 + 256];
	ssize_t n;
	uint32_t len;

	to[0] = '\0';
	if (!file->feature_set[feature] || s->len < 4)
		return;
	n = s->len < sizeof(buf) ? (ssize_t)s->len : (ssize_t)sizeof(buf);
	n = pread_full(file->trace->fd, buf, (size_t)n, s->offset);
	if (n < 4)
		return;
	len = get32(buf, file->big);
	if (len > (size_t)n - 4)
		return;
	len = strnlen((char *)buf + 4, len);
	if (len < room) {
		memcpy(to, buf + 4, len);
		to[len] = '\0';
	}
}

/* perf names a kernel by one of these, or by the vmlinux that it found for it. */
static bool is_kernel_dso(const char *name)
{
	const char *base = strrchr(name, '/');

	return !strncmp(name, KERNEL_NAME, strlen(KERNEL_NAME)) || !strcmp(name, "[kernel]") ||
	       (base && !strncmp(base, "/vmlinux", strlen("/vmlinux")));
}

static bool kernel_build_id(const unsigned char *record, size_t len, bool big, struct build_id *id)
{
	const unsigned int misc = get16(record + RECORD_MISC, big);
	const char *at = (const char *)record + BUILD_ID_RECORD_NAME;
	size_t size = BUILD_ID_LEN;
	char name[256];

	if ((misc & MISC_CPUMODE) != MISC_KERNEL || len <= BUILD_ID_RECORD_NAME)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)(len - BUILD_ID_RECORD_NAME), at);
	if (!is_kernel_dso(name))
		return false;
	if (misc & MISC_BUILD_ID_SIZE)
		size = record[BUILD_ID_RECORD_ID_SIZE];
	build_id_set(id, record + BUILD_ID_RECORD_ID, size);
	return true;
}

static int read_build_id(const struct perf_file *file, struct build_id *id, struct why *why)
{
	struct perf_walk walk;

	if (!file->feature_set[FEATURE_BUILD_ID])
		return 0;
	if (perf_walk_start(&walk, file, &file->features[FEATURE_BUILD_ID], BUILD_IDS_BYTES, why))
		return -1;
	while (perf_walk_next(&walk))
		if (kernel_build_id(walk.record, walk.size, file->big, id))
			break;
	perf_walk_end(&walk);
	return 0;
}

static uint64_t first_attr(const struct perf_file *file, size_t field)
{
	return get64(file->attr_entries + field, file->big);
}

static void read_last_time(const struct perf_file *file, struct facts *facts)
{
	const struct section *s = &file->features[FEATURE_SAMPLE_TIME];
	unsigned char times[16];

	/* Samples on another clock than the scheduler's tell nothing about a boot. */
	if (first_attr(file, ATTR_FLAGS) & ATTR_FLAG(ATTR_FLAG_USE_CLOCKID, file->big))
		return;
	if (file->feature_set[FEATURE_SAMPLE_TIME] && s->len >= sizeof(times) &&
	    pread_full(file->trace->fd, times, sizeof(times), s->offset) == sizeof(times))
		facts->last_time = get64(times + 8, file->big);
}

static void read_memory(const struct perf_file *file, struct facts *facts)
{
	const struct section *s = &file->features[FEATURE_TOTAL_MEM];
	unsigned char memory[8];

	if (file->feature_set[FEATURE_TOTAL_MEM] && s->len >= sizeof(memory) &&
	    pread_full(file->trace->fd, memory, sizeof(memory), s->offset) == sizeof(memory))
		facts->memory = get64(memory, file->big);
}

/**
 * struct layout - where in a sample its addresses are
 * @ip:		of the instruction, 0 where it has none
 * @chain:	of the call chain, 0 where it has none or it cannot be told
 */
struct layout {
	size_t ip;
	size_t chain;
};

/*
 * Fields come in a fixed order (perf_event_open(2)), each 8 bytes up to the values that were read,
 * whose number varies. Events with different fields could be told apart by their ids, which is
 * not worth it: perf gives all the same, but for what comes behind these.
 */
static struct layout sample_layout(const struct perf_file *file)
{
	static const uint64_t before_chain =
		SAMPLE_TYPE_IDENTIFIER | SAMPLE_TYPE_IP | SAMPLE_TYPE_TID | SAMPLE_TYPE_TIME |
		SAMPLE_TYPE_ADDR | SAMPLE_TYPE_ID | SAMPLE_TYPE_STREAM_ID | SAMPLE_TYPE_CPU |
		SAMPLE_TYPE_PERIOD;
	static const uint64_t mask = before_chain | SAMPLE_TYPE_READ | SAMPLE_TYPE_CALLCHAIN;
	const uint64_t type = first_attr(file, ATTR_SAMPLE_TYPE);
	struct layout layout = { 0 };
	uint64_t differ = 0;
	unsigned int i;

	for (i = 1; i < file->nr_attrs; i++)
		differ |= type ^ get64(file->attr_entries + i * file->attr_size + ATTR_SAMPLE_TYPE,
				       file->big);
	if (type & SAMPLE_TYPE_IP && !(differ & (SAMPLE_TYPE_IDENTIFIER | SAMPLE_TYPE_IP)))
		layout.ip = RECORD_HEADER_SIZE + (type & SAMPLE_TYPE_IDENTIFIER ? 8 : 0);
	if (type & SAMPLE_TYPE_CALLCHAIN && !(type & SAMPLE_TYPE_READ) && !(differ & mask))
		layout.chain = RECORD_HEADER_SIZE +
			       8 * (size_t)__builtin_popcountll(type & before_chain);
	return layout;
}

/* A chain is a number and as many addresses, with marks between those of kernel and user. */
static void take_callers(const struct perf_walk *walk, size_t at, struct facts *facts)
{
	const bool big = walk->file->big;
	unsigned int n = facts->nr_callers;
	bool kernel = false;
	uint64_t nr;

	if (walk->size < at + 8)
		return;
	nr = get64(walk->record + at, big);
	while (nr-- && n < FACTS_CALLERS) {
		uint64_t address;

		at += 8;
		if (walk->size < at + 8)
			return;
		address = get64(walk->record + at, big);

		if (address >= CONTEXT_MAX)
			kernel = address == CONTEXT_KERNEL;
		else if (kernel)
			facts->callers[n++] = address;
	}
	/* Only whole chains. */
	if (n == facts->nr_callers || n == FACTS_CALLERS)
		return;
	facts->callers[n++] = 0;
	facts->nr_callers = n;
}

static void look_at_sample(const struct perf_walk *walk, const struct layout *layout,
			   struct facts *facts)
{
	const bool big = walk->file->big;

	if (facts->nr_ips == FACTS_IPS ||
	    (get16(walk->record + RECORD_MISC, big) & MISC_CPUMODE) != MISC_KERNEL)
		return;
	if (layout->ip && walk->size >= layout->ip + 8)
		facts->ips[facts->nr_ips++] = get64(walk->record + layout->ip, big);
	if (layout->chain)
		take_callers(walk, layout->chain, facts);
}

/* A stamp without a place of its own in the file is within the record that it put there. */
static void take_embedded(const struct perf_walk *walk, size_t at, struct facts *facts)
{
	struct stamp_block *block = &facts->block;

	if (at >= walk->size ||
	    stamp_block_extract(walk->record + at, walk->size - at, block))
		return;
	facts->has_block = true;
	block->gap.at = walk->at;
	block->gap.len = walk->size;
}

/* The kernel's own MMAP record, with or without an address in it, and those of its modules. */
static void look_at_mmap(const struct perf_walk *walk, struct facts *facts)
{
	const bool big = walk->file->big;
	const size_t name_at =
		get32(walk->record + RECORD_TYPE, big) == RECORD_MMAP2 ? MMAP2_NAME : MMAP_NAME;
	const char *name = (const char *)walk->record + name_at;
	const bool second = facts->state == TRACE_HOLLOW && walk->file->pipe;
	size_t len;

	if (walk->size <= name_at ||
	    (get16(walk->record + RECORD_MISC, big) & MISC_CPUMODE) != MISC_KERNEL ||
	    get32(walk->record + MMAP_PID, big) != UINT32_MAX)
		return;
	len = strnlen(name, walk->size - name_at);
	if (len < strlen(KERNEL_NAME) || memcmp(name, KERNEL_NAME, strlen(KERNEL_NAME))) {
		facts->has_modules |= name[0] == '/' || name[0] == '[';
		return;
	}
	/* Only where it cannot be put right in place there is another behind a hollow one. */
	if (facts->state != TRACE_BLIND && !second)
		return;
	facts->text = get64(walk->record + MMAP_PGOFF, big);
	facts->state = facts->text ? TRACE_RECORDED : TRACE_HOLLOW;
	facts->record_at = walk->at;
	if (walk->file->pipe && name_at == MMAP2_NAME)
		take_embedded(walk, MMAP2_NAME + round_up(len + 1, 8), facts);
	len -= strlen(KERNEL_NAME);
	if (len < sizeof(facts->anchor)) {
		memcpy(facts->anchor, name + strlen(KERNEL_NAME), len);
		facts->anchor[len] = '\0';
	}
}

/*
 * Looks at the first records. perf writes the kernel's MMAP before all but a few others, or with
 * --tail-synthesize behind the samples, where it is found in small files only; a stamp does no harm
 * then. Samples come behind what describes that which was running already, a few megabytes on a
 * busy machine.
 */
static int scan(const struct perf_file *file, struct facts *facts, struct why *why)
{
	const struct layout layout = sample_layout(file);
	const bool big = file->big;
	struct perf_walk walk;

	if (perf_walk_start(&walk, file, &file->data, SCAN_BYTES, why))
		return -1;
	while (perf_walk_next(&walk)) {
		switch (get32(walk.record + RECORD_TYPE, big)) {
		case RECORD_MMAP:
		case RECORD_MMAP2:
			look_at_mmap(&walk, facts);
			break;
		case RECORD_SAMPLE:
			look_at_sample(&walk, &layout, facts);
			break;
		case RECORD_BUILD_ID:
			if (!facts->build_id.size)
				kernel_build_id(walk.record, walk.size, big, &facts->build_id);
			break;
		}
	}
	perf_walk_end(&walk);
	return 0;
}

static int perf_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	struct perf_file file;
	int err;

	if (perf_open(&file, trace, why))
		return -1;
	read_string(&file, FEATURE_OSRELEASE, facts->release, sizeof(facts->release));
	read_string(&file, FEATURE_ARCH, facts->machine, sizeof(facts->machine));
	read_string(&file, FEATURE_HOSTNAME, facts->host, sizeof(facts->host));
	read_memory(&file, facts);
	read_last_time(&file, facts);
	facts->end = file.end;
	facts->attrs_at = file.attrs.offset;
	err = read_build_id(&file, &facts->build_id, why) || scan(&file, facts, why) ? -1 : 0;
	if (err)
		facts_free(facts);
	perf_close(&file);
	return err;
}

/* What follows every record but samples, for a sample_type (evsel__id_hdr_size()). */
static size_t sample_id_size(const struct perf_file *file)
{
	static const uint64_t fields[] = {
		SAMPLE_TYPE_TID, SAMPLE_TYPE_TIME, SAMPLE_TYPE_ID,
		SAMPLE_TYPE_STREAM_ID, SAMPLE_TYPE_CPU, SAMPLE_TYPE_IDENTIFIER,
	};
	const uint64_t type = first_attr(file, ATTR_SAMPLE_TYPE);
	size_t size = 0;
	unsigned int i;

	if (!(first_attr(file, ATTR_FLAGS) & ATTR_FLAG(ATTR_FLAG_SAMPLE_ID_ALL, file->big)))
		return 0;
	for (i = 0; i < ARRAY_SIZE(fields); i++)
		if (type & fields[i])
			size += 8;
	return size;
}

/**
 * struct mmap2 - what a kernel MMAP2 record is to say
 * @name:	of what is there
 * @start:	where it begins
 * @len:	bytes
 * @pgoff:	see machine__process_kernel_mmap_event() in tools/perf/util/machine.c
 * @build_id:	size 0 where not known
 */
struct mmap2 {
	const char *name;
	uint64_t start;
	uint64_t len;
	uint64_t pgoff;
	const struct build_id *build_id;
};

/* Between name and sample id there are @extra bytes, where no reader looks. */
static size_t mmap2_size(const struct perf_file *file, const struct mmap2 *mmap2, size_t extra)
{
	return MMAP2_NAME + round_up(strlen(mmap2->name) + 1, 8) + extra + sample_id_size(file);
}

/* Zeros in the sample id are right: readers take id 0 for the first event, and time 0 for now. */
static void put_mmap2(const struct perf_file *file, const struct mmap2 *mmap2, size_t size,
		      unsigned char *record)
{
	const struct build_id *build_id = mmap2->build_id;
	const bool big = file->big;
	unsigned int misc = MISC_KERNEL;

	if (build_id->size) {
		misc |= MISC_MMAP_BUILD_ID;
		record[MMAP2_BUILD_ID_SIZE] = (unsigned char)build_id->size;
		memcpy(record + MMAP2_BUILD_ID, build_id->data, build_id->size);
	}
	put32(record + RECORD_TYPE, RECORD_MMAP2, big);
	put16(record + RECORD_MISC, (uint16_t)misc, big);
	put16(record + RECORD_SIZE, (uint16_t)size, big);
	put32(record + MMAP_PID, UINT32_MAX, big);
	put64(record + MMAP_START, mmap2->start, big);
	put64(record + MMAP_LEN, mmap2->len, big);
	put64(record + MMAP_PGOFF, mmap2->pgoff, big);
	memcpy(record + MMAP2_NAME, mmap2->name, strlen(mmap2->name));
}

static unsigned char *make_record(const struct perf_file *file, const struct stamp_info *info,
				  size_t extra, struct stamp_job *job, size_t *len,
				  struct why *why)
{
	char name[sizeof(KERNEL_NAME) + STAMP_ANCHOR_LEN];
	const struct mmap2 mmap2 = {
		.name = name,
		.start = info->text,
		.len = info->text_size,
		.pgoff = info->text,
		.build_id = &info->build_id,
	};
	unsigned char *record;

	snprintf(name, sizeof(name), KERNEL_NAME "%s", info->anchor);
	*len = mmap2_size(file, &mmap2, extra);
	record = stamp_job_alloc(job, *len, why);
	if (record)
		put_mmap2(file, &mmap2, *len, record);
	return record;
}

/*
 * As perf_event__synthesize_modules() has them: by the name of the file, and where that is not
 * known by that of the module in brackets.
 */
static struct mmap2 module_mmap2(const struct loaded_module *module, char *name, size_t size)
{
	if (module->file)
		snprintf(name, size, "%s", module->file);
	else
		snprintf(name, size, "[%s]", module->name);
	return (struct mmap2){
		.name = name,
		.start = module->text,
		.len = module->size,
		.build_id = &module->build_id,
	};
}

/* The records of all modules; NULL with a @len of 0 where none are wanted. */
static int make_modules(const struct perf_file *file, const struct loaded *loaded,
			struct stamp_job *job, unsigned char **records, size_t *len,
			struct why *why)
{
	char name[PATH_MAX];
	struct mmap2 mmap2;
	unsigned char *p;
	size_t i, size;

	*records = NULL;
	*len = 0;
	if (!loaded || !loaded->nr)
		return 0;
	for (i = 0; i < loaded->nr; i++) {
		mmap2 = module_mmap2(&loaded->list[i], name, sizeof(name));
		*len += mmap2_size(file, &mmap2, 0);
	}
	*records = stamp_job_alloc(job, *len, why);
	if (!*records)
		return -1;
	for (i = 0, p = *records; i < loaded->nr; i++, p += size) {
		mmap2 = module_mmap2(&loaded->list[i], name, sizeof(name));
		size = mmap2_size(file, &mmap2, 0);
		put_mmap2(file, &mmap2, size, p);
	}
	return 0;
}

static bool overlap(const struct section *a, const struct section *b)
{
	return a->len && b->len && a->offset < b->offset + b->len && b->offset < a->offset + a->len;
}

/* Only attributes and their ids can be moved; whatever else is in the way has to stay. */
static bool can_be_cleared(const struct perf_file *file, const struct section *hole)
{
	unsigned int i;

	if (hole->offset < PERF_HEADER_SIZE || overlap(&file->event_types, hole))
		return false;
	for (i = 0; i < PERF_FEATURE_BITS; i++)
		if (file->feature_set[i] && overlap(&file->features[i], hole))
			return false;
	return true;
}

static bool attrs_overlap(const struct perf_file *file, const struct section *hole)
{
	unsigned int i;

	for (i = 0; i < file->nr_attrs; i++) {
		const struct section ids = get_section(
			file->attr_entries + (i + 1) * file->attr_size - SECTION_SIZE, file->big);

		if (overlap(&ids, hole))
			return true;
	}
	return overlap(&file->attrs, hole);
}

/*
 * Copies of the attributes, and behind them of those ids that are in the hole. The others stay
 * where they are: on a large machine there are a lot of them.
 */
static int move_attrs(const struct perf_file *file, const struct section *hole,
		      struct stamp_job *job, struct why *why)
{
	const uint64_t payload_at = stamp_payload_at(file->trace->size);
	size_t len = file->attrs.len;
	unsigned char *payload;
	unsigned int i;

	for (i = 0; i < file->nr_attrs; i++) {
		const struct section ids = get_section(
			file->attr_entries + (i + 1) * file->attr_size - SECTION_SIZE, file->big);

		if (overlap(&ids, hole))
			len += ids.len;
		if (len > STAMP_PAYLOAD_MAX)
			return fail(why, "has more event ids than kreloc can move");
	}
	payload = stamp_job_alloc(job, len, why);
	if (!payload)
		return -1;
	memcpy(payload, file->attr_entries, file->attrs.len);
	job->payload = payload;
	job->payload_len = file->attrs.len;

	for (i = 0; i < file->nr_attrs; i++) {
		unsigned char *entry = payload + (i + 1) * file->attr_size - SECTION_SIZE;
		const struct section ids = get_section(entry, file->big);

		if (!overlap(&ids, hole))
			continue;
		if (trace_read(file->trace, payload + job->payload_len, ids.len, ids.offset, why))
			return -1;
		put64(entry + SECTION_OFFSET, payload_at + job->payload_len, file->big);
		job->payload_len += ids.len;
	}
	return 0;
}

/* Notes what is in the file now, as what the change will have to be undone to. */
static int add_change(const struct perf_file *file, struct stamp_job *job, uint64_t at,
		      const unsigned char *new, size_t len, struct why *why)
{
	unsigned char *old = stamp_job_alloc(job, len, why);

	if (!old || trace_read(file->trace, old, len, at, why))
		return -1;
	job->changes[job->nr_changes++] = (struct stamp_change){
		.at = at,
		.len = (uint32_t)len,
		.old = old,
		.new = new,
	};
	return 0;
}

/* What a new file that is given room for the stamp has there from the start. */
static int make_gap(const struct perf_file *file, const unsigned char *modules, size_t modules_len,
		    size_t record_len, struct stamp_job *job, struct why *why)
{
	unsigned char *data;

	job->gap.at = file->data.offset;
	/* Whole blocks, so that a copy can share them. */
	job->gap.len = round_up(record_len + modules_len, 4096);
	if (!modules_len)
		return 0;
	data = stamp_job_alloc(job, job->gap.len, why);
	if (!data)
		return -1;
	memcpy(data + job->gap.len - modules_len, modules, modules_len);
	job->gap.data = data;
	return 0;
}

/* Are these bytes right in front of the data? */
static bool in_front(const struct perf_file *file, const unsigned char *bytes, size_t len)
{
	unsigned char *there = len <= file->data.offset ? malloc(len) : NULL;
	bool same;

	same = there &&
	       pread_full(file->trace->fd, there, len, file->data.offset - len) == (ssize_t)len &&
	       !memcmp(there, bytes, len);
	free(there);
	return same;
}

/*
 * The records of modules are too many for the place that the attributes leave. They come into the
 * gap of a new file, where they are in front of the data, and the kernel's in front of them.
 */
static int stamp_front(const struct perf_file *file, const struct stamp_info *info,
		       struct stamp_job *job, struct why *why)
{
	unsigned char *record, *modules, *attrs, *data;
	size_t len, modules_len;
	struct section hole;

	record = make_record(file, info, 0, job, &len, why);
	attrs = stamp_job_alloc(job, 8, why);
	data = stamp_job_alloc(job, SECTION_SIZE, why);
	if (!record || !attrs || !data ||
	    make_modules(file, info->loaded, job, &modules, &modules_len, why))
		return -1;
	hole.len = len;
	hole.offset = file->data.offset - modules_len - len;
	if ((modules_len && !in_front(file, modules, modules_len)) ||
	    file->data.offset < modules_len + len || !can_be_cleared(file, &hole))
		return make_gap(file, modules, modules_len, len, job, why);

	if (attrs_overlap(file, &hole)) {
		put64(attrs, stamp_payload_at(file->trace->size), file->big);
		if (move_attrs(file, &hole, job, why) ||
		    add_change(file, job, PERF_ATTRS, attrs, 8, why))
			return -1;
	}
	put64(data + SECTION_OFFSET, hole.offset, file->big);
	put64(data + SECTION_LEN, file->data.len + modules_len + len, file->big);
	/* Readers notice nothing before the last one. */
	return add_change(file, job, hole.offset, record, len, why) ||
	       add_change(file, job, PERF_DATA, data, SECTION_SIZE, why) ? -1 : 0;
}

/*
 * In a user namespace perf may read /proc/kallsyms, sees zeros, and believes them: the kernel from
 * 0 to the end of all addresses. Another record in front would not help, since this one comes
 * after it and says how long the kernel is.
 */
static int stamp_hollow(const struct perf_file *file, uint64_t record_at,
			const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	const uint64_t at = record_at + MMAP_START;
	unsigned char *place;

	if (info->loaded)
		return fail(why, "modules cannot be added to what was recorded in a user namespace");
	place = stamp_job_alloc(job, MMAP_PLACE_SIZE, why);
	if (!place)
		return -1;
	/* Not where a crash could tear it. A new file is there or not, whatever is in it. */
	if (at / SECTOR != (at + MMAP_PLACE_SIZE - 1) / SECTOR) {
		job->gap.at = file->data.offset;
		job->gap.len = MMAP_PLACE_SIZE;
		return 0;
	}
	put64(place + MMAP_START - MMAP_START, info->text, file->big);
	put64(place + MMAP_LEN - MMAP_START, info->text_size, file->big);
	put64(place + MMAP_PGOFF - MMAP_START, info->text, file->big);
	return add_change(file, job, at, place, MMAP_PLACE_SIZE, why);
}

/*
 * Whatever comes at the end of such a file would be taken for a record, so the block is within the
 * record. Nor can a hollow record be put right in place, since nothing could undo that; but here
 * the stamp's can come behind it.
 */
static int stamp_pipe(const struct perf_file *file, const struct facts *facts,
		      const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	unsigned char *record, *block, size[2];
	size_t len, block_len;

	if (info->loaded)
		return fail(why, "modules cannot be added to what came through a pipe: "
			    "write it to a file first, perf inject -i FILE -o FILE");
	if (stamp_block_embed(info, &block, &block_len, why))
		return -1;
	record = make_record(file, info, block_len, job, &len, why);
	if (record)
		memcpy(record + len - sample_id_size(file) - block_len, block, block_len);
	free(block);
	if (!record)
		return -1;
	job->gap.at = file->body;
	if (facts->state == TRACE_HOLLOW) {
		if (trace_read(file->trace, size, sizeof(size), facts->record_at + RECORD_SIZE,
			       why))
			return -1;
		job->gap.at = facts->record_at + get16(size, file->big);
	}
	job->gap.len = len;
	job->gap.data = record;
	job->gap_is_stamp = true;
	return 0;
}

/* A table of sections, or of anything else that begins with a place in the file. */
static int relocate_table(int fd, const struct move *move, uint64_t at, uint64_t nr,
			  unsigned int step, unsigned int field, bool big, struct why *why)
{
	unsigned char entry[SECTION_SIZE];

	for (; nr--; at += step) {
		if (pread_full(fd, entry, 8, at + field) != 8)
			return fail(why, "is damaged: a table in it is cut short");
		put64(entry, moved(move, get64(entry, big)), big);
		if (pwrite_full(fd, entry, 8, at + field))
			return fail(why, "cannot be rewritten: %s", strerror(errno));
	}
	return 0;
}

/* Feature 18: how many, and of each piece of AUX data where its record is and how long. */
static int relocate_index(int fd, const struct move *move, const unsigned char *section, bool big,
			  struct why *why)
{
	const uint64_t at = get64(section + SECTION_OFFSET, big);
	const uint64_t len = get64(section + SECTION_LEN, big);
	unsigned char nr[8];

	if (len < sizeof(nr) || pread_full(fd, nr, sizeof(nr), at) != sizeof(nr) ||
	    get64(nr, big) > (len - sizeof(nr)) / SECTION_SIZE)
		return 0;
	return relocate_table(fd, move, at + sizeof(nr), get64(nr, big), SECTION_SIZE, 0, big, why);
}

/* Where a place is read from, the bytes there have moved already. */
static int perf_relocate(int fd, const struct move *move, struct why *why)
{
	static const unsigned int places[] = { PERF_ATTRS, PERF_DATA, PERF_EVENT_TYPES };
	unsigned char head[PERF_HEADER_SIZE], section[SECTION_SIZE];
	uint64_t at, attr_size;
	unsigned int i, nr = 0;
	bool big;

	if (pread_full(fd, head, PERF_PIPE_HEADER_SIZE, 0) != PERF_PIPE_HEADER_SIZE)
		return fail(why, "is truncated");
	big = !memcmp(head, "2ELIFREP", 8);
	/* Nothing in it names a place. */
	if (get64(head + PERF_SIZE, big) == PERF_PIPE_HEADER_SIZE)
		return 0;
	if (pread_full(fd, head, sizeof(head), 0) != sizeof(head))
		return fail(why, "is truncated");
	for (i = 0; i < ARRAY_SIZE(places); i++)
		put64(head + places[i], moved(move, get64(head + places[i], big)), big);
	if (pwrite_full(fd, head, sizeof(head), 0))
		return fail(why, "cannot be rewritten: %s", strerror(errno));

	attr_size = get64(head + PERF_ATTR_SIZE, big);
	if (attr_size < SECTION_SIZE || attr_size > ATTR_SIZE_MAX + SECTION_SIZE)
		return fail(why, "its event attributes are damaged");
	if (relocate_table(fd, move, get64(head + PERF_ATTRS, big),
			   get64(head + PERF_ATTRS + 8, big) / attr_size, (unsigned int)attr_size,
			   (unsigned int)attr_size - SECTION_SIZE, big, why))
		return -1;

	at = get64(head + PERF_DATA, big) + get64(head + PERF_DATA + 8, big);
	for (i = 0; i < PERF_FEATURE_BITS; i++) {
		if (!bit_set(head + PERF_FEATURES, i, bitmap_word(head + PERF_FEATURES, big), big))
			continue;
		if (relocate_table(fd, move, at + nr * SECTION_SIZE, 1, SECTION_SIZE, 0, big, why))
			return -1;
		if (i == FEATURE_AUXTRACE &&
		    pread_full(fd, section, sizeof(section), at + nr * SECTION_SIZE) ==
			    sizeof(section) &&
		    relocate_index(fd, move, section, big, why))
			return -1;
		nr++;
	}
	return 0;
}

static int perf_stamp(const struct trace *trace, const struct facts *facts,
		      const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	struct perf_file file;
	int err;

	if (perf_open(&file, trace, why))
		return -1;
	if (file.pipe)
		err = stamp_pipe(&file, facts, info, job, why);
	else if (facts->state == TRACE_HOLLOW)
		err = stamp_hollow(&file, facts->record_at, info, job, why);
	else
		err = stamp_front(&file, info, job, why);
	perf_close(&file);
	return err;
}

const struct format format_perf = {
	.name = "perf.data",
	.probe = perf_probe,
	.read = perf_read,
	.evidence = perf_evidence,
	.stamp = perf_stamp,
	.relocate = perf_relocate,
	.modules = true,
};
