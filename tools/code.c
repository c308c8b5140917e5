// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares a sample of the running kernel's functions with vmlinux, byte by byte.
 *
 * A kernel patches itself at boot and later: for what the processor can do, for static keys and
 * for the tracer. Where it does so is in tables that vmlinux has as well. A difference at such a
 * place is expected; one elsewhere is not, though some few are (kprobes, live patches, places that
 * have no table).
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "code.h"
#include "lookup.h"
#include "place.h"

/* Functions that are compared: enough to tell kernels apart, read in a moment. */
#define SAMPLE		4096
/* A longer one is compared up to here. */
#define FUNCTION_MAX	65536

/* What an entry of a table begins with. */
enum entry_kind {
	ENTRY_REL32,		/* 32 bits, from the entry itself */
	ENTRY_REL64,		/* 64 bits, from the entry itself */
	ENTRY_ABS64,		/* an address */
};

/**
 * struct patch_table - a table of places that are patched
 * @machine:	e_machine
 * @start:	the symbol where it begins
 * @stop:	the symbol where it ends
 * @patch:	why
 * @kind:	how the place is written
 * @size:	bytes of an entry
 * @at:		where in the entry the place is
 * @len:	bytes that are patched; 0: the entry tells
 * @len_at:	where in the entry they are told, as a byte; for ENTRY_REL64 as the end of the place
 */
struct patch_table {
	unsigned int machine;
	const char *start;
	const char *stop;
	enum patch patch;
	enum entry_kind kind;
	unsigned int size;
	unsigned int at;
	unsigned int len;
	unsigned int len_at;
};

/* A barrier is some instructions long; the longest has eight. */
#define BARRIER		32

static const struct patch_table tables[] = {
	/* struct alt_instr; its size tells the release, see alternatives() */
	{ EM_X86_64, "__alt_instructions", "__alt_instructions_end", PATCH_ALTERNATIVE,
	  ENTRY_REL32, 12, 0, 0, 10 },
	{ EM_X86_64, "__parainstructions", "__parainstructions_end", PATCH_ALTERNATIVE,
	  ENTRY_ABS64, 16, 0, 0, 9 },
	{ EM_X86_64, "__start___jump_table", "__stop___jump_table", PATCH_STATIC_KEY,
	  ENTRY_REL32, 16, 0, 5, 0 },
	{ EM_X86_64, "__start_mcount_loc", "__stop_mcount_loc", PATCH_FTRACE,
	  ENTRY_ABS64, 8, 0, 5, 0 },
	{ EM_X86_64, "__start_static_call_sites", "__stop_static_call_sites", PATCH_CALL,
	  ENTRY_REL32, 8, 0, 5, 0 },
	/* With a segment prefix, and for a conditional jump */
	{ EM_X86_64, "__retpoline_sites", "__retpoline_sites_end", PATCH_CALL,
	  ENTRY_REL32, 4, 0, 6, 0 },
	{ EM_X86_64, "__return_sites", "__return_sites_end", PATCH_CALL, ENTRY_REL32, 4, 0, 5, 0 },
	{ EM_X86_64, "__call_sites", "__call_sites_end", PATCH_CALL, ENTRY_REL32, 4, 0, 5, 0 },
	{ EM_X86_64, "__cfi_sites", "__cfi_sites_end", PATCH_CALL, ENTRY_REL32, 4, 0, 16, 0 },
	{ EM_X86_64, "__ibt_endbr_seal", "__ibt_endbr_seal_end", PATCH_CALL,
	  ENTRY_REL32, 4, 0, 4, 0 },
	{ EM_X86_64, "__smp_locks", "__smp_locks_end", PATCH_LOCK, ENTRY_REL32, 4, 0, 1, 0 },
	/* struct fixup_entry: mask, value, start, end, start and end of the alternative */
	{ EM_PPC64, "__start___ftr_fixup", "__stop___ftr_fixup", PATCH_ALTERNATIVE,
	  ENTRY_REL64, 48, 16, 0, 24 },
	{ EM_PPC64, "__start___mmu_ftr_fixup", "__stop___mmu_ftr_fixup", PATCH_ALTERNATIVE,
	  ENTRY_REL64, 48, 16, 0, 24 },
	{ EM_PPC64, "__start___fw_ftr_fixup", "__stop___fw_ftr_fixup", PATCH_ALTERNATIVE,
	  ENTRY_REL64, 48, 16, 0, 24 },
	{ EM_PPC64, "__start___lwsync_fixup", "__stop___lwsync_fixup", PATCH_ALTERNATIVE,
	  ENTRY_REL64, 8, 0, 4, 0 },
	{ EM_PPC64, "__start___barrier_nospec_fixup", "__stop___barrier_nospec_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___stf_entry_barrier_fixup", "__stop___stf_entry_barrier_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___stf_exit_barrier_fixup", "__stop___stf_exit_barrier_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___entry_flush_fixup", "__stop___entry_flush_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___scv_entry_flush_fixup", "__stop___scv_entry_flush_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___uaccess_flush_fixup", "__stop___uaccess_flush_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___rfi_flush_fixup", "__stop___rfi_flush_fixup",
	  PATCH_ALTERNATIVE, ENTRY_REL64, 8, 0, BARRIER, 0 },
	{ EM_PPC64, "__start___jump_table", "__stop___jump_table", PATCH_STATIC_KEY,
	  ENTRY_REL32, 16, 0, 4, 0 },
};

