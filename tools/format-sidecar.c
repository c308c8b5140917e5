// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any other file: its stamp is a file of its own, FILE.kreloc beside FILE. It says of which bytes it
 * speaks, by their number, their age and the first and last of them, and is not believed once these
 * are others.
 */
#include <errno.h>
#include <fcntl.h>
#include <gcrypt.h>
#include <json-c/json.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stamp-text.h"
#include "trace.h"

/* A sidecar is 1 KiB. */
#define SIDECAR_MAX	(64u << 10)

/* What is hashed at either end, so that the time does not depend on the file. */
#define SAMPLE		(1u << 20)

#define HASH_LEN	32
#define HASH_HEX	(2 * HASH_LEN + 1)
/* Seconds and nanoseconds. */
#define MTIME_LEN	40

/**
 * struct identity - which bytes a sidecar speaks of
 * @size:	how many
 * @mtime:	when they were changed last, as text
 * @first:	SHA-256 of the first SAMPLE of them
 * @last:	and of the last
 */
struct identity {
	uint64_t size;
	char mtime[MTIME_LEN];
	char first[HASH_HEX];
	char last[HASH_HEX];
};

/**
 * sidecar_path - where the sidecar of a file is
 * @trace:	the file; a symbolic link to it is the same
 *
 * Return: the path, to be freed; NULL and errno.
 */
char *sidecar_path(const struct trace *trace)
{
	char *real = trace->file ? realpath(trace->file, NULL) : NULL, *path;

	if (!real || asprintf(&path, "%s" SIDECAR_SUFFIX, real) < 0)
		path = NULL;
	free(real);
	return path;
}

/**
 * sidecar_exists - is there one?
 * @trace:	the file
 *
 * Return: whether there is.
 */
bool sidecar_exists(const struct trace *trace)
{
	char *path = sidecar_path(trace);
	const bool exists = path && !access(path, F_OK);

	free(path);
	return exists;
}

static bool sidecar_probe(const unsigned char *head, size_t len)
{
	/* Nothing in the file itself tells. */
	(void)head;
	(void)len;
	return false;
}

static int hash(const struct trace *trace, uint64_t at, size_t len, char hex[HASH_HEX],
		struct why *why)
{
	unsigned char digest[HASH_LEN], *buf = malloc(len + 1);
	ssize_t n = buf ? pread_full(trace->fd, buf, len, at) : -1;
	unsigned int i;

	if (n == (ssize_t)len) {
		gcry_md_hash_buffer(GCRY_MD_SHA256, digest, buf, len);
		for (i = 0; i < HASH_LEN; i++)
			snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	}
	free(buf);
	if (n < 0)
		return fail(why, "%s", strerror(errno));
	return n < (ssize_t)len ? fail(why, "is being changed") : 0;
}

static bool has_gcrypt;

/* It wants to be asked once, and not by two threads. */
static void init_gcrypt(void)
{
	has_gcrypt = gcry_check_version(GCRYPT_VERSION);
}

static int identify(const struct trace *trace, struct identity *id, struct why *why)
{
	const size_t len = trace->size < SAMPLE ? trace->size : SAMPLE;
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, init_gcrypt);
	if (!has_gcrypt)
		return fail(why, "libgcrypt is older than kreloc was made for");
	id->size = trace->size;
	snprintf(id->mtime, sizeof(id->mtime), "%lld.%09ld",
		 (long long)trace->st.st_mtim.tv_sec, trace->st.st_mtim.tv_nsec);
	return hash(trace, 0, len, id->first, why) ||
	       hash(trace, trace->size - len, len, id->last, why) ? -1 : 0;
}

static const char *text_of(struct json_object *object, const char *key)
{
	struct json_object *value;

	return json_object_object_get_ex(object, key, &value) ? json_object_get_string(value) : "";
}

/* Is it about the file as it is? */
static int compare(struct json_object *file, const struct identity *id, const char *path,
		   struct why *why)
{
	char size[MTIME_LEN];
	const char *what = NULL;

	snprintf(size, sizeof(size), "%llu", (unsigned long long)id->size);
	if (strcmp(text_of(file, "size"), size))
		what = "another size";
	else if (strcmp(text_of(file, "sha256-first"), id->first) ||
		 strcmp(text_of(file, "sha256-last"), id->last))
		what = "other bytes";
	else if (strcmp(text_of(file, "mtime"), id->mtime))
		what = "another time of its last change (cp -p keeps it)";
	if (what)
		return fail(why, "%s is stale: it is of a file with %s; remove it", path, what);
	return 0;
}

