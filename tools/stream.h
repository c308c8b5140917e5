/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recordings that come through a pipe and go on through another.
 */
#ifndef KRELOC_STREAM_H
#define KRELOC_STREAM_H

#include "trace.h"

/**
 * struct stream - a recording on its way
 * @trace:	its begin, whole records, like a file
 * @in:		where the rest comes from
 * @held:	what was read and not passed on
 * @len:	bytes of that
 */
struct stream {
	struct trace trace;
	int in;
	unsigned char *held;
	size_t len;
};

int stream_open(struct stream *stream, int in, struct why *why);
int stream_pass(const struct stream *stream, int out, const struct stamp_gap *gap,
		struct why *why);
void stream_close(struct stream *stream);

#endif /* KRELOC_STREAM_H */
