// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes kernels up that have code, and what a recorder would have seen of them.
 *
 *	craft-code kernel ARCH FUNCTIONS [LONGER]	a description for craft-elf
 *	craft-code trace ARCH FUNCTIONS OFFSET KIND COUNT
 *	craft-code around SIZE < ADDRESSES
 *
 * The same ARCH (x86_64, ppc64le, ppc64) and FUNCTIONS give the same kernel always; with LONGER one
 * of its functions is 32 bytes longer, and all behind it moves, as in another build. A trace is
 * COUNT samples of that kernel at OFFSET, as perf script prints them, of a KIND: chains, ips, or
 *
 *	patched	chains after the kernel rewrote its calls of retpolines and of pv_ops
 *	entries	entries of functions, as a list
 *	inside	addresses within instructions, as of a breakpoint
 *
 * around makes code of SIZE bytes, without symbols, in which each of the ADDRESSES (decimal, from
 * the start, ascending) is the start of an instruction, behind a call if there is room, and few
 * others are.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define FUNCTIONS_MAX	40000
#define INSNS_MAX	64
#define FIRST		0x1000
#define LONGER_BY	32
#define DEPTH		10

enum kind {
	PLAIN,
	CALL,
	THUNK,		/* call of a retpoline */
	POINTER,	/* call *pv_ops */
};

struct insn {
	unsigned int at;	/* from the start of the function */
	unsigned int len;
	enum kind kind;
	unsigned int callee;
	unsigned char bytes[10];
};

struct function {
	unsigned int start;
	unsigned int size;
	unsigned int nr;
	struct insn insns[INSNS_MAX];
};

static struct function functions[FUNCTIONS_MAX];
static unsigned int nr_functions, kernel_end;
static bool x86, big;
static uint64_t link_address;
static uint64_t state = 88172645463325252;

/* The first functions have names that mean something. */
static const char *const x86_names[] = {
	"__x86_indirect_thunk_rax", "entry_SYSCALL_64_after_hwframe", "ret_from_fork",
};
static const char *const ppc_names[] = {
	"_mcount", "system_call_common", "ret_from_fork",
};

#define NAMED	3

static void die(const char *what)
{
	fprintf(stderr, "craft-code: %s\n", what);
	exit(1);
}

/* xorshift64 */
static unsigned int any(unsigned int below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned int)((state >> 20) % below);
}

static void add(struct function *f, enum kind kind, const void *bytes, unsigned int len,
		unsigned int fixed)
{
	struct insn *insn = &f->insns[f->nr++];
	unsigned int i;

	insn->at = f->size;
	insn->len = len;
	insn->kind = kind;
	memcpy(insn->bytes, bytes, fixed);
	for (i = fixed; i < len; i++)
		insn->bytes[i] = (unsigned char)any(256);
	f->size += len;
}

/* Instructions as compilers like them, with any immediates. */
static void x86_plain(struct function *f)
{
	static const struct {
		const char *bytes;
		unsigned int fixed, len;
	} some[] = {
		{ "\x53", 1, 1 },	      { "\x5b", 1, 1 },		{ "\x89\xd8", 2, 2 },
		{ "\x31\xc0", 2, 2 },	      { "\x74", 1, 2 },		{ "\x48\x89\xe5", 3, 3 },
		{ "\x48\x83\xc0", 3, 4 },     { "\xb8", 1, 5 },		{ "\x81\xc3", 2, 6 },
		{ "\x48\x8b\x05", 3, 7 },     { "\x48\xc7\xc0", 3, 7 },	{ "\x48\xb8", 2, 10 },
		{ "\x0f\xb6\xc0", 3, 3 },     { "\xf3\x0f\x1e\xfa", 4, 4 }, { "\x66\xb8", 2, 4 },
		{ "\x48\x8d\x44\x24", 4, 5 }, { "\xc4\xe2\x7d\x18\xc0", 5, 5 },
	};
	const unsigned int i = any(sizeof(some) / sizeof(some[0]));

	add(f, PLAIN, some[i].bytes, some[i].len, some[i].fixed);
}

static void ppc_plain(struct function *f)
{
	static const uint32_t some[] = { 0x7c0802a6, 0x38210010, 0xe8010010, 0x60000000,
					 0x7d2903a6, 0x2c030000, 0x41820008, 0x7c641b78 };
	unsigned char word[4];

	put32(word, some[any(8)], big);
	add(f, PLAIN, word, 4, 4);
}