/**
 * struct site - a place that may be patched
 * @start:	link address
 * @end:	behind it
 * @patch:	why
 */
struct site {
	uint64_t start;
	uint64_t end;
	enum patch patch;
};

/**
 * struct code_work - a comparison under way
 * @file:	the vmlinux
 * @offset:	of the running kernel
 * @borders:	addresses of the tables' ends, start and stop of each; 0 where there is none
 * @mcount:	address of powerpc's _mcount, 0 where there is none
 * @sites:	sorted by start
 * @nr_sites:	how many
 * @room:	for how many there is room
 * @max_len:	the longest
 */
struct code_work {
	const struct elf_file *file;
	uint64_t offset;
	uint64_t borders[ARRAY_SIZE(tables)][2];
	uint64_t mcount;
	struct site *sites;
	size_t nr_sites;
	size_t room;
	uint64_t max_len;
};

static int add_site(struct code_work *work, uint64_t start, uint64_t len, enum patch patch,
		    struct why *why)
{
	if (!len || len > FUNCTION_MAX)
		return 0;
	if (work->nr_sites == work->room) {
		struct site *more;

		work->room = work->room ? 2 * work->room : 65536;
		more = realloc(work->sites, work->room * sizeof(*more));
		if (!more)
			return fail(why, "out of memory");
		work->sites = more;
	}
	work->sites[work->nr_sites++] = (struct site){ start, start + len, patch };
	if (len > work->max_len)
		work->max_len = len;
	return 0;
}

/* Some places are symbols of their own: the trampolines of static calls, which are code alone. */
static int find_symbols(struct code_work *work, struct why *why)
{
	const struct elf_file *file = work->file;
	size_t i, j;

	for (i = 0; i < file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];
		const char *name = elf_file_name(file, symbol);

		if (name[0] != '_')
			continue;
		if (!strcmp(name, "_mcount"))
			work->mcount = symbol->st_value;
		if (!strncmp(name, "__SCT__", 7) &&
		    add_site(work, symbol->st_value, symbol->st_size, PATCH_CALL, why))
			return -1;
		for (j = 0; name[1] == '_' && j < ARRAY_SIZE(tables); j++) {
			if (tables[j].machine != file->arch->machine)
				continue;
			if (!strcmp(name, tables[j].start))
				work->borders[j][0] = symbol->st_value;
			else if (!strcmp(name, tables[j].stop))
				work->borders[j][1] = symbol->st_value;
		}
	}
	return 0;
}

static uint64_t entry_place(const struct code_work *work, enum entry_kind kind,
			    const unsigned char *entry, uint64_t addr, unsigned int at)
{
	const bool big = work->file->big;

	switch (kind) {
	case ENTRY_REL32:
		return addr + at + (uint64_t)(int64_t)(int32_t)get32(entry + at, big);
	case ENTRY_REL64:
		/* From the entry, not from the field */
		return addr + get64(entry + at, big);
	default:
		return get64(entry + at, big);
	}
}

