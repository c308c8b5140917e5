// SPDX-License-Identifier: GPL-2.0-only
/*
 * What only a program can measure: lookups without the start of a process around them, and the
 * parts of a check. Prints the best of several rounds: others use the machine, too.
 *
 *	measure lookups VMLINUX
 *	measure check VMLINUX KALLSYMS
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "compare.h"
#include "resolve.h"
#include "symtab.h"

#define ROUNDS		15
#define LOOKUPS		10000000u

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void die(const char *what)
{
	fprintf(stderr, "measure: %s\n", what);
	exit(1);
}

static double earlier(double best, double start)
{
	const double t = now() - start;

	return best < t ? best : t;
}

/* Every address of the text is as likely as any other: the worst case for a cache. */
static void measure_lookups(const char *path)
{
	struct resolver resolver = { .offset = 0x2200000 };
	struct resolved resolved;
	double best = 1e9;
	struct symtab symtab;
	uint64_t sum = 0, x;
	unsigned int round, i;
	struct why why;

	if (symtab_open(path, ALIAS_KRELOC, &symtab, &why))
		die(why.text);
	resolver.base = symtab.lookup.base;
	resolver.size = symtab.lookup.size;
	resolver.symtab = &symtab;
	for (round = 0; round < 3; round++) {
		const double start = now();

		x = 88172645463325252u;
		for (i = 0; i < LOOKUPS; i++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			resolve(&resolver, resolver.base + resolver.offset +
					   x % symtab.vmlinux.text_size, &resolved);
			sum += resolved.name ? (unsigned char)resolved.name[0] : 0;
		}
		best = earlier(best, start);
	}
	symtab_close(&symtab);
	printf("%.1f million lookups/s (%llx)\n", LOOKUPS / best / 1e6, (unsigned long long)sum);
}

/* Reading is opening both and touching each symbol and each byte of its name, no more. */
static double read_tables(const char *path, const char *kallsyms_path, uint64_t *sum)
{
	const double start = now();
	int fd = open(kallsyms_path, O_RDONLY);
	struct kallsyms kallsyms;
	struct elf_file file;
	struct why why;
	size_t i;

	if (elf_file_open(path, &file, &why) || kallsyms_read(fd, &kallsyms, &why))
		die(why.text);
	for (i = 0; i < file.nr_symbols; i++)
		*sum += file.symbols[i].st_value + strlen(elf_file_name(&file, &file.symbols[i]));
	for (i = 0; i < kallsyms.nr; i++)
		*sum += kallsyms.syms[i].addr;
	kallsyms_free(&kallsyms);
	elf_file_close(&file);
	close(fd);
	return start;
}

static double check_tables(const char *path, const char *kallsyms_path)
{
	const double start = now();
	int fd = open(kallsyms_path, O_RDONLY);
	struct comparison comparison;
	struct kallsyms kallsyms;
	struct vmlinux vmlinux;
	struct elf_file file;
	struct why why;

	if (elf_file_open(path, &file, &why) || vmlinux_of(&file, &vmlinux, &why) ||
	    kallsyms_read(fd, &kallsyms, &why) ||
	    compare(&file, &vmlinux, &kallsyms, NULL, &comparison, &why))
		die(why.text);
	if (comparison.verdict != VERDICT_MATCH)
		die("they do not match");
	comparison_free(&comparison);
	kallsyms_free(&kallsyms);
	elf_file_close(&file);
	close(fd);
	return start;
}

static void measure_check(const char *vmlinux, const char *kallsyms)
{
	double read = 1e9, check = 1e9;
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < ROUNDS; i++) {
		read = earlier(read, read_tables(vmlinux, kallsyms, &sum));
		check = earlier(check, check_tables(vmlinux, kallsyms));
	}
	printf("reading both tables %.1f ms, checking them, reading included, %.1f ms: %.2f times\n",
	       read * 1e3, check * 1e3, check / read);
	fprintf(stderr, "%llx\n", (unsigned long long)sum);
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "lookups"))
		measure_lookups(argv[2]);
	else if (argc == 4 && !strcmp(argv[1], "check"))
		measure_check(argv[2], argv[3]);
	else
		die("usage: measure lookups VMLINUX, measure check VMLINUX KALLSYMS");
	return 0;
}