static void add_call(struct function *f)
{
	const unsigned int choice = any(10);
	unsigned char word[4];

	if (!x86) {
		put32(word, choice ? 0x48000001 : 0x4e800421, big);
		add(f, choice ? CALL : POINTER, word, 4, 4);
	} else if (choice == 0) {
		add(f, THUNK, "\xe8", 5, 1);
	} else if (choice == 1) {
		add(f, POINTER, "\xff\x15", 6, 2);
	} else {
		add(f, CALL, "\xe8", 5, 1);
	}
	f->insns[f->nr - 1].callee = NAMED + any(nr_functions - NAMED);
}

static void make_function(struct function *f, unsigned int start)
{
	const unsigned int want = 12 + any(INSNS_MAX - 16);
	unsigned char end[4];

	f->start = start;
	f->size = 0;
	f->nr = 0;
	add_call(f);
	while (f->nr < want) {
		if (any(9) == 0)
			add_call(f);
		else if (x86)
			x86_plain(f);
		else
			ppc_plain(f);
	}
	put32(end, 0x4e800020, big);
	add(f, PLAIN, x86 ? "\xc3" : (char *)end, x86 ? 1 : 4, x86 ? 1 : 4);
}

static const char *name_of(unsigned int i)
{
	static char name[16];

	if (i < NAMED)
		return x86 ? x86_names[i] : ppc_names[i];
	snprintf(name, sizeof(name), "f%u", i);
	return name;
}

/* ELFv2: every second function has a local entry point, 8 bytes behind its symbol. */
static unsigned int local_entry(unsigned int i)
{
	return !x86 && !big && i % 2 ? 8 : 0;
}

static void make_kernel(const char *arch, unsigned int count, unsigned int longer)
{
	unsigned int i, j, start = FIRST;

	x86 = !strcmp(arch, "x86_64");
	big = !strcmp(arch, "ppc64");
	link_address = x86 ? 0xffffffff81000000 : 0xc000000000000000;
	if (count <= NAMED || count > FUNCTIONS_MAX)
		die("how many functions?");
	nr_functions = count;
	for (i = 0; i < count; i++) {
		make_function(&functions[i], start);
		start += functions[i].size + (i == longer ? LONGER_BY : 0);
		start = (unsigned int)round_up(start, 16);
	}
	kernel_end = (unsigned int)round_up(start, 4096);
	for (i = 0; i < count; i++) {
		for (j = 0; j < functions[i].nr; j++) {
			struct insn *insn = &functions[i].insns[j];
			const unsigned int callee = insn->kind == THUNK ? 0 : insn->callee;
			const unsigned int at = functions[i].start + insn->at;
			const unsigned int to = functions[callee].start + local_entry(callee);

			if (insn->kind != CALL && insn->kind != THUNK)
				continue;
			if (x86)
				put32(insn->bytes + 1, to - at - 5, false);
			else
				put32(insn->bytes, 0x48000001 | ((to - at) & 0x3fffffc), big);
		}
	}
}

static int print_kernel(const char *arch)
{
	unsigned int i, j, k;

	printf("arch %s\nsection .text %llx %x x\n", arch, (unsigned long long)link_address,
	       kernel_end);
	printf("symbol %s %llx 0 notype global .text\n", x86 ? "_text" : "_stext",
	       (unsigned long long)link_address);
	printf("symbol _etext %llx 0 notype global .text\n",
	       (unsigned long long)link_address + kernel_end);
	for (i = 0; i < nr_functions; i++) {
		const struct function *f = &functions[i];
		const unsigned int end = i + 1 < nr_functions ? functions[i + 1].start : kernel_end;

		printf("symbol %s %llx %x func global .text %s\n", name_of(i),
		       (unsigned long long)link_address + f->start, f->size,
		       local_entry(i) ? "60" : "0");
		printf("code %llx ", (unsigned long long)link_address + f->start);
		for (j = 0; j < f->nr; j++)
			for (k = 0; k < f->insns[j].len; k++)
				printf("%02x", f->insns[j].bytes[k]);
		for (j = f->start + f->size; x86 && j < end && j < f->start + f->size + 64; j++)
			printf("cc");
		putchar('\n');
	}
	return 0;
}

