/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kreloc: by how much was this kernel moved away from the addresses in its vmlinux?
 *
 * Everything that the module's files share. An architecture is one struct kreloc_arch and one
 * line at the end of this file; nothing else in the module names an architecture.
 */
#ifndef KRELOC_H
#define KRELOC_H

#include <linux/fs.h>
#include <linux/types.h>

/* Raised when a file of /sys/kernel/kreloc changes its meaning or goes away. */
#define KRELOC_ABI	1

/**
 * struct kreloc_witness - one independent way to learn the anchor's run-time address
 * @name:	as it appears in the sysfs file "sources"
 * @text:	stores the anchor's run-time address; 0, or a negative errno where this kernel
 *		cannot be asked that way
 */
struct kreloc_witness {
	const char *name;
	int (*text)(unsigned long *addr);
};

/**
 * struct kreloc_arch - what an architecture has to tell
 * @anchor:	the symbol whose link and run-time addresses are compared
 * @link_text:	the anchor's link address
 * @witnesses:	ends with an entry without a name
 * @valid:	can the anchor be at this run-time address at all? Refuses what a witness
 *		could only say in error
 * @phys:	physical address of the anchor, given its run-time address
 */
struct kreloc_arch {
	const char *anchor;
	unsigned long link_text;
	const struct kreloc_witness *witnesses;
	bool (*valid)(unsigned long text);
	unsigned long (*phys)(unsigned long text);
};

/* More than any architecture can have; "sources" is sized by it. */
#define KRELOC_MAX_WITNESSES	4

/**
 * struct kreloc_place - where this kernel is
 * @text:	run-time address of the anchor
 * @offset:	@text - link address, modulo 2^64
 * @phys_text:	physical address of the anchor
 * @text_size:	_etext - anchor in bytes; 0 where it is not known
 * @agreed:	the names of the witnesses behind @text
 * @nr_agreed:	how many, at least 1
 */
struct kreloc_place {
	unsigned long text;
	unsigned long offset;
	unsigned long phys_text;
	unsigned long text_size;
	const char *agreed[KRELOC_MAX_WITNESSES];
	unsigned int nr_agreed;
};

extern struct kreloc_place kreloc_place;

/* x86.c, powerpc.c: the one that is built */
extern const struct kreloc_arch kreloc_arch;

/* offset.c */
int kreloc_find(struct kreloc_place *place);
int kreloc_kallsyms_text(unsigned long *addr);
int kreloc_vmcoreinfo_text(unsigned long *addr);

/* access.c */
bool kreloc_has_gid(void);
kgid_t kreloc_gid(void);
int kreloc_access(const struct file *file);

/* sysfs.c */
int kreloc_sysfs_init(void);
void kreloc_sysfs_exit(void);

#endif /* KRELOC_H */
