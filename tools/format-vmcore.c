// SPDX-License-Identifier: GPL-2.0-only
/*
 * Dumps of a kernel's memory: /proc/vmcore and its copies, QEMU's dump-guest-memory, and what
 * makedumpfile makes of them. Nothing is stamped into them: the kernel's VMCOREINFO, which kdump
 * takes along, has all that it takes.
 *
 * Its SYMBOL(_stext) is where the kernel ran. KERNELOFFSET is only what other tools believe: on
 * powerpc it is 0 also where the kernel moved.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "kcore.h"
#include "symbols.h"
#include "trace.h"
#include "vmcoreinfo.h"

/*
 * The kdump-compressed format (IMPLEMENTATION in makedumpfile's sources): a header, and in the next
 * block a second one, both as the dumping machine's compiler lays them out.
 */
#define KDUMP_MAGIC		"KDUMP   "
#define KDUMP_VERSION		8	/* 32 bits */
#define KDUMP_MACHINE		272	/* utsname's machine, */
#define KDUMP_MACHINE_LEN	65	/* of so many bytes */
#define KDUMP_BLOCK_SIZE	428	/* 32 bits */
#define KDUMP_HEADER		436
#define KDUMP_INFO_OFFSET	32	/* in the second header, 64 bits */
#define KDUMP_INFO_SIZE		40	/* 64 bits */
#define KDUMP_HEADER_2		48
/* The first to have VMCOREINFO, and more than there will be. */
#define KDUMP_VERSION_MIN	3
#define KDUMP_VERSION_MAX	64
#define KDUMP_BLOCK_MAX		(1u << 20)

/* The same as a stream, with a place before each piece. */
#define FLAT_MAGIC		"makedumpfile"

static bool vmcore_probe(const unsigned char *head, size_t len)
{
	if (len >= EI_NIDENT + 2 && !memcmp(head, ELFMAG, SELFMAG))
		return get16(head + EI_NIDENT, head[EI_DATA] == ELFDATA2MSB) == ET_CORE;
	return (len >= strlen(KDUMP_MAGIC) && !memcmp(head, KDUMP_MAGIC, strlen(KDUMP_MAGIC))) ||
	       (len >= sizeof(FLAT_MAGIC) && !memcmp(head, FLAT_MAGIC, sizeof(FLAT_MAGIC)));
}

static int read_elf(const struct trace *trace, const struct arch **arch, struct vmcoreinfo *info,
		    struct why *why)
{
	struct kcore core = { .fd = trace->fd };
	int err;

	if (kcore_headers(&core, why))
		return -1;
	*arch = arch_by_machine(core.machine, core.big);
	err = vmcoreinfo_of_core(&core, info, why);
	kcore_headers_free(&core);
	return err;
}

static int read_kdump(const struct trace *trace, const unsigned char *head,
		      const struct arch **arch, struct vmcoreinfo *info, struct why *why)
{
	const bool big = get32(head + KDUMP_VERSION, false) > KDUMP_VERSION_MAX;
	const uint32_t version = get32(head + KDUMP_VERSION, big);
	const uint32_t block = get32(head + KDUMP_BLOCK_SIZE, big);
	char machine[KDUMP_MACHINE_LEN + 1] = "";
	unsigned char second[KDUMP_HEADER_2];
	uint64_t offset, size;

	if (version > KDUMP_VERSION_MAX || block < KDUMP_HEADER || block > KDUMP_BLOCK_MAX)
		return fail(why, "a kdump-compressed dump of an unknown kind");
	if (version < KDUMP_VERSION_MIN)
		return fail(why, "has no VMCOREINFO: its format is too old for it");
	memcpy(machine, head + KDUMP_MACHINE, KDUMP_MACHINE_LEN);
	*arch = arch_by_name(machine);
	if (pread_full(trace->fd, second, sizeof(second), block) != sizeof(second))
		return fail(why, "ends in its headers");
	offset = get64(second + KDUMP_INFO_OFFSET, big);
	size = get64(second + KDUMP_INFO_SIZE, big);
	if (!offset || !size || !in_bounds(offset, size, trace->size))
		return fail(why, "has no VMCOREINFO");
	return vmcoreinfo_read(trace->fd, offset, size, info, why);
}

/**
 * vmcore_info - the VMCOREINFO of a dump
 * @trace:	an open dump
 * @arch:	of its kernel, NULL where kreloc does not know it
 * @info:	filled on success, then to be freed with vmcoreinfo_free()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int vmcore_info(const struct trace *trace, const struct arch **arch, struct vmcoreinfo *info,
		struct why *why)
{
	unsigned char head[KDUMP_HEADER] = "";
	const ssize_t n = pread_full(trace->fd, head, sizeof(head), 0);

	*arch = NULL;
	if (n > 0 && !memcmp(head, FLAT_MAGIC, sizeof(FLAT_MAGIC)))
		return fail(why, "is flattened: put it together, makedumpfile -R VMCORE < FILE");
	if (n == sizeof(head) && !memcmp(head, KDUMP_MAGIC, strlen(KDUMP_MAGIC)))
		return read_kdump(trace, head, arch, info, why);
	return read_elf(trace, arch, info, why);
}

static int read_info(const struct vmcoreinfo *info, const struct arch *arch, struct facts *facts,
		     struct why *why)
{
	const char *release;
	size_t len;

	if (!arch)
		return fail(why, "of an architecture that kreloc does not know");
	if (!vmcoreinfo_address(info, "SYMBOL(_stext)", &facts->text) || !facts->text)
		return fail(why, "its VMCOREINFO has no SYMBOL(_stext)");
	facts->state = TRACE_RECORDED;
	snprintf(facts->anchor, sizeof(facts->anchor), "%s", arch->anchor);
	snprintf(facts->machine, sizeof(facts->machine), "%s", arch->name);
	if (vmcoreinfo_value(info, "OSRELEASE", &release, &len))
		snprintf(facts->release, sizeof(facts->release), "%.*s", (int)len, release);
	vmcoreinfo_build_id(info, &facts->build_id);
	facts->has_kernel_offset = vmcoreinfo_address(info, "KERNELOFFSET",
						      &facts->kernel_offset);
	if (arch->kernel_offset && facts->has_kernel_offset)
		facts->link = facts->text - facts->kernel_offset;
	return 0;
}

static int vmcore_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	const struct arch *arch;
	struct vmcoreinfo info;
	int err;

	facts->end = trace->size;
	if (vmcore_info(trace, &arch, &info, why))
		return -1;
	err = read_info(&info, arch, facts, why);
	vmcoreinfo_free(&info);
	return err;
}

const struct format format_vmcore = {
	.name = "vmcore",
	.probe = vmcore_probe,
	.read = vmcore_read,
};
