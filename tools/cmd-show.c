// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc show: the running kernel's offset.
 */
#include <getopt.h>
#include <stdio.h>

#include "consumer.h"
#include "output.h"
#include "place.h"
#include "symbols.h"

static void help(void)
{
	puts("Usage: kreloc show [OPTION]...\n"
	     "Print the running kernel's offset: its run-time addresses minus those in its\n"
	     "vmlinux.\n"
	     "\n"
	     "Options:\n"
	     "  -s, --source=SOURCE  where to ask: sysfs (the kreloc module), kcore (the\n"
	     "                       VMCOREINFO note in /proc/kcore), kallsyms (that is\n"
	     "                       /proc/kallsyms), or auto: these in turn, the default\n"
	     "  -k, --vmlinux=FILE   the running kernel's vmlinux, to tell where it was linked\n"
	     "  -f, --for=TOOL       print what that has to be told instead: gdb, crash, stap,\n"
	     "                       drgn; or vmcoreinfo, the kernel's, with the KERNELOFFSET\n"
	     "                       that is right\n"
	     "  -j, --json           print a JSON object\n"
	     "  -h, --help           print this help\n"
	     "\n"
	     "Exit status: 0 done; 1 failed; 2 usage; 3 the offset is unknown.");
}

static void print(const struct kernel *kernel, const struct place *place, bool json)
{
	struct output out;

	output_start(&out, json);
	output_address(&out, "offset", place && place->link, place ? place_offset(place) : 0);
	output_address(&out, "text", place, place ? place->text : 0);
	output_text(&out, "anchor", kernel->arch ? kernel->arch->anchor : NULL);
	output_address(&out, "link", place && place->link, place ? place->link : 0);
	output_build_id(&out, "build-id", &kernel->build_id);
	output_text(&out, "release", kernel->release);
	output_text(&out, "source", place ? place->source : NULL);
	output_text(&out, "link-source", place && place->link ? place->link_source : NULL);
	output_end(&out);
}

/* Nothing is on standard output where there is nothing to be told. */
static int print_for(const char *tool, const struct place *place, const char *vmlinux)
{
	const struct debuggee debuggee = {
		.place = place,
		.vmlinux = vmlinux,
		.running = true,
		.misread = !place->arch->kernel_offset && place_offset(place),
	};
	struct why why;

	if (!consumer_print(tool, &debuggee, &why))
		return KRELOC_DONE;
	complain(NULL, "%s", why.text);
	return KRELOC_FAILED;
}

static int show(const char *source, const char *path, const char *tool, bool json)
{
	struct vmlinux vmlinux;
	struct kernel kernel;
	struct search search;
	struct place place;
	struct why why;
	unsigned int i;

	kernel_running(&kernel);
	if (path) {
		if (vmlinux_read(path, &vmlinux, &why) || vmlinux_is_of(&vmlinux, &kernel, &why)) {
			complain(NULL, "%s", why.text);
			return KRELOC_FAILED;
		}
	}
	if (source_find(source, &kernel, path ? &vmlinux : NULL, &place, &search)) {
		if (!tool)
			print(&kernel, NULL, json);
		for (i = 0; i < search.asked; i++)
			complain(search.name[i], "%s", search.why[i].text);
		return KRELOC_UNKNOWN;
	}
	if (!tool)
		print(&kernel, &place, json);
	if (!place.link) {
		complain(place.source, "%s", search.why[search.asked - 1].text);
		return KRELOC_UNKNOWN;
	}
	return tool ? print_for(tool, &place, path) : KRELOC_DONE;
}

/**
 * cmd_show - kreloc show
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_show(int argc, char **argv)
{
	static const struct option options[] = {
		{ "for", required_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "source", required_argument, NULL, 's' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	const char *source = "auto", *vmlinux = NULL, *tool = NULL;
	bool json = false;
	int c;

	while ((c = getopt_long(argc, argv, "f:hjk:s:", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			tool = optarg;
			break;
		case 'h':
			help();
			return KRELOC_DONE;
		case 'j':
			json = true;
			break;
		case 'k':
			vmlinux = optarg;
			break;
		case 's':
			source = optarg;
			break;
		default:
			return usage_error("show");
		}
	}
	if (optind < argc) {
		complain(argv[optind], "kreloc show takes no file; kreloc read FILE does");
		return usage_error("show");
	}
	if (!source_exists(source)) {
		complain(source, "there is no such source");
		return usage_error("show");
	}
	if (consumer_refuse(tool, json))
		return usage_error("show");
	return show(source, vmlinux, tool, json);
}
