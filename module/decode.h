/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoders of what firmware and the kernel left in memory: functions on (buffer, length) that
 * believe nothing. They use only headers that user space has as well, so that the unit tests
 * compile the very same files there, under ASan.
 */
#ifndef KRELOC_DECODE_H
#define KRELOC_DECODE_H

#include <linux/string.h>
#include <linux/types.h>

#ifdef __KERNEL__
#include <linux/kernel.h>
#include <linux/stddef.h>
#else
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#define __printf(fmt, args)
#endif

/**
 * struct kreloc_text - lines that are being written into a buffer
 * @buf:	the buffer, always terminated where it has any size
 * @size:	of the buffer
 * @len:	bytes that everything written takes: @size or more means that not all of it is
 *		there, and how much room it needs
 */
struct kreloc_text {
	char *buf;
	size_t size;
	size_t len;
};

/**
 * struct kreloc_boot - what the boot loader or the firmware handed to this kernel
 * @data:	its bytes
 * @size:	how many are there
 * @phys_read:	copies physical memory that it points to: 0 or a negative errno. NULL where it
 *		points to none
 */
struct kreloc_boot {
	const void *data;
	size_t size;
	int (*phys_read)(unsigned long long addr, void *buf, size_t size);
};

/* That a field looks at all the data, however long it is */
#define KRELOC_WHOLE	0xffff

/**
 * struct kreloc_field - one field of it, a file of /sys/kernel/kreloc/boot_params
 * @name:	the kernel's own; tables of fields end with one without a name
 * @show:	writes the value, in lines: 0, or a negative errno where this kernel was not
 *		given one
 * @names:	the names of values, or of bits, by which @show explains a number
 * @need:	bytes from the start on that @show looks at, or KRELOC_WHOLE
 * @at:		where the number begins
 * @high:	where its upper half is, if it has one apart
 * @size:	its size in bytes; 0 where the field is no part of the data
 * @debug:	for debugfs alone: nobody asks for this one by itself
 */
struct kreloc_field {
	const char *name;
	int (*show)(const struct kreloc_field *field, const struct kreloc_boot *boot,
		    struct kreloc_text *text);
	const struct kreloc_name *names;
	unsigned short need;
	unsigned short at;
	unsigned short high;
	unsigned short size:15;
	unsigned short debug:1;
};

/**
 * struct kreloc_name - what a number means
 * @value:	the number, or the bit
 * @name:	tables of names end with an entry without one
 */
struct kreloc_name {
	unsigned int value;
	const char *name;
};

/* field.c */
__printf(2, 3)
void kreloc_print(struct kreloc_text *text, const char *fmt, ...);
void kreloc_print_plain(struct kreloc_text *text, const char *from, size_t size);
unsigned long long kreloc_get_le(const void *from, size_t size);
unsigned long long kreloc_get_be(const void *from, size_t size);
const char *kreloc_name(const struct kreloc_name *names, unsigned long long value);
int kreloc_field_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		      struct kreloc_text *text);

/* fdt.c */
extern const struct kreloc_field kreloc_fdt_fields[];

/* vmcoreinfo.c */
int kreloc_note_symbol(const void *note, size_t size, const char *symbol, unsigned long *value);

/* zeropage.c */
extern const struct kreloc_field kreloc_zeropage_fields[];

#endif /* KRELOC_DECODE_H */
