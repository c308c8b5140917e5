// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMCOREINFO note, which /proc/kcore has carried since Linux 4.19 (23c85094fe18): text lines
 * KEY=value (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 *
 * SYMBOL(_stext) is the run-time address. On x86 KERNELOFFSET is the offset; on powerpc it is
 * kernstart_virt_addr - KERNELBASE, 0 also where the kernel moved, so it is not looked at. A key
 * that is missing is not 0.
 */
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "place.h"
#include "symbols.h"

#define KCORE		"/proc/kcore"
/* As much of the headers and of the notes as is looked at; the kernel's are a few pages. */
#define HEADERS_MAX	(256u << 10)
#define NOTES_MAX	(256u << 10)

/* An ELF64 program header, as far as it is needed. */
struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t vaddr;
	uint64_t filesz;
	uint64_t memsz;
};

struct kcore {
	int fd;
	bool big;
	unsigned char *headers;
	unsigned int nr;
};

static void kcore_close(struct kcore *kcore)
{
	free(kcore->headers);
	close(kcore->fd);
}

static int kcore_headers(struct kcore *kcore, struct why *why)
{
	unsigned char ehdr[sizeof(Elf64_Ehdr)];
	uint64_t phoff;
	size_t size;

	if (pread_full(kcore->fd, ehdr, sizeof(ehdr), 0) != sizeof(ehdr) ||
	    memcmp(ehdr, ELFMAG, SELFMAG) || ehdr[EI_CLASS] != ELFCLASS64)
		return fail(why, KCORE ": not a 64-bit ELF file");
	kcore->big = ehdr[EI_DATA] == ELFDATA2MSB;
	phoff = get64(ehdr + offsetof(Elf64_Ehdr, e_phoff), kcore->big);
	kcore->nr = get16(ehdr + offsetof(Elf64_Ehdr, e_phnum), kcore->big);
	size = kcore->nr * sizeof(Elf64_Phdr);
	if (size > HEADERS_MAX ||
	    get16(ehdr + offsetof(Elf64_Ehdr, e_phentsize), kcore->big) != sizeof(Elf64_Phdr))
		return fail(why, KCORE ": program headers of an unknown kind");
	kcore->headers = malloc(size ? size : 1);
	if (!kcore->headers)
		return fail(why, "out of memory");
	if (pread_full(kcore->fd, kcore->headers, size, phoff) != (ssize_t)size)
		return fail(why, KCORE ": program headers cannot be read");
	return 0;
}

static int kcore_open(struct kcore *kcore, struct why *why)
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
		kcore_close(kcore);
		return -1;
	}
	return 0;
}

static struct segment kcore_segment(const struct kcore *kcore, unsigned int i)
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

/* The value of a KEY=value line; a key at the end of the text without a newline counts too. */
static bool find_value(const char *text, size_t len, const char *key, const char **value,
		       size_t *value_len)
{
	const size_t key_len = strlen(key);

	while (len) {
		const char *end = memchr(text, '\n', len);
		const size_t line = end ? (size_t)(end - text) : len;

		if (line > key_len && text[key_len] == '=' && !memcmp(text, key, key_len)) {
			*value = text + key_len + 1;
			*value_len = line - key_len - 1;
			return true;
		}
		if (!end)
			return false;
		len -= line + 1;
		text = end + 1;
	}
	return false;
}

static bool find_address(const char *text, size_t len, const char *key, uint64_t *address)
{
	const char *value;
	size_t value_len;

	return find_value(text, len, key, &value, &value_len) &&
	       parse_hex(value, value_len, address);
}

/* The note belongs to this kernel, of course; a made-up or damaged one need not. */
static bool same_build(const char *text, size_t len, const struct build_id *id)
{
	char hex[BUILD_ID_HEX];
	const char *value;
	size_t value_len;

	if (!id->size || !find_value(text, len, "BUILD-ID", &value, &value_len))
		return true;
	build_id_hex(id, hex);
	return value_len == strlen(hex) && !memcmp(value, hex, value_len);
}

static int read_vmcoreinfo(const char *text, size_t len, const struct kernel *kernel,
			   struct place *place, struct why *why)
{
	uint64_t offset;

	if (!same_build(text, len, &kernel->build_id))
		return fail(why, "VMCOREINFO has another build-id than /sys/kernel/notes");
	if (!find_address(text, len, "SYMBOL(_stext)", &place->text) || !place->text)
		return fail(why, "VMCOREINFO has no SYMBOL(_stext)");
	if (kernel->arch->kernel_offset && find_address(text, len, "KERNELOFFSET", &offset)) {
		if (offset == place->text)
			return fail(why, "VMCOREINFO's KERNELOFFSET cannot be that large");
		place->link = place->text - offset;
		place->link_source = "vmcoreinfo";
	}
	return 0;
}

static int kcore_get(const struct kernel *kernel, struct place *place, struct why *why)
{
	int err = fail(why, KCORE " has no VMCOREINFO note");
	struct kcore kcore;
	unsigned int i;

	if (kcore_open(&kcore, why))
		return -1;
	for (i = 0; i < kcore.nr; i++) {
		const struct segment segment = kcore_segment(&kcore, i);
		const unsigned char *text;
		unsigned char *notes;
		size_t len, text_len;
		ssize_t n;

		if (segment.type != PT_NOTE)
			continue;
		len = segment.filesz < NOTES_MAX ? segment.filesz : NOTES_MAX;
		notes = malloc(len ? len : 1);
		if (!notes) {
			err = fail(why, "out of memory");
			break;
		}
		n = pread_full(kcore.fd, notes, len, segment.offset);
		if (n < 0)
			err = fail(why, KCORE ": %s", strerror(errno));
		text = note_find(notes, n < 0 ? 0 : (size_t)n, kcore.big, "VMCOREINFO", 0,
				 &text_len);
		if (text)
			err = read_vmcoreinfo((const char *)text, text_len, kernel, place, why);
		free(notes);
		if (text)
			break;
	}
	kcore_close(&kcore);
	return err;
}

/**
 * kcore_text_size - the size of the kernel's image
 * @arch:	of the running kernel
 * @text:	run-time address of its anchor
 *
 * Where the image has a mapping of its own, /proc/kcore has a segment for it, from _text to _end
 * (kcore_text in arch/x86/mm/init_64.c). That is more than the text; what follows it is data.
 *
 * Return: bytes, 0 where not known.
 */
uint64_t kcore_text_size(const struct arch *arch, uint64_t text)
{
	struct kcore kcore;
	uint64_t size = 0;
	struct why why;
	unsigned int i;

	if (!arch->kcore_text || kcore_open(&kcore, &why))
		return 0;
	for (i = 0; i < kcore.nr; i++) {
		const struct segment segment = kcore_segment(&kcore, i);

		if (segment.type == PT_LOAD && segment.vaddr == text &&
		    segment.memsz <= arch->image_moved_end - text)
			size = segment.memsz;
	}
	kcore_close(&kcore);
	return size;
}

const struct source source_kcore = {
	.name = "kcore",
	.get = kcore_get,
};
