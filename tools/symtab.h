/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A vmlinux with all of its symbols, for those who need more than the anchor.
 */
#ifndef KRELOC_SYMTAB_H
#define KRELOC_SYMTAB_H

#include "elf-file.h"
#include "lookup.h"
#include "symbols.h"

/**
 * struct symtab - a vmlinux that stays open
 * @file:	the file
 * @vmlinux:	what it says of its kernel
 * @lookup:	its addresses, from the anchor to the end of the image
 */
struct symtab {
	struct elf_file file;
	struct vmlinux vmlinux;
	struct lookup lookup;
};

int symtab_open(const char *path, enum alias_rule rule, struct symtab *symtab, struct why *why);
void symtab_close(struct symtab *symtab);

const Elf64_Sym *symtab_next(const struct symtab *symtab, const char *name, size_t len,
			     const Elf64_Sym *last);

#endif /* KRELOC_SYMTAB_H */
