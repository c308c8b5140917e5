/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From link addresses to symbols.
 */
#ifndef KRELOC_LOOKUP_H
#define KRELOC_LOOKUP_H

#include "elf-file.h"

/* Which of the names of an address is given; see lookup.c. */
enum alias_rule {
	ALIAS_KRELOC,
	ALIAS_PERF,
};

/**
 * struct span - the addresses of one symbol
 * @start:	first, from the base of the lookup
 * @end:	first that is no longer its own
 * @outer:	the span that @start is within, or NO_SPAN
 * @name:	where its name is in the file's strings
 * @local_entry: see symbol_local_entry()
 *
 * All that an answer needs: the symbol table is large, and each part of it that is touched is
 * fetched from memory.
 */
struct span {
	uint32_t start;
	uint32_t end;
	uint32_t outer;
	uint32_t name;
	uint32_t local_entry;
};

#define NO_SPAN		UINT32_MAX

/**
 * struct lookup - the spans of a file, made once and asked often
 * @base:	first address that can be asked for
 * @size:	bytes from there on
 * @spans:	sorted by start
 * @nr:		how many
 * @buckets:	for each 2^@shift bytes the first span that starts there or later
 * @shift:	see above
 */
struct lookup {
	uint64_t base;
	uint64_t size;
	struct span *spans;
	uint32_t nr;
	uint32_t *buckets;
	unsigned int shift;
};

int lookup_build(struct lookup *lookup, const struct elf_file *file, const uint64_t *placed,
		 enum alias_rule rule, struct why *why);
void lookup_free(struct lookup *lookup);

const struct span *lookup_find(const struct lookup *lookup, uint64_t addr);

unsigned int symbol_local_entry(const struct elf_file *file, const Elf64_Sym *symbol);

#endif /* KRELOC_LOOKUP_H */
