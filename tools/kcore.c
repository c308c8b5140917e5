// SPDX-License-Identifier: GPL-2.0-only
/*
 * A kernel's memory as an ELF core file: /proc/kcore (fs/proc/kcore.c), and dumps.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "kcore.h"
#include "system.h"

/* As much of the headers as is looked at. The kernel's are a few pages; the notes are the first. */
#define HEADERS_MAX	(256u << 10)

/**
 * kcore_headers - read what says where in the file what is
 * @kcore:	@kcore->fd is open; filled on success, then kcore_headers_free() frees it
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int kcore_headers(struct kcore *kcore, struct why *why)
{
	unsigned char ehdr[sizeof(Elf64_Ehdr)];
	uint64_t phoff;
	size_t size;

	kcore->headers = NULL;
	if (pread_full(kcore->fd, ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    memcmp(ehdr, ELFMAG, SELFMAG) || ehdr[EI_CLASS] != ELFCLASS64)
		return fail(why, "not a 64-bit ELF file");
	kcore->big = ehdr[EI_DATA] == ELFDATA2MSB;
	kcore->machine = get16(ehdr + offsetof(Elf64_Ehdr, e_machine), kcore->big);
	phoff = get64(ehdr + offsetof(Elf64_Ehdr, e_phoff), kcore->big);
	kcore->nr = get16(ehdr + offsetof(Elf64_Ehdr, e_phnum), kcore->big);
	/* Of PN_XNUM and more, so many: the notes are among the first. */
	if (kcore->nr > HEADERS_MAX / sizeof(Elf64_Phdr))
		kcore->nr = HEADERS_MAX / sizeof(Elf64_Phdr);
	size = kcore->nr * sizeof(Elf64_Phdr);
	if (get16(ehdr + offsetof(Elf64_Ehdr, e_phentsize), kcore->big) != sizeof(Elf64_Phdr))
		return fail(why, "program headers of an unknown kind");
	kcore->headers = malloc(size ? size : 1);
	if (!kcore->headers)
		return fail(why, "out of memory");
	if (pread_full(kcore->fd, kcore->headers, size, phoff) != (ssize_t)size) {
		kcore_headers_free(kcore);
		return fail(why, "program headers cannot be read");
	}
	return 0;
}

/**
 * kcore_headers_free - free them
 * @kcore:	of kcore_headers()
 */
void kcore_headers_free(struct kcore *kcore)
{
	free(kcore->headers);
	kcore->headers = NULL;
}

/**
 * kcore_close - close it
 * @kcore:	opened by kcore_open()
 */
void kcore_close(struct kcore *kcore)
{
	kcore_headers_free(kcore);
	close(kcore->fd);
}

/**
 * kcore_open - open the running kernel's memory
 * @kcore:	filled on success, then to be closed with kcore_close()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int kcore_open(struct kcore *kcore, struct why *why)
{
	memset(kcore, 0, sizeof(*kcore));
	kcore->fd = system_open(KCORE);
	if (kcore->fd < 0 && errno == ENOENT)
		return fail(why, KCORE " does not exist: this kernel has no CONFIG_PROC_KCORE");
	if (kcore->fd < 0 && (errno == EPERM || errno == EACCES))
		return fail(why, KCORE " is refused: needs CAP_SYS_RAWIO, and no lockdown");
	if (kcore->fd < 0)
		return fail(why, KCORE ": %s", strerror(errno));
	if (kcore_headers(kcore, why)) {
		close(kcore->fd);
		return fail(why, KCORE ": %s", why->text);
	}
	return 0;
}

/**
 * kcore_segment - one of its segments
 * @kcore:	open
 * @i:		which, below @kcore->nr
 */
struct segment kcore_segment(const struct kcore *kcore, unsigned int i)
{
	const unsigned char *p = kcore->headers + i * sizeof(Elf64_Phdr);

	return (struct segment){
		.type = get32(p + offsetof(Elf64_Phdr, p_type), kcore->big),
		.offset = get64(p + offsetof(Elf64_Phdr, p_offset), kcore->big),
		.vaddr = get64(p + offsetof(Elf64_Phdr, p_vaddr), kcore->big),
		.filesz = get64(p + offsetof(Elf64_Phdr, p_filesz), kcore->big),
		.memsz = get64(p + offsetof(Elf64_Phdr, p_memsz), kcore->big),
	};
}

/**
 * kcore_read - read the running kernel's memory
 * @kcore:	open
 * @buf:	room
 * @len:	bytes wanted
 * @addr:	run-time address
 *
 * Return: whether all of it could be read.
 */
bool kcore_read(const struct kcore *kcore, void *buf, size_t len, uint64_t addr)
{
	unsigned int i;

	for (i = 0; i < kcore->nr; i++) {
		const struct segment segment = kcore_segment(kcore, i);

		if (segment.type == PT_LOAD && addr >= segment.vaddr &&
		    in_bounds(addr - segment.vaddr, len, segment.filesz))
			return pread_full(kcore->fd, buf, len,
					  segment.offset + (addr - segment.vaddr)) == (ssize_t)len;
	}
	return false;
}
