// SPDX-License-Identifier: GPL-2.0-only
/*
 * Could this file have been recorded by this kernel, in this boot? A wrong stamp is worse than
 * none: readers then print wrong names and nobody notices. Each check looks at something that the
 * file itself says, and what it does not say is no reason against it.
 */
#include <string.h>

#include "evidence.h"
#include "trace.h"

/*
 * The scheduler clock, which perf stamps samples with, is not disciplined by NTP: 500 ppm is as
 * far as the kernel believes a clock to be off (include/linux/timex.h, MAXFREQ).
 */
#define CLOCK_DRIFT	2000
#define CLOCK_SLACK	10

/* One in so many addresses in call chains may be rubbish. */
#define CALLERS_RUBBISH	50

/* What runs first is within so many bytes of the anchor: head_64.S of either architecture. */
#define FIRST_CODE	0x10000

/* How a range of addresses looks in a message. */
#define RANGE	"0x%016llx to 0x%016llx"

/* That much of a file is decompressed for a look at its addresses. */
#define GUARD_BYTES	(1u << 20)

#define NSEC_PER_SEC	1000000000ull

static void check_build_id(const struct guard *guard, const struct facts *facts,
			   struct verdict *verdict)
{
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];

	if (build_id_differ(&facts->build_id, &guard->build_id))
		explain(&verdict->why[verdict->nr++],
			"recorded on a kernel with build-id %s, but %s has %s",
			build_id_hex(&facts->build_id, theirs), guard->build_id_of,
			build_id_hex(&guard->build_id, ours));
}

static void check_release(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	if (guard->release[0] && facts->release[0] && strcmp(guard->release, facts->release))
		explain(&verdict->why[verdict->nr++], "recorded by Linux %s, but %s is %s",
			facts->release, guard->build_id_of, guard->release);
}

/*
 * Machines that were installed alike run the same build, each at another place. A name alone is
 * no proof: a container has one of its own. Nor is the memory: a virtual machine's can change.
 */
static void check_machine(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	const struct kernel *kernel = guard->boot;

	if (kernel && kernel->host[0] && facts->host[0] && strcmp(kernel->host, facts->host) &&
	    kernel->memory && facts->memory && kernel->memory != facts->memory)
		explain(&verdict->why[verdict->nr++],
			"recorded on %s with %llu kB of memory, and this is %s with %llu kB",
			facts->host, (unsigned long long)facts->memory, kernel->host,
			(unsigned long long)kernel->memory);
}

/* LTTng's clock has it. Nothing else is as sure. */
static void check_boot_id(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	char theirs[BOOT_ID_TEXT], ours[BOOT_ID_TEXT];

	if (guard->boot && boot_id_text(facts->boot_id, theirs) &&
	    boot_id_text(guard->boot->boot_id, ours) && strcmp(theirs, ours))
		explain(&verdict->why[verdict->nr++],
			"from another boot: its clock is that of boot %s, and this is %s", theirs,
			ours);
}

static void check_age(const struct guard *guard, const struct trace *trace,
			 const struct facts *facts, struct verdict *verdict)
{
	const uint64_t last = facts->last_time / NSEC_PER_SEC;
	int64_t age;

	if (!guard->boot || !guard->boot->boot_time)
		return;
	age = (int64_t)trace->st.st_mtim.tv_sec - guard->boot->boot_time;
	if (age < 0)
		explain(&verdict->why[verdict->nr++],
			"older than this boot, and every boot has its own offset");
	/* A copy is younger than its recording. The clock in the samples is not. */
	else if (last > (uint64_t)age + (uint64_t)age / CLOCK_DRIFT + CLOCK_SLACK)
		explain(&verdict->why[verdict->nr++],
			"from another boot: its last sample is from %llu s after booting, and the "
			"file from %lld s after this boot",
			(unsigned long long)last, (long long)age);
}

/* A buffer that outlived its kernel, and the kernel of today has another place. */
static void check_last_boot(const struct guard *guard, const struct facts *facts,
			    struct verdict *verdict)
{
	if (guard->boot && facts->last_boot != LAST_BOOT_NONE)
		explain(&verdict->why[verdict->nr++],
			"has events of an earlier boot, in its buffer \"%s\"",
			facts->last_boot_buffer);
}

/* Where an address is, as far as it tells something about a place. */
struct spread {
	unsigned int in;
	unsigned int out;
};

