// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stamping one file: what is stamped, whether the file may be, and what was done. Prints nothing;
 * who wants to know has put a function into the request.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "infer.h"
#include "stamp.h"
#include "stream.h"
#include "trace.h"

/* A line for whoever wants to know. */
static void __attribute__((format(printf, 2, 3))) tell(const struct request *req,
							const char *fmt, ...)
{
	char *line;
	va_list ap;

	if (!req->say)
		return;
	va_start(ap, fmt);
	if (vasprintf(&line, fmt, ap) < 0)
		line = NULL;
	va_end(ap);
	if (line)
		req->say(line);
	free(line);
}

/* Nobody claims that the file is from the running kernel and this boot. */
static bool from_anywhere(const struct request *req)
{
	return req->has_offset || req->infer;
}

/* What each source said, in one line. */
static void join(const struct search *search, struct why *why)
{
	unsigned int i;

	explain(why, "nobody knows where the kernel is");
	for (i = 0; i < search->asked; i++)
		explain(why, "%s%s %s: %s", why->text, i ? ";" : ":", search->name[i],
			search->why[i].text);
}

/* The place of the running kernel. */
static int find_place(struct request *req)
{
	const struct vmlinux *vmlinux = req->vmlinux_path ? &req->vmlinux : NULL;
	struct why *why = &req->no_place;
	struct search search;
	unsigned int i;

	if (vmlinux && vmlinux_is_of(vmlinux, &req->kernel, why)) {
		notice(NULL, "%s; with --offset=HEX it need not be", why->text);
		return KRELOC_FAILED;
	}
	if (source_find(req->source, &req->kernel, vmlinux, &req->place, &search)) {
		for (i = 0; i < search.asked; i++)
			notice(search.name[i], "%s", search.why[i].text);
		join(&search, why);
		return KRELOC_UNKNOWN;
	}
	if (vmlinux && req->place.link != vmlinux->link) {
		explain(why, "%s: linked at 0x%016llx, and %s says 0x%016llx", vmlinux->path,
			(unsigned long long)vmlinux->link, req->place.link_source,
			(unsigned long long)req->place.link);
		notice(NULL, "%s", why->text);
		return KRELOC_FAILED;
	}
	if (!req->place.link)
		req->no_place = search.why[search.asked - 1];
	source_text_size(vmlinux, &req->place);
	return KRELOC_DONE;
}

/* The place that the user gave: an offset from a link address that has to come from somewhere. */
static int given_place(struct request *req)
{
	struct place *place = &req->place;
	struct why why;

	memset(place, 0, sizeof(*place));
	place->source = "given";
	place->arch = req->vmlinux_path ? req->vmlinux.arch : req->kernel.arch;
	if (req->vmlinux_path) {
		place->link = req->vmlinux.link;
		place->link_source = "vmlinux";
		place->text_size = req->vmlinux.text_size;
	} else if (!place->arch) {
		notice(NULL, "--offset needs --vmlinux=FILE on %s", req->kernel.machine);
		return KRELOC_UNKNOWN;
	} else if (link_find(&req->kernel, NULL, place, &why)) {
		notice(NULL, "--offset needs --vmlinux=FILE, which tells its link address");
		return KRELOC_UNKNOWN;
	}
	place->text = place->link + req->offset;
	if (place_check(place, &why)) {
		notice(NULL, "--offset=0x%llx: %s", (unsigned long long)req->offset, why.text);
		return KRELOC_FAILED;
	}
	if (!place->text_size)
		source_text_size(NULL, place);
	return KRELOC_DONE;
}

/* Its addresses are held against the code of --vmlinux. */
static bool get_code(struct request *req)
{
	if (!req->has_code && !req->no_code.text[0])
		req->has_code = !codemap_read(&req->code, req->vmlinux_path, &req->no_code);
	return req->has_code;
}

/* Each file may be from another boot. */
static int inferred_place(struct request *req, const struct trace *trace,
			  const struct format *format, const struct facts *facts, struct why *why)
{
	if (!get_code(req)) {
		*why = req->no_code;
		return KRELOC_UNKNOWN;
	}
	return infer_place(&req->code, &req->vmlinux, trace, format, facts, &req->place, why);
}

/**
 * stamp_place - the place that files are stamped with, unless each has its own
 * @req:	of stamp_begin()
 *
 * Asks once. Notices say why where the answer is no place, and so does @req->no_place.
 *
 * Return: KRELOC_DONE, or why there is none.
 */
int stamp_place(struct request *req)
{
	if (!req->searched) {
		req->place_status = req->has_offset ? given_place(req) : find_place(req);
		req->searched = true;
	}
	return req->place_status;
}

