// SPDX-License-Identifier: GPL-2.0-only
/*
 * Compares a vmlinux's symbol table with kallsyms, as multisets of name and address, and says what
 * it means where they differ.
 *
 * Both are sorted by address and gone through once. Types are not compared: kallsyms' letters come
 * from sections. kallsyms shows st_value, the global entry point, on every architecture; nothing
 * is added to it anywhere (perf once did, and dropped it: 0b3c2264ae30). Everything in kallsyms
 * has to be in vmlinux. The reverse has exceptions: see kallsyms_drops(), and without
 * CONFIG_KALLSYMS_ALL there is code alone.
 *
 * One symbol's distance is no proof of an offset. It is only a place to begin; what counts is how
 * many others agree, and where most do not, they elect another.
 */
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "compare.h"
#include "lookup.h"
#include "place.h"
#include "sort.h"

/* Groups at one address up to this product are searched name by name, larger ones sorted. */
#define GROUP_MAX	256
/* So many symbols can be wrong one by one. */
#define FEW		16
/* So many moved symbols are searched for exchanged places. */
#define TAKEN_MAX	1000

enum item_state {
	ITEM_LEFT,		/* nothing in kallsyms is it */
	ITEM_MATCHED,
	ITEM_MOVED,
	ITEM_RENAMED,
};

/**
 * struct item - a symbol of vmlinux that kallsyms has or can have
 * @symbol:	the symbol
 * @name:	of it
 * @addr:	where it is at the current offset
 * @row:	what it was found to be in kallsyms, unless it is left
 * @state:	see above
 * @optional:	kallsyms may not have it
 * @fixed:	no address but a number: it does not move
 */
struct item {
	const Elf64_Sym *symbol;
	const char *name;
	uint64_t addr;
	uint32_t row;
	unsigned char state;
	bool optional;
	bool fixed;
};

/* The ends of what has code; all of it at link addresses. */
enum {
	STEXT,
	ETEXT,
	SINITTEXT,
	EINITTEXT,
	BORDERS,
};

/**
 * struct work - a comparison under way
 * @file:	of vmlinux
 * @vmlinux:	what it says of its kernel
 * @kallsyms:	the other side
 * @out:	the outcome
 * @lowest:	no address of a kernel is below
 * @borders:	of the code
 * @items:	in the order of the symbol table
 * @nr_items:	how many
 * @item_order:	these, by address
 * @found:	of each of kallsyms' symbols, whether some item is it
 * @nr_rows:	how many
 * @row_order:	these, by address
 * @room:	for sorting
 */
struct work {
	const struct elf_file *file;
	const struct vmlinux *vmlinux;
	const struct kallsyms *kallsyms;
	struct comparison *out;
	uint64_t lowest;
	uint64_t borders[BORDERS];
	struct item *items;
	size_t nr_items;
	struct sort_key *item_order;
	bool *found;
	size_t nr_rows;
	struct sort_key *row_order;
	struct sort_key *room;
};

/* Neither sections and files nor what is nowhere. */
static bool can_be_row(const Elf64_Sym *symbol, const char *name)
{
	const unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	return name[0] && symbol->st_shndx != SHN_UNDEF && type != STT_SECTION &&
	       type != STT_FILE;
}

static void note_border(struct work *work, const char *name, uint64_t value)
{
	static const char *const names[BORDERS] = {
		[STEXT] = "_stext",
		[ETEXT] = "_etext",
		[SINITTEXT] = "_sinittext",
		[EINITTEXT] = "_einittext",
	};
	unsigned int i;

	if (name[0] != '_' || (name[1] != 's' && name[1] != 'e'))
		return;
	for (i = 0; i < BORDERS; i++)
		if (!strcmp(name, names[i]))
			work->borders[i] = value;
}

/* Within the borders; symbol_valid() in scripts/kallsyms.c. */
static bool in_text(const struct work *work, uint64_t link, const char *name, size_t len)
{
	const uint64_t *border = work->borders;

	if (link == border[ETEXT])
		return len == 6 && !memcmp(name, "_etext", 6);
	if (link == border[EINITTEXT])
		return len == 10 && !memcmp(name, "_einittext", 10);
	return (link >= border[STEXT] && link < border[ETEXT]) ||
	       (link >= border[SINITTEXT] && link < border[EINITTEXT]);
}

static bool item_in_text(const struct work *work, const struct item *item)
{
	return in_text(work, item->symbol->st_value, item->name, strlen(item->name));
}

