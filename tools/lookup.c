// SPDX-License-Identifier: GPL-2.0-only
/*
 * From link addresses to symbols.
 *
 * A symbol ends where its st_size says; what lies between two symbols belongs to neither. One
 * without a size, as assembly has them, ends where the next one begins, at the latest where its
 * section or the symbol around it ends. Of symbols within each other the innermost answers. Names
 * that the linker script gives to the ends of pieces of code stand for their own address only:
 * behind __kprobes_text_end there can be megabytes of nothing.
 *
 * Of several names for one address the first by this rule answers:
 *   1. one with a size, then those without, the linker script's last;
 *   2. global before local before weak;
 *   3. fewer underscores in front;
 *   4. the order of the symbol table. perf's rule (choose_best_symbol() in
 *      tools/perf/util/symbol.c) is the same up to here, but now prefers the longer name, and
 *      avoids those that begin with SyS or compat_SyS.
 */
#include <stdlib.h>
#include <string.h>

#include "lookup.h"
#include "place.h"
#include "sort.h"

/* A function descriptor of the ELFv1 ABI: address, TOC, environment. */
#define DESCRIPTOR_SIZE	24

/**
 * struct build - a lookup in the making
 * @lookup:	the result
 * @file:	where the symbols are
 * @placed:	addresses of the sections, or NULL: as in the file
 * @rule:	for aliases
 * @opd:	index of the section with function descriptors, or 0
 * @keys:	where symbols start, from the base of the lookup, sorted
 * @nr:		number of these
 * @open:	spans that contain the current address, each within the one before
 * @depth:	number of these
 */
struct build {
	struct lookup *lookup;
	const struct elf_file *file;
	const uint64_t *placed;
	enum alias_rule rule;
	size_t opd;
	struct sort_key *keys;
	size_t nr;
	uint32_t *open;
	uint32_t depth;
};

/**
 * symbol_local_entry - where a caller that shares the callee's TOC enters
 * @file:	the file
 * @symbol:	of it
 *
 * In the ELFv2 ABI of powerpc a function begins with its global entry point, which is what
 * st_value and kallsyms say. Nothing is ever to be added to it; this is for information.
 *
 * Return: bytes behind the symbol, 0 where both are one.
 */
unsigned int symbol_local_entry(const struct elf_file *file, const Elf64_Sym *symbol)
{
	if (file->arch->machine != EM_PPC64 || (file->flags & EF_PPC64_ABI) != 2)
		return 0;
	return (unsigned int)PPC64_LOCAL_ENTRY_OFFSET(symbol->st_other);
}

static uint64_t symbol_start(const struct build *build, const Elf64_Sym *symbol)
{
	if (build->placed)
		return build->placed[symbol->st_shndx] + symbol->st_value;
	return symbol->st_value;
}

static uint64_t section_end(const struct build *build, const Elf64_Sym *symbol)
{
	const struct elf_section *section = &build->file->sections[symbol->st_shndx];

	return (build->placed ? build->placed[symbol->st_shndx] : section->addr) + section->size;
}

/* Names that stand for a place in memory; not those that compilers make for themselves. */
static bool is_wanted(const struct build *build, const Elf64_Sym *symbol)
{
	const unsigned int type = ELF64_ST_TYPE(symbol->st_info);
	const char *name = elf_file_name(build->file, symbol);

	return type != STT_SECTION && type != STT_FILE && type != STT_TLS &&
	       symbol->st_shndx != SHN_UNDEF && symbol->st_shndx < build->file->nr_sections &&
	       build->file->sections[symbol->st_shndx].flags & SHF_ALLOC &&
	       (!build->placed || build->placed[symbol->st_shndx]) &&
	       name[0] && name[0] != '$' && strncmp(name, ".L", 2);
}

static void collect(struct build *build)
{
	const struct lookup *lookup = build->lookup;
	size_t i;

	for (i = 0; i < build->file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &build->file->symbols[i];
		uint64_t at;

		if (!is_wanted(build, symbol))
			continue;
		at = symbol_start(build, symbol) - lookup->base;
		if (at < lookup->size)
			build->keys[build->nr++] = (struct sort_key){ at, (uint32_t)i };
	}
}

static const Elf64_Sym *key_symbol(const struct build *build, size_t i)
{
	return &build->file->symbols[build->keys[i].index];
}

static uint32_t key_start(const struct build *build, size_t i)
{
	return (uint32_t)build->keys[i].addr;
}

static bool ends_with(const char *name, size_t len, const char *end)
{
	const size_t end_len = strlen(end);

	return len >= end_len && !memcmp(name + len - end_len, end, end_len);
}

