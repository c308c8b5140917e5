// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc stamp: write into trace files what the recorder was not allowed to know.
 */
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "infer.h"
#include "stamp.h"
#include "stream.h"
#include "trace.h"

static void help(void)
{
	puts("Usage: kreloc stamp [OPTION]... FILE...\n"
	     "Write the kernel's offset into trace files that were recorded without it, on\n"
	     "this machine and in this boot. Any reader then finds the symbols in the plain\n"
	     "vmlinux. A file that has the offset already is left alone. The FILE - is what\n"
	     "perf record -o - writes, from standard input to standard output; what cannot be\n"
	     "stamped passes as it is.\n"
	     "\n"
	     "Options:\n"
	     "  -s, --source=SOURCE  where to ask for the offset: sysfs, kcore, kallsyms or\n"
	     "                       auto; see kreloc show --help\n"
	     "  -o, --offset=HEX     the offset. You answer for it: that it is that of the\n"
	     "                       recording kernel and boot is not checked\n"
	     "  -i, --infer          find the offset by the addresses in each file, whichever\n"
	     "                       machine and boot it is from; see kreloc infer --help\n"
	     "  -k, --vmlinux=FILE   the recording kernel's vmlinux: it tells where the kernel\n"
	     "                       was linked, the file's addresses must fit its code,\n"
	     "                       and a trace.dat without names gets them from it\n"
	     "  -m, --modules        also write where the kernel's modules are, all that are\n"
	     "                       loaded now. That has no room in the file, and it is\n"
	     "                       rewritten\n"
	     "  -S, --sidecar        a file of a kind that kreloc does not know gets its stamp\n"
	     "                       in FILE.kreloc beside it\n"
	     "  -f, --force          stamp files that seem to be from another boot or kernel\n"
	     "  -n, --dry-run        change nothing, say what would be done\n"
	     "  -h, --help           print this help\n"
	     "\n"
	     "Exit status: 0 done; 1 failed or does not match, and that file is as it was;\n"
	     "2 usage; 3 the offset is unknown.");
}

/* Nobody claims that the file is from the running kernel and this boot. */
static bool from_anywhere(const struct request *req)
{
	return req->has_offset || req->infer;
}

