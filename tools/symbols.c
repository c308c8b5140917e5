// SPDX-License-Identifier: GPL-2.0-only
/*
 * Symbols and build-ids. Of vmlinux only the headers, one symbol table and its notes are touched:
 * libelf maps the file, so hundreds of megabytes of DWARF beside them cost nothing.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "place.h"
#include "symbols.h"

#define NOTE_HEADER	12

/**
 * note_find - find a note
 * @notes:	notes in their order, aligned to 4 as all of the kernel's are
 * @len:	bytes
 * @big:	byte order
 * @name:	owner
 * @type:	n_type
 * @desc_len:	length of the descriptor
 *
 * Return: the first such note's descriptor, within @notes, or NULL.
 */
const unsigned char *note_find(const unsigned char *notes, size_t len, bool big, const char *name,
			       uint32_t type, size_t *desc_len)
{
	const size_t name_size = strlen(name) + 1;
	size_t at = 0;

	while (in_bounds(at, NOTE_HEADER, len)) {
		const uint64_t namesz = get32(notes + at, big);
		const uint64_t descsz = get32(notes + at + 4, big);
		const uint64_t name_at = at + NOTE_HEADER;
		const uint64_t desc_at = name_at + round_up(namesz, 4);

		if (!in_bounds(name_at, namesz, len) || !in_bounds(desc_at, descsz, len))
			return NULL;
		if (get32(notes + at + 8, big) == type && namesz == name_size &&
		    !memcmp(notes + name_at, name, name_size)) {
			*desc_len = descsz;
			return notes + desc_at;
		}
		at = desc_at + round_up(descsz, 4);
	}
	return NULL;
}

static void elf_build_id(Elf *elf, struct build_id *id)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		size_t at = 0, next, name_at, desc_at;
		GElf_Shdr shdr;
		GElf_Nhdr nhdr;
		Elf_Data *data;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		data = elf_getdata(scn, NULL);
		while (data && (next = gelf_getnote(data, at, &nhdr, &name_at, &desc_at))) {
			const char *buf = data->d_buf;

			if (nhdr.n_type == NT_GNU_BUILD_ID && nhdr.n_namesz == sizeof("GNU") &&
			    !memcmp(buf + name_at, "GNU", sizeof("GNU"))) {
				build_id_set(id, buf + desc_at, nhdr.n_descsz);
				return;
			}
			at = next;
		}
	}
}

/* Returns whether there is a symbol table at all. */
static bool elf_find(Elf *elf, struct symbol *symbols, unsigned int nr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn))) {
		unsigned int missing = nr, j;
		GElf_Shdr shdr;
		Elf_Data *data;
		GElf_Sym sym;
		size_t count, i;

		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_SYMTAB || !shdr.sh_entsize)
			continue;
		data = elf_getdata(scn, NULL);
		if (!data)
			continue;
		count = data->d_size / shdr.sh_entsize;
		for (i = 0; i < count && missing; i++) {
			const char *name;

			if (!gelf_getsym(data, (int)i, &sym) || sym.st_shndx == SHN_UNDEF)
				continue;
			name = elf_strptr(elf, shdr.sh_link, sym.st_name);
			for (j = 0; name && j < nr; j++) {
				if (symbols[j].found || strcmp(name, symbols[j].name))
					continue;
				symbols[j].value = sym.st_value;
				symbols[j].found = true;
				missing--;
			}
		}
		return true;
	}
	return false;
}

static int elf_read(Elf *elf, const char *path, struct vmlinux *vmlinux, struct why *why)
{
	struct symbol symbols[] = { { .name = "_etext" }, { .name = NULL } };
	GElf_Ehdr ehdr;

	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &ehdr))
		return fail(why, "%s: not an ELF file; the uncompressed vmlinux is needed", path);
	vmlinux->arch = arch_by_machine(ehdr.e_machine, ehdr.e_ident[EI_DATA] == ELFDATA2MSB);
	if (!vmlinux->arch)
		return fail(why, "%s: made for an architecture that kreloc does not know", path);

	elf_build_id(elf, &vmlinux->build_id);

	symbols[1].name = vmlinux->arch->anchor;
	if (!elf_find(elf, symbols, ARRAY_SIZE(symbols)))
		return fail(why, "%s: has no symbol table; the one with debug symbols has", path);
	if (!symbols[1].found)
		return fail(why, "%s: has no symbol %s; is it a kernel?", path, symbols[1].name);
	vmlinux->link = symbols[1].value;
	if (symbols[0].found && symbols[0].value > symbols[1].value)
		vmlinux->text_size = symbols[0].value - symbols[1].value;
	return 0;
}

