// SPDX-License-Identifier: GPL-2.0-only
/*
 * Has each allocation fail that loading the module takes, one by one, and then each one that
 * reading its files takes:
 *
 *	faults MODULE DIRECTORY...
 *
 * The kernel counts down the allocations of a task from the number in its fail-nth, and the one at
 * which it becomes 0 fails (Documentation/fault-injection). A load that failed leaves nothing; one
 * that did without has no file that is wrong. A read gives all of the file, or an error.
 *
 * Prints what was counted. Exit status: 0; 1 something was wrong; 2 usage.
 */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "content.h"

static int nth_fd;
static int failed;

static void wrong(const struct content *content, unsigned int nth, const char *what)
{
	printf("allocation %u: %s: %s\n", nth, content->path, what);
	failed = 1;
}

static void arm(unsigned int nth)
{
	char number[16];
	int len = snprintf(number, sizeof(number), "%u", nth);

	if (pwrite(nth_fd, number, (size_t)len, 0) != len)
		die("fail-nth");
}

/* Has the allocation come that was to fail? */
static int disarm(void)
{
	char number[16] = "";

	if (pread(nth_fd, number, sizeof(number) - 1, 0) <= 0)
		die("fail-nth");
	arm(0);
	return !strtoul(number, NULL, 10);
}

/* All of a file into buffer: how much, or a negative errno */
static ssize_t read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = read_whole(fd, 4096);
	close(fd);
	return n;
}

static int same(const struct content *content, ssize_t n)
{
	return n >= 0 && (size_t)n == content->size &&
	       !memcmp(buffer, content->bytes, content->size);
}

/* Nothing depends on debugfs, and without text_size there is no such file. */
static int may_be_absent(const struct content *content)
{
	return in_debugfs(content) || !strcmp(strrchr(content->path, '/'), "/text_size");
}

/* What a load that did without one allocation has not got: how many files */
static unsigned int absent_files(unsigned int nth)
{
	unsigned int absent = 0, i;

	for (i = 0; i < nr_contents; i++) {
		ssize_t n = read_file(contents[i].path);

		if (n == -ENOENT && may_be_absent(&contents[i]))
			absent++;
		else if (!same(&contents[i], n))
			wrong(&contents[i], nth, n < 0 ? strerror((int)-n) : "another value");
	}
	return absent;
}

static void fail_loads(char **directories)
{
	unsigned int refused = 0, loaded = 0, absent = 0, nth;
	int came, err;

	for (nth = 1;; nth++) {
		arm(nth);
		err = load();
		came = disarm();
		if (err && (!came || err != ENOMEM)) {
			printf("allocation %u: load: %s\n", nth, strerror(err));
			failed = 1;
		}
		if (!err) {
			absent += absent_files(nth);
			must_unload();
		}
		if (!nothing_left(directories))
			failed = 1;
		if (!came)
			break;
		if (err)
			refused++;
		else
			loaded++;
	}
	printf("loading takes %u allocations: without %u it fails, %u it does without\n",
	       nth - 1, refused, loaded);
	printf("those lacked %u files\n", absent);
	if (!refused)
		failed = 1;
}

/* How many allocations a file took; their failures that were errors are added up. */
static unsigned int fail_reads(const struct content *content, unsigned int *errors)
{
	unsigned int nth;
	ssize_t n;
	int came;

	for (nth = 1;; nth++) {
		arm(nth);
		n = read_file(content->path);
		came = disarm();
		if (n == -ENOMEM && came)
			++*errors;
		else if (!same(content, n))
			wrong(content, nth, n < 0 ? strerror((int)-n) : "another value");
		if (!came)
			return nth - 1;
	}
}

int main(int argc, char **argv)
{
	unsigned int reads = 0, errors = 0, i;

	if (argc < 3)
		return 2;
	nth_fd = open("/proc/self/fail-nth", O_RDWR | O_CLOEXEC);
	if (nth_fd < 0)
		die("fail-nth");
	learn(argv[1], argv + 2);

	/* What fails is to be the kernel's, not a page of ours. */
	if (mlockall(MCL_CURRENT))
		die("mlockall");
	fail_loads(argv + 2);
	must_load();
	for (i = 0; i < nr_contents; i++)
		reads += fail_reads(&contents[i], &errors);
	must_unload();
	printf("reading %u files takes %u allocations: without %u it fails\n", nr_contents, reads,
	       errors);
	if (!errors)
		failed = 1;
	return failed || !nothing_left(argv + 2);
}
