/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the unit tests share. Every buffer that a decoder gets is a block of its own from malloc(),
 * exactly as long as it is said to be, so that ASan sees one byte too many.
 */
#ifndef KRELOC_TESTS_H
#define KRELOC_TESTS_H

#include <stdbool.h>
#include <stddef.h>

#include "decode.h"

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))

/* main.c */
__printf(2, 3)
void ok(bool passed, const char *fmt, ...);
__printf(3, 4)
void is(const char *got, const char *want, const char *fmt, ...);
unsigned int chance(void);
void put_le(void *at, unsigned long long value, size_t size);
void put_be(void *at, unsigned long long value, size_t size);
const struct kreloc_field *find(const struct kreloc_field *fields, const char *name);
int show(const struct kreloc_field *field, const void *data, size_t size, char **value);
const char *value_of(const struct kreloc_field *field, const void *data, size_t size);
unsigned int lines_in(const char *text);

/*
 * Memory that the data points to, found by physical address. Where there is none, phys_noise fills
 * in bytes that mean nothing, or the read fails.
 */
struct phys {
	unsigned long long addr;
	const void *data;
	size_t size;
};

extern const struct phys *phys;
extern bool phys_noise;

void test_field(void);
void test_fdt(void);
void test_vmcoreinfo(void);
void test_zeropage(void);

#endif /* KRELOC_TESTS_H */
