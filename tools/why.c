// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reasons, notices and build-ids: the smallest things that everything uses.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "kreloc.h"

/**
 * explain - note a reason
 * @why:	where to; the format's arguments may point into it
 * @fmt:	printf format, then its arguments
 */
void explain(struct why *why, const char *fmt, ...)
{
	struct why text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text.text, sizeof(text.text), fmt, ap);
	va_end(ap);
	text.error = 0;
	*why = text;
}

/**
 * fail_errno - note what a system call said
 * @why:	where to
 *
 * Return: -1.
 */
int fail_errno(struct why *why)
{
	const int error = errno;

	return fail_with(error, why, "%s", strerror(error));
}

void (*notice_to)(const char *subject, const char *text);

/**
 * notice - something that people may want to know, and that is no failure
 * @subject:	the file or the source that it is about
 * @fmt:	printf format without newline, then its arguments
 *
 * Goes nowhere unless the program set notice_to, before anything else runs.
 */
void notice(const char *subject, const char *fmt, ...)
{
	struct why text;
	va_list ap;

	if (!notice_to)
		return;
	va_start(ap, fmt);
	vsnprintf(text.text, sizeof(text.text), fmt, ap);
	va_end(ap);
	notice_to(subject, text.text);
}

/**
 * build_id_set - note a build-id
 * @id:		where to
 * @data:	its bytes
 * @size:	how many; more than BUILD_ID_LEN are cut, as perf cuts them
 */
void build_id_set(struct build_id *id, const void *data, size_t size)
{
	memset(id, 0, sizeof(*id));
	id->size = size < BUILD_ID_LEN ? (unsigned int)size : BUILD_ID_LEN;
	memcpy(id->data, data, id->size);
}

/**
 * build_id_differ - are these two kernels?
 * @a:	one
 * @b:	the other
 *
 * perf once stored every build-id as 20 bytes, shorter ones filled up with zeros
 * (PERF_RECORD_MISC_BUILD_ID_SIZE came in 5.13), so the fill counts as equal.
 *
 * Return: true only where both are known and they are different.
 */
bool build_id_differ(const struct build_id *a, const struct build_id *b)
{
	return a->size && b->size && memcmp(a->data, b->data, BUILD_ID_LEN);
}

/**
 * build_id_hex - a build-id as people write it
 * @id:		known or not
 * @hex:	room for it
 *
 * Return: @hex, or NULL where it is not known.
 */
const char *build_id_hex(const struct build_id *id, char hex[BUILD_ID_HEX])
{
	unsigned int i;

	if (!id->size)
		return NULL;
	for (i = 0; i < id->size; i++)
		snprintf(hex + 2 * i, 3, "%02x", id->data[i]);
	return hex;
}

/* Bytes in hexadecimal, all of @hex. Returns how many, 0 where it is something else or too long. */
static unsigned int parse_bytes(const char *hex, size_t len, unsigned char *bytes, unsigned int max)
{
	uint64_t byte;
	size_t i;

	if (len % 2 || len / 2 > max)
		return 0;
	for (i = 0; i < len; i += 2) {
		if (!parse_hex(hex + i, 2, &byte))
			return 0;
		bytes[i / 2] = (unsigned char)byte;
	}
	return (unsigned int)len / 2;
}

/**
 * build_id_parse - the inverse of build_id_hex()
 * @id:		filled on success
 * @hex:	the text
 *
 * Return: whether it is one.
 */
bool build_id_parse(struct build_id *id, const char *hex)
{
	memset(id, 0, sizeof(*id));
	id->size = parse_bytes(hex, strlen(hex), id->data, BUILD_ID_LEN);
	return id->size;
}

/* 8-4-4-4-12, as in /proc/sys/kernel/random/boot_id: where the dashes are. */
static bool dash_before(unsigned int byte)
{
	return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

/**
 * boot_id_known - is there one?
 * @id:		zeros where not known
 *
 * Return: whether it is known.
 */
bool boot_id_known(const unsigned char id[BOOT_ID_LEN])
{
	static const unsigned char zeros[BOOT_ID_LEN];

	return memcmp(id, zeros, BOOT_ID_LEN);
}

/**
 * boot_id_text - the random number of a boot, as the kernel writes it
 * @id:		zeros where not known
 * @text:	room for it
 *
 * Return: @text, or NULL where it is not known.
 */
const char *boot_id_text(const unsigned char id[BOOT_ID_LEN], char text[BOOT_ID_TEXT])
{
	char *p = text;
	unsigned int i;

	for (i = 0; i < BOOT_ID_LEN; i++)
		p += sprintf(p, dash_before(i) ? "-%02x" : "%02x", id[i]);
	return boot_id_known(id) ? text : NULL;
}

/**
 * boot_id_parse - the inverse of boot_id_text()
 * @id:		filled, with zeros where it is none
 * @text:	the text
 *
 * Return: whether it is one.
 */
bool boot_id_parse(unsigned char id[BOOT_ID_LEN], const char *text)
{
	const char *p = text;
	unsigned int i;

	for (i = 0; i < BOOT_ID_LEN; i++, p += 2) {
		p += dash_before(i) && *p == '-';
		if (strnlen(p, 2) < 2 || !parse_bytes(p, 2, id + i, 1))
			break;
	}
	if (i == BOOT_ID_LEN && !*p)
		return true;
	memset(id, 0, BOOT_ID_LEN);
	return false;
}

/**
 * parse_hex - a hexadecimal number, with or without 0x
 * @s:		the text, which needs no end
 * @len:	of it; all of it must be digits
 * @value:	filled on success
 *
 * strtoull() accepts signs, blanks and trailing text, and none of these is an address.
 *
 * Return: whether it is one.
 */
bool parse_hex(const char *s, size_t len, uint64_t *value)
{
	uint64_t v = 0;
	size_t i;

	if (len > 2 && s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) {
		s += 2;
		len -= 2;
	}
	if (!len)
		return false;
	for (i = 0; i < len; i++) {
		/* Not by isxdigit(): a kernel's symbol table has a million digits. */
		const unsigned char c = (unsigned char)s[i];
		const unsigned int letter = (c | 0x20u) - 'a';
		unsigned int digit = c - 0u - '0';

		if (digit > 9) {
			if (letter > 5)
				return false;
			digit = letter + 10;
		}
		if (v >> 60)
			return false;
		v = v << 4 | digit;
	}
	*value = v;
	return true;
}
