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
#include <unistd.h>

#include "bytes.h"
#include "trip.h"

static uint64_t state = 88172645463325252;

/* xorshift64, G. Marsaglia, "Xorshift RNGs" (2003) */
static uint64_t pick(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
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

static unsigned int stamps;

/* One damaged file: stamp, strip, compare; then damage the stamped one too. */
static bool one_round(const unsigned char *data, size_t len)
{
	struct trace trace = in_memory(data, len);
	const struct format *format;
	struct copy stamped, now;
	bool good = true;
	struct why why;

	format = format_of(&trace, &why);
	if (format && trip_stamp(&trace, format)) {
		stamps++;
		stamped = read_all(trace.fd);
		trip_strip(&trace, format);
		now = read_all(trace.fd);
		good = now.len == len && !memcmp(now.data, data, len);
		free(now.data);
		close(trace.fd);

		damage(stamped.data, stamped.len);
		trace = in_memory(stamped.data, stamped.len);
		format = format_of(&trace, &why);
		if (format)
			trip_strip(&trace, format);
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
