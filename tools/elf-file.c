// SPDX-License-Identifier: GPL-2.0-only
/*
 * Opens ELF files. libelf maps the file, and only the headers, the symbol table and its names are
 * touched, so hundreds of megabytes of DWARF beside them cost nothing. The names are handed out as
 * they are in the file: a call for each of a hundred thousand symbols would cost more than all the
 * rest.
 */
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "elf-file.h"
#include "place.h"
#include "symbols.h"
#include "unpack.h"

static int read_header(struct elf_file *file, struct why *why)
{
	GElf_Ehdr ehdr;

	if (elf_kind(file->elf) != ELF_K_ELF || !gelf_getehdr(file->elf, &ehdr))
		return fail(why, "%s: not an ELF file; the vmlinux is needed", file->path);
	file->big = ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	file->type = ehdr.e_type;
	file->flags = ehdr.e_flags;
	file->arch = arch_by_machine(ehdr.e_machine, file->big);
	if (!file->arch || ehdr.e_ident[EI_CLASS] != ELFCLASS64)
		return fail(why, "%s: made for an architecture that kreloc does not know",
			    file->path);
	return 0;
}

static int read_sections(struct elf_file *file, struct why *why)
{
	size_t names, i;

	if (elf_getshdrnum(file->elf, &file->nr_sections) ||
	    elf_getshdrstrndx(file->elf, &names))
		return fail(why, "%s: %s", file->path, elf_errmsg(-1));
	file->sections = calloc(file->nr_sections + 1, sizeof(*file->sections));
	if (!file->sections)
		return fail(why, "%s: out of memory", file->path);
	for (i = 0; i < file->nr_sections; i++) {
		struct elf_section *section = &file->sections[i];
		GElf_Shdr shdr;

		if (!gelf_getshdr(elf_getscn(file->elf, i), &shdr))
			return fail(why, "%s: %s", file->path, elf_errmsg(-1));
		section->name = elf_strptr(file->elf, names, shdr.sh_name);
		if (!section->name)
			section->name = "";
		section->type = shdr.sh_type;
		section->flags = shdr.sh_flags;
		section->addr = shdr.sh_addr;
		section->size = shdr.sh_size;
		section->offset = shdr.sh_offset;
		section->align = shdr.sh_addralign;
	}
	return 0;
}

static const Elf_Data *section_data(const struct elf_file *file, size_t index)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);

	return scn ? elf_getdata(scn, NULL) : NULL;
}

/* A file without symbols is none to complain about yet: it may have a build-id. */
static void read_symbols(struct elf_file *file)
{
	size_t i;

	for (i = 1; i < file->nr_sections; i++) {
		const Elf_Data *symbols, *strings;
		GElf_Shdr shdr;

		if (file->sections[i].type != SHT_SYMTAB ||
		    !gelf_getshdr(elf_getscn(file->elf, i), &shdr) ||
		    shdr.sh_entsize != sizeof(Elf64_Sym))
			continue;
		symbols = section_data(file, i);
		strings = section_data(file, shdr.sh_link);
		if (!symbols || !symbols->d_buf || !strings || !strings->d_buf ||
		    !strings->d_size || ((const char *)strings->d_buf)[strings->d_size - 1])
			continue;
		file->symbols = symbols->d_buf;
		file->nr_symbols = symbols->d_size / sizeof(Elf64_Sym);
		file->strings = strings->d_buf;
		file->strings_size = strings->d_size;
		return;
	}
}

