// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes, finds and undoes stamps. The one file that changes traces.
 *
 * Order is everything here. The block with the journal is appended and reaches the disk first;
 * running out of space happens there, where cutting the file back to its old length undoes it.
 * Then each change is made and reaches the disk before the next. Each is either invisible to
 * readers or small enough (16 bytes within the first sector) to be written whole or not at all.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "bytes.h"
#include "stamp-block.h"
#include "system.h"
#include "trace.h"

/* Documentation/stamp-format.md; everything is little-endian whatever the machine. */
#define BLOCK_VERSION	1
#define BLOCK_ALIGN	8
#define MAGIC_LEN	8

static const unsigned char head_magic[MAGIC_LEN] = { 'K', 'R', 'E', 'L', 'O', 'C', '>', '>' };
static const unsigned char foot_magic[MAGIC_LEN] = { '<', '<', 'K', 'R', 'E', 'L', 'O', 'C' };

enum {
	HEAD_VERSION = 8,
	HEAD_SIZE_AT = 12,
	HEAD_ORIG_SIZE = 16,
	HEAD_BLOCK_SIZE = 24,
	HEAD_PAYLOAD_LEN = 32,
	HEAD_NR_CHANGES = 36,
	HEAD_LINK = 40,
	HEAD_TEXT = 48,
	HEAD_TEXT_SIZE = 56,
	HEAD_TIME = 64,
	HEAD_BOOT_ID = 72,
	HEAD_BUILD_ID_SIZE = 88,
	HEAD_BUILD_ID = 92,
	HEAD_ANCHOR = 112,
	HEAD_SOURCE = HEAD_ANCHOR + STAMP_ANCHOR_LEN,
	HEAD_MACHINE = HEAD_SOURCE + STAMP_SOURCE_LEN,
	HEAD_LINK_SOURCE = HEAD_MACHINE + STAMP_MACHINE_LEN,
	HEAD_KRELOC = HEAD_LINK_SOURCE + STAMP_LINK_SOURCE_LEN,
	HEAD_RELEASE = HEAD_KRELOC + STAMP_VERSION_LEN,
	HEAD_GAP_AT = HEAD_RELEASE + RELEASE_LEN,
	HEAD_GAP_LEN = HEAD_GAP_AT + 8,
	HEAD_CRC = HEAD_GAP_LEN + 8,
	HEAD_SIZE = HEAD_CRC + 8,
};

enum {
	CHANGE_AT = 0,
	CHANGE_LEN = 8,
	CHANGE_SIZE = 16,
};

enum {
	FOOT_CRC = 0,
	FOOT_VERSION = 4,
	FOOT_BLOCK_SIZE = 8,
	FOOT_MAGIC_AT = 16,
	FOOT_SIZE = 24,
};

#define BLOCK_MAX	(HEAD_SIZE + STAMP_PAYLOAD_MAX + \
			 STAMP_CHANGES * (CHANGE_SIZE + 2 * STAMP_CHANGE_LEN) + FOOT_SIZE)

/* How far the rest of a block is looked for; other programs leave nothing there, or little. */
#define REST_SEARCH	16384

static uint32_t crc32_of(const unsigned char *p, size_t len)
{
	return (uint32_t)crc32_z(0, p, len);
}

/**
 * stamp_payload_at - where a job's payload will be
 * @orig_size:	size of the file that is going to be stamped
 *
 * Return: offset in the file, a multiple of 8.
 */
uint64_t stamp_payload_at(uint64_t orig_size)
{
	return round_up(orig_size, BLOCK_ALIGN) + HEAD_SIZE;
}

/**
 * stamp_job_alloc - memory that lives as long as a job
 * @job:	starts zeroed
 * @len:	bytes
 * @why:	filled on failure
 *
 * Return: zeroed memory, or NULL.
 */
void *stamp_job_alloc(struct stamp_job *job, size_t len, struct why *why)
{
	void *memory = NULL;

	if (job->nr_memory < ARRAY_SIZE(job->memory))
		memory = calloc(1, len ? len : 1);
	if (!memory) {
		explain(why, "out of memory");
		return NULL;
	}
	job->memory[job->nr_memory++] = memory;
	return memory;
}

