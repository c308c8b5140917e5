/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * From the addresses of a running kernel to link addresses and names.
 */
#ifndef KRELOC_RESOLVE_H
#define KRELOC_RESOLVE_H

#include "modules.h"
#include "symtab.h"

/**
 * struct resolver - how addresses are to be understood
 * @offset:	of the kernel
 * @base:	link address of the image
 * @size:	bytes of the image; only what lies within moves by @offset
 * @symtab:	its symbols, or NULL
 * @modules:	those that were loaded, or NULL
 * @returns:	addresses are those that a call returns to
 * @region:	where there is no other image than the kernel's
 * @region_size: bytes of that, 0 where other things are there, too
 * @moved:	how many addresses were moved
 * @linked:	how many were link addresses already, and are no run-time addresses
 * @either:	how many could have been both, and were moved
 * @strange:	how many are within the region, but not within the image
 */
struct resolver {
	uint64_t offset;
	uint64_t base;
	uint64_t size;
	const struct symtab *symtab;
	const struct modules *modules;
	bool returns;
	uint64_t region;
	uint64_t region_size;
	uint64_t moved;
	uint64_t linked;
	uint64_t either;
	uint64_t strange;
};

enum resolved_as {
	RESOLVED_NOT,		/* not the kernel's */
	RESOLVED_MOVED,		/* was a run-time address */
	RESOLVED_LINK,		/* was a link address already */
	RESOLVED_MODULE,	/* in a module: it has a name, and no link address */
};

/**
 * struct resolved - what an address is
 * @as:		see above
 * @link:	link address
 * @name:	of the symbol, NULL where there is none
 * @offset:	bytes into the symbol; without a name, into the module
 * @module:	its name, or NULL
 * @local_entry: it is the local entry point of the symbol
 */
struct resolved {
	enum resolved_as as;
	uint64_t link;
	const char *name;
	uint64_t offset;
	const char *module;
	bool local_entry;
};

void resolve(struct resolver *resolver, uint64_t addr, struct resolved *resolved);
void resolve_warn(const struct resolver *resolver, const char *subject);

#endif /* KRELOC_RESOLVE_H */
