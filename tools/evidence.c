// SPDX-License-Identifier: GPL-2.0-only
/*
 * Collects the evidence for an inference.
 *
 * The same address a second time says nothing new, so only distinct ones are kept: an hour's trace
 * has a few thousand. And only those where nothing but the kernel's own image can be, as modules,
 * BPF programs and trampolines move on their own.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "evidence.h"
#include "place.h"

/**
 * struct evidence_table - what is in the arrays already
 * @addresses:	open addressing; 0 for an empty slot, else 1 + the index of an address
 * @calls:	the same for calls
 * @address_slots: a power of two, and at least twice as many as addresses
 * @call_slots:	the same for calls
 * @factors:	of the hash, odd; chosen by chance, so that nobody can make a file whose addresses
 *		all have the same
 * @failed:	memory ran out
 */
struct evidence_table {
	uint32_t *addresses;
	uint32_t *calls;
	size_t address_slots;
	size_t call_slots;
	uint64_t factors[2];
	bool failed;
};

#define FIRST_SLOTS	1024

const char *const evidence_kinds[EVIDENCE_KINDS] = {
	[EVIDENCE_IP] = "ip",
	[EVIDENCE_ENTRY] = "entry",
	[EVIDENCE_RETURN] = "return",
};

/* Multiply-shift: addresses differ in their low 52 bits, and the upper 20 of the sum's count. */
static size_t hash(const struct evidence_table *table, uint64_t a, uint64_t b)
{
	return (size_t)((a * table->factors[0] + b * table->factors[1]) >> 32);
}

static void choose_factors(struct evidence_table *table)
{
	/* Where there is no chance to be had, any will do. */
	if (getrandom(table->factors, sizeof(table->factors), GRND_NONBLOCK) < 0) {
		table->factors[0] = 0xff51afd7ed558ccd;
		table->factors[1] = 0x9e3779b97f4a7c15;
	}
	table->factors[0] |= 1;
	table->factors[1] |= 1;
}

/**
 * evidence_init - start collecting
 * @ev:		filled, then to be freed with evidence_free()
 * @arch:	of the kernel that was recorded
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int evidence_init(struct evidence *ev, const struct arch *arch, struct why *why)
{
	struct evidence_table *table = calloc(1, sizeof(*table));

	memset(ev, 0, sizeof(*ev));
	ev->arch = arch;
	ev->table = table;
	if (table) {
		choose_factors(table);
		table->address_slots = FIRST_SLOTS;
		table->call_slots = FIRST_SLOTS;
		table->addresses = calloc(FIRST_SLOTS, sizeof(*table->addresses));
		table->calls = calloc(FIRST_SLOTS, sizeof(*table->calls));
		ev->addresses = malloc(FIRST_SLOTS / 2 * sizeof(*ev->addresses));
		ev->calls = malloc(FIRST_SLOTS / 2 * sizeof(*ev->calls));
		if (table->addresses && table->calls && ev->addresses && ev->calls)
			return 0;
	}
	evidence_free(ev);
	return fail(why, "out of memory");
}

/**
 * evidence_free - free what was collected
 * @ev:		started by evidence_init(), or zeros
 */
void evidence_free(struct evidence *ev)
{
	if (ev->table) {
		free(ev->table->addresses);
		free(ev->table->calls);
	}
	free(ev->table);
	free(ev->addresses);
	free(ev->calls);
	memset(ev, 0, sizeof(*ev));
}

static uint32_t *address_slot(const struct evidence *ev, uint64_t address)
{
	const size_t mask = ev->table->address_slots - 1;
	uint32_t *slots = ev->table->addresses;
	size_t at = hash(ev->table, address, 0) & mask;

	while (slots[at] && ev->addresses[slots[at] - 1].value != address)
		at = (at + 1) & mask;
	return &slots[at];
}

static uint32_t *call_slot(const struct evidence *ev, uint64_t to, uint64_t in)
{
	const size_t mask = ev->table->call_slots - 1;
	uint32_t *slots = ev->table->calls;
	size_t at = hash(ev->table, to, in) & mask;

	while (slots[at] &&
	       (ev->calls[slots[at] - 1].to != to || ev->calls[slots[at] - 1].in != in))
		at = (at + 1) & mask;
	return &slots[at];
}

/* Twice as many slots, and an array of half as many entries. Returns the array, or NULL. */
static void *widen(void *array, size_t entry, uint32_t **slots, size_t *nr_slots)
{
	uint32_t *wider = calloc(*nr_slots * 2, sizeof(*wider));
	void *longer = wider ? realloc(array, *nr_slots * entry) : NULL;

	if (!longer) {
		free(wider);
		return NULL;
	}
	free(*slots);
	*slots = wider;
	*nr_slots *= 2;
	return longer;
}

