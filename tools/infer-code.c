// SPDX-License-Identifier: GPL-2.0-only
/*
 * Maps the code of a vmlinux: where instructions start, where functions are entered and where calls
 * return to. A new architecture is a file of its own and a line here.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "infer.h"
#include "place.h"
#include "symbols.h"

static const struct infer_arch *const arches[] = {
	&infer_x86,
	&infer_powerpc,
};

/*
 * A text has 20 MB today. The code that is only run while the kernel starts lies behind the data,
 * and call chains end there, in start_kernel().
 */
#define CODE_MAX	(256u << 20)

/**
 * codemap_mark - set a bit of a map
 * @code:	the map
 * @bits:	of it
 * @at:		from the start of the code, in bytes; beyond its end nothing happens
 */
void codemap_mark(const struct codemap *code, uint64_t *bits, uint64_t at)
{
	const uint64_t unit = at / code->infer->unit;

	if (at < code->size)
		bits[unit / 64] |= 1ull << unit % 64;
}

/* A section of code. Not all that may be executed is code: as of 7.2 .data may. */
static bool is_code(const struct codemap *code, const struct elf_section *section)
{
	return section->flags & SHF_ALLOC && section->flags & SHF_EXECINSTR &&
	       strstr(section->name, ".text") && section->addr >= code->start &&
	       in_bounds(section->addr - code->start, section->size, CODE_MAX);
}

static int measure(struct codemap *code, const struct elf_file *file, struct why *why)
{
	bool stripped = false;
	size_t i;

	for (i = 0; i < file->nr_sections; i++) {
		const struct elf_section *section = &file->sections[i];
		struct codemap_part *part = &code->parts[code->nr_parts];

		if (!is_code(code, section) || !section->size)
			continue;
		if (section->type == SHT_NOBITS) {
			stripped = true;
			continue;
		}
		if (code->nr_parts == CODEMAP_PARTS)
			return fail(why, "%s: has more sections of code than kreloc can handle",
				    file->path);
		part->start = (uint32_t)(section->addr - code->start);
		part->end = part->start + (uint32_t)section->size;
		if (part->end > code->size)
			code->size = part->end;
		code->nr_parts++;
	}
	if (!code->nr_parts)
		return fail(why, "%s: has no code%s", file->path,
			    stripped ? ", only symbols: the unstripped vmlinux has it" : "");
	if (!code->text_size || code->text_size > code->size)
		return fail(why, "%s: has no code up to _etext, where its text ends", file->path);
	return 0;
}

static int allocate(struct codemap *code, const struct elf_file *file, struct why *why)
{
	const size_t words = code->size / code->infer->unit / 64 + 1;

	code->bytes = calloc(1, code->size);
	code->starts = calloc(words, sizeof(*code->starts));
	code->entries = calloc(words, sizeof(*code->entries));
	code->returns = calloc(words, sizeof(*code->returns));
	code->functions = malloc((file->nr_symbols + 1) * sizeof(*code->functions));
	if (!code->bytes || !code->starts || !code->entries || !code->returns || !code->functions)
		return fail(why, "out of memory");
	return 0;
}

static int read_bytes(struct codemap *code, const struct elf_file *file, struct why *why)
{
	size_t i;

	for (i = 0; i < file->nr_sections; i++) {
		const struct elf_section *section = &file->sections[i];
		const unsigned char *content;

		if (!is_code(code, section) || !section->size || section->type == SHT_NOBITS)
			continue;
		content = elf_file_content(file, section);
		if (!content)
			return fail(why, "%s: is truncated: %s is beyond its end", file->path,
				    section->name);
		memcpy(code->bytes + (section->addr - code->start), content, section->size);
	}
	return 0;
}

/* The bytes from @at to the end of its section; 0 where none has it. */
static uint32_t room_at(const struct codemap *code, uint64_t at)
{
	unsigned int i;

	for (i = 0; i < code->nr_parts; i++)
		if (at >= code->parts[i].start && at < code->parts[i].end)
			return code->parts[i].end - (uint32_t)at;
	return 0;
}

