// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the unit tests of the decoders. A sanitizer's finding ends the program before the plan is
 * printed, which TAP counts as a failure.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

static unsigned int count;
static unsigned int failures;

static void result(bool passed, const char *fmt, va_list args)
{
	count++;
	failures += !passed;
	printf("%sok %u ", passed ? "" : "not ", count);
	vprintf(fmt, args);
	putchar('\n');
}

void ok(bool passed, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	result(passed, fmt, args);
	va_end(args);
}

static void diagnose(const char *what, const char *text)
{
	printf("# %s: ", what);
	for (; *text; text++)
		printf(*text == '\n' ? "\n#\t" : "%c", *text);
	putchar('\n');
}

void is(const char *got, const char *want, const char *fmt, ...)
{
	bool same = !strcmp(got, want);
	va_list args;

	va_start(args, fmt);
	result(same, fmt, args);
	va_end(args);
	if (!same) {
		diagnose("is", got);
		diagnose("should be", want);
	}
}

/* The same numbers in every run: a failure can be repeated. */
unsigned int chance(void)
{
	static unsigned int state = 0x2b3c4d5e;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

void put_le(void *at, unsigned long long value, size_t size)
{
	unsigned char *p = at;

	for (; size--; value >>= 8)
		*p++ = value;
}

void put_be(void *at, unsigned long long value, size_t size)
{
	unsigned char *p = at;

	for (; size--; value >>= 8)
		p[size] = value;
}

const struct kreloc_field *find(const struct kreloc_field *fields, const char *name)
{
	for (; fields->name; fields++)
		if (!strcmp(fields->name, name))
			return fields;
	printf("Bail out! no field %s\n", name);
	exit(1);
}

const struct phys *phys;
bool phys_noise;

static int phys_read(unsigned long long addr, void *buf, size_t size)
{
	const struct phys *p;

	if (addr + size < addr) {
		printf("Bail out! a read that wraps around\n");
		exit(1);
	}
	for (p = phys; p && p->data; p++) {
		if (addr < p->addr || addr - p->addr > p->size || size > p->size - (addr - p->addr))
			continue;
		memcpy(buf, (const char *)p->data + (addr - p->addr), size);
		return 0;
	}
	if (!phys_noise)
		return -EFAULT;
	for (; size; size--)
		((unsigned char *)buf)[size - 1] = chance();
	return 0;
}

/*
 * The value as the kernel gets it: first into no buffer at all, which tells its length, then into
 * one of just that length. The caller frees it.
 */
int show(const struct kreloc_field *field, const void *data, size_t size, char **value)
{
	struct kreloc_boot boot = { .data = malloc(size), .size = size, .phys_read = phys_read };
	struct kreloc_text text = { .size = 0 };
	int err;

	memcpy((void *)boot.data, data, size);
	*value = NULL;
	err = kreloc_field_show(field, &boot, &text);
	if (!err && !phys_noise) {
		size_t len = text.len;

		text = (struct kreloc_text){ .buf = malloc(len + 1), .size = len + 1 };
		text.buf[0] = '\0';
		err = kreloc_field_show(field, &boot, &text);
		if (text.len != len || strlen(text.buf) != len || err) {
			printf("Bail out! %s: %zu bytes, then %zu\n", field->name, len, text.len);
			exit(1);
		}
		*value = text.buf;
	}
	free((void *)boot.data);
	return err;
}

/* The same for a comparison: the value, or the error in words */
const char *value_of(const struct kreloc_field *field, const void *data, size_t size)
{
	static char *value;
	static char error[16];
	int err;

	free(value);
	err = show(field, data, size, &value);
	if (!err)
		return value;
	snprintf(error, sizeof(error), "error %d", err);
	return error;
}

unsigned int lines_in(const char *text)
{
	unsigned int lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	puts("TAP version 13");
	test_field();
	test_vmcoreinfo();
	test_zeropage();
	test_fdt();
	printf("1..%u\n", count);
	return failures != 0;
}
