/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The block that kreloc appends to a file it stamps: where the stamp came from, and what it takes
 * to undo it. It is also the journal that makes a stamp safe: the block is on the disk before the
 * first byte of the file proper is touched, so a stamp that was stopped anywhere can be taken
 * back. Layout: Documentation/stamp-format.md.
 */
#ifndef KRELOC_STAMP_BLOCK_H
#define KRELOC_STAMP_BLOCK_H

#include "kreloc.h"
#include "place.h"

#define STAMP_ANCHOR_LEN	24
#define STAMP_SOURCE_LEN	16
#define STAMP_MACHINE_LEN	16
#define STAMP_LINK_SOURCE_LEN	32
#define STAMP_VERSION_LEN	40

struct loaded;

/**
 * struct stamp_info - provenance of a stamp
 * @text:	run-time address of the anchor
 * @link:	its link address, 0 where not known
 * @text_size:	bytes, 0 where not known
 * @time:	when it was stamped, seconds since the epoch
 * @boot_id:	zeros where not known
 * @build_id:	of the kernel
 * @anchor:	name of the symbol
 * @source:	who told @text
 * @machine:	the kernel's architecture
 * @link_source: who told @link
 * @version:	of kreloc
 * @release:	of the kernel
 * @loaded:	modules that are to be stamped as well, or NULL; not in the block
 * @vmlinux:	where the names of its functions are; NULL where nobody said. Not part of the stamp
 */
struct stamp_info {
	uint64_t text;
	uint64_t link;
	uint64_t text_size;
	uint64_t time;
	unsigned char boot_id[BOOT_ID_LEN];
	struct build_id build_id;
	char anchor[STAMP_ANCHOR_LEN];
	char source[STAMP_SOURCE_LEN];
	char machine[STAMP_MACHINE_LEN];
	char link_source[STAMP_LINK_SOURCE_LEN];
	char version[STAMP_VERSION_LEN];
	char release[RELEASE_LEN];
	const struct loaded *loaded;
	const char *vmlinux;
};

/* More than any format needs. */
#define STAMP_CHANGES	8
/* One change: a format's header field, or one record. */
#define STAMP_CHANGE_LEN 4096
/* What a format may move to the end of the file. */
#define STAMP_PAYLOAD_MAX (32u << 20)

/**
 * struct stamp_change - bytes of the original file that are replaced
 * @at:		offset in the file
 * @len:	at most STAMP_CHANGE_LEN
 * @old:	what was there
 * @new:	what comes there
 */
struct stamp_change {
	uint64_t at;
	uint32_t len;
	const unsigned char *old;
	const unsigned char *new;
};

/**
 * struct stamp_gap - bytes that a stamped file has more than the original in its midst
 * @at:		offset in the file
 * @len:	0 where there are none
 * @data:	what comes there, or NULL for zeros
 * @then:	another one behind it; NULL where there is none. Only for what is embedded
 */
struct stamp_gap {
	uint64_t at;
	uint64_t len;
	const unsigned char *data;
	const struct stamp_gap *then;
};

/**
 * struct stamp_job - what a format wants done
 * @gap:	room that the file has to be given before; rewrite.c then does that
 * @gap_is_stamp: what is in @gap is all of the stamp; else the format is asked again what to do
 *		with the new file
 * @made:	the gap that a new file was given. Then its stamp is taken out by rewriting, too
 * @beside:	text for a file beside the one that is stamped, which then stays as it is; else NULL
 * @payload:	bytes for the end of the file, which @changes may point to; at stamp_payload_at()
 * @payload_len: of these
 * @changes:	in the order in which they are made; each must leave a file that every reader
 *		understands, and only the last may change what readers see
 * @nr_changes:	at least 1
 * @note:	for the user, behind what was stamped; NULL where there is nothing to say
 * @memory:	freed by stamp_job_free(): what the pointers above point into
 */
struct stamp_job {
	struct stamp_gap gap;
	bool gap_is_stamp;
	struct stamp_gap made;
	const char *beside;
	const unsigned char *payload;
	size_t payload_len;
	struct stamp_change changes[STAMP_CHANGES];
	unsigned int nr_changes;
	const char *note;
	void *memory[2 * STAMP_CHANGES + 4];
	unsigned int nr_memory;
};

/**
 * struct stamp_block - a block that was read back
 * @info:	provenance, every string terminated
 * @gap:	made in the file; @orig_size is with it
 * @orig_size:	of the file before it was stamped
 * @size:	from the end of the padding to the end of the file
 * @changes:	pointers into @data
 * @nr_changes:	number of these
 * @data:	the block as it is in the file
 */
struct stamp_block {
	struct stamp_info info;
	struct stamp_gap gap;
	uint64_t orig_size;
	uint64_t size;
	struct stamp_change changes[STAMP_CHANGES];
	unsigned int nr_changes;
	unsigned char *data;
};

/* How far a stamp or its removal went. */
enum stamp_progress {
	STAMP_COMPLETE,		/* every change is made */
	STAMP_UNDONE,		/* the last one is not: readers see the original */
	STAMP_FOREIGN,		/* somebody else changed these bytes since */
};

uint64_t stamp_payload_at(uint64_t orig_size);
void *stamp_job_alloc(struct stamp_job *job, size_t len, struct why *why);
void stamp_job_free(struct stamp_job *job);

int stamp_block_build(const struct stamp_info *info, uint64_t orig_size,
		      const struct stamp_job *job, unsigned char **block, size_t *len,
		      struct why *why);
int stamp_block_parse(const unsigned char *data, size_t len, uint64_t file_size,
		      struct stamp_block *block);
int stamp_block_embed(const struct stamp_info *info, unsigned char **block, size_t *len,
		      struct why *why);
int stamp_block_extract(const unsigned char *data, size_t len, struct stamp_block *block);
int stamp_block_find(int fd, uint64_t file_size, struct stamp_block *block);
void stamp_block_free(struct stamp_block *block);
int stamp_block_progress(int fd, const struct stamp_block *block, enum stamp_progress *progress,
			 struct why *why);
bool stamp_block_torn(int fd, uint64_t payload_at);
bool stamp_block_rest(int fd, uint64_t end, uint64_t file_size, uint64_t *orig_size);

struct trace;
int stamp_apply(struct trace *trace, const struct stamp_info *info, const struct stamp_job *job,
		struct why *why);
int stamp_undo(struct trace *trace, const struct stamp_block *block, struct why *why);
int stamp_drop_rest(struct trace *trace, uint64_t orig_size, struct why *why);

#endif /* KRELOC_STAMP_BLOCK_H */
