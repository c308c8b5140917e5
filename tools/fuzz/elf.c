// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for a vmlinux, packed or not. Every address can be asked for; and the kallsyms that is made
 * from it can be read, has the anchor where it belongs, and matches it.
 */
#include <signal.h>
#include <sys/resource.h>

#include "compare.h"
#include "fuzz.h"
#include "symtab.h"

#define OFFSET	0x2000000

/* A few bytes unpack to gigabytes. */
#define FILE_MAX	(4u << 20)

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct rlimit limit = { .rlim_cur = FILE_MAX, .rlim_max = RLIM_INFINITY };

	(void)argc;
	(void)argv;
	signal(SIGXFSZ, SIG_IGN);
	return setrlimit(RLIMIT_FSIZE, &limit);
}

static void check_lookup(const struct symtab *symtab)
{
	const uint64_t step = symtab->lookup.size / 4096 + 1;
	uint64_t at;

	for (at = 0; at < symtab->lookup.size; at += step) {
		const struct span *span = lookup_find(&symtab->lookup, symtab->lookup.base + at);

		MUST(!span || (at >= span->start && at < span->end));
		MUST(!span || span->name < symtab->file.strings_size);
	}
}

static void check_kallsyms(const struct symtab *symtab, const char *text, size_t len)
{
	struct symbol anchor = { .name = symtab->vmlinux.arch->anchor };
	const int fd = fuzz_file(text, len);
	struct comparison comparison;
	struct kallsyms kallsyms;
	struct why why;

	MUST(!kallsyms_find(fd, &anchor, 1));
	MUST(!anchor.found || anchor.value == symtab->vmlinux.link + OFFSET);
	lseek(fd, 0, SEEK_SET);
	MUST(!kallsyms_read(fd, &kallsyms, &why));
	MUST(!kallsyms.cut && !kallsyms.nr_modules);
	if (!compare(&symtab->file, &symtab->vmlinux, &kallsyms, NULL, &comparison, &why))
		comparison_free(&comparison);
	kallsyms_free(&kallsyms);
	close(fd);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	const int fd = fuzz_file(data, len);
	struct symtab symtab;
	struct why why;
	char path[64], *text;
	size_t text_len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (!symtab_open(path, ALIAS_PERF, &symtab, &why)) {
		check_lookup(&symtab);
		if (!kallsyms_make(path, OFFSET, &text, &text_len, &why)) {
			check_kallsyms(&symtab, text, text_len);
			free(text);
		}
		symtab_close(&symtab);
	}
	close(fd);
	return 0;
}
