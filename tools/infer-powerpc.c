// SPDX-License-Identifier: GPL-2.0-only
/*
 * powerpc code, 64 bit, both byte orders. An instruction is a word, so every word of a function is
 * the start of one, and sampled instruction pointers tell next to nothing about the offset. What is
 * behind a call does: one word in twenty is.
 */
#include <elf.h>
#include <string.h>

#include "bytes.h"
#include "infer.h"

#define WORD		4

/* Power ISA, book I, "Branch instructions": opcode, link bit and absolute bit. */
#define BL_MASK		0xfc000003u
#define BL		0x48000001u
#define BL_DISTANCE	0x03fffffcu
#define BL_SIGN		0x02000000u
/* The same with the extended opcode: through the link register and the count register. */
#define XL_MASK		0xfc0007ffu
#define BCLRL		0x4c000021u
#define BCCTRL		0x4c000421u

static bool ends_in(const char *name, const char *end)
{
	const size_t len = strlen(name), end_len = strlen(end);

	return len >= end_len && !strcmp(name + len - end_len, end);
}

static uint32_t ppc_flags(const char *name)
{
	if (!strncmp(name, "system_call_", 12) || !strncmp(name, "ret_from_", 9) ||
	    !strncmp(name, "interrupt_return", 16) || !strncmp(name, "start_secondary", 15) ||
	    !strncmp(name, "start_here", 10) || ends_in(name, "_common_virt") ||
	    ends_in(name, "_common_real"))
		return FUNCTION_OUTERMOST;
	/* Calls beyond 32 MiB go through stubs of the linker. */
	if (strstr(name, ".long_branch.") || strstr(name, ".plt_branch.") ||
	    !strcmp(name, "_mcount"))
		return FUNCTION_TRAMPOLINE;
	return 0;
}

/*
 * From the global entry point to the local one are 0 or 4 to 64 bytes, as st_other says (64-bit ELF
 * V2 ABI, 3.4.1). ftrace's address is that of its call, the second or third word behind that.
 */
static void ppc_mark_entry(struct codemap *code, size_t start, unsigned char st_other)
{
	const size_t local = start + (((1u << (st_other >> 5)) >> 2) << 2);

	codemap_mark(code, code->entries, start);
	codemap_mark(code, code->entries, local);
	codemap_mark(code, code->entries, local + WORD);
	codemap_mark(code, code->entries, local + 2 * WORD);
}

static bool is_call(uint32_t word)
{
	return (word & BL_MASK) == BL || (word & XL_MASK) == BCLRL || (word & XL_MASK) == BCCTRL;
}

static void ppc_mark_code(struct codemap *code, size_t from, size_t to)
{
	for (; from + WORD <= to; from += WORD) {
		const uint32_t word = get32(code->bytes + from, code->big);

		/* Zero is no instruction; it fills up. */
		if (!word)
			continue;
		codemap_mark(code, code->starts, from);
		if (is_call(word))
			codemap_mark(code, code->returns, from + WORD);
	}
}

static bool ppc_callee(const struct codemap *code, size_t to, size_t *callee)
{
	uint32_t word;

	if (to < WORD)
		return false;
	word = get32(code->bytes + to - WORD, code->big);
	if ((word & BL_MASK) != BL)
		return false;
	*callee = to - WORD + (word & BL_DISTANCE) - (word & BL_SIGN ? 2ull * BL_SIGN : 0);
	return *callee < code->size;
}

const struct infer_arch infer_powerpc = {
	.machine = EM_PPC64,
	.unit = WORD,
	.flags = ppc_flags,
	.mark_entry = ppc_mark_entry,
	.mark_code = ppc_mark_code,
	.callee = ppc_callee,
};
