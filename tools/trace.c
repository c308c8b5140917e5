// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens trace files, and holds them so that two kreloc do not work on one at a time.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

#include "trace.h"

/* Another kreloc is done in milliseconds; whoever holds a file longer is not one. */
#define LOCK_TRIES	100
#define LOCK_WAIT_NS	100000000

static int lock(const struct trace *trace, struct why *why)
{
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };
	unsigned int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (!flock(trace->fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(why, "cannot be locked: %s", strerror(errno));
		if (!i)
			complain(trace->path, "locked by another program, waiting");
		nanosleep(&wait, NULL);
	}
	return fail(why, "is locked by another program: try again when that is done");
}

/* perf record --threads and --kcore make a directory, and what they know is in one file of it. */
static int name_file(struct trace *trace, struct why *why)
{
	struct stat st;

	if (stat(trace->path, &st))
		return fail(why, "%s", strerror(errno));
	if (!S_ISDIR(st.st_mode))
		trace->file = strdup(trace->path);
	else if (asprintf(&trace->file, "%s/data", trace->path) < 0)
		trace->file = NULL;
	if (!trace->file)
		return fail(why, "out of memory");
	if (S_ISDIR(st.st_mode) && access(trace->file, F_OK))
		return fail(why, "is a directory, and not one of perf's: there is no file data in it");
	return 0;
}

static int open_file(struct trace *trace, bool write, struct why *why)
{
	/* O_NONBLOCK: a FIFO must not hang us. */
	const int flags = O_CLOEXEC | O_NOCTTY | O_NONBLOCK;

	trace->write_error = 0;
	trace->fd = open(trace->file, (write ? O_RDWR : O_RDONLY) | flags);
	if (trace->fd < 0 && write &&
	    (errno == EROFS || errno == EACCES || errno == EPERM || errno == ETXTBSY)) {
		trace->write_error = errno;
		trace->fd = open(trace->file, O_RDONLY | flags);
	}
	if (trace->fd < 0)
		return fail(why, "%s", strerror(errno));
	if (write && !trace->write_error && lock(trace, why))
		return -1;
	if (fstat(trace->fd, &trace->st))
		return fail(why, "%s", strerror(errno));
	if (!S_ISREG(trace->st.st_mode))
		return fail(why, "%s", S_ISDIR(trace->st.st_mode) ? "is a directory" :
							  "not a regular file");
	return 0;
}

/* Has somebody put another file in its place while we waited for it? */
static bool replaced(const struct trace *trace)
{
	struct stat st;

	return !stat(trace->file, &st) &&
	       (st.st_dev != trace->st.st_dev || st.st_ino != trace->st.st_ino);
}

/**
 * trace_open - open a trace file
 * @trace:	filled on success, then to be closed with trace_close()
 * @path:	the file, or a directory of perf's
 * @write:	it may be changed. Where it cannot, that is no error yet: there may turn out to be
 *		nothing to change. @trace->write_error keeps the reason
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_open(struct trace *trace, const char *path, bool write, struct why *why)
{
	memset(trace, 0, sizeof(*trace));
	trace->path = path;
	trace->fd = -1;
	if (name_file(trace, why) || open_file(trace, write, why))
		goto err;
	while (write && replaced(trace)) {
		close(trace->fd);
		if (open_file(trace, write, why))
			goto err;
	}
	trace->size = (uint64_t)trace->st.st_size;
	return 0;
err:
	trace_close(trace);
	return -1;
}

/**
 * trace_examine - what does a file know?
 * @trace:	an open file
 * @format:	of it
 * @facts:	filled on success, then to be freed with facts_free()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_examine(const struct trace *trace, const struct format *format, struct facts *facts,
		  struct why *why)
{
	enum stamp_progress progress;
	struct stamp_block block;
	int err;

	memset(facts, 0, sizeof(*facts));
	if (stamp_block_find(trace->fd, trace->size, &block)) {
		err = format->read(trace, facts, why);
		if (!err && facts->has_block)
			facts->state = facts->text == facts->block.info.text ? TRACE_STAMPED :
									       TRACE_RECORDED;
		else if (!err &&
			 stamp_block_rest(trace->fd, facts->end, trace->size, &facts->orig_size))
			facts->state = TRACE_INTERRUPTED;
		/* Cut short behind what the stamp moved there: still stamped, and cannot be undone. */
		facts->altered |= !err && stamp_block_torn(trace->fd, facts->attrs_at);
		return err;
	}

	err = stamp_block_progress(trace->fd, &block, &progress, why);
	if (!err && progress == STAMP_UNDONE) {
		/* It need not be readable: undoing comes first. */
		if (format->read(trace, facts, why)) {
			facts_free(facts);
			memset(facts, 0, sizeof(*facts));
		}
		facts->state = TRACE_INTERRUPTED;
	} else if (!err) {
		err = format->read(trace, facts, why);
		if (progress == STAMP_COMPLETE && facts->state == TRACE_RECORDED &&
		    facts->text == block.info.text) {
			facts->state = TRACE_STAMPED;
			facts->altered = false;
		} else if (!err && facts->state == TRACE_RECORDED &&
			   facts->text != block.info.text) {
			err = fail(why, "was changed since it was stamped: its record says 0x%016llx, its stamp 0x%016llx",
				   (unsigned long long)facts->text,
				   (unsigned long long)block.info.text);
		} else {
			/* What the file says counts. The block no longer speaks of it. */
			facts->altered = true;
		}
	}
	/* Two of them, and this one is about the whole file. */
	facts_free(facts);
	if (err || facts->altered) {
		stamp_block_free(&block);
		return err;
	}
	facts->has_block = true;
	facts->block = block;
	facts->orig_size = block.orig_size;
	return 0;
}

/**
 * facts_free - free what trace_examine() gave
 * @facts:	loses its block
 */
void facts_free(struct facts *facts)
{
	stamp_block_free(&facts->block);
	facts->has_block = false;
}

/**
 * trace_restore - take a stamp out, whole or interrupted
 * @trace:	open for writing
 * @format:	of it
 * @facts:	of it; its state is TRACE_STAMPED or TRACE_INTERRUPTED
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_restore(struct trace *trace, const struct format *format, const struct facts *facts,
		  struct why *why)
{
	if (facts->has_block && facts->block.gap.len)
		return rewrite_strip(trace, format, &facts->block, why);
	if (facts->has_block)
		return stamp_undo(trace, &facts->block, why);
	return stamp_drop_rest(trace, facts->orig_size, why);
}

/**
 * trace_close - close a trace file
 * @trace:	opened by trace_open()
 */
void trace_close(struct trace *trace)
{
	if (trace->fd >= 0)
		close(trace->fd);
	trace->fd = -1;
	free(trace->file);
	trace->file = NULL;
}