/**
 * vmlinux_read - read what is needed of a vmlinux
 * @path:	the file
 * @vmlinux:	filled on success; keeps @path
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int vmlinux_read(const char *path, struct vmlinux *vmlinux, struct why *why)
{
	int fd, err;
	Elf *elf;

	memset(vmlinux, 0, sizeof(*vmlinux));
	vmlinux->path = path;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return fail(why, "%s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf) {
		err = elf_read(elf, path, vmlinux, why);
		elf_end(elf);
	} else {
		err = fail(why, "%s: %s", path, elf_errmsg(-1));
	}
	close(fd);
	return err;
}

/**
 * vmlinux_is_of - is this the vmlinux of the running kernel?
 * @vmlinux:	read by vmlinux_read()
 * @kernel:	the running kernel
 * @why:	filled where it is not, with the path
 *
 * Return: 0, also where either has no build-id; or -1.
 */
int vmlinux_is_of(const struct vmlinux *vmlinux, const struct kernel *kernel, struct why *why)
{
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];

	if (kernel->arch != vmlinux->arch)
		return fail(why, "%s: a %s kernel, and this machine is %s", vmlinux->path,
			    vmlinux->arch->name, kernel->machine);
	if (build_id_differ(&vmlinux->build_id, &kernel->build_id))
		return fail(why, "%s: build-id %s, and the running kernel has %s", vmlinux->path,
			    build_id_hex(&vmlinux->build_id, theirs),
			    build_id_hex(&kernel->build_id, ours));
	return 0;
}

/* "address type name", and for modules a tab and "[module]". */
static bool kallsyms_line(const char *line, size_t len, struct symbol *symbols, unsigned int nr)
{
	const char *space = memchr(line, ' ', len);
	const char *name;
	size_t name_len;
	unsigned int i;

	if (!space || len - (space - line) < 4 || space[2] != ' ')
		return false;
	name = space + 3;
	name_len = len - (name - line);
	for (i = 0; i < nr; i++) {
		if (symbols[i].found || strlen(symbols[i].name) != name_len ||
		    memcmp(name, symbols[i].name, name_len))
			continue;
		symbols[i].found = parse_hex(line, space - line, &symbols[i].value);
		return symbols[i].found;
	}
	return false;
}

/**
 * kallsyms_find - look names up in /proc/kallsyms or a copy of it
 * @fd:		open for reading
 * @symbols:	what to look for; starts with found = false
 * @nr:		how many
 *
 * Stops as soon as all are found. A value of 0 is passed on as it is: whoever asks knows whether
 * it can be an address.
 *
 * Return: 0, or -1 and errno.
 */
int kallsyms_find(int fd, struct symbol *symbols, unsigned int nr)
{
	unsigned int missing = nr;
	char buf[16384];
	size_t have = 0;
	bool skip = false;

	while (missing) {
		ssize_t n = read(fd, buf + have, sizeof(buf) - have);
		char *line = buf, *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n) {
			if (have && !skip)
				kallsyms_line(buf, have, symbols, nr);
			return 0;
		}
		have += (size_t)n;
		while (missing && (end = memchr(line, '\n', have - (line - buf)))) {
			if (!skip && kallsyms_line(line, end - line, symbols, nr))
				missing--;
			skip = false;
			line = end + 1;
		}
		have -= line - buf;
		memmove(buf, line, have);
		/* No kernel symbol is that long (KSYM_NAME_LEN is 512). */
		if (have == sizeof(buf)) {
			skip = true;
			have = 0;
		}
	}
	return 0;
}
