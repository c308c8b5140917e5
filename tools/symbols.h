/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Symbols and build-ids: vmlinux and ELF notes.
 */
#ifndef KRELOC_SYMBOLS_H
#define KRELOC_SYMBOLS_H

#include "kreloc.h"

struct arch;
struct elf_file;
struct kernel;

/**
 * struct symbol - one name that is looked for
 * @name:	exact
 * @value:	st_value, or the address in kallsyms
 * @found:	whether it was there
 */
struct symbol {
	const char *name;
	uint64_t value;
	bool found;
};

/**
 * struct vmlinux - what is needed of an ELF kernel image
 * @path:	as given
 * @arch:	never NULL
 * @build_id:	size 0 where it has none
 * @link:	link address of the anchor
 * @text_size:	_etext - anchor, 0 where there is no _etext
 * @image_size:	_end - anchor, 0 where there is no _end
 */
struct vmlinux {
	const char *path;
	const struct arch *arch;
	struct build_id build_id;
	uint64_t link;
	uint64_t text_size;
	uint64_t image_size;
};

int vmlinux_of(const struct elf_file *file, struct vmlinux *vmlinux, struct why *why);
int vmlinux_read(const char *path, struct vmlinux *vmlinux, struct why *why);
int vmlinux_is_of(const struct vmlinux *vmlinux, const struct kernel *kernel, struct why *why);

const unsigned char *note_find(const unsigned char *notes, size_t len, bool big, const char *name,
			       uint32_t type, size_t *desc_len);

#endif /* KRELOC_SYMBOLS_H */
