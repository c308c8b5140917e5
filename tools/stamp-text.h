/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stamp as keys and values, for whatever is text: CTF's metadata, header lines, JSON. What of it
 * is not printable, or cannot be within quotes, is left out. Documentation/stamp-format.md has the
 * keys.
 */
#ifndef KRELOC_STAMP_TEXT_H
#define KRELOC_STAMP_TEXT_H

#include <stdio.h>

#include "stamp-block.h"

struct facts;

/* Room for any value. */
#define STAMP_VALUE_LEN	96

/**
 * struct stamp_text - a stamp that is being read
 * @info:	what was read of it; starts with zeros
 * @offset:	what it calls the offset
 * @seen:	a bit for each key
 * @strange:	there was a value that cannot be
 */
struct stamp_text {
	struct stamp_info info;
	uint64_t offset;
	unsigned int seen;
	bool strange;
};

const char *stamp_text_key(unsigned int key);
bool stamp_text_value(const struct stamp_info *info, unsigned int key,
		      char value[STAMP_VALUE_LEN]);
void stamp_text_set(struct stamp_text *stamp, const char *key, const char *value);
int stamp_text_done(const struct stamp_text *stamp, struct facts *facts, struct why *why);

#endif /* KRELOC_STAMP_TEXT_H */