static void add_item(struct work *work, const Elf64_Sym *symbol, bool optional, bool fixed)
{
	work->items[work->nr_items++] = (struct item){
		.symbol = symbol,
		.name = elf_file_name(work->file, symbol),
		.optional = optional,
		.fixed = fixed,
	};
}

static bool is_loaded(const struct elf_file *file, const Elf64_Sym *symbol)
{
	return symbol->st_shndx < file->nr_sections &&
	       file->sections[symbol->st_shndx].flags & SHF_ALLOC;
}

static void collect(struct work *work)
{
	const struct elf_file *file = work->file;
	size_t i;

	for (i = 0; i < file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];
		const char *name = elf_file_name(file, symbol);

		if (!can_be_row(symbol, name))
			continue;
		note_border(work, name, symbol->st_value);
		if (symbol->st_shndx == SHN_ABS) {
			/* Numbers; some are addresses all the same, and nothing tells which. */
			add_item(work, symbol, true, true);
			add_item(work, symbol, true, false);
		} else {
			/*
			 * Per-CPU symbols of x86_64, linked at 0, are distances from each
			 * processor's area (CONFIG_KALLSYMS_ABSOLUTE_PERCPU).
			 */
			add_item(work, symbol, !is_loaded(file, symbol),
				 symbol->st_value < work->lowest);
		}
	}
}

static int allocate_rows(struct work *work, struct why *why)
{
	const size_t rows = work->nr_rows + 1;

	if (rows >= UINT32_MAX)
		return fail(why, "more symbols than any kernel has");
	work->found = calloc(rows, sizeof(*work->found));
	return work->found ? 0 : fail(why, "out of memory");
}

static int allocate_items(struct work *work, struct why *why)
{
	const size_t items = 2 * work->file->nr_symbols + 1, rows = work->nr_rows + 1;

	if (items >= UINT32_MAX)
		return fail(why, "more symbols than any kernel has");
	work->items = malloc(items * sizeof(*work->items));
	work->item_order = malloc(items * sizeof(*work->item_order));
	work->row_order = malloc(rows * sizeof(*work->row_order));
	work->room = malloc((items > rows ? items : rows) * sizeof(*work->room));
	if (!work->items || !work->item_order || !work->row_order || !work->room)
		return fail(why, "out of memory");
	return 0;
}

static void release(struct work *work)
{
	free(work->items);
	free(work->item_order);
	free(work->found);
	free(work->row_order);
	free(work->room);
}

static void order_rows(struct work *work)
{
	bool sorted = true;
	size_t i;

	for (i = 0; i < work->nr_rows; i++) {
		const uint64_t addr = work->kallsyms->syms[i].addr;

		sorted = sorted && (!i || addr >= work->row_order[i - 1].addr);
		work->row_order[i] = (struct sort_key){ addr, (uint32_t)i };
	}
	if (!sorted)
		sort_by_addr(work->row_order, work->room, work->nr_rows);
}

/* Every symbol to where it is at this offset; nothing is matched yet. */
static void place_items(struct work *work, uint64_t offset)
{
	size_t i;

	work->out->offset = offset;
	for (i = 0; i < work->nr_items; i++) {
		struct item *item = &work->items[i];

		item->addr = item->symbol->st_value + (item->fixed ? 0 : offset);
		item->state = ITEM_LEFT;
		work->item_order[i] = (struct sort_key){ item->addr, (uint32_t)i };
	}
	sort_by_addr(work->item_order, work->room, work->nr_items);
	memset(work->found, 0, work->nr_rows * sizeof(*work->found));
}

static bool same_name(const struct item *item, const struct kallsym *sym)
{
	return !strncmp(item->name, sym->name, sym->len) && !item->name[sym->len];
}

static void match(struct work *work, struct item *item, uint32_t row, enum item_state state)
{
	item->state = (unsigned char)state;
	item->row = row;
	work->found[row] = true;
}

/**
 * struct named - a symbol that is left, of either table, to be sorted by name
 * @name:	needs no end
 * @len:	of it
 * @last:	after others of the same name
 * @addr:	then by this
 * @index:	of the item or row
 */
struct named {
	const char *name;
	size_t len;
	bool last;
	uint64_t addr;
	uint32_t index;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	const int order = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	if (order)
		return order;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	if (x->last != y->last)
		return x->last ? 1 : -1;
	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

/* Same order, but for the address and what is last. */
static int compare_names(const struct named *x, const struct named *y)
{
	const int order = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return order ? order : x->len < y->len ? -1 : x->len > y->len;
}

/* Of parts of the orders, those that are left. */
static size_t name_items(const struct work *work, const struct sort_key *keys, size_t nr,
			 struct named *named)
{
	size_t n = 0, i;

