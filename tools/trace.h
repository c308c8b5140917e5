/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Trace files and their formats. A new format is one file, its extern below, and its entry in
 * format.c; see Documentation/adding-a-format.md. It says what a file knows and which bytes make
 * the stamp, and never writes itself: stamp-block.c and rewrite.c do, in one order that a crash
 * cannot hurt, for all of them.
 */
#ifndef KRELOC_TRACE_H
#define KRELOC_TRACE_H

#include <sys/stat.h>

#include "kreloc.h"
#include "place.h"
#include "stamp-block.h"

struct evidence;

/**
 * struct trace - an open trace file
 * @path:	as given
 * @file:	the file itself; another where @path is a directory of perf's
 * @fd:		open for reading, and for writing where @write_error is 0
 * @st:		as it was before anything was changed
 * @size:	in bytes, kept up to date
 * @write_error: why it cannot be written (errno), which matters once there is something to write
 */
struct trace {
	const char *path;
	char *file;
	int fd;
	struct stat st;
	uint64_t size;
	int write_error;
};

/* What a file says about the place of its kernel. */
enum trace_state {
	TRACE_BLIND,		/* nothing */
	TRACE_HOLLOW,		/* there is a record, but the recorder saw no address */
	TRACE_RECORDED,		/* the recorder wrote it */
	TRACE_STAMPED,		/* kreloc wrote it */
	TRACE_INTERRUPTED,	/* kreloc was stopped half way; readers see a blind file */
};

/*
 * What a recording says of the place of an earlier kernel, whose events it holds as well: where
 * its anchor was; or, as kernels said before (028a58ec1542), its offset; or, before that
 * (bcba8d4dbe68), by how much the text has moved since.
 */
enum last_boot {
	LAST_BOOT_NONE,
	LAST_BOOT_TEXT,
	LAST_BOOT_OFFSET,
	LAST_BOOT_DELTA,
};

/* As many kernel samples, and callers of theirs, as are held against a place. */
#define FACTS_IPS	1024
#define FACTS_CALLERS	4096

/**
 * struct facts - what a file knows
 * @state:	see above
 * @text:	run-time address of the anchor, where recorded or stamped
 * @link:	link address of the anchor, where recorded; 0 where not known
 * @kernel_offset: what VMCOREINFO says of the offset, valid where @has_kernel_offset
 * @has_kernel_offset: only of dumps
 * @record_at:	where the kernel's record is, unless TRACE_BLIND; belongs to the format
 * @anchor:	its name; empty where not known
 * @has_modules: it says where kernel modules are
 * @block:	kreloc's own record of its stamp, valid where @has_block
 * @has_block:	only if stamped or interrupted
 * @second_gap:	for @block.gap to lead to
 * @orig_size:	of the file before it was stamped, if stamped or interrupted
 * @attrs_at:	where what a stamp puts into its payload is: event attributes, options; 0 for
 *		formats without
 * @altered:	it has a stamp, and was changed since by somebody else
 * @build_id:	the kernel's, as recorded
 * @release:	the same; empty where not known
 * @machine:	the same
 * @host:	the same
 * @memory:	kB, 0 where not known
 * @last_boot:	what it says of another boot. Nothing here is to be taken for this one's
 * @last_boot_value: in bytes
 * @last_boot_buffer: which of its buffers has that boot's events
 * @boot_id:	of the boot that was recorded, zeros where not known
 * @last_time:	time of the last sample in ns on the kernel's scheduler clock, 0 where not known
 * @end:	end of the last part of the file that its format accounts for; set by the format
 * @nr_ips:	how many addresses are in @ips
 * @ips:	instruction addresses of the first kernel samples
 * @nr_callers:	how many values are in @callers
 * @callers:	kernel addresses in their call chains, inner first, a 0 after each chain
 */
struct facts {
	enum trace_state state;
	uint64_t text;
	uint64_t link;
	uint64_t kernel_offset;
	bool has_kernel_offset;
	uint64_t record_at;
	char anchor[STAMP_ANCHOR_LEN];
	bool has_modules;
	struct stamp_block block;
	bool has_block;
	struct stamp_gap second_gap;
	uint64_t orig_size;
	bool altered;
	struct build_id build_id;
	char release[RELEASE_LEN];
	char machine[RELEASE_LEN];
	char host[HOST_LEN];
	uint64_t memory;
	enum last_boot last_boot;
	uint64_t last_boot_value;
	char last_boot_buffer[HOST_LEN];
	unsigned char boot_id[BOOT_ID_LEN];
	uint64_t last_time;
	uint64_t end;
	uint64_t attrs_at;
	unsigned int nr_ips;
	uint64_t ips[FACTS_IPS];
	unsigned int nr_callers;
	uint64_t callers[FACTS_CALLERS];
};

struct move;

/**
 * struct format - a kind of trace file
 * @name:	as in the output
 * @probe:	does a file that begins like this look like one?
 * @read:	what does it know? Starts with zeros, leaves STAMPED and INTERRUPTED to
 *		trace_examine(), and so what a stamp within the file says: that is in @block, with
 *		its gap. Bounded: never reads the whole file. 0 or -1 and why
 * @relocate:	corrects every place that the file names, in a copy of it where the gap is made
 *		already and filled where it has data, or gone already. NULL where the format names
 *		none. 0 or -1 and why
 * @evidence:	adds the kernel addresses in the file's first @limit bytes, or NULL where that cannot
 *		be. 0 or -1 and why
 * @modules:	@stamp knows where to put those of stamp_info
 * @beside:	its stamp is another file beside it, and the file itself is nobody's business
 * @small:	its stamp is always a new file, and not worth a word
 * @stamp:	fills @job with the bytes to append and to replace, for a blind or hollow file as
 *		@facts of it say. 0 or -1 and why. NULL where @read never says blind or hollow
 */
