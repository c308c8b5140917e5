// SPDX-License-Identifier: GPL-2.0-only
/*
 * What other programs get of kreloc: include/kreloc.h, in terms of what the program is made of. It
 * adds what a library needs, errors as numbers and a message for each thread, and no decision of
 * its own, but one: a file that has another place already is not stamped, and that is an error.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/kreloc.h"
#include "stamp.h"
#include "trace.h"

#define API	__attribute__((visibility("default")))

/**
 * struct kreloc - where a kernel is
 * @running:	it is the one that runs, and @request.place is where
 * @request:	what files are stamped with
 * @place:	arch and source may be NULL, text and link 0, where they are not known
 * @no_offset:	why the offset is not known
 * @vmlinux:	as given, or NULL
 * @anchor:	empty where it is not known
 * @build_id:	the same
 * @release:	the same
 * @machine:	the same
 */
struct kreloc {
	bool running;
	struct request request;
	struct place place;
	struct why no_offset;
	char *vmlinux;
	char anchor[STAMP_ANCHOR_LEN];
	char build_id[BUILD_ID_HEX];
	char release[RELEASE_LEN];
	char machine[RELEASE_LEN];
};

static _Thread_local char message[4096 + sizeof(struct why)] = "no error";

/* The error of the caller, by @why; @error where that has none. */
static int give_up(const char *path, const struct why *why, int error)
{
	snprintf(message, sizeof(message), "%s%s%s", path ? path : "", path ? ": " : "", why->text);
	return -(why->error ? why->error : error);
}

static int misused(const char *what)
{
	snprintf(message, sizeof(message), "%s", what);
	return -EINVAL;
}

static int no_memory(void)
{
	snprintf(message, sizeof(message), "out of memory");
	return -ENOMEM;
}

static const char *known(const char *text)
{
	return text && *text ? text : NULL;
}

/**
 * kreloc_errmsg - why the last call failed
 *
 * Return: the reason, of this thread's calls.
 */
API const char *kreloc_errmsg(void)
{
	return message;
}

/**
 * kreloc_free - free what kreloc_running() or kreloc_read() gave
 * @kernel:	may be NULL
 */
API void kreloc_free(struct kreloc *kernel)
{
	if (!kernel)
		return;
	free(kernel->vmlinux);
	free(kernel);
}

static struct kreloc *kreloc_new(const char *vmlinux)
{
	struct kreloc *kernel = calloc(1, sizeof(*kernel));

	if (!kernel)
		return NULL;
	kernel->vmlinux = vmlinux ? strdup(vmlinux) : NULL;
	if (vmlinux && !kernel->vmlinux) {
		free(kernel);
		return NULL;
	}
	kernel->request.source = "auto";
	kernel->request.vmlinux_path = kernel->vmlinux;
	return kernel;
}

static int find_running(struct kreloc *kernel)
{
	struct request *req = &kernel->request;
	struct why why;
	int status;

	if (stamp_begin(req, &why))
		return give_up(NULL, &why, EIO);
	status = stamp_place(req);
	if (status != KRELOC_DONE)
		return give_up(NULL, &req->no_place, status == KRELOC_UNKNOWN ? ENODATA : ESTALE);
	kernel->running = true;
	kernel->place = req->place;
	kernel->no_offset = req->no_place;
	snprintf(kernel->anchor, sizeof(kernel->anchor), "%s", req->place.arch->anchor);
	snprintf(kernel->release, sizeof(kernel->release), "%s", req->kernel.release);
	snprintf(kernel->machine, sizeof(kernel->machine), "%s", req->kernel.machine);
	build_id_hex(&req->kernel.build_id, kernel->build_id);
	return 0;
}

/**
 * kreloc_running - where is the running kernel?
 * @kernel:	on success, to be freed with kreloc_free(); else NULL
 * @vmlinux:	its vmlinux, or NULL
 *
 * Return: 0, or a negative errno: -ENODATA where nobody knows.
 */
API int kreloc_running(struct kreloc **kernel, const char *vmlinux)
{
	int err;

	if (!kernel)
		return misused("kreloc_running() was given no place for its answer");
	*kernel = kreloc_new(vmlinux);
	if (!*kernel)
		return no_memory();
	err = find_running(*kernel);
	if (err) {
		kreloc_free(*kernel);
		*kernel = NULL;
	}
	return err;
}

static void note_facts(struct kreloc *kernel, const struct facts *facts)
{
	const struct stamp_info *info = facts->state == TRACE_STAMPED ? &facts->block.info : NULL;

	snprintf(kernel->anchor, sizeof(kernel->anchor), "%s", facts->anchor);
	snprintf(kernel->release, sizeof(kernel->release), "%s",
		 info ? info->release : facts->release);
	snprintf(kernel->machine, sizeof(kernel->machine), "%s",
		 kernel->place.arch ? kernel->place.arch->name : facts->machine);
	build_id_hex(info ? &info->build_id : &facts->build_id, kernel->build_id);
	if (kernel->vmlinux)
		kernel->place.text_size = kernel->request.vmlinux.text_size;
	else if (info)
		kernel->place.text_size = info->text_size;
}

