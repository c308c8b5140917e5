/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.dat, as trace-cmd writes it: trace-cmd.dat.v6(5) and trace-cmd.dat.v7(5). Numbers are in
 * the byte order that the file's tenth byte but two names; in version 7 the parts of the file are
 * sections, which options lead to, and in version 6 they come one after the other.
 */
#ifndef KRELOC_TRACE_DAT_H
#define KRELOC_TRACE_DAT_H

#include "trace.h"

#define DAT_MAGIC	"\x17\x08\x44tracing"
#define DAT_MAGIC_LEN	10

/* Options; from HEADER_INFO to CMDLINES they lead to the section of that number. */
enum {
	DAT_DONE = 0,
	DAT_BUFFER = 3,
	DAT_TRACECLOCK = 4,
	DAT_UNAME = 5,
	DAT_CPUCOUNT = 8,
	DAT_TSC2NSEC = 14,
	DAT_HEADER_INFO = 16,
	DAT_FTRACE_EVENTS = 17,
	DAT_KALLSYMS = 19,
	DAT_CMDLINES = 21,
	DAT_BUFFER_TEXT = 22,
	DAT_LAST_BOOT = 24,
	DAT_KRELOC = 0x4b52,		/* kreloc's own: "KR" */
};

/* id and length of an option */
#define DAT_OPTION_HEAD	6
/* id, flags, string and length of a section; that has 8 bytes, though the manual says 4 */
#define DAT_SECTION_HEAD	16
/* "options  ", "latency  " and "flyrecord", with their NUL */
#define DAT_TAG		10

/* As long as any kernel's /proc/kallsyms, which is what this bounds. */
#define DAT_TEXT_MAX	(64u << 20)

/**
 * struct dat_part - bytes of the file
 * @at:		offset
 * @len:	as they are in the file
 * @packed:	compressed
 * @title:	version 7: where its name is among the strings
 */
struct dat_part {
	uint64_t at;
	uint64_t len;
	uint32_t title;
	bool packed;
};

enum dat_packing {
	DAT_PLAIN,
	DAT_ZLIB,
	DAT_ZSTD,
	DAT_UNKNOWN,
};

/**
 * struct dat_file - an open trace.dat
 * @trace:	the file
 * @move:	it is a copy with gaps, and what names a place in it is not corrected; or NULL
 * @big:	byte order
 * @version:	6 or 7
 * @page_size:	of the machine
 * @packing:	what compressed parts are compressed with
 * @root:	version 7: where the header names the first section of options
 * @first:	version 7: that section
 * @options:	all of them, one behind the other, without DONE
 * @options_len: bytes of these
 * @parts:	contents of the sections, by their number; at 0 where there is none. At
 *		DAT_DONE the last one with options
 * @options_at:	version 6: where the options are, in front of them their tag; 0 where there are none
 * @options_end: version 6: behind the last of them, where there is DONE; or where the tag of the
 *		options would be
 * @cpus:	data of each processor, of all buffers
 * @nr_cpus:	how many
 * @places:	version 6: where the file names a place in itself
 * @nr_places:	how many
 * @end:	of the last part
 */
struct dat_file {
	const struct trace *trace;
	const struct move *move;
	bool big;
	unsigned int version;
	uint32_t page_size;
	enum dat_packing packing;
	uint64_t root;
	uint64_t first;
	unsigned char *options;
	size_t options_len;
	struct dat_part parts[DAT_CMDLINES + 1];
	uint64_t options_at;
	uint64_t options_end;
	struct dat_part *cpus;
	size_t nr_cpus;
	uint64_t *places;
	size_t nr_places;
	uint64_t end;
};

/**
 * struct dat_option - one option
 * @id:		DAT_*
 * @len:	of @data
 * @data:	it
 */
struct dat_option {
	unsigned int id;
	size_t len;
	const unsigned char *data;
};

int dat_open(struct dat_file *file, const struct trace *trace, const struct move *move,
	     struct why *why);
void dat_close(struct dat_file *file);

bool dat_next(const struct dat_file *file, struct dat_option *option);
bool dat_find(const struct dat_file *file, unsigned int id, struct dat_option *option);
int dat_content(const struct dat_file *file, const struct dat_part *part, size_t max,
		unsigned char **data, size_t *len, struct why *why);
int dat_unpack(const struct dat_file *file, const unsigned char *from, size_t from_len,
	       unsigned char *to, size_t *to_len);

struct evidence;
int dat_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit, struct why *why);
int dat_first_events(const struct dat_file *file, struct facts *facts, struct why *why);

#endif /* KRELOC_TRACE_DAT_H */
