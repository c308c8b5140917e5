/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files that may be packed: vmlinux.xz of a debug package, and bzImage, which has a packed kernel
 * inside.
 */
#ifndef KRELOC_UNPACK_H
#define KRELOC_UNPACK_H

#include "kreloc.h"

/**
 * struct unpacked - a file that is not packed, or no longer
 * @fd:		open for reading
 * @boot_image:	it was inside a bzImage
 */
struct unpacked {
	int fd;
	bool boot_image;
};

int unpack_open(const char *path, struct unpacked *unpacked, struct why *why);

#endif /* KRELOC_UNPACK_H */
