/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The code of the running kernel against that in its vmlinux.
 */
#ifndef KRELOC_CODE_H
#define KRELOC_CODE_H

#include "elf-file.h"
#include "kcore.h"
#include "symbols.h"

/* Why a running kernel's code is not what was linked. */
enum patch {
	PATCH_ALTERNATIVE,	/* what this processor can do better */
	PATCH_STATIC_KEY,	/* jumps that are switched on and off */
	PATCH_FTRACE,		/* calls of the tracer, taken out */
	PATCH_CALL,		/* calls, jumps and returns that are made direct, or safe */
	PATCH_LOCK,		/* lock prefixes that one processor does not need */
	PATCH_ADDRESS,		/* addresses, which moved with the kernel */
	PATCHES,
};

#define CODE_EXAMPLES	5

/**
 * struct code_comparison - what was found
 * @functions:	how many were compared
 * @bytes:	of how much code
 * @differing:	how many bytes are not the same
 * @explained:	how many of these by each kind of patch
 * @strange:	functions with bytes that nothing explains
 * @examples:	some of these
 */
struct code_comparison {
	size_t functions;
	size_t bytes;
	size_t differing;
	size_t explained[PATCHES];
	size_t strange;
	const Elf64_Sym *examples[CODE_EXAMPLES];
};

int code_compare(const struct elf_file *file, const struct vmlinux *vmlinux, uint64_t offset,
		 const struct kcore *kcore, struct code_comparison *code, struct why *why);
bool code_is_same(const struct code_comparison *code);

#endif /* KRELOC_CODE_H */
