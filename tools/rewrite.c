// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stamps that need more room than a file has. The file is copied with a gap in it, the copy is
 * stamped, and once all of it is on the disk it takes the old one's name. That costs as much as
 * the file is large, so it is for what cannot be done in place. Taking such a stamp out is the
 * same with the gap left out.
 *
 * Until the copy is complete it has no name where the file system can do that (O_TMPFILE), so a
 * kill leaves nothing behind.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "bytes.h"
#include "trace.h"

/* How long others may have a file open that is to be replaced. */
#define LEASE_TRIES	20
#define LEASE_WAIT_NS	5000000

#define COPY_BUFFER	(128u << 10)
/* File systems can share blocks between files if they are at the same place in a block. */
#define BLOCK		4096

/* Where copy_file_range() cannot. */
static int copy_by_hand(int from, int to, uint64_t at, uint64_t len, uint64_t to_at)
{
	unsigned char *buf = malloc(COPY_BUFFER);
	int err = buf ? 0 : -1;

	while (!err && len) {
		const size_t step = len < COPY_BUFFER ? len : COPY_BUFFER;
		const ssize_t n = pread_full(from, buf, step, at);

		if (n >= 0 && n < (ssize_t)step)
			errno = EIO;
		if (n < (ssize_t)step || pwrite_full(to, buf, step, to_at)) {
			err = -1;
			break;
		}
		at += step;
		to_at += step;
		len -= step;
	}
	free(buf);
	return err;
}

