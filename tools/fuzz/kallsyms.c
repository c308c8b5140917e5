// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for a copy of /proc/kallsyms. Its two readers, the one that stops at what it wants and the
 * one that keeps all, must find the same.
 */
#include "fuzz.h"
#include "kallsyms.h"

static const char *const names[] = { "_text", "_stext", "f1" };

/* Among whole lines */
static const struct kallsym *find(const struct kallsyms *kallsyms, size_t len, const char *name)
{
	size_t i;

	for (i = 0; i < kallsyms->nr; i++)
		if (kallsyms->syms[i].name + kallsyms->syms[i].len < kallsyms->text + len &&
		    kallsyms->syms[i].len == strlen(name) &&
		    !memcmp(kallsyms->syms[i].name, name, strlen(name)))
			return &kallsyms->syms[i];
	return NULL;
}

static void check_table(const struct kallsyms *kallsyms, size_t len)
{
	size_t i;

	MUST(kallsyms->nr && kallsyms->nr + kallsyms->nr_modules <= len / 5 + 1);
	for (i = 0; i < kallsyms->nr; i++) {
		const struct kallsym *sym = &kallsyms->syms[i];

		MUST(sym->len && sym->name >= kallsyms->text &&
		     sym->name + sym->len <= kallsyms->text + len);
		MUST(!memchr(sym->name, '\n', sym->len) && !memchr(sym->name, '\t', sym->len));
	}
}

static void check_found(const struct kallsyms *kallsyms, size_t len,
			const struct symbol *symbols)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		const struct kallsym *sym = find(kallsyms, len, names[i]);

		MUST(symbols[i].found == !!sym);
		MUST(!sym || sym->addr == symbols[i].value);
	}
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	struct symbol symbols[ARRAY_SIZE(names)];
	const int fd = fuzz_file(data, len);
	struct kallsyms kallsyms;
	struct why why;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		symbols[i] = (struct symbol){ .name = names[i] };
	MUST(!kallsyms_find(fd, symbols, ARRAY_SIZE(names)));
	lseek(fd, 0, SEEK_SET);
	if (!kallsyms_read(fd, &kallsyms, &why)) {
		check_table(&kallsyms, len);
		/* No kernel ends a line so, but editors do, and only the whole table is for them. */
		if (!memchr(data, '\r', len))
			check_found(&kallsyms, len, symbols);
		kallsyms_free(&kallsyms);
	}
	close(fd);
	return 0;
}
