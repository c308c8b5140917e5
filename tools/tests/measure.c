// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs a program and tells what it cost:
 *
 *	measure PROGRAM [ARGUMENT]...
 *
 * The last line on standard error is "measure: STATUS, resident N kB, read N, written N bytes".
 * Bytes are those of system calls, whatever they went to.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long long io(pid_t pid, const char *word)
{
	unsigned long long value = 0;
	char line[128];
	FILE *file;

	snprintf(line, sizeof(line), "/proc/%d/io", (int)pid);
	file = fopen(line, "r");
	if (!file)
		return ~0ull;
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, word, strlen(word)))
			value = strtoull(line + strlen(word), NULL, 10);
	fclose(file);
	return value;
}

int main(int argc, char **argv)
{
	unsigned long long written, read;
	struct rusage usage;
	siginfo_t info;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	/* It has ended but can still be looked at. */
	if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT))
		return 2;
	written = io(pid, "wchar: ");
	read = io(pid, "rchar: ");
	if (wait4(pid, &status, 0, &usage) != pid)
		return 2;
	fprintf(stderr, "measure: %d, resident %ld kB, read %llu, written %llu bytes\n",
		WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), usage.ru_maxrss, read,
		written);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