static int read_trace(struct kreloc *kernel, const struct trace *trace)
{
	const struct vmlinux *vmlinux = kernel->vmlinux ? &kernel->request.vmlinux : NULL;
	struct why why = { .text = "" };
	const struct format *format = format_of(trace, &why);
	struct facts *facts = calloc(1, sizeof(*facts));
	int status;

	if (!facts)
		return no_memory();
	if (!format || trace_examine(trace, format, facts, &why)) {
		free(facts);
		return give_up(trace->path, &why, EIO);
	}
	status = trace_place(facts, vmlinux, &kernel->place, &why);
	if (status == KRELOC_DONE || kernel->place.text)
		note_facts(kernel, facts);
	facts_free(facts);
	free(facts);
	if (status == KRELOC_FAILED)
		return give_up(trace->path, &why, ESTALE);
	if (!kernel->place.text)
		return give_up(trace->path, &why, ENODATA);
	if (status == KRELOC_UNKNOWN)
		kernel->no_offset = why;
	return 0;
}

static int read_one(struct kreloc *kernel, const char *path)
{
	struct trace trace;
	struct why why;
	int err;

	if (trace_open(&trace, path, false, &why))
		return give_up(path, &why, EIO);
	err = read_trace(kernel, &trace);
	trace_close(&trace);
	return err;
}

static int read_path(struct kreloc *kernel, const char *path)
{
	struct trace_list list = { 0 };
	struct why why;
	int err;

	if (kernel->vmlinux && vmlinux_read(kernel->vmlinux, &kernel->request.vmlinux, &why))
		return give_up(NULL, &why, EIO);
	if (trace_list_add(&list, path, &why))
		err = give_up(path, &why, EIO);
	else if (list.nr == 1)
		err = read_one(kernel, list.path[0]);
	else
		err = misused("a directory of several traces: name one of them");
	trace_list_free(&list);
	return err;
}

/**
 * kreloc_read - what does a recording say of the place of its kernel?
 * @kernel:	on success, to be freed with kreloc_free(); else NULL
 * @path:	of a trace file, or of the directory that is one
 * @vmlinux:	that of the kernel that was recorded, or NULL
 *
 * Return: 0, or a negative errno: -ENODATA where it says nothing.
 */
API int kreloc_read(struct kreloc **kernel, const char *path, const char *vmlinux)
{
	int err;

	if (!kernel || !path)
		return misused("kreloc_read() was given no file, or no place for its answer");
	*kernel = kreloc_new(vmlinux);
	if (!*kernel)
		return no_memory();
	err = read_path(*kernel, path);
	if (err) {
		kreloc_free(*kernel);
		*kernel = NULL;
	}
	return err;
}

static int give(bool is_known, uint64_t value, uint64_t *to, const char *why)
{
	if (!to)
		return misused("no place for the answer was given");
	if (!is_known) {
		snprintf(message, sizeof(message), "%s", why);
		return -ENODATA;
	}
	*to = value;
	return 0;
}

/**
 * kreloc_offset - by how much was the kernel moved?
 * @kernel:	which
 * @offset:	set on success: run-time addresses minus link addresses, modulo 2^64
 *
 * Return: 0, or a negative errno: -ENODATA where it is not known.
 */
API int kreloc_offset(const struct kreloc *kernel, uint64_t *offset)
{
	return give(kernel->place.text && kernel->place.link, place_offset(&kernel->place), offset,
		    kernel->no_offset.text);
}

/**
 * kreloc_text - where does the anchor run?
 * @kernel:	which
 * @text:	set on success: its run-time address
 *
 * Return: 0, or a negative errno.
 */
API int kreloc_text(const struct kreloc *kernel, uint64_t *text)
{
	return give(kernel->place.text, kernel->place.text, text, "unknown");
}

/**
 * kreloc_link_text - where was the anchor linked?
 * @kernel:	which
 * @link_text:	set on success: its address in vmlinux
 *
 * Return: 0, or a negative errno: -ENODATA where it is not known.
 */
API int kreloc_link_text(const struct kreloc *kernel, uint64_t *link_text)
{
	return give(kernel->place.link, kernel->place.link, link_text, kernel->no_offset.text);
}

/**
 * kreloc_text_size - how long is the kernel's text?
 * @kernel:	which
 * @size:	set on success: bytes from the anchor on
 *
 * Return: 0, or a negative errno: -ENODATA where it is not known.
 */
API int kreloc_text_size(const struct kreloc *kernel, uint64_t *size)
{
	return give(kernel->place.text_size, kernel->place.text_size, size,
		    "nobody knows how long the kernel's text is");
}

