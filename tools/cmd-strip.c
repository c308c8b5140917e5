// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc strip: take the stamp out again, to the byte.
 */
#include <getopt.h>
#include <stdio.h>

#include "trace.h"

static void help(void)
{
	puts("Usage: kreloc strip FILE...\n"
	     "Take out of trace files what kreloc stamp put in. They become what they were,\n"
	     "byte for byte.\n"
	     "\n"
	     "Options:\n"
	     "  -h, --help  print this help\n"
	     "\n"
	     "Exit status: 0 done, also where there is no stamp; 1 failed; 2 usage.");
}

static int strip(struct trace *trace, struct why *why)
{
	bool stripped;

	if (trace_strip(trace, &stripped, why))
		return -1;
	printf(stripped ? "%s: the stamp is taken out\n" : "%s: has no stamp, unchanged\n",
	       trace->path);
	return 0;
}

/**
 * cmd_strip - kreloc strip
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_strip(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ }
	};
	int c, status = KRELOC_DONE;
	struct trace_list list;
	struct why why;
	size_t i;

	while ((c = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		if (c != 'h')
			return usage_error("strip");
		help();
		return KRELOC_DONE;
	}
	if (optind == argc) {
		complain(NULL, "strip: which file?");
		return usage_error("strip");
	}
	if (trace_list(&list, argc - optind, argv + optind, &why)) {
		complain(NULL, "%s", why.text);
		status = KRELOC_FAILED;
	}
	for (i = 0; i < list.nr; i++) {
		struct trace trace;
		int err = trace_open(&trace, list.path[i], true, &why);

		if (!err) {
			err = strip(&trace, &why);
			trace_close(&trace);
		}
		if (err) {
			complain(list.path[i], "%s", why.text);
			status = KRELOC_FAILED;
		}
	}
	trace_list_free(&list);
	return status;
}
