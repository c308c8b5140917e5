// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc: by how much was this kernel moved away from the addresses in its vmlinux?
 *
 * The program's front door: finds the sub-command and runs it.
 */
#include <fcntl.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kreloc.h"
#include "output.h"

static const struct command commands[] = {
	{ "show", cmd_show, "print the running kernel's offset" },
	{ "record", cmd_record, "run a recorder, and stamp what it has written" },
	{ "stamp", cmd_stamp, "write the offset into trace files" },
	{ "read", cmd_read, "print what trace files know about their kernel's offset" },
	{ "infer", cmd_infer, "recover the offset from recorded addresses alone" },
	{ "strip", cmd_strip, "take the stamp out of trace files again" },
	{ "addr", cmd_addr, "print what run-time addresses are in vmlinux" },
	{ "check", cmd_check, "compare a vmlinux with a kernel's kallsyms" },
};

static void help(void)
{
	unsigned int i;

	puts("Usage: kreloc COMMAND [OPTION]... [FILE]...\n"
	     "Tell by how much a kernel was moved away from the addresses in its vmlinux.\n"
	     "\n"
	     "Commands:");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-7s %s\n", commands[i].name, commands[i].help);
	puts("\n"
	     "Options:\n"
	     "  -h, --help     print this help; kreloc COMMAND --help tells more\n"
	     "  -V, --version  print the version\n"
	     "\n"
	     "Exit status: 0 done; 1 failed or does not match; 2 usage; 3 the offset is unknown.");
}

static int run(int argc, char **argv)
{
	static char program[] = "kreloc";
	const char *name = argv[0];
	unsigned int i;

	/* The command's getopt starts anew, and complains in the program's name. */
	argv[0] = program;
	optind = 0;
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i].name, name))
			return commands[i].run(argc, argv);
	complain(name, "there is no such command");
	return usage_error(NULL);
}

/*
 * Whoever starts a program can have closed its standard files. The next file to be opened then takes
 * the free number, and a message goes into somebody's recording. Standard input and output are
 * replaced by what cannot be read or written: that they are missing shows as an error.
 */
static void occupy_standard_files(void)
{
	static const int modes[] = { O_WRONLY, O_RDONLY, O_WRONLY };
	unsigned int fd;

	for (fd = 0; fd < ARRAY_SIZE(modes); fd++)
		if (fcntl((int)fd, F_GETFD) < 0 && open("/dev/null", modes[fd]) != (int)fd)
			abort();
}

static void print_notice(const char *subject, const char *text)
{
	complain(subject, "%s", text);
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "version", no_argument, NULL, 'V' },
		{ }
	};
	static char program[] = "kreloc";

	occupy_standard_files();
	notice_to = print_notice;
	/* A file size limit is an error like a full disk, not a reason to die half way. */
	signal(SIGXFSZ, SIG_IGN);

	if (argc > 0)
		argv[0] = program;
	switch (getopt_long(argc, argv, "+hV", options, NULL)) {
	case 'h':
		help();
		return output_close(KRELOC_DONE);
	case 'V':
		printf("kreloc %s\n", kreloc_version);
		return output_close(KRELOC_DONE);
	case -1:
		break;
	default:
		return usage_error(NULL);
	}
	if (optind >= argc) {
		complain(NULL, "which command?");
		return usage_error(NULL);
	}
	return output_close(run(argc - optind, argv + optind));
}
