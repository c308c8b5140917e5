/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A perf.data that is open: its headers, checked, and a walk through its records.
 */
#ifndef KRELOC_PERF_FILE_H
#define KRELOC_PERF_FILE_H

#include "perf-data.h"
#include "trace.h"

struct evidence;

struct section {
	uint64_t offset;
	uint64_t len;
};

/**
 * struct perf_file - the headers of a perf.data, every section checked to lie within the file
 * @trace:	the file
 * @big:	byte order
 * @pipe:	records only, as perf writes them into a pipe: attrs and features are among them
 * @body:	if @pipe, where those end
 * @attr_size:	of an entry of @attr_entries: an attr and the section of its ids
 * @attrs:	where the entries are
 * @data:	where the records are
 * @features:	where the features are, those that are set
 * @feature_set: which are
 * @end:	end of the last section
 * @nr_attrs:	number of entries, at least 1
 * @attr_entries: their bytes
 */
struct perf_file {
	const struct trace *trace;
	bool big;
	bool pipe;
	uint64_t body;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	struct section features[PERF_FEATURE_BITS];
	bool feature_set[PERF_FEATURE_BITS];
	uint64_t end;
	unsigned int nr_attrs;
	unsigned char *attr_entries;
};

/**
 * struct perf_walk - records one after the other, through a buffer
 * @file:	the file
 * @at:		offset of the next record
 * @end:	where they end
 * @budget:	bytes that may still be read, so that skipping from one end of a huge file to the
 *		other ends, too
 * @buf:	holds a record of any size
 * @buf_at:	offset of its first byte
 * @buf_len:	bytes in it
 * @record:	the current record
 * @size:	its size, at least RECORD_HEADER_SIZE
 */
struct perf_walk {
	const struct perf_file *file;
	uint64_t at;
	uint64_t end;
	uint64_t budget;
	unsigned char *buf;
	uint64_t buf_at;
	size_t buf_len;
	const unsigned char *record;
	size_t size;
};

int perf_open(struct perf_file *file, const struct trace *trace, struct why *why);
void perf_close(struct perf_file *file);
struct section perf_ids(const struct perf_file *file, unsigned int i);

int perf_walk_start(struct perf_walk *walk, const struct perf_file *file,
		    const struct section *section, uint64_t budget, struct why *why);
bool perf_walk_next(struct perf_walk *walk);
void perf_walk_end(struct perf_walk *walk);

int perf_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit, struct why *why);

#endif /* KRELOC_PERF_FILE_H */
