// SPDX-License-Identifier: GPL-2.0-only
/*
 * The running system. Every path goes through system_path(), so that a test can put a made-up
 * machine in its place: KRELOC_ROOT=DIR makes DIR/proc, DIR/sys, DIR/boot and DIR/lib/modules the
 * system's. Like LD_PRELOAD it is ignored in a program that runs with more rights than its caller.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bytes.h"
#include "place.h"
#include "symbols.h"
#include "system.h"

/* Larger than any file that is read whole: notes, a configuration line, sysfs values. */
#define SMALL_FILE	65536

/**
 * system_path - where a file of the running system is
 * @buf:	room for the result
 * @size:	of it
 * @path:	absolute
 *
 * Return: 0, or -1 and errno.
 */
int system_path(char *buf, size_t size, const char *path)
{
	const char *root = secure_getenv("KRELOC_ROOT");
	int n = snprintf(buf, size, "%s%s", root ? root : "", path);

	if (n < 0 || (size_t)n >= size) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return 0;
}

/**
 * system_open - open a file of the running system for reading
 * @path:	absolute
 *
 * Return: a file descriptor, or -1 and errno.
 */
int system_open(const char *path)
{
	char real[PATH_MAX];

	if (system_path(real, sizeof(real), path))
		return -1;
	return open(real, O_RDONLY | O_CLOEXEC);
}

/**
 * system_read - read a small file of the running system
 * @path:	absolute
 * @buf:	gets its bytes and a NUL; sysfs wants a page or more
 * @size:	of @buf; what does not fit is left out
 *
 * Return: number of bytes, or -1 and errno.
 */
ssize_t system_read(const char *path, char *buf, size_t size)
{
	int fd = system_open(path);
	size_t len = 0;
	int err;

	if (fd < 0)
		return -1;
	while (len < size - 1) {
		ssize_t n = read(fd, buf + len, size - 1 - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			err = errno;
			close(fd);
			errno = err;
			return -1;
		}
		if (!n)
			break;
		len += (size_t)n;
	}
	close(fd);
	buf[len] = '\0';
	return (ssize_t)len;
}

/**
 * pread_full - read as much as there is
 * @fd:		open for reading
 * @buf:	room
 * @len:	bytes wanted
 * @off:	from here
 *
 * Return: bytes read, fewer than @len only at the end of the file; -1 and errno.
 */
ssize_t pread_full(int fd, void *buf, size_t len, uint64_t off)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pread(fd, (char *)buf + done, len - done, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (!n)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/**
 * pwrite_full - write all of it
 * @fd:		open for writing
 * @buf:	bytes
 * @len:	how many
 * @off:	where to
 *
 * Return: 0, or -1 and errno.
 */
int pwrite_full(int fd, const void *buf, size_t len, uint64_t off)
{
	size_t done = 0;

	while (done < len) {
		ssize_t n = pwrite(fd, (const char *)buf + done, len - done, (off_t)(off + done));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			if (!n)
				errno = ENOSPC;
			return -1;
		}
		done += (size_t)n;
	}
	return 0;
}

/* One line of a file, without its end. Left as it is where the file cannot be read. */
static void read_line(const char *path, char *buf, size_t size)
{
	char line[4096];
	size_t len;

	if (system_read(path, line, sizeof(line)) < 0)
		return;
	len = strcspn(line, "\n");
	if (len >= size)
		return;
	memcpy(buf, line, len);
	buf[len] = '\0';
}

static void read_boot_id(unsigned char boot_id[BOOT_ID_LEN])
{
	char line[RELEASE_LEN] = "";

	read_line("/proc/sys/kernel/random/boot_id", line, sizeof(line));
	boot_id_parse(boot_id, line);
}

/* The number behind a word that begins a line, 0 where there is none. */
static uint64_t read_number(const char *path, const char *word)
{
	char text[SMALL_FILE];
	const size_t len = strlen(word);
	const char *line;

	if (system_read(path, text, sizeof(text)) < 0)
		return 0;
	for (line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, word, len))
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}

static void read_build_id(struct build_id *id)
{
	unsigned char notes[SMALL_FILE];
	const unsigned char *desc;
	size_t desc_len;
	ssize_t n = system_read("/sys/kernel/notes", (char *)notes, sizeof(notes));

	if (n < 0)
		return;
	/* NT_GNU_BUILD_ID */
	desc = note_find(notes, (size_t)n, HOST_BIG, "GNU", 3, &desc_len);
	if (desc)
		build_id_set(id, desc, desc_len);
}

/**
 * kernel_running - what the running kernel says of itself
 * @kernel:	filled; what cannot be read stays empty
 */
void kernel_running(struct kernel *kernel)
{
	struct utsname uts;

	memset(kernel, 0, sizeof(*kernel));
	if (!uname(&uts))
		snprintf(kernel->machine, sizeof(kernel->machine), "%s", uts.machine);
	/* Since 6.1; tells the truth in a 32-bit personality too. */
	read_line("/proc/sys/kernel/arch", kernel->machine, sizeof(kernel->machine));
	read_line("/proc/sys/kernel/osrelease", kernel->release, sizeof(kernel->release));
	read_boot_id(kernel->boot_id);
	kernel->boot_time = (int64_t)read_number("/proc/stat", "btime ");
	read_line("/proc/sys/kernel/hostname", kernel->host, sizeof(kernel->host));
	kernel->memory = read_number("/proc/meminfo", "MemTotal:");
	read_build_id(&kernel->build_id);
	kernel->arch = arch_by_name(kernel->machine);
}