static int add_table(struct code_work *work, const struct patch_table *table, uint64_t start,
		     uint64_t len, struct why *why)
{
	const unsigned char *bytes = elf_file_at(work->file, start, len);
	uint64_t i;

	for (i = 0; bytes && i + table->size <= len; i += table->size) {
		const unsigned char *entry = bytes + i;
		const uint64_t at = entry_place(work, table->kind, entry, start + i, table->at);
		uint64_t patched = table->len;

		if (!patched && table->kind == ENTRY_REL64)
			patched = entry_place(work, table->kind, entry, start + i, table->len_at) - at;
		else if (!patched)
			patched = entry[table->len_at];
		if (add_site(work, at, patched, table->patch, why))
			return -1;
	}
	return 0;
}

/*
 * struct alt_instr: 12 bytes since 5.14, 13 before (with padlen), 14 since 6.3 (with flags).
 * Only the right size makes all of them patch code.
 */
static struct patch_table alternatives(const struct code_work *work,
				       const struct patch_table *table, uint64_t start,
				       uint64_t len)
{
	static const unsigned int sizes[][2] = { { 12, 10 }, { 13, 10 }, { 14, 12 } };
	const unsigned char *bytes = elf_file_at(work->file, start, len);
	struct patch_table right = *table;
	unsigned int i;

	for (i = 0; bytes && i < ARRAY_SIZE(sizes); i++) {
		uint64_t at = 0, last = 0;

		right.size = sizes[i][0];
		right.len_at = sizes[i][1];
		if (len % right.size)
			continue;
		while (at < len) {
			last = entry_place(work, right.kind, bytes + at, start + at, 0);
			if (!elf_file_at(work->file, last, bytes[at + right.len_at]))
				break;
			at += right.size;
		}
		if (at == len)
			break;
	}
	return right;
}

static int by_start(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static int find_sites(struct code_work *work, struct why *why)
{
	size_t i;

	if (find_symbols(work, why))
		return -1;
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const uint64_t start = work->borders[i][0];
		const uint64_t len = work->borders[i][1] - start;
		struct patch_table table = tables[i];

		if (!start || !work->borders[i][1])
			continue;
		if (table.patch == PATCH_ALTERNATIVE && table.kind == ENTRY_REL32)
			table = alternatives(work, &tables[i], start, len);
		if (add_table(work, &table, start, len, why))
			return -1;
	}
	if (work->nr_sites)
		qsort(work->sites, work->nr_sites, sizeof(*work->sites), by_start);
	return 0;
}

