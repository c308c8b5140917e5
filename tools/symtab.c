// SPDX-License-Identifier: GPL-2.0-only
/*
 * A vmlinux with all of its symbols.
 */
#include <string.h>

#include "symtab.h"

/* Where there is no _end: the end of the last section that is loaded. */
static uint64_t image_size(const struct symtab *symtab)
{
	const struct elf_file *file = &symtab->file;
	uint64_t size = symtab->vmlinux.image_size;
	size_t i;

	if (size)
		return size;
	for (i = 1; i < file->nr_sections; i++) {
		const struct elf_section *section = &file->sections[i];

		if (section->flags & SHF_ALLOC && section->addr >= symtab->vmlinux.link &&
		    section->addr + section->size - symtab->vmlinux.link > size)
			size = section->addr + section->size - symtab->vmlinux.link;
	}
	return size;
}

/**
 * symtab_open - open a vmlinux and prepare it for lookups
 * @path:	the file, which may be packed
 * @rule:	which of several names is given
 * @symtab:	filled on success, then to be closed with symtab_close(); keeps @path
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int symtab_open(const char *path, enum alias_rule rule, struct symtab *symtab, struct why *why)
{
	if (elf_file_open(path, &symtab->file, why))
		return -1;
	if (!vmlinux_of(&symtab->file, &symtab->vmlinux, why)) {
		symtab->lookup.base = symtab->vmlinux.link;
		symtab->lookup.size = image_size(symtab);
		if (!lookup_build(&symtab->lookup, &symtab->file, NULL, rule, why))
			return 0;
		explain(why, "%s: %s", path, why->text);
	}
	elf_file_close(&symtab->file);
	return -1;
}

/**
 * symtab_close - close it
 * @symtab:	opened by symtab_open()
 */
void symtab_close(struct symtab *symtab)
{
	lookup_free(&symtab->lookup);
	elf_file_close(&symtab->file);
}

/**
 * symtab_next - find a symbol within the image by its name
 * @symtab:	open
 * @name:	exact, needs no end
 * @len:	of @name
 * @last:	the one found before, since there can be several; NULL at first
 *
 * Return: the next one, or NULL.
 */
const Elf64_Sym *symtab_next(const struct symtab *symtab, const char *name, size_t len,
			     const Elf64_Sym *last)
{
	const struct elf_file *file = &symtab->file;
	const Elf64_Sym *symbol = last ? last + 1 : file->symbols;

	for (; symbol < file->symbols + file->nr_symbols; symbol++) {
		const char *its = elf_file_name(file, symbol);

		if (symbol->st_shndx != SHN_UNDEF &&
		    symbol->st_value - symtab->lookup.base <= symtab->lookup.size &&
		    !strncmp(its, name, len) && !its[len])
			return symbol;
	}
	return NULL;
}
