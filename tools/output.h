/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers, as "key: value" lines for people and shells, or as one JSON object on a line with the
 * same keys. Addresses are hexadecimal strings in both: JSON's numbers lose bits above 2^53.
 */
#ifndef KRELOC_OUTPUT_H
#define KRELOC_OUTPUT_H

#include "kreloc.h"

struct json_object;

/**
 * struct output - one answer
 * @json:	the object, or NULL for plain lines
 */
struct output {
	struct json_object *json;
};

void output_start(struct output *out, bool json);
void output_text(struct output *out, const char *key, const char *value);
void output_address(struct output *out, const char *key, bool known, uint64_t value);
void output_count(struct output *out, const char *key, uint64_t value);
void output_real(struct output *out, const char *key, double value);
void output_build_id(struct output *out, const char *key, const struct build_id *id);
void output_boot_id(struct output *out, const char *key, const unsigned char id[BOOT_ID_LEN]);
void output_add(struct output *out, const char *key, struct output *item);
void output_end(struct output *out);

int output_close(int status);

#endif /* KRELOC_OUTPUT_H */