/* Where a call returns to, as patch_retpoline() and paravirt_patch() leave it. */
static unsigned int return_of(const struct insn *insn, bool patched)
{
	if (patched && x86 && insn->kind == THUNK)
		return insn->at + 2;
	if (patched && x86 && insn->kind == POINTER)
		return insn->at + 5;
	return insn->at + insn->len;
}

static const struct insn *any_call(const struct function *f)
{
	const struct insn *insn;

	do
		insn = &f->insns[any(f->nr)];
	while (insn->kind == PLAIN);
	return insn;
}

static void print_chain(uint64_t base, bool patched)
{
	const struct function *f = &functions[1 + any(2)];
	const unsigned int depth = 2 + any(DEPTH - 2);
	uint64_t chain[DEPTH];
	unsigned int n = 0;

	while (n < depth - 1) {
		const struct insn *call = any_call(f);

		chain[n++] = base + f->start + return_of(call, patched);
		f = &functions[call->callee];
	}
	printf("task 1 [000] 1.000000: cpu-clock: \n\t%16llx [unknown]\n",
	       (unsigned long long)base + f->start + f->insns[any(f->nr)].at);
	while (n--)
		printf("\t%16llx [unknown]\n", (unsigned long long)chain[n]);
	/* What called the kernel */
	printf("\t          47b3ba [unknown]\n\n");
}

static int print_trace(uint64_t base, const char *kind, unsigned int count)
{
	while (count--) {
		const unsigned int i = NAMED + any(nr_functions - NAMED);
		const struct function *f = &functions[i];
		const struct insn *insn = &f->insns[any(f->nr)];
		const unsigned long long at = base + f->start + insn->at;

		if (!strcmp(kind, "chains") || !strcmp(kind, "patched"))
			print_chain(base, *kind == 'p');
		else if (!strcmp(kind, "ips"))
			printf("task 1 [000] 1.000000: 1 cpu-clock:  %16llx [unknown]\n", at);
		else if (!strcmp(kind, "entries"))
			printf("entry 0x%llx\n", (unsigned long long)base + f->start);
		else if (!strcmp(kind, "inside") && insn->len == 1)
			count++;
		else if (!strcmp(kind, "inside"))
			printf("%llx\n", at + 1);
		else
			return -1;
	}
	return 0;
}

/* Nothing is as long as this that has no prefix for it. */
#define LONG	"48b81122334455667788"

static int print_around(uint64_t size)
{
	/* Intel's nops, of each length */
	static const char *const nops[] = { "90", "6690", "0f1f00", "0f1f4000", "0f1f440000",
					    "660f1f440000", "0f1f8000000000",
					    "0f1f840000000000", "660f1f840000000000" };
	static const char call[] = "ffd0";
	uint64_t at = 0, end;
	unsigned int n = 0;

	do {
		if (scanf("%llu", (unsigned long long *)&end) != 1 || end > size)
			end = size;
		while (at < end) {
			const uint64_t room = end - at > 2 ? end - at - 2 : end - at;
			const unsigned int len = room < 10 ? (unsigned int)room : 10;

			/* A new line now and then: craft-elf takes no more than 2047 bytes on one. */
			if (n++ % 100 == 0)
				printf("\ncode %llx ", (unsigned long long)0xffffffff81000000 + at);
			fputs(end - at == 2 ? call : len == 10 ? LONG : nops[len - 1], stdout);
			at += len;
		}
	} while (end < size);
	putchar('\n');
	return 0;
}

static uint64_t number(const char *text)
{
	return strtoull(text, NULL, 0);
}

int main(int argc, char **argv)
{
	int err = -1;

	if (argc == 3 && !strcmp(argv[1], "around")) {
		err = print_around(number(argv[2]));
	} else if (argc >= 4 && !strcmp(argv[1], "kernel")) {
		make_kernel(argv[2], (unsigned int)number(argv[3]),
			    argc > 4 ? (unsigned int)number(argv[4]) : FUNCTIONS_MAX);
		err = print_kernel(argv[2]);
	} else if (argc == 7 && !strcmp(argv[1], "trace")) {
		make_kernel(argv[2], (unsigned int)number(argv[3]), FUNCTIONS_MAX);
		err = print_trace(link_address + number(argv[4]), argv[5],
				  (unsigned int)number(argv[6]));
	}
	if (err)
		die("usage");
	return 0;
}
