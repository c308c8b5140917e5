// SPDX-License-Identifier: GPL-2.0-only
/*
 * trace.dat, as trace-cmd record writes it.
 *
 * The stamp is an option of kreloc's own, which trace-cmd passes over and carries along when it
 * converts or splits the file. It names functions by a copy of /proc/kallsyms in the file, and
 * where there is none, or one of zeros since the recorder had no rights, the stamp is also such a
 * copy, made from vmlinux.
 *
 * In version 7 nothing moves: all options, and one more that leads to the new kallsyms, are written
 * once again at the end of the file, and the header leads there. In version 6 everything has a
 * fixed order, so it becomes a new file. What comes in is as long as some pages, since trace-cmd
 * maps the events, which have to stay at the start of a page.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "kallsyms.h"
#include "trace-dat.h"

/* The option's data; little-endian, whatever the file is. Documentation/stamp-format.md */
enum {
	OUR_VERSION_AT = 0,
	OUR_FLAGS = 4,
	OUR_ORIG_SIZE = 8,
	OUR_KALLSYMS_LEN = 16,
	OUR_BLOCK = 24,
};

#define OUR_VERSION	1
/* Version 6: the file had no options, and their begin and end came in as well. */
#define FLAG_OWN_TAG	1

/* How much of kallsyms is looked at; what does not move comes first, but is a few pages. */
#define KALLSYMS_LOOK	(1u << 20)

static bool dat_probe(const unsigned char *head, size_t len)
{
	return len >= DAT_MAGIC_LEN && !memcmp(head, DAT_MAGIC, DAT_MAGIC_LEN);
}

/*
 * Reading
 */

/* "Linux HOST RELEASE MACHINE" */
static void read_uname(const struct dat_file *file, struct facts *facts)
{
	char text[4 * RELEASE_LEN], host[HOST_LEN], release[RELEASE_LEN], machine[RELEASE_LEN];
	struct dat_option option;

	if (!dat_find(file, DAT_UNAME, &option))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)(option.len < sizeof(text) ? option.len :
							   sizeof(text)), option.data);
	/* One less than the room each. */
	if (sscanf(text, "%*s %79s %79s %79s", host, release, machine) != 3)
		return;
	snprintf(facts->host, sizeof(facts->host), "%s", host);
	snprintf(facts->release, sizeof(facts->release), "%s", release);
	snprintf(facts->machine, sizeof(facts->machine), "%s", machine);
}

/* Nanoseconds since the machine was booted. */
static bool counts_from_boot(const char *clock, size_t len)
{
	static const char *const names[] = {
		"local", "global", "perf", "mono", "mono_raw", "boot",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !memcmp(names[i], clock, len))
			return true;
	return false;
}

/* A buffer can have a clock of its own. In version 7 its option says which, behind its name. */
static bool buffer_counts(const struct dat_file *file, const struct dat_option *buffer)
{
	const char *p = (const char *)buffer->data + 8, *const end = p - 8 + buffer->len;
	const char *clock;

	if (file->version == 6)
		return true;
	clock = buffer->len > 8 ? memchr(p, '\0', end - p) : NULL;
	return clock && clock + 1 < end && memchr(clock + 1, '\0', end - clock - 1) &&
	       counts_from_boot(clock + 1, strlen(clock + 1));
}

/* The file of that name in tracefs: "local [global] counter …" */
static bool clock_known(const struct dat_file *file)
{
	struct dat_option option = { 0 };
	const char *start, *end;

	if (dat_find(file, DAT_TSC2NSEC, &option) || !dat_find(file, DAT_TRACECLOCK, &option))
		return false;
	start = memchr(option.data, '[', option.len);
	if (!start)
		return false;
	start++;
	end = memchr(start, ']', option.len - (size_t)(start - (const char *)option.data));
	if (!end || !counts_from_boot(start, (size_t)(end - start)))
		return false;
	memset(&option, 0, sizeof(option));
	while (dat_next(file, &option))
		if (option.id == DAT_BUFFER && !buffer_counts(file, &option))
			return false;
	return true;
}

