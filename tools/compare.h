/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vmlinux's symbol table against the one that a running kernel shows.
 */
#ifndef KRELOC_COMPARE_H
#define KRELOC_COMPARE_H

#include "elf-file.h"
#include "kallsyms.h"

/* What is wrong with one symbol. */
enum mismatch_kind {
	MISMATCH_MISSING,	/* only vmlinux has it */
	MISMATCH_EXTRA,		/* only kallsyms has it */
	MISMATCH_MOVED,		/* not where the offset would put it */
	MISMATCH_RENAMED,	/* the same place, another name */
};

#define MISMATCH_KINDS	4

/**
 * struct mismatch - one symbol that does not fit
 * @kind:	see above
 * @symbol:	in vmlinux, NULL for an extra one
 * @sym:	in kallsyms, NULL for a missing one
 * @by:		kallsyms' address minus the expected one, for a moved one
 * @taken:	the symbol whose place a moved one has taken, or NULL
 */
struct mismatch {
	enum mismatch_kind kind;
	const Elf64_Sym *symbol;
	const struct kallsym *sym;
	uint64_t by;
	const Elf64_Sym *taken;
};

/* What is wrong as a whole. */
enum verdict_kind {
	VERDICT_MATCH,		/* nothing */
	VERDICT_DIFFERS,	/* single symbols */
	VERDICT_RELOCATED,	/* all is moved by one more distance: another offset */
	VERDICT_SHIFTED,	/* the same, and no kernel can be there */
	VERDICT_LOCAL_ENTRY,	/* kallsyms has local entry points */
	VERDICT_ENDBR,		/* kallsyms has what comes after ENDBR64 */
	VERDICT_PERCPU,		/* per-CPU symbols are moved, which are no addresses */
	VERDICT_TRUNCATED,	/* the end of kallsyms is missing */
	VERDICT_INCOMPLETE,	/* more of it is */
	VERDICT_OTHER_KERNEL,	/* no one distance explains it */
	VERDICT_HIDDEN,		/* kallsyms has zeros for addresses */
};

/**
 * struct comparison - the outcome
 * @offset:	that the tables were compared at
 * @offset_known: it was given, or they tell; false where they were compared at 0 for want of it
 * @verdict:	see above
 * @shift:	of what the verdict is about, on top of @offset
 * @affected:	how many symbols the verdict is about
 * @text_only:	kallsyms has code alone (no CONFIG_KALLSYMS_ALL)
 * @in_kernel:	how many the kernel's own table has, 0 where vmlinux does not say
 * @expected:	how many of vmlinux's symbols kallsyms should have
 * @nr_kallsyms: how many it has
 * @matched:	how many of these are right
 * @counts:	the others, by kind
 * @list:	each of these, but for those that the verdict explains
 * @nr:		length of @list
 */
struct comparison {
	uint64_t offset;
	bool offset_known;
	enum verdict_kind verdict;
	uint64_t shift;
	size_t affected;
	bool text_only;
	size_t in_kernel;
	size_t expected;
	size_t nr_kallsyms;
	size_t matched;
	size_t counts[MISMATCH_KINDS];
	struct mismatch *list;
	size_t nr;
};

int compare(const struct elf_file *file, const struct vmlinux *vmlinux,
	    const struct kallsyms *kallsyms, const uint64_t *offset,
	    struct comparison *comparison, struct why *why);
void comparison_free(struct comparison *comparison);

#endif /* KRELOC_COMPARE_H */
