// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs another program for what it prints, where that knows a format that is not kreloc's business.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"

/* It starts with the signals that main() ignores, or a caller blocks, as a shell would start it. */
static int spawn(pid_t *pid, char *const argv[], int output)
{
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t all, none;
	int err;

	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&files);
	posix_spawnattr_init(&attr);
	err = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
	if (!err)
		err = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
	if (!err)
		err = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY,
						       0);
	if (!err)
		err = posix_spawnattr_setsigdefault(&attr, &all);
	if (!err)
		err = posix_spawnattr_setsigmask(&attr, &none);
	if (!err)
		err = posix_spawnattr_setflags(&attr,
					       POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	if (!err)
		err = posix_spawnp(pid, argv[0], &files, &attr, argv, environ);
	posix_spawnattr_destroy(&attr);
	posix_spawn_file_actions_destroy(&files);
	return err;
}

/**
 * child_start - run a program
 * @child:	filled on success, then to be ended with child_end()
 * @argv:	of it, NULL at the end; found in PATH
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int child_start(struct child *child, char *const argv[], struct why *why)
{
	int ends[2], err;

	if (pipe2(ends, O_CLOEXEC))
		return fail(why, "no pipe from %s: %s", argv[0], strerror(errno));
	err = spawn(&child->pid, argv, ends[1]);
	close(ends[1]);
	if (err) {
		close(ends[0]);
		return fail(why, "%s, which reads it, cannot be run: %s", argv[0], strerror(err));
	}
	child->output = fdopen(ends[0], "r");
	if (!child->output) {
		err = errno;
		close(ends[0]);
		kill(child->pid, SIGKILL);
		waitpid(child->pid, NULL, 0);
		return fail(why, "no pipe from %s: %s", argv[0], strerror(err));
	}
	return 0;
}

/**
 * child_end - hear no more of it
 * @child:	started by child_start(). Where its output was not read to the end, it is killed
 * @why:	filled on failure
 *
 * Return: 0 where it did what it was asked for, or as much of it as was wanted; else -1.
 */
int child_end(struct child *child, struct why *why)
{
	const bool whole = feof(child->output);
	int status;

	fclose(child->output);
	if (!whole)
		kill(child->pid, SIGKILL);
	while (waitpid(child->pid, &status, 0) < 0)
		if (errno != EINTR)
			return fail(why, "%s", strerror(errno));
	if (!whole || (WIFEXITED(status) && !WEXITSTATUS(status)))
		return 0;
	if (WIFSIGNALED(status))
		return fail(why, "signal %d", WTERMSIG(status));
	return fail(why, "exit status %d", WEXITSTATUS(status));
}
