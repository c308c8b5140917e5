// SPDX-License-Identifier: GPL-2.0-only
/*
 * Stops kreloc stamp and kreloc strip at every system call that changes the file, in every way
 * that a system call or a process can come to grief, and looks at what is left:
 *
 *	crash [--vmlinux=VMLINUX] FILE...
 *
 * Each FILE is blind, given as "name"; the machine in KRELOC_ROOT can stamp it. One whose name ends
 * in .bin gets a sidecar, and that belongs to it in all that is said here. After
 * each accident readers must see the old file or the stamped one; an error that is reported must
 * leave the old one, to the byte; and the next stamp or strip must finish the job. Killed within
 * the one write that must be atomic, only the last is asked.
 *
 * The calls are wrapped at link time (see the Makefile), and each attempt runs in a child.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kreloc.h"
#include "view.h"

enum fault {
	KILL_BEFORE,		/* the call */
	KILL_AFTER,
	KILL_HALF_WAY,		/* half of a write is done */
	FAIL_EIO,		/* without doing it */
	FAIL_ENOSPC,
	FAIL_AFTER,		/* having done it */
	SHORT_WRITE,		/* half of it; what is left goes well */
	SHORT_ENOSPC,		/* half of it; then the disk is full */
	INTERRUPTED,		/* EINTR, once */
	DEAD_DISK,		/* this and all later calls fail */
	NR_FAULTS,
};

static enum fault fault;
static int fault_at;

/* What the wrapped functions do at call number fault_at. */
enum action {
	DO_IT,
	DO_HALF,
	DO_NOTHING,
};

/* The size of what is written whole or not at all, by kernels and by disks: within a sector. */
#define ATOMIC	24

/**
 * struct notes - what a child leaves to its parent
 * @torn:	it met what cannot happen: a write of up to ATOMIC bytes was torn
 * @nr:		number of its calls
 * @calls:	each: 'w' for one that changes the file, 's' for a sync, 't' for the times and the
 *		like, 'r' for a new file that takes its place
 */
struct notes {
	bool torn;
	int nr;
	char calls[256];
};

static struct notes *notes;

static void note(char call)
{
	if (notes->nr < (int)sizeof(notes->calls) - 1)
		notes->calls[notes->nr++] = call;
}

static enum action meet_fate(bool is_write)
{
	const int call = notes->nr - 1;

	if (fault == DEAD_DISK && call >= fault_at) {
		errno = EIO;
		return DO_NOTHING;
	}
	if (fault == SHORT_ENOSPC && is_write && call == fault_at + 1) {
		errno = ENOSPC;
		return DO_NOTHING;
	}
	if (call != fault_at)
		return DO_IT;
	switch (fault) {
	case KILL_BEFORE:
		raise(SIGKILL);
		break;
	case FAIL_EIO:
		errno = EIO;
		return DO_NOTHING;
	case FAIL_ENOSPC:
		errno = ENOSPC;
		return DO_NOTHING;
	case INTERRUPTED:
		errno = EINTR;
		return is_write ? DO_NOTHING : DO_IT;
	case KILL_HALF_WAY:
	case SHORT_WRITE:
	case SHORT_ENOSPC:
		return is_write ? DO_HALF : DO_IT;
	default:
		break;
	}
	return DO_IT;
}

/* Behind the call itself. */
static int meet_late_fate(int result)
{
	if (notes->nr - 1 != fault_at)
		return result;
	if (fault == KILL_AFTER || fault == KILL_HALF_WAY)
		raise(SIGKILL);
	if (fault == FAIL_AFTER) {
		errno = EIO;
		return -1;
	}
	return result;
}

ssize_t __real_pwrite64(int fd, const void *buf, size_t len, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t off);
ssize_t __wrap_pwrite64(int fd, const void *buf, size_t len, off_t off)
{
	enum action action;
	ssize_t n;

	note('w');
	action = meet_fate(true);
	if (action == DO_NOTHING)
		return -1;
	if (action == DO_HALF && len <= ATOMIC)
		notes->torn = true;
	n = __real_pwrite64(fd, buf, action == DO_HALF ? len / 2 : len, off);
	return meet_late_fate(0) ? -1 : n;
}

