// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for a sidecar, FILE.kreloc, of a file of zeros. What is believed of it has to come through a
 * sidecar that kreloc writes itself.
 */
#include <fcntl.h>
#include <json-c/json.h>

#include "fuzz.h"

static char dir[] = "/tmp/kreloc-fuzz.XXXXXX", path[64], beside[80];

static void leave(void)
{
	unlink(beside);
	unlink(path);
	rmdir(dir);
}

static void write_file(const char *name, const void *data, size_t len)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0 || pwrite_full(fd, data, len, 0))
		exit(2);
	close(fd);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const struct timespec times[2] = { { .tv_sec = 1 }, { .tv_sec = 1 } };
	static const char zeros[100];

	(void)argc;
	(void)argv;
	if (!mkdtemp(dir))
		return 1;
	atexit(leave);
	snprintf(path, sizeof(path), "%s/trace", dir);
	snprintf(beside, sizeof(beside), "%s" SIDECAR_SUFFIX, path);
	write_file(path, zeros, sizeof(zeros));
	return utimensat(AT_FDCWD, path, times, 0);
}

static bool read_stamp(const struct trace *trace, struct facts *facts)
{
	struct why why;

	if (trace_examine(trace, &format_sidecar, facts, &why))
		return false;
	MUST(facts->state == TRACE_STAMPED && facts->has_block);
	MUST(facts->text && facts->text == facts->block.info.text);
	return true;
}

/* The offset of a stamp is written there, and not only what it is the difference of. */
static bool has_offset(const unsigned char *data, size_t len, uint64_t offset)
{
	char *text = calloc(1, len + 1);
	struct json_object *json, *stamp, *value;
	uint64_t its;
	bool has;

	if (!text)
		exit(2);
	memcpy(text, data, len);
	json = json_tokener_parse(text);
	has = json_object_object_get_ex(json, "stamp", &stamp) &&
	      json_object_object_get_ex(stamp, "offset", &value) &&
	      parse_hex(json_object_get_string(value), json_object_get_string_len(value), &its) &&
	      its == offset;
	json_object_put(json);
	free(text);
	return has;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	static struct facts before, after;
	struct stamp_job job = { 0 };
	struct trace trace;
	struct why why;

	write_file(beside, data, len);
	if (trace_open(&trace, path, false, &why))
		exit(2);
	if (read_stamp(&trace, &before)) {
		const struct stamp_info *info = &before.block.info;

		MUST(!info->link || has_offset(data, len, info->text - info->link));
		MUST(!format_sidecar.stamp(&trace, &before, info, &job, &why));
		write_file(beside, job.beside, strlen(job.beside));
		MUST(read_stamp(&trace, &after));
		MUST(!memcmp(&after.block.info, info, sizeof(*info)));
		facts_free(&after);
		stamp_job_free(&job);
		facts_free(&before);
	}
	trace_close(&trace);
	return 0;
}