/**
 * elf_file_open - open an ELF file, also one that is packed with gzip, xz or zstd
 * @path:	the file
 * @file:	filled on success, then to be closed with elf_file_close(); keeps @path
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int elf_file_open(const char *path, struct elf_file *file, struct why *why)
{
	struct unpacked unpacked;

	memset(file, 0, sizeof(*file));
	file->path = path;
	if (unpack_open(path, &unpacked, why))
		return fail(why, "%s: %s", path, why->text);
	file->fd = unpacked.fd;
	file->boot_image = unpacked.boot_image;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
	if (!file->elf) {
		explain(why, "%s: %s", path, elf_errmsg(-1));
	} else if (!read_header(file, why) && !read_sections(file, why)) {
		read_symbols(file);
		return 0;
	}
	elf_file_close(file);
	return -1;
}

/**
 * elf_file_need_symbols - complain where there is no symbol table
 * @file:	open
 * @why:	filled on failure, with the path: what it is instead, and what to look for
 *
 * Return: 0 or -1.
 */
int elf_file_need_symbols(const struct elf_file *file, struct why *why)
{
	char hex[BUILD_ID_HEX];
	struct build_id id;

	if (file->symbols)
		return 0;
	elf_file_build_id(file, &id);
	return fail(why, "%s: %shas no symbol table; the vmlinux with debug symbols has%s%s",
		    file->path, file->boot_image ? "is a bzImage, and the kernel in it " : "",
		    id.size ? ": look for build-id " : "", id.size ? build_id_hex(&id, hex) : "");
}

/**
 * elf_file_close - close an ELF file
 * @file:	opened by elf_file_open()
 */
void elf_file_close(struct elf_file *file)
{
	free(file->sections);
	file->sections = NULL;
	elf_end(file->elf);
	close(file->fd);
}

/**
 * elf_file_section - find a section
 * @file:	open
 * @name:	of it
 *
 * Return: it, or NULL.
 */
const struct elf_section *elf_file_section(const struct elf_file *file, const char *name)
{
	size_t i;

	for (i = 1; i < file->nr_sections; i++)
		if (!strcmp(file->sections[i].name, name))
			return &file->sections[i];
	return NULL;
}

/**
 * elf_file_content - the bytes of a section as they are in the file
 * @file:	open
 * @section:	of it
 *
 * Return: section->size bytes, or NULL where the file does not have them.
 */
const unsigned char *elf_file_content(const struct elf_file *file,
				      const struct elf_section *section)
{
	size_t size;
	const char *raw = elf_rawfile(file->elf, &size);

	if (!raw || section->type == SHT_NOBITS || section->flags & SHF_COMPRESSED ||
	    !in_bounds(section->offset, section->size, size))
		return NULL;
	return (const unsigned char *)raw + section->offset;
}

/**
 * elf_file_at - the bytes at an address
 * @file:	open, not a relocatable one: there every section starts at 0
 * @addr:	link address
 * @len:	bytes
 *
 * Return: @len bytes, or NULL where the file does not have them.
 */
const unsigned char *elf_file_at(const struct elf_file *file, uint64_t addr, uint64_t len)
{
	size_t i;

	for (i = 1; i < file->nr_sections; i++) {
		const struct elf_section *section = &file->sections[i];
		const unsigned char *content;

		if (!(section->flags & SHF_ALLOC) || section->type == SHT_NOBITS ||
		    addr < section->addr || !in_bounds(addr - section->addr, len, section->size))
			continue;
		content = elf_file_content(file, section);
		return content ? content + (addr - section->addr) : NULL;
	}
	return NULL;
}

/**
 * elf_file_build_id - the build-id
 * @file:	open
 * @id:		filled; size 0 where it has none
 */
void elf_file_build_id(const struct elf_file *file, struct build_id *id)
{
	size_t i;

	memset(id, 0, sizeof(*id));
	for (i = 1; i < file->nr_sections && !id->size; i++) {
		const struct elf_section *section = &file->sections[i];
		const unsigned char *notes, *desc;
		size_t len;

		if (section->type != SHT_NOTE)
			continue;
		notes = elf_file_content(file, section);
		desc = notes ? note_find(notes, section->size, file->big, "GNU", NT_GNU_BUILD_ID,
					 &len) :
			       NULL;
		if (desc)
			build_id_set(id, desc, len);
	}
}
