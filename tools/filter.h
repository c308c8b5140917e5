/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text with kernel addresses in it.
 */
#ifndef KRELOC_FILTER_H
#define KRELOC_FILTER_H

#include "resolve.h"

/* What is read ahead of a stream, to look for a stamp. */
#define FILTER_HELD	(64u << 10)

/**
 * struct filter_in - a stream that is read
 * @fd:		open for reading
 * @held:	what was read of it already
 * @len:	of that
 * @stamp_at:	where a stamp begins in it, whose addresses are what they are
 * @stamp_end:	and where it ends; both 0 without one
 * @stamped:	the offset is that of the stamp, so that there must not be another one
 */
struct filter_in {
	int fd;
	char held[FILTER_HELD];
	size_t len;
	size_t stamp_at;
	size_t stamp_end;
	bool stamped;
};

int filter_hold(struct filter_in *in, struct why *why);
int filter(const struct filter_in *in, int out, struct resolver *resolver, bool raw,
	   struct why *why);

#endif /* KRELOC_FILTER_H */
