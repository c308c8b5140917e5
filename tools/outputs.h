/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a recorder wrote.
 */
#ifndef KRELOC_OUTPUTS_H
#define KRELOC_OUTPUTS_H

#include <sys/types.h>
#include <time.h>

#include "kreloc.h"

/**
 * struct output_file - something that a recorder may have written
 * @path:	where
 * @dev:	what was there, as stat(2) says
 * @ino:	the same
 * @mtime:	the same
 */
struct output_file {
	char *path;
	dev_t dev;
	ino_t ino;
	struct timespec mtime;
};

/**
 * struct output_files - all of it, by path
 * @nr:		how many
 * @files:	each
 */
struct output_files {
	size_t nr;
	struct output_file *files;
};

int outputs_list(struct output_files *list, char *const *argv, struct why *why);
bool outputs_changed(const struct output_files *before, const struct output_file *file);
void outputs_free(struct output_files *list);

#endif /* KRELOC_OUTPUTS_H */