static int copy_data(int from, int to, uint64_t at, uint64_t len, uint64_t to_at)
{
	/* The first block by hand, so that the rest is aligned. */
	const uint64_t head = len < BLOCK - at % BLOCK ? len : BLOCK - at % BLOCK;

	if (copy_by_hand(from, to, at, head, to_at))
		return -1;
	at += head;
	to_at += head;
	len -= head;
	while (len) {
		off64_t in = (off64_t)at, out = (off64_t)to_at;
		const ssize_t n = copy_file_range(from, &in, to, &out,
						  len < 1u << 30 ? len : 1u << 30, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return copy_by_hand(from, to, at, len, to_at);
		at += (uint64_t)n;
		to_at += (uint64_t)n;
		len -= (uint64_t)n;
	}
	return 0;
}

/* What is a hole in the file is one in the copy. */
static int copy(int from, int to, uint64_t at, uint64_t len, uint64_t to_at)
{
	const uint64_t end = at + len;

	while (at < end) {
		const off_t data = lseek(from, (off_t)at, SEEK_DATA);
		uint64_t skip, hole;
		off_t next;

		if (data < 0 && errno == ENXIO)
			return 0;
		/* The file system does not know of holes. */
		if (data < 0)
			return copy_data(from, to, at, end - at, to_at);
		if ((uint64_t)data >= end)
			return 0;
		next = lseek(from, data, SEEK_HOLE);
		hole = next < 0 || (uint64_t)next > end ? end : (uint64_t)next;
		skip = (uint64_t)data - at;
		if (copy_data(from, to, (uint64_t)data, hole - (uint64_t)data, to_at + skip))
			return -1;
		to_at += hole - at;
		at = hole;
	}
	return 0;
}

/* All of the file, with gaps. */
static int copy_with(const struct stamp_gap *gap, int from, int to, uint64_t size)
{
	uint64_t at = 0, to_at = 0;

	for (; gap; gap = gap->then) {
		if (copy(from, to, at, gap->at - at, to_at))
			return -1;
		to_at += gap->at - at;
		at = gap->at;
		if (gap->data && pwrite_full(to, gap->data, gap->len, to_at))
			return -1;
		to_at += gap->len;
	}
	return copy(from, to, at, size - at, to_at);
}

/* The same without what is in them. */
static int copy_without(const struct stamp_gap *gap, int from, int to, uint64_t size)
{
	uint64_t at = 0, to_at = 0;

	for (; gap; gap = gap->then) {
		if (copy(from, to, at, gap->at - at, to_at))
			return -1;
		to_at += gap->at - at;
		at = gap->at + gap->len;
	}
	return copy(from, to, at, size - at, to_at);
}

static uint64_t gaps_len(const struct stamp_gap *gap)
{
	uint64_t len = 0;

	for (; gap; gap = gap->then)
		len += gap->len;
	return len;
}

/* Not to be found out when the old file is gone. */
static int read_back(const struct trace *new, const struct format *format,
		     const struct stamp_info *info, struct why *why)
{
	struct facts *facts = malloc(sizeof(*facts));
	int err;

	if (!facts)
		return fail_with(ENOMEM, why, "out of memory");
	err = trace_examine(new, format, facts, why);
	if (!err && (facts->state != TRACE_STAMPED || facts->text != info->text || facts->altered))
		err = fail(why, "its stamp could not be read back or taken out: left alone");
	if (!err || facts->has_block)
		facts_free(facts);
	free(facts);
	return err;
}

/**
 * rewrite_stamp_into - stamp a copy
 * @fd:		gets the copy; open for reading and writing, empty
 * @trace:	the file
 * @format:	of it
 * @info:	provenance
 * @job:	what the format said; has a gap
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int rewrite_stamp_into(int fd, const struct trace *trace, const struct format *format,
		       const struct stamp_info *info, const struct stamp_job *job,
		       struct why *why)
{
	const struct stamp_gap *gap = &job->gap;
	const struct move move = { .gap = *gap, .insert = true, .size = trace->size };
	struct trace new = *trace;
	struct stamp_job second;
	struct facts *facts;
	int err;

	if (ftruncate(fd, (off_t)(trace->size + gaps_len(gap))) ||
	    copy_with(gap, trace->fd, fd, trace->size))
		return fail(why, "cannot be rewritten: %s", strerror(errno));
	if (format->relocate && format->relocate(fd, &move, why))
		return -1;
	new.fd = fd;
	new.size += gaps_len(gap);
	if (job->gap_is_stamp)
		return read_back(&new, format, info, why);
	facts = malloc(sizeof(*facts));
	if (!facts)
		return fail(why, "out of memory");
	memset(&second, 0, sizeof(second));
	err = trace_examine(&new, format, facts, why);
	if (!err && facts->state != TRACE_BLIND && facts->state != TRACE_HOLLOW) {
		err = fail(why, "is not the same once it was rewritten: left alone");
		facts_free(facts);
	} else if (!err) {
		err = format->stamp(&new, facts, info, &second, why);
		if (!err && second.gap.len)
			err = fail(why, "cannot be given room for a stamp");
		second.made = *gap;
		if (!err)
			err = stamp_apply(&new, info, &second, why);
		stamp_job_free(&second);
		facts_free(facts);
	}
	free(facts);
	return err;
}

/**
 * rewrite_strip_into - a copy without the stamp
 * @fd:		gets the copy; open for reading and writing, empty
 * @trace:	the file
 * @format:	of it
 * @block:	found in it; has a gap
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int rewrite_strip_into(int fd, const struct trace *trace, const struct format *format,
		       const struct stamp_block *block, struct why *why)
{
	const struct stamp_gap *gap = &block->gap;
	const struct move move = { .gap = *gap, .size = block->orig_size };
	const uint64_t behind = gap->at + gap->len;
	unsigned int i;

	if (ftruncate(fd, (off_t)(block->orig_size - gaps_len(gap))) ||
	    copy_without(gap, trace->fd, fd, block->orig_size))
		return fail(why, "cannot be rewritten: %s", strerror(errno));
	for (i = block->nr_changes; i--; ) {
		const struct stamp_change *c = &block->changes[i];

		/* In the gap there was nothing. */
		if (c->at >= gap->at && c->at < behind)
			continue;
		if (pwrite_full(fd, c->old, c->len, moved(&move, c->at)))
			return fail(why, "cannot be rewritten: %s", strerror(errno));
	}
	return format->relocate ? format->relocate(fd, &move, why) : 0;
}

/**
 * struct fresh - a new file that will take the place of another
 * @fd:		open for reading and writing
 * @name:	of the other one, whatever symbolic links lead to it
 * @dir:	where it is
 * @temp:	the new one's name until then
 * @named:	it has that name
 */
struct fresh {
	int fd;
	char *name;
	char *dir;
	char *temp;
	bool named;
};

static void fresh_drop(struct fresh *fresh)
{
	if (fresh->named && fresh->temp)
		unlink(fresh->temp);
	if (fresh->fd >= 0)
		close(fresh->fd);
	free(fresh->temp);
	free(fresh->dir);
	free(fresh->name);
}

/* One name is enough: whoever rewrites this file holds the lock on it. */
static int fresh_names(struct fresh *fresh, char *name)
{
	const char *base;
	int dir_len;

	fresh->name = name;
	if (!fresh->name)
		return -1;
	base = strrchr(fresh->name, '/') + 1;
	dir_len = (int)(base - fresh->name);
	if (asprintf(&fresh->dir, "%.*s", dir_len, fresh->name) < 0) {
		fresh->dir = NULL;
		return -1;
	}
	if (asprintf(&fresh->temp, "%s.%s.kreloc", fresh->dir, base) < 0) {
		fresh->temp = NULL;
		return -1;
	}
	return 0;
}

