// SPDX-License-Identifier: GPL-2.0-only
/*
 * Weighs what was recorded against the code, for each offset that the kernel could have, and
 * decides. All of it is one likelihood ratio: how much likelier is the evidence if the kernel was
 * moved by this offset than if the addresses had nothing to do with this code? Under the true
 * offset the model says what share of addresses fits, from measurements; under any other the share
 * is that of chance, which is counted in the code itself. Documentation/infer.md derives it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "infer.h"
#include "place.h"

/*
 * The model under the true offset. In 170 recordings of Debian's 6.1, 6.12 and 7.2 fewer than one
 * address in a thousand was bad. But only so many machines were tried: live patches, probes and
 * processors that have other code patched in may have more. FAIR for a return address is that of
 * interrupted code: an interrupt can come at any instruction.
 */
static const double expected[EVIDENCE_KINDS][INFER_FITS] = {
	[EVIDENCE_IP] = { [FIT_BAD] = 0.01, [FIT_FAIR] = 0, [FIT_GOOD] = 0.99 },
	[EVIDENCE_ENTRY] = { [FIT_BAD] = 0.01, [FIT_FAIR] = 0.04, [FIT_GOOD] = 0.95 },
	[EVIDENCE_RETURN] = { [FIT_BAD] = 0.01, [FIT_FAIR] = 0.09, [FIT_GOOD] = 0.90 },
};

/* Tail calls and interrupts come between a caller and the callee that the call names. */
#define EXPECTED_CALL		0.75
/* Chains are cut, and unwinders lose their way. */
#define EXPECTED_END		0.6

/*
 * Functions are aligned, and candidates differ by multiples of the alignment, so that the last bits
 * of an address count: chance is that of the code with the same ones.
 */
#define RESIDUES	64

/* Wrong offsets on which the score's spread and the chance of calls are measured. */
#define CONTROLS	128
/* Of a long trace so many addresses and callers are enough for that. */
#define CONTROL_SAMPLE	2048
/* Chance of a call is not believed to be lower than what so few controls can show. */
#define CALL_FLOOR	1e-3

/*
 * Where a text is longer than a slot, some code may stand a whole number of slots away in another
 * build (x86 aligns .entry.text to 2 MiB). So the answer must hold without any one block.
 */
#define BLOCK		0x10000

/*
 * A build-id in the trace is believed that much, but not without any address: they could still be
 * no addresses of the kernel, such as those of probes, which are behind a breakpoint.
 */
#define SAME_BUILD_ODDS	(INFER_ODDS / 10)

/* A true vmlinux is said not to fit at most once in so many. */
#define FIT_ODDS	1e4
/* Nothing fits: the evidence has to be so much likelier with no offset than with the best. */
#define NO_FIT_ODDS	1e3

/**
 * struct weigher - the weights of one inference, in nats
 * @code:	where the addresses should be
 * @ev:		the addresses
 * @chance:	share of the code with the same residue that has this fit
 * @weight:	what an address with this fit adds to the score
 * @call_met:	what a call adds that goes where it should
 * @call_missed: the same of one that does not
 * @end_met:	what the end of a call chain adds where it is one
 * @end_missed:	the same where it is not
 */
struct weigher {
	const struct codemap *code;
	const struct evidence *ev;
	double chance[EVIDENCE_KINDS][RESIDUES][INFER_FITS];
	double weight[EVIDENCE_KINDS][RESIDUES][INFER_FITS];
	double call_met;
	double call_missed;
	double end_met;
	double end_missed;
};

/**
 * struct wheel - the parts of the text that hold code, in a ring
 * @words:	words of the bitmaps with code
 * @nr:		how many
 * @place:	of a word in @words, or NOWHERE
 * @nr_places:	how many words the text has
 *
 * Turned, it gives wrong offsets as good as any: every address keeps its last bits, and lands in
 * code again.
 */
struct wheel {
	uint32_t *words;
	size_t nr;
	uint32_t *place;
	size_t nr_places;
};

#define NOWHERE		UINT32_MAX

/* What the controls measured. */
struct control {
	double sum;
	uint32_t calls;
	uint32_t calls_met;
};

static enum infer_fit fit_of(const struct codemap *code, uint64_t at, unsigned int kind)
{
	const size_t unit = at / code->infer->unit;

