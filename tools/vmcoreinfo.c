// SPDX-License-Identifier: GPL-2.0-only
/*
 * VMCOREINFO, from /proc/kcore and from dumps. A key that is missing is not 0.
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "kcore.h"
#include "symbols.h"
#include "system.h"
#include "vmcoreinfo.h"

/* As much of the notes as is looked at: in a dump, the registers of every processor come first. */
#define NOTES_MAX	(16u << 20)

/* The kernel's own limit is a page (VMCOREINFO_BYTES), 64 KiB where these are large. */
#define TEXT_MAX	(64u << 10)

static int keep(struct vmcoreinfo *info, const char *text, size_t len, struct why *why)
{
	/* The room behind it is zeros. */
	info->len = strnlen(text, len);
	info->text = malloc(info->len ? info->len : 1);
	if (!info->text)
		return fail(why, "out of memory");
	memcpy(info->text, text, info->len);
	return 0;
}

/**
 * vmcoreinfo_read - read the lines
 * @fd:		file
 * @offset:	of the first
 * @size:	of all of them
 * @info:	filled on success, then to be freed with vmcoreinfo_free()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int vmcoreinfo_read(int fd, uint64_t offset, uint64_t size, struct vmcoreinfo *info,
		    struct why *why)
{
	const size_t len = size < TEXT_MAX ? size : TEXT_MAX;
	char *text = malloc(len ? len : 1);
	ssize_t n;
	int err;

	if (!text)
		return fail(why, "out of memory");
	n = pread_full(fd, text, len, offset);
	if (n < 0)
		err = fail(why, "%s", strerror(errno));
	else if (!n)
		err = fail(why, "has no VMCOREINFO");
	else
		err = keep(info, text, (size_t)n, why);
	free(text);
	return err;
}

/**
 * vmcoreinfo_of_core - read the note of an ELF core file
 * @core:	open
 * @info:	filled on success, then to be freed with vmcoreinfo_free()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int vmcoreinfo_of_core(const struct kcore *core, struct vmcoreinfo *info, struct why *why)
{
	unsigned int i;

	for (i = 0; i < core->nr; i++) {
		const struct segment segment = kcore_segment(core, i);
		const unsigned char *text;
		unsigned char *notes;
		size_t len, text_len;
		ssize_t n;
		int err;

		if (segment.type != PT_NOTE)
			continue;
		len = segment.filesz < NOTES_MAX ? segment.filesz : NOTES_MAX;
		notes = malloc(len ? len : 1);
		if (!notes)
			return fail(why, "out of memory");
		n = pread_full(core->fd, notes, len, segment.offset);
		err = n < 0 ? fail(why, "%s", strerror(errno)) : 0;
		text = note_find(notes, n < 0 ? 0 : (size_t)n, core->big, "VMCOREINFO", 0,
				 &text_len);
		if (text)
			err = keep(info, (const char *)text, text_len, why);
		free(notes);
		if (err || text)
			return err;
	}
	return fail(why, "has no VMCOREINFO note");
}

/**
 * vmcoreinfo_free - free the lines
 * @info:	filled
 */
void vmcoreinfo_free(struct vmcoreinfo *info)
{
	free(info->text);
	info->text = NULL;
}

/* The next line, without its newline. One that has none was cut short, and so perhaps its number. */
static const char *next_line(const struct vmcoreinfo *info, size_t *at, size_t *len)
{
	const char *line = info->text + *at;
	const char *end = memchr(line, '\n', info->len - *at);

	if (!end)
		return NULL;
	*len = (size_t)(end - line);
	*at += *len + 1;
	return line;
}

static bool has_key(const char *line, size_t len, const char *key)
{
	const size_t key_len = strlen(key);

	return len > key_len && line[key_len] == '=' && !memcmp(line, key, key_len);
}

/**
 * vmcoreinfo_value - look a key up
 * @info:	filled
 * @key:	without the =
 * @value:	of it
 * @len:	of @value
 *
 * Return: whether it is there.
 */
bool vmcoreinfo_value(const struct vmcoreinfo *info, const char *key, const char **value,
		      size_t *len)
{
	const char *line;
	size_t at = 0;

	while ((line = next_line(info, &at, len))) {
		if (!has_key(line, *len, key))
			continue;
		*value = line + strlen(key) + 1;
		*len -= strlen(key) + 1;
		return true;
	}
	return false;
}

/**
 * vmcoreinfo_address - look up a key whose value is hexadecimal
 * @info:	filled
 * @key:	without the =
 * @address:	its value
 *
 * Return: whether it is there, and a number.
 */
bool vmcoreinfo_address(const struct vmcoreinfo *info, const char *key, uint64_t *address)
{
	const char *value;
	size_t len;

	return vmcoreinfo_value(info, key, &value, &len) && parse_hex(value, len, address);
}

/**
 * vmcoreinfo_build_id - the kernel's build-id, which is there since Linux 5.9 (0935288c6e00)
 * @info:	filled
 * @id:		of size 0 where there is none
 */
void vmcoreinfo_build_id(const struct vmcoreinfo *info, struct build_id *id)
{
	unsigned char data[BUILD_ID_LEN];
	const char *value;
	uint64_t byte;
	size_t len, i;

	memset(id, 0, sizeof(*id));
	if (!vmcoreinfo_value(info, "BUILD-ID", &value, &len) || len % 2)
		return;
	for (i = 0; i < len / 2 && i < BUILD_ID_LEN; i++) {
		if (!parse_hex(value + 2 * i, 2, &byte))
			return;
		data[i] = (unsigned char)byte;
	}
	build_id_set(id, data, i);
}

/**
 * vmcoreinfo_print - print the lines with the right KERNELOFFSET
 * @info:	filled
 * @offset:	which that is
 * @out:	where to
 *
 * For tools that take it for the offset on every architecture.
 */
void vmcoreinfo_print(const struct vmcoreinfo *info, uint64_t offset, FILE *out)
{
	const char *line;
	size_t at = 0, len;

	while ((line = next_line(info, &at, &len)))
		if (!has_key(line, len, "KERNELOFFSET"))
			fprintf(out, "%.*s\n", (int)len, line);
	fprintf(out, "KERNELOFFSET=%llx\n", (unsigned long long)offset);
}
