// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens trace files, and holds them so that two kreloc do not work on one at a time.
 */
#include <dirent.h>
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

/*
 * perf record --threads and --kcore make a directory, and what they know is in one file of it. So
 * is a CTF trace.
 */
static const char *const files_of_directories[] = { "data", "metadata" };

/* The file of a directory, to be freed; NULL where there is none. */
static char *file_of(const char *directory)
{
	unsigned int i;
	char *file;

	for (i = 0; i < ARRAY_SIZE(files_of_directories); i++) {
		if (asprintf(&file, "%s/%s", directory, files_of_directories[i]) < 0)
			return NULL;
		if (!access(file, F_OK))
			return file;
		free(file);
	}
	return NULL;
}

static int name_file(struct trace *trace, struct why *why)
{
	struct stat st;

	if (stat(trace->path, &st))
		return fail_errno(why);
	trace->file = S_ISDIR(st.st_mode) ? file_of(trace->path) : strdup(trace->path);
	if (!trace->file && S_ISDIR(st.st_mode))
		return fail_with(EISDIR, why, "is a directory, and no trace: there is neither a file data nor metadata in it");
	return trace->file ? 0 : fail_with(ENOMEM, why, "out of memory");
}

static int open_fd(struct trace *trace, bool write, struct why *why)
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
	return trace->fd < 0 ? fail_errno(why) : 0;
}

/* Not open while it waits: whoever has the lock may want to know that nobody else has the file. */
static int open_locked(struct trace *trace, struct why *why)
{
	const struct timespec wait = { .tv_nsec = LOCK_WAIT_NS };
	unsigned int i;

	for (i = 0; i < LOCK_TRIES; i++) {
		if (open_fd(trace, true, why))
			return -1;
		if (trace->write_error || !flock(trace->fd, LOCK_EX | LOCK_NB))
			return 0;
		if (errno != EWOULDBLOCK && errno != EINTR)
			return fail(why, "cannot be locked: %s", strerror(errno));
		close(trace->fd);
		trace->fd = -1;
		if (!i)
			notice(trace->path, "locked by another program, waiting");
		nanosleep(&wait, NULL);
	}
	return fail_with(EBUSY, why, "is locked by another program: try again when that is done");
}

