// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a file with chosen credentials, and can change them between opening and reading:
 *
 *	open-as [ACTION…] FILE [ACTION…]
 *	open-as [ACTION…] exec COMMAND…
 *
 * Actions before FILE happen before it is opened, those after it between open() and read():
 *
 *	uid=N		become user N, group N, without capabilities or supplementary groups
 *	group=N		set the supplementary groups to N alone (before uid=)
 *	drop=N		give up capability number N
 *	userns		enter a new user namespace, in which one's own user is root
 *	container	the same with new namespaces of all kinds
 *
 * Prints what it read, or becomes the command. Exit status: 0; 2 usage; 3 an action failed;
 * 10 + errno (at most 255) where open() failed, 128 + errno where read() failed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/capability.h>

static int drop_capability(unsigned int cap)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];

	if (cap > 63 || syscall(SYS_capget, &head, data))
		return -1;
	data[cap / 32].effective &= ~(1U << (cap % 32));
	data[cap / 32].permitted &= ~(1U << (cap % 32));
	data[cap / 32].inheritable &= ~(1U << (cap % 32));
	return (int)syscall(SYS_capset, &head, data);
}

static int write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	ssize_t n;

	if (fd < 0)
		return -1;
	n = write(fd, text, strlen(text));
	close(fd);
	return n < 0 ? -1 : 0;
}

static int enter_userns(int others)
{
	char map[64];

	snprintf(map, sizeof(map), "0 %u 1\n", geteuid());
	if (unshare(CLONE_NEWUSER | others))
		return -1;
	/* Having changed user, one's own files in /proc are root's otherwise */
	prctl(PR_SET_DUMPABLE, 1);
	return write_file("/proc/self/uid_map", map);
}

static int become(uid_t uid)
{
	if (setresgid(uid, uid, uid))
		return -1;
	return setresuid(uid, uid, uid);
}

/* 0, -1 with errno, or 1 where this is no action */
static int act(const char *arg)
{
	gid_t group;

	if (!strcmp(arg, "userns"))
		return enter_userns(0);
	if (!strcmp(arg, "container"))
		return enter_userns(CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC |
				    CLONE_NEWUTS | CLONE_NEWCGROUP);
	if (!strncmp(arg, "uid=", 4))
		return become((uid_t)strtoul(arg + 4, NULL, 10));
	if (!strncmp(arg, "drop=", 5))
		return drop_capability((unsigned int)strtoul(arg + 5, NULL, 10));
	if (!strncmp(arg, "group=", 6)) {
		group = (gid_t)strtoul(arg + 6, NULL, 10);
		return setgroups(1, &group);
	}
	return 1;
}

int main(int argc, char **argv)
{
	char buf[4096];
	int fd = -1;
	ssize_t n;
	int i;

	for (i = 1; i < argc; i++) {
		int done;

		if (!strcmp(argv[i], "exec") && i + 1 < argc) {
			execv(argv[i + 1], argv + i + 1);
			done = -1;
		} else {
			done = act(argv[i]);
		}
		if (done < 0) {
			fprintf(stderr, "open-as: %s: %s\n", argv[i], strerror(errno));
			return 3;
		}
		if (!done)
			continue;
		if (fd >= 0)
			return 2;
		fd = open(argv[i], O_RDONLY | O_CLOEXEC);
		if (fd < 0) {
			int err = errno;

			fprintf(stderr, "open-as: open: %s\n", strerror(err));
			return 10 + err;
		}
	}
	if (fd < 0)
		return 2;
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		fwrite(buf, 1, (size_t)n, stdout);
	if (n < 0) {
		int err = errno;

		fprintf(stderr, "open-as: read: %s\n", strerror(err));
		return 128 + err;
	}
	return fflush(stdout) ? 1 : 0;
}