/* Was it given by the linker script? scripts/kallsyms.c has to guess as well. */
static bool is_mark(const Elf64_Sym *symbol, const char *name)
{
	static const char *const marks[] = {
		"_text", "_stext", "_etext", "_sinittext", "_einittext",
	};
	const size_t len = strlen(name);
	unsigned int i;

	if (symbol->st_size || name[0] != '_')
		return false;
	for (i = 0; i < ARRAY_SIZE(marks); i++)
		if (!strcmp(name, marks[i]))
			return true;
	return name[1] == '_' && (!strncmp(name, "__start_", 8) || !strncmp(name, "__stop_", 7) ||
				  !strncmp(name, "__end_", 6) || ends_with(name, len, "_start") ||
				  ends_with(name, len, "_end") || ends_with(name, len, "_begin"));
}

static unsigned int underscores(const char *name)
{
	return (unsigned int)strspn(name, "_");
}

static unsigned int binding_rank(const Elf64_Sym *symbol)
{
	switch (ELF64_ST_BIND(symbol->st_info)) {
	case STB_WEAK:
		return 2;
	case STB_LOCAL:
		return 1;
	default:
		return 0;
	}
}

static bool is_syscall_alias(const char *name)
{
	return !strncmp(name, "SyS", 3) || !strncmp(name, "compat_SyS", 10);
}

/* Does perf's last rule put @b before @a, which comes first in the symbol table? */
static bool perf_prefers(const char *a, const char *b)
{
	const size_t a_len = strlen(a), b_len = strlen(b);

	if (a_len != b_len)
		return b_len > a_len;
	return is_syscall_alias(a) && !is_syscall_alias(b);
}

/* Does @b come before @a, which is earlier in the symbol table? */
static bool is_better(const struct build *build, const Elf64_Sym *a, const Elf64_Sym *b)
{
	const char *a_name = elf_file_name(build->file, a);
	const char *b_name = elf_file_name(build->file, b);

	if (!a->st_size != !b->st_size)
		return b->st_size;
	if (is_mark(a, a_name) != is_mark(b, b_name))
		return is_mark(a, a_name);
	if (binding_rank(a) != binding_rank(b))
		return binding_rank(b) < binding_rank(a);
	if (underscores(a_name) != underscores(b_name))
		return underscores(b_name) < underscores(a_name);
	return build->rule == ALIAS_PERF && perf_prefers(a_name, b_name);
}

/* @next: where the next symbol starts. */
static uint32_t find_end(const struct build *build, const Elf64_Sym *symbol, uint32_t next)
{
	const struct lookup *lookup = build->lookup;
	const uint64_t start = symbol_start(build, symbol) - lookup->base;
	uint64_t end = section_end(build, symbol) - lookup->base, size = symbol->st_size;

	/* There st_size is that of the code. */
	if (build->opd && symbol->st_shndx == build->opd && size > DESCRIPTOR_SIZE)
		size = DESCRIPTOR_SIZE;
	if (end > lookup->size)
		end = lookup->size;
	if (end < start)
		end = start;
	if (size && size < end - start)
		end = start + size;
	if (size)
		return (uint32_t)end;

	if (next < end)
		end = next;
	if (end > start && build->file->sections[symbol->st_shndx].flags & SHF_EXECINSTR &&
	    is_mark(symbol, elf_file_name(build->file, symbol)))
		end = start + 1;
	if (build->depth) {
		const struct span *around = &lookup->spans[build->open[build->depth - 1]];

		if (around->end < end)
			end = around->end;
	}
	return (uint32_t)end;
}

static void add_span(struct build *build, size_t key, uint32_t end)
{
	const Elf64_Sym *symbol = key_symbol(build, key);
	struct lookup *lookup = build->lookup;

	lookup->spans[lookup->nr] = (struct span){
		.start = key_start(build, key),
		.end = end,
		.name = (uint32_t)(elf_file_name(build->file, symbol) - build->file->strings),
		.local_entry = symbol_local_entry(build->file, symbol),
		.outer = build->depth ? build->open[build->depth - 1] : NO_SPAN,
	};
	build->open[build->depth++] = lookup->nr++;
}

/*
 * The names of one address, [first, last) of the keys: the best, and around it the best of those
 * that reach further.
 */
