/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Stamping one file after the other, for kreloc stamp and for kreloc record.
 */
#ifndef KRELOC_STAMP_H
#define KRELOC_STAMP_H

#include <stdio.h>

#include "infer.h"
#include "loaded.h"
#include "place.h"
#include "symbols.h"

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
 * @say:	where to say what was done
 * @kernel:	the running kernel
 * @vmlinux:	where @vmlinux_path was given
 * @place:	what is stamped, once @searched
 * @place_status: KRELOC_DONE, or why there is none
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
	FILE *say;
	struct kernel kernel;
	struct vmlinux vmlinux;
	struct place place;
	bool searched;
	int place_status;
};

int stamp_begin(struct request *req);
int stamp_place(struct request *req);
int stamp_file(struct request *req, const char *path);
void stamp_end(struct request *req);

#endif /* KRELOC_STAMP_H */
