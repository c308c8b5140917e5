// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a vmlinux says of its kernel as a whole, and notes.
 */
#include <string.h>

#include "bytes.h"
#include "elf-file.h"
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

/*
 * Looks each name up, in one pass. The first character is compared here: that spares most of the
 * calls, and there are a hundred thousand symbols. Where one of them is defined at two addresses
 * nobody can tell which is meant.
 */
static int find_symbols(const struct elf_file *file, struct symbol *symbols, unsigned int nr,
			struct why *why)
{
	unsigned int j;
	size_t i;

	for (i = 0; i < file->nr_symbols; i++) {
		const Elf64_Sym *sym = &file->symbols[i];
		const char *name = elf_file_name(file, sym);

		for (j = 0; j < nr; j++) {
			if (name[0] != symbols[j].name[0] || sym->st_shndx == SHN_UNDEF ||
			    strcmp(name, symbols[j].name))
				continue;
			if (symbols[j].found && symbols[j].value != sym->st_value)
				return fail(why, "%s: has %s at 0x%llx and at 0x%llx; is it a kernel?",
					    file->path, name,
					    (unsigned long long)symbols[j].value,
					    (unsigned long long)sym->st_value);
			symbols[j].value = sym->st_value;
			symbols[j].found = true;
		}
	}
	return 0;
}

/**
 * vmlinux_of - what is needed of a vmlinux that is open already
 * @file:	the file
 * @vmlinux:	filled on success; keeps @file->path
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int vmlinux_of(const struct elf_file *file, struct vmlinux *vmlinux, struct why *why)
{
	struct symbol symbols[] = {
		{ .name = file->arch->anchor },
		{ .name = "_etext" },
		{ .name = "_end" },
	};
	const struct symbol *anchor = &symbols[0], *etext = &symbols[1], *end = &symbols[2];

	memset(vmlinux, 0, sizeof(*vmlinux));
	vmlinux->path = file->path;
	vmlinux->arch = file->arch;
	elf_file_build_id(file, &vmlinux->build_id);
	if (elf_file_need_symbols(file, why) ||
	    find_symbols(file, symbols, ARRAY_SIZE(symbols), why))
		return -1;
	if (!anchor->found)
		return fail(why, "%s: has no symbol %s; is it a kernel?", file->path, anchor->name);
	if (!anchor->value)
		return fail(why, "%s: has %s at 0; is it linked?", file->path, anchor->name);
	vmlinux->link = anchor->value;
	if (etext->found && etext->value > anchor->value)
		vmlinux->text_size = etext->value - anchor->value;
	if (end->found && end->value > anchor->value)
		vmlinux->image_size = end->value - anchor->value;
	return 0;
}

/**
 * vmlinux_read - read what is needed of a vmlinux
 * @path:	the file, which may be packed
 * @vmlinux:	filled on success; keeps @path
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int vmlinux_read(const char *path, struct vmlinux *vmlinux, struct why *why)
{
	struct elf_file file;
	int err;

	if (elf_file_open(path, &file, why))
		return -1;
	err = vmlinux_of(&file, vmlinux, why);
	elf_file_close(&file);
	return err;
}

/**
 * vmlinux_is_of - is this the vmlinux of the running kernel?
 * @vmlinux:	read by vmlinux_read()
 * @kernel:	the running kernel
 * @why:	filled where it is not, with the path
 *
 * A kernel and its vmlinux have a build-id both or neither.
 *
 * Return: 0 or -1.
 */
int vmlinux_is_of(const struct vmlinux *vmlinux, const struct kernel *kernel, struct why *why)
{
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];

	if (kernel->arch != vmlinux->arch)
		return fail(why, "%s: a %s kernel, and this machine is %s", vmlinux->path,
			    vmlinux->arch->name, kernel->machine);
	if (kernel->build_id.size && !vmlinux->build_id.size)
		return fail(why, "%s: has no build-id, and the running kernel has", vmlinux->path);
	if (build_id_differ(&vmlinux->build_id, &kernel->build_id))
		return fail(why, "%s: build-id %s, and the running kernel has %s", vmlinux->path,
			    build_id_hex(&vmlinux->build_id, theirs),
			    build_id_hex(&kernel->build_id, ours));
	return 0;
}