	if (at >= code->size || at % code->infer->unit)
		return FIT_BAD;
	if (kind == EVIDENCE_RETURN && codemap_get(code->returns, unit))
		return FIT_GOOD;
	if (kind == EVIDENCE_ENTRY && codemap_get(code->entries, unit))
		return FIT_GOOD;
	if (!codemap_get(code->starts, unit))
		return FIT_BAD;
	return kind == EVIDENCE_IP ? FIT_GOOD : FIT_FAIR;
}

static unsigned int residue_of(const struct codemap *code, uint64_t at)
{
	return at / code->infer->unit % RESIDUES;
}

static size_t text_words(const struct codemap *code)
{
	return code->text_size / code->infer->unit / RESIDUES;
}

static void set_weights(struct weigher *w, unsigned int kind, uint32_t (*counts)[INFER_FITS],
			size_t words)
{
	unsigned int r, f;

	for (r = 0; r < RESIDUES; r++) {
		for (f = 0; f < INFER_FITS; f++) {
			if (expected[kind][f] == 0)
				continue;
			/* Half a count each for what was never seen. */
			w->chance[kind][r][f] = (counts[r][f] + 0.5) / ((double)words + 1.5);
			w->weight[kind][r][f] = log(expected[kind][f] / w->chance[kind][r][f]);
		}
		/* Where chance seldom makes a bad one, a bad one still speaks for nothing. */
		w->weight[kind][r][FIT_BAD] = fmin(0, w->weight[kind][r][FIT_BAD]);
	}
}

static void count_bits(uint64_t word, uint32_t (*counts)[INFER_FITS], enum infer_fit fit)
{
	for (; word; word &= word - 1)
		counts[__builtin_ctzll(word)][fit]++;
}

/* A word of a bitmap is one address of each residue. Those without code are not counted. */
static void count_chances(struct weigher *w)
{
	const struct codemap *code = w->code;
	const uint64_t *const good[EVIDENCE_KINDS] = {
		[EVIDENCE_IP] = code->starts,
		[EVIDENCE_ENTRY] = code->entries,
		[EVIDENCE_RETURN] = code->returns,
	};
	unsigned int kind, r;

	for (kind = 0; kind < EVIDENCE_KINDS; kind++) {
		uint32_t counts[RESIDUES][INFER_FITS] = { 0 };
		size_t i, words = 0;

		for (i = 0; i < text_words(code); i++) {
			if (!code->starts[i])
				continue;
			words++;
			count_bits(good[kind][i], counts, FIT_GOOD);
			count_bits(code->starts[i] & ~good[kind][i], counts, FIT_FAIR);
		}
		for (r = 0; r < RESIDUES; r++)
			counts[r][FIT_BAD] =
				(uint32_t)words - counts[r][FIT_GOOD] - counts[r][FIT_FAIR];
		set_weights(w, kind, counts, words);
	}
}

/* Chance of a return address to be one in a function where call chains end. */
static void count_ends(struct weigher *w)
{
	const struct codemap *code = w->code;
	const size_t unit = code->infer->unit;
	size_t i, at, all = 0, ends = 0;
	double chance;

	for (i = 0; i < code->nr_functions; i++) {
		const struct function *function = &code->functions[i];
		const size_t end = (function->start + (size_t)function->size) / unit;

		for (at = function->start / unit; at < end; at++) {
			if (!codemap_get(code->returns, at))
				continue;
			all++;
			ends += !!(function->flags & FUNCTION_OUTERMOST);
		}
	}
	chance = ((double)ends + 1) / ((double)all + 2);
	w->end_met = log(EXPECTED_END / chance);
	w->end_missed = log((1 - EXPECTED_END) / (1 - chance));
}

static void set_calls(struct weigher *w, double chance)
{
	w->call_met = log(EXPECTED_CALL / chance);
	w->call_missed = log((1 - EXPECTED_CALL) / (1 - chance));
}

static double weigh_address(const struct weigher *w, unsigned int kind, uint64_t at,
			    enum infer_fit *fit)
{
	*fit = fit_of(w->code, at, kind);
	/* Chances are not counted where there is no code, or none can start: all is bad there. */
	if (at >= w->code->size || at % w->code->infer->unit ||
	    !w->code->starts[at / w->code->infer->unit / RESIDUES])
		return log(expected[kind][FIT_BAD]);
	return w->weight[kind][residue_of(w->code, at)][*fit];
}

