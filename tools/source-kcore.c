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

#include "kcore.h"
#include "place.h"
#include "symbols.h"

/* As much of the notes as is looked at; the kernel's are a few pages. */
#define NOTES_MAX	(256u << 10)

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
