// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc infer: recover an offset that nobody wrote down.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "infer.h"
#include "output.h"
#include "place.h"
#include "symbols.h"
#include "trace.h"

/* Characters of a full bar. */
#define BAR	40

static void help(void)
{
	puts("Usage: kreloc infer --vmlinux=FILE [OPTION]... TRACE\n"
	     "Recover the offset of a kernel from the addresses that were recorded while it\n"
	     "ran, by holding them against the code in its vmlinux. TRACE is a perf.data, a\n"
	     "trace.dat, a CTF trace (which takes babeltrace2), text of a tracer, or a list of\n"
	     "addresses, one a line, each behind the word ip, return or entry where it is\n"
	     "known to be an instruction pointer, a return address or the entry of a function.\n"
	     "With - it is read from standard input, as text.\n"
	     "\n"
	     "Options:\n"
	     "  -k, --vmlinux=FILE  the recording kernel's vmlinux, with its code\n"
	     "  -j, --json          print a JSON object\n"
	     "  -h, --help          print this help\n"
	     "\n"
	     "There is an answer only where another one is a billion times less likely.\n"
	     "\n"
	     "Exit status: 0 done; 1 failed; 2 usage; 3 the offset is unknown.");
}

/**
 * struct subject - what an inference is made from
 * @path:	as given
 * @format:	name of its format
 * @facts:	what it says of itself, or NULL
 */
struct subject {
	const char *path;
	const char *format;
	const struct facts *facts;
};

static const char *const verdicts[] = {
	[INFER_FOUND] = "found",
	[INFER_TOO_FEW] = "too few addresses",
	[INFER_NO_FIT] = "does not fit",
	[INFER_FITS_IN_PART] = "fits in part",
};

static uint32_t count(const struct candidate *candidate, unsigned int kind)
{
	return candidate->fits[kind][FIT_BAD] + candidate->fits[kind][FIT_FAIR] +
	       candidate->fits[kind][FIT_GOOD];
}

static const char *const meanings[EVIDENCE_KINDS] = {
	[EVIDENCE_IP] = "start an instruction",
	[EVIDENCE_ENTRY] = "enter a function",
	[EVIDENCE_RETURN] = "follow a call",
};

static void print_share(const char *key, uint32_t met, uint32_t all, const char *what,
			double chance)
{
	printf("%s: %u of %u %s, by chance %.2g %%\n", key, met, all, what, 100 * chance);
}

static void print_evidence(const struct inference *inf)
{
	const struct candidate *best = &inf->top[0];
	unsigned int kind, i;

	for (kind = 0; kind < EVIDENCE_KINDS; kind++)
		if (count(best, kind))
			print_share(evidence_kinds[kind], best->fits[kind][FIT_GOOD],
				    count(best, kind), meanings[kind], inf->chance[kind]);
	if (best->calls)
		print_share("call", best->calls_met, best->calls, "go where the chains say",
			    inf->calls_chance);
	if (best->ends)
		printf("end: %u of %u chains begin where the kernel is entered\n", best->ends_met,
		       best->ends);
	for (i = 0; i < inf->nr_top; i++) {
		const double good = infer_good(&inf->top[i], -1);
		char bar[BAR + 1];

		memset(bar, ' ', BAR);
		memset(bar, '#', (size_t)(good * BAR + 0.5));
		bar[BAR] = '\0';
		printf("candidate: 0x%016llx |%s| %3.0f %%, score %.0f\n",
		       (unsigned long long)inf->top[i].offset, bar, 100 * good, inf->top[i].score);
	}
}