/* Calls with the same caller are one: functions that are sampled all over would count too much. */
static size_t same_caller(const struct evidence *ev, size_t i)
{
	size_t n = 1;

	while (i + n < ev->nr_calls && ev->calls[i + n].to == ev->calls[i].to)
		n++;
	return n;
}

/* @base is the run-time address of the code. Returns whether there is anything to say. */
static bool weigh_call(const struct codemap *code, const struct evidence_call *calls, size_t nr,
		       uint64_t base, bool *met)
{
	const uint64_t to = calls->to - base;
	const struct function *function;
	size_t callee, i;

	if (fit_of(code, to, EVIDENCE_RETURN) != FIT_GOOD ||
	    !code->infer->callee(code, to, &callee))
		return false;
	function = codemap_function(code, callee);
	if (!function || function->flags & FUNCTION_TRAMPOLINE)
		return false;
	*met = false;
	for (i = 0; i < nr && !*met; i++)
		*met = calls[i].in - base - function->start < function->size;
	return true;
}

/* Is there anything to say of it as the end of a chain, and what? */
static bool weigh_end(const struct codemap *code, const struct evidence_address *address, uint64_t at,
		      bool *met)
{
	const struct function *function;

	if (!address->outermost || fit_of(code, at, EVIDENCE_RETURN) != FIT_GOOD)
		return false;
	/* The call may be the last instruction. */
	function = codemap_function(code, at - 1);
	*met = function && function->flags & FUNCTION_OUTERMOST;
	return true;
}

static void count_candidate(const struct weigher *w, struct candidate *c)
{
	const struct codemap *code = w->code;
	const struct evidence *ev = w->ev;
	const uint64_t base = code->start + c->offset;
	enum infer_fit fit;
	size_t i, n;
	bool met;

	c->score = 0;
	for (i = 0; i < ev->nr; i++) {
		const struct evidence_address *address = &ev->addresses[i];
		const uint64_t at = address->value - base;

		c->score += weigh_address(w, address->kind, at, &fit);
		c->fits[address->kind][fit]++;
		if (weigh_end(code, address, at, &met)) {
			c->ends++;
			c->ends_met += met;
		}
	}
	for (i = 0; i < ev->nr_calls; i += n) {
		n = same_caller(ev, i);
		if (weigh_call(code, &ev->calls[i], n, base, &met)) {
			c->calls++;
			c->calls_met += met;
		}
	}
	c->score += c->ends_met * w->end_met + (c->ends - c->ends_met) * w->end_missed;
}

static double calls_score(const struct weigher *w, uint32_t calls, uint32_t met)
{
	return met * w->call_met + (calls - met) * w->call_missed;
}

static int by_score(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return x->offset < y->offset ? -1 : 1;
}

static int wheel_init(struct wheel *wheel, const struct codemap *code, struct why *why)
{
	size_t i;

	wheel->nr = 0;
	wheel->nr_places = text_words(code);
	wheel->words = malloc((wheel->nr_places + 1) * sizeof(*wheel->words));
	wheel->place = malloc((wheel->nr_places + 1) * sizeof(*wheel->place));
	if (!wheel->words || !wheel->place) {
		free(wheel->words);
		free(wheel->place);
		return fail(why, "out of memory");
	}
	for (i = 0; i < wheel->nr_places; i++) {
		wheel->place[i] = NOWHERE;
		if (code->starts[i]) {
			wheel->place[i] = (uint32_t)wheel->nr;
			wheel->words[wheel->nr++] = (uint32_t)i;
		}
	}
	return 0;
}

static void wheel_free(struct wheel *wheel)
{
	free(wheel->words);
	free(wheel->place);
}

/* Where an address gets to by the @turn of CONTROLS; false for one that is not on the wheel. */
static bool wheel_turn(const struct wheel *wheel, const struct codemap *code, unsigned int turn,
		       uint64_t at, uint64_t *to)
{
	const size_t word_size = (size_t)code->infer->unit * RESIDUES;
	const uint64_t word = at / word_size;
	size_t place;

	if (word >= wheel->nr_places || wheel->place[word] == NOWHERE)
		return false;
	place = wheel->place[word] + wheel->nr * (2 * (size_t)turn + 1) / (2 * CONTROLS);
	*to = (uint64_t)wheel->words[place % wheel->nr] * word_size + at % word_size;
	return true;
}

