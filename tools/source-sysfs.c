// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/kreloc, made by the kernel module (Documentation/ABI/testing/sysfs-kernel-kreloc).
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "place.h"

#define DIR		"/sys/kernel/kreloc/"
/* What this file was written for; another number means that a file changed its meaning. */
#define ABI		"1"
/* sysfs hands out at most a page of an attribute, and wants room for all of it. */
#define VALUE_LEN	4096

static int read_value(const char *name, char value[VALUE_LEN], struct why *why)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), DIR "%s", name);
	if (system_read(path, value, VALUE_LEN) < 0) {
		if (errno == ENOENT)
			return fail(why, "%s does not exist: load the kreloc module", path);
		if (errno == EPERM || errno == EACCES)
			return fail(why, "%s is refused: needs CAP_SYSLOG or the module's gid=, "
				    "kernel.kptr_restrict below 2, and no lockdown", path);
		return fail(why, "%s: %s", path, strerror(errno));
	}
	value[strcspn(value, "\n")] = '\0';
	return 0;
}

static int read_address(const char *name, uint64_t *address, struct why *why)
{
	char value[VALUE_LEN];

	if (read_value(name, value, why))
		return -1;
	if (!parse_hex(value, strlen(value), address))
		return fail(why, DIR "%s: not an address", name);
	return 0;
}

static int sysfs_get(const struct kernel *kernel, struct place *place, struct why *why)
{
	uint64_t offset;
	char value[VALUE_LEN];

	if (read_value("abi", value, why))
		return -1;
	if (strcmp(value, ABI))
		return fail(why, DIR "abi is not " ABI ": the module is for another kreloc");
	if (read_value("anchor", value, why))
		return -1;
	if (strcmp(value, kernel->arch->anchor))
		return fail(why, DIR "anchor is not %s", kernel->arch->anchor);
	if (read_address("link_text", &place->link, why) ||
	    read_address("text", &place->text, why) || read_address("offset", &offset, why))
		return -1;
	if (!place->link)
		return fail(why, DIR "link_text is 0");
	if (place_offset(place) != offset)
		return fail(why, DIR "offset is not text - link_text");
	place->link_source = "sysfs";
	return 0;
}

/**
 * sysfs_link - the anchor's link address, which anybody may know
 * @arch:	of the running kernel
 * @link:	filled on success
 *
 * Return: whether the module says.
 */
bool sysfs_link(const struct arch *arch, uint64_t *link)
{
	char value[VALUE_LEN];
	struct why why;

	return !read_value("abi", value, &why) && !strcmp(value, ABI) &&
	       !read_value("anchor", value, &why) && !strcmp(value, arch->anchor) &&
	       !read_address("link_text", link, &why);
}

/**
 * sysfs_text_size - the length of the text, which anybody may know
 *
 * Return: bytes, 0 where the module does not say.
 */
uint64_t sysfs_text_size(void)
{
	char value[VALUE_LEN];
	unsigned long long size;
	struct why why;
	char end;

	if (read_value("abi", value, &why) || strcmp(value, ABI) ||
	    read_value("text_size", value, &why) || sscanf(value, "%llu%c", &size, &end) != 1)
		return 0;
	return size;
}

const struct source source_sysfs = {
	.name = "sysfs",
	.get = sysfs_get,
};