/* Which kernel must the file be from, and need it be from this boot? */
static void make_guard(const struct request *req, struct guard *guard)
{
	memset(guard, 0, sizeof(*guard));
	guard->place = &req->place;
	guard->release = "";
	if (from_anywhere(req) && req->vmlinux_path) {
		guard->build_id = req->vmlinux.build_id;
		guard->build_id_of = req->vmlinux.path;
	} else {
		/* With --offset alone it lends its link address and its size. */
		guard->build_id = req->kernel.build_id;
		guard->build_id_of = "the running kernel";
		guard->release = req->kernel.release;
	}
	if (!from_anywhere(req))
		guard->boot = &req->kernel;
}

/* Do the file's addresses fit the code at the place? @note says what to say if nothing does not. */
static void check_code(struct request *req, const struct trace *trace,
		       const struct format *format, const struct facts *facts,
		       struct verdict *verdict, struct why *note)
{
	struct why why;

	note->text[0] = '\0';
	if (!req->vmlinux_path || req->infer)
		return;
	if (!get_code(req)) {
		explain(note, ", not held against the code: %s", req->no_code.text);
		return;
	}
	switch (infer_check(&req->code, &req->vmlinux, trace, format, facts,
			    place_offset(&req->place), &why)) {
	case INFER_AGREES:
		explain(note, ", its addresses fit");
		break;
	case INFER_CANNOT_TELL:
		explain(note, ", %s", why.text);
		break;
	case INFER_CONTRADICTS:
		verdict->why[verdict->nr++] = why;
		break;
	}
}

static int object(struct request *req, const struct trace *trace, const struct format *format,
		  const struct facts *facts, struct why *note, struct why *why)
{
	struct verdict verdict;
	struct guard guard;
	unsigned int i;

	make_guard(req, &guard);
	if (guard_arch(&guard, facts, why))
		return -1;
	guard_check(&guard, trace, facts, &verdict);
	check_code(req, trace, format, facts, &verdict, note);
	for (i = 0; i < verdict.nr; i++)
		if (req->force)
			notice(trace->path, "warning: %s", verdict.why[i].text);
		else if (i < verdict.nr - 1)
			notice(trace->path, "%s", verdict.why[i].text);
	if (verdict.nr && !req->force)
		return fail_with(ESTALE, why, "%s", verdict.why[verdict.nr - 1].text);
	return 0;
}

static void make_info(const struct request *req, const struct facts *facts,
		      struct stamp_info *info)
{
	const struct place *place = &req->place;

	memset(info, 0, sizeof(*info));
	info->text = place->text;
	info->link = place->link;
	info->text_size = place->text_size;
	info->time = (uint64_t)time(NULL);
	snprintf(info->anchor, sizeof(info->anchor), "%s", place->arch->anchor);
	snprintf(info->machine, sizeof(info->machine), "%s", place->arch->name);
	snprintf(info->source, sizeof(info->source), "%s", place->source);
	snprintf(info->link_source, sizeof(info->link_source), "%s",
		 place->link ? place->link_source : "");
	snprintf(info->version, sizeof(info->version), "%s", kreloc_version);
	info->build_id = facts->build_id;
	snprintf(info->release, sizeof(info->release), "%s", facts->release);
	info->vmlinux = req->vmlinux_path;
	if (!info->build_id.size && req->vmlinux_path)
		info->build_id = req->vmlinux.build_id;
	memcpy(info->boot_id, facts->boot_id, BOOT_ID_LEN);
	if (from_anywhere(req))
		return;
	/* From the running kernel, which the guard holds the file's against. */
	if (req->modules)
		info->loaded = &req->loaded;
	memcpy(info->boot_id, req->kernel.boot_id, BOOT_ID_LEN);
	if (!info->build_id.size)
		info->build_id = req->kernel.build_id;
	if (!info->release[0])
		snprintf(info->release, sizeof(info->release), "%s", req->kernel.release);
}

/**
 * stamp_say - say what was done
 * @req:	its place is what was stamped
 * @trace:	the file
 * @what:	was done
 * @note:	what there is to say beyond that, or empty
 */
void stamp_say(const struct request *req, const struct trace *trace, const char *what,
	       const struct why *note)
{
	const struct place *place = &req->place;

	if (place->link)
		tell(req, "%s: %s: offset 0x%016llx (%s)%s\n", trace->path, what,
		     (unsigned long long)place_offset(place), place->source, note->text);
	else
		tell(req, "%s: %s: %s at 0x%016llx, offset unknown (%s)%s\n", trace->path, what,
		     place->arch->anchor, (unsigned long long)place->text, place->source,
		     note->text);
}