static bool room_for_address(struct evidence *ev)
{
	void *longer;
	uint32_t i;

	if (ev->nr < ev->table->address_slots / 2)
		return true;
	longer = widen(ev->addresses, sizeof(*ev->addresses), &ev->table->addresses,
		       &ev->table->address_slots);
	if (!longer) {
		ev->table->failed = true;
		return false;
	}
	ev->addresses = longer;
	for (i = 0; i < ev->nr; i++)
		*address_slot(ev, ev->addresses[i].value) = i + 1;
	return true;
}

static bool room_for_call(struct evidence *ev)
{
	void *longer;
	uint32_t i;

	if (ev->nr_calls < ev->table->call_slots / 2)
		return true;
	longer = widen(ev->calls, sizeof(*ev->calls), &ev->table->calls, &ev->table->call_slots);
	if (!longer) {
		ev->table->failed = true;
		return false;
	}
	ev->calls = longer;
	for (i = 0; i < ev->nr_calls; i++)
		*call_slot(ev, ev->calls[i].to, ev->calls[i].in) = i + 1;
	return true;
}

static bool in_image(const struct evidence *ev, uint64_t address)
{
	return address >= ev->arch->image_start && address < ev->arch->image_moved_end;
}

static struct evidence_address *add(struct evidence *ev, uint64_t address, enum evidence_kind kind)
{
	struct evidence_address *entry;
	uint32_t found;

	ev->seen++;
	if (!in_image(ev, address)) {
		ev->elsewhere++;
		return NULL;
	}
	found = *address_slot(ev, address);
	if (found) {
		entry = &ev->addresses[found - 1];
		if (kind > entry->kind)
			entry->kind = (unsigned char)kind;
		return entry;
	}
	if (ev->nr == EVIDENCE_MAX) {
		ev->left_out++;
		return NULL;
	}
	if (!room_for_address(ev))
		return NULL;
	entry = &ev->addresses[ev->nr++];
	*entry = (struct evidence_address){ .value = address, .kind = (unsigned char)kind };
	*address_slot(ev, address) = (uint32_t)ev->nr;
	return entry;
}

static void add_call(struct evidence *ev, uint64_t to, uint64_t in)
{
	if (*call_slot(ev, to, in) || ev->nr_calls == EVIDENCE_MAX || !room_for_call(ev))
		return;
	ev->calls[ev->nr_calls++] = (struct evidence_call){ .to = to, .in = in };
	*call_slot(ev, to, in) = (uint32_t)ev->nr_calls;
}

/**
 * evidence_add - one address
 * @ev:		where to
 * @address:	run-time address, of the kernel or of a module
 * @kind:	what is known of it
 */
void evidence_add(struct evidence *ev, uint64_t address, enum evidence_kind kind)
{
	add(ev, address, kind);
}

/**
 * evidence_chain - one call chain of the kernel
 * @ev:		where to
 * @chain:	run-time addresses, innermost first: one of kind IP, then returns
 * @nr:		how many
 */
void evidence_chain(struct evidence *ev, const uint64_t *chain, size_t nr)
{
	struct evidence_address *last = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		last = add(ev, chain[i], i ? EVIDENCE_RETURN : EVIDENCE_IP);
		if (i && in_image(ev, chain[i]) && in_image(ev, chain[i - 1]))
			add_call(ev, chain[i], chain[i - 1]);
	}
	if (last && nr > 1)
		last->outermost = true;
}

static int by_value(const void *a, const void *b)
{
	const struct evidence_address *x = a, *y = b;

	return x->value < y->value ? -1 : x->value > y->value;
}

static int by_caller(const void *a, const void *b)
{
	const struct evidence_call *x = a, *y = b;

	if (x->to != y->to)
		return x->to < y->to ? -1 : 1;
	return x->in < y->in ? -1 : x->in > y->in;
}

/**
 * evidence_done - stop collecting
 * @ev:		from now on without its table, its addresses and calls ascending
 * @why:	filled on failure
 *
 * Return: 0, or -1 where memory ran out while it was collected.
 */
int evidence_done(struct evidence *ev, struct why *why)
{
	const bool failed = ev->table->failed;

	free(ev->table->addresses);
	free(ev->table->calls);
	free(ev->table);
	ev->table = NULL;
	if (failed)
		return fail(why, "out of memory");
	qsort(ev->addresses, ev->nr, sizeof(*ev->addresses), by_value);
	qsort(ev->calls, ev->nr_calls, sizeof(*ev->calls), by_caller);
	return 0;
}
