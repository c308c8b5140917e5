/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How long x86-64 instructions are.
 */
#ifndef KRELOC_X86_INSN_H
#define KRELOC_X86_INSN_H

#include <stddef.h>

/**
 * struct x86_insn - an instruction
 * @len:	in bytes, 0 where it is none
 * @opcode:	of the first map; -1 for all others
 * @modrm:	the ModRM byte; -1 where there is none
 */
struct x86_insn {
	size_t len;
	int opcode;
	int modrm;
};

struct x86_insn x86_decode(const unsigned char *p, size_t size);

#endif /* KRELOC_X86_INSN_H */
