// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86-64 code. Instructions have 1 to 15 bytes, so only a decoder tells where they start, from
 * each symbol to its end. Before vmlinux runs, the kernel rewrites parts of itself; what may stand
 * there then counts as well:
 *
 * - A call of a retpoline becomes "call *%reg" where the machine does not need it, 2 or 3 bytes
 *   long, and nops (commit 7508500900814d14, "x86/retpoline: Create a retpoline thunk array", and
 *   its followers: patch_retpoline() in arch/x86/kernel/alternative.c).
 * - "call *pv_ops+N", 6 bytes long, becomes a call of 5 bytes and a nop, or a native instruction
 *   and nops (paravirt_patch(); since 6.8 alternatives: alt_replace_call()).
 * - What .altinstructions lists is replaced by other instructions of the same length together.
 *
 * Static calls and static keys keep their lengths.
 */
#include <elf.h>
#include <string.h>

#include "bytes.h"
#include "infer.h"
#include "x86-insn.h"

#define OPCODE_CALL		0xe8
#define OPCODE_GROUP5		0xff
#define MODRM_REG		0x38
#define GROUP5_CALL		0x10
#define MODRM_MOD_RM		0xc7
#define MODRM_RIP		0x05
#define OPCODE_INT3		0xcc
#define CALL_LEN		5
#define ENDBR64			0xfa1e0ff3
#define ENDBR_LEN		4

static const struct {
	const char *prefix;
	uint32_t flags;
} names[] = {
	/* Room for call depth tracking and CFI hashes, in front of functions. */
	{ "__pfx_", FUNCTION_PADDING },
	{ "__cfi_", FUNCTION_PADDING },
	{ "__x86_indirect_", FUNCTION_PATCHED | FUNCTION_TRAMPOLINE },
	{ "__SCT__", FUNCTION_TRAMPOLINE },
	{ "__fentry__", FUNCTION_TRAMPOLINE },
	{ "asm_", FUNCTION_OUTERMOST },
	{ "entry_SYS", FUNCTION_OUTERMOST },
	{ "entry_INT80", FUNCTION_OUTERMOST },
	{ "ret_from_fork", FUNCTION_OUTERMOST },
	{ "secondary_startup_64", FUNCTION_OUTERMOST },
};

static uint32_t x86_flags(const char *name)
{
	uint32_t flags = 0;
	unsigned int i;

	if (name[0] != '_' && name[0] != 'a' && name[0] != 'e' && name[0] != 'r' && name[0] != 's')
		return 0;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(name, names[i].prefix, strlen(names[i].prefix)))
			flags |= names[i].flags;
	return flags;
}

/* ftrace's address is that of the call of __fentry__, which comes behind ENDBR. */
static void x86_mark_entry(struct codemap *code, size_t start, unsigned char st_other)
{
	(void)st_other;
	codemap_mark(code, code->entries, start);
	if (in_bounds(start, ENDBR_LEN, code->size) && get32(code->bytes + start, false) == ENDBR64)
		codemap_mark(code, code->entries, start + ENDBR_LEN);
}

static void mark_all(struct codemap *code, size_t from, size_t to)
{
	for (; from < to; from++)
		codemap_mark(code, code->starts, from);
}

static bool direct_callee(const struct codemap *code, size_t to, size_t *callee)
{
	const int32_t distance = (int32_t)get32(code->bytes + to - 4, false);

	*callee = to + (size_t)(ptrdiff_t)distance;
	return *callee < code->size;
}

static void mark_direct_call(struct codemap *code, size_t at, size_t next)
{
	const struct function *function;
	size_t callee;

	codemap_mark(code, code->returns, next);
	if (!direct_callee(code, next, &callee))
		return;
	function = codemap_function(code, callee);
	if (function && function->flags & FUNCTION_PATCHED) {
		mark_all(code, at, next);
		codemap_mark(code, code->returns, at + 2);
		codemap_mark(code, code->returns, at + 3);
	}
}

static void mark_indirect_call(struct codemap *code, int modrm, size_t at, size_t next)
{
	codemap_mark(code, code->returns, next);
	/* Through a variable, relative to the instruction pointer: it may be pv_ops. */
	if ((modrm & MODRM_MOD_RM) == MODRM_RIP) {
		mark_all(code, at, next);
		codemap_mark(code, code->returns, at + CALL_LEN);
	}
}

static void x86_mark_code(struct codemap *code, size_t from, size_t to)
{
	while (from < to) {
		const struct x86_insn insn = x86_decode(code->bytes + from, to - from);
		const size_t next = from + insn.len;

		if (!insn.len) {
			from++;
			continue;
		}
		/* Nobody gets to an int3: it stops speculation behind jumps and fills up. */
		if (insn.opcode != OPCODE_INT3)
			codemap_mark(code, code->starts, from);
		if (insn.opcode == OPCODE_CALL)
			mark_direct_call(code, from, next);
		else if (insn.opcode == OPCODE_GROUP5 && (insn.modrm & MODRM_REG) == GROUP5_CALL)
			mark_indirect_call(code, insn.modrm, from, next);
		from = next;
	}
}

static bool x86_callee(const struct codemap *code, size_t to, size_t *callee)
{
	return to >= CALL_LEN && code->bytes[to - CALL_LEN] == OPCODE_CALL &&
	       direct_callee(code, to, callee);
}

/*
 * struct alt_instr begins with the distances of the instruction and of its replacement from their
 * own fields. What follows has changed twice (5.19, 6.3), so the size of an entry is the one with
 * which all entries make sense.
 */
static bool is_alt_instr(const struct codemap *code, const unsigned char *entry, size_t len_at,
			 uint64_t at, size_t *insn, size_t *len)
{
	const uint64_t address = at + (uint64_t)(int64_t)(int32_t)get32(entry, false);

	*insn = address - code->start;
	*len = entry[len_at];
	/* A replacement is not longer than what it replaces. */
	return address >= code->start && in_bounds(*insn, *len, code->size) &&
	       entry[len_at + 1] <= *len;
}

static void x86_mark_patches(struct codemap *code, const unsigned char *list, size_t len, uint64_t at)
{
	static const struct {
		size_t size;
		size_t len_at;
	} layouts[] = { { 14, 12 }, { 12, 10 }, { 13, 10 } };
	size_t i, entry, insn, insn_len;

	for (i = 0; i < ARRAY_SIZE(layouts); i++) {
		const size_t size = layouts[i].size, len_at = layouts[i].len_at;

		if (len % size)
			continue;
		for (entry = 0; entry < len; entry += size)
			if (!is_alt_instr(code, list + entry, len_at, at + entry, &insn, &insn_len))
				break;
		if (entry < len)
			continue;
		for (entry = 0; entry < len; entry += size) {
			is_alt_instr(code, list + entry, len_at, at + entry, &insn, &insn_len);
			mark_all(code, insn, insn + insn_len);
		}
		return;
	}
}

const struct infer_arch infer_x86 = {
	.machine = EM_X86_64,
	.unit = 1,
	.flags = x86_flags,
	.mark_entry = x86_mark_entry,
	.mark_code = x86_mark_code,
	.callee = x86_callee,
	.patches = ".altinstructions",
	.mark_patches = x86_mark_patches,
};