	for (i = 0; i < nr; i++) {
		const struct item *item = &work->items[keys[i].index];

		if (item->state == ITEM_LEFT)
			named[n++] = (struct named){ item->name, strlen(item->name), item->optional,
						     item->addr, keys[i].index };
	}
	qsort(named, n, sizeof(*named), by_name);
	return n;
}

static size_t name_rows(const struct work *work, const struct sort_key *keys, size_t nr,
			struct named *named)
{
	size_t n = 0, i;

	for (i = 0; i < nr; i++) {
		const struct kallsym *sym = &work->kallsyms->syms[keys[i].index];

		if (!work->found[keys[i].index])
			named[n++] = (struct named){ sym->name, sym->len, false, sym->addr,
						     keys[i].index };
	}
	qsort(named, n, sizeof(*named), by_name);
	return n;
}

/* Brings together what has the same name, in the order of the addresses. */
static int match_names(struct work *work, const struct sort_key *items, size_t nr_items,
		       const struct sort_key *rows, size_t nr_rows, enum item_state state,
		       struct why *why)
{
	struct named *a = malloc((nr_items + 1) * sizeof(*a));
	struct named *b = malloc((nr_rows + 1) * sizeof(*b));
	size_t i = 0, j = 0;

	if (!a || !b) {
		free(a);
		free(b);
		return fail(why, "out of memory");
	}
	nr_items = name_items(work, items, nr_items, a);
	nr_rows = name_rows(work, rows, nr_rows, b);
	while (i < nr_items && j < nr_rows) {
		const int order = compare_names(&a[i], &b[j]);

		if (!order)
			match(work, &work->items[a[i].index], b[j].index, state);
		i += order <= 0;
		j += order >= 0;
	}
	free(a);
	free(b);
	return 0;
}

/* The symbols at one address. */
static int match_group(struct work *work, const struct sort_key *items, size_t nr_items,
		       const struct sort_key *rows, size_t nr_rows, struct why *why)
{
	size_t i, j, optional;

	if (nr_items * nr_rows > GROUP_MAX)
		return match_names(work, items, nr_items, rows, nr_rows, ITEM_MATCHED, why);
	for (j = 0; j < nr_rows; j++) {
		const struct kallsym *sym = &work->kallsyms->syms[rows[j].index];

		/* What has to be there comes before what may be there. */
		for (optional = 0; optional < 2 && !work->found[rows[j].index]; optional++) {
			for (i = 0; i < nr_items; i++) {
				struct item *item = &work->items[items[i].index];

				if (item->optional != optional || item->state != ITEM_LEFT ||
				    !same_name(item, sym))
					continue;
				match(work, item, rows[j].index, ITEM_MATCHED);
				break;
			}
		}
	}
	return 0;
}

static size_t group(const struct sort_key *keys, size_t from, size_t nr)
{
	size_t to = from;

	while (to < nr && keys[to].addr == keys[from].addr)
		to++;
	return to - from;
}

static int match_addresses(struct work *work, struct why *why)
{
	size_t i = 0, j = 0;

	while (i < work->nr_items && j < work->nr_rows) {
		const uint64_t a = work->item_order[i].addr, b = work->row_order[j].addr;

		if (a < b) {
			i++;
		} else if (a > b) {
			j++;
		} else {
			const size_t n = group(work->item_order, i, work->nr_items);
			const size_t m = group(work->row_order, j, work->nr_rows);

			if (match_group(work, work->item_order + i, n, work->row_order + j, m, why))
				return -1;
			i += n;
			j += m;
		}
	}
	return 0;
}

/* What is left at the same address, whatever its name. */
static void match_renamed(struct work *work)
{
	size_t i = 0, j = 0;

	while (i < work->nr_items && j < work->nr_rows) {
		struct item *item = &work->items[work->item_order[i].index];
		const uint32_t row = work->row_order[j].index;
		const uint64_t a = work->item_order[i].addr, b = work->row_order[j].addr;

		if (a < b || item->state != ITEM_LEFT || item->optional) {
			i++;
		} else if (a > b || work->found[row]) {
			j++;
		} else {
			match(work, item, row, ITEM_RENAMED);
			i++;
			j++;
		}
	}
}

/* Asked only of what was not found: it takes a while. */
static void drop_items(struct work *work)
{
	size_t i;

	for (i = 0; i < work->nr_items; i++) {
		struct item *item = &work->items[i];

		if (item->state == ITEM_LEFT && !item->optional)
			item->optional = kallsyms_drops(item->name);
	}
}

static size_t rows_left(const struct work *work)
{
	size_t left = 0, i;

	for (i = 0; i < work->nr_rows; i++)
		left += !work->found[i];
	return left;
}

/* By how much a symbol that has moved is off. */
static uint64_t moved_by(const struct work *work, const struct item *item)
{
	return work->kallsyms->syms[item->row].addr - item->addr;
}

/* The distance that most moved symbols have in common, and how many have it. */
static size_t common_distance(const struct work *work, uint64_t *distance, size_t *of)
{
	struct sort_key *keys = work->item_order;
	size_t nr = 0, best = 0, i, n;

	/* The order is made anew from the items by whoever needs it after this. */
	for (i = 0; i < work->nr_items; i++)
		if (work->items[i].state == ITEM_MOVED && !work->items[i].fixed)
			keys[nr++] = (struct sort_key){ moved_by(work, &work->items[i]), 0 };
	sort_by_addr(keys, work->room, nr);
	for (i = 0; i < nr; i += n) {
		n = group(keys, i, nr);
		if (n > best) {
			best = n;
			*distance = keys[i].addr;
		}
	}
	*of = nr;
	return best;
}

/* Lets all symbols elect the offset. Returns how many agree; 0 where none do, -1 and why. */
static ssize_t elect(struct work *work, uint64_t *offset, struct why *why)
{
	const uint64_t align = work->vmlinux->arch->align;
	uint64_t distance = 0;
	size_t votes, of;

	place_items(work, 0);
	if (match_names(work, work->item_order, work->nr_items, work->row_order, work->nr_rows,
			ITEM_MOVED, why))
		return -1;
	votes = common_distance(work, &distance, &of);
	/* Two that agree by chance elect nothing. */
	if (votes < 3 || votes * 4 < of)
		return 0;
	/* A kernel moves by whole steps. What is beyond is an error in every row. */
	*offset = distance - distance % align;
	return (ssize_t)votes;
}

/* What kallsyms says of the anchor; false where that cannot be true. */
static bool anchor_offset(const struct work *work, uint64_t *offset)
{
	const struct arch *arch = work->vmlinux->arch;
	const size_t len = strlen(arch->anchor);
	size_t i;

	for (i = 0; i < work->nr_rows; i++) {
		const struct kallsym *sym = &work->kallsyms->syms[i];

		if (sym->len != len || memcmp(sym->name, arch->anchor, len))
			continue;
		*offset = sym->addr - work->vmlinux->link;
		return sym->addr >= work->vmlinux->link && !(*offset % arch->align);
	}
	return false;
}

/* Matches at the offset that was given, else at the anchor's or the one that the others elect. */
static int match_all(struct work *work, const uint64_t *given, struct why *why)
{
	uint64_t offset = 0, elected = 0;
	bool known = given != NULL;
	ssize_t votes;

	if (known)
		offset = *given;
	else
		known = anchor_offset(work, &offset);
	work->out->offset_known = known;
	if (known) {
		place_items(work, offset);
		if (match_addresses(work, why))
			return -1;
		if (given || rows_left(work) * 2 <= work->nr_rows)
			return 0;
	}
	votes = elect(work, &elected, why);
	if (votes < 0)
		return -1;
	work->out->offset_known = known || votes;
	place_items(work, votes ? elected : offset);
	return match_addresses(work, why);
}

/* Nearly all: a table with one fault in all symbols may have another fault in some. */
static bool nearly_all(size_t n, size_t of)
{
	return n > 1 && n <= of && (of - n) * 50 <= of;
}

static bool is_code(const struct work *work, const struct item *item)
{
	return is_loaded(work->file, item->symbol) &&
	       work->file->sections[item->symbol->st_shndx].flags & SHF_EXECINSTR;
}

static bool is_function(const struct work *work, const struct item *item)
{
	return ELF64_ST_TYPE(item->symbol->st_info) == STT_FUNC && is_code(work, item);
}

/* Has kallsyms any symbol that is not code? Then it has all. */
static bool has_data(const struct work *work)
{
	size_t i;

	for (i = 0; i < work->nr_items; i++)
		if (work->items[i].state != ITEM_LEFT && !work->items[i].optional &&
		    !item_in_text(work, &work->items[i]))
			return true;
	return false;
}

static bool starts_with_endbr64(const struct work *work, const struct item *item)
{
	const unsigned char *code = elf_file_at(work->file, item->symbol->st_value, 4);

	return code && !memcmp(code, "\xf3\x0f\x1e\xfa", 4);
}

/**
 * struct tally - what the moved symbols have in common
 * @moved:	how many there are
 * @common:	how many of them by @distance
 * @movable:	of how many that can move
 * @distance:	the most common one
 * @local:	how many by just their local entry point
 * @local_right: how many with a local entry point are where they should be
 * @endbr:	how many functions by the length of ENDBR64
 * @endbr_right: how many that begin with one are where they should be; where no function does,
 *		how many functions at all
 * @percpu:	how many numbers by the offset
 * @right:	how many that can move are where they should be
 */
struct tally {
	size_t moved;
	size_t common;
	size_t movable;
	uint64_t distance;
	size_t local;
	size_t local_right;
	size_t endbr;
	size_t endbr_right;
	size_t percpu;
	size_t right;
};

static void count_moved(const struct work *work, struct tally *tally)
{
	const bool x86 = work->vmlinux->arch->machine == EM_X86_64;
	size_t with_endbr = 0, functions_right = 0, with_endbr_right = 0, i;

	memset(tally, 0, sizeof(*tally));
	for (i = 0; i < work->nr_items; i++) {
		const struct item *item = &work->items[i];
		const unsigned int local = symbol_local_entry(work->file, item->symbol);

		if (item->state == ITEM_MATCHED) {
			tally->right += !item->fixed;
			tally->local_right += local != 0;
			if (x86 && is_function(work, item)) {
				functions_right++;
				with_endbr_right += starts_with_endbr64(work, item);
			}
		} else if (item->state == ITEM_MOVED) {
			const uint64_t by = moved_by(work, item);

			tally->moved++;
			tally->local += local && by == local;
			tally->percpu += item->fixed && by == work->out->offset;
			if (x86 && by == 4 && is_function(work, item)) {
				tally->endbr++;
				with_endbr += starts_with_endbr64(work, item);
			}
		}
	}
	tally->endbr_right = with_endbr ? with_endbr_right : functions_right;
	tally->common = common_distance(work, &tally->distance, &tally->movable);
}

static void conclude(struct comparison *out, enum verdict_kind verdict, size_t affected,
		     uint64_t shift)
{
	out->verdict = verdict;
	out->affected = affected;
	out->shift = shift;
}

/* One cause for all that has moved? */
static bool find_cause(const struct work *work, struct comparison *out)
{
	const uint64_t align = work->vmlinux->arch->align;
	struct tally tally;

	count_moved(work, &tally);
	if (nearly_all(tally.local, tally.moved) &&
	    nearly_all(tally.local, tally.local + tally.local_right))
		conclude(out, VERDICT_LOCAL_ENTRY, tally.local, 0);
	else if (nearly_all(tally.endbr, tally.moved) &&
		 nearly_all(tally.endbr, tally.endbr + tally.endbr_right))
		conclude(out, VERDICT_ENDBR, tally.endbr, 4);
	else if (nearly_all(tally.percpu, tally.moved) && out->offset)
		conclude(out, VERDICT_PERCPU, tally.percpu, out->offset);
	else if (nearly_all(tally.common, tally.movable) &&
		 nearly_all(tally.common, tally.movable + tally.right))
		conclude(out, tally.distance % align ? VERDICT_SHIFTED : VERDICT_RELOCATED,
			 tally.common, tally.distance);
	else
		return false;
	return true;
}

/* Does the verdict account for this one already? */
static bool is_explained(const struct work *work, const struct item *item)
{
	const struct comparison *out = work->out;

	switch (out->verdict) {
	case VERDICT_LOCAL_ENTRY:
		return moved_by(work, item) == symbol_local_entry(work->file, item->symbol);
	case VERDICT_SHIFTED:
	case VERDICT_PERCPU:
		return item->fixed && moved_by(work, item) == out->shift;
	case VERDICT_ENDBR:
		return moved_by(work, item) == out->shift;
	default:
		return false;
	}
}

/* A symbol of vmlinux that is left, and should not be. */
static bool is_missing(const struct work *work, const struct item *item)
{
	return item->state == ITEM_LEFT && !item->optional &&
	       (!work->out->text_only || item_in_text(work, item));
}

/* Is all that is missing behind the last symbol that is there? */
static bool is_cut_off(const struct work *work)
{
	uint64_t last = 0;
	size_t i;

	for (i = 0; i < work->nr_rows; i++)
		if (work->kallsyms->syms[i].addr > last)
			last = work->kallsyms->syms[i].addr;
	for (i = 0; i < work->nr_items; i++)
		if (is_missing(work, &work->items[i]) && work->items[i].addr < last)
			return false;
	return true;
}

static void count(struct work *work)
{
	struct comparison *out = work->out;
	size_t i;

	for (i = 0; i < work->nr_items; i++) {
		const struct item *item = &work->items[i];

		out->matched += item->state == ITEM_MATCHED;
		out->counts[MISMATCH_MOVED] += item->state == ITEM_MOVED;
		out->counts[MISMATCH_RENAMED] += item->state == ITEM_RENAMED;
		out->counts[MISMATCH_MISSING] += is_missing(work, item);
	}
	out->expected = out->matched + out->counts[MISMATCH_MOVED] +
			out->counts[MISMATCH_RENAMED] + out->counts[MISMATCH_MISSING];
	out->counts[MISMATCH_EXTRA] = rows_left(work);
	out->nr_kallsyms = work->nr_rows;
}

static void judge(struct work *work)
{
	struct comparison *out = work->out;
	const size_t missing = out->counts[MISMATCH_MISSING];
	const size_t wrong = out->counts[MISMATCH_MOVED] + out->counts[MISMATCH_RENAMED] +
			     out->counts[MISMATCH_EXTRA];

	if (!missing && !wrong)
		return;
	if (find_cause(work, out))
		return;
	/*
	 * A kernel of another build has most names, and each at a distance of its own; of one that
	 * was built a week later, it is but a few hundred.
	 */
	if (wrong > FEW && wrong * 1000 > out->nr_kallsyms)
		conclude(out, VERDICT_OTHER_KERNEL, wrong, 0);
	else if (missing && is_cut_off(work))
		conclude(out, VERDICT_TRUNCATED, missing, 0);
	else if (missing * 20 > out->expected)
		conclude(out, VERDICT_INCOMPLETE, missing, 0);
	else
		conclude(out, VERDICT_DIFFERS, missing + wrong, 0);
}

static void add_mismatch(struct work *work, enum mismatch_kind kind, const struct item *item,
			 const struct kallsym *sym)
{
	work->out->list[work->out->nr++] = (struct mismatch){
		.kind = kind,
		.symbol = item ? item->symbol : NULL,
		.sym = sym,
		.by = kind == MISMATCH_MOVED ? sym->addr - item->addr : 0,
	};
}

/* Where is what has moved? Often two have changed places. */
static void find_taken(struct comparison *out)
{
	size_t i, j;

	if (out->nr > TAKEN_MAX)
		return;
	for (i = 0; i < out->nr; i++) {
		struct mismatch *one = &out->list[i];

		for (j = 0; one->kind == MISMATCH_MOVED && j < out->nr; j++) {
			const struct mismatch *other = &out->list[j];

			if (other->kind == MISMATCH_MOVED && i != j &&
			    one->sym->addr == other->sym->addr - other->by)
				one->taken = other->symbol;
		}
	}
}

static int make_list(struct work *work, struct why *why)
{
	struct comparison *out = work->out;
	size_t i;

	out->list = calloc(work->nr_items + work->nr_rows + 1, sizeof(*out->list));
	if (!out->list)
		return fail(why, "out of memory");
	for (i = 0; i < work->nr_items; i++) {
		const struct item *item = &work->items[i];
		const struct kallsym *sym = &work->kallsyms->syms[item->row];

		if (item->state == ITEM_MOVED && !is_explained(work, item))
			add_mismatch(work, MISMATCH_MOVED, item, sym);
		else if (item->state == ITEM_RENAMED)
			add_mismatch(work, MISMATCH_RENAMED, item, sym);
		else if (is_missing(work, item) && out->verdict != VERDICT_TRUNCATED)
			add_mismatch(work, MISMATCH_MISSING, item, NULL);
	}
	for (i = 0; i < work->nr_rows; i++)
		if (!work->found[i])
			add_mismatch(work, MISMATCH_EXTRA, NULL, &work->kallsyms->syms[i]);
	find_taken(out);
	return 0;
}

/**
 * struct row_index - where in kallsyms an address is
 * @low:	so many rows are below any address of a kernel
 * @base:	address of the first one that is not
 * @shift:	a bucket is for 2^@shift bytes
 * @nr:		number of buckets
 * @buckets:	the first row of each
 */
struct row_index {
	size_t low;
	uint64_t base;
	unsigned int shift;
	size_t nr;
	uint32_t *buckets;
};

/* Only for rows that are sorted, as the kernel's are. False where they are not, or no memory. */
static bool index_rows(const struct work *work, struct row_index *index)
{
	const struct kallsym *rows = work->kallsyms->syms;
	uint64_t span;
	size_t bucket = 0, i;

	for (i = 1; i < work->nr_rows; i++)
		if (rows[i].addr < rows[i - 1].addr)
			return false;
	index->low = 0;
	while (index->low < work->nr_rows && rows[index->low].addr < work->lowest)
		index->low++;
	if (index->low == work->nr_rows)
		return false;
	index->base = rows[index->low].addr;
	span = rows[work->nr_rows - 1].addr - index->base;
	index->shift = 0;
	while (span >> index->shift > work->nr_rows)
		index->shift++;
	index->nr = (size_t)(span >> index->shift) + 1;
	index->buckets = malloc(index->nr * sizeof(*index->buckets));
	if (!index->buckets)
		return false;
	for (i = index->low; i < work->nr_rows; i++)
		while (bucket <= (rows[i].addr - index->base) >> index->shift)
			index->buckets[bucket++] = (uint32_t)i;
	return true;
}

/* The first row that is not before this address. */
static size_t find_row(const struct work *work, const struct row_index *index, uint64_t addr)
{
	const struct kallsym *rows = work->kallsyms->syms;
	size_t row = 0, end = index->low;

	if (addr >= index->base) {
		if ((addr - index->base) >> index->shift >= index->nr)
			return work->nr_rows;
		row = index->buckets[(addr - index->base) >> index->shift];
		while (row < work->nr_rows && rows[row].addr < addr)
			row++;
		return row;
	}
	while (row < end) {
		const size_t middle = row + (end - row) / 2;

		if (rows[middle].addr < addr)
			row = middle + 1;
		else
			end = middle;
	}
	return row;
}

/* Marks the row that this symbol is. */
static bool find_symbol(struct work *work, const struct row_index *index, const char *name,
			uint64_t addr)
{
	const struct kallsym *rows = work->kallsyms->syms;
	size_t row = find_row(work, index, addr), i;

	/* A real table has no more names at one address than this. */
	for (i = 0; i < GROUP_MAX && row < work->nr_rows && rows[row].addr == addr; i++, row++) {
		if (work->found[row] || strncmp(name, rows[row].name, rows[row].len) != 0 ||
		    name[rows[row].len])
			continue;
		work->found[row] = true;
		return true;
	}
	return false;
}

/* Is any of the rows not code? Then all symbols have to be there. */
static bool rows_have_data(const struct work *work, uint64_t offset)
{
	size_t i;

	for (i = 0; i < work->nr_rows; i++) {
		const struct kallsym *row = &work->kallsyms->syms[i];

		if (!in_text(work, row->addr - offset, row->name, row->len))
			return true;
	}
	return false;
}

/* Marks the rows that are symbols, and lists the symbols that are no row. Returns their number. */
static size_t find_symbols(struct work *work, const struct row_index *index, uint64_t offset,
			   uint32_t *left)
{
	const struct elf_file *file = work->file;
	size_t nr = 0, i;

	for (i = 0; i < file->nr_symbols; i++) {
		const Elf64_Sym *symbol = &file->symbols[i];
		const char *name = elf_file_name(file, symbol);
		const uint64_t by = symbol->st_value < work->lowest ? 0 : offset;

		if (!can_be_row(symbol, name))
			continue;
		note_border(work, name, symbol->st_value);
		if (symbol->st_shndx == SHN_ABS) {
			if (!find_symbol(work, index, name, symbol->st_value))
				find_symbol(work, index, name, symbol->st_value + offset);
		} else if (!find_symbol(work, index, name, symbol->st_value + by)) {
			left[nr++] = (uint32_t)i;
		}
	}
	return nr;
}

static bool all_found(struct work *work, const struct row_index *index, uint64_t offset,
		      uint32_t *left)
{
	const struct elf_file *file = work->file;
	const size_t nr = find_symbols(work, index, offset, left);
	size_t i;

	if (memchr(work->found, false, work->nr_rows))
		return false;
	work->out->text_only = !rows_have_data(work, offset);
	for (i = 0; i < nr; i++) {
		const Elf64_Sym *symbol = &file->symbols[left[i]];
		const char *name = elf_file_name(file, symbol);

		if (is_loaded(file, symbol) &&
		    (!work->out->text_only ||
		     in_text(work, symbol->st_value, name, strlen(name))) &&
		    !kallsyms_drops(name))
			return false;
	}
	return true;
}

/*
 * Almost always all is well, and then nothing has to be sorted and nothing remembered. False means
 * no more than that it takes a closer look.
 */
static bool match_quickly(struct work *work, uint64_t offset)
{
	struct comparison *out = work->out;
	struct row_index index = { 0 };
	uint32_t *left = malloc((work->file->nr_symbols + 1) * sizeof(*left));
	bool matched;

	matched = left && !work->kallsyms->cut && work->file->nr_symbols < UINT32_MAX &&
		  index_rows(work, &index) && all_found(work, &index, offset, left);
	free(index.buckets);
	free(left);
	if (!matched)
		return false;
	out->offset = offset;
	out->offset_known = true;
	out->matched = out->expected = out->nr_kallsyms = work->nr_rows;
	return true;
}

/* All zeros is what those see who may not. A row of 0 means nothing: per-CPU symbols have it. */
static bool is_hidden(const struct work *work)
{
	const char *anchor = work->vmlinux->arch->anchor;
	const size_t len = strlen(anchor);
	size_t i;

	for (i = 0; i < work->nr_rows; i++) {
		const struct kallsym *sym = &work->kallsyms->syms[i];

		if (sym->len == len && !memcmp(sym->name, anchor, len))
			return !sym->addr;
	}
	for (i = 0; i < work->nr_rows; i++)
		if (work->kallsyms->syms[i].addr)
			return false;
	return true;
}

/* The kernel keeps the length of its own table, which tells whether all of it is here. */
static size_t length_in_kernel(const struct elf_file *file)
{
	const unsigned char *p;
	size_t i;

	for (i = 0; i < file->nr_symbols; i++) {
		if (strcmp(elf_file_name(file, &file->symbols[i]), "kallsyms_num_syms"))
			continue;
		p = elf_file_at(file, file->symbols[i].st_value, 4);
		return p ? get32(p, file->big) : 0;
	}
	return 0;
}

/* By name and address, then by name, then by address. */
static int match_rest(struct work *work, struct why *why)
{
	/* A last line without its end is perhaps half a name, and not judged. */
	if (work->kallsyms->cut)
		work->found[work->nr_rows - 1] = true;
	drop_items(work);
	if (!rows_left(work))
		return 0;
	if (match_names(work, work->item_order, work->nr_items, work->row_order, work->nr_rows,
			ITEM_MOVED, why))
		return -1;
	match_renamed(work);
	return 0;
}

/*
 * Where everything is elsewhere by one distance, symbols of the same name were brought together by
 * chance. What is really wrong shows where everything is.
 */
static int match_again(struct work *work, uint64_t offset, struct why *why)
{
	const uint64_t asked = work->out->offset;
	int err;

	place_items(work, offset);
	err = match_addresses(work, why) || match_rest(work, why) ? -1 : 0;
	work->out->offset = asked;
	return err;
}

static int run(struct work *work, const uint64_t *offset, struct why *why)
{
	struct comparison *out = work->out;

	uint64_t at = offset ? *offset : 0;

	if (allocate_rows(work, why))
		return -1;
	if (is_hidden(work)) {
		out->verdict = VERDICT_HIDDEN;
		out->nr_kallsyms = out->affected = work->nr_rows;
		return 0;
	}
	if ((offset || anchor_offset(work, &at)) && match_quickly(work, at))
		return 0;
	out->text_only = false;
	if (allocate_items(work, why))
		return -1;
	collect(work);
	order_rows(work);
	if (match_all(work, offset, why) || match_rest(work, why))
		return -1;
	out->text_only = !has_data(work);
	count(work);
	judge(work);
	if (out->verdict == VERDICT_MATCH)
		return 0;
	out->in_kernel = length_in_kernel(work->file);
	if ((out->verdict == VERDICT_RELOCATED || out->verdict == VERDICT_SHIFTED) &&
	    match_again(work, out->offset + out->shift, why))
		return -1;
	return make_list(work, why);
}

/**
 * compare - compare the two tables
 * @file:	the vmlinux, with symbols
 * @vmlinux:	what it says of its kernel
 * @kallsyms:	the kernel's table, at least one symbol
 * @offset:	at which to compare them, or NULL: they tell
 * @comparison:	filled on success, then to be freed with comparison_free(); points into all that was
 *		given
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int compare(const struct elf_file *file, const struct vmlinux *vmlinux,
	    const struct kallsyms *kallsyms, const uint64_t *offset,
	    struct comparison *comparison, struct why *why)
{
	const struct arch *arch = vmlinux->arch;
	struct work work = {
		.file = file,
		.vmlinux = vmlinux,
		.kallsyms = kallsyms,
		.out = comparison,
		.lowest = arch->link_base ? arch->link_base : arch->link,
		.nr_rows = kallsyms->nr,
	};
	int err;

	memset(comparison, 0, sizeof(*comparison));
	err = run(&work, offset, why);
	release(&work);
	if (err)
		comparison_free(comparison);
	return err;
}

/**
 * comparison_free - free an outcome
 * @comparison:	filled by compare()
 */
void comparison_free(struct comparison *comparison)
{
	free(comparison->list);
	comparison->list = NULL;
}