/* "BUFFER:" and the file last_boot_info of that buffer in tracefs; see enum last_boot. */
static void read_last_boot(const struct dat_file *file, const struct arch *arch,
			   struct facts *facts)
{
	struct dat_option option;
	const char *colon, *text, *end;
	unsigned long long value;
	char line[64];
	long long delta;

	if (!dat_find(file, DAT_LAST_BOOT, &option))
		return;
	colon = memchr(option.data, ':', option.len);
	if (!colon)
		return;
	text = colon + 1;
	end = (const char *)option.data + option.len;
	snprintf(line, sizeof(line), "%.*s", (int)((end - text) < (int)sizeof(line) - 1 ?
							   end - text : (int)sizeof(line) - 1),
		 text);
	if (sscanf(line, "text delta: %lld", &delta) == 1) {
		facts->last_boot = LAST_BOOT_DELTA;
		facts->last_boot_value = (uint64_t)delta;
	} else if (sscanf(line, "%llx%*[ \t][kernel", &value) == 1 && strstr(line, "[kernel]")) {
		facts->last_boot = value >= (arch ? arch->image_start : 1ull << 63) ?
					   LAST_BOOT_TEXT : LAST_BOOT_OFFSET;
		facts->last_boot_value = value;
	} else {
		/* "# Current": the events are of this boot. */
		return;
	}
	snprintf(facts->last_boot_buffer, sizeof(facts->last_boot_buffer), "%.*s",
		 (int)(colon - (const char *)option.data), option.data);
}

enum kallsyms_kind {
	KALLSYMS_NONE,		/* empty, or not there */
	KALLSYMS_ZEROS,		/* no address was shown to the recorder */
	KALLSYMS_GIVEN,
};

/* What of the file's kallsyms? @text gets the address of the anchor, or 0. */
static int look_at_kallsyms(const struct dat_file *file, const char *anchor,
			    enum kallsyms_kind *kind, uint64_t *text, struct why *why)
{
	const struct dat_part *part = &file->parts[DAT_KALLSYMS];
	const char *line, *end, *next;
	unsigned char *data;
	size_t len;

	*kind = KALLSYMS_NONE;
	*text = 0;
	if (!part->at)
		return 0;
	if (dat_content(file, part, part->packed ? DAT_TEXT_MAX : KALLSYMS_LOOK, &data, &len, why))
		return -1;
	line = (const char *)data + (len < 4 ? len : 4);
	end = (const char *)data + (len < KALLSYMS_LOOK ? len : KALLSYMS_LOOK);
	/* Readers stop at a NUL. */
	if (memchr(line, '\0', end - line))
		end = memchr(line, '\0', end - line);
	for (; line < end; line = next + 1) {
		struct kallsym sym;
		bool module;

		next = memchr(line, '\n', end - line);
		if (!next)
			next = end;
		if (next == line || !kallsyms_line(line, next, &sym, &module))
			continue;
		if (*kind == KALLSYMS_NONE)
			*kind = KALLSYMS_ZEROS;
		if (!sym.addr)
			continue;
		*kind = KALLSYMS_GIVEN;
		if (sym.len == strlen(anchor) && !memcmp(sym.name, anchor, sym.len)) {
			*text = sym.addr;
			break;
		}
	}
	free(data);
	return 0;
}

static const char *anchor_of(const struct facts *facts)
{
	const struct arch *arch = arch_by_name(facts->machine);

	return arch ? arch->anchor : "";
}

/*
 * Version 6: does what the option says came in explain the size of the file? Not if somebody else
 * wrote it anew, and then nobody knows what it was.
 */
static bool find_gaps(const struct dat_file *file, const struct dat_option *option,
		      struct facts *facts)
{
	const uint64_t size = file->trace->size;
	const uint64_t lines = get64(option->data + OUR_KALLSYMS_LEN, false);
	const bool own_tag = get32(option->data + OUR_FLAGS, false) & FLAG_OWN_TAG;
	const struct dat_part *kallsyms = &file->parts[DAT_KALLSYMS];
	struct stamp_gap *gap = &facts->block.gap;