static void run_control(const struct weigher *w, const struct wheel *wheel, unsigned int turn,
			uint64_t base, struct control *control)
{
	const struct evidence *ev = w->ev;
	const size_t stride = ev->nr / CONTROL_SAMPLE + 1;
	const size_t call_stride = ev->nr_calls / CONTROL_SAMPLE + 1;
	enum infer_fit fit;
	size_t i, n, caller = 0;
	uint64_t to;
	bool met;

	memset(control, 0, sizeof(*control));
	for (i = 0; i < ev->nr; i += stride)
		if (wheel_turn(wheel, w->code, turn, ev->addresses[i].value - base, &to))
			control->sum += weigh_address(w, ev->addresses[i].kind, to, &fit);
	for (i = 0; i < ev->nr_calls; i += n) {
		n = same_caller(ev, i);
		if (caller++ % call_stride ||
		    !wheel_turn(wheel, w->code, turn, ev->calls[i].to - base, &to) ||
		    !weigh_call(w->code, &ev->calls[i], n, ev->calls[i].to - to, &met))
			continue;
		control->calls++;
		control->calls_met += met;
	}
}

/* What the variance of the controls would be, were each address independent of the others. */
static double expected_variance(const struct weigher *w, const struct wheel *wheel, uint64_t base)
{
	const struct evidence *ev = w->ev;
	const size_t stride = ev->nr / CONTROL_SAMPLE + 1;
	double variance = 0;
	unsigned int f;
	uint64_t to;
	size_t i;

	for (i = 0; i < ev->nr; i += stride) {
		const unsigned int kind = ev->addresses[i].kind;
		const uint64_t at = ev->addresses[i].value - base;
		const unsigned int r = residue_of(w->code, at);
		double mean = 0, square = 0;

		if (!wheel_turn(wheel, w->code, 0, at, &to))
			continue;
		for (f = 0; f < INFER_FITS; f++) {
			const double weight = w->weight[kind][r][f];

			mean += w->chance[kind][r][f] * weight;
			square += w->chance[kind][r][f] * weight * weight;
		}
		variance += square - mean * mean;
	}
	return variance;
}

/*
 * Addresses of one function are not independent: where one is wrong by chance, so may others be.
 * The controls show by how much more the score varies for that, and it is divided by it, as if so
 * many times fewer addresses were there. Only the upper side counts, the dangerous one.
 */
static double measure_spread(const struct control *controls, double expected_var)
{
	double mean = 0, variance = 0;
	unsigned int i, above = 0;

	for (i = 0; i < CONTROLS; i++)
		mean += controls[i].sum / CONTROLS;
	for (i = 0; i < CONTROLS; i++) {
		if (controls[i].sum <= mean)
			continue;
		variance += (controls[i].sum - mean) * (controls[i].sum - mean);
		above++;
	}
	if (!above || !(expected_var > 0))
		return 1;
	return fmax(1, variance / above / expected_var);
}

/* Turns the wheel, and sets what it shows: the weights of calls and the spread. */
static int measure_controls(struct weigher *w, struct inference *inf, uint64_t offset,
			    struct why *why)
{
	const uint64_t base = w->code->start + offset;
	struct control controls[CONTROLS];
	uint64_t calls = 0, met = 0;
	double p, gap, variance;
	struct wheel wheel;
	unsigned int i;

	if (wheel_init(&wheel, w->code, why))
		return -1;
	for (i = 0; i < CONTROLS; i++) {
		run_control(w, &wheel, i, base, &controls[i]);
		calls += controls[i].calls;
		met += controls[i].calls_met;
	}
	p = fmin(fmax(((double)met + 1) / ((double)calls + 2), CALL_FLOOR), EXPECTED_CALL);
	inf->calls_chance = p;
	set_calls(w, p);

	for (i = 0; i < CONTROLS; i++)
		controls[i].sum += calls_score(w, controls[i].calls, controls[i].calls_met);
	gap = w->call_met - w->call_missed;
	variance = (double)calls / CONTROLS * p * (1 - p) * gap * gap;
	inf->spread = measure_spread(controls, variance + expected_variance(w, &wheel, base));
	wheel_free(&wheel);
	return 0;
}

/*
 * At the true offset the median address is in the code, as more than half of them are. That leaves
 * few candidates, also where addresses could be anywhere in memory.
 */
static struct candidate *list_candidates(const struct weigher *w, size_t *nr, struct why *why)
{
	const struct arch *arch = w->ev->arch;
	const struct codemap *code = w->code;
	const uint64_t median = w->ev->addresses[w->ev->nr / 2].value;
	const uint64_t last_start = arch->image_moved_end - code->size;
	struct candidate *list;
	uint64_t offset = 0, n;

