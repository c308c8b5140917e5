/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The running system: files under /proc, /sys and /boot, and plain reads and writes that finish.
 */
#ifndef KRELOC_SYSTEM_H
#define KRELOC_SYSTEM_H

#include <sys/types.h>

#include "kreloc.h"

struct arch;

int system_path(char *buf, size_t size, const char *path);
int system_open(const char *path);
ssize_t system_read(const char *path, char *buf, size_t size);

ssize_t pread_full(int fd, void *buf, size_t len, uint64_t off);
int pwrite_full(int fd, const void *buf, size_t len, uint64_t off);

/**
 * struct kernel - what the running kernel says of itself, without any address
 * @arch:	NULL where kreloc does not know it
 * @machine:	as uname -m
 * @release:	as uname -r; empty where not known
 * @build_id:	from /sys/kernel/notes
 * @boot_id:	the random number of this boot, all zero where not known
 * @boot_time:	seconds since the epoch, 0 where not known
 * @host:	its name; empty where not known
 * @memory:	kB, 0 where not known
 */
struct kernel {
	const struct arch *arch;
	char machine[RELEASE_LEN];
	char release[RELEASE_LEN];
	struct build_id build_id;
	unsigned char boot_id[BOOT_ID_LEN];
	int64_t boot_time;
	char host[HOST_LEN];
	uint64_t memory;
};

void kernel_running(struct kernel *kernel);

#endif /* KRELOC_SYSTEM_H */