	facts->second_gap.at = file->options_at + (size_t)(option->data - file->options) -
			       DAT_OPTION_HEAD - (own_tag ? DAT_TAG : 0);
	facts->second_gap.len = DAT_OPTION_HEAD + option->len + (own_tag ? DAT_TAG + 2 : 0);
	if (!lines) {
		*gap = facts->second_gap;
	} else {
		gap->at = kallsyms->at;
		gap->len = lines;
		gap->then = &facts->second_gap;
	}
	return lines < kallsyms->len - 3 && facts->second_gap.len < size &&
	       lines < size - facts->second_gap.len &&
	       (!own_tag || file->options_len == DAT_OPTION_HEAD + option->len) &&
	       get64(option->data + OUR_ORIG_SIZE, false) ==
		       size - facts->second_gap.len - lines;
}

static void read_stamp(const struct dat_file *file, struct facts *facts)
{
	struct stamp_block *block = &facts->block;
	struct dat_option option;

	if (!dat_find(file, DAT_KRELOC, &option) || option.len < OUR_BLOCK ||
	    get32(option.data + OUR_VERSION_AT, false) != OUR_VERSION ||
	    stamp_block_extract(option.data + OUR_BLOCK, option.len - OUR_BLOCK, block))
		return;
	facts->has_block = true;
	facts->state = TRACE_RECORDED;
	facts->text = block->info.text;
	snprintf(facts->anchor, sizeof(facts->anchor), "%s", block->info.anchor);
	/* In version 7 there is another at the end of the file, or somebody wrote it anew. */
	facts->altered = file->version == 7 || !find_gaps(file, &option, facts);
	if (facts->altered)
		memset(&block->gap, 0, sizeof(block->gap));
}

static int dat_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	enum kallsyms_kind kind;
	struct dat_file file;
	int err;

	if (dat_open(&file, trace, NULL, why))
		return -1;
	read_uname(&file, facts);
	read_last_boot(&file, arch_by_name(facts->machine), facts);
	facts->end = file.end;
	facts->attrs_at = file.first;
	err = look_at_kallsyms(&file, anchor_of(facts), &kind, &facts->text, why) ||
	      dat_first_events(&file, facts, why) ? -1 : 0;
	if (!err) {
		if (!clock_known(&file))
			facts->last_time = 0;
		if (facts->text)
			facts->state = TRACE_RECORDED;
		else if (kind == KALLSYMS_ZEROS)
			facts->state = TRACE_HOLLOW;
		if (facts->state != TRACE_BLIND)
			snprintf(facts->anchor, sizeof(facts->anchor), "%s", anchor_of(facts));
		read_stamp(&file, facts);
	}
	dat_close(&file);
	return err;
}

/*
 * Stamping
 */

/* @room: so many bytes more, zeros. */
static unsigned char *make_option(const struct dat_file *file, const struct stamp_info *info,
				  size_t *len, struct why *why)
{
	unsigned char *block, *data;
	size_t block_len;

	if (stamp_block_embed(info, &block, &block_len, why))
		return NULL;
	*len = OUR_BLOCK + block_len;
	data = calloc(1, *len);
	if (data) {
		put32(data + OUR_VERSION_AT, OUR_VERSION, false);
		put64(data + OUR_ORIG_SIZE, file->trace->size, false);
		memcpy(data + OUR_BLOCK, block, block_len);
	} else {
		explain(why, "out of memory");
	}
	free(block);
	return data;
}

static void put_option(const struct dat_file *file, unsigned char *at, unsigned int id, size_t len)
{
	put16(at, (uint16_t)id, file->big);
	put32(at + 2, (uint32_t)len, file->big);
}

