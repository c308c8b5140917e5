// SPDX-License-Identifier: GPL-2.0-only
/*
 * The length of x86-64 instructions, and no more of them than a map of the code needs. A decoder
 * library takes five times as long for that, most of the time of an inference; the test "x86
 * instructions" holds this one against objdump, on whole kernels.
 *
 * Intel SDM volume 2: chapter 2 for the parts of an instruction, appendix A for the opcodes.
 */
#include <stdbool.h>
#include <stdint.h>

#include "x86-insn.h"

#define INSN_MAX	15

/* What follows an opcode. */
enum {
	NONE = 0,
	MODRM = 1 << 0,
	IMM8 = 1 << 1,
	IMM16 = 1 << 2,
	IMMZ = 1 << 3,		/* 4 bytes; 2 behind an operand size prefix */
	IMMV = 1 << 4,		/* the same, but 8 with REX.W */
	REL32 = 1 << 5,		/* 4 bytes */
	MOFFS = 1 << 6,		/* 8 bytes; 4 behind an address size prefix */
	TEST = 1 << 7,		/* the immediate only where ModRM.reg is 0 or 1 */
	BAD = 1 << 8,
};

#define M	MODRM
#define X	BAD
#define M1	(MODRM | IMM8)
#define MZ	(MODRM | IMMZ)

/* One byte, and the rows of arithmetic: prefixes and REX do not get here. */
static const uint16_t first_map[256] = {
	/* 00 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 10 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 20 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 30 */ M, M, M, M, IMM8, IMMZ, X, X, M, M, M, M, IMM8, IMMZ, X, X,
	/* 40 */ X, X, X, X, X, X, X, X, X, X, X, X, X, X, X, X,
	/* 50 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
	/* 60 */ X, X, X, M, X, X, X, X, IMMZ, MZ, IMM8, M1, 0, 0, 0, 0,
	/* 70 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* 78 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* 80 */ M1, MZ, X, M1, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 90 */ 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, X, 0, 0, 0, 0, 0,
	/* a0 */ MOFFS, MOFFS, MOFFS, MOFFS, 0, 0, 0, 0, IMM8, IMMZ, 0, 0, 0, 0, 0, 0,
	/* b0 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* b8 */ IMMV, IMMV, IMMV, IMMV, IMMV, IMMV, IMMV, IMMV,
	/* c0 */ M1, M1, IMM16, 0, X, X, M1, MZ, IMM16 | IMM8, 0, IMM16, 0, 0, IMM8, X, 0,
	/* d0 */ M, M, M, M, X, X, X, 0, M, M, M, M, M, M, M, M,
	/* e0 */ IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8, IMM8,
	/* e8 */ REL32, REL32, X, IMM8, 0, 0, 0, 0,
	/* f0 */ X, 0, X, X, 0, 0, M1 | TEST, MZ | TEST, 0, 0, 0, 0, 0, 0, M, M,
};

/* Behind 0f; the escapes to the other maps do not get here. */
static const uint16_t second_map[256] = {
	/* 00 */ M, M, M, M, X, 0, 0, 0, 0, 0, X, 0, X, M, 0, M1,
	/* 10 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 20 */ M, M, M, M, X, X, X, X, M, M, M, M, M, M, M, M,
	/* 30 */ 0, 0, 0, 0, 0, 0, X, 0, X, X, X, X, X, X, X, X,
	/* 40 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 50 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 60 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* 70 */ M1, M1, M1, M1, M, M, M, 0, M, M, X, X, M, M, M, M,
	/* 80 */ REL32, REL32, REL32, REL32, REL32, REL32, REL32, REL32,
	/* 88 */ REL32, REL32, REL32, REL32, REL32, REL32, REL32, REL32,
	/* 90 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* a0 */ 0, 0, 0, M, M1, M, M, M, 0, 0, 0, M, M1, M, M, M,
	/* b0 */ M, M, M, M, M, M, M, M, M, M, M1, M, M, M, M, M,
	/* c0 */ M, M, M1, M, M1, M1, M1, M, 0, 0, 0, 0, 0, 0, 0, 0,
	/* d0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* e0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
	/* f0 */ M, M, M, M, M, M, M, M, M, M, M, M, M, M, M, M,
};

/**
 * struct decoder - where the decoding of an instruction is
 * @p:		the instruction
 * @size:	bytes of it that may be looked at
 * @at:		the next one
 * @operand16:	there is an operand size prefix
 * @address32:	there is an address size prefix
 * @wide:	REX.W
 */
