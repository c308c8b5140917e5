/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The parts of perf.data that kreloc reads. Where they come from, in the kernel's source:
 * tools/perf/Documentation/perf.data-file-format.txt, tools/perf/util/header.c,
 * tools/lib/perf/include/perf/event.h, include/uapi/linux/perf_event.h.
 */
#ifndef KRELOC_PERF_DATA_H
#define KRELOC_PERF_DATA_H

#include "bytes.h"

/* struct perf_file_header */
enum {
	PERF_MAGIC = 0,
	PERF_SIZE = 8,
	PERF_ATTR_SIZE = 16,
	PERF_ATTRS = 24,
	PERF_DATA = 40,
	PERF_EVENT_TYPES = 56,
	PERF_FEATURES = 72,
	PERF_HEADER_SIZE = 104,
	PERF_PIPE_HEADER_SIZE = 16,
};

#define PERF_FEATURE_BITS	256

/* struct perf_file_section */
enum {
	SECTION_OFFSET = 0,
	SECTION_LEN = 8,
	SECTION_SIZE = 16,
};

/* struct perf_event_attr */
enum {
	ATTR_TYPE = 0,
	ATTR_SIZE_AT = 4,
	ATTR_CONFIG = 8,
	ATTR_SAMPLE_TYPE = 24,
	ATTR_READ_FORMAT = 32,
	ATTR_FLAGS = 40,
	/* PERF_ATTR_SIZE_VER0 */
	ATTR_SIZE_MIN = 64,
};

/* Bit fields are laid out from the other end on big-endian machines. */
#define ATTR_FLAG(bit, big)		(1ull << ((big) ? 63 - (bit) : (bit)))
#define ATTR_FLAG_SAMPLE_ID_ALL		18
#define ATTR_FLAG_USE_CLOCKID		25

#define SAMPLE_TYPE_IP		(1ull << 0)
#define SAMPLE_TYPE_TID		(1ull << 1)
#define SAMPLE_TYPE_TIME	(1ull << 2)
#define SAMPLE_TYPE_ADDR	(1ull << 3)
#define SAMPLE_TYPE_READ	(1ull << 4)
#define SAMPLE_TYPE_CALLCHAIN	(1ull << 5)
#define SAMPLE_TYPE_ID		(1ull << 6)
#define SAMPLE_TYPE_CPU		(1ull << 7)
#define SAMPLE_TYPE_PERIOD	(1ull << 8)
#define SAMPLE_TYPE_STREAM_ID	(1ull << 9)
#define SAMPLE_TYPE_RAW		(1ull << 10)
#define SAMPLE_TYPE_IDENTIFIER	(1ull << 16)

#define READ_TIME_ENABLED	(1ull << 0)
#define READ_TIME_RUNNING	(1ull << 1)
#define READ_ID			(1ull << 2)
#define READ_GROUP		(1ull << 3)
#define READ_LOST		(1ull << 4)

/* attr.type; attr.config then is the number of a tracepoint. */
#define TYPE_TRACEPOINT		2

/* Feature bits. */
enum {
	FEATURE_TRACING_DATA = 1,
	FEATURE_BUILD_ID = 2,
	FEATURE_HOSTNAME = 3,
	FEATURE_OSRELEASE = 4,
	FEATURE_ARCH = 6,
	FEATURE_TOTAL_MEM = 10,
	FEATURE_AUXTRACE = 18,
	FEATURE_SAMPLE_TIME = 21,
};

/* struct perf_event_header */
enum {
	RECORD_TYPE = 0,
	RECORD_MISC = 4,
	RECORD_SIZE = 6,
	RECORD_HEADER_SIZE = 8,
	RECORD_SIZE_MAX = 65535,
};

enum {
	RECORD_MMAP = 1,
	RECORD_SAMPLE = 9,
	RECORD_MMAP2 = 10,
	RECORD_ATTR = 64,
	RECORD_EVENT_TYPE = 65,
	RECORD_TRACING_DATA = 66,
	RECORD_BUILD_ID = 67,
	RECORD_FINISHED_ROUND = 68,
	RECORD_ID_INDEX = 69,
	RECORD_AUXTRACE_INFO = 70,
	RECORD_AUXTRACE = 71,
	RECORD_THREAD_MAP = 73,
	RECORD_CPU_MAP = 74,
	RECORD_EVENT_UPDATE = 78,
	RECORD_TIME_CONV = 79,
	RECORD_FEATURE = 80,
	RECORD_COMPRESSED = 81,
	RECORD_COMPRESSED2 = 83,
};

#define MISC_CPUMODE		7
#define MISC_KERNEL		1
#define MISC_MMAP_BUILD_ID	(1 << 14)
#define MISC_BUILD_ID_SIZE	(1 << 15)

/* enum perf_callchain_context: what follows in a call chain; the values are the topmost 4095 */
#define CONTEXT_KERNEL		((uint64_t)-128)
#define CONTEXT_MAX		((uint64_t)-4095)

/* PERF_RECORD_MMAP and MMAP2 */
enum {
	MMAP_PID = 8,
	MMAP_TID = 12,
	MMAP_START = 16,
	MMAP_LEN = 24,
	MMAP_PGOFF = 32,
	/* of the three */
	MMAP_PLACE_SIZE = 24,
	MMAP_NAME = 40,
	MMAP2_BUILD_ID_SIZE = 40,
	MMAP2_BUILD_ID = 44,
	MMAP2_NAME = 72,
};

/* struct perf_record_header_build_id */
enum {
	BUILD_ID_RECORD_ID = 12,
	BUILD_ID_RECORD_ID_SIZE = 32,
	BUILD_ID_RECORD_NAME = 36,
};

/* struct perf_record_auxtrace and perf_record_header_tracing_data: the size of what follows */
enum {
	AUXTRACE_PAYLOAD = 8,
	TRACING_DATA_PAYLOAD = 8,
};

/* What follows a record without being part of its size. */
static inline uint64_t perf_payload(const unsigned char *record, size_t size, bool big)
{
	switch (get32(record + RECORD_TYPE, big)) {
	case RECORD_AUXTRACE:
		return size < AUXTRACE_PAYLOAD + 8 ? 0 : get64(record + AUXTRACE_PAYLOAD, big);
	case RECORD_TRACING_DATA:
		return size < TRACING_DATA_PAYLOAD + 4 ? 0 :
		       round_up(get32(record + TRACING_DATA_PAYLOAD, big), 8);
	default:
		return 0;
	}
}

/* struct perf_record_header_feature */
enum {
	FEATURE_BIT = 8,
	FEATURE_DATA = 16,
};

/* struct perf_record_compressed2: the size of what follows it; its predecessor has none */
enum {
	COMPRESSED_DATA = 8,
	COMPRESSED2_SIZE = 8,
	COMPRESSED2_DATA = 16,
};

#endif /* KRELOC_PERF_DATA_H */
