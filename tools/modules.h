/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel modules: where they were, and their symbols.
 */
#ifndef KRELOC_MODULES_H
#define KRELOC_MODULES_H

#include "elf-file.h"
#include "lookup.h"

/**
 * struct module - a line of /proc/modules
 * @name:	as the kernel has it, with underscores
 * @addr:	where its code begins
 * @size:	bytes of all its parts
 * @file:	the .ko, valid where @has_file
 * @has_file:	whether one was given
 * @lookup:	of @file, in addresses of the running kernel
 */
struct module {
	const char *name;
	uint64_t addr;
	uint64_t size;
	struct elf_file file;
	bool has_file;
	struct lookup lookup;
};

/**
 * struct modules - all that were loaded
 * @list:	sorted by address
 * @nr:		how many
 * @text:	the file, which the names point into
 */
struct modules {
	struct module *list;
	size_t nr;
	char *text;
};

int modules_read(const char *path, struct modules *modules, struct why *why);
int modules_add_file(struct modules *modules, const char *path, enum alias_rule rule,
		     struct why *why);
void modules_free(struct modules *modules);

const struct module *modules_find(const struct modules *modules, uint64_t addr);

#endif /* KRELOC_MODULES_H */
