/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The module's decoders of what firmware left: each field is asked for as the kernel does it, and
 * once with too little room.
 */
#ifndef KRELOC_FUZZ_FIELDS_H
#define KRELOC_FUZZ_FIELDS_H

#include "../../module/decode.h"
#include "fuzz.h"

/* Goes to a terminal: lines of what can be printed, and nothing else. */
static inline bool fields_plain(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (text[i] != '\n' && (text[i] < ' ' || text[i] > '~'))
			return false;
	return !len || text[len - 1] == '\n';
}

static inline char *fields_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
				size_t size, size_t len)
{
	struct kreloc_text text = { .buf = malloc(size + 1), .size = size };

	if (!text.buf)
		exit(2);
	text.buf[0] = '\0';
	MUST(!kreloc_field_show(field, boot, &text));
	MUST(text.len == len);
	return text.buf;
}

/* No value is longer than @bound. */
static inline void fuzz_field(const struct kreloc_field *field, const struct kreloc_boot *boot,
			      size_t bound)
{
	struct kreloc_text text = { .size = 0 };
	char *whole, *part;

	if (kreloc_field_show(field, boot, &text))
		return;
	MUST(text.len <= bound);
	whole = fields_show(field, boot, text.len + 1, text.len);
	MUST(strlen(whole) == text.len && fields_plain(whole, text.len));
	part = fields_show(field, boot, text.len / 2 + 1, text.len);
	MUST(!strncmp(whole, part, text.len / 2) && !part[text.len / 2]);
	free(part);
	free(whole);
}

static inline void fuzz_fields(const struct kreloc_field *fields, const struct kreloc_boot *boot,
			       size_t bound)
{
	for (; fields->name; fields++)
		fuzz_field(fields, boot, bound);
}

#endif /* KRELOC_FUZZ_FIELDS_H */
