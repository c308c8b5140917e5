// SPDX-License-Identifier: GPL-2.0-only
/*
 * Searches all files that the caller may read for numbers that nobody should learn from them:
 *
 *	search DIRECTORY... < NUMBERS
 *
 * They come in a pipe, since what a process is given as arguments is in /proc. They are looked for
 * in 16 hexadecimal digits, with 0x, in decimal digits, and as 8 bytes of either byte order.
 * Prints the names of files that have one. Exit status: 0, whatever was found; 2 usage.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NUMBERS		4
#define FORMS		5
#define FILE_MAX	(4 << 20)

static struct form {
	char bytes[32];
	size_t len;
} forms[NUMBERS * FORMS];

static unsigned int nr_forms;
static unsigned long nr_read;
static char *content;

static void add_form(const void *bytes, size_t len)
{
	memcpy(forms[nr_forms].bytes, bytes, len);
	forms[nr_forms++].len = len;
}

static void add_number(unsigned long long number)
{
	unsigned char little[8], big[8];
	char text[32];
	int i;

	for (i = 0; i < 8; i++) {
		little[i] = (unsigned char)(number >> 8 * i);
		big[7 - i] = little[i];
	}
	add_form(little, 8);
	add_form(big, 8);
	add_form(text, (size_t)snprintf(text, sizeof(text), "%016llx", number));
	add_form(text, (size_t)snprintf(text, sizeof(text), "0x%llx", number));
	add_form(text, (size_t)snprintf(text, sizeof(text), "%llu", number));
}

/* A file that never ends or never answers is left after a second. */
static void wake_up(int signal)
{
	(void)signal;
}

static size_t read_content(const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	alarm(1);
	while (len < FILE_MAX && (n = read(fd, content + len, FILE_MAX - len)) > 0)
		len += (size_t)n;
	alarm(0);
	close(fd);
	nr_read += len > 0;
	return len;
}

static int look(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	unsigned int i;
	size_t len, at;

	(void)ftw;
	/* Of the devices only the kernel's log is text that somebody wrote. */
	if (type != FTW_F || (!S_ISREG(st->st_mode) && strcmp(path, "/dev/kmsg")))
		return 0;
	len = read_content(path);
	/* Digits of any case */
	for (i = 0; i < nr_forms; i++) {
		if (memmem(content, len, forms[i].bytes, forms[i].len)) {
			puts(path);
			return 0;
		}
	}
	for (at = 0; at < len; at++)
		content[at] = (char)tolower((unsigned char)content[at]);
	for (i = 0; i < nr_forms; i++) {
		if (memmem(content, len, forms[i].bytes, forms[i].len)) {
			puts(path);
			return 0;
		}
	}
	return 0;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = wake_up };
	char number[32];
	int i;

	content = malloc(FILE_MAX);
	if (argc < 2 || !content || sigaction(SIGALRM, &action, NULL))
		return 2;
	while (scanf("%31s", number) == 1 && nr_forms < NUMBERS * FORMS)
		add_number(strtoull(number, NULL, 0));
	if (!nr_forms)
		return 2;
	for (i = 1; i < argc; i++)
		nftw(argv[i], look, 16, FTW_PHYS);
	fprintf(stderr, "read %lu files\n", nr_read);
	return 0;
}