	*nr = 0;
	if (median >= code->start + code->size)
		offset = ((median - code->start - code->size) / arch->align + 1) * arch->align;
	n = median < code->start + offset ? 0 : (median - code->start - offset) / arch->align + 1;
	list = calloc(n + 1, sizeof(*list));
	if (!list) {
		explain(why, "out of memory");
		return NULL;
	}
	for (; *nr < n && code->start + offset <= last_start; offset += arch->align)
		list[(*nr)++].offset = offset;
	return list;
}

/* What one address and the call and the end that it is part of add to the score. */
static double weigh_all(const struct weigher *w, size_t i, size_t call, size_t nr_calls,
			uint64_t base)
{
	const struct evidence_address *address = &w->ev->addresses[i];
	const uint64_t at = address->value - base;
	enum infer_fit fit;
	double sum = weigh_address(w, address->kind, at, &fit);
	bool met;

	if (weigh_end(w->code, address, at, &met))
		sum += met ? w->end_met : w->end_missed;
	if (nr_calls && weigh_call(w->code, &w->ev->calls[call], nr_calls, base, &met))
		sum += met ? w->call_met : w->call_missed;
	return sum;
}

/*
 * By how much the score of the offset with @base is above that of the one with @other, or above
 * that of no offset where @other is NULL, without the block that contributes most.
 */
static double margin(const struct weigher *w, uint64_t base, const uint64_t *other)
{
	const struct evidence *ev = w->ev;
	double sum = 0, block = 0, strongest = 0;
	uint64_t last = UINT64_MAX;
	size_t i, n, call = 0;

	for (i = 0; i < ev->nr; i++, call += n) {
		const uint64_t at = ev->addresses[i].value - base;
		double gain;

		/* Both are sorted, and every caller is among the addresses. */
		n = call < ev->nr_calls && ev->calls[call].to == ev->addresses[i].value ?
			    same_caller(ev, call) : 0;
		gain = weigh_all(w, i, call, n, base);
		if (other)
			gain -= weigh_all(w, i, call, n, *other);
		if (at / BLOCK != last) {
			strongest = fmax(strongest, block);
			block = 0;
			last = at / BLOCK;
		}
		block += gain;
		sum += gain;
	}
	return sum - fmax(strongest, block);
}

/*
 * Another build's text is shifted from the first change on, up to where alignment takes up the
 * difference: there all addresses are wrong together, which honest mismatches are not. Finds the
 * stretch that speaks most against the offset; returns by how much.
 */
static double worst_stretch(const struct weigher *w, struct inference *inf)
{
	const struct evidence *ev = w->ev;
	const uint64_t offset = inf->top[0].offset;
	double run = 0, worst = 0;
	enum infer_fit fit;
	size_t i, from = 0;

	for (i = 0; i < ev->nr; i++) {
		const uint64_t link = ev->addresses[i].value - offset;

		run -= weigh_address(w, ev->addresses[i].kind, link - w->code->start, &fit);
		if (run <= 0) {
			run = 0;
			from = i + 1;
		} else if (run > worst) {
			worst = run;
			inf->part_from = ev->addresses[from].value - offset;
			inf->part_to = link;
			inf->part_addresses = i - from + 1;
		}
	}
	return worst;
}

/* log(exp(a) + exp(b)) */
static double log_add(double a, double b)
{
	const double more = fmax(a, b), less = fmin(a, b);

	return more + log1p(exp(less - more));
}

/* What one more address would add if the offset is true, on average over those that are there. */
static double gain_per_address(const struct weigher *w, struct inference *inf, uint64_t base)
{
	const struct evidence *ev = w->ev;
	size_t count[EVIDENCE_KINDS] = { 0 };
	unsigned int kind, f;
	double gain = 0;
	size_t i;

	for (i = 0; i < ev->nr; i++) {
		const unsigned int r = residue_of(w->code, ev->addresses[i].value - base);

		kind = ev->addresses[i].kind;
		count[kind]++;
		inf->chance[kind] += w->chance[kind][r][FIT_GOOD];
		for (f = 0; f < INFER_FITS; f++)
			gain += expected[kind][f] * w->weight[kind][r][f];
	}
	for (kind = 0; kind < EVIDENCE_KINDS; kind++)
		if (count[kind])
			inf->chance[kind] /= (double)count[kind];
	return gain / (double)ev->nr / inf->spread;
}