/* Is there a site with this address in it? */
static const struct site *find_site(const struct code_work *work, uint64_t addr)
{
	size_t low = 0, high = work->nr_sites;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (work->sites[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	while (low && addr - work->sites[low - 1].start < work->max_len) {
		if (addr < work->sites[low - 1].end)
			return &work->sites[low - 1];
		low--;
	}
	return NULL;
}

#define INSN_NOP	0x60000000u
#define INSN_MFLR	0x7c0802a6u

/*
 * powerpc: "bl _mcount", or the mflr in front of it; later the two nops at the local entry point
 * (-fpatchable-function-entry), the first of which becomes that mflr.
 */
static bool is_tracer_call(const struct code_work *work, const unsigned char *linked, size_t at,
			   size_t len, const Elf64_Sym *symbol)
{
	const bool big = work->file->big;
	const uint64_t addr = symbol->st_value;
	uint32_t insn;

	at &= ~(size_t)3;
	if (work->file->arch->machine != EM_PPC64 || at + 4 > len)
		return false;
	insn = get32(linked + at, big);
	if (insn == INSN_NOP)
		return at - symbol_local_entry(work->file, symbol) < 8;
	if (insn == INSN_MFLR && at + 8 <= len) {
		at += 4;
		insn = get32(linked + at, big);
	}
	if (!work->mcount || (insn & 0xfc000003) != 0x48000001)
		return false;
	/* The displacement is 26 bits, with a sign. */
	return addr + at + (uint64_t)(((int64_t)(insn & 0x03fffffc) ^ 0x02000000) - 0x02000000) ==
	       work->mcount;
}

/*
 * An address in the code that moved with the kernel, around this byte? Returns its end, or 0. The
 * distance to a per-CPU symbol of x86_64, which does not move, became the smaller (the inverse
 * relocations of arch/x86/boot/compressed/misc.c).
 */
static size_t moved_address(const struct code_work *work, const unsigned char *linked,
			    const unsigned char *running, size_t at, size_t len)
{
	const bool big = work->file->big;
	size_t from;

	for (from = at < 7 ? 0 : at - 7; from <= at; from++) {
		if (from + 8 <= len && get64(running + from, big) ==
				       get64(linked + from, big) + work->offset)
			return from + 8;
		if (from + 4 <= len && from + 4 > at) {
			const uint32_t by = get32(running + from, big) - get32(linked + from, big);

			if (by == (uint32_t)work->offset || by == (uint32_t)-work->offset)
				return from + 4;
		}
	}
	return 0;
}

/* Returns how many bytes nothing explains. */
static size_t explain_bytes(const struct code_work *work, const unsigned char *linked,
			    const unsigned char *running, size_t len, const Elf64_Sym *symbol,
			    struct code_comparison *code)
{
	size_t strange = 0, address_end = 0, i;

	for (i = 0; i < len; i++) {
		const struct site *site;

		if (linked[i] == running[i])
			continue;
		code->differing++;
		site = find_site(work, symbol->st_value + i);
		if (site) {
			code->explained[site->patch]++;
			continue;
		}
		if (is_tracer_call(work, linked, i, len, symbol)) {
			code->explained[PATCH_FTRACE]++;
			continue;
		}
		if (i >= address_end && work->offset)
			address_end = moved_address(work, linked, running, i, len);
		if (i < address_end)
			code->explained[PATCH_ADDRESS]++;
		else
			strange++;
	}
	return strange;
}

static bool is_compared(const struct elf_file *file, const struct vmlinux *vmlinux,
			const Elf64_Sym *symbol)
{
	return ELF64_ST_TYPE(symbol->st_info) == STT_FUNC && symbol->st_size &&
	       symbol->st_shndx < file->nr_sections &&
	       file->sections[symbol->st_shndx].flags & SHF_EXECINSTR &&
	       symbol->st_value - vmlinux->link < vmlinux->text_size;
}

static int compare_functions(const struct code_work *work, const struct vmlinux *vmlinux,
			     const struct kcore *kcore, struct code_comparison *code,
			     struct why *why)
{
	static unsigned char running[FUNCTION_MAX];
	const struct elf_file *file = work->file;
	size_t nr = 0, step, seen = 0, i;

	for (i = 0; i < file->nr_symbols; i++)
		nr += is_compared(file, vmlinux, &file->symbols[i]);
	step = nr / SAMPLE + 1;
	for (i = 0; i < file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];
		const unsigned char *linked;
		size_t len = symbol->st_size < FUNCTION_MAX ? symbol->st_size : FUNCTION_MAX;

		if (!is_compared(file, vmlinux, symbol) || seen++ % step)
			continue;
		linked = elf_file_at(file, symbol->st_value, len);
		if (!linked)
			continue;
		if (!kcore_read(kcore, running, len, symbol->st_value + work->offset))
			return fail(why, KCORE " cannot be read at 0x%016llx",
				    (unsigned long long)(symbol->st_value + work->offset));
		code->functions++;
		code->bytes += len;
		if (!explain_bytes(work, linked, running, len, symbol, code))
			continue;
		if (code->strange < CODE_EXAMPLES)
			code->examples[code->strange] = symbol;
		code->strange++;
	}
	if (!code->functions)
		return fail(why, "%s: has no code to compare with", file->path);
	return 0;
}

/**
 * code_compare - compare a sample of the running kernel's functions
 * @file:	the vmlinux, with its code
 * @vmlinux:	what it says of its kernel
 * @offset:	of the running kernel
 * @kcore:	its memory
 * @code:	filled on success; points into @file
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int code_compare(const struct elf_file *file, const struct vmlinux *vmlinux, uint64_t offset,
		 const struct kcore *kcore, struct code_comparison *code, struct why *why)
{
	struct code_work work = { .file = file, .offset = offset };
	int err;

	memset(code, 0, sizeof(*code));
	err = find_sites(&work, why);
	if (!err)
		err = compare_functions(&work, vmlinux, kcore, code, why);
	free(work.sites);
	return err;
}

/**
 * code_is_same - is the running code that of the vmlinux?
 * @code:	from code_compare()
 *
 * Some places are patched that are in no table; another kernel differs in nearly all functions.
 */
bool code_is_same(const struct code_comparison *code)
{
	return code->strange * 50 <= code->functions;
}