/*
 * Modules, BPF programs and trampolines lie outside the kernel's image and say nothing. Within it
 * there is no code but the text once the kernel has booted.
 */
static struct spread spread_of(const struct place *place, const uint64_t *addresses,
			       unsigned int nr)
{
	const struct arch *arch = place->arch;
	const bool moved = !place->link || place_offset(place);
	const uint64_t end = moved ? arch->image_moved_end : arch->image_end;
	struct spread spread = { 0 };
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (addresses[i] >= place->text && addresses[i] - place->text < place->text_size)
			spread.in++;
		else if (addresses[i] >= arch->image_start && addresses[i] < end)
			spread.out++;
	}
	return spread;
}

static unsigned long long text_end(const struct place *place)
{
	return place->text + place->text_size;
}

/* One sample outside is one too many: the text is elsewhere. */
static void check_samples(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	const struct place *place = guard->place;
	const struct spread spread = spread_of(place, facts->ips, facts->nr_ips);

	if (spread.out)
		explain(&verdict->why[verdict->nr++],
			"%u of its first %u kernel samples are outside the kernel's text, " RANGE,
			spread.out, facts->nr_ips, (unsigned long long)place->text,
			text_end(place));
	else if (facts->nr_ips && !spread.in)
		explain(&verdict->why[verdict->nr++],
			"none of its first %u kernel samples is in the kernel's text, " RANGE,
			facts->nr_ips, (unsigned long long)place->text,
			text_end(place));
}

/*
 * The idle task of the processor that booted has kept its first callers: start_kernel() and what
 * called it, in memory that was given up long ago. They are between the text and the very first
 * code of the kernel, at the begin of it.
 */
static bool booted_here(const struct place *place, const uint64_t *chain, unsigned int nr)
{
	return nr && chain[nr - 1] >= place->text && chain[nr - 1] - place->text < FIRST_CODE;
}

static struct spread spread_of_chains(const struct place *place, const struct facts *facts)
{
	struct spread spread = { 0 };
	unsigned int i, start = 0;

	for (i = 0; i < facts->nr_callers; i++) {
		const uint64_t *chain = facts->callers + start;
		struct spread one;

		if (facts->callers[i])
			continue;
		one = spread_of(place, chain, i - start);
		spread.in += one.in;
		if (!booted_here(place, chain, i - start))
			spread.out += one.out;
		start = i + 1;
	}
	return spread;
}

/*
 * Call chains reach the system call entry at the end of the text and much else that samples do
 * not hit. Unwinding by guess or through a stale link register can yield rubbish, but not often.
 */
static void check_callers(const struct guard *guard, const struct facts *facts,
			  struct verdict *verdict)
{
	const struct spread spread = spread_of_chains(guard->place, facts);

	if (spread.out > (spread.in + spread.out) / CALLERS_RUBBISH)
		explain(&verdict->why[verdict->nr++],
			"%u of %u addresses in its call chains are outside the kernel's text, "
			RANGE,
			spread.out, spread.in + spread.out,
			(unsigned long long)guard->place->text, text_end(guard->place));
}

/**
 * guard_samples - look for kernel samples where they take more to read
 * @trace:	the file
 * @format:	of it
 * @arch:	of its kernel
 * @facts:	what it knows; gets some addresses where it has none
 *
 * Those that are compressed, or in other files of a directory. What cannot be read stays unknown.
 */
void guard_samples(const struct trace *trace, const struct format *format,
		   const struct arch *arch, struct facts *facts)
{
	struct evidence ev;
	struct why why;
	size_t i;

	if (facts->nr_ips || !format->evidence || evidence_init(&ev, arch, &why))
		return;
	if (!format->evidence(trace, &ev, GUARD_BYTES, &why) && !evidence_done(&ev, &why))
		for (i = 0; i < ev.nr && facts->nr_ips < FACTS_IPS; i++)
			if (ev.addresses[i].kind == EVIDENCE_IP)
				facts->ips[facts->nr_ips++] = ev.addresses[i].value;
	evidence_free(&ev);
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
	check_machine(guard, facts, verdict);
	check_boot_id(guard, facts, verdict);
	check_age(guard, trace, facts, verdict);
	check_last_boot(guard, facts, verdict);
	check_samples(guard, facts, verdict);
	check_callers(guard, facts, verdict);
}