/**
 * kreloc_anchor - the symbol whose addresses are compared
 * @kernel:	which
 *
 * Return: its name, or NULL.
 */
API const char *kreloc_anchor(const struct kreloc *kernel)
{
	return known(kernel->anchor);
}

/**
 * kreloc_build_id - which build is the kernel?
 * @kernel:	which
 *
 * Return: its build-id in hexadecimal, or NULL.
 */
API const char *kreloc_build_id(const struct kreloc *kernel)
{
	return known(kernel->build_id);
}

/**
 * kreloc_release - which release is the kernel?
 * @kernel:	which
 *
 * Return: as uname -r, or NULL.
 */
API const char *kreloc_release(const struct kreloc *kernel)
{
	return known(kernel->release);
}

/**
 * kreloc_machine - for which architecture is the kernel?
 * @kernel:	which
 *
 * Return: as uname -m, or NULL.
 */
API const char *kreloc_machine(const struct kreloc *kernel)
{
	return known(kernel->machine);
}

/**
 * kreloc_source - who told where the kernel runs?
 * @kernel:	which
 *
 * Return: sysfs, kcore or kallsyms; of a file stamp or recorder.
 */
API const char *kreloc_source(const struct kreloc *kernel)
{
	return known(kernel->place.source);
}

/* What was left alone since it is stamped already must not have another place. */
static int agree(const char *path, const struct kreloc *kernel)
{
	struct kreloc *file;
	int err = kreloc_read(&file, path, NULL);

	if (err)
		return err;
	if (file->place.text != kernel->place.text) {
		snprintf(message, sizeof(message), "%s: has the address of another boot already",
			 path);
		err = -ESTALE;
	}
	kreloc_free(file);
	return err;
}

static int stamp_one(const char *path, struct request *req, const struct kreloc *kernel)
{
	struct why why;
	const int status = stamp_file(req, path, &why);

	if (status != KRELOC_DONE)
		return give_up(path, &why, status == KRELOC_UNKNOWN ? ENODATA : EIO);
	return agree(path, kernel);
}

/* All traces behind a path, also where one fails; then the first error. */
static int stamp_all(const char *path, struct request *req, const struct kreloc *kernel)
{
	struct trace_list list = { 0 };
	struct why why;
	int err = 0;
	size_t i;

	if (req->modules && loaded_read(&req->kernel, &req->loaded, &why))
		return give_up(NULL, &why, EIO);
	if (trace_list_add(&list, path, &why))
		err = give_up(path, &why, EIO);
	for (i = 0; i < list.nr && !err; i++)
		err = stamp_one(list.path[i], req, kernel);
	trace_list_free(&list);
	return err;
}

/**
 * kreloc_stamp - write into a recording where its kernel is
 * @path:	of a trace file, of the directory that is one, or of a session of LTTng
 * @kernel:	of kreloc_running()
 * @flags:	KRELOC_SIDECAR, KRELOC_MODULES
 *
 * A file that says the same already is left alone, and that is no error.
 *
 * Return: 0, or a negative errno, and then the file is as it was: -ESTALE where it cannot be from
 * this kernel and this boot, -EMEDIUMTYPE where its format is not known.
 */
API int kreloc_stamp(const char *path, const struct kreloc *kernel, unsigned int flags)
{
	struct request req;
	int err;

	if (!path || !kernel)
		return misused("kreloc_stamp() was given no file, or no kernel");
	if (!kernel->running)
		return misused("kreloc_stamp() takes the kernel of kreloc_running()");
	if (flags & ~(KRELOC_SIDECAR | KRELOC_MODULES))
		return misused("kreloc_stamp() was given flags that this libkreloc does not know");
	req = kernel->request;
	req.sidecar = flags & KRELOC_SIDECAR;
	req.modules = flags & KRELOC_MODULES;
	err = stamp_all(path, &req, kernel);
	stamp_end(&req);
	return err;
}

static int strip_one(const char *path)
{
	struct trace trace;
	struct why why;
	bool stripped;
	int err;

	if (trace_open(&trace, path, true, &why))
		return give_up(path, &why, EIO);
	err = trace_strip(&trace, &stripped, &why);
	trace_close(&trace);
	return err ? give_up(path, &why, EIO) : 0;
}

/**
 * kreloc_strip - take a stamp out of a recording again, to the byte
 * @path:	as for kreloc_stamp()
 *
 * A file without a stamp is left alone, and that is no error.
 *
 * Return: 0, or a negative errno.
 */
API int kreloc_strip(const char *path)
{
	struct trace_list list = { 0 };
	struct why why;
	int err = 0;
	size_t i;

	if (!path)
		return misused("kreloc_strip() was given no file");
	if (trace_list_add(&list, path, &why))
		err = give_up(path, &why, EIO);
	for (i = 0; i < list.nr && !err; i++)
		err = strip_one(list.path[i]);
	trace_list_free(&list);
	return err;
}
