/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A file that is stamped and stripped in memory, for tests that do it to thousands of damaged ones.
 */
#ifndef KRELOC_TESTS_TRIP_H
#define KRELOC_TESTS_TRIP_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace.h"

struct copy {
	unsigned char *data;
	size_t len;
};

static inline struct copy read_all(int fd)
{
	struct copy copy;

	copy.len = (size_t)lseek(fd, 0, SEEK_END);
	copy.data = malloc(copy.len + 1);
	if (!copy.data || pread_full(fd, copy.data, copy.len, 0) != (ssize_t)copy.len)
		exit(2);
	return copy;
}

static inline struct trace in_memory(const unsigned char *data, size_t len)
{
	struct trace trace = { .path = "memory", .size = len };

	trace.fd = memfd_create("trip", MFD_CLOEXEC);
	if (trace.fd < 0 || pwrite_full(trace.fd, data, len, 0) || fstat(trace.fd, &trace.st))
		exit(2);
	return trace;
}

/* The trace goes on with what was made of it, or as it was. */
static inline int trip_on(struct trace *trace, int fd, int err)
{
	if (err) {
		close(fd);
		return -1;
	}
	close(trace->fd);
	trace->fd = fd;
	trace->size = (uint64_t)lseek(fd, 0, SEEK_END);
	return 0;
}

static inline int trip_apply(struct trace *trace, const struct format *format,
			     const struct stamp_info *info, const struct stamp_job *job,
			     struct why *why)
{
	int fd;

	if (!job->gap.len)
		return stamp_apply(trace, info, job, why);
	fd = memfd_create("trip", MFD_CLOEXEC);
	if (fd < 0)
		exit(2);
	return trip_on(trace, fd, rewrite_stamp_into(fd, trace, format, info, job, why));
}

/* Returns whether it could be stamped. */
static inline bool trip_stamp(struct trace *trace, const struct format *format)
{
	struct stamp_info info = {
		.text = 0xffffffff87800000,
		.link = 0xffffffff81000000,
		.text_size = 14 << 20,
		.build_id.size = BUILD_ID_LEN,
		.anchor = "_text",
	};
	struct facts *facts = malloc(sizeof(*facts));
	struct stamp_job job = { 0 };
	struct why why;
	bool done = false;

	if (!facts)
		exit(2);
	if (!trace_examine(trace, format, facts, &why)) {
		if (facts->state == TRACE_BLIND || facts->state == TRACE_HOLLOW)
			done = !format->stamp(trace, facts, &info, &job, &why) &&
			       !trip_apply(trace, format, &info, &job, &why);
		facts_free(facts);
		stamp_job_free(&job);
	}
	free(facts);
	return done;
}

/* Is what was stamped seen to be? */
static inline bool trip_stamped(const struct trace *trace, const struct format *format)
{
	struct facts *facts = malloc(sizeof(*facts));
	struct why why;
	bool stamped;

	if (!facts)
		exit(2);
	if (trace_examine(trace, format, facts, &why))
		abort();
	stamped = facts->state == TRACE_STAMPED;
	facts_free(facts);
	free(facts);
	return stamped;
}

/* Returns whether there was a stamp to take out. */
static inline bool trip_strip(struct trace *trace, const struct format *format)
{
	struct facts *facts = malloc(sizeof(*facts));
	bool done = false;
	struct why why;
	int fd;

	if (!facts)
		exit(2);
	if (!trace_examine(trace, format, facts, &why)) {
		if (facts->altered) {
			/* As the command does: nobody knows what it was. */
		} else if (facts->has_block && facts->block.gap.len) {
			fd = memfd_create("trip", MFD_CLOEXEC);
			if (fd < 0)
				exit(2);
			done = !trip_on(trace, fd,
					rewrite_strip_into(fd, trace, format, &facts->block, &why));
		} else if (facts->state == TRACE_STAMPED || facts->state == TRACE_INTERRUPTED) {
			done = !trace_restore(trace, format, facts, &why);
		}
		facts_free(facts);
	}
	free(facts);
	return done;
}

/* For fuzzers: what could be stamped must come back as it was, and nothing may do harm. */
static inline void trip_fuzz(const struct format *format, const unsigned char *data, size_t len)
{
	struct trace trace;
	struct copy now;

	/* What format_of() asks before. */
	if (!format->probe(data, len < PROBE_LEN ? len : PROBE_LEN))
		return;
	trace = in_memory(data, len);
	if (trip_stamp(&trace, format)) {
		if (!trip_stamped(&trace, format) || !trip_strip(&trace, format))
			abort();
		now = read_all(trace.fd);
		if (now.len != len || memcmp(now.data, data, len))
			abort();
		free(now.data);
	} else {
		/* Perhaps it has a stamp, or half of one. */
		trip_strip(&trace, format);
	}
	close(trace.fd);
}

#endif /* KRELOC_TESTS_TRIP_H */
