/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Other programs, for what they print.
 */
#ifndef KRELOC_CHILD_H
#define KRELOC_CHILD_H

#include <stdio.h>
#include <sys/types.h>

#include "kreloc.h"

/**
 * struct child - a program that is running
 * @output:	what it prints; its complaints are not heard
 * @pid:	of it
 */
struct child {
	FILE *output;
	pid_t pid;
};

int child_start(struct child *child, char *const argv[], struct why *why);
int child_end(struct child *child, struct why *why);

#endif /* KRELOC_CHILD_H */
