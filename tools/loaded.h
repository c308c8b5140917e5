/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The modules that the running kernel has loaded, and where.
 */
#ifndef KRELOC_LOADED_H
#define KRELOC_LOADED_H

#include "kreloc.h"
#include "system.h"

/**
 * struct loaded_module - a module of the running kernel
 * @name:	as the kernel has it, with underscores
 * @file:	where its .ko is; NULL where that is not known
 * @text:	run-time address of its .text
 * @size:	bytes, so that it does not reach into the next one
 * @build_id:	size 0 where it has none
 */
struct loaded_module {
	char *name;
	char *file;
	uint64_t text;
	uint64_t size;
	struct build_id build_id;
};

/**
 * struct loaded - all of them
 * @list:	by ascending address
 * @nr:		how many
 */
struct loaded {
	struct loaded_module *list;
	size_t nr;
};

int loaded_read(const struct kernel *kernel, struct loaded *loaded, struct why *why);
void loaded_free(struct loaded *loaded);

#endif /* KRELOC_LOADED_H */
