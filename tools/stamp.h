/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stamping one file after the other, for kreloc stamp, for kreloc record and for libkreloc.
 */
#ifndef KRELOC_STAMP_H
#define KRELOC_STAMP_H

#include "infer.h"
#include "loaded.h"
#include "place.h"
#include "symbols.h"
#include "trace.h"

/**
 * struct request - what the user wants, and what all files share
 * @source:	where to ask
 * @offset:	given by the user where @has_offset, who then answers for boot and kernel
 * @vmlinux_path: given by the user, or NULL
 * @infer:	find each file's offset by its own addresses
 * @code:	map of the vmlinux, where has_code
 * @has_code:	it was read
 * @no_code:	why it was not, where not; empty where nobody asked for it
 * @modules:	stamp where the modules are, too
 * @loaded:	these, where @modules
 * @sidecar:	a file of another kind gets one
 * @force:	objections become warnings
 * @dry_run:	say what would be done
 * @say:	gets a line about what was done; NULL where nobody wants to know
 * @kernel:	the running kernel
 * @vmlinux:	where @vmlinux_path was given
 * @place:	what is stamped, once @searched
 * @place_status: KRELOC_DONE, or why there is none
 * @no_place:	the same for people: why it is not known, or just its link address
 */
struct request {
	const char *source;
	bool has_offset;
	uint64_t offset;
	const char *vmlinux_path;
	bool infer;
	struct codemap code;
	bool has_code;
	struct why no_code;
	bool modules;
	struct loaded loaded;
	bool sidecar;
	bool force;
	bool dry_run;
	void (*say)(const char *line);
	struct kernel kernel;
	struct vmlinux vmlinux;
	struct place place;
	bool searched;
	int place_status;
	struct why no_place;
};

struct stream;

int stamp_begin(struct request *req, struct why *why);
int stamp_place(struct request *req);
int stamp_file(struct request *req, const char *path, struct why *why);
int stamp_held(struct request *req, const struct stream *stream, struct stamp_job *job,
	       struct why *note, struct why *why);
void stamp_say(const struct request *req, const struct trace *trace, const char *what,
	       const struct why *note);
void stamp_end(struct request *req);

/* kreloc stamp: the same, and says what is wrong. */
int cmd_stamp_file(struct request *req, const char *path);

#endif /* KRELOC_STAMP_H */
