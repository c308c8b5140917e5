/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Recovers a kernel's offset from addresses that were recorded while it ran.
 *
 * Recorded addresses are no random numbers: a sampled instruction pointer is the start of an
 * instruction, a return address follows a call, and that call goes to the function that is one
 * frame further in. At the true offset nearly all of them are in vmlinux what they have to be; at
 * another one only as many as chance allows, and how many these are can be counted in vmlinux.
 *
 * infer-code.c maps the code, with one file for each architecture; infer.c weighs the evidence and
 * decides. Documentation/infer.md has the model and what was measured.
 */
#ifndef KRELOC_INFER_H
#define KRELOC_INFER_H

#include "elf-file.h"
#include "evidence.h"

struct codemap;
struct facts;
struct format;
struct place;
struct trace;
struct vmlinux;

/*
 * The map of the code
 */

#define FUNCTION_PADDING	(1u << 0)	/* has a name, and is never run */
#define FUNCTION_TRAMPOLINE	(1u << 1)	/* whoever calls it ends up elsewhere */
#define FUNCTION_PATCHED	(1u << 2)	/* calls of it are rewritten at boot */
#define FUNCTION_OUTERMOST	(1u << 3)	/* call chains begin here */

/**
 * struct function - what is between a symbol and its end
 * @start:	from the start of the code, in bytes
 * @size:	as the symbol says, or up to the next one
 * @flags:	FUNCTION_*
 */
struct function {
	uint32_t start;
	uint32_t size;
	uint32_t flags;
};

/**
 * struct infer_arch - how to read the code of an architecture
 * @machine:	e_machine
 * @unit:	instructions start at multiples of so many bytes; a power of two
 * @flags:	FUNCTION_* of a function with this name
 * @mark_entry:	marks what a tracer may call the entry of the function at @start; @st_other is
 *		from its symbol
 * @mark_code:	marks the instructions in [from, to), and what follows a call
 * @callee:	the target of the direct call that @to follows, from the start of the code; false
 *		where there is none
 * @patches:	name of the section that lists code that is rewritten at boot, or NULL
 * @mark_patches: marks what can be an instruction after that, by the @len bytes of that section
 *		from the link address @at on
 */
struct infer_arch {
	unsigned int machine;
	unsigned int unit;
	uint32_t (*flags)(const char *name);
	void (*mark_entry)(struct codemap *code, size_t start, unsigned char st_other);
	void (*mark_code)(struct codemap *code, size_t from, size_t to);
	bool (*callee)(const struct codemap *code, size_t to, size_t *callee);
	const char *patches;
	void (*mark_patches)(struct codemap *code, const unsigned char *list, size_t len, uint64_t at);
};

extern const struct infer_arch infer_x86;
extern const struct infer_arch infer_powerpc;

/* More than any kernel has: .head.text, .text, .init.text, .exit.text. */
#define CODEMAP_PARTS	16

/**
 * struct codemap_part - a section with code
 * @start:	from the start of the code, in bytes
 * @end:	the same
 */
struct codemap_part {
	uint32_t start;
	uint32_t end;
};

/**
 * struct codemap - the map of a kernel's code
 * @infer:	its architecture
 * @big:	byte order
 * @start:	link address of the anchor, where the map begins
 * @size:	in bytes: the text, and what is only run while the kernel starts
 * @text_size:	of the text alone
 * @parts:	where there is code
 * @nr_parts:	how many
 * @bytes:	the code; zeros where there is none
 * @starts:	bitmaps with a bit for each unit: an instruction starts here
 * @entries:	a function is entered here
 * @returns:	a call returns here
 * @functions:	ascending, no two with the same start
 * @nr_functions: how many
 */
struct codemap {
	const struct infer_arch *infer;
	bool big;
	uint64_t start;
	size_t size;
	size_t text_size;
	struct codemap_part parts[CODEMAP_PARTS];
	unsigned int nr_parts;
	unsigned char *bytes;
	uint64_t *starts;
	uint64_t *entries;
	uint64_t *returns;
	struct function *functions;
	size_t nr_functions;
};

int codemap_read(struct codemap *code, const char *path, struct why *why);
void codemap_free(struct codemap *code);
const struct function *codemap_function(const struct codemap *code, uint64_t at);
void codemap_mark(const struct codemap *code, uint64_t *bits, uint64_t at);