/* JSON has everything, for each candidate. */
static void add_candidate(struct output *out, const struct inference *inf,
			  const struct candidate *candidate)
{
	struct output item, part;
	unsigned int kind;

	output_start(&item, true);
	output_address(&item, "offset", true, candidate->offset);
	output_real(&item, "score", candidate->score);
	output_real(&item, "good", infer_good(candidate, -1));
	for (kind = 0; kind < EVIDENCE_KINDS; kind++) {
		if (!count(candidate, kind))
			continue;
		output_start(&part, true);
		output_text(&part, "kind", evidence_kinds[kind]);
		output_count(&part, "good", candidate->fits[kind][FIT_GOOD]);
		output_count(&part, "fair", candidate->fits[kind][FIT_FAIR]);
		output_count(&part, "bad", candidate->fits[kind][FIT_BAD]);
		output_real(&part, "chance", inf->chance[kind]);
		output_add(&item, "evidence", &part);
	}
	output_count(&item, "calls", candidate->calls);
	output_count(&item, "calls-met", candidate->calls_met);
	output_real(&item, "calls-chance", inf->calls_chance);
	output_count(&item, "ends", candidate->ends);
	output_count(&item, "ends-met", candidate->ends_met);
	output_add(out, "candidates", &item);
}

static void print(const struct subject *subject, const struct vmlinux *vmlinux,
		  const struct evidence *ev, const struct inference *inf, bool json)
{
	const bool found = inf->verdict == INFER_FOUND;
	const uint64_t offset = found ? inf->top[0].offset : 0;
	struct output out;
	unsigned int i;
	char odds[40];

	/* A number that people can read also where it is not one that a double can hold. */
	snprintf(odds, sizeof(odds), "10^%.0f", floor(inf->log_odds / log(10)));
	output_start(&out, json);
	output_text(&out, "file", subject->path);
	output_text(&out, "format", subject->format);
	output_address(&out, "offset", found, offset);
	output_address(&out, "text", found, vmlinux->link + offset);
	output_text(&out, "anchor", vmlinux->arch->anchor);
	output_address(&out, "link", true, vmlinux->link);
	output_build_id(&out, "build-id", &vmlinux->build_id);
	output_text(&out, "release", subject->facts ? subject->facts->release : NULL);
	output_text(&out, "source", found ? "inferred" : NULL);
	output_text(&out, "verdict", verdicts[inf->verdict]);
	output_text(&out, "odds", inf->nr_top ? odds : NULL);
	output_count(&out, "addresses", inf->addresses);
	output_count(&out, "addresses-seen", ev->seen);
	output_count(&out, "addresses-elsewhere", ev->elsewhere);
	output_count(&out, "addresses-lacking", inf->more);
	output_text(&out, "same-build", ev->same_build ? "yes" : NULL);
	output_real(&out, "spread", inf->spread);
	for (i = 0; json && i < inf->nr_top; i++)
		add_candidate(&out, inf, &inf->top[i]);
	if (!json && inf->nr_top)
		print_evidence(inf);
	output_end(&out);
}

/* What the recorder or a stamp says must be what the addresses say. */
static int agree(const struct facts *facts, const struct vmlinux *vmlinux,
		 const struct inference *inf, struct why *why)
{
	const uint64_t text = vmlinux->link + inf->top[0].offset;

	if (!facts || (facts->state != TRACE_RECORDED && facts->state != TRACE_STAMPED) ||
	    strcmp(facts->anchor, vmlinux->arch->anchor) || facts->text == text)
		return KRELOC_DONE;
	explain(why, "has %s at 0x%016llx by its %s, and its addresses put it at 0x%016llx",
		facts->anchor, (unsigned long long)facts->text,
		facts->state == TRACE_STAMPED ? "stamp" : "recorder", (unsigned long long)text);
	return KRELOC_FAILED;
}

static int infer_print(const struct subject *subject, const struct vmlinux *vmlinux,
		       struct evidence *ev, bool json, struct why *why)
{
	struct inference inf;
	struct codemap code;
	int err;

	if (codemap_read(&code, vmlinux->path, why))
		return KRELOC_UNKNOWN;
	err = infer(&code, ev, NULL, &inf, why);
	codemap_free(&code);
	if (err)
		return KRELOC_FAILED;
	print(subject, vmlinux, ev, &inf, json);
	if (inf.verdict == INFER_FOUND)
		return agree(subject->facts, vmlinux, &inf, why);
	infer_explain(&inf, vmlinux, why);
	return KRELOC_UNKNOWN;
}

