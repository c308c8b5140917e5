// SPDX-License-Identifier: GPL-2.0-only
/*
 * How many addresses does an inference take? Prints, for numbers of distinct addresses, in how many
 * of the pieces of recordings that have so many the right offset is found, and in how many a wrong
 * one. A piece is samples in a row, from anywhere in a recording.
 *
 *	infer VMLINUX KIND [PERF-SCRIPT TEXT]...
 *
 * KIND is a word for the table. PERF-SCRIPT is what perf script prints of a recording, and TEXT the
 * run-time address of the anchor in it, so that each has an offset of its own.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "infer.h"
#include "place.h"
#include "symbols.h"

#define FRAMES_MAX	256
#define TRIALS		150

static const size_t sizes[] = { 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 50, 70, 100, 150 };

struct chain {
	size_t nr;
	uint64_t *addresses;
};

/**
 * struct recording - the kernel's part of each sample
 * @chains:	one each
 * @nr:		how many
 * @room:	for how many there is room
 * @offset:	the kernel's
 */
struct recording {
	struct chain *chains;
	size_t nr;
	size_t room;
	uint64_t offset;
};

static void die(const char *what)
{
	fprintf(stderr, "infer: %s\n", what);
	exit(1);
}

static void add_chain(struct recording *rec, const uint64_t *addresses, size_t nr)
{
	struct chain chain = { .nr = nr };

	if (!nr)
		return;
	if (rec->nr == rec->room) {
		struct chain *more;

		rec->room = rec->room ? 2 * rec->room : 1024;
		more = realloc(rec->chains, rec->room * sizeof(*more));
		if (!more)
			die("out of memory");
		rec->chains = more;
	}
	chain.addresses = malloc(nr * sizeof(*addresses));
	if (!chain.addresses)
		die("out of memory");
	memcpy(chain.addresses, addresses, nr * sizeof(*addresses));
	rec->chains[rec->nr++] = chain;
}

static bool kernel_word(const char *p, uint64_t *address)
{
	return strspn(p, "0123456789abcdef") == 16 && parse_hex(p, 16, address) && *address >> 63;
}

/* Lines of a chain begin with a tab; samples without one have the address behind "event: ". */
static void read_recording(struct recording *rec, const char *path)
{
	uint64_t addresses[FRAMES_MAX];
	FILE *file = fopen(path, "re");
	char line[4096];
	size_t nr = 0;

	if (!file)
		die(path);
	while (fgets(line, sizeof(line), file)) {
		const char *p = line + strspn(line, " \t");

		if (*line == '\t') {
			if (nr < FRAMES_MAX && kernel_word(p, &addresses[nr]))
				nr++;
			continue;
		}
		add_chain(rec, addresses, nr);
		nr = 0;
		p = strstr(p, ":  ");
		if (p && kernel_word(p + strspn(p, ": "), &addresses[0]))
			add_chain(rec, addresses, 1);
	}
	add_chain(rec, addresses, nr);
	fclose(file);
}

/* Samples in a row from @first on, until there are @size distinct addresses, or a few more. */
static bool take_piece(struct evidence *ev, const struct arch *arch, const struct recording *rec,
		       size_t first, size_t size)
{
	struct why why;
	size_t i;

	if (evidence_init(ev, arch, &why))
		die(why.text);
	for (i = first; i < rec->nr && ev->nr < size; i++)
		evidence_chain(ev, rec->chains[i].addresses, rec->chains[i].nr);
	if (evidence_done(ev, &why))
		die(why.text);
	if (ev->nr >= size && ev->nr <= size + size / 4)
		return true;
	evidence_free(ev);
	return false;
}

static void measure(const struct codemap *code, const struct arch *arch, const char *kind,
		    const struct recording *recs, unsigned int nr, size_t size)
{
	unsigned int trial, all = 0, right = 0, wrong = 0;

	for (trial = 0; trial < 20 * TRIALS && all < TRIALS; trial++) {
		const struct recording *rec = &recs[(unsigned int)rand() % nr];
		struct inference inf;
		struct evidence ev;
		struct why why;

		if (!rec->nr || !take_piece(&ev, arch, rec, (size_t)rand() % rec->nr, size))
			continue;
		if (infer(code, &ev, NULL, &inf, &why))
			die(why.text);
		all++;
		if (inf.verdict == INFER_FOUND && inf.top[0].offset == rec->offset)
			right++;
		else if (inf.verdict == INFER_FOUND)
			wrong++;
		evidence_free(&ev);
	}
	if (all)
		printf("%s %zu %u %u %u\n", kind, size, all, right, wrong);
}

int main(int argc, char **argv)
{
	const unsigned int nr = argc > 4 ? (unsigned int)(argc - 3) / 2 : 0;
	struct recording *recs = calloc(nr + 1, sizeof(*recs));
	struct vmlinux vmlinux;
	struct codemap code;
	struct why why;
	uint64_t text;
	unsigned int i;
	size_t s;

	if (!nr || !recs)
		die("usage");
	if (vmlinux_read(argv[1], &vmlinux, &why) || codemap_read(&code, argv[1], &why))
		die(why.text);
	for (i = 0; i < nr; i++) {
		const char *address = argv[4 + 2 * i];

		if (!parse_hex(address, strlen(address), &text))
			die("usage");
		recs[i].offset = text - vmlinux.link;
		read_recording(&recs[i], argv[3 + 2 * i]);
	}
	/* The same pieces always. */
	srand(1);
	for (s = 0; s < ARRAY_SIZE(sizes); s++)
		measure(&code, vmlinux.arch, argv[2], recs, nr, sizes[s]);
	codemap_free(&code);
	return 0;
}