ssize_t __real_copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t len,
			       unsigned int flags);
ssize_t __wrap_copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t len,
			       unsigned int flags);
ssize_t __wrap_copy_file_range(int in, off64_t *from, int out, off64_t *to, size_t len,
			       unsigned int flags)
{
	enum action action;
	ssize_t n;

	note('w');
	action = meet_fate(true);
	if (action == DO_NOTHING)
		return -1;
	n = __real_copy_file_range(in, from, out, to, action == DO_HALF ? (len + 1) / 2 : len,
				   flags);
	return meet_late_fate(0) ? -1 : n;
}

#define WRAP(name, call, parameters, arguments)				\
	int __real_##name parameters;					\
	int __wrap_##name parameters;					\
	int __wrap_##name parameters					\
	{								\
		note(call);						\
		if (meet_fate(false) == DO_NOTHING)			\
			return -1;					\
		return meet_late_fate(__real_##name arguments);		\
	}

WRAP(ftruncate64, 'w', (int fd, off_t len), (fd, len))
WRAP(fsync, 's', (int fd), (fd))
WRAP(fdatasync, 's', (int fd), (fd))
WRAP(futimens, 't', (int fd, const struct timespec times[2]), (fd, times))
WRAP(fchmod, 't', (int fd, mode_t mode), (fd, mode))
WRAP(linkat, 't', (int from_dir, const char *from, int to_dir, const char *to, int flags),
     (from_dir, from, to_dir, to, flags))
WRAP(rename, 'r', (const char *from, const char *to), (from, to))
WRAP(unlink, 't', (const char *path), (path))

#define WORK	"crash.data"
#define SIDECAR	"crash.data.kreloc"
/* The new file of either, as long as it has no better name */
#define LEFT	".crash.data.kreloc"
#define LEFT_SIDECAR ".crash.data.kreloc.kreloc"

/* The file gets a sidecar. */
static bool beside;

static int (*const stamp)(int argc, char **argv) = cmd_stamp;
static int (*const strip)(int argc, char **argv) = cmd_strip;

/* What is in the file, and in its sidecar. */
struct bytes {
	unsigned char *data;
	size_t len;
	unsigned char *side;
	size_t side_len;
	char *view;
};

static unsigned char *load_file(const char *path, size_t *len)
{
	FILE *file = fopen(path, "r");
	unsigned char *data;
	struct stat st;

	if (!file || fstat(fileno(file), &st))
		exit(2);
	*len = (size_t)st.st_size;
	data = malloc(*len + 1);
	if (!data || fread(data, 1, *len, file) != *len)
		exit(2);
	fclose(file);
	return data;
}

/* All lines, but that with the time: two stamps of the same file are not of the same second. */
static void view_lines(FILE *out, const unsigned char *p, size_t len)
{
	size_t n;

	for (; len; p += n, len -= n) {
		const unsigned char *end = memchr(p, '\n', len);

		n = end ? (size_t)(end - p) + 1 : len;
		if (!memmem(p, n, "kreloc: time:", 13) && !memmem(p, n, "kreloc_time", 11) &&
		    !memmem(p, n, "\"time\"", 6))
			fprintf(out, "%zu %llx\n", n, view_hash(p, n));
	}
}

static char *view_any(const struct bytes *bytes)
{
	size_t room;
	char *text;
	FILE *out;

	if (bytes->len >= 8 && (!memcmp(bytes->data, "PERFILE2", 8) ||
				!memcmp(bytes->data + 3, "traci", 5)))
		return view(bytes->data, bytes->len);
	out = open_memstream(&text, &room);
	if (!out)
		exit(2);
	view_lines(out, bytes->data, bytes->len);
	fprintf(out, "beside %d\n", bytes->side != NULL);
	view_lines(out, bytes->side, bytes->side_len);
	fclose(out);
	return text;
}

static struct bytes load(const char *path)
{
	struct bytes bytes = { 0 };

	bytes.data = load_file(path, &bytes.len);
	if (!strcmp(path, WORK) && !access(SIDECAR, F_OK))
		bytes.side = load_file(SIDECAR, &bytes.side_len);
	bytes.view = view_any(&bytes);
	return bytes;
}

static void store_file(const char *path, const unsigned char *data, size_t len)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(data, 1, len, file) != len || fclose(file))
		exit(2);
}