static void put_section(const struct dat_file *file, unsigned char *at, unsigned int id,
			size_t len)
{
	put16(at, (uint16_t)id, file->big);
	put32(at + 4, file->parts[id].title, file->big);
	put64(at + 8, len, file->big);
}

/*
 * One change, 8 bytes in the first sector: where the options are. All of them are there once again,
 * since the last of the old ones says that there are no more, and may be compressed.
 */
static int stamp_7(const struct dat_file *file, const unsigned char *ours, size_t ours_len,
		   const char *lines, size_t lines_len, struct stamp_job *job, struct why *why)
{
	const uint64_t payload_at = stamp_payload_at(file->trace->size);
	const size_t options = file->options_len + DAT_OPTION_HEAD + ours_len +
			       (lines_len ? DAT_OPTION_HEAD + 8 : 0) + DAT_OPTION_HEAD + 8;
	const size_t kallsyms = DAT_SECTION_HEAD + options;
	const size_t len = kallsyms + (lines_len ? DAT_SECTION_HEAD + 4 + lines_len : 0);
	unsigned char *payload, *p, *old, *new;

	if (len > STAMP_PAYLOAD_MAX)
		return fail(why, "more would have to be appended than kreloc can");
	payload = stamp_job_alloc(job, len, why);
	old = stamp_job_alloc(job, 8, why);
	new = stamp_job_alloc(job, 8, why);
	if (!payload || !old || !new)
		return -1;
	put_section(file, payload, DAT_DONE, options);
	p = payload + DAT_SECTION_HEAD;
	if (file->options_len)
		memcpy(p, file->options, file->options_len);
	p += file->options_len;
	put_option(file, p, DAT_KRELOC, ours_len);
	memcpy(p + DAT_OPTION_HEAD, ours, ours_len);
	p += DAT_OPTION_HEAD + ours_len;
	if (lines_len) {
		put_option(file, p, DAT_KALLSYMS, 8);
		put64(p + DAT_OPTION_HEAD, payload_at + kallsyms, file->big);
		p = payload + kallsyms;
		put_section(file, p, DAT_KALLSYMS, 4 + lines_len);
		put32(p + DAT_SECTION_HEAD, (uint32_t)lines_len, file->big);
		memcpy(p + DAT_SECTION_HEAD + 4, lines, lines_len);
	}
	put_option(file, payload + kallsyms - DAT_OPTION_HEAD - 8, DAT_DONE, 8);

	put64(old, file->first, file->big);
	put64(new, payload_at, file->big);
	job->payload = payload;
	job->payload_len = len;
	job->changes[job->nr_changes++] = (struct stamp_change){
		.at = file->root,
		.len = 8,
		.old = old,
		.new = new,
	};
	return 0;
}

/*
 * The new lines come in front of what there is, with a length of their own, which counts all of
 * it; readers stop at the NUL that ends them.
 */
static int fill_lines(const struct dat_file *file, const char *lines, size_t len,
		      struct stamp_gap *gap, struct stamp_job *job, struct why *why)
{
	const struct dat_part *part = &file->parts[DAT_KALLSYMS];
	unsigned char *data = stamp_job_alloc(job, 4 + len + 1, why);

	if (!data)
		return -1;
	if (len + 1 + part->len > UINT32_MAX)
		return fail(why, "has more symbols than any kernel");
	put32(data, (uint32_t)(len + 1 + part->len), file->big);
	memcpy(data + 4, lines, len);
	gap->at = part->at;
	gap->len = 4 + len + 1;
	gap->data = data;
	return 0;
}

