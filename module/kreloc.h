/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kreloc: by how much was this kernel moved away from the addresses in its vmlinux?
 *
 * Everything that the module's files share. An architecture is one struct kreloc_arch in a file of
 * its own, and one line in Kbuild; its boot fields are named in decode.h, for the unit tests.
 */
#ifndef KRELOC_H
#define KRELOC_H

#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/types.h>

#include "decode.h"

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

/*
 * A symbol that is not exported: its address where kreloc is built into the kernel, NULL where it
 * is a module and has to find things in another way.
 */
#ifdef MODULE
#define KRELOC_LINKED(symbol)	NULL
#else
#define KRELOC_LINKED(symbol)	(&(symbol))
#endif

/**
 * struct kreloc_arch - what an architecture has to tell
 * @anchor:	the symbol whose link and run-time addresses are compared
 * @link_text:	the anchor's link address
 * @linked_text:	the anchor itself where kreloc is built in, else NULL
 * @linked_etext:	the same of _etext
 * @witnesses:	ends with an entry without a name
 * @valid:	can the anchor be at this run-time address at all? Refuses what a witness
 *		could only say in error
 * @phys:	physical address of the anchor, given its run-time address
 * @boot_linked:	finds what this kernel was handed at boot where kreloc is built in; NULL
 *		where it is a module
 * @boot_parent:	where the kernel shows the same in sysfs: below here,
 * @boot_dir:	in this directory, or without one,
 * @boot_file:	in this file
 * @boot_size:	the only size it can have; 0 if it can have any
 * @fields:	the tables of its fields; ends with NULL
 * @phys_read:	copies physical memory that the fields point to
 */
struct kreloc_arch {
	const char *anchor;
	unsigned long link_text;
	const void *linked_text;
	const void *linked_etext;
	const struct kreloc_witness *witnesses;
	bool (*valid)(unsigned long text);
	unsigned long (*phys)(unsigned long text);
	const void *(*boot_linked)(size_t *size);
	struct kobject **boot_parent;
	const char *boot_dir;
	const char *boot_file;
	size_t boot_size;
	const struct kreloc_field *const *fields;
	int (*phys_read)(unsigned long long addr, void *buf, size_t size);
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
int kreloc_ask(const struct kreloc_witness *witness, unsigned long *text);
int kreloc_linked_text(unsigned long *addr);
bool kreloc_is_ram(phys_addr_t addr, size_t size);
int kreloc_kallsyms_text(unsigned long *addr);
int kreloc_vmcoreinfo_text(unsigned long *addr);

/* access.c */
bool kreloc_has_gid(void);
kgid_t kreloc_gid(void);
int kreloc_access(const struct file *file);

/* boot.c */
void kreloc_boot_init(void);
void kreloc_boot_exit(void);
size_t kreloc_boot_size(void);
ssize_t kreloc_boot_read(void *buf, size_t pos, size_t size);
int kreloc_boot_value(const struct kreloc_field *field, struct kreloc_text *text);
void kreloc_text_free(struct kreloc_text *text);

/* boot_sysfs.c */
int kreloc_boot_sysfs_init(struct kobject *parent);
void kreloc_boot_sysfs_exit(struct kobject *parent);

/* debugfs.c */
void kreloc_debugfs_init(void);
void kreloc_debugfs_exit(void);

/* sysfs.c */
int kreloc_sysfs_init(void);
void kreloc_sysfs_exit(void);

#endif /* KRELOC_H */