/**
 * stamp_job_free - free what stamp_job_alloc() gave
 * @job:	can be used anew afterwards
 */
void stamp_job_free(struct stamp_job *job)
{
	while (job->nr_memory)
		free(job->memory[--job->nr_memory]);
	memset(job, 0, sizeof(*job));
}

static void put_string(unsigned char *to, const char *from, size_t room)
{
	snprintf((char *)to, room, "%s", from);
}

static void get_string(char *to, const unsigned char *from, size_t room)
{
	memcpy(to, from, room);
	to[room - 1] = '\0';
}

static void head_build(unsigned char *head, const struct stamp_info *info)
{
	memcpy(head, head_magic, MAGIC_LEN);
	put32(head + HEAD_VERSION, BLOCK_VERSION, false);
	put32(head + HEAD_SIZE_AT, HEAD_SIZE, false);
	put64(head + HEAD_LINK, info->link, false);
	put64(head + HEAD_TEXT, info->text, false);
	put64(head + HEAD_TEXT_SIZE, info->text_size, false);
	put64(head + HEAD_TIME, info->time, false);
	memcpy(head + HEAD_BOOT_ID, info->boot_id, BOOT_ID_LEN);
	put32(head + HEAD_BUILD_ID_SIZE, info->build_id.size, false);
	memcpy(head + HEAD_BUILD_ID, info->build_id.data, BUILD_ID_LEN);
	put_string(head + HEAD_ANCHOR, info->anchor, STAMP_ANCHOR_LEN);
	put_string(head + HEAD_SOURCE, info->source, STAMP_SOURCE_LEN);
	put_string(head + HEAD_MACHINE, info->machine, STAMP_MACHINE_LEN);
	put_string(head + HEAD_LINK_SOURCE, info->link_source, STAMP_LINK_SOURCE_LEN);
	put_string(head + HEAD_KRELOC, info->version, STAMP_VERSION_LEN);
	put_string(head + HEAD_RELEASE, info->release, RELEASE_LEN);
}

static void head_parse(const unsigned char *head, struct stamp_info *info)
{
	info->link = get64(head + HEAD_LINK, false);
	info->text = get64(head + HEAD_TEXT, false);
	info->text_size = get64(head + HEAD_TEXT_SIZE, false);
	info->time = get64(head + HEAD_TIME, false);
	memcpy(info->boot_id, head + HEAD_BOOT_ID, BOOT_ID_LEN);
	build_id_set(&info->build_id, head + HEAD_BUILD_ID,
		     get32(head + HEAD_BUILD_ID_SIZE, false));
	get_string(info->anchor, head + HEAD_ANCHOR, STAMP_ANCHOR_LEN);
	get_string(info->source, head + HEAD_SOURCE, STAMP_SOURCE_LEN);
	get_string(info->machine, head + HEAD_MACHINE, STAMP_MACHINE_LEN);
	get_string(info->link_source, head + HEAD_LINK_SOURCE, STAMP_LINK_SOURCE_LEN);
	get_string(info->version, head + HEAD_KRELOC, STAMP_VERSION_LEN);
	get_string(info->release, head + HEAD_RELEASE, RELEASE_LEN);
}

/* As much of a head as says what size the file had. */
static bool head_begins(const unsigned char *head, uint64_t at)
{
	return !memcmp(head, head_magic, MAGIC_LEN) &&
	       get32(head + HEAD_VERSION, false) == BLOCK_VERSION &&
	       get32(head + HEAD_SIZE_AT, false) == HEAD_SIZE &&
	       get64(head + HEAD_ORIG_SIZE, false) <= at &&
	       at - get64(head + HEAD_ORIG_SIZE, false) < BLOCK_ALIGN &&
	       at % BLOCK_ALIGN == 0;
}

/* Is there a whole head? The same question for a block and for what is left of one. */
static bool head_valid(const unsigned char *head, uint64_t at)
{
	return head_begins(head, at) && get32(head + HEAD_CRC, false) == crc32_of(head, HEAD_CRC);
}

