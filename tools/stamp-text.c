// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stamps as keys and values. The offset can be worked out of two others and is written all the
 * same: it is what people look for, and a stamp in which the three do not agree is not believed.
 */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "stamp-text.h"
#include "trace.h"

/* Of the keys; others than these in a stamp of this layout do not count. */
#define LAYOUT		"1"

enum kind {
	KIND_LAYOUT,
	KIND_OFFSET,
	KIND_ADDRESS,		/* 0 where not known */
	KIND_NUMBER,		/* the same */
	KIND_STRING,
	KIND_BUILD_ID,
	KIND_BOOT_ID,
};

/**
 * struct field - a key and where its value is
 * @name:	as "kreloc read" calls it, where it does
 * @kind:	how the value is written
 * @at:		in struct stamp_info
 * @size:	of it
 */
struct field {
	const char *name;
	enum kind kind;
	size_t at;
	size_t size;
};

#define FIELD(name, kind, member) \
	{ name, kind, offsetof(struct stamp_info, member), sizeof(((struct stamp_info *)0)->member) }

static const struct field fields[] = {
	{ .name = "layout", .kind = KIND_LAYOUT },
	{ .name = "offset", .kind = KIND_OFFSET },
	FIELD("text", KIND_ADDRESS, text),
	FIELD("anchor", KIND_STRING, anchor),
	FIELD("link", KIND_ADDRESS, link),
	FIELD("text-size", KIND_NUMBER, text_size),
	FIELD("build-id", KIND_BUILD_ID, build_id),
	FIELD("release", KIND_STRING, release),
	FIELD("machine", KIND_STRING, machine),
	FIELD("boot-id", KIND_BOOT_ID, boot_id),
	FIELD("source", KIND_STRING, source),
	FIELD("link-source", KIND_STRING, link_source),
	FIELD("time", KIND_NUMBER, time),
	FIELD("version", KIND_STRING, version),
};

/**
 * stamp_text_key - the keys of a stamp
 * @key:	from 0 on
 *
 * Return: its name, of small letters and dashes; NULL where there are no more.
 */
const char *stamp_text_key(unsigned int key)
{
	return key < ARRAY_SIZE(fields) ? fields[key].name : NULL;
}

/* Within quotes and on a line, whatever the language. */
static bool plain(const char *s)
{
	const char *p;

	for (p = s; *p; p++)
		if (*p < ' ' || *p > '~' || *p == '"' || *p == '\\')
			return false;
	/* Blanks at either end get lost where there are no quotes. */
	return p > s && *s != ' ' && p[-1] != ' ';
}

/**
 * stamp_text_value - the value of a key
 * @info:	the stamp
 * @key:	below the number of keys
 * @value:	filled
 *
 * Return: whether there is one.
 */
bool stamp_text_value(const struct stamp_info *info, unsigned int key,
		      char value[STAMP_VALUE_LEN])
{
	const struct field *field = &fields[key];
	const void *from = (const char *)info + field->at;
	uint64_t number = 0;

	if (field->kind == KIND_ADDRESS || field->kind == KIND_NUMBER)
		memcpy(&number, from, sizeof(number));
	switch (field->kind) {
	case KIND_LAYOUT:
		snprintf(value, STAMP_VALUE_LEN, "%s", LAYOUT);
		return true;
	case KIND_OFFSET:
		snprintf(value, STAMP_VALUE_LEN, "0x%016" PRIx64, info->text - info->link);
		return info->link;
	case KIND_ADDRESS:
		snprintf(value, STAMP_VALUE_LEN, "0x%016" PRIx64, number);
		return number;
	case KIND_NUMBER:
		snprintf(value, STAMP_VALUE_LEN, "%" PRIu64, number);
		return number;
	case KIND_STRING:
		snprintf(value, STAMP_VALUE_LEN, "%.*s", (int)field->size - 1, (const char *)from);
		return plain(value);
	case KIND_BUILD_ID:
		return build_id_hex(&info->build_id, value);
	case KIND_BOOT_ID:
		return boot_id_text(info->boot_id, value);
	}
	return false;
}

static bool decimal(const char *value, uint64_t *number)
{
	char *end;

	if (*value < '0' || *value > '9')
		return false;
	*number = strtoull(value, &end, 10);
	return !*end && *number != UINT64_MAX;
}

static bool set(struct stamp_text *stamp, const struct field *field, const char *value)
{
	void *to = (char *)&stamp->info + field->at;
	uint64_t number;

	switch (field->kind) {
	case KIND_LAYOUT:
		return !strcmp(value, LAYOUT);
	case KIND_OFFSET:
		return parse_hex(value, strlen(value), &stamp->offset);
	case KIND_ADDRESS:
	case KIND_NUMBER:
		if (field->kind == KIND_ADDRESS ? !parse_hex(value, strlen(value), &number) :
						  !decimal(value, &number))
			return false;
		memcpy(to, &number, sizeof(number));
		return true;
	case KIND_STRING:
		snprintf(to, field->size, "%s", value);
		return strlen(value) < field->size && plain(value);
	case KIND_BUILD_ID:
		return build_id_parse(&stamp->info.build_id, value);
	case KIND_BOOT_ID:
		return boot_id_parse(stamp->info.boot_id, value);
	}
	return false;
}

/**
 * stamp_text_set - note the value of a key
 * @stamp:	what was read so far
 * @key:	one that nobody knows is passed over
 * @value:	as it was read
 */
void stamp_text_set(struct stamp_text *stamp, const char *key, const char *value)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		if (strcmp(fields[i].name, key))
			continue;
		/* Twice is two stamps, and nobody knows which is right. */
		if (stamp->seen & 1u << i || !set(stamp, &fields[i], value))
			stamp->strange = true;
		stamp->seen |= 1u << i;
		return;
	}
}

/**
 * stamp_text_done - believe a stamp
 * @stamp:	all of it
 * @facts:	gets what it says, and is now that of a file with a stamp; not where it is
 * @why:	filled on failure
 *
 * Return: 0, also where nothing was seen at all; -1 where it contradicts itself.
 */
int stamp_text_done(const struct stamp_text *stamp, struct facts *facts, struct why *why)
{
	const struct stamp_info *info = &stamp->info;

	if (!stamp->seen)
		return 0;
	if (stamp->strange || !(stamp->seen & 1) || !info->text || !info->anchor[0] ||
	    (info->link ? stamp->offset != info->text - info->link : stamp->offset))
		return fail(why, "its stamp is damaged, or of a newer kreloc");
	facts->has_block = true;
	facts->block.info = *info;
	facts_stamped(facts);
	return 0;
}
