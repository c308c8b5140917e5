/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a reader of perf.data, or of trace.dat, sees in a file: its events and their ids, each record in the order of
 * the data, each feature. Two files with the same view are the same to perf, wherever in the file
 * these things are. Written apart from format-perf.c, so that the two do not err together.
 */
#ifndef KRELOC_TESTS_VIEW_H
#define KRELOC_TESTS_VIEW_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "perf-data.h"
#include "view-dat.h"

static inline unsigned long long view_hash(const unsigned char *p, uint64_t len)
{
	unsigned long long hash = 0xcbf29ce484222325;

	while (len--)
		hash = (hash ^ *p++) * 0x100000001b3;
	return hash;
}

static inline void view_record(FILE *out, const unsigned char *p, unsigned int size)
{
	const unsigned int type = get32(p, false), misc = get16(p + RECORD_MISC, false);
	unsigned int i;

	fprintf(out, "record type %u misc %#x size %u", type, misc, size);
	if (type == RECORD_MMAP2 && get32(p + MMAP_PID, false) == UINT32_MAX) {
		fprintf(out, " start %#llx len %#llx pgoff %#llx name %s build-id ",
			(unsigned long long)get64(p + MMAP_START, false),
			(unsigned long long)get64(p + MMAP_LEN, false),
			(unsigned long long)get64(p + MMAP_PGOFF, false), p + MMAP2_NAME);
		for (i = 0; i < p[MMAP2_BUILD_ID_SIZE] && i < 20; i++)
			fprintf(out, "%02x", p[MMAP2_BUILD_ID + i]);
		fprintf(out, "\n");
	} else if (type == RECORD_MMAP && get32(p + MMAP_PID, false) == UINT32_MAX) {
		fprintf(out, " start %#llx len %#llx pgoff %#llx name %s\n",
			(unsigned long long)get64(p + MMAP_START, false),
			(unsigned long long)get64(p + MMAP_LEN, false),
			(unsigned long long)get64(p + MMAP_PGOFF, false), p + MMAP_NAME);
	} else {
		fprintf(out, " %016llx\n", view_hash(p, size));
	}
}

/* What an index of AUX data leads to, wherever in the file that is. */
static inline void view_index(FILE *out, const unsigned char *p, size_t len, uint64_t at,
			      uint64_t size)
{
	uint64_t i;

	fprintf(out, "index size %llu\n", (unsigned long long)size);
	for (i = 8; i + SECTION_SIZE <= size; i += SECTION_SIZE) {
		const uint64_t entry = get64(p + at + i, false), n = get64(p + at + i + 8, false);

		if (!in_bounds(entry, n, len))
			fprintf(out, "index beyond the end\n");
		else
			fprintf(out, "indexed %016llx\n", view_hash(p + entry, n));
	}
}

static inline bool view_records(FILE *out, const unsigned char *p, uint64_t at, uint64_t end)
{
	while (at < end) {
		const unsigned int size = at + 8 <= end ? get16(p + at + RECORD_SIZE, false) : 0;
		const unsigned int type = size ? get32(p + at, false) : 0;
		uint64_t payload = 0;

		if (size < RECORD_HEADER_SIZE || !in_bounds(at, size, end))
			return false;
		view_record(out, p + at, size);
		/* What follows some records without being part of their size. */
		if (type == RECORD_AUXTRACE && size >= 16)
			payload = get64(p + at + 8, false);
		if (type == RECORD_TRACING_DATA && size >= 12)
			payload = (get32(p + at + 8, false) + 7ull) & ~7ull;
		at += size;
		if (!in_bounds(at, payload, end))
			return false;
		if (payload)
			fprintf(out, "payload %016llx\n", view_hash(p + at, payload));
		at += payload;
	}
	return true;
}

static inline bool view_sections(FILE *out, const unsigned char *p, size_t len)
{
	const uint64_t attr_size = get64(p + PERF_ATTR_SIZE, false);
	uint64_t at = get64(p + PERF_ATTRS, false), n = get64(p + PERF_ATTRS + 8, false);
	unsigned int bit;

	if (!attr_size || !in_bounds(at, n, len))
		return false;
	for (n += at; at + attr_size <= n; at += attr_size) {
		const unsigned char *ids = p + at + attr_size - SECTION_SIZE;

		if (!in_bounds(get64(ids, false), get64(ids + 8, false), len))
			return false;
		fprintf(out, "attr %016llx ids %llu %016llx\n",
			view_hash(p + at, attr_size - SECTION_SIZE),
			(unsigned long long)get64(ids + 8, false),
			view_hash(p + get64(ids, false), get64(ids + 8, false)));
	}

	at = get64(p + PERF_DATA, false);
	n = get64(p + PERF_DATA + 8, false);
	if (!in_bounds(at, n, len))
		return false;
	if (!view_records(out, p, at, at + n))
		return false;

	at += n;
	for (bit = 0; bit < PERF_FEATURE_BITS; bit++) {
		if (!(p[PERF_FEATURES + bit / 8] >> bit % 8 & 1))
			continue;
		if (!in_bounds(at, SECTION_SIZE, len) ||
		    !in_bounds(get64(p + at, false), get64(p + at + 8, false), len))
			return false;
		if (bit == FEATURE_AUXTRACE)
			view_index(out, p, len, get64(p + at, false), get64(p + at + 8, false));
		else
			fprintf(out, "feature %u size %llu %016llx\n", bit,
				(unsigned long long)get64(p + at + 8, false),
				view_hash(p + get64(p + at, false), get64(p + at + 8, false)));
		at += SECTION_SIZE;
	}
	return true;
}

/* The caller frees it. A damaged file has a view of its own, different from every sound one's. */
static inline char *view(const unsigned char *p, size_t len)
{
	size_t room;
	char *text;
	FILE *out = open_memstream(&text, &room);

	if (!out)
		abort();
	if (len > 10 && !memcmp(p + 3, "tracing", 7)) {
		if (!view_dat(out, p, len))
			fprintf(out, "damaged\n");
	} else if (len >= PERF_PIPE_HEADER_SIZE && get64(p + PERF_SIZE, false) == PERF_PIPE_HEADER_SIZE) {
		if (!view_records(out, p, PERF_PIPE_HEADER_SIZE, len))
			fprintf(out, "damaged\n");
	} else if (len < PERF_HEADER_SIZE || !view_sections(out, p, len))
		fprintf(out, "damaged\n");
	fclose(out);
	return text;
}

#endif /* KRELOC_TESTS_VIEW_H */