/**
 * stamp_block_build - lay a block out
 * @info:	provenance
 * @orig_size:	size of the file
 * @job:	payload and changes
 * @block:	the bytes to append at @orig_size, padding included; the caller frees them
 * @len:	how many
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int stamp_block_build(const struct stamp_info *info, uint64_t orig_size,
		      const struct stamp_job *job, unsigned char **block, size_t *len,
		      struct why *why)
{
	const size_t pad = round_up(orig_size, BLOCK_ALIGN) - orig_size;
	size_t size = HEAD_SIZE + round_up(job->payload_len, BLOCK_ALIGN) + FOOT_SIZE;
	unsigned char *start, *p;
	unsigned int i;

	if (job->payload_len > STAMP_PAYLOAD_MAX || job->nr_changes > STAMP_CHANGES)
		return fail(why, "more has to be moved than kreloc can");
	for (i = 0; i < job->nr_changes; i++) {
		if (job->changes[i].len > STAMP_CHANGE_LEN)
			return fail(why, "more has to be changed than kreloc can");
		size += CHANGE_SIZE + 2 * round_up(job->changes[i].len, BLOCK_ALIGN);
	}

	*block = calloc(1, pad + size);
	if (!*block)
		return fail(why, "out of memory");
	*len = pad + size;
	start = *block + pad;

	head_build(start, info);
	put64(start + HEAD_ORIG_SIZE, orig_size, false);
	put64(start + HEAD_BLOCK_SIZE, size, false);
	put32(start + HEAD_PAYLOAD_LEN, (uint32_t)job->payload_len, false);
	put32(start + HEAD_NR_CHANGES, job->nr_changes, false);
	put64(start + HEAD_GAP_AT, job->made.at, false);
	put64(start + HEAD_GAP_LEN, job->made.len, false);
	put32(start + HEAD_CRC, crc32_of(start, HEAD_CRC), false);

	p = start + HEAD_SIZE;
	if (job->payload_len)
		memcpy(p, job->payload, job->payload_len);
	p += round_up(job->payload_len, BLOCK_ALIGN);

	for (i = 0; i < job->nr_changes; i++) {
		const struct stamp_change *c = &job->changes[i];

		put64(p + CHANGE_AT, c->at, false);
		put32(p + CHANGE_LEN, c->len, false);
		p += CHANGE_SIZE;
		memcpy(p, c->old, c->len);
		p += round_up(c->len, BLOCK_ALIGN);
		memcpy(p, c->new, c->len);
		p += round_up(c->len, BLOCK_ALIGN);
	}

	put32(p + FOOT_CRC, crc32_of(start, p - start), false);
	put32(p + FOOT_VERSION, BLOCK_VERSION, false);
	put64(p + FOOT_BLOCK_SIZE, size, false);
	memcpy(p + FOOT_MAGIC_AT, foot_magic, MAGIC_LEN);
	return 0;
}

/**
 * stamp_block_parse - read a block back
 * @data:	the block, without padding; @block keeps pointers into it
 * @len:	of it
 * @file_size:	of the file that it ends
 * @block:	filled on success
 *
 * Return: 0, or -1 where this is not a whole block.
 */
int stamp_block_parse(const unsigned char *data, size_t len, uint64_t file_size,
		      struct stamp_block *block)
{
	const unsigned char *foot, *p;
	uint64_t payload_len;
	unsigned int i, nr;
	size_t left;

	memset(block, 0, sizeof(*block));
	if (len < HEAD_SIZE + FOOT_SIZE || len > file_size)
		return -1;
	foot = data + len - FOOT_SIZE;
	if (memcmp(foot + FOOT_MAGIC_AT, foot_magic, MAGIC_LEN) ||
	    get32(foot + FOOT_VERSION, false) != BLOCK_VERSION ||
	    get64(foot + FOOT_BLOCK_SIZE, false) != len ||
	    get32(foot + FOOT_CRC, false) != crc32_of(data, len - FOOT_SIZE) ||
	    !head_valid(data, file_size - len) ||
	    get64(data + HEAD_BLOCK_SIZE, false) != len)
		return -1;