/* @name is freed by fresh_drop(), which has to follow in any case. */
static int fresh_open(struct fresh *fresh, char *name, struct why *why)
{
	memset(fresh, 0, sizeof(*fresh));
	fresh->fd = -1;
	if (fresh_names(fresh, name))
		return fail(why, "its place cannot be found: %s", strerror(errno));
	/* Left behind by somebody who was killed. */
	unlink(fresh->temp);
	fresh->fd = open(fresh->dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fresh->fd < 0) {
		fresh->fd = open(fresh->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		fresh->named = fresh->fd >= 0;
	}
	if (fresh->fd < 0)
		return fail(why, "no file can be made beside it: %s", strerror(errno));
	return 0;
}

/*
 * Whoever is still writing to it, as a tracer does, would go on writing to the old one, which is
 * lost then. A lease is only to be had where nobody else has the file open; who does not own it, or
 * is on a file system without them, cannot know.
 */
static bool in_use(const struct trace *trace)
{
	const struct timespec wait = { .tv_nsec = LEASE_WAIT_NS };
	bool in_use = true;
	unsigned int i;

	/* Somebody may want to open it just then, and SIGIO would end the program. */
	fcntl(trace->fd, F_SETSIG, SIGURG);
	/* Another kreloc has it open for a moment now and then, until it gets the lock. */
	for (i = 0; in_use && i < LEASE_TRIES; i++) {
		if (i)
			nanosleep(&wait, NULL);
		in_use = fcntl(trace->fd, F_SETLEASE, F_WRLCK) && errno == EAGAIN;
	}
	fcntl(trace->fd, F_SETLEASE, F_UNLCK);
	return in_use;
}

/* For the file's own successor. */
static int fresh_copy(struct fresh *fresh, const struct trace *trace, struct why *why)
{
	char *name = trace->file ? realpath(trace->file, NULL) : NULL;

	if (!fresh_open(fresh, name, why)) {
		if (trace->st.st_nlink > 1)
			explain(why, "that would part it from its %lu other names (hard links)",
				(unsigned long)trace->st.st_nlink - 1);
		else if (in_use(trace))
			explain(why, "it is open in another program, which would go on with the "
				"old one: try again when that is done");
		else
			return 0;
	}
	return fail(why, "has to be rewritten, and %s", why->text);
}

/* As far as it goes: what cannot be kept here is not worth a failure. */
static void keep_xattrs(int from, int to)
{
	char names[4096], value[4096];
	const ssize_t len = flistxattr(from, names, sizeof(names));
	ssize_t at, n;

	for (at = 0; at < len; at += (ssize_t)strlen(names + at) + 1) {
		n = fgetxattr(from, names + at, value, sizeof(value));
		if (n >= 0 && fsetxattr(to, names + at, value, (size_t)n, 0))
			continue;
	}
}

/* perf refuses files of other owners, so a copy that got another one would be of no use. */
static int keep_identity(const struct fresh *fresh, const struct trace *trace, struct why *why)
{
	const struct timespec times[2] = { trace->st.st_atim, trace->st.st_mtim };
	struct stat st;

	if (fstat(fresh->fd, &st))
		return fail(why, "cannot be rewritten: %s", strerror(errno));
	if ((st.st_uid != trace->st.st_uid || st.st_gid != trace->st.st_gid) &&
	    fchown(fresh->fd, trace->st.st_uid, trace->st.st_gid))
		return fail(why, "has to be rewritten, and its owner cannot be kept: %s",
			    strerror(errno));
	if (fchmod(fresh->fd, trace->st.st_mode & 07777))
		return fail(why, "has to be rewritten, and its mode cannot be kept: %s",
			    strerror(errno));
	keep_xattrs(trace->fd, fresh->fd);
	if (futimens(fresh->fd, times))
		return fail(why, "cannot be given its times: %s", strerror(errno));
	return 0;
}

static int give_name(struct fresh *fresh)
{
	char self[64];

	if (fresh->named)
		return 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", fresh->fd);
	if (linkat(AT_FDCWD, self, AT_FDCWD, fresh->temp, AT_SYMLINK_FOLLOW)) {
		/* An error can be reported of what was done all the same. */
		fresh->named = errno != EEXIST;
		return -1;
	}
	fresh->named = true;
	return 0;
}

static int sync_dir(const char *dir)
{
	const int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -1;
	err = fsync(fd);
	close(fd);
	return err;
}

/* The new file is on the disk before it has a name, and has a name before the old one loses it. */
static int fresh_place(struct fresh *fresh)
{
	if (fsync(fresh->fd) || give_name(fresh) || rename(fresh->temp, fresh->name))
		return -1;
	fresh->named = false;
	return 0;
}

static int fresh_finish(struct fresh *fresh, struct trace *trace, struct why *why)
{
	struct stat st;

	if (keep_identity(fresh, trace, why))
		return -1;
	if (fstat(fresh->fd, &st) || fresh_place(fresh))
		return fail(why, "cannot be rewritten: %s", strerror(errno));
	/* From here on it is the file that everybody sees. */
	if (dup3(fresh->fd, trace->fd, O_CLOEXEC) < 0)
		return fail(why, "%s", strerror(errno));
	trace->st = st;
	trace->size = (uint64_t)st.st_size;
	if (sync_dir(fresh->dir) && errno != EACCES)
		return fail(why, "rewritten, but may not be on the disk: %s", strerror(errno));
	return 0;
}

/**
 * rewrite_stamp - stamp a file that has no room for it
 * @trace:	open for writing, locked; the new file afterwards
 * @format:	of it
 * @info:	provenance
 * @job:	what the format said; has a gap
 * @why:	filled on failure
 *
 * Return: 0; or -1, and then the file is as it was, or @why says that it was rewritten.
 */
int rewrite_stamp(struct trace *trace, const struct format *format, const struct stamp_info *info,
		  const struct stamp_job *job, struct why *why)
{
	struct fresh fresh;
	int err;

	err = fresh_copy(&fresh, trace, why);
	if (!err)
		err = rewrite_stamp_into(fresh.fd, trace, format, info, job, why);
	if (!err)
		err = fresh_finish(&fresh, trace, why);
	fresh_drop(&fresh);
	return err;
}

/**
 * rewrite_strip - take a stamp out that was made by rewriting
 * @trace:	open for writing, locked; the new file afterwards
 * @format:	of it
 * @block:	found in it; has a gap
 * @why:	filled on failure
 *
 * Return: as rewrite_stamp().
 */
int rewrite_strip(struct trace *trace, const struct format *format,
		  const struct stamp_block *block, struct why *why)
{
	struct fresh fresh;
	int err;

	err = fresh_copy(&fresh, trace, why);
	if (!err)
		err = rewrite_strip_into(fresh.fd, trace, format, block, why);
	if (!err)
		err = fresh_finish(&fresh, trace, why);
	fresh_drop(&fresh);
	return err;
}

/* It tells as much as the file, and to the same people. */
static int keep_secret(const struct fresh *fresh, const struct trace *trace)
{
	mode_t mode = trace->st.st_mode & 0666;

	if (fchown(fresh->fd, trace->st.st_uid, trace->st.st_gid))
		mode &= 0600;
	return fchmod(fresh->fd, mode);
}

/**
 * rewrite_beside - make the sidecar of a file
 * @trace:	the file; stays as it is
 * @text:	the sidecar
 * @why:	filled on failure
 *
 * Return: 0; or -1, and then there is none, or @why says that it was made.
 */
int rewrite_beside(const struct trace *trace, const char *text, struct why *why)
{
	struct fresh fresh;
	int err = -1;

	if (!fresh_open(&fresh, sidecar_path(trace), why)) {
		if (keep_secret(&fresh, trace) ||
		    pwrite_full(fresh.fd, text, strlen(text), 0) || fresh_place(&fresh))
			explain(why, "its sidecar cannot be written: %s", strerror(errno));
		else if (sync_dir(fresh.dir) && errno != EACCES)
			explain(why, "its sidecar may not be on the disk: %s", strerror(errno));
		else
			err = 0;
	}
	fresh_drop(&fresh);
	return err;
}

/**
 * rewrite_drop_beside - remove the sidecar of a file
 * @trace:	the file; stays as it is
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int rewrite_drop_beside(const struct trace *trace, struct why *why)
{
	char *path = sidecar_path(trace);
	const int err = path ? unlink(path) : -1;

	if (err)
		explain(why, "its sidecar cannot be removed: %s", strerror(errno));
	else
		*strrchr(path, '/') = '\0';
	if (!err && sync_dir(path[0] ? path : "/") && errno != EACCES)
		explain(why, "its sidecar is removed, but that may not be on the disk: %s",
			strerror(errno));
	free(path);
	return err;
}