/* The caller has to put it. */
static struct json_object *load(const char *path, struct why *why)
{
	struct json_object *json = NULL;
	char *text = calloc(1, SIDECAR_MAX + 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	ssize_t n = text && fd >= 0 ? pread_full(fd, text, SIDECAR_MAX + 1, 0) : -1;

	if (n < 0 && errno == ESPIPE)
		explain(why, "%s is in its sidecar's place, and no regular file; remove it", path);
	else if (n < 0)
		explain(why, "%s: %s", path, strerror(errno));
	else if (n <= (ssize_t)SIDECAR_MAX)
		json = json_tokener_parse(text);
	if (n >= 0 && !json_object_is_type(json, json_type_object)) {
		explain(why, "%s is damaged: no JSON object; remove it", path);
		json_object_put(json);
		json = NULL;
	}
	if (fd >= 0)
		close(fd);
	free(text);
	return json;
}

static int take(struct json_object *json, const struct trace *trace, const char *path,
		struct facts *facts, struct why *why)
{
	struct stamp_text stamp = { 0 };
	struct json_object *part;
	struct identity id;
	unsigned int i;

	if (identify(trace, &id, why))
		return -1;
	if (!json_object_object_get_ex(json, "file", &part) ||
	    !json_object_is_type(part, json_type_object))
		return fail(why, "%s is damaged: it does not say of which file it is; remove it",
			    path);
	if (compare(part, &id, path, why))
		return -1;
	if (json_object_object_get_ex(json, "stamp", &part) &&
	    json_object_is_type(part, json_type_object))
		for (i = 0; stamp_text_key(i); i++)
			if (json_object_object_get_ex(part, stamp_text_key(i), NULL))
				stamp_text_set(&stamp, stamp_text_key(i),
					       text_of(part, stamp_text_key(i)));
	if (stamp_text_done(&stamp, facts, why))
		return -1;
	return facts->has_block ? 0 : fail(why, "%s is damaged: it has no stamp; remove it", path);
}

static int sidecar_read(const struct trace *trace, struct facts *facts, struct why *why)
{
	struct json_object *json;
	char *path;
	int err = -1;

	facts->end = trace->size;
	if (!sidecar_exists(trace))
		return 0;
	path = sidecar_path(trace);
	json = path ? load(path, why) : NULL;
	if (json)
		err = take(json, trace, path, facts, why);
	json_object_put(json);
	free(path);
	return err;
}

static void add(struct json_object *object, const char *key, const char *value)
{
	json_object_object_add(object, key, json_object_new_string(value));
}

static int sidecar_stamp(const struct trace *trace, const struct facts *facts,
			 const struct stamp_info *info, struct stamp_job *job, struct why *why)
{
	struct json_object *json, *stamp, *file;
	char value[STAMP_VALUE_LEN];
	struct identity id;
	const char *text;
	unsigned int i;
	char *beside;
	size_t len;

	(void)facts;
	if (identify(trace, &id, why))
		return -1;
	json = json_object_new_object();
	stamp = json_object_new_object();
	file = json_object_new_object();
	json_object_object_add(json, "stamp", stamp);
	json_object_object_add(json, "file", file);
	for (i = 0; stamp_text_key(i); i++)
		if (stamp_text_value(info, i, value))
			add(stamp, stamp_text_key(i), value);
	json_object_object_add(file, "size", json_object_new_int64((int64_t)id.size));
	add(file, "mtime", id.mtime);
	add(file, "sha256-first", id.first);
	add(file, "sha256-last", id.last);

	text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY |
						    JSON_C_TO_STRING_NOSLASHESCAPE);
	len = strlen(text) + 2;
	beside = stamp_job_alloc(job, len, why);
	if (beside) {
		snprintf(beside, len, "%s\n", text);
		job->beside = beside;
	}
	json_object_put(json);
	return beside ? 0 : -1;
}

const struct format format_sidecar = {
	.name = "sidecar",
	.probe = sidecar_probe,
	.read = sidecar_read,
	.evidence = text_evidence,
	.stamp = sidecar_stamp,
	.beside = true,
};
