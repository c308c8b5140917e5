// SPDX-License-Identifier: GPL-2.0-only
/*
 * Could this file have been recorded by this kernel, in this boot? A wrong stamp is worse than
 * none: readers then print wrong names and nobody notices. Each check looks at something that the
 * file itself says, and what it does not say is no reason against it.
 */
#include <string.h>

#include "trace.h"

/*
 * The scheduler clock, which perf stamps samples with, is not disciplined by NTP: 500 ppm is as
 * far as the kernel believes a clock to be off (include/linux/timex.h, MAXFREQ).
 */
#define CLOCK_DRIFT	2000
#define CLOCK_SLACK	10

#define NSEC_PER_SEC	1000000000ull

static void check_build_id(const struct guard *guard, const struct facts *facts,
			   struct verdict *verdict)
{
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];

	if (build_id_differ(&facts->build_id, &guard->build_id))
		fail(&verdict->why[verdict->nr++],
		     "recorded on a kernel with build-id %s, but %s has %s",
		     build_id_hex(&facts->build_id, theirs), guard->build_id_of,
		     build_id_hex(&guard->build_id, ours));
}

static void check_release(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	if (guard->kernel && guard->kernel->release[0] && facts->release[0] &&
	    strcmp(guard->kernel->release, facts->release))
		fail(&verdict->why[verdict->nr++], "recorded by Linux %s, and this is %s",
		     facts->release, guard->kernel->release);
}

static void check_age(const struct guard *guard, const struct trace *trace,
		      const struct facts *facts, struct verdict *verdict)
{
	int64_t boot, age;

	if (!guard->kernel || !guard->kernel->boot_time)
		return;
	boot = guard->kernel->boot_time;
	age = (int64_t)trace->st.st_mtim.tv_sec - boot;
	if (age < 0) {
		fail(&verdict->why[verdict->nr++],
		     "older than this boot, and every boot has its own offset");
		return;
	}
	/* A copy is younger than its recording. The clock in the samples is not. */
	if (facts->last_time / NSEC_PER_SEC >
	    (uint64_t)age + (uint64_t)age / CLOCK_DRIFT + CLOCK_SLACK)
		fail(&verdict->why[verdict->nr++],
		     "its last sample was taken %llu s after a boot, but the file is from %lld s after this one: it is from another boot",
		     (unsigned long long)(facts->last_time / NSEC_PER_SEC), (long long)age);
}

/*
 * In the kernel's image there is no code outside its text once it has booted, so one sample there
 * is one too many: the text is elsewhere. Modules, BPF programs and trampolines lie outside the
 * image and say nothing.
 */
static void check_samples(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	const struct place *place = guard->place;
	const struct arch *arch = place->arch;
	const bool moved = !place->link || place_offset(place);
	const uint64_t end = moved ? arch->image_moved_end : arch->image_end;
	unsigned int in = 0, out = 0, i;

	for (i = 0; i < facts->nr_ips; i++) {
		const uint64_t ip = facts->ips[i];

		if (ip >= place->text && ip - place->text < place->text_size)
			in++;
		else if (ip >= arch->image_start && ip < end)
			out++;
	}
	if (out)
		fail(&verdict->why[verdict->nr++],
		     "%u of its first %u kernel samples are outside the kernel's text, 0x%016llx to 0x%016llx",
		     out, facts->nr_ips, (unsigned long long)place->text,
		     (unsigned long long)(place->text + place->text_size));
	else if (facts->nr_ips && !in)
		fail(&verdict->why[verdict->nr++],
		     "none of its first %u kernel samples is in the kernel's text, 0x%016llx to 0x%016llx",
		     facts->nr_ips, (unsigned long long)place->text,
		     (unsigned long long)(place->text + place->text_size));
}

/**
 * guard_arch - is the file of the architecture of the place?
 * @guard:	what it is held against
 * @facts:	what the file knows
 * @why:	filled on failure
 *
 * Not among the reasons of guard_check(): this one cannot be overridden, there is nothing that
 * such a stamp could mean.
 *
 * Return: 0 or -1.
 */
int guard_arch(const struct guard *guard, const struct facts *facts, struct why *why)
{
	const char *name = guard->place->arch->name;

	if (facts->machine[0] && strcmp(facts->machine, name))
		return fail(why, "recorded on %s, and the offset is that of a %s kernel",
			    facts->machine, name);
	return 0;
}

/**
 * guard_check - what speaks against stamping this file with this place?
 * @guard:	what it is held against
 * @trace:	the file
 * @facts:	what it knows
 * @verdict:	the reasons, each of which the user may override
 */
void guard_check(const struct guard *guard, const struct trace *trace, const struct facts *facts,
		 struct verdict *verdict)
{
	verdict->nr = 0;
	check_build_id(guard, facts, verdict);
	check_release(guard, facts, verdict);
	check_age(guard, trace, facts, verdict);
	check_samples(guard, facts, verdict);
}
