// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc read: what trace files know about the place of their kernel.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "symbols.h"
#include "trace.h"

static void help(void)
{
	puts("Usage: kreloc read [OPTION]... FILE...\n"
	     "Print what trace files know about their kernel's offset: what was stamped, or\n"
	     "what the recorder wrote itself. That is the run-time address only; the offset\n"
	     "then takes the kernel's vmlinux, except on powerpc, where every kernel is\n"
	     "linked at the same address.\n"
	     "\n"
	     "Options:\n"
	     "  -k, --vmlinux=FILE  the recording kernel's vmlinux\n"
	     "  -j, --json          print a JSON object for each file, on a line of its own\n"
	     "  -h, --help          print this help\n"
	     "\n"
	     "Exit status: 0 done; 1 failed or does not match; 2 usage;\n"
	     "3 an offset is unknown.");
}

/**
 * struct answer - what is printed of a file
 * @text:	run-time address of the anchor, 0 where not known
 * @link:	its link address, 0 where not known
 * @source:	who wrote @text into the file, NULL for nobody
 * @info:	provenance of a stamp, or NULL
 */
struct answer {
	uint64_t text;
	uint64_t link;
	const char *source;
	const struct stamp_info *info;
};

static void print(const struct trace *trace, const struct format *format,
		  const struct facts *facts, const struct answer *answer, bool json)
{
	const struct stamp_info *info = answer->info;
	const bool known = answer->text && answer->link;
	struct output out;

	output_start(&out, json);
	output_text(&out, "file", trace->path);
	output_text(&out, "format", format->name);
	output_address(&out, "offset", known, answer->text - answer->link);
	output_address(&out, "text", answer->text, answer->text);
	output_text(&out, "anchor", answer->text ? facts->anchor : NULL);
	output_address(&out, "link", answer->link, answer->link);
	output_build_id(&out, "build-id", info ? &info->build_id : &facts->build_id);
	output_text(&out, "release", info ? info->release : facts->release);
	output_text(&out, "source", answer->source);
	if (info) {
		output_text(&out, "stamp-source", info->source);
		output_boot_id(&out, "boot-id", info->boot_id);
		output_text(&out, "kreloc", info->version);
	}
	output_end(&out);
}

/* The vmlinux is held against the file before a symbol of it is believed. */
static int fits(const struct vmlinux *vmlinux, const struct facts *facts, struct why *why)
{
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];

	if (facts->machine[0] && strcmp(facts->machine, vmlinux->arch->name))
		return fail(why, "recorded on %s, and %s is a %s kernel", facts->machine,
			    vmlinux->path, vmlinux->arch->name);
	if (build_id_differ(&facts->build_id, &vmlinux->build_id))
		return fail(why, "recorded on a kernel with build-id %s, but %s has %s",
			    build_id_hex(&facts->build_id, theirs), vmlinux->path,
			    build_id_hex(&vmlinux->build_id, ours));
	return 0;
}

static int answer_of(const struct facts *facts, const struct vmlinux *vmlinux,
		     struct answer *answer, struct why *why)
{
	const struct arch *arch = arch_by_name(facts->machine);

	memset(answer, 0, sizeof(*answer));
	if (vmlinux && fits(vmlinux, facts, why))
		return -1;
	if (facts->state != TRACE_RECORDED && facts->state != TRACE_STAMPED)
		return 0;

	answer->text = facts->text;
	answer->source = "recorder";
	if (facts->state == TRACE_STAMPED) {
		answer->source = "stamp";
		answer->info = &facts->block.info;
		answer->link = facts->block.info.link;
	}
	if (vmlinux) {
		if (answer->link && answer->link != vmlinux->link)
			return fail(why, "linked at 0x%016llx, says its stamp, but %s is at 0x%016llx",
				    (unsigned long long)answer->link, vmlinux->path,
				    (unsigned long long)vmlinux->link);
		answer->link = vmlinux->link;
	} else if (!answer->link && arch && !strcmp(facts->anchor, arch->anchor)) {
		answer->link = arch->link;
	}
	return 0;
}

static int read_trace(const struct trace *trace, const struct vmlinux *vmlinux, bool json,
		      bool first, struct why *why)
{
	const struct format *format = format_of(trace, why);
	struct answer answer;
	struct facts facts;
	int status = KRELOC_FAILED;

	if (!format || trace_examine(trace, format, &facts, why))
		return KRELOC_FAILED;
	if (answer_of(&facts, vmlinux, &answer, why))
		goto out;
	if (!json && !first)
		putchar('\n');
	print(trace, format, &facts, &answer, json);
	status = answer.text && answer.link ? KRELOC_DONE : KRELOC_UNKNOWN;
	if (facts.state == TRACE_INTERRUPTED)
		explain(why, "a stamp of it was interrupted: run kreloc stamp or kreloc strip");
	else if (facts.state == TRACE_HOLLOW)
		explain(why, "recorded in a user namespace, where no kernel address is to be seen");
	else if (!answer.text)
		explain(why, "has no kernel address: run kreloc stamp in the boot that recorded it");
	else
		explain(why, "has the run-time address of %s only: give --vmlinux=FILE",
			facts.anchor);
out:
	facts_free(&facts);
	return status;
}

/**
 * cmd_read - kreloc read
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_read(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	int c, status = KRELOC_DONE;
	struct vmlinux vmlinux;
	const char *path = NULL;
	bool json = false, first = true;
	struct why why;

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
			return usage_error("read");
		}
	}
	if (optind == argc) {
		complain(NULL, "read: which file?");
		return usage_error("read");
	}
	if (path && vmlinux_read(path, &vmlinux, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	for (; optind < argc; optind++) {
		int one = KRELOC_FAILED;
		struct trace trace;

		if (!trace_open(&trace, argv[optind], false, &why)) {
			one = read_trace(&trace, path ? &vmlinux : NULL, json, first, &why);
			trace_close(&trace);
			first = false;
		}
		if (one != KRELOC_DONE)
			complain(argv[optind], "%s", why.text);
		if (one > status)
			status = one;
	}
	return status;
}
