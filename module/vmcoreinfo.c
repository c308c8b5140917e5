// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads a value out of the VMCOREINFO note, which the kernel fills once at boot for whoever
 * takes a crash dump of it: an ELF note whose text is one KEY=value a line
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 *
 * The note is found through a physical address, so nothing in it is believed before its name
 * has been seen and every length is held against the size of the whole.
 */
#include <linux/errno.h>

#include "decode.h"

/* Its owner and type (update_vmcoreinfo_note(), kernel/crash_core.c or vmcore_info.c) */
static const char note_name[] = "VMCOREINFO";
#define NOTE_TYPE	0

/* The same in both ELF classes, in the kernel's own byte order. */
struct note_header {
	__u32 namesz;
	__u32 descsz;
	__u32 type;
};

/* Note names and descriptors start at multiples of four bytes, whatever the ELF class. */
#define NOTE_ALIGN(n)	(((n) + 3) & ~(size_t)3)

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return -1;
}

/* Lower-case hexadecimal up to the end of the line; anything else is no address. */
static int parse_address(const char *p, const char *end, unsigned long *value)
{
	const char *start = p;
	unsigned long v = 0;

	for (; p < end && *p != '\n'; p++) {
		int digit = hex_digit(*p);

		if (digit < 0 || p - start >= (long)(2 * sizeof(v)))
			return -EINVAL;
		v = v << 4 | digit;
	}
	if (p == start || p == end)
		return -EINVAL;
	*value = v;
	return 0;
}

/**
 * kreloc_note_symbol - value of a SYMBOL() line of a VMCOREINFO note
 * @note:	the note, from its ELF header on, aligned to four bytes
 * @size:	bytes that may be read there
 * @symbol:	name of the symbol
 * @value:	its run-time address
 *
 * Context: any.
 * Return: 0; -ENOENT where this is not a VMCOREINFO note or has no such line; -EINVAL where it
 * is damaged.
 */
int kreloc_note_symbol(const void *note, size_t size, const char *symbol, unsigned long *value)
{
	const size_t name_at = sizeof(struct note_header);
	const size_t desc_at = name_at + NOTE_ALIGN(sizeof(note_name));
	const size_t symbol_len = strlen(symbol);
	const struct note_header *nhdr = note;
	const char *line, *end;

	if (size < desc_at || nhdr->namesz != sizeof(note_name) || nhdr->type != NOTE_TYPE ||
	    memcmp((const char *)note + name_at, note_name, sizeof(note_name)))
		return -ENOENT;
	if (nhdr->descsz > size - desc_at)
		return -EINVAL;

	line = (const char *)note + desc_at;
	end = line + nhdr->descsz;
	while (line < end) {
		const char *next = memchr(line, '\n', end - line);
		const char *p = line;

		if (!next)
			return -ENOENT;
		/* SYMBOL(name)= */
		if ((size_t)(next - p) > 9 + symbol_len && !memcmp(p, "SYMBOL(", 7) &&
		    !memcmp(p + 7, symbol, symbol_len) && !memcmp(p + 7 + symbol_len, ")=", 2))
			return parse_address(p + 9 + symbol_len, end, value);
		line = next + 1;
	}
	return -ENOENT;
}
