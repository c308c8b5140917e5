// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the kallsyms that a kernel would have shown, from its vmlinux and its offset. Those of
 * modules are not in it, nor what does not move with the image.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kallsyms.h"
#include "symtab.h"

/**
 * struct row - a line in the making
 * @addr:	link address
 * @weak:	whether others of the same address come first
 * @underscores: in front of @name; fewer come first
 * @type:	as nm shows it
 * @name:	in the symbol table
 */
struct row {
	uint64_t addr;
	bool weak;
	unsigned int underscores;
	char type;
	const char *name;
};

/* compare_symbols() in scripts/kallsyms.c, whose input is that of nm -n. */
static int by_kallsyms(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	if (x->weak != y->weak)
		return x->weak ? 1 : -1;
	if (x->underscores != y->underscores)
		return x->underscores < y->underscores ? -1 : 1;
	return strcmp(x->name, y->name);
}

static char type_of(const struct elf_file *file, const Elf64_Sym *symbol)
{
	const struct elf_section *section = &file->sections[symbol->st_shndx];
	const unsigned int bind = ELF64_ST_BIND(symbol->st_info);
	const char *types = "rR";

	if (bind == STB_WEAK)
		return ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT ? 'V' : 'W';
	if (section->flags & SHF_EXECINSTR)
		types = "tT";
	else if (section->type == SHT_NOBITS)
		types = "bB";
	else if (section->flags & SHF_WRITE)
		types = "dD";
	return types[bind != STB_LOCAL];
}

/* Of those that kallsyms_drops() speaks of, the kernel's own functions were always kept. */
static bool is_kept(const struct elf_file *file, const Elf64_Sym *symbol, const char *name)
{
	return !kallsyms_drops(name) || (!strncmp(name, "kallsyms_", 9) &&
		file->sections[symbol->st_shndx].flags & SHF_EXECINSTR);
}

static bool is_row(const struct symtab *symtab, const Elf64_Sym *symbol, const char *name)
{
	const struct elf_file *file = &symtab->file;
	const unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return name[0] && type != STT_SECTION && type != STT_FILE &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < file->nr_sections &&
	       file->sections[symbol->st_shndx].flags & SHF_ALLOC &&
	       symbol->st_value >= symtab->lookup.base &&
	       symbol->st_value - symtab->lookup.base <= symtab->lookup.size &&
	       !strpbrk(name, " \t\n") && is_kept(file, symbol, name);
}

static int print_rows(const struct row *rows, size_t nr, uint64_t offset, char **text,
		      size_t *len, struct why *why)
{
	FILE *out = open_memstream(text, len);
	size_t i;

	if (!out)
		return fail(why, "out of memory");
	for (i = 0; i < nr; i++) {
		const unsigned long long addr = rows[i].addr + offset;

		fprintf(out, "%016llx %c %s\n", addr, rows[i].type, rows[i].name);
	}
	if (!fclose(out))
		return 0;
	free(*text);
	return fail(why, "out of memory");
}

/**
 * kallsyms_make - what /proc/kallsyms would have said
 * @path:	vmlinux
 * @offset:	of the kernel, in bytes
 * @text:	lines, and a NUL that is not counted; the caller frees them
 * @len:	bytes
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int kallsyms_make(const char *path, uint64_t offset, char **text, size_t *len, struct why *why)
{
	const struct elf_file *file;
	struct symtab symtab;
	struct row *rows;
	size_t i, nr = 0;
	int err;

	if (symtab_open(path, ALIAS_KRELOC, &symtab, why))
		return -1;
	file = &symtab.file;
	rows = malloc((file->nr_symbols + 1) * sizeof(*rows));
	for (i = 0; rows && i < file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];
		const char *name = elf_file_name(file, symbol);

		if (!is_row(&symtab, symbol, name))
			continue;
		rows[nr++] = (struct row){
			.addr = symbol->st_value,
			.weak = ELF64_ST_BIND(symbol->st_info) == STB_WEAK,
			.underscores = (unsigned int)strspn(name, "_"),
			.type = type_of(file, symbol),
			.name = name,
		};
	}
	if (!rows) {
		err = fail(why, "out of memory");
	} else if (!nr) {
		err = fail(why, "%s: has no symbols to take names from", path);
	} else {
		qsort(rows, nr, sizeof(*rows), by_kallsyms);
		err = print_rows(rows, nr, offset, text, len, why);
	}
	free(rows);
	symtab_close(&symtab);
	return err;
}
