// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc stamp: write into trace files what the recorder was not allowed to know.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "stamp.h"
#include "stream.h"
#include "trace.h"

static void help(void)
{
	puts("Usage: kreloc stamp [OPTION]... FILE...\n"
	     "Write the kernel's offset into trace files that were recorded without it, on\n"
	     "this machine and in this boot. Any reader then finds the symbols in the plain\n"
	     "vmlinux. A file that has the offset already is left alone. The FILE - is what\n"
	     "perf record -o - writes, from standard input to standard output; what cannot be\n"
	     "stamped passes as it is.\n"
	     "\n"
	     "Options:\n"
	     "  -s, --source=SOURCE  where to ask for the offset: sysfs, kcore, kallsyms or\n"
	     "                       auto; see kreloc show --help\n"
	     "  -o, --offset=HEX     the offset. You answer for it: that it is that of the\n"
	     "                       recording kernel and boot is not checked\n"
	     "  -i, --infer          find the offset by the addresses in each file, whichever\n"
	     "                       machine and boot it is from; see kreloc infer --help\n"
	     "  -k, --vmlinux=FILE   the recording kernel's vmlinux: it tells where the kernel\n"
	     "                       was linked, the file's addresses must fit its code,\n"
	     "                       and a trace.dat without names gets them from it\n"
	     "  -m, --modules        also write where the kernel's modules are, all that are\n"
	     "                       loaded now. That has no room in the file, and it is\n"
	     "                       rewritten\n"
	     "  -S, --sidecar        a file of a kind that kreloc does not know gets its stamp\n"
	     "                       in FILE.kreloc beside it\n"
	     "  -f, --force          stamp files that seem to be from another boot or kernel\n"
	     "  -n, --dry-run        change nothing, say what would be done\n"
	     "  -h, --help           print this help\n"
	     "\n"
	     "Exit status: 0 done; 1 failed or does not match, and that file is as it was;\n"
	     "2 usage; 3 the offset is unknown.");
}

static void say(const char *line)
{
	fputs(line, stdout);
}

static void say_aside(const char *line)
{
	fputs(line, stderr);
}

/* What would have helped is a matter of options. */
static void complain_of(const char *path, const struct request *req, const struct why *why)
{
	const char *hint = "";

	if (why->error == ESTALE)
		hint = " (--force stamps it all the same)";
	else if (why->error == EMEDIUMTYPE && !req->sidecar && strcmp(path, "-"))
		hint = " (with --sidecar its stamp goes beside it)";
	complain(path, "%s%s", why->text, hint);
}

/**
 * cmd_stamp_file - stamp one, and complain where that fails
 * @req:	of stamp_begin()
 * @path:	of a trace file
 *
 * Return: the exit status.
 */
int cmd_stamp_file(struct request *req, const char *path)
{
	struct why why;
	const int status = stamp_file(req, path, &why);

	if (status != KRELOC_DONE)
		complain_of(path, req, &why);
	return status;
}

static int stamp_stream(struct request *req)
{
	struct stamp_job job = { 0 };
	int status = KRELOC_FAILED;
	struct stream stream;
	struct why why, note;

	if (req->infer) {
		complain(NULL, "stamp: --infer needs a file, since it looks at all of it first");
		return usage_error("stamp");
	}
	if (isatty(STDOUT_FILENO)) {
		complain(NULL, "stamp: standard output is a terminal");
		return usage_error("stamp");
	}
	req->say = say_aside;
	if (!stream_open(&stream, STDIN_FILENO, &why))
		status = stamp_held(req, &stream, &job, &note, &why);
	if (status == KRELOC_DONE && job.gap.len)
		stamp_say(req, &stream.trace, req->dry_run ? "would be stamped" : "stamped", &note);
	else if (status != KRELOC_DONE)
		complain_of("-", req, &why);
	if (stream_pass(&stream, STDOUT_FILENO, job.gap.len && !req->dry_run ? &job.gap : NULL,
			&why)) {
		complain("-", "%s", why.text);
		status = KRELOC_FAILED;
	}
	stream_close(&stream);
	stamp_job_free(&job);
	return status;
}

static int stamp_files(struct request *req, int argc, char **argv)
{
	int worst = KRELOC_DONE;
	struct trace_list list;
	struct why why;
	size_t i;

	if (stamp_begin(req, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (!strcmp(argv[0], "-")) {
		worst = stamp_stream(req);
		stamp_end(req);
		return worst;
	}
	if (trace_list(&list, argc, argv, &why)) {
		complain(NULL, "%s", why.text);
		worst = KRELOC_FAILED;
	}
	for (i = 0; i < list.nr; i++) {
		int status = cmd_stamp_file(req, list.path[i]);

		if (status > worst)
			worst = status;
	}
	trace_list_free(&list);
	stamp_end(req);
	return worst;
}

/**
 * cmd_stamp - kreloc stamp
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_stamp(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "infer", no_argument, NULL, 'i' },
		{ "modules", no_argument, NULL, 'm' },
		{ "offset", required_argument, NULL, 'o' },
		{ "sidecar", no_argument, NULL, 'S' },
		{ "source", required_argument, NULL, 's' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	struct request req = { .source = "auto", .say = say };
	bool has_source = false;
	int c;

	while ((c = getopt_long(argc, argv, "fhik:mno:Ss:", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			req.force = true;
			break;
		case 'h':
			help();
			return KRELOC_DONE;
		case 'i':
			req.infer = true;
			break;
		case 'k':
			req.vmlinux_path = optarg;
			break;
		case 'm':
			req.modules = true;
			break;
		case 'n':
			req.dry_run = true;
			break;
		case 'o':
			req.has_offset = parse_hex(optarg, strlen(optarg), &req.offset);
			if (!req.has_offset) {
				complain(optarg, "not a hexadecimal number");
				return usage_error("stamp");
			}
			break;
		case 'S':
			req.sidecar = true;
			break;
		case 's':
			req.source = optarg;
			has_source = true;
			break;
		default:
			return usage_error("stamp");
		}
	}
	if (!source_exists(req.source)) {
		complain(req.source, "there is no such source");
		return usage_error("stamp");
	}
	if (req.has_offset + has_source + req.infer > 1) {
		complain(NULL, "--offset, --source and --infer exclude each other");
		return usage_error("stamp");
	}
	if (req.modules && (req.has_offset || req.infer)) {
		complain(NULL, "--modules is for recordings of this boot: no --offset, no --infer");
		return usage_error("stamp");
	}
	if (req.infer && !req.vmlinux_path) {
		complain(NULL, "--infer needs --vmlinux=FILE, whose code it is");
		return usage_error("stamp");
	}
	if (optind == argc) {
		complain(NULL, "stamp: which file?");
		return usage_error("stamp");
	}
	for (c = optind; argc > optind + 1 && c < argc; c++) {
		if (!strcmp(argv[c], "-")) {
			complain(NULL, "stamp: - goes alone");
			return usage_error("stamp");
		}
	}
	return stamp_files(&req, argc - optind, argv + optind);
}
