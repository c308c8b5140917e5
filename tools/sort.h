/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Sorting by address.
 */
#ifndef KRELOC_SORT_H
#define KRELOC_SORT_H

#include <stddef.h>
#include <stdint.h>

/**
 * struct sort_key - what is sorted
 * @addr:	by this
 * @index:	what it is of
 */
struct sort_key {
	uint64_t addr;
	uint32_t index;
};

void sort_by_addr(struct sort_key *keys, struct sort_key *room, size_t nr);

#endif /* KRELOC_SORT_H */
