// SPDX-License-Identifier: GPL-2.0-only
/*
 * libkreloc for a shell: api CALL [ARGUMENT]… prints what the call says, its error by name.
 *
 *	running [VMLINUX]		as key: value
 *	read FILE [VMLINUX]		the same
 *	stamp FILE FLAGS [VMLINUX]	with the place of the running kernel
 *	copy FROM FILE			with the place that FROM says, which must not be
 *	strip FILE
 *	misuse				what no program should do
 *	threads FILE…			each stamped and stripped by a thread of its own, many times
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../include/kreloc.h"

#define ROUNDS	4
#define THREADS	8

static const char *name(int error)
{
	switch (error) {
	case EINVAL:
		return "EINVAL";
	case EIO:
		return "EIO";
	case EMEDIUMTYPE:
		return "EMEDIUMTYPE";
	case ENODATA:
		return "ENODATA";
	case ENOENT:
		return "ENOENT";
	case ESTALE:
		return "ESTALE";
	case ETXTBSY:
		return "ETXTBSY";
	default:
		return strerror(error);
	}
}

static int done(int err)
{
	if (err)
		printf("%s: %s\n", name(-err), kreloc_errmsg());
	return err != 0;
}

static void number(const char *key, int (*get)(const struct kreloc *, uint64_t *),
		   const struct kreloc *kernel)
{
	uint64_t value = 4711;
	const int err = get(kernel, &value);

	if (!err)
		printf("%s: 0x%016" PRIx64 "\n", key, value);
	else if (err == -ENODATA && value == 4711)
		printf("%s: unknown: %s\n", key, kreloc_errmsg());
	else
		printf("%s: %d\n", key, err);
}

static void text(const char *key, const char *value)
{
	printf("%s: %s\n", key, value ? value : "unknown");
}

static int print(struct kreloc *kernel, int err)
{
	if (err)
		return kernel ? puts("an error, and an object"), 1 : done(err);
	number("offset", kreloc_offset, kernel);
	number("text", kreloc_text, kernel);
	number("link-text", kreloc_link_text, kernel);
	number("text-size", kreloc_text_size, kernel);
	text("anchor", kreloc_anchor(kernel));
	text("build-id", kreloc_build_id(kernel));
	text("release", kreloc_release(kernel));
	text("machine", kreloc_machine(kernel));
	text("source", kreloc_source(kernel));
	kreloc_free(kernel);
	return 0;
}

static int stamp(const char *file, const char *flags, const char *vmlinux)
{
	struct kreloc *kernel;
	int err = kreloc_running(&kernel, vmlinux);

	if (!err)
		err = kreloc_stamp(file, kernel, (unsigned int)strtoul(flags, NULL, 0));
	done(err);
	kreloc_free(kernel);
	return err != 0;
}

static int copy(const char *from, const char *file)
{
	struct kreloc *kernel;
	int err = kreloc_read(&kernel, from, NULL);

	if (!err)
		err = kreloc_stamp(file, kernel, 0);
	done(err);
	kreloc_free(kernel);
	return err != 0;
}

static int misuse(void)
{
	struct kreloc *kernel = NULL;

	printf("%s\n", kreloc_errmsg());
	done(kreloc_running(NULL, NULL));
	done(kreloc_read(NULL, "file", NULL));
	done(kreloc_read(&kernel, NULL, NULL));
	done(kreloc_strip(NULL));
	done(kreloc_stamp("file", NULL, 0));
	if (done(kreloc_running(&kernel, NULL)))
		return 1;
	done(kreloc_offset(kernel, NULL));
	done(kreloc_stamp(NULL, kernel, 0));
	done(kreloc_stamp("file", kernel, ~0u));
	kreloc_free(kernel);
	kreloc_free(NULL);
	return 0;
}

struct job {
	const struct kreloc *kernel;
	const char *file;
	char missing[64];
	int failed;
};

/* Its own file goes well, and of another one the message is its own. */
static void *work(void *arg)
{
	struct job *job = arg;
	int i;

	for (i = 0; i < ROUNDS && !job->failed; i++) {
		struct kreloc *read = NULL;

		job->failed = kreloc_stamp(job->file, job->kernel, KRELOC_SIDECAR) ||
			      kreloc_read(&read, job->file, NULL) || kreloc_strip(job->file);
		if (job->failed)
			printf("%s\n", kreloc_errmsg());
		kreloc_free(read);
		if (kreloc_strip(job->missing) != -ENOENT ||
		    !strstr(kreloc_errmsg(), job->missing)) {
			printf("%s: says %s\n", job->missing, kreloc_errmsg());
			job->failed = 1;
		}
	}
	return NULL;
}

static int threads(int nr, char **files)
{
	struct kreloc *kernel;
	pthread_t ids[THREADS];
	struct job jobs[THREADS];
	int i, failed = 0;

	if (nr > THREADS || done(kreloc_running(&kernel, NULL)))
		return 1;
	for (i = 0; i < nr; i++) {
		jobs[i] = (struct job){ .kernel = kernel, .file = files[i] };
		snprintf(jobs[i].missing, sizeof(jobs[i].missing), "missing-%d", i);
		if (pthread_create(&ids[i], NULL, work, &jobs[i]))
			exit(2);
	}
	for (i = 0; i < nr; i++) {
		pthread_join(ids[i], NULL);
		failed |= jobs[i].failed;
	}
	kreloc_free(kernel);
	return failed;
}

int main(int argc, char **argv)
{
	const char *call = argc > 1 ? argv[1] : "", *last = argc > 2 ? argv[argc - 1] : NULL;
	struct kreloc *kernel;
	int err;

	if (!strcmp(call, "running") && argc <= 3) {
		err = kreloc_running(&kernel, last);
		return print(kernel, err);
	}
	if (!strcmp(call, "read") && (argc == 3 || argc == 4)) {
		err = kreloc_read(&kernel, argv[2], argc == 4 ? last : NULL);
		return print(kernel, err);
	}
	if (!strcmp(call, "stamp") && (argc == 4 || argc == 5))
		return stamp(argv[2], argv[3], argc == 5 ? last : NULL);
	if (!strcmp(call, "copy") && argc == 4)
		return copy(argv[2], argv[3]);
	if (!strcmp(call, "strip") && argc == 3)
		return done(kreloc_strip(argv[2]));
	if (!strcmp(call, "misuse"))
		return misuse();
	if (!strcmp(call, "threads"))
		return threads(argc - 2, argv + 2);
	return 2;
}