static int infer_text(const char *path, FILE *file, const struct vmlinux *vmlinux, bool json,
		      struct why *why)
{
	const struct subject subject = { .path = path, .format = "text" };
	struct evidence ev;
	int status = KRELOC_FAILED;

	if (evidence_init(&ev, vmlinux->arch, why))
		return KRELOC_FAILED;
	if (!evidence_text(&ev, file, UINT64_MAX, why) && !evidence_done(&ev, why))
		status = infer_print(&subject, vmlinux, &ev, json, why);
	evidence_free(&ev);
	return status;
}

static int infer_trace(const struct trace *trace, const struct format *format,
		       const struct vmlinux *vmlinux, bool json, struct why *why)
{
	struct subject subject = { .path = trace->path, .format = format->name };
	struct evidence ev;
	struct facts facts;
	int status;

	if (trace_examine(trace, format, &facts, why))
		return KRELOC_FAILED;
	subject.facts = &facts;
	status = infer_evidence(&ev, trace, format, &facts, vmlinux, INFER_BYTES, why);
	if (status == KRELOC_DONE) {
		status = infer_print(&subject, vmlinux, &ev, json, why);
		evidence_free(&ev);
	}
	facts_free(&facts);
	return status;
}

/* Not a trace, but lines of something? */
static bool is_text(const struct trace *trace)
{
	char head[4096];
	ssize_t n = pread_full(trace->fd, head, sizeof(head), 0);

	return n > 0 && !memchr(head, '\0', (size_t)n);
}

static int infer_one(const char *path, const struct vmlinux *vmlinux, bool json, struct why *why)
{
	const struct format *format;
	struct trace trace;
	int status = KRELOC_FAILED;

	if (trace_open(&trace, path, false, why))
		return KRELOC_FAILED;
	format = format_of(&trace, why);
	if (format) {
		status = infer_trace(&trace, format, vmlinux, json, why);
	} else if (is_text(&trace)) {
		FILE *file = fopen(path, "re");

		if (file) {
			status = infer_text(path, file, vmlinux, json, why);
			fclose(file);
		} else {
			explain(why, "%s", strerror(errno));
		}
	}
	trace_close(&trace);
	return status;
}

/* Of a directory of traces the only one of a kernel. */
static int infer_file(const char *path, const struct vmlinux *vmlinux, bool json, struct why *why)
{
	struct trace_list list = { 0 };
	int status = KRELOC_FAILED;

	if (trace_list_add(&list, path, why))
		;
	else if (list.nr == 1)
		status = infer_one(list.path[0], vmlinux, json, why);
	else
		explain(why, "has %zu traces of a kernel in it: name one, such as %s", list.nr,
			list.path[0]);
	trace_list_free(&list);
	return status;
}

/**
 * cmd_infer - kreloc infer
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_infer(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	const char *path = NULL, *subject;
	struct vmlinux vmlinux;
	bool json = false;
	struct why why;
	int c, status;

	while ((c = getopt_long(argc, argv, "hjk:", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			help();
			return KRELOC_DONE;
		case 'j':
			json = true;
			break;
		case 'k':
			path = optarg;
			break;
		default:
			return usage_error("infer");
		}
	}
	if (!path) {
		complain(NULL, "infer: --vmlinux=FILE is needed: whose code is it?");
		return usage_error("infer");
	}
	if (argc - optind != 1) {
		complain(NULL, "infer: which trace? One, or - for standard input");
		return usage_error("infer");
	}
	if (vmlinux_read(path, &vmlinux, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	subject = argv[optind];
	if (!strcmp(subject, "-")) {
		subject = "standard input";
		status = infer_text(subject, stdin, &vmlinux, json, &why);
	} else {
		status = infer_file(subject, &vmlinux, json, &why);
	}
	if (status != KRELOC_DONE)
		complain(subject, "%s", why.text);
	return status;
}
