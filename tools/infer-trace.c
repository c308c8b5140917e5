// SPDX-License-Identifier: GPL-2.0-only
/*
 * Inferences from trace files, for whoever wants one: what the file says of itself comes first,
 * then its addresses; and a decision that there is none, in words.
 */
#include <math.h>
#include <string.h>

#include "infer.h"
#include "place.h"
#include "symbols.h"
#include "trace.h"

/* A true offset is said not to fit at most once in so many. */
#define INFER_CHECK_ODDS	1e6

/**
 * infer_evidence - the kernel addresses in a trace file
 * @ev:		filled on success, then to be freed with evidence_free()
 * @trace:	the file
 * @format:	of it
 * @facts:	what it says of itself
 * @vmlinux:	what it will be held against
 * @limit:	bytes of the file that are read at most
 * @why:	filled on failure
 *
 * Return: KRELOC_DONE; KRELOC_UNKNOWN where the file says that it is not from that kernel;
 * KRELOC_FAILED.
 */
int infer_evidence(struct evidence *ev, const struct trace *trace, const struct format *format,
		   const struct facts *facts, const struct vmlinux *vmlinux, uint64_t limit,
		   struct why *why)
{
	if (trace_fits(facts, vmlinux, why))
		return KRELOC_UNKNOWN;
	if (!format->evidence) {
		explain(why, "kreloc cannot read addresses from %s", format->name);
		return KRELOC_UNKNOWN;
	}
	if (evidence_init(ev, vmlinux->arch, why))
		return KRELOC_FAILED;
	/* Both known, and not different. */
	ev->same_build = facts->build_id.size && vmlinux->build_id.size;
	if (format->evidence(trace, ev, limit, why) || evidence_done(ev, why)) {
		evidence_free(ev);
		return KRELOC_FAILED;
	}
	return KRELOC_DONE;
}

/**
 * infer_good - the share of addresses that are what they have to be
 * @candidate:	an offset
 * @kind:	of the addresses; -1 for all
 *
 * Return: 0 to 1; 0 also where there are none.
 */
double infer_good(const struct candidate *candidate, int kind)
{
	uint32_t good = 0, all = 0;
	int k, fit;

	for (k = 0; k < EVIDENCE_KINDS; k++) {
		if (kind >= 0 && k != kind)
			continue;
		good += candidate->fits[k][FIT_GOOD];
		for (fit = 0; fit < INFER_FITS; fit++)
			all += candidate->fits[k][fit];
	}
	return all ? (double)good / all : 0;
}

/**
 * infer_explain - why there is no answer, and what to do about it
 * @inf:	the decision, which is not INFER_FOUND
 * @vmlinux:	what the trace was held against
 * @why:	filled
 */
void infer_explain(const struct inference *inf, const struct vmlinux *vmlinux, struct why *why)
{
	const struct candidate *best = inf->nr_top ? &inf->top[0] : NULL;
	const unsigned long long more = inf->more;

	switch (inf->verdict) {
	case INFER_NO_FIT:
		explain(why, "does not fit the code of %s: at the best offset %.0f %% of its %zu "
			"addresses are what they should be. It is of another build, or they are "
			"no kernel addresses",
			vmlinux->path, best ? 100 * infer_good(best, -1) : 0, inf->addresses);
		break;
	case INFER_FITS_IN_PART:
		explain(why, "does not fit the code of %s from 0x%016llx to 0x%016llx, where %zu of "
			"its addresses are. It is of another build, much like the recorded one",
			vmlinux->path, (unsigned long long)inf->part_from,
			(unsigned long long)inf->part_to, inf->part_addresses);
		break;
	default:
		if (!inf->addresses)
			explain(why, "has no address of the kernel");
		else if (more)
			explain(why, "has too few distinct kernel addresses, %zu; about %llu more "
				"would do, or fewer with call chains (perf record -g)",
				inf->addresses, more);
		else
			explain(why, "its %zu distinct kernel addresses do not tell enough, and more "
				"like them would not either; call chains would (perf record -g)",
				inf->addresses);
		break;
	}
}

/**
 * infer_place - where was the kernel that a file was recorded on?
 * @code:	the map of @vmlinux
 * @vmlinux:	of that kernel
 * @trace:	the file
 * @format:	of it
 * @facts:	what it says of itself
 * @place:	filled on success
 * @why:	filled where there is no answer
 *
 * Return: KRELOC_DONE, KRELOC_UNKNOWN or KRELOC_FAILED.
 */
int infer_place(const struct codemap *code, const struct vmlinux *vmlinux,
		const struct trace *trace, const struct format *format, const struct facts *facts,
		struct place *place, struct why *why)
{
	struct inference inf;
	struct evidence ev;
	int err, status;

	status = infer_evidence(&ev, trace, format, facts, vmlinux, INFER_BYTES, why);
	if (status != KRELOC_DONE)
		return status;
	err = infer(code, &ev, NULL, &inf, why);
	evidence_free(&ev);
	if (err)
		return KRELOC_FAILED;
	if (inf.verdict != INFER_FOUND) {
		infer_explain(&inf, vmlinux, why);
		return KRELOC_UNKNOWN;
	}
	memset(place, 0, sizeof(*place));
	place->arch = vmlinux->arch;
	place->link = vmlinux->link;
	place->text = vmlinux->link + inf.top[0].offset;
	place->text_size = vmlinux->text_size;
	place->source = "inferred";
	place->link_source = "vmlinux";
	return place_check(place, why) ? KRELOC_FAILED : KRELOC_DONE;
}

/**
 * infer_check - do the first addresses of a file fit an offset?
 * @code:	the map of @vmlinux
 * @vmlinux:	of the kernel
 * @trace:	the file
 * @format:	of it
 * @facts:	what it says of itself
 * @offset:	in bytes
 * @why:	filled unless they do: why not, or why they cannot tell
 *
 * Return: what they say.
 */
enum infer_opinion infer_check(const struct codemap *code, const struct vmlinux *vmlinux,
			       const struct trace *trace, const struct format *format,
			       const struct facts *facts, uint64_t offset, struct why *why)
{
	struct inference inf;
	struct evidence ev;
	int err;

	if (infer_evidence(&ev, trace, format, facts, vmlinux, INFER_CHECK_BYTES, why) !=
	    KRELOC_DONE)
		return INFER_CANNOT_TELL;
	err = infer(code, &ev, &offset, &inf, why);
	evidence_free(&ev);
	if (err)
		return INFER_CANNOT_TELL;
	if (inf.verdict == INFER_NO_FIT || inf.verdict == INFER_FITS_IN_PART) {
		infer_explain(&inf, vmlinux, why);
		return INFER_CONTRADICTS;
	}
	if (inf.nr_top && inf.against > log(INFER_CHECK_ODDS)) {
		explain(why, "its addresses fit offset 0x%016llx better than 0x%016llx",
			(unsigned long long)inf.top[0].offset, (unsigned long long)offset);
		return INFER_CONTRADICTS;
	}
	if (inf.verdict == INFER_FOUND && inf.top[0].offset == offset)
		return INFER_AGREES;
	explain(why, "its %zu distinct kernel addresses are too few to tell whether they fit",
		inf.addresses);
	return INFER_CANNOT_TELL;
}