static void store(const struct bytes *bytes)
{
	static struct timespec times[2];

	/* The same each time: a sidecar knows it. */
	if (!times[0].tv_sec)
		times[0].tv_sec = times[1].tv_sec = time(NULL);
	store_file(WORK, bytes->data, bytes->len);
	if (utimensat(AT_FDCWD, WORK, times, 0) || (remove(SIDECAR) && errno != ENOENT))
		exit(2);
	if (bytes->side)
		store_file(SIDECAR, bytes->side, bytes->side_len);
}

static void drop(struct bytes *bytes)
{
	free(bytes->data);
	free(bytes->side);
	free(bytes->view);
}

/* For stamp; or NULL */
static char *option;

/* A file of no known kind, without a sidecar, is none that could be stripped. */
static int strip_status(const struct bytes *bytes)
{
	return beside && !bytes->side ? KRELOC_FAILED : KRELOC_DONE;
}

/* Returns the exit status, or -1 where the child was killed; notes has the rest. */
static int run(int (*command)(int argc, char **argv), enum fault with, int at)
{
	char program[] = "kreloc", file[] = WORK, sidecar[] = "--sidecar";
	char *argv[] = { program, file, NULL, NULL, NULL };
	int argc = 2, status;
	pid_t pid;

	if (option && command == stamp)
		argv[argc++] = option;
	if (beside && command == stamp)
		argv[argc++] = sidecar;
	memset(notes, 0, sizeof(*notes));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

		dup2(null, 1);
		dup2(null, 2);
		fault = with;
		fault_at = at;
		status = command(argc, argv);
		fflush(stdout);
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		exit(2);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int failures;
static unsigned int points;

static void expect(bool good, const char *what, const char *phase, enum fault with, int at)
{
	if (good)
		return;
	failures++;
	fprintf(stderr, "%s, fault %d at call %d: %s\n", phase, with, at, what);
}

static bool same(const struct bytes *a, const struct bytes *b)
{
	return a->len == b->len && !memcmp(a->data, b->data, a->len) && !a->side == !b->side;
}

/* After an accident, with what is left of the file in @left: can both commands go on from there? */
static void go_on(const struct bytes *left, const struct bytes *old, const struct bytes *new,
		  const char *phase, enum fault with, int at)
{
	struct bytes now;

	store(left);
	expect(!run(stamp, NR_FAULTS, 0), "the next stamp fails", phase, with, at);
	now = load(WORK);
	expect(!strcmp(now.view, new->view), "the next stamp does not stamp", phase, with, at);
	drop(&now);
	expect(!run(strip, NR_FAULTS, 0), "strip after it fails", phase, with, at);
	now = load(WORK);
	expect(same(&now, old), "strip after it does not give the old file", phase, with, at);
	drop(&now);

	expect(access(LEFT, F_OK) && access(LEFT_SIDECAR, F_OK), "a file is left behind", phase,
	       with, at);
	store(left);
	expect(run(strip, NR_FAULTS, 0) == strip_status(left), "the next strip fails", phase,
	       with, at);
	now = load(WORK);
	expect(same(&now, old), "the next strip does not give the old file", phase, with, at);
	drop(&now);
}

static void one_accident(const struct bytes *old, const struct bytes *new, bool stripping,
			 enum fault with, int at)
{
	const char *phase = stripping ? "strip" : "stamp";
	const struct bytes *before = stripping ? new : old;
	struct bytes left;
	int status;

	points++;
	store(before);
	status = run(stripping ? strip : stamp, with, at);
	left = load(WORK);
	expect(!strcmp(left.view, old->view) || !strcmp(left.view, new->view) ||
	       (notes->torn && status == -1), "readers see neither the old nor the stamped file",
	       phase, with, at);
	expect(status == -1 || status == KRELOC_DONE || status == KRELOC_FAILED,
	       "strange exit status", phase, with, at);
	if (status == KRELOC_DONE)
		expect(!strcmp(left.view, stripping ? old->view : new->view),
		       "success was reported and is none", phase, with, at);
	/* Where only one call failed, undoing could not; FAIL_AFTER can hit the very last. */
	if (status == KRELOC_FAILED && !stripping && with != DEAD_DISK &&
	    strcmp(left.view, new->view))
		expect(same(&left, old), "failure was reported and the file is another", phase,
		       with, at);
	expect(status == -1 || with == DEAD_DISK ||
	       (access(LEFT, F_OK) && access(LEFT_SIDECAR, F_OK)), "a file is left behind", phase,
	       with, at);
	if (with == SHORT_WRITE || with == INTERRUPTED)
		expect(status == KRELOC_DONE, "does not survive what is no error", phase, with, at);
	go_on(&left, old, new, phase, with, at);
	drop(&left);
}

/* A new file is on the disk before it takes the place, and that is on the disk at last. */
static bool ordered_new(const char *calls, const char *rename)
{
	const char *p = rename;

	while (p > calls && p[-1] != 'w' && p[-1] != 's')
		p--;
	return p > calls && p[-1] == 's' && !strchr(rename, 'w') && strchr(rename, 's');
}

/* Each change is on the disk before the next is made, and at last all are. */
static bool ordered(const char *calls)
{
	const char *p = strchr(calls, 'r');

	if (p)
		return ordered_new(calls, p);
	for (p = calls; (p = strchr(p, 'w')); p++)
		if (p[1 + strcspn(p + 1, "ws")] != 's')
			return false;
	return strchr(calls, 'w');
}

static void all_accidents(const char *name)
{
	int stamp_calls, strip_calls, f, at;
	struct bytes old, new;

	beside = strlen(name) > 4 && !strcmp(name + strlen(name) - 4, ".bin");
	old = load(name);
	store(&old);
	failures = 0;
	points = 0;
	if (run(stamp, NR_FAULTS, -1)) {
		printf("not ok - %s: cannot be stamped at all\n", name);
		failures++;
		return;
	}
	stamp_calls = notes->nr;
	expect(ordered(notes->calls), notes->calls, "order of stamp", NR_FAULTS, 0);
	new = load(WORK);
	if (run(strip, NR_FAULTS, -1))
		exit(2);
	strip_calls = notes->nr;
	/* A sidecar is gone, and then that is on the disk. */
	expect(beside ? !strcmp(notes->calls, "ts") : ordered(notes->calls), notes->calls,
	       "order of strip", NR_FAULTS, 0);

	for (f = 0; f < NR_FAULTS; f++) {
		for (at = 0; at < stamp_calls; at++)
			one_accident(&old, &new, false, (enum fault)f, at);
		for (at = 0; at < strip_calls; at++)
			one_accident(&old, &new, true, (enum fault)f, at);
	}
	printf("%s - %s: %u accidents, at each of %d + %d calls, old or stamped after each\n",
	       failures ? "not ok" : "ok", name, points, stamp_calls, strip_calls);
	drop(&old);
	drop(&new);
}

int main(int argc, char **argv)
{
	int i, all = 0;

	notes = mmap(NULL, sizeof(*notes), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (notes == MAP_FAILED)
		return 2;
	for (i = 1; i < argc; i++) {
		if (!strncmp(argv[i], "--", 2)) {
			option = argv[i];
			continue;
		}
		all_accidents(argv[i]);
		all += failures;
	}
	return all || argc < 2;
}