/* The place of the running kernel. */
static int find_place(struct request *req)
{
	const struct vmlinux *vmlinux = req->vmlinux_path ? &req->vmlinux : NULL;
	struct search search;
	struct why why;
	unsigned int i;

	if (vmlinux && vmlinux_is_of(vmlinux, &req->kernel, &why)) {
		complain(NULL, "%s; with --offset=HEX it need not be", why.text);
		return KRELOC_FAILED;
	}
	if (source_find(req->source, &req->kernel, vmlinux, &req->place, &search)) {
		for (i = 0; i < search.asked; i++)
			complain(search.name[i], "%s", search.why[i].text);
		return KRELOC_UNKNOWN;
	}
	if (vmlinux && req->place.link != vmlinux->link) {
		complain(vmlinux->path, "linked at 0x%016llx, and %s says 0x%016llx",
			 (unsigned long long)vmlinux->link, req->place.link_source,
			 (unsigned long long)req->place.link);
		return KRELOC_FAILED;
	}
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
		complain(NULL, "--offset needs --vmlinux=FILE on %s", req->kernel.machine);
		return KRELOC_UNKNOWN;
	} else if (link_find(&req->kernel, NULL, place, &why)) {
		complain(NULL, "--offset needs --vmlinux=FILE, which tells its link address");
		return KRELOC_UNKNOWN;
	}
	place->text = place->link + req->offset;
	if (place_check(place, &why)) {
		complain(NULL, "--offset=0x%llx: %s", (unsigned long long)req->offset, why.text);
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
 * Asks once. Complains where the answer is no place.
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
			complain(trace->path, "warning: %s", verdict.why[i].text);
		else if (i < verdict.nr - 1)
			complain(trace->path, "%s", verdict.why[i].text);
	if (verdict.nr && !req->force)
		return fail(why, "%s (--force stamps it all the same)",
			    verdict.why[verdict.nr - 1].text);
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

static void say(FILE *out, const struct trace *trace, const char *what, const struct place *place,
		const struct why *note)
{
	if (place->link)
		fprintf(out, "%s: %s: offset 0x%016llx (%s)%s\n", trace->path, what,
			(unsigned long long)place_offset(place), place->source, note->text);
	else
		fprintf(out, "%s: %s: %s at 0x%016llx, offset unknown (%s)%s\n", trace->path, what,
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

	if (!req->place.text_size)
		return fail(why, "nobody knows how long the kernel's text is: give --vmlinux=FILE");
	if (req->modules && !format->modules)
		return fail(why, "has no place for modules, its format is %s: leave out --modules",
			    format->name);
	guard_samples(trace, format, req->place.arch, facts);
	if (object(req, trace, format, facts, &note, why))
		return -1;
	if (!facts->nr_ips && !req->vmlinux_path && !same_boot(req, facts))
		complain(trace->path, "warning: no kernel sample of it could be read, so that nothing in it bears the offset out");

	make_info(req, facts, &info);
	memset(&job, 0, sizeof(job));
	err = format->stamp(trace, facts, &info, &job, why);
	if (!err && job.note)
		explain(&note, "%s%s", note.text, job.note);
	if (!err && trace->write_error && !job.beside) {
		err = fail(why, "%s", strerror(trace->write_error));
	} else if (!err && req->dry_run) {
		say(req->say, trace, "would be stamped", &req->place, &note);
		if (job.gap.len && !format->small)
			fprintf(req->say,
				"%s: would be rewritten, all %llu bytes, since the stamp has no "
				"room in it\n", trace->path, (unsigned long long)trace->size);
	} else if (!err) {
		err = apply(trace, format, &info, &job, why);
		if (!err)
			say(req->say, trace, "stamped", &req->place, &note);
		if (!err && job.gap.len && !format->small)
			fprintf(req->say,
				"%s: was rewritten, all %llu bytes, since the stamp had no room in "
				"it\n", trace->path, (unsigned long long)trace->size);
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

/* What a stamp that was stopped left behind. */
static int take_out(struct trace *trace, const struct format *format, const struct facts *facts,
		    struct why *why)
{
	if (trace->write_error)
		return fail(why, "%s", strerror(trace->write_error));
	if (trace_restore(trace, format, facts, why))
		return -1;
	complain(trace->path, "an interrupted stamp was taken out first");
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
	else if (!format && trace->size)
		explain(why, "%s (with --sidecar its stamp goes beside it)", why->text);
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
		if (same_offset(req, &facts, why))
			break;
		if (req->modules && !facts.has_modules) {
			explain(why, "is stamped without its modules: kreloc strip it first");
			break;
		}
		fprintf(req->say, "%s: is stamped already, unchanged\n", trace->path);
		status = KRELOC_DONE;
		break;
	case TRACE_RECORDED:
		if (contradicts(req, &facts, &status, why))
			break;
		fprintf(req->say, "%s: has its kernel's address from its recorder, unchanged\n",
			trace->path);
		status = KRELOC_DONE;
		break;
	case TRACE_INTERRUPTED:
		fprintf(req->say, "%s: an interrupted stamp would be taken out first\n",
			trace->path);
		status = KRELOC_DONE;
		break;
	default:
		status = req->infer ? inferred_place(req, trace, format, &facts, why) :
				      stamp_place(req);
		if (status == KRELOC_DONE && stamp_with(req, trace, format, &facts, why))
			status = KRELOC_FAILED;
		else if (status != KRELOC_DONE && !req->infer)
			explain(why, "not stamped%s",
				status == KRELOC_UNKNOWN ? ", the offset is unknown" : "");
		break;
	}
	facts_free(&facts);
	return status;
}

/* What is to come into the stream, where anything is. */
static int stamp_held(struct request *req, const struct stream *stream, struct stamp_job *job,
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
		complain(NULL, "-: has its kernel's address already, unchanged");
		status = KRELOC_DONE;
		goto out;
	}
	status = stamp_place(req);
	if (status != KRELOC_DONE) {
		explain(why, "not stamped%s",
			status == KRELOC_UNKNOWN ? ", the offset is unknown" : "");
		goto out;
	}
	status = KRELOC_FAILED;
	if (!req->place.text_size) {
		explain(why, "nobody knows how long the kernel's text is: give --vmlinux=FILE");
	} else if (!object(req, trace, format, &facts, note, why)) {
		make_info(req, &facts, &info);
		if (!format->stamp(trace, &facts, &info, job, why))
			status = KRELOC_DONE;
	}
out:
	facts_free(&facts);
	return status;
}

static int stamp_stream(struct request *req)
{
	struct stamp_job job = { 0 };
	int status = KRELOC_FAILED;
	struct stream stream;
	struct why why, note;

	if (req->infer) {
		complain(NULL, "stamp: --infer needs a file, since it looks at all of it first");
		return usage_error("stamp");
	}
	if (isatty(STDOUT_FILENO)) {
		complain(NULL, "stamp: standard output is a terminal");
		return usage_error("stamp");
	}
	if (!stream_open(&stream, STDIN_FILENO, &why))
		status = stamp_held(req, &stream, &job, &note, &why);
	if (status == KRELOC_DONE && job.gap.len)
		say(stderr, &stream.trace, req->dry_run ? "would be stamped" : "stamped",
		    &req->place, &note);
	else if (status != KRELOC_DONE)
		complain("-", "%s", why.text);
	if (stream_pass(&stream, STDOUT_FILENO, job.gap.len && !req->dry_run ? &job.gap : NULL,
			&why)) {
		complain("-", "%s", why.text);
		status = KRELOC_FAILED;
	}
	stream_close(&stream);
	stamp_job_free(&job);
	return status;
}

/**
 * stamp_begin - read what all files are stamped with
 * @req:	what the user wants; zeros but for that
 *
 * Return: KRELOC_DONE, then to be followed by stamp_end(); KRELOC_FAILED.
 */
int stamp_begin(struct request *req)
{
	struct why why;

	kernel_running(&req->kernel);
	if (req->vmlinux_path && vmlinux_read(req->vmlinux_path, &req->vmlinux, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (req->modules && loaded_read(&req->kernel, &req->loaded, &why)) {
		complain(NULL, "%s; without --modules it is not needed", why.text);
		return KRELOC_FAILED;
	}
	return KRELOC_DONE;
}

/**
 * stamp_file - stamp one
 * @req:	of stamp_begin()
 * @path:	of a trace file
 *
 * Complains where it fails.
 *
 * Return: the exit status.
 */
int stamp_file(struct request *req, const char *path)
{
	int status = KRELOC_FAILED;
	struct trace trace;
	struct why why;

	if (!trace_open(&trace, path, true, &why)) {
		status = stamp_trace(req, &trace, &why);
		trace_close(&trace);
	}
	if (status != KRELOC_DONE)
		complain(path, "%s", why.text);
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

static int stamp_files(struct request *req, int argc, char **argv)
{
	int worst = stamp_begin(req);
	struct trace_list list;
	struct why why;
	size_t i;

	if (worst != KRELOC_DONE)
		return worst;
	if (!strcmp(argv[0], "-"))
		return stamp_stream(req);
	if (trace_list(&list, argc, argv, &why)) {
		complain(NULL, "%s", why.text);
		worst = KRELOC_FAILED;
	}
	for (i = 0; i < list.nr; i++) {
		int status = stamp_file(req, list.path[i]);

		if (status > worst)
			worst = status;
	}
	trace_list_free(&list);
	stamp_end(req);
	return worst;
}

/**
 * cmd_stamp - kreloc stamp
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_stamp(int argc, char **argv)
{
	static const struct option options[] = {
		{ "dry-run", no_argument, NULL, 'n' },
		{ "force", no_argument, NULL, 'f' },
		{ "help", no_argument, NULL, 'h' },
		{ "infer", no_argument, NULL, 'i' },
		{ "modules", no_argument, NULL, 'm' },
		{ "offset", required_argument, NULL, 'o' },
		{ "sidecar", no_argument, NULL, 'S' },
		{ "source", required_argument, NULL, 's' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	struct request req = { .source = "auto", .say = stdout };
	bool has_source = false;
	int c;

	while ((c = getopt_long(argc, argv, "fhik:mno:Ss:", options, NULL)) != -1) {
		switch (c) {
		case 'f':
			req.force = true;
			break;
		case 'h':
			help();
			return KRELOC_DONE;
		case 'i':
			req.infer = true;
			break;
		case 'k':
			req.vmlinux_path = optarg;
			break;
		case 'm':
			req.modules = true;
			break;
		case 'n':
			req.dry_run = true;
			break;
		case 'o':
			req.has_offset = parse_hex(optarg, strlen(optarg), &req.offset);
			if (!req.has_offset) {
				complain(optarg, "not a hexadecimal number");
				return usage_error("stamp");
			}
			break;
		case 'S':
			req.sidecar = true;
			break;
		case 's':
			req.source = optarg;
			has_source = true;
			break;
		default:
			return usage_error("stamp");
		}
	}
	if (!source_exists(req.source)) {
		complain(req.source, "there is no such source");
		return usage_error("stamp");
	}
	if (req.has_offset + has_source + req.infer > 1) {
		complain(NULL, "--offset, --source and --infer exclude each other");
		return usage_error("stamp");
	}
	if (req.modules && from_anywhere(&req)) {
		complain(NULL, "--modules is for recordings of this boot: no --offset, no --infer");
		return usage_error("stamp");
	}
	if (req.infer && !req.vmlinux_path) {
		complain(NULL, "--infer needs --vmlinux=FILE, whose code it is");
		return usage_error("stamp");
	}
	if (optind == argc) {
		complain(NULL, "stamp: which file?");
		return usage_error("stamp");
	}
	for (c = optind; argc > optind + 1 && c < argc; c++) {
		if (!strcmp(argv[c], "-")) {
			complain(NULL, "stamp: - goes alone");
			return usage_error("stamp");
		}
	}
	return stamp_files(&req, argc - optind, argv + optind);
}