struct format {
	const char *name;
	bool (*probe)(const unsigned char *head, size_t len);
	int (*read)(const struct trace *trace, struct facts *facts, struct why *why);
	int (*evidence)(const struct trace *trace, struct evidence *ev, uint64_t limit,
			struct why *why);
	int (*stamp)(const struct trace *trace, const struct facts *facts,
		     const struct stamp_info *info, struct stamp_job *job, struct why *why);
	int (*relocate)(int fd, const struct move *move, struct why *why);
	bool beside;
	bool modules;
	bool small;
};

/**
 * struct move - where the bytes of a file are in its copy
 * @gap:	that the copy has more, or less
 * @insert:	more
 * @size:	of the file
 */
struct move {
	struct stamp_gap gap;
	bool insert;
	uint64_t size;
};

/* What lies beyond the file was nowhere, and stays there. */
static inline uint64_t moved(const struct move *move, uint64_t at)
{
	const struct stamp_gap *gap = &move->gap;
	uint64_t to = at;

	for (; gap && at <= move->size && at >= gap->at; gap = gap->then) {
		if (move->insert)
			to += gap->len;
		else
			to -= at - gap->at < gap->len ? at - gap->at : gap->len;
	}
	return to;
}

/* As much of a file as @probe gets to see, where it is as long. */
#define PROBE_LEN	4096

extern const struct format format_ctf;
extern const struct format format_perf;
extern const struct format format_sidecar;
extern const struct format format_text;
extern const struct format format_trace_dat;
extern const struct format format_vmcore;

struct vmcoreinfo;
int vmcore_info(const struct trace *trace, const struct arch **arch, struct vmcoreinfo *info,
		struct why *why);

const struct format *format_of(const struct trace *trace, struct why *why);

int trace_open(struct trace *trace, const char *path, bool write, struct why *why);
void trace_close(struct trace *trace);

/**
 * struct trace_list - the traces behind the arguments of a command
 * @path:	of each
 * @nr:		how many
 */
struct trace_list {
	char **path;
	size_t nr;
};

int trace_list(struct trace_list *list, int argc, char **argv, struct why *why);
int trace_list_add(struct trace_list *list, const char *path, struct why *why);
void trace_list_free(struct trace_list *list);
bool ctf_elsewhere(const struct trace *trace);
int text_evidence(const struct trace *trace, struct evidence *ev, uint64_t limit,
		  struct why *why);
int text_facts(const char *head, size_t len, struct facts *facts, struct why *why);
bool text_stamp_ends(const char *head, size_t len, size_t *begin, size_t *end);

int trace_read(const struct trace *trace, void *buf, size_t len, uint64_t at, struct why *why);
int trace_examine(const struct trace *trace, const struct format *format, struct facts *facts,
		  struct why *why);
void facts_stamped(struct facts *facts);
void facts_free(struct facts *facts);
int trace_fits(const struct facts *facts, const struct vmlinux *vmlinux, struct why *why);
int trace_place(const struct facts *facts, const struct vmlinux *vmlinux, struct place *place,
		struct why *why);
int trace_place_of(const char *path, const struct vmlinux *vmlinux, struct place *place,
		   struct why *why);
int trace_strip(struct trace *trace, bool *stripped, struct why *why);
int trace_restore(struct trace *trace, const struct format *format, const struct facts *facts,
		  struct why *why);

int rewrite_stamp(struct trace *trace, const struct format *format, const struct stamp_info *info,
		  const struct stamp_job *job, struct why *why);
int rewrite_strip(struct trace *trace, const struct format *format,
		  const struct stamp_block *block, struct why *why);
int rewrite_stamp_into(int fd, const struct trace *trace, const struct format *format,
		       const struct stamp_info *info, const struct stamp_job *job,
		       struct why *why);
int rewrite_strip_into(int fd, const struct trace *trace, const struct format *format,
		       const struct stamp_block *block, struct why *why);

/* Of the file that is the stamp of another. */
#define SIDECAR_SUFFIX	".kreloc"

char *sidecar_path(const struct trace *trace);
bool sidecar_exists(const struct trace *trace);
int rewrite_beside(const struct trace *trace, const char *text, struct why *why);
int rewrite_drop_beside(const struct trace *trace, struct why *why);

/**
 * struct guard - what a file is held against before it is stamped
 * @place:	to be stamped
 * @build_id:	of the kernel at @place; size 0 where not known
 * @build_id_of: how to call that kernel
 * @release:	the same; empty where not known
 * @boot:	the running kernel, where the file must be from its boot; else NULL
 */
struct guard {
	const struct place *place;
	struct build_id build_id;
	const char *build_id_of;
	const char *release;
	const struct kernel *boot;
};

/* Eight of guard_check(), and one of the vmlinux's code */
#define GUARD_REASONS	9

/**
 * struct verdict - why a file should not be stamped
 * @nr:		number of reasons, 0 where it may
 * @why:	each
 */
struct verdict {
	unsigned int nr;
	struct why why[GUARD_REASONS];
};

void guard_samples(const struct trace *trace, const struct format *format,
		   const struct arch *arch, struct facts *facts);
int guard_arch(const struct guard *guard, const struct facts *facts, struct why *why);
void guard_check(const struct guard *guard, const struct trace *trace, const struct facts *facts,
		 struct verdict *verdict);

#endif /* KRELOC_TRACE_H */
