/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Where a kernel is: architectures, the sources that tell the run-time address of the anchor, and
 * what tells its link address. A new source is one file and one line in source.c.
 */
#ifndef KRELOC_PLACE_H
#define KRELOC_PLACE_H

#include "kreloc.h"
#include "system.h"

struct vmlinux;

/**
 * struct arch - what kreloc has to know of an architecture
 * @name:	as uname -m and perf's ARCH feature
 * @machine:	e_machine of its vmlinux
 * @big:	byte order of its vmlinux
 * @anchor:	the symbol whose link and run-time addresses are compared
 * @link:	the anchor's link address, 0 where the configuration decides
 * @align:	the anchor's run-time address is a multiple of it
 * @image_start: from here on,
 * @image_end:	and up to here, only the kernel's own image has text
 * @image_moved_end: the same for a kernel whose offset is not 0
 * @kernel_offset: VMCOREINFO's KERNELOFFSET is the offset
 * @kcore_text:	/proc/kcore has a segment of its own for the image
 * @link_base:	link address = this + what boot_params or the configuration says; 0: does not apply
 */
struct arch {
	const char *name;
	unsigned int machine;
	bool big;
	const char *anchor;
	uint64_t link;
	uint64_t align;
	uint64_t image_start;
	uint64_t image_end;
	uint64_t image_moved_end;
	bool kernel_offset;
	bool kcore_text;
	uint64_t link_base;
};

const struct arch *arch_by_name(const char *name);
const struct arch *arch_by_machine(unsigned int machine, bool big);

/**
 * struct place - where a kernel is
 * @arch:	never NULL
 * @text:	run-time address of the anchor, always known
 * @link:	its link address, 0 where not known; then the offset is not known either
 * @text_size:	end of the kernel's text - @text, in bytes; 0 where not known
 * @source:	who told @text
 * @link_source: who told @link
 */
struct place {
	const struct arch *arch;
	uint64_t text;
	uint64_t link;
	uint64_t text_size;
	const char *source;
	const char *link_source;
};

static inline uint64_t place_offset(const struct place *place)
{
	return place->text - place->link;
}

int place_check(const struct place *place, struct why *why);

/**
 * struct source - where the running kernel's place can be learnt
 * @name:	for --source and in the output
 * @get:	fills @place->text, and ->link, ->link_source and ->text_size where it knows them.
 *		Returns 0 or -1 and why
 */
struct source {
	const char *name;
	int (*get)(const struct kernel *kernel, struct place *place, struct why *why);
};

extern const struct source source_sysfs;
extern const struct source source_kcore;
extern const struct source source_kallsyms;

#define SOURCES_MAX	8

/**
 * struct search - what became of the question to each source
 * @asked:	how many were asked
 * @name:	which
 * @why:	the answer of those that did not know
 */
struct search {
	unsigned int asked;
	const char *name[SOURCES_MAX];
	struct why why[SOURCES_MAX];
};

bool source_exists(const char *name);
int source_find(const char *name, const struct kernel *kernel, const struct vmlinux *vmlinux,
		struct place *place, struct search *search);
void source_text_size(const struct vmlinux *vmlinux, struct place *place);

int link_find(const struct kernel *kernel, const struct vmlinux *vmlinux, struct place *place,
	      struct why *why);
bool sysfs_link(const struct arch *arch, uint64_t *link);
uint64_t sysfs_text_size(void);
uint64_t kcore_text_size(const struct arch *arch, uint64_t text);

#endif /* KRELOC_PLACE_H */
