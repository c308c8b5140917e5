/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ELF files: vmlinux and kernel modules.
 */
#ifndef KRELOC_ELF_FILE_H
#define KRELOC_ELF_FILE_H

#include <gelf.h>

#include "kreloc.h"

struct arch;

/**
 * struct elf_section - what is needed of a section header
 * @name:	empty where it has none
 * @type:	sh_type
 * @flags:	sh_flags
 * @addr:	sh_addr
 * @size:	sh_size
 * @offset:	sh_offset
 * @align:	sh_addralign
 */
struct elf_section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	uint64_t addr;
	uint64_t size;
	uint64_t offset;
	uint64_t align;
};

/**
 * struct elf_file - an open ELF file
 * @path:	as given
 * @fd:		the file, or a temporary one if it was packed
 * @boot_image:	it was inside a bzImage
 * @elf:	libelf's handle, which maps the file
 * @arch:	never NULL
 * @big:	byte order
 * @type:	e_type
 * @flags:	e_flags
 * @sections:	all, the first one too, which is none
 * @nr_sections: how many
 * @symbols:	of its symbol table, in the byte order of this machine; NULL where it has none
 * @nr_symbols:	how many
 * @strings:	their names; the last byte is a NUL
 * @strings_size: bytes of these, at least 1
 */
struct elf_file {
	const char *path;
	int fd;
	bool boot_image;
	Elf *elf;
	const struct arch *arch;
	bool big;
	unsigned int type;
	unsigned int flags;
	struct elf_section *sections;
	size_t nr_sections;
	const Elf64_Sym *symbols;
	size_t nr_symbols;
	const char *strings;
	size_t strings_size;
};

int elf_file_open(const char *path, struct elf_file *file, struct why *why);
int elf_file_need_symbols(const struct elf_file *file, struct why *why);
void elf_file_close(struct elf_file *file);

const struct elf_section *elf_file_section(const struct elf_file *file, const char *name);
const unsigned char *elf_file_content(const struct elf_file *file,
				      const struct elf_section *section);
const unsigned char *elf_file_at(const struct elf_file *file, uint64_t addr, uint64_t len);
void elf_file_build_id(const struct elf_file *file, struct build_id *id);

/* The name of a symbol; empty where it has none, and where the file is damaged. */
static inline const char *elf_file_name(const struct elf_file *file, const Elf64_Sym *symbol)
{
	return file->strings + (symbol->st_name < file->strings_size ? symbol->st_name : 0);
}

#endif /* KRELOC_ELF_FILE_H */