static int open_file(struct trace *trace, bool write, struct why *why)
{
	if (write ? open_locked(trace, why) : open_fd(trace, false, why))
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
 * trace_read - read bytes that must be there
 * @trace:	an open file
 * @buf:	filled on success
 * @len:	bytes
 * @at:		offset of the first
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_read(const struct trace *trace, void *buf, size_t len, uint64_t at, struct why *why)
{
	const ssize_t n = pread_full(trace->fd, buf, len, at);

	if (n < 0)
		return fail(why, "%s", strerror(errno));
	return n == (ssize_t)len ? 0 : fail(why, "is truncated");
}

/**
 * facts_stamped - let a stamp say what the file itself does not
 * @facts:	with the stamp in @block. Where it is the only one to know the kernel's address, it
 *		is the recorder
 *
 * The build-id stays with the stamp: it is nothing that the recording itself bears out.
 */
void facts_stamped(struct facts *facts)
{
	const struct stamp_info *info = &facts->block.info;

	if (facts->state == TRACE_BLIND) {
		facts->state = TRACE_RECORDED;
		facts->text = info->text;
		memcpy(facts->anchor, info->anchor, sizeof(facts->anchor));
	}
	if (facts->text != info->text)
		return;
	if (!facts->release[0])
		memcpy(facts->release, info->release, sizeof(facts->release));
	if (!facts->machine[0])
		snprintf(facts->machine, sizeof(facts->machine), "%s", info->machine);
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
	if (format->beside || stamp_block_find(trace->fd, trace->size, &block)) {
		err = format->read(trace, facts, why);
		if (!err && facts->has_block) {
			facts->block.orig_size = trace->size;
			facts_stamped(facts);
			facts->state = facts->text == facts->block.info.text ? TRACE_STAMPED :
									       TRACE_RECORDED;
		} else if (!err && stamp_block_rest(trace->fd, facts->end, trace->size,
						    &facts->orig_size)) {
			facts->state = TRACE_INTERRUPTED;
		}
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
	facts_stamped(facts);
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
	if (format->beside)
		return rewrite_drop_beside(trace, why);
	if (facts->has_block && facts->block.gap.len)
		return rewrite_strip(trace, format, &facts->block, why);
	if (facts->has_block)
		return stamp_undo(trace, &facts->block, why);
	return stamp_drop_rest(trace, facts->orig_size, why);
}

/**
 * trace_strip - take a stamp out, where there is one
 * @trace:	open for writing
 * @stripped:	whether there was, on success
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_strip(struct trace *trace, bool *stripped, struct why *why)
{
	const struct format *format = format_of(trace, why);
	struct facts facts;
	int err = 0;

	if (!format || trace_examine(trace, format, &facts, why))
		return -1;
	*stripped = facts.state == TRACE_STAMPED || facts.state == TRACE_INTERRUPTED;
	if (facts.altered)
		err = fail(why, "was changed since it was stamped: the stamp cannot be taken out");
	else if (*stripped && trace->write_error && !format->beside)
		err = fail_with(trace->write_error, why, "%s", strerror(trace->write_error));
	else if (*stripped)
		err = trace_restore(trace, format, &facts, why);
	facts_free(&facts);
	return err;
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

/* LTTng's are not as deep; those of other people need not be waited for. */
#define LIST_DEPTH	8
#define LIST_MAX	4096

static int list_one(struct trace_list *list, const char *path, struct why *why)
{
	char **longer;

	if (list->nr == LIST_MAX)
		return fail(why, "more than %u traces", LIST_MAX);
	longer = realloc(list->path, (list->nr + 1) * sizeof(*longer));
	if (!longer)
		return fail(why, "out of memory");
	list->path = longer;
	longer[list->nr] = strdup(path);
	if (!longer[list->nr])
		return fail(why, "out of memory");
	list->nr++;
	return 0;
}

/* An unreadable one stays in the list, so that somebody says why. */
static bool is_elsewhere(const char *path)
{
	struct trace trace;
	bool elsewhere;
	struct why why;

	if (trace_open(&trace, path, false, &why))
		return false;
	elsewhere = format_of(&trace, &why) == &format_ctf && ctf_elsewhere(&trace);
	trace_close(&trace);
	return elsewhere;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int not_dot(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..");
}

static int list_session(struct trace_list *list, const char *dir, unsigned int depth,
			struct why *why);

static int list_entry(struct trace_list *list, const char *dir, const char *name,
		      unsigned int depth, struct why *why)
{
	struct stat st;
	char *path;
	int err = 0;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return fail_with(ENOMEM, why, "out of memory");
	if (!lstat(path, &st)) {
		if (S_ISDIR(st.st_mode) && depth < LIST_DEPTH)
			err = list_session(list, path, depth + 1, why);
		else if (S_ISREG(st.st_mode) && !strcmp(name, "metadata") && !is_elsewhere(dir))
			err = list_one(list, dir, why);
	}
	free(path);
	return err;
}

/*
 * A session of LTTng is a directory of traces: one of the kernel, others of programs, for each
 * rotation and each snapshot. What cannot be looked into is passed over. (By hand, since musl has
 * no fts.)
 */
static int list_session(struct trace_list *list, const char *dir, unsigned int depth,
			struct why *why)
{
	struct dirent **entries;
	const int nr = scandir(dir, &entries, not_dot, by_name);
	int i, err = 0;

	for (i = 0; i < nr; i++) {
		if (!err)
			err = list_entry(list, dir, entries[i]->d_name, depth, why);
		free(entries[i]);
	}
	if (nr >= 0)
		free(entries);
	return err;
}

/**
 * trace_list_add - which traces are meant?
 * @list:	starts with zeros
 * @path:	a file or a directory. In the place of one that is not a trace but has some in it
 *		come those of a kernel
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_list_add(struct trace_list *list, const char *path, struct why *why)
{
	const size_t before = list->nr;
	char *file = NULL;
	struct stat st;

	if (!stat(path, &st) && S_ISDIR(st.st_mode)) {
		file = file_of(path);
		if (!file && list_session(list, path, 0, why))
			return -1;
		free(file);
	}
	/* Whoever opens it will say what is wrong. */
	return list->nr == before ? list_one(list, path, why) : 0;
}

/**
 * trace_list - the same for the arguments of a command
 * @list:	filled, also on failure; to be freed with trace_list_free()
 * @argc:	number of @argv
 * @argv:	files and directories
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int trace_list(struct trace_list *list, int argc, char **argv, struct why *why)
{
	int i;

	memset(list, 0, sizeof(*list));
	for (i = 0; i < argc; i++)
		if (trace_list_add(list, argv[i], why))
			return -1;
	return 0;
}

/**
 * trace_list_free - free a list
 * @list:	filled by trace_list()
 */
void trace_list_free(struct trace_list *list)
{
	while (list->nr)
		free(list->path[--list->nr]);
	free(list->path);
	list->path = NULL;
}
