// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a vmlinux and a kallsyms with bytes changed at random, over and over: whatever comes out,
 * nothing outside of the files may be read. The sanitizers see that; here every address is asked
 * for as well, and the tables are compared.
 *
 *	mutate-elf VMLINUX KALLSYMS TIMES
 *
 * The bytes are the same in every run.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "compare.h"
#include "symtab.h"
#include "system.h"

#define FILE_MAX	(1u << 20)

static uint64_t state = 1;

/* xorshift64 */
static uint64_t next(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static size_t read_file(const char *path, unsigned char *buf)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : pread_full(fd, buf, FILE_MAX, 0);

	if (n <= 0) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(1);
	}
	close(fd);
	return (size_t)n;
}

/* Mostly where it hurts: in the headers, at the end, where the section table is, and in numbers. */
static void mutate(unsigned char *bytes, size_t len, size_t tail)
{
	static const unsigned char values[] = { 0, 1, 0x7f, 0x80, 0xff, 0xfe };
	unsigned int n = 1 + (unsigned int)(next() % 8);

	while (n--) {
		const uint64_t where = next() % 4;
		size_t at = next() % len;

		if (!where)
			at = next() % 64;
		else if (where < 3)
			at = len - 1 - next() % tail;
		bytes[at % len] = next() % 2 ? values[next() % sizeof(values)] : (unsigned char)next();
	}
}

static int write_memory(int fd, const unsigned char *bytes, size_t len)
{
	return ftruncate(fd, (off_t)len) || pwrite_full(fd, bytes, len, 0);
}

static void ask(const struct symtab *symtab)
{
	const uint64_t step = symtab->lookup.size / 4096 + 1;
	uint64_t at;

	for (at = 0; at < symtab->lookup.size; at += step) {
		const struct span *span = lookup_find(&symtab->lookup, symtab->lookup.base + at);

		if (span && (at < span->start || at >= span->end ||
			     strlen(symtab->file.strings + span->name) >= symtab->file.strings_size))
			abort();
	}
}

static void check(const char *path, int kallsyms_fd, unsigned int *opened)
{
	struct comparison comparison;
	struct kallsyms kallsyms;
	struct symtab symtab;
	struct why why;

	if (symtab_open(path, ALIAS_PERF, &symtab, &why))
		return;
	++*opened;
	ask(&symtab);
	lseek(kallsyms_fd, 0, SEEK_SET);
	if (!kallsyms_read(kallsyms_fd, &kallsyms, &why)) {
		if (!compare(&symtab.file, &symtab.vmlinux, &kallsyms, NULL, &comparison, &why))
			comparison_free(&comparison);
		kallsyms_free(&kallsyms);
	}
	symtab_close(&symtab);
}

int main(int argc, char **argv)
{
	static unsigned char vmlinux[FILE_MAX], kallsyms[FILE_MAX], bytes[FILE_MAX];
	int vmlinux_fd = memfd_create("vmlinux", 0), kallsyms_fd = memfd_create("kallsyms", 0);
	size_t vmlinux_len, kallsyms_len;
	unsigned int opened = 0;
	char path[64];
	int i, times;

	if (argc != 4)
		return 2;
	times = (int)strtol(argv[3], NULL, 10);
	vmlinux_len = read_file(argv[1], vmlinux);
	kallsyms_len = read_file(argv[2], kallsyms);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", vmlinux_fd);
	for (i = 0; i < times; i++) {
		/* The table is at the end, a header has 64 bytes. */
		memcpy(bytes, vmlinux, vmlinux_len);
		mutate(bytes, vmlinux_len, next() % 2 ? 64 * 12 : vmlinux_len / 2);
		if (write_memory(vmlinux_fd, bytes, next() % 8 ? vmlinux_len : next() % vmlinux_len))
			return 1;
		memcpy(bytes, kallsyms, kallsyms_len);
		mutate(bytes, kallsyms_len, kallsyms_len);
		if (write_memory(kallsyms_fd, bytes, kallsyms_len))
			return 1;
		check(path, kallsyms_fd, &opened);
	}
	printf("%u of %d could be opened\n", opened, times);
	/* Else nothing was tested. */
	return opened < (unsigned int)times / 20;
}