static int apply(struct trace *trace, const struct format *format, const struct stamp_info *info,
		 const struct stamp_job *job, struct why *why)
{
	if (job->beside)
		return rewrite_beside(trace, job->beside, why);
	return job->gap.len ? rewrite_stamp(trace, format, info, job, why) :
			      stamp_apply(trace, info, job, why);
}

/* What is stamped is a range, with an end. */
static int need_text_size(const struct request *req, struct why *why)
{
	if (req->place.text_size)
		return 0;
	return fail(why, "nobody knows how long the kernel's text is: give --vmlinux=FILE");
}

/* Where the place was not found: what that means for the file */
static void not_stamped(int status, struct why *why)
{
	explain(why, "not stamped%s", status == KRELOC_UNKNOWN ? ", the offset is unknown" : "");
}

/* Does the file say itself that it is from this boot? */
static bool same_boot(const struct request *req, const struct facts *facts)
{
	return !from_anywhere(req) && boot_id_known(facts->boot_id) &&
	       !memcmp(facts->boot_id, req->kernel.boot_id, BOOT_ID_LEN);
}

static int stamp_with(struct request *req, struct trace *trace,
		       const struct format *format, struct facts *facts, struct why *why)
{
	struct stamp_info info;
	struct stamp_job job;
	struct why note;
	int err;

	if (need_text_size(req, why))
		return -1;
	if (req->modules && !format->modules)
		return fail(why, "has no place for modules, its format is %s: leave out --modules",
			    format->name);
	guard_samples(trace, format, req->place.arch, facts);
	if (object(req, trace, format, facts, &note, why))
		return -1;
	if (!facts->nr_ips && !req->vmlinux_path && !same_boot(req, facts))
		notice(trace->path, "warning: no kernel sample of it could be read, so that nothing in it bears the offset out");

	make_info(req, facts, &info);
	memset(&job, 0, sizeof(job));
	err = format->stamp(trace, facts, &info, &job, why);
	if (!err && job.note)
		explain(&note, "%s%s", note.text, job.note);
	if (!err && trace->write_error && !job.beside) {
		err = fail_with(trace->write_error, why, "%s",
				strerror(trace->write_error));
	} else if (!err && req->dry_run) {
		stamp_say(req, trace, "would be stamped", &note);
		if (job.gap.len && !format->small)
			tell(req, "%s: would be rewritten, all %llu bytes, since the stamp has no room in it\n",
			     trace->path, (unsigned long long)trace->size);
	} else if (!err) {
		err = apply(trace, format, &info, &job, why);
		if (!err)
			stamp_say(req, trace, "stamped", &note);
		if (!err && job.gap.len && !format->small)
			tell(req, "%s: was rewritten, all %llu bytes, since the stamp had no room in it\n",
			     trace->path, (unsigned long long)trace->size);
	}
	stamp_job_free(&job);
	return err;
}

/* Has the file something else than what the user asks for? Then "unchanged" would be a lie. */
static int same_offset(const struct request *req, const struct facts *facts, struct why *why)
{
	const struct stamp_info *info = &facts->block.info;

	if (!req->has_offset || !info->link || info->text - info->link == req->offset)
		return 0;
	return fail(why, "is stamped with offset 0x%016llx: kreloc strip it first",
		    (unsigned long long)(info->text - info->link));
}

/* The same for a file whose recorder knew. */
static bool contradicts(struct request *req, const struct facts *facts, int *status,
			struct why *why)
{
	if (!req->has_offset)
		return false;
	*status = stamp_place(req);
	if (*status != KRELOC_DONE) {
		explain(why, "not compared with what its recorder says");
		return true;
	}
	if (req->place.text == facts->text)
		return false;
	*status = KRELOC_FAILED;
	explain(why, "its recorder says that %s is at 0x%016llx, and by that offset it is at 0x%016llx",
		facts->anchor, (unsigned long long)facts->text,
		(unsigned long long)req->place.text);
	return true;
}

/* Of a trace that has its kernel's address already: the exit status. */
static int already_there(struct request *req, const struct trace *trace, const struct facts *facts,
			 struct why *why)
{
	int status = KRELOC_FAILED;

	if (facts->state == TRACE_STAMPED) {
		if (same_offset(req, facts, why))
			return status;
		if (req->modules && !facts->has_modules) {
			explain(why, "is stamped without its modules: kreloc strip it first");
			return status;
		}
		tell(req, "%s: is stamped already, unchanged\n", trace->path);
		return KRELOC_DONE;
	}
	if (contradicts(req, facts, &status, why))
		return status;
	tell(req, "%s: has its kernel's address from its recorder, unchanged\n", trace->path);
	return KRELOC_DONE;
}

