// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc read: what trace files know about the place of their kernel.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "consumer.h"
#include "output.h"
#include "symbols.h"
#include "trace.h"

/**
 * struct request - what the user wants
 * @path:	of the vmlinux, or NULL
 * @vmlinux:	where @path was given
 * @tool:	for which, or NULL
 * @json:	as JSON
 */
struct request {
	const char *path;
	struct vmlinux vmlinux;
	const char *tool;
	bool json;
};

static void help(void)
{
	puts("Usage: kreloc read [OPTION]... FILE...\n"
	     "Print what trace files know about their kernel's offset: what was stamped, or\n"
	     "what the recorder wrote itself; and what a dump of memory has in VMCOREINFO.\n"
	     "Of a recorder that is the run-time address only; the offset then takes the\n"
	     "kernel's vmlinux, except on powerpc, where every kernel is linked at the same\n"
	     "address.\n"
	     "\n"
	     "Options:\n"
	     "  -k, --vmlinux=FILE  the recording kernel's vmlinux\n"
	     "  -f, --for=TOOL      print what that has to be told instead, see kreloc show\n"
	     "  -j, --json          print a JSON object for each file, on a line of its own\n"
	     "  -h, --help          print this help\n"
	     "\n"
	     "Exit status: 0 done; 1 failed or does not match; 2 usage;\n"
	     "3 an offset is unknown.");
}

/* An earlier kernel's, whose events are in the file too. */
static void print_last_boot(struct output *out, const struct facts *facts)
{
	static const char *const keys[] = {
		[LAST_BOOT_TEXT] = "last-boot-text",
		[LAST_BOOT_OFFSET] = "last-boot-offset",
		[LAST_BOOT_DELTA] = "last-boot-delta",
	};

	if (facts->last_boot == LAST_BOOT_NONE)
		return;
	output_text(out, "last-boot-buffer", facts->last_boot_buffer);
	output_address(out, keys[facts->last_boot], true, facts->last_boot_value);
}

static void print(const struct trace *trace, const struct format *format,
		  const struct facts *facts, const struct place *place, bool json)
{
	const struct stamp_info *info = facts->state == TRACE_STAMPED ? &facts->block.info : NULL;
	const bool known = place->text && place->link;
	struct output out;

	output_start(&out, json);
	output_text(&out, "file", trace->path);
	output_text(&out, "format", format->name);
	output_address(&out, "offset", known, place_offset(place));
	output_address(&out, "text", place->text, place->text);
	output_text(&out, "anchor", place->text ? facts->anchor : NULL);
	output_address(&out, "link", place->link, place->link);
	if (facts->has_kernel_offset)
		output_address(&out, "kernel-offset", true, facts->kernel_offset);
	output_build_id(&out, "build-id", info ? &info->build_id : &facts->build_id);
	output_text(&out, "release", info ? info->release : facts->release);
	output_text(&out, "source", place->source);
	if (info) {
		output_text(&out, "stamp-source", info->source);
		output_boot_id(&out, "boot-id", info->boot_id);
		output_text(&out, "kreloc", info->version);
	}
	print_last_boot(&out, facts);
	output_end(&out);
}

/*
 * Tools that believe KERNELOFFSET are wrong about this dump. One that lacks it is to them one that
 * did not move.
 */
static bool misread(const struct trace *trace, const struct facts *facts,
		    const struct place *place)
{
	if (!place->text || !place->link || place_offset(place) == facts->kernel_offset)
		return false;
	if (facts->has_kernel_offset)
		complain(trace->path, "warning: moved by 0x%llx, and its KERNELOFFSET, which makedumpfile and drgn read, is 0x%llx: --for=vmcoreinfo puts it right",
			 (unsigned long long)place_offset(place),
			 (unsigned long long)facts->kernel_offset);
	return true;
}

static int read_trace(const struct trace *trace, const struct request *req, bool first,
		      struct why *why)
{
	const struct format *format = format_of(trace, why);
	struct debuggee debuggee = { .vmlinux = req->path };
	struct place place;
	struct facts facts;
	int status;

	if (!format || trace_examine(trace, format, &facts, why))
		return KRELOC_FAILED;
	status = trace_place(&facts, req->path ? &req->vmlinux : NULL, &place, why);
	if (format == &format_vmcore) {
		debuggee.dump = trace;
		debuggee.misread = status == KRELOC_DONE && misread(trace, &facts, &place);
	}
	if (status != KRELOC_FAILED && !req->tool) {
		if (!req->json && !first)
			putchar('\n');
		print(trace, format, &facts, &place, req->json);
	} else if (status == KRELOC_DONE) {
		debuggee.place = &place;
		if (consumer_print(req->tool, &debuggee, why))
			status = KRELOC_FAILED;
	}
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
		{ "for", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	int c, status = KRELOC_DONE;
	struct request req = { };
	bool first = true;
	struct trace_list list;
	struct why why;
	size_t i;

	while ((c = getopt_long(argc, argv, "f:hjk:", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			req.tool = optarg;
			break;
		case 'h':
			help();
			return KRELOC_DONE;
		case 'j':
			req.json = true;
			break;
		case 'k':
			req.path = optarg;
			break;
		default:
			return usage_error("read");
		}
	}
	if (optind == argc) {
		complain(NULL, "read: which file?");
		return usage_error("read");
	}
	if (consumer_refuse(req.tool, req.json))
		return usage_error("read");
	if (req.path && vmlinux_read(req.path, &req.vmlinux, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (req.path && !req.vmlinux.build_id.size)
		complain(req.path, "warning: has no build-id: nothing tells whether it is that kernel's");
	if (trace_list(&list, argc - optind, argv + optind, &why)) {
		complain(NULL, "%s", why.text);
		status = KRELOC_FAILED;
	}
	for (i = 0; i < list.nr; i++) {
		int one = KRELOC_FAILED;
		struct trace trace;

		if (!trace_open(&trace, list.path[i], false, &why)) {
			one = read_trace(&trace, &req, first, &why);
			trace_close(&trace);
			first = false;
		}
		if (one != KRELOC_DONE)
			complain(list.path[i], "%s", why.text);
		if (one > status)
			status = one;
	}
	trace_list_free(&list);
	return status;
}
