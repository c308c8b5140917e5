// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc record: runs a recorder, then stamps what it wrote.
 *
 * The recorder keeps its terminal, its signals and its exit status. ^C and ^\ reach it from the
 * terminal, and kreloc waits for what it makes of them; what somebody sends to kreloc itself, as
 * timeout(1) does, is passed on.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "outputs.h"
#include "stamp.h"
#include "trace.h"

/* As shells have it */
#define NOT_FOUND	127
#define NOT_EXECUTABLE	126

static void help(void)
{
	puts("Usage: kreloc record [OPTION]... [--] COMMAND [ARGUMENT]...\n"
	     "Run a recorder, perf record or trace-cmd record, and stamp what it has written,\n"
	     "also where it was stopped by ^C. Takes no more privilege than to read the\n"
	     "offset; see kreloc show --help.\n"
	     "\n"
	     "Options:\n"
	     "  -s, --source=SOURCE  where to ask for the offset: sysfs, kcore, kallsyms or\n"
	     "                       auto\n"
	     "  -k, --vmlinux=FILE   the running kernel's vmlinux, see kreloc stamp --help\n"
	     "  -h, --help           print this help\n"
	     "\n"
	     "Exit status: the recorder's, unless that is 0. Then 0 done; 1 failed or does not\n"
	     "match, and the recording is as it was; 2 usage; 3 the offset is unknown.");
}

/* Does not return. */
static void run_command(char **argv, const sigset_t *mask)
{
	int err;

	sigprocmask(SIG_SETMASK, mask, NULL);
	/* main() ignores it for kreloc's own sake. */
	signal(SIGXFSZ, SIG_DFL);
	execvp(argv[0], argv);
	err = errno;
	complain(argv[0], "%s", strerror(err));
	_exit(err == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

/*
 * Run it to its end. A signal of the terminal goes to the whole foreground group, so that the
 * recorder has it already; what comes from a process is passed on.
 */
static int run(char **argv, const sigset_t *signals, const sigset_t *mask, struct why *why)
{
	siginfo_t info;
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return fail(why, "cannot start it: %s", strerror(errno));
	if (!pid)
		run_command(argv, mask);
	while (waitpid(pid, &status, WNOHANG) != pid)
		if (sigwaitinfo(signals, &info) > 0 && info.si_signo != SIGCHLD &&
		    info.si_code <= 0)
			kill(pid, info.si_signo);
	return status;
}

/* As the recorder did; without a core file, of which one is enough. */
static int end_like(int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	fflush(NULL);
	prctl(PR_SET_DUMPABLE, 0);
	signal(WTERMSIG(status), SIG_DFL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

/* Standard output is the recorder's and its workload's. */
static void say(const char *line)
{
	fputs(line, stderr);
}

static bool is_trace(const char *path)
{
	struct trace trace;
	struct why why;
	bool is;

	if (trace_open(&trace, path, false, &why))
		return false;
	is = format_of(&trace, &why);
	trace_close(&trace);
	return is;
}

/* All that is new. */
static int stamp_outputs(struct request *req, const struct output_files *before,
			 const struct output_files *after, bool *found)
{
	int status = KRELOC_DONE;
	size_t i;

	*found = false;
	for (i = 0; i < after->nr; i++) {
		const char *path = after->files[i].path;
		int one;

		if (!outputs_changed(before, &after->files[i]) || !is_trace(path))
			continue;
		*found = true;
		one = cmd_stamp_file(req, path);
		if (one > status)
			status = one;
	}
	return status;
}

static int record(struct request *req, char **argv, const sigset_t *signals, const sigset_t *mask)
{
	struct output_files before, after;
	int ended, status;
	struct why why;
	bool found;

	/* Who lacks it should know now. But nobody's recording is to be lost. */
	if (stamp_place(req) != KRELOC_DONE)
		complain(NULL, "recording all the same");
	if (outputs_list(&before, argv, &why)) {
		complain(argv[0], "%s", why.text);
		return KRELOC_FAILED;
	}
	ended = run(argv, signals, mask, &why);
	if (ended < 0 || outputs_list(&after, argv, &why)) {
		complain(argv[0], "%s", why.text);
		status = KRELOC_FAILED;
	} else {
		status = stamp_outputs(req, &before, &after, &found);
		if (!found && !ended) {
			complain(argv[0], "no recording of it was found: use kreloc stamp FILE, or kreloc stamp - in a pipe");
			status = KRELOC_FAILED;
		}
		outputs_free(&after);
	}
	outputs_free(&before);
	return ended > 0 ? end_like(ended) : status;
}

/**
 * cmd_record - kreloc record
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status; ends by a signal where the recorder did.
 */
int cmd_record(int argc, char **argv)
{
	static const int passed_on[] = { SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1,
					 SIGUSR2 };
	static const struct option options[] = {
		{ "help", no_argument, NULL, 'h' },
		{ "source", required_argument, NULL, 's' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	struct request req = { .source = "auto", .say = say };
	sigset_t signals, mask;
	unsigned int i;
	struct why why;
	int c, status;

	while ((c = getopt_long(argc, argv, "+hk:s:", options, NULL)) != -1) {
		switch (c) {
		case 'h':
			help();
			return KRELOC_DONE;
		case 'k':
			req.vmlinux_path = optarg;
			break;
		case 's':
			req.source = optarg;
			break;
		default:
			return usage_error("record");
		}
	}
	if (!source_exists(req.source)) {
		complain(req.source, "there is no such source");
		return usage_error("record");
	}
	if (optind == argc) {
		complain(NULL, "record: which command?");
		return usage_error("record");
	}
	if (stamp_begin(&req, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}

	/* Blocked, they wait for sigwaitinfo(), and no stamp is stopped half way. */
	sigemptyset(&signals);
	for (i = 0; i < ARRAY_SIZE(passed_on); i++)
		sigaddset(&signals, passed_on[i]);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	status = record(&req, argv + optind, &signals, &mask);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	stamp_end(&req);
	return status;
}