/* What a stamp that was stopped left behind. */
static int take_out(struct trace *trace, const struct format *format, const struct facts *facts,
		    struct why *why)
{
	if (trace->write_error)
		return fail_with(trace->write_error, why, "%s",
				strerror(trace->write_error));
	if (trace_restore(trace, format, facts, why))
		return -1;
	notice(trace->path, "an interrupted stamp was taken out first");
	return 0;
}

static int stamp_trace(struct request *req, struct trace *trace, struct why *why)
{
	const struct format *format = format_of(trace, why);
	struct facts facts;
	int status = KRELOC_FAILED;

	/* An empty one is no trace of anything. */
	if (!format && req->sidecar && trace->size)
		format = &format_sidecar;
	if (!format || trace_examine(trace, format, &facts, why))
		return KRELOC_FAILED;
	if (facts.state == TRACE_INTERRUPTED && !req->dry_run) {
		int err = take_out(trace, format, &facts, why);

		facts_free(&facts);
		if (err || trace_examine(trace, format, &facts, why))
			return KRELOC_FAILED;
	}

	switch (facts.state) {
	case TRACE_STAMPED:
	case TRACE_RECORDED:
		status = already_there(req, trace, &facts, why);
		break;
	case TRACE_INTERRUPTED:
		tell(req, "%s: an interrupted stamp would be taken out first\n", trace->path);
		status = KRELOC_DONE;
		break;
	default:
		status = req->infer ? inferred_place(req, trace, format, &facts, why) :
				      stamp_place(req);
		if (status == KRELOC_DONE && stamp_with(req, trace, format, &facts, why))
			status = KRELOC_FAILED;
		else if (status != KRELOC_DONE && !req->infer)
			not_stamped(status, why);
		break;
	}
	facts_free(&facts);
	return status;
}

/**
 * stamp_held - what is to come into a stream, where anything is
 * @req:	of stamp_begin()
 * @stream:	its begin is at hand
 * @job:	filled on success, with a gap if there is something
 * @note:	to say beyond that
 * @why:	filled on failure
 *
 * Return: the exit status.
 */
int stamp_held(struct request *req, const struct stream *stream, struct stamp_job *job,
	       struct why *note, struct why *why)
{
	const struct trace *trace = &stream->trace;
	const struct format *format = format_of(trace, why);
	struct stamp_info info;
	struct facts facts;
	int status = KRELOC_FAILED;

	if (!format || trace_examine(trace, format, &facts, why))
		return KRELOC_FAILED;
	if (facts.state == TRACE_STAMPED || facts.state == TRACE_RECORDED) {
		status = already_there(req, trace, &facts, why);
		goto out;
	}
	status = stamp_place(req);
	if (status != KRELOC_DONE) {
		not_stamped(status, why);
		goto out;
	}
	status = KRELOC_FAILED;
	if (!need_text_size(req, why) && !object(req, trace, format, &facts, note, why)) {
		make_info(req, &facts, &info);
		if (!format->stamp(trace, &facts, &info, job, why))
			status = KRELOC_DONE;
	}
out:
	facts_free(&facts);
	return status;
}

/**
 * stamp_begin - read what all files are stamped with
 * @req:	what the user wants; zeros but for that
 * @why:	filled on failure
 *
 * Return: 0, then to be followed by stamp_end(); -1.
 */
int stamp_begin(struct request *req, struct why *why)
{
	kernel_running(&req->kernel);
	if (req->vmlinux_path && vmlinux_read(req->vmlinux_path, &req->vmlinux, why))
		return -1;
	if (req->modules && loaded_read(&req->kernel, &req->loaded, why))
		return fail(why, "%s; without --modules it is not needed", why->text);
	return 0;
}

/**
 * stamp_file - stamp one
 * @req:	of stamp_begin()
 * @path:	of a trace file
 * @why:	filled on failure. Its error is ESTALE where @req->force, EMEDIUMTYPE where
 *		@req->sidecar would have done it
 *
 * Return: the exit status.
 */
int stamp_file(struct request *req, const char *path, struct why *why)
{
	int status = KRELOC_FAILED;
	struct trace trace;

	if (!trace_open(&trace, path, true, why)) {
		status = stamp_trace(req, &trace, why);
		trace_close(&trace);
	}
	return status;
}

/**
 * stamp_end - after the last file
 * @req:	of stamp_begin()
 */
void stamp_end(struct request *req)
{
	if (req->has_code)
		codemap_free(&req->code);
	loaded_free(&req->loaded);
}