static void add_symbol(struct codemap *code, const Elf64_Sym *symbol, const char *name)
{
	struct function *function = &code->functions[code->nr_functions];
	const int type = ELF64_ST_TYPE(symbol->st_info);
	const uint64_t start = symbol->st_value - code->start;
	const uint32_t room = room_at(code, start);

	/* Assembly has labels without type or size, and runs from each to the next. */
	if ((type != STT_FUNC && type != STT_NOTYPE) || !*name || !room ||
	    symbol->st_shndx == SHN_UNDEF || symbol->st_shndx == SHN_ABS ||
	    start % code->infer->unit)
		return;
	function->start = (uint32_t)start;
	function->size = symbol->st_size && symbol->st_size < room ? (uint32_t)symbol->st_size :
								      room;
	function->flags = code->infer->flags(name);
	if (type == STT_FUNC && !(function->flags & FUNCTION_PADDING))
		code->infer->mark_entry(code, start, symbol->st_other);
	code->nr_functions++;
}

/* Of symbols with the same start the longest comes first. */
static int by_start(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->size < y->size ? 1 : x->size > y->size ? -1 : 0;
}

static void read_functions(struct codemap *code, const struct elf_file *file)
{
	struct function *functions = code->functions;
	size_t i, kept = 0;

	for (i = 0; i < file->nr_symbols; i++)
		add_symbol(code, &file->symbols[i], elf_file_name(file, &file->symbols[i]));
	qsort(functions, code->nr_functions, sizeof(*functions), by_start);
	for (i = 0; i < code->nr_functions; i++) {
		if (kept && functions[kept - 1].start == functions[i].start)
			functions[kept - 1].flags |= functions[i].flags;
		else
			functions[kept++] = functions[i];
	}
	code->nr_functions = kept;
	for (i = 0; i + 1 < kept; i++)
		if (functions[i].size > functions[i + 1].start - functions[i].start)
			functions[i].size = functions[i + 1].start - functions[i].start;
}

static void mark_patches(struct codemap *code, const struct elf_file *file)
{
	const struct elf_section *section;
	const unsigned char *content;

	if (!code->infer->patches)
		return;
	section = elf_file_section(file, code->infer->patches);
	content = section ? elf_file_content(file, section) : NULL;
	if (content)
		code->infer->mark_patches(code, content, section->size, section->addr);
}

static int map_code(struct codemap *code, const struct elf_file *file, struct why *why)
{
	size_t i;

	if (measure(code, file, why) || allocate(code, file, why) || read_bytes(code, file, why))
		return -1;
	read_functions(code, file);
	for (i = 0; i < code->nr_functions; i++) {
		const struct function *function = &code->functions[i];

		if (!(function->flags & FUNCTION_PADDING))
			code->infer->mark_code(code, function->start,
					       (size_t)function->start + function->size);
	}
	mark_patches(code, file);
	return 0;
}

/**
 * codemap_read - map the code of a vmlinux
 * @code:	filled on success, then to be freed with codemap_free()
 * @path:	of the vmlinux
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int codemap_read(struct codemap *code, const char *path, struct why *why)
{
	struct vmlinux vmlinux;
	struct elf_file file;
	unsigned int i;
	int err;

	memset(code, 0, sizeof(*code));
	if (elf_file_open(path, &file, why))
		return -1;
	err = vmlinux_of(&file, &vmlinux, why);
	for (i = 0; !err && i < ARRAY_SIZE(arches); i++)
		if (arches[i]->machine == vmlinux.arch->machine)
			code->infer = arches[i];
	if (!err && !code->infer)
		err = fail(why, "%s: kreloc cannot read the code of %s", path, vmlinux.arch->name);
	if (!err) {
		code->big = vmlinux.arch->big;
		code->start = vmlinux.link;
		code->text_size = vmlinux.text_size;
		err = map_code(code, &file, why);
	}
	elf_file_close(&file);
	if (err)
		codemap_free(code);
	return err;
}

/**
 * codemap_free - free a map
 * @code:	filled by codemap_read(), or zeros
 */
void codemap_free(struct codemap *code)
{
	free(code->bytes);
	free(code->starts);
	free(code->entries);
	free(code->returns);
	free(code->functions);
	memset(code, 0, sizeof(*code));
}

/**
 * codemap_function - the function that an address belongs to
 * @code:	the code
 * @at:		from the start of the code, in bytes
 *
 * Return: the last function that does not start behind @at, which may have ended before it; NULL
 * where there is none.
 */
const struct function *codemap_function(const struct codemap *code, uint64_t at)
{
	size_t low = 0, high = code->nr_functions;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (code->functions[middle].start <= at)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? &code->functions[low - 1] : NULL;
}
