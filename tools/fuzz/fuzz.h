/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the fuzz targets share. libFuzzer calls LLVMFuzzerTestOneInput() with any bytes; replay.c does
 * the same with files.
 */
#ifndef KRELOC_FUZZ_H
#define KRELOC_FUZZ_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "trace.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len);

/* What does not hold is a bug. */
#define MUST(condition)								\
	do {									\
		if (!(condition)) {						\
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__,	\
				__LINE__, #condition);				\
			abort();						\
		}								\
	} while (0)

/* A file without a name that has these bytes, to be read from its begin. */
static inline int fuzz_file(const void *data, size_t len)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	if (fd < 0 || pwrite_full(fd, data, len, 0))
		exit(2);
	return fd;
}

/* Of just this length, so that the sanitizer sees one byte too many. */
static inline void *fuzz_copy(const void *data, size_t len)
{
	void *copy = malloc(len ? len : 1);

	if (!copy)
		exit(2);
	memcpy(copy, data, len);
	return copy;
}

/* Is there a line KEY=VALUE, be it the right one or another? */
static inline bool fuzz_has_line(const unsigned char *data, size_t len, const char *key,
				 uint64_t value)
{
	const size_t key_len = strlen(key);
	const unsigned char *at = data, *const end = data + len;

	while ((at = memmem(at, end - at, key, key_len))) {
		const char *digits = (const char *)at + key_len;
		size_t n = 0;
		uint64_t its;

		while (digits + n < (const char *)end && digits[n] && digits[n] != '\n')
			n++;
		if (parse_hex(digits, n, &its) && its == value)
			return true;
		at++;
	}
	return false;
}

#endif /* KRELOC_FUZZ_H */
