/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What other tools have to be told, in their own words.
 */
#ifndef KRELOC_CONSUMER_H
#define KRELOC_CONSUMER_H

#include "kreloc.h"
#include "place.h"

struct trace;

/**
 * struct debuggee - what a tool is to work on
 * @place:	of the kernel; both addresses are known
 * @vmlinux:	its vmlinux, or NULL where the user gave none
 * @dump:	of its memory, open; or NULL
 * @running:	it is the one that runs
 * @misread:	VMCOREINFO's KERNELOFFSET is not the offset
 */
struct debuggee {
	const struct place *place;
	const char *vmlinux;
	const struct trace *dump;
	bool running;
	bool misread;
};

bool consumer_refuse(const char *tool, bool json);
int consumer_print(const char *tool, const struct debuggee *d, struct why *why);

#endif /* KRELOC_CONSUMER_H */
