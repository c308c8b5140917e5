// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the running kernel was linked, for a source that only knows where it runs.
 *
 * On powerpc that is fixed. On x86 CONFIG_PHYSICAL_START decides, and its default is no proof.
 * Asked in this order: the vmlinux that the user gave; the module; pref_address in the setup
 * header, which the boot loader copied from the kernel image (Documentation/arch/x86/boot.rst;
 * LOAD_PHYSICAL_ADDR in arch/x86/boot/header.S; 0 where the boot loader made the header up); the
 * kernel's own configuration; the one that was installed with it under the same release.
 */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "bytes.h"
#include "place.h"
#include "symbols.h"

/* offsetof(struct boot_params, hdr.pref_address), x86's struct is little-endian as x86 is. */
#define PREF_ADDRESS	0x258

static bool boot_params_link(const struct arch *arch, uint64_t *link)
{
	unsigned char params[4097];
	ssize_t n = system_read("/sys/kernel/boot_params/data", (char *)params, sizeof(params));
	uint64_t address;

	if (n < PREF_ADDRESS + 8)
		return false;
	address = get64(params + PREF_ADDRESS, false);
	/* Physical: anything else was not put there by a kernel image. */
	if (!address || address >= arch->image_moved_end - arch->link_base)
		return false;
	*link = arch->link_base + address;
	return true;
}

static bool config_value(const char *line, const char *key, uint64_t *value)
{
	const size_t len = strlen(key);

	return !strncmp(line, key, len) && line[len] == '=' &&
	       parse_hex(line + len + 1, strcspn(line + len + 1, "\n"), value);
}

/* zlib reads what is not compressed, too. */
static bool config_link(const struct arch *arch, const char *path, uint64_t *link)
{
	uint64_t start = 0, align = 0;
	char real[PATH_MAX];
	char line[1024];
	gzFile file;

	if (system_path(real, sizeof(real), path))
		return false;
	file = gzopen(real, "rbe");
	if (!file)
		return false;
	while ((!start || !align) && gzgets(file, line, sizeof(line)))
		if (!config_value(line, "CONFIG_PHYSICAL_START", &start))
			config_value(line, "CONFIG_PHYSICAL_ALIGN", &align);
	gzclose(file);
	if (!start || !align || align & (align - 1) || start > UINT32_MAX || align > UINT32_MAX)
		return false;
	*link = arch->link_base + round_up(start, align);
	return true;
}

static bool installed_config_link(const struct kernel *kernel, uint64_t *link)
{
	static const char *const patterns[] = { "/boot/config-%s", "/lib/modules/%s/config" };
	char path[PATH_MAX];
	unsigned int i;

	if (!kernel->release[0] || strchr(kernel->release, '/'))
		return false;
	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		snprintf(path, sizeof(path), patterns[i], kernel->release);
		if (config_link(kernel->arch, path, link))
			return true;
	}
	return false;
}

/**
 * link_find - where was the running kernel linked?
 * @kernel:	the running kernel
 * @vmlinux:	its vmlinux, or NULL
 * @place:	link and link_source are filled on success
 * @why:	filled on failure
 *
 * Return: 0, or -1 where nobody knows.
 */
int link_find(const struct kernel *kernel, const struct vmlinux *vmlinux, struct place *place,
	      struct why *why)
{
	const struct arch *arch = kernel->arch;

	place->link = 0;
	if (vmlinux) {
		place->link = vmlinux->link;
		place->link_source = "vmlinux";
	} else if (arch->link) {
		place->link = arch->link;
		place->link_source = "architecture";
	} else if (sysfs_link(arch, &place->link)) {
		place->link_source = "sysfs";
	} else if (boot_params_link(arch, &place->link)) {
		place->link_source = "boot_params";
	} else if (config_link(arch, "/proc/config.gz", &place->link)) {
		place->link_source = "/proc/config.gz";
	} else if (installed_config_link(kernel, &place->link)) {
		place->link_source = "installed config";
	}
	if (!place->link)
		return fail(why, "%s is at 0x%016llx, but nothing tells where it was linked: give "
			    "--vmlinux=FILE, load the kreloc module, or install /boot/config-%s",
			    arch->anchor, (unsigned long long)place->text,
			    kernel->release[0] ? kernel->release : "RELEASE");
	return 0;
}
