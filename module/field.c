// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the decoders of boot data have in common: fields, and text that says how much room it
 * would have needed, so that nobody has to guess how long a list from firmware becomes.
 */
#include <linux/errno.h>

#include "decode.h"

/**
 * kreloc_print - append to a text
 * @text:	the text; what does not fit into it is only counted
 * @fmt:	as printf's
 *
 * Context: any.
 */
void kreloc_print(struct kreloc_text *text, const char *fmt, ...)
{
	size_t room = text->len < text->size ? text->size - text->len : 0;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(room ? text->buf + text->len : NULL, room, fmt, args);
	va_end(args);
	if (n > 0)
		text->len += n;
}

/**
 * kreloc_print_plain - append text from firmware
 * @text:	the text
 * @from:	characters, not terminated; whatever could do harm to a terminal, and a blank,
 *		becomes a dot, blanks at the end are left out
 * @size:	how many
 *
 * Context: any.
 */
void kreloc_print_plain(struct kreloc_text *text, const char *from, size_t size)
{
	while (size && from[size - 1] == ' ')
		size--;
	for (; size--; from++)
		kreloc_print(text, "%c", *from > ' ' && *from <= '~' ? *from : '.');
}

/**
 * kreloc_get_le - a little-endian number
 * @from:	where it is, at any alignment
 * @size:	its size in bytes, at most 8
 *
 * Context: any.
 * Return: the number.
 */
unsigned long long kreloc_get_le(const void *from, size_t size)
{
	const unsigned char *p = from;
	unsigned long long value = 0;

	while (size--)
		value = value << 8 | p[size];
	return value;
}

/**
 * kreloc_get_be - a big-endian number
 * @from:	where it is, at any alignment
 * @size:	its size in bytes, at most 8
 *
 * Context: any.
 * Return: the number.
 */
unsigned long long kreloc_get_be(const void *from, size_t size)
{
	const unsigned char *p = from;
	unsigned long long value = 0;

	while (size--)
		value = value << 8 | *p++;
	return value;
}

/**
 * kreloc_name - look a number up
 * @names:	the names that there are; can be NULL
 * @value:	the number
 *
 * Context: any.
 * Return: its name, or NULL.
 */
const char *kreloc_name(const struct kreloc_name *names, unsigned long long value)
{
	for (; names && names->name; names++)
		if (names->value == value)
			return names->name;
	return NULL;
}

/**
 * kreloc_field_show - write a field's value
 * @field:	the field
 * @boot:	what was handed to the kernel
 * @text:	where to write
 *
 * Context: whatever the field's own function and @boot->phys_read want.
 * Return: 0; -ENODATA where the data is too short to hold the field; else as the field's own
 * function says.
 */
int kreloc_field_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		      struct kreloc_text *text)
{
	if (field->need != KRELOC_WHOLE && boot->size < field->need)
		return -ENODATA;
	return field->show(field, boot, text);
}