struct decoder {
	const unsigned char *p;
	size_t size;
	size_t at;
	bool operand16;
	bool address32;
	bool wide;
};

/* The next byte, or -1 at the end. */
static int peek(const struct decoder *d)
{
	return d->at < d->size ? d->p[d->at] : -1;
}

static int next(struct decoder *d)
{
	const int byte = peek(d);

	d->at++;
	return byte;
}

static void skip_prefixes(struct decoder *d)
{
	int byte;

	for (;; d->at++) {
		switch (peek(d)) {
		case 0x66:
			d->operand16 = true;
			continue;
		case 0x67:
			d->address32 = true;
			continue;
		case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65:
		case 0xf0: case 0xf2: case 0xf3:
			continue;
		}
		break;
	}
	/* REX counts only directly in front of the opcode. */
	byte = peek(d);
	if (byte >= 0x40 && byte <= 0x4f) {
		d->wide = byte & 8;
		d->at++;
	}
}

/* The other bytes of a memory operand. */
static void skip_operand(struct decoder *d, int modrm)
{
	const int mod = modrm >> 6, rm = modrm & 7;
	int base = rm;

	if (mod == 3)
		return;
	if (rm == 4)
		base = next(d) & 7;
	if (mod == 1)
		d->at += 1;
	else if (mod == 2 || base == 5)
		d->at += 4;
}

static size_t immediate_size(const struct decoder *d, unsigned int what)
{
	size_t size = 0;

	if (what & IMM8)
		size += 1;
	if (what & IMM16)
		size += 2;
	if (what & REL32)
		size += 4;
	if (what & IMMZ)
		size += d->operand16 && !d->wide ? 2 : 4;
	if (what & IMMV)
		size += d->wide ? 8 : d->operand16 ? 2 : 4;
	if (what & MOFFS)
		size += d->address32 ? 4 : 8;
	return size;
}

/* By its number in VEX and EVEX; both have ModRM behind all opcodes, but for VZEROALL. */
static unsigned int vector_map(struct decoder *d, unsigned int map, bool vex)
{
	const int opcode = next(d);

	switch (map) {
	case 1:
		if (opcode < 0)
			return BAD;
		return (second_map[opcode] & IMM8) | (vex && opcode == 0x77 ? NONE : MODRM);
	case 2:
	case 5:
	case 6:
		return MODRM;
	case 3:
		return MODRM | IMM8;
	default:
		return BAD;
	}
}

/* What follows the opcode, which is passed over with the escapes in front of it. */
static unsigned int take_opcode(struct decoder *d, struct x86_insn *insn)
{
	const int byte = next(d);
	int second;

	switch (byte) {
	case -1:
		return BAD;
	case 0x0f:
		second = next(d);
		if (second == 0x38) {
			d->at++;
			return MODRM;
		}
		if (second == 0x3a) {
			d->at++;
			return MODRM | IMM8;
		}
		return second < 0 ? BAD : second_map[second];
	case 0xc5:
		d->at++;
		return vector_map(d, 1, true);
	case 0xc4:
		second = next(d);
		d->at++;
		return vector_map(d, (unsigned int)second & 0x1f, true);
	case 0x62:
		second = next(d);
		d->at += 2;
		return vector_map(d, (unsigned int)second & 7, false);
	default:
		insn->opcode = byte;
		return first_map[byte];
	}
}

/**
 * x86_decode - look at an instruction
 * @p:		its first byte
 * @size:	bytes that may be looked at
 *
 * Return: the instruction; its length is 0 where there is none in 64-bit mode, or not all of it.
 */
struct x86_insn x86_decode(const unsigned char *p, size_t size)
{
	struct x86_insn insn = { .opcode = -1, .modrm = -1 };
	struct decoder d = { .p = p, .size = size < INSN_MAX ? size : INSN_MAX };
	unsigned int what;

	skip_prefixes(&d);
	what = take_opcode(&d, &insn);
	if (what & MODRM) {
		insn.modrm = next(&d);
		skip_operand(&d, insn.modrm);
		/* TEST and its like share an opcode with NOT, NEG, MUL and DIV, which have none. */
		if (what & TEST && insn.modrm & 0x30)
			what &= ~(unsigned int)(IMM8 | IMMZ);
	}
	d.at += immediate_size(&d, what);
	if (!(what & BAD) && d.at <= d.size)
		insn.len = d.at;
	return insn;
}
