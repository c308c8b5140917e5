/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Evidence for an inference: the distinct kernel addresses of a trace, and what each was.
 */
#ifndef KRELOC_EVIDENCE_H
#define KRELOC_EVIDENCE_H

#include <stdio.h>

#include "kreloc.h"

struct arch;

/* What is known of an address. A later one says more, and takes the place of an earlier one. */
enum evidence_kind {
	EVIDENCE_IP,		/* the next instruction of whoever was sampled */
	EVIDENCE_ENTRY,		/* the entry of a function, or what a tracer calls so */
	EVIDENCE_RETURN,	/* where a function that is running will return to */
	EVIDENCE_KINDS,
};

extern const char *const evidence_kinds[EVIDENCE_KINDS];

/**
 * struct evidence_address - one distinct address
 * @value:	run-time address
 * @kind:	the last of enum evidence_kind that it was seen as
 * @outermost:	it ended a call chain of the kernel at least once
 */
struct evidence_address {
	uint64_t value;
	unsigned char kind;
	bool outermost;
};

/**
 * struct evidence_call - one distinct pair of neighbours in a call chain
 * @to:		where the caller will go on
 * @in:		where its callee is
 */
struct evidence_call {
	uint64_t to;
	uint64_t in;
};

/* As much as any decision needs. The rest is counted and left out. */
#define EVIDENCE_MAX	(1u << 18)

/**
 * struct evidence - what a trace gives
 * @arch:	of the kernel that was recorded
 * @addresses:	distinct, and where only the kernel's own image can be
 * @nr:		how many
 * @calls:	distinct, both ends among @addresses
 * @nr_calls:	how many
 * @seen:	kernel addresses seen, with repetitions
 * @elsewhere:	those of them outside the image: modules, BPF programs, trampolines
 * @left_out:	those beyond EVIDENCE_MAX
 * @same_build:	the trace names the build-id of the vmlinux that it is held against
 * @table:	what is in the arrays already
 */
struct evidence {
	const struct arch *arch;
	struct evidence_address *addresses;
	size_t nr;
	struct evidence_call *calls;
	size_t nr_calls;
	uint64_t seen;
	uint64_t elsewhere;
	uint64_t left_out;
	bool same_build;
	struct evidence_table *table;
};

int evidence_init(struct evidence *ev, const struct arch *arch, struct why *why);
void evidence_add(struct evidence *ev, uint64_t address, enum evidence_kind kind);
void evidence_chain(struct evidence *ev, const uint64_t *chain, size_t nr);
int evidence_done(struct evidence *ev, struct why *why);
void evidence_free(struct evidence *ev);

int evidence_text(struct evidence *ev, FILE *file, uint64_t limit, struct why *why);

#endif /* KRELOC_EVIDENCE_H */
