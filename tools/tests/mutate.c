// SPDX-License-Identifier: GPL-2.0-only
/*
 * Damages recordings at random, in a way that repeats, and puts them through all of reading,
 * stamping and stripping under the sanitizers:
 *
 *	mutate ROUNDS FILE...
 *
 * Whatever the damage, nothing may crash, and a file that could be stamped must come back from
 * stripping as it was, damage included.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bytes.h"
#include "trace.h"

static uint64_t state = 88172645463325252;

/* xorshift64, G. Marsaglia, "Xorshift RNGs" (2003) */
static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

struct copy {
	unsigned char *data;
	size_t len;
};

static struct copy read_all(int fd)
{
	struct copy copy;

	copy.len = (size_t)lseek(fd, 0, SEEK_END);
	copy.data = malloc(copy.len + 1);
	if (!copy.data || pread_full(fd, copy.data, copy.len, 0) != (ssize_t)copy.len)
		exit(2);
	return copy;
}

static struct trace in_memory(const unsigned char *data, size_t len)
{
	struct trace trace = { .path = "memory", .size = len };

	trace.fd = memfd_create("mutate", MFD_CLOEXEC);
	if (trace.fd < 0 || pwrite_full(trace.fd, data, len, 0) || fstat(trace.fd, &trace.st))
		exit(2);
	return trace;
}

/* Where damage tells: headers, attributes and first records; the end, with the stamp; anywhere. */
static size_t place(size_t len)
{
	switch (pick(4)) {
	case 0:
		return pick(len < 104 ? len : 104);
	case 1:
		return pick(len < 1500 ? len : 1500);
	case 2:
		return len - 1 - pick(len < 3000 ? len : 3000);
	default:
		return pick(len);
	}
}

static void damage(unsigned char *data, size_t len)
{
	static const uint64_t values[] = {
		0, 1, 7, 8, 0x7f, 0x80, 0xff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
		0x7fffffffffffffff, 0x8000000000000000, 0xfffffffffffffff8, 0xffffffffffffffff,
	};
	uint64_t n;

	for (n = 1 + pick(4); n; n--) {
		const size_t at = place(len);
		const size_t room = len - at;

		switch (pick(3)) {
		case 0:
			data[at] ^= (unsigned char)(1 << pick(8));
			break;
		case 1:
			put_bytes(data + at, values[pick(ARRAY_SIZE(values))],
				  room < 8 ? (unsigned int)room : 8, false);
			break;
		default:
			/* a small change of what may be a length or a place */
			if (room >= 8)
				put64(data + at, get64(data + at, false) + pick(33) - 16, false);
			break;
		}
	}
}

static void make_info(struct stamp_info *info)
{
	memset(info, 0, sizeof(*info));
	info->text = 0xffffffff87800000;
	info->link = 0xffffffff81000000;
	info->text_size = 14 << 20;
	info->build_id.size = BUILD_ID_LEN;
	strcpy(info->anchor, "_text");
}

/* Returns whether it could be stamped; @stamped then gets what came of it. */
static bool stamp(struct trace *trace, struct copy *stamped)
{
	struct stamp_job job = { 0 };
	struct stamp_info info;
	struct facts *facts = malloc(sizeof(*facts));
	struct why why;
	bool done = false;

	if (!facts)
		exit(2);
	make_info(&info);
	if (!trace_examine(trace, &format_perf, facts, &why)) {
		if ((facts->state == TRACE_BLIND || facts->state == TRACE_HOLLOW) &&
		    !format_perf.stamp(trace, facts, &info, &job, &why))
			done = !stamp_apply(trace, &info, &job, &why);
		facts_free(facts);
		stamp_job_free(&job);
	}
	if (done)
		*stamped = read_all(trace->fd);
	free(facts);
	return done;
}

static void strip(struct trace *trace)
{
	struct facts *facts = malloc(sizeof(*facts));
	struct why why;

	if (!facts)
		exit(2);
	if (!trace_examine(trace, &format_perf, facts, &why)) {
		if (facts->state == TRACE_STAMPED || facts->state == TRACE_INTERRUPTED)
			trace_restore(trace, facts, &why);
		facts_free(facts);
	}
	free(facts);
}

static unsigned int stamps;

/* One damaged file: stamp, strip, compare; then damage the stamped one too. */
static bool one_round(const unsigned char *data, size_t len)
{
	struct trace trace = in_memory(data, len);
	struct copy stamped, now;
	bool good = true;

	if (stamp(&trace, &stamped)) {
		stamps++;
		strip(&trace);
		now = read_all(trace.fd);
		good = now.len == len && !memcmp(now.data, data, len);
		free(now.data);
		close(trace.fd);

		damage(stamped.data, stamped.len);
		trace = in_memory(stamped.data, stamped.len);
		strip(&trace);
		free(stamped.data);
	}
	close(trace.fd);
	return good;
}

static bool all_rounds(const char *path, unsigned long rounds)
{
	struct copy orig, copy;
	bool good = true;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		exit(2);
	orig = read_all(fd);
	close(fd);
	copy.data = malloc(orig.len);
	if (!copy.data)
		exit(2);
	while (rounds--) {
		memcpy(copy.data, orig.data, orig.len);
		copy.len = pick(8) ? orig.len : pick(orig.len) + 1;
		damage(copy.data, copy.len);
		if (!one_round(copy.data, copy.len)) {
			fprintf(stderr, "%s: not the same after stripping, %lu rounds to go\n",
				path, rounds);
			good = false;
		}
	}
	free(copy.data);
	free(orig.data);
	return good;
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	bool good = true;
	int i;

	for (i = 2; i < argc; i++)
		good &= all_rounds(argv[i], rounds);
	printf("%s - %lu damaged copies of each of %d recordings, of which %u could be stamped\n",
	       good && stamps ? "ok" : "not ok", rounds, argc - 2, stamps);
	return !good || !stamps;
}