	block->orig_size = get64(data + HEAD_ORIG_SIZE, false);
	block->size = len;
	block->gap.at = get64(data + HEAD_GAP_AT, false);
	block->gap.len = get64(data + HEAD_GAP_LEN, false);
	if (!in_bounds(block->gap.at, block->gap.len, block->orig_size))
		return -1;
	head_parse(data, &block->info);

	left = len - HEAD_SIZE - FOOT_SIZE;
	payload_len = round_up(get32(data + HEAD_PAYLOAD_LEN, false), BLOCK_ALIGN);
	nr = get32(data + HEAD_NR_CHANGES, false);
	/* Without a change only where it is embedded, and so begins at 0. */
	if (payload_len > left || nr > STAMP_CHANGES || (!nr && len < file_size))
		return -1;
	p = data + HEAD_SIZE + payload_len;
	left -= payload_len;

	for (i = 0; i < nr; i++) {
		struct stamp_change *c = &block->changes[i];
		size_t room;

		if (left < CHANGE_SIZE)
			return -1;
		c->at = get64(p + CHANGE_AT, false);
		c->len = get32(p + CHANGE_LEN, false);
		p += CHANGE_SIZE;
		left -= CHANGE_SIZE;
		room = round_up(c->len, BLOCK_ALIGN);
		if (!c->len || c->len > STAMP_CHANGE_LEN || left < 2 * room ||
		    !in_bounds(c->at, c->len, block->orig_size))
			return -1;
		c->old = p;
		c->new = p + room;
		p += 2 * room;
		left -= 2 * room;
	}
	if (left)
		return -1;
	block->nr_changes = nr;
	return 0;
}

/**
 * stamp_block_embed - a block that does not end a file, but is within something else
 * @info:	provenance
 * @block:	its bytes; the caller frees them
 * @len:	how many
 * @why:	filled on failure
 *
 * It knows nothing of its place and takes nothing to undo.
 *
 * Return: 0 or -1.
 */
int stamp_block_embed(const struct stamp_info *info, unsigned char **block, size_t *len,
		      struct why *why)
{
	const struct stamp_job nothing = { 0 };

	return stamp_block_build(info, 0, &nothing, block, len, why);
}

/**
 * stamp_block_extract - read an embedded block back
 * @data:	where it would begin
 * @len:	bytes from there on that belong to whatever it is embedded in
 * @block:	filled on success, then to be freed with stamp_block_free()
 *
 * Return: 0, or -1 where there is none.
 */
int stamp_block_extract(const unsigned char *data, size_t len, struct stamp_block *block)
{
	unsigned char *copy;
	uint64_t size;

	memset(block, 0, sizeof(*block));
	if (len < HEAD_SIZE || memcmp(data, head_magic, MAGIC_LEN))
		return -1;
	size = get64(data + HEAD_BLOCK_SIZE, false);
	if (size > len)
		return -1;
	copy = malloc(size ? size : 1);
	if (!copy)
		return -1;
	memcpy(copy, data, size);
	if (stamp_block_parse(copy, size, size, block) || block->nr_changes) {
		free(copy);
		memset(block, 0, sizeof(*block));
		return -1;
	}
	block->data = copy;
	return 0;
}

/**
 * stamp_block_find - look for a block at the end of a file
 * @fd:		open for reading
 * @file_size:	its size
 * @block:	filled on success, then to be freed with stamp_block_free()
 *
 * Return: 0, or -1 where there is none.
 */