/* Log odds of the best candidate against all that is not it. */
static double log_odds(const struct weigher *w, const struct inference *inf,
		       const struct candidate *list)
{
	const uint64_t base = w->code->start + list[0].offset;
	double none = -margin(w, base, NULL) / inf->spread;
	double others;
	size_t i;

	/*
	 * The prior. All possible offsets together are as likely as another kernel; or, where the
	 * trace names this very build, so much more likely.
	 */
	others = none + (w->ev->same_build ? -log(SAME_BUILD_ODDS) : log((double)inf->possible));
	for (i = 1; i < inf->tried; i++) {
		const uint64_t other = w->code->start + list[i].offset;

		others = log_add(others, -margin(w, base, &other) / inf->spread);
	}
	return -others;
}

static void decide(const struct weigher *w, struct inference *inf, const struct candidate *list)
{
	const double worst = worst_stretch(w, inf);
	const double gain = gain_per_address(w, inf, w->code->start + list[0].offset);
	/* Any two addresses can bound a stretch, so there are many to be the worst. */
	const double limit = log(FIT_ODDS) + 2 * log((double)w->ev->nr);

	inf->log_odds = log_odds(w, inf, list);
	if (list[0].score / inf->spread < -log(NO_FIT_ODDS)) {
		inf->verdict = INFER_NO_FIT;
	} else if (inf->log_odds < log(INFER_ODDS)) {
		inf->verdict = INFER_TOO_FEW;
		/* Where each tells next to nothing, a number would be an empty promise. */
		if (gain > 0.05)
			inf->more = (uint64_t)ceil((log(INFER_ODDS) - inf->log_odds) / gain);
	} else if (worst / inf->spread >= limit && !w->ev->same_build) {
		inf->verdict = INFER_FITS_IN_PART;
	} else {
		inf->verdict = INFER_FOUND;
	}
}

/**
 * infer - by what offset was the kernel moved?
 * @code:	its code
 * @ev:		what was recorded, after evidence_done()
 * @asked:	an offset to compare the best with, or NULL
 * @inf:	filled on success: the decision, which may be that there is none
 * @why:	filled on failure
 *
 * Return: 0, or -1 where memory ran out.
 */
int infer(const struct codemap *code, const struct evidence *ev, const uint64_t *asked,
	  struct inference *inf, struct why *why)
{
	const struct arch *arch = ev->arch;
	struct candidate *list = NULL;
	struct weigher *w;
	int err = -1;
	size_t i;

	memset(inf, 0, sizeof(*inf));
	inf->addresses = ev->nr;
	inf->spread = 1;
	inf->verdict = INFER_TOO_FEW;
	inf->log_odds = -INFINITY;
	inf->possible = (arch->image_moved_end - code->size - code->start) / arch->align + 1;
	if (!ev->nr)
		return 0;

	w = calloc(1, sizeof(*w));
	if (!w)
		return fail(why, "out of memory");
	w->code = code;
	w->ev = ev;
	list = list_candidates(w, &inf->tried, why);
	if (!list)
		goto out;
	err = 0;
	if (!inf->tried) {
		inf->verdict = INFER_NO_FIT;
		goto out;
	}
	count_chances(w);
	count_ends(w);
	for (i = 0; i < inf->tried; i++)
		count_candidate(w, &list[i]);
	/* Calls are weighed by what chance makes of them, which takes a candidate to be known. */
	qsort(list, inf->tried, sizeof(*list), by_score);
	err = measure_controls(w, inf, list[0].offset, why);
	if (err)
		goto out;
	for (i = 0; i < inf->tried; i++)
		list[i].score += calls_score(w, list[i].calls, list[i].calls_met);
	qsort(list, inf->tried, sizeof(*list), by_score);
	inf->nr_top = inf->tried < INFER_TOP ? (unsigned int)inf->tried : INFER_TOP;
	memcpy(inf->top, list, inf->nr_top * sizeof(*list));
	decide(w, inf, list);
	if (asked && *asked != list[0].offset) {
		const uint64_t other = code->start + *asked;

		inf->against = margin(w, code->start + list[0].offset, &other) / inf->spread;
		inf->against = fmax(0, inf->against);
	}
out:
	free(list);
	free(w);
	return err;
}