static inline bool codemap_get(const uint64_t *bits, size_t unit)
{
	return bits[unit / 64] >> unit % 64 & 1;
}

/*
 * The decision
 */

/* How well an address is what its kind says. */
enum infer_fit {
	FIT_BAD,	/* it cannot be that */
	FIT_FAIR,	/* it can, as one of few */
	FIT_GOOD,
	INFER_FITS,
};

/**
 * struct candidate - an offset, and what speaks for it
 * @offset:	in bytes
 * @score:	log of how much likelier the evidence is with this offset than with none, in nats
 * @fits:	addresses, by kind and fit
 * @calls:	direct calls whose caller and callee were recorded
 * @calls_met:	those of them that go where the recording says
 * @ends:	return addresses that ended a call chain
 * @ends_met:	those of them where the kernel is entered
 */
struct candidate {
	uint64_t offset;
	double score;
	uint32_t fits[EVIDENCE_KINDS][INFER_FITS];
	uint32_t calls;
	uint32_t calls_met;
	uint32_t ends;
	uint32_t ends_met;
};

enum infer_verdict {
	INFER_FOUND,		/* the offset is known */
	INFER_TOO_FEW,		/* more addresses would tell */
	INFER_NO_FIT,		/* not the kernel of this vmlinux */
	INFER_FITS_IN_PART,	/* a build that is much like it */
};

#define INFER_TOP	5

/* A false answer at most once in so many, under the model. */
#define INFER_ODDS	1e9

/**
 * struct inference - what the evidence amounts to
 * @verdict:	the decision
 * @nr_top:	how many are in @top
 * @top:	the best candidates, best first
 * @tried:	candidates that were weighed
 * @possible:	offsets that such a kernel could have
 * @addresses:	distinct ones that were weighed
 * @spread:	by how much the score varies more, over wrong offsets, than it would if the
 *		addresses had nothing to do with each other; at least 1
 * @log_odds:	of the best candidate against everything else, in nats, without what its best
 *		64 KiB contribute
 * @chance:	share of addresses of a kind that is good at a wrong offset
 * @calls_chance: the same for calls
 * @more:	how many more addresses would do, where they are too few; 0 where no number would
 * @part_from:	the stretch of the text, in link addresses, where it fits worst
 * @part_to:	its end
 * @part_addresses: how many are in it
 * @against:	log odds of the best candidate against the offset that was asked for, in nats; 0
 *		where that is the best
 */
struct inference {
	enum infer_verdict verdict;
	unsigned int nr_top;
	struct candidate top[INFER_TOP];
	size_t tried;
	uint64_t possible;
	size_t addresses;
	double spread;
	double log_odds;
	double chance[EVIDENCE_KINDS];
	double calls_chance;
	uint64_t more;
	uint64_t part_from;
	uint64_t part_to;
	size_t part_addresses;
	double against;
};

int infer(const struct codemap *code, const struct evidence *ev, const uint64_t *asked,
	  struct inference *inf, struct why *why);

/*
 * For whoever has a trace file
 */

/* As much of a file as is read: all of any that is worth it. */
#define INFER_BYTES	(1ull << 30)
/* Where an offset is only checked, that has to be quick, however large the file is. */
#define INFER_CHECK_BYTES	(8u << 20)

/* What the addresses of a file say of an offset that is known from elsewhere. */
enum infer_opinion {
	INFER_AGREES,
	INFER_CANNOT_TELL,
	INFER_CONTRADICTS,
};

int infer_evidence(struct evidence *ev, const struct trace *trace, const struct format *format,
		   const struct facts *facts, const struct vmlinux *vmlinux, uint64_t limit,
		   struct why *why);
int infer_place(const struct codemap *code, const struct vmlinux *vmlinux,
		const struct trace *trace, const struct format *format, const struct facts *facts,
		struct place *place, struct why *why);
enum infer_opinion infer_check(const struct codemap *code, const struct vmlinux *vmlinux,
			       const struct trace *trace, const struct format *format,
			       const struct facts *facts, uint64_t offset, struct why *why);
void infer_explain(const struct inference *inf, const struct vmlinux *vmlinux, struct why *why);
double infer_good(const struct candidate *candidate, int kind);

#endif /* KRELOC_INFER_H */