int stamp_block_find(int fd, uint64_t file_size, struct stamp_block *block)
{
	unsigned char foot[FOOT_SIZE];
	unsigned char *data;
	uint64_t size;

	memset(block, 0, sizeof(*block));
	if (file_size < FOOT_SIZE ||
	    pread_full(fd, foot, FOOT_SIZE, file_size - FOOT_SIZE) != FOOT_SIZE ||
	    memcmp(foot + FOOT_MAGIC_AT, foot_magic, MAGIC_LEN))
		return -1;
	size = get64(foot + FOOT_BLOCK_SIZE, false);
	if (size < HEAD_SIZE + FOOT_SIZE || size > BLOCK_MAX || size >= file_size)
		return -1;

	data = malloc(size);
	if (!data)
		return -1;
	if (pread_full(fd, data, size, file_size - size) != (ssize_t)size ||
	    stamp_block_parse(data, size, file_size, block)) {
		free(data);
		return -1;
	}
	block->data = data;
	return 0;
}

/**
 * stamp_block_free - free what stamp_block_find() gave
 * @block:	zeroed afterwards
 */
void stamp_block_free(struct stamp_block *block)
{
	free(block->data);
	memset(block, 0, sizeof(*block));
}

/*
 * Is each byte the old or the new one? The last change is written whole or not at all, as kernels
 * and disks are; should one be torn nevertheless, the next run can at least mend it.
 */
static bool between(const unsigned char *now, const struct stamp_change *c)
{
	unsigned int i;

	for (i = 0; i < c->len; i++)
		if (now[i] != c->old[i] && now[i] != c->new[i])
			return false;
	return true;
}

/**
 * stamp_block_progress - how far did this stamp, or its removal, get?
 * @fd:		open for reading
 * @block:	found in it
 * @progress:	the answer
 * @why:	filled on failure
 *
 * Return: 0, or -1 where the file cannot be read.
 */
int stamp_block_progress(int fd, const struct stamp_block *block, enum stamp_progress *progress,
			 struct why *why)
{
	unsigned char now[STAMP_CHANGE_LEN];
	unsigned int i;

	*progress = STAMP_COMPLETE;
	for (i = block->nr_changes; i--; ) {
		const struct stamp_change *c = &block->changes[i];
		ssize_t n = pread_full(fd, now, c->len, c->at);

		if (n != (ssize_t)c->len)
			return fail(why, "%s", n < 0 ? strerror(errno) : "shorter than it was");
		if (!memcmp(now, c->new, c->len))
			continue;
		*progress = i == block->nr_changes - 1 && between(now, c) ? STAMP_UNDONE :
									    STAMP_FOREIGN;
		return 0;
	}
	return 0;
}

/**
 * stamp_block_rest - look for what is left of a block that was never written whole
 * @fd:		open for reading
 * @end:	where the format's own parts end
 * @file_size:	size of the file
 * @orig_size:	size that the file had, where the answer is true
 *
 * Behind the format's parts there can be bytes of somebody else's, so it need not begin at once.
 *
 * Return: whether the file ends in such a rest.
 */
bool stamp_block_rest(int fd, uint64_t end, uint64_t file_size, uint64_t *orig_size)
{
	uint64_t at = round_up(end, BLOCK_ALIGN);
	unsigned char buf[REST_SEARCH];
	const unsigned char *p;
	ssize_t n;

	n = pread_full(fd, buf, sizeof(buf), at);
	for (p = buf; n >= HEAD_BLOCK_SIZE; p += BLOCK_ALIGN, n -= BLOCK_ALIGN, at += BLOCK_ALIGN) {
		if (!(n >= HEAD_SIZE ? head_valid(p, at) : head_begins(p, at)))
			continue;
		*orig_size = get64(p + HEAD_ORIG_SIZE, false);
		return *orig_size >= end &&
		       (n < HEAD_SIZE || file_size - at <= get64(p + HEAD_BLOCK_SIZE, false));
	}
	return false;
}

/**
 * stamp_block_torn - does the head of a block precede these bytes?
 * @fd:		open for reading
 * @payload_at:	where the payload of a block would begin
 *
 * Return: whether it does.
 */
bool stamp_block_torn(int fd, uint64_t payload_at)
{
	unsigned char head[HEAD_SIZE];

	return payload_at >= HEAD_SIZE &&
	       pread_full(fd, head, HEAD_SIZE, payload_at - HEAD_SIZE) == HEAD_SIZE &&
	       head_valid(head, payload_at - HEAD_SIZE);
}