static void add_address(struct build *build, size_t first, size_t last)
{
	const uint32_t start = key_start(build, first);
	const uint32_t next = last < build->nr ? key_start(build, last) : UINT32_MAX;
	size_t best = first, longest, i;
	uint32_t end, longest_end;

	while (build->depth &&
	       build->lookup->spans[build->open[build->depth - 1]].end <= start)
		build->depth--;
	for (i = first + 1; i < last; i++)
		if (is_better(build, key_symbol(build, best), key_symbol(build, i)))
			best = i;
	end = find_end(build, key_symbol(build, best), next);

	longest = best;
	longest_end = end;
	for (i = first; last - first > 1 && i < last; i++) {
		const uint32_t its = find_end(build, key_symbol(build, i), next);

		if (!key_symbol(build, i)->st_size)
			continue;
		if (its > longest_end ||
		    (its == longest_end && its > end &&
		     is_better(build, key_symbol(build, longest), key_symbol(build, i)))) {
			longest = i;
			longest_end = its;
		}
	}
	if (longest != best)
		add_span(build, longest, longest_end);
	if (end > start)
		add_span(build, best, end);
}

static int make_buckets(struct lookup *lookup, struct why *why)
{
	uint32_t nr, bucket = 0, i;

	/* About one for each symbol, so that a lookup looks at one or two. */
	while (lookup->shift < 31 && lookup->size >> lookup->shift > lookup->nr + 1ull)
		lookup->shift++;
	nr = (uint32_t)(lookup->size >> lookup->shift) + 1;
	lookup->buckets = malloc(nr * sizeof(*lookup->buckets));
	if (!lookup->buckets)
		return fail(why, "out of memory");
	for (i = 0; i < lookup->nr; i++)
		while (bucket <= lookup->spans[i].start >> lookup->shift)
			lookup->buckets[bucket++] = i;
	while (bucket < nr)
		lookup->buckets[bucket++] = lookup->nr;
	return 0;
}

static int make_spans(struct build *build, struct why *why)
{
	const size_t room = build->file->nr_symbols + 1;
	struct sort_key *sort_room = malloc(room * sizeof(*sort_room));
	size_t first, last;

	build->keys = malloc(room * sizeof(*build->keys));
	if (!build->keys || !sort_room) {
		free(sort_room);
		return fail(why, "out of memory");
	}
	collect(build);
	sort_by_addr(build->keys, sort_room, build->nr);
	free(sort_room);

	/* One address can have two. */
	build->lookup->spans = malloc((2 * build->nr + 1) * sizeof(struct span));
	build->open = malloc((2 * build->nr + 1) * sizeof(*build->open));
	if (!build->lookup->spans || !build->open)
		return fail(why, "out of memory");
	for (first = 0; first < build->nr; first = last) {
		last = first + 1;
		while (last < build->nr && key_start(build, last) == key_start(build, first))
			last++;
		add_address(build, first, last);
	}
	return 0;
}

/**
 * lookup_build - prepare for questions
 * @lookup:	base and size are set, the rest is filled on success; then to be freed with
 *		lookup_free()
 * @file:	open, with a symbol table; stays open as long as the lookup is used
 * @placed:	for a module, the address of each section, 0 for those that are not loaded;
 *		NULL for a vmlinux, which says so itself
 * @rule:	for aliases
 * @why:	filled on failure, without the path
 *
 * Return: 0 or -1.
 */
int lookup_build(struct lookup *lookup, const struct elf_file *file, const uint64_t *placed,
		 enum alias_rule rule, struct why *why)
{
	struct build build = { .lookup = lookup, .file = file, .placed = placed, .rule = rule };
	const struct elf_section *opd = elf_file_section(file, ".opd");
	int err;

	if (lookup->size >= UINT32_MAX || file->nr_symbols >= UINT32_MAX / 2)
		return fail(why, "is larger than any kernel");
	if (opd && file->arch->machine == EM_PPC64)
		build.opd = opd - file->sections;
	lookup->spans = NULL;
	lookup->buckets = NULL;
	lookup->nr = 0;
	lookup->shift = 0;
	err = make_spans(&build, why);
	if (!err)
		err = make_buckets(lookup, why);
	free(build.keys);
	free(build.open);
	if (err)
		lookup_free(lookup);
	return err;
}

/**
 * lookup_free - free a lookup
 * @lookup:	made by lookup_build()
 */
void lookup_free(struct lookup *lookup)
{
	free(lookup->spans);
	free(lookup->buckets);
	lookup->spans = NULL;
	lookup->buckets = NULL;
}

/**
 * lookup_find - which symbol is there?
 * @lookup:	made by lookup_build()
 * @addr:	link address
 *
 * Return: it, or NULL where there is none.
 */
const struct span *lookup_find(const struct lookup *lookup, uint64_t addr)
{
	const uint64_t at = addr - lookup->base;
	uint32_t i;

	if (at >= lookup->size)
		return NULL;
	i = lookup->buckets[at >> lookup->shift];
	while (i < lookup->nr && lookup->spans[i].start <= at)
		i++;
	for (i--; i != NO_SPAN; i = lookup->spans[i].outer)
		if (at < lookup->spans[i].end)
			return &lookup->spans[i];
	return NULL;
}
