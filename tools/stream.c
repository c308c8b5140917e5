// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recording that passes by: perf record -o - | kreloc stamp - | perf script -i -. What comes
 * before the first round of events says all there is to know, and the stamp goes right behind it.
 * That much is held back and looked at like a file; all that follows is passed on as it comes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bytes.h"
#include "perf-data.h"
#include "stream.h"

/* Where no round ends this early, as in a recording with very few events, this has to do. */
#define HELD_MAX	(1u << 20)

static ssize_t read_some(int fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(fd, buf, len);
	while (n < 0 && errno == EINTR);
	return n;
}

static int write_all(int fd, const unsigned char *buf, size_t len)
{
	while (len) {
		const ssize_t n = write(fd, buf, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		buf += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Is the first round over? @whole gets the length of the whole records. */
static bool round_over(const unsigned char *p, size_t len, size_t *whole)
{
	const bool big = len && *p == '2';
	size_t at = PERF_PIPE_HEADER_SIZE;

	while (in_bounds(at, RECORD_HEADER_SIZE, len)) {
		const size_t size = get16(p + at + RECORD_SIZE, big);
		uint64_t payload;

		if (size < RECORD_HEADER_SIZE)
			return true;
		if (!in_bounds(at, size, len))
			return false;
		payload = perf_payload(p + at, size, big);
		if (!in_bounds(at + size, payload, len))
			return false;
		at += size + payload;
		*whole = at;
		if (get32(p + at - size - payload, big) == RECORD_FINISHED_ROUND)
			return true;
	}
	return false;
}

static bool is_pipe_mode(const unsigned char *p)
{
	const bool big = *p == '2';

	return (!memcmp(p, "PERFILE2", 8) || !memcmp(p, "2ELIFREP", 8)) &&
	       get64(p + PERF_SIZE, big) == PERF_PIPE_HEADER_SIZE;
}

/**
 * stream_open - hold back the begin of a stream
 * @stream:	filled, also on failure; to be closed with stream_close()
 * @in:		where it comes from
 * @why:	filled on failure
 *
 * Return: 0, and @stream->trace can be examined like a file; -1 where it is nothing to be stamped,
 * but stream_pass() can pass it on all the same.
 */
int stream_open(struct stream *stream, int in, struct why *why)
{
	struct trace *trace = &stream->trace;
	size_t whole = 0;
	ssize_t n;

	memset(stream, 0, sizeof(*stream));
	stream->in = in;
	trace->path = "-";
	trace->fd = -1;
	stream->held = calloc(1, HELD_MAX);
	if (!stream->held)
		return fail(why, "out of memory");
	while (stream->len < HELD_MAX && !round_over(stream->held, stream->len, &whole)) {
		n = read_some(in, stream->held + stream->len, HELD_MAX - stream->len);
		if (n < 0)
			return fail(why, "%s", strerror(errno));
		if (!n)
			break;
		stream->len += (size_t)n;
		if (stream->len >= PERF_PIPE_HEADER_SIZE && !is_pipe_mode(stream->held))
			return fail(why, "is not what perf writes into a pipe; a file has to be named");
	}
	if (stream->len < PERF_PIPE_HEADER_SIZE)
		return fail(why, "%s", stream->len ? "is truncated" : "is empty");

	trace->fd = memfd_create("kreloc", MFD_CLOEXEC);
	if (trace->fd < 0 || pwrite_full(trace->fd, stream->held, whole, 0) ||
	    fstat(trace->fd, &trace->st))
		return fail(why, "%s", strerror(errno));
	trace->size = whole;
	return 0;
}

/**
 * stream_pass - pass a stream on to its end
 * @stream:	opened by stream_open()
 * @out:	where to
 * @gap:	what comes in, and where; or NULL
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int stream_pass(const struct stream *stream, int out, const struct stamp_gap *gap, struct why *why)
{
	const size_t at = gap ? gap->at : 0;
	unsigned char *buf = stream->held;
	ssize_t n = 0;

	if (buf && (write_all(out, buf, at) || (gap && write_all(out, gap->data, gap->len)) ||
		    write_all(out, buf + at, stream->len - at)))
		return fail(why, "cannot be written: %s", strerror(errno));
	while (buf && (n = read_some(stream->in, buf, HELD_MAX)) > 0)
		if (write_all(out, buf, (size_t)n))
			return fail(why, "cannot be written: %s", strerror(errno));
	return n < 0 ? fail(why, "%s", strerror(errno)) : 0;
}

/**
 * stream_close - free what stream_open() took
 * @stream:	opened by it
 */
void stream_close(struct stream *stream)
{
	trace_close(&stream->trace);
	free(stream->held);
	stream->held = NULL;
}
