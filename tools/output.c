// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints answers. A value that is not known is "unknown", in JSON null: never absent, never 0.
 */
#include <ctype.h>
#include <errno.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

/**
 * output_start - begin an answer
 * @out:	ended by output_end()
 * @json:	in which form
 */
void output_start(struct output *out, bool json)
{
	out->json = NULL;
	if (!json)
		return;
	out->json = json_object_new_object();
	if (!out->json) {
		complain(NULL, "out of memory");
		exit(KRELOC_FAILED);
	}
}

/* What a trace file says goes to a terminal: no control characters, and no second line. */
static void print_clean(const char *text)
{
	for (; *text; text++)
		putchar(iscntrl((unsigned char)*text) ? '?' : *text);
}

/* Length of the UTF-8 sequence that @p begins with, 0 where it is none (RFC 3629). */
static size_t utf8_len(const unsigned char *p)
{
	const size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 :
			   p[0] < 0xf0 ? 3 : p[0] < 0xf5 ? 4 : 0;
	size_t i;

	for (i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Too long a form, a surrogate, or beyond the last character */
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

/* JSON is UTF-8, and file names are bytes: those that are not UTF-8 become U+FFFD. */
static struct json_object *json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	struct json_object *object;
	char *clean, *to;

	clean = malloc(strlen(text) * (sizeof(replacement) - 1) + 1);
	if (!clean) {
		complain(NULL, "out of memory");
		exit(KRELOC_FAILED);
	}
	for (to = clean; *text; ) {
		const size_t len = utf8_len((const unsigned char *)text);

		memcpy(to, len ? text : replacement, len ? len : sizeof(replacement) - 1);
		to += len ? len : sizeof(replacement) - 1;
		text += len ? len : 1;
	}
	*to = '\0';
	object = json_object_new_string(clean);
	free(clean);
	return object;
}

/**
 * output_text - one key
 * @out:	the answer
 * @key:	lower case, words joined by '-'
 * @value:	NULL or empty where not known
 */
void output_text(struct output *out, const char *key, const char *value)
{
	const bool known = value && *value;

	if (out->json) {
		json_object_object_add(out->json, key,
				       known ? json_text(value) : NULL);
		return;
	}
	printf("%s: ", key);
	print_clean(known ? value : "unknown");
	putchar('\n');
}

/**
 * output_address - one key whose value is an address or a difference of addresses
 * @out:	the answer
 * @key:	as above
 * @known:	whether @value is one
 * @value:	any
 */
void output_address(struct output *out, const char *key, bool known, uint64_t value)
{
	char hex[2 + 16 + 1];

	snprintf(hex, sizeof(hex), "0x%016llx", (unsigned long long)value);
	output_text(out, key, known ? hex : NULL);
}

/**
 * output_count - one key whose value is how many there are of something
 * @out:	the answer
 * @key:	as above
 * @value:	decimal, in JSON a number
 */
void output_count(struct output *out, const char *key, uint64_t value)
{
	if (out->json)
		json_object_object_add(out->json, key, json_object_new_uint64(value));
	else
		printf("%s: %llu\n", key, (unsigned long long)value);
}

/**
 * output_build_id - one key whose value is a build-id
 * @out:	the answer
 * @key:	as above
 * @id:		known or not
 */
void output_build_id(struct output *out, const char *key, const struct build_id *id)
{
	char hex[BUILD_ID_HEX];

	output_text(out, key, build_id_hex(id, hex));
}

/**
 * output_boot_id - one key whose value is the random number of a boot
 * @out:	the answer
 * @key:	as above
 * @id:		zeros where not known
 */
void output_boot_id(struct output *out, const char *key, const unsigned char id[BOOT_ID_LEN])
{
	char text[BOOT_ID_TEXT];

	output_text(out, key, boot_id_text(id, text));
}

/**
 * output_add - one of several answers within an answer
 * @out:	the outer one, in JSON
 * @key:	of the list of them
 * @item:	one of them, started and in JSON; belongs to @out from here on
 */
void output_add(struct output *out, const char *key, struct output *item)
{
	struct json_object *list;

	if (!json_object_object_get_ex(out->json, key, &list)) {
		list = json_object_new_array();
		json_object_object_add(out->json, key, list);
	}
	json_object_array_add(list, item->json);
	item->json = NULL;
}

/**
 * output_real - one key whose value is a measure
 * @out:	the answer
 * @key:	as above
 * @value:	finite; printed with three digits, or with all in front of the point
 */
void output_real(struct output *out, const char *key, double value)
{
	char text[400];

	snprintf(text, sizeof(text), value >= 1000 || value <= -1000 ? "%.0f" : "%.3g", value);
	if (out->json)
		json_object_object_add(out->json, key, json_object_new_double_s(value, text));
	else
		printf("%s: %s\n", key, text);
}

/**
 * output_end - end an answer
 * @out:	started by output_start()
 */
void output_end(struct output *out)
{
	if (!out->json)
		return;
	puts(json_object_to_json_string_ext(out->json, JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(out->json);
	out->json = NULL;
}

/**
 * output_close - the last thing that a program does
 * @status:	exit status so far
 *
 * A full disk shows when standard output is closed, and half an answer must not look like one.
 *
 * Return: @status, or KRELOC_FAILED.
 */
int output_close(int status)
{
	int err = ferror(stdout);

	if (fclose(stdout) || err) {
		complain("standard output", "%s", errno ? strerror(errno) : "write error");
		return KRELOC_FAILED;
	}
	return status;
}