/* Neither stamping nor stripping is a reason for make, rsync or a backup to look at a file. */
static void put_times_back(const struct trace *trace)
{
	const struct timespec times[2] = { trace->st.st_atim, trace->st.st_mtim };

	if (futimens(trace->fd, times))
		notice(trace->path, "warning: its times could not be put back: %s",
		       strerror(errno));
}

/* @why is left alone on success, so that it can keep an earlier reason. */
static int write_change(struct trace *trace, const struct stamp_change *c, bool undo,
			struct why *why)
{
	if (pwrite_full(trace->fd, undo ? c->old : c->new, c->len, c->at) || fdatasync(trace->fd))
		return fail(why, "cannot be written: %s", strerror(errno));
	return 0;
}

/* Backwards, so that each step is the inverse of one that was safe. */
static int undo_changes(struct trace *trace, const struct stamp_change *changes, unsigned int nr,
			uint64_t orig_size, struct why *why)
{
	while (nr--)
		if (write_change(trace, &changes[nr], true, why))
			return -1;
	return stamp_drop_rest(trace, orig_size, why);
}

/**
 * stamp_drop_rest - cut off what a stamp appended, once nothing points to it
 * @trace:	open for writing
 * @orig_size:	its size before
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int stamp_drop_rest(struct trace *trace, uint64_t orig_size, struct why *why)
{
	if (ftruncate(trace->fd, (off_t)orig_size))
		return fail(why, "cannot be cut back to %llu bytes: %s",
			    (unsigned long long)orig_size, strerror(errno));
	trace->size = orig_size;
	put_times_back(trace);
	if (fsync(trace->fd))
		return fail(why, "cannot be written: %s", strerror(errno));
	return 0;
}

/**
 * stamp_apply - stamp a file
 * @trace:	open for writing, locked
 * @info:	provenance
 * @job:	from the format
 * @why:	filled on failure
 *
 * Return: 0; or -1, and then the file is as it was. Should undoing fail as well, @why says so, and
 * the next stamp or strip finishes it; readers see the original until then.
 */
int stamp_apply(struct trace *trace, const struct stamp_info *info, const struct stamp_job *job,
		struct why *why)
{
	const uint64_t orig_size = trace->size;
	unsigned char *block;
	unsigned int done = 0;
	struct why undo_why;
	size_t len;
	int err;

	if (stamp_block_build(info, orig_size, job, &block, &len, why))
		return -1;
	err = pwrite_full(trace->fd, block, len, orig_size) || fdatasync(trace->fd) ? errno : 0;
	free(block);
	if (err) {
		explain(why, "no stamp, cannot append to it: %s", strerror(err));
		goto undo;
	}
	trace->size = orig_size + len;

	for (; done < job->nr_changes; done++) {
		if (write_change(trace, &job->changes[done], false, why)) {
			/* It may have been written and only the sync failed. */
			done++;
			goto undo;
		}
	}
	put_times_back(trace);
	if (fsync(trace->fd))
		return fail(why, "stamped, but may not be on the disk: %s", strerror(errno));
	return 0;

undo:
	if (undo_changes(trace, job->changes, done, orig_size, &undo_why))
		explain(why, "%s; and undoing it failed too (%s): run kreloc strip", why->text,
			undo_why.text);
	return -1;
}

/**
 * stamp_undo - take a stamp out, to the byte; also one that was not finished
 * @trace:	open for writing, locked
 * @block:	found in it, not STAMP_FOREIGN
 * @why:	filled on failure
 *
 * Return: 0 or -1; then readers see the stamp still or no longer, and the next strip finishes it.
 */
int stamp_undo(struct trace *trace, const struct stamp_block *block, struct why *why)
{
	const unsigned int last = block->nr_changes - 1;
	struct why redo_why;

	if (write_change(trace, &block->changes[last], true, why)) {
		/* Not half of it. */
		write_change(trace, &block->changes[last], false, &redo_why);
		return -1;
	}
	return undo_changes(trace, block->changes, last, block->orig_size, why);
}
