/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What the module's files hold, learned once by plain reads while it is loaded; it never changes.
 * And loading and unloading without a process of their own for each.
 */
#ifndef CONTENT_H
#define CONTENT_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MODULE		"kreloc"
#define DEBUGFS		"/sys/kernel/debug/"
#define CONTENTS_MAX	256
#define CONTENT_SIZE	0x100000

static struct content {
	char *path;
	char *bytes;
	size_t size;
} contents[CONTENTS_MAX];

static unsigned int nr_contents;
static char buffer[CONTENT_SIZE];
static int module_fd;

static void die(const char *what)
{
	printf("%s: %s\n", what, strerror(errno));
	exit(1);
}

/* All of it into buffer, in pieces of that size: how much, or a negative errno */
static ssize_t read_whole(int fd, size_t step)
{
	size_t size = 0;
	ssize_t n;

	do {
		size_t room = CONTENT_SIZE - size;

		n = read(fd, buffer + size, step < room ? step : room);
		size += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n < 0 ? -errno : (ssize_t)size;
}

static int learn_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct content *content = &contents[nr_contents];
	ssize_t n;
	int fd;

	(void)st;
	(void)ftw;
	if (type != FTW_F)
		return 0;
	if (nr_contents == CONTENTS_MAX)
		die("too many files");
	content->path = strdup(path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (!content->path || fd < 0)
		die(path);
	n = read_whole(fd, 4096);
	close(fd);
	if (n < 0)
		die(path);
	content->size = (size_t)n;
	content->bytes = malloc(content->size + 1);
	if (!content->bytes)
		die(path);
	memcpy(content->bytes, buffer, content->size);
	nr_contents++;
	return 0;
}

static int in_debugfs(const struct content *content)
{
	return !strncmp(content->path, DEBUGFS, strlen(DEBUGFS));
}

/* 0 or an errno. The file is open already: whatever fails is the load's. */
static int load(void)
{
	return syscall(SYS_finit_module, module_fd, "", 0) ? errno : 0;
}

static int unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? errno : 0;
}

static void must_load(void)
{
	errno = load();
	if (errno)
		die("load");
}

static void must_unload(void)
{
	errno = unload();
	if (errno)
		die("unload");
}

/* Before and after it, the module is not loaded. The directories end with a NULL. */
static void learn(const char *path, char **directories)
{
	module_fd = open(path, O_RDONLY | O_CLOEXEC);
	if (module_fd < 0)
		die(path);
	must_load();
	for (; *directories; directories++)
		nftw(*directories, learn_file, 16, FTW_PHYS);
	if (!nr_contents)
		die("no files");
	must_unload();
}

static int nothing_left(char **directories)
{
	for (; *directories; directories++) {
		if (!access(*directories, F_OK)) {
			printf("%s is still there\n", *directories);
			return 0;
		}
	}
	if (!access("/sys/module/" MODULE, F_OK)) {
		printf("the module is still there\n");
		return 0;
	}
	return 1;
}

#endif /* CONTENT_H */