static int stamp_6(const struct dat_file *file, const unsigned char *ours, size_t ours_len,
		   const char *lines, size_t lines_len, struct stamp_job *job, struct why *why)
{
	struct stamp_gap *second = stamp_job_alloc(job, sizeof(*second), why), *gap = &job->gap;
	const bool own_tag = !file->options_at;
	size_t len = DAT_OPTION_HEAD + ours_len + (own_tag ? DAT_TAG + 2 : 0), room;
	unsigned char *data, *p;

	if (!second)
		return -1;
	if (file->page_size < 512 || file->page_size > 1u << 20 ||
	    file->page_size & (file->page_size - 1))
		return fail(why, "is damaged: pages of %u bytes", file->page_size);
	if (lines_len) {
		if (fill_lines(file, lines, lines_len, gap, job, why))
			return -1;
		gap->then = second;
		gap = second;
	}
	room = round_up(job->gap.len + len, file->page_size) - job->gap.len - len;
	len += room;
	data = stamp_job_alloc(job, len, why);
	if (!data)
		return -1;
	p = data;
	if (own_tag) {
		memcpy(p, "options  ", DAT_TAG);
		p += DAT_TAG;
	}
	put_option(file, p, DAT_KRELOC, ours_len + room);
	p += DAT_OPTION_HEAD;
	memcpy(p, ours, ours_len);
	put32(p + OUR_FLAGS, own_tag ? FLAG_OWN_TAG : 0, false);
	put64(p + OUR_KALLSYMS_LEN, job->gap.len, false);
	gap->at = file->options_end;
	gap->len = len;
	gap->data = data;
	job->gap_is_stamp = true;
	return 0;
}

static int by_value(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Version 6. Where the same place is named twice it is corrected once. */
static int dat_relocate(int fd, const struct move *move, struct why *why)
{
	struct trace trace = { .fd = fd };
	struct dat_file file;
	unsigned char buf[8];
	int err = 0;
	size_t i;

	if (fstat(fd, &trace.st))
		return fail(why, "cannot be rewritten: %s", strerror(errno));
	trace.size = (uint64_t)trace.st.st_size;
	if (dat_open(&file, &trace, move, why))
		return -1;
	if (file.nr_places)
		qsort(file.places, file.nr_places, sizeof(*file.places), by_value);
	for (i = 0; !err && i < file.nr_places; i++) {
		if (i && file.places[i] == file.places[i - 1])
			continue;
		if (i && file.places[i] - file.places[i - 1] < sizeof(buf)) {
			err = fail(why, "is damaged: two of its tables overlap");
			break;
		}
		err = pread_full(fd, buf, sizeof(buf), file.places[i]) != sizeof(buf);
		put64(buf, moved(move, get64(buf, file.big)), file.big);
		if (err || pwrite_full(fd, buf, sizeof(buf), file.places[i]))
			err = fail(why, "cannot be rewritten: %s", strerror(errno));
	}
	dat_close(&file);
	return err;
}

static int dat_stamp(const struct trace *trace, const struct facts *facts,
		     const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	enum kallsyms_kind kind;
	struct dat_file file;
	unsigned char *ours;
	size_t ours_len, lines_len = 0;
	char *lines = NULL;
	uint64_t text;
	int err;

	if (dat_open(&file, trace, NULL, why))
		return -1;
	err = look_at_kallsyms(&file, anchor_of(facts), &kind, &text, why);
	if (!err && kind != KALLSYMS_GIVEN && info->vmlinux && info->link)
		err = kallsyms_make(info->vmlinux, info->text - info->link, &lines, &lines_len,
				    why);
	ours = err ? NULL : make_option(&file, info, &ours_len, why);
	if (!ours)
		err = -1;
	else if (file.version == 7)
		err = stamp_7(&file, ours, ours_len, lines, lines_len, job, why);
	else
		err = stamp_6(&file, ours, ours_len, lines, lines_len, job, why);
	if (lines_len)
		job->note = ", and it has names from vmlinux";
	else if (kind != KALLSYMS_GIVEN)
		job->note = ", but no names: those come with --vmlinux=FILE";
	free(ours);
	free(lines);
	dat_close(&file);
	return err;
}

const struct format format_trace_dat = {
	.name = "trace.dat",
	.probe = dat_probe,
	.read = dat_read,
	.evidence = dat_evidence,
	.stamp = dat_stamp,
	.relocate = dat_relocate,
};
