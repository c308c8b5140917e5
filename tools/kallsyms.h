/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * /proc/kallsyms and copies of it.
 */
#ifndef KRELOC_KALLSYMS_H
#define KRELOC_KALLSYMS_H

#include "kreloc.h"
#include "symbols.h"

/**
 * struct kallsym - a line of the kernel's own
 * @addr:	run-time address
 * @name:	not terminated
 * @len:	of @name
 */
struct kallsym {
	uint64_t addr;
	const char *name;
	size_t len;
};

/**
 * struct kallsyms - the whole table
 * @syms:	in the order of the file, without those of modules
 * @nr:		how many
 * @nr_modules:	how many lines there were of modules, BPF programs and trampolines
 * @cut:	the file ends within a line
 * @text:	the file, which the names point into
 */
struct kallsyms {
	struct kallsym *syms;
	size_t nr;
	size_t nr_modules;
	bool cut;
	char *text;
};

bool kallsyms_drops(const char *name);
int kallsyms_find(int fd, struct symbol *symbols, unsigned int nr);
int kallsyms_read(int fd, struct kallsyms *kallsyms, struct why *why);
void kallsyms_free(struct kallsyms *kallsyms);
bool kallsyms_line(const char *line, const char *end, struct kallsym *sym, bool *module);
int kallsyms_make(const char *path, uint64_t offset, char **text, size_t *len, struct why *why);

#endif /* KRELOC_KALLSYMS_H */
