// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sorting by address. qsort() takes ten times as long, and would be most of the time that it takes
 * to prepare a symbol table.
 */
#include <string.h>

#include "sort.h"

#define BYTES	8

/* One round: those with a smaller byte first, those with the same one as they were. */
static void distribute(const struct sort_key *from, struct sort_key *to, size_t nr,
		       unsigned int shift, const size_t counts[256])
{
	size_t starts[256], at = 0, i;

	for (i = 0; i < 256; i++) {
		starts[i] = at;
		at += counts[i];
	}
	for (i = 0; i < nr; i++)
		to[starts[from[i].addr >> shift & 255]++] = from[i];
}

/**
 * sort_by_addr - sort, ascending; equal ones stay in their order
 * @keys:	to be sorted
 * @room:	as large
 * @nr:		how many
 *
 * A round for each byte, from the last one; none for bytes that are the same in all, as the upper
 * ones of kernel addresses are.
 */
void sort_by_addr(struct sort_key *keys, struct sort_key *room, size_t nr)
{
	static size_t counts[BYTES][256];
	struct sort_key *from = keys, *to = room, *swap;
	unsigned int byte;
	size_t i;

	memset(counts, 0, sizeof(counts));
	for (i = 0; i < nr; i++)
		for (byte = 0; byte < BYTES; byte++)
			counts[byte][keys[i].addr >> (8 * byte) & 255]++;
	for (byte = 0; byte < BYTES; byte++) {
		const unsigned int shift = 8 * byte;

		if (!nr || counts[byte][from[0].addr >> shift & 255] == nr)
			continue;
		distribute(from, to, nr, shift, counts[byte]);
		swap = from;
		from = to;
		to = swap;
	}
	if (from != keys)
		memcpy(keys, from, nr * sizeof(*keys));
}
