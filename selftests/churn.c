// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loads and unloads the module against processes that read all of its files, in every way there
 * is, and keep them open beyond the unload:
 *
 *	churn MODULE CYCLES READERS DIRECTORY...
 *
 * A read gives the right bytes, or says that the file is gone; anything else is wrong. Files of
 * debugfs are closed at once, since one that is open keeps the module.
 *
 * Prints what was counted. Exit status: 0; 1 something was wrong, or was never seen; 2 usage.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "content.h"

#define KEPT	16
/* Each load is met by at least so many reads that give the right bytes. */
#define MET	8
/* Of what is wrong, this many are told. */
#define TOLD	20

enum count {
	RIGHT,
	GONE,
	ABSENT,
	SPLICED,
	NO_MAP,
	WRONG,
	COUNTS
};

static const char * const count_names[COUNTS] = {
	[RIGHT] = "reads gave the right bytes",
	[GONE] = "reads of an open file said that it is gone",
	[ABSENT] = "files were not there to be opened",
	[SPLICED] = "splices gave the right bytes",
	[NO_MAP] = "mappings were refused",
	[WRONG] = "were wrong",
};

/* Of all processes */
static struct shared {
	atomic_ulong counts[COUNTS];
	atomic_int stop;
	/* Someone has a file open that keeps the module. */
	atomic_int busy;
} *shared;

static int pipes[2];
static unsigned long seed;

static unsigned long dice(unsigned long sides)
{
	seed = seed * 6364136223846793005UL + 1442695040888963407UL;
	return (seed >> 33) % sides;
}

/* How many there were before */
static unsigned long tally(enum count what)
{
	return atomic_fetch_add(&shared->counts[what], 1);
}

/* Who finds nothing waits a moment, and leaves the processors to the load and the unload. */
static void found_nothing(enum count what)
{
	tally(what);
	usleep(1000);
}

static void wrong(const struct content *content, const char *how, size_t at, ssize_t n)
{
	int err = n < 0 ? errno : 0;

	if (tally(WRONG) >= TOLD)
		return;
	printf("%s: %s at %zu of %zu gave %zd %s\n", content->path, how, at, content->size, n,
	       err ? strerror(err) : "");
	fflush(stdout);
}

/* Are these bytes of the file there? None are only beyond its end. */
static int is_right(const struct content *content, size_t at, ssize_t n)
{
	size_t left = at < content->size ? content->size - at : 0;

	if (n < 0 || (size_t)n > left || (!n && left))
		return 0;
	return !n || !memcmp(buffer, content->bytes + at, (size_t)n);
}

static void judge(const struct content *content, const char *how, enum count count, size_t at,
		  ssize_t n)
{
	if (is_right(content, at, n))
		tally(count);
	else if (n < 0 && errno == ENODEV && !in_debugfs(content))
		found_nothing(GONE);
	else
		wrong(content, how, at, n);
}

static size_t any_size(void)
{
	static const size_t sizes[] = { 1, 3, 7, 19, 64, 4095, 4096, 4097, 65537, CONTENT_SIZE };

	return sizes[dice(sizeof(sizes) / sizeof(*sizes))];
}

static size_t any_place(const struct content *content)
{
	switch (dice(4)) {
	case 0:
		return 0;
	case 1:
		return content->size + dice(2);
	default:
		return dice(content->size + 1) | 1;
	}
}

static void try_whole(const struct content *content, int fd)
{
	size_t step = any_size();
	ssize_t n;

	if (step < 64)
		step *= 16;
	if (lseek(fd, 0, SEEK_SET))
		die("lseek");
	n = read_whole(fd, step);
	if (n < 0)
		errno = (int)-n;
	if (n >= 0 && (size_t)n < content->size)
		wrong(content, "the whole", 0, n);
	else
		judge(content, "the whole", RIGHT, 0, n < 0 ? -1 : n);
}

static void try_pread(const struct content *content, int fd)
{
	size_t at = any_place(content);

	judge(content, "pread", RIGHT, at, pread(fd, buffer, any_size(), (off_t)at));
}

/* Not every file has it. */
static void try_splice(const struct content *content, int fd)
{
	size_t at = any_place(content);
	loff_t pos = (loff_t)at;
	ssize_t n = splice(fd, &pos, pipes[1], NULL, any_size(), SPLICE_F_NONBLOCK);

	if (n < 0 && errno == EINVAL)
		return;
	if (n > 0 && read(pipes[0], buffer, (size_t)n) != n)
		die("pipe");
	judge(content, "splice", SPLICED, at, n);
}

static void try_mmap(const struct content *content, int fd)
{
	int flags = dice(2) ? MAP_SHARED : MAP_PRIVATE;
	void *map = mmap(NULL, 4096, PROT_READ, flags, fd, 0);

	if (map == MAP_FAILED && errno == ENODEV)
		tally(NO_MAP);
	else
		wrong(content, "mmap", 0, map == MAP_FAILED ? -1 : 0);
}

static void try_file(const struct content *content, int fd)
{
	switch (dice(5)) {
	case 0:
		try_mmap(content, fd);
		break;
	case 1:
		try_splice(content, fd);
		break;
	case 2:
		try_whole(content, fd);
		break;
	default:
		try_pread(content, fd);
	}
}

static int open_file(const struct content *content)
{
	int fd = open(content->path, O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		return fd;
	/* sysfs and debugfs have other words for a file that goes as it is opened. */
	if (errno == ENOENT || errno == (in_debugfs(content) ? ENXIO : ENODEV))
		found_nothing(ABSENT);
	else
		wrong(content, "open", 0, -1);
	return -1;
}

static void read_until_stopped(unsigned int number)
{
	struct {
		const struct content *content;
		int fd;
	} kept[KEPT], *file;
	int i;

	seed = number;
	if (pipe2(pipes, O_CLOEXEC))
		die("pipe");
	for (i = 0; i < KEPT; i++)
		kept[i].fd = -1;
	while (!atomic_load(&shared->stop)) {
		file = &kept[dice(KEPT)];
		if (file->fd >= 0 && (in_debugfs(file->content) || !dice(8))) {
			close(file->fd);
			file->fd = -1;
		}
		if (file->fd < 0) {
			file->content = &contents[dice(nr_contents)];
			if (in_debugfs(file->content) && atomic_load(&shared->busy)) {
				usleep(1000);
				continue;
			}
			file->fd = open_file(file->content);
		}
		if (file->fd < 0)
			continue;
		try_file(file->content, file->fd);
		if (in_debugfs(file->content)) {
			close(file->fd);
			file->fd = -1;
		}
	}
}

static void start_readers(unsigned int readers)
{
	unsigned int i;

	for (i = 1; i <= readers; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		/* They never sleep: the load, and the threads that it waits for, go first. */
		if (setpriority(PRIO_PROCESS, 0, 19))
			die("setpriority");
		read_until_stopped(i);
		_exit(0);
	}
}

/* Readers that end in any way but their own count as wrong. */
static void stop_readers(void)
{
	int status;

	atomic_store(&shared->stop, 1);
	while (wait(&status) > 0)
		if (status)
			tally(WRONG);
}

/* Readers go last, so that without this one load could follow the other with none in between. */
static void meet_readers(void)
{
	unsigned long enough = atomic_load(&shared->counts[RIGHT]) + MET;

	while (atomic_load(&shared->counts[RIGHT]) < enough && !atomic_load(&shared->counts[WRONG]))
		usleep(1000);
}

/* One time: how often it had to be tried again, since a reader kept the module */
static unsigned long cycle(void)
{
	unsigned long again = 0;

	must_load();
	meet_readers();
	while ((errno = unload())) {
		if (errno != EAGAIN)
			die("unload");
		atomic_store(&shared->busy, 1);
		again++;
		usleep(1000);
	}
	atomic_store(&shared->busy, 0);
	return again;
}

int main(int argc, char **argv)
{
	unsigned long cycles, again = 0, i;
	int failed = 0;

	if (argc < 5)
		return 2;
	cycles = strtoul(argv[2], NULL, 0);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	if (shared == MAP_FAILED)
		die("memory");
	learn(argv[1], argv + 4);

	start_readers((unsigned int)strtoul(argv[3], NULL, 0));
	for (i = 0; i < cycles; i++)
		again += cycle();
	stop_readers();

	printf("%lu cycles, %u files; unload was tried again %lu times\n", cycles, nr_contents,
	       again);
	for (i = 0; i < COUNTS; i++) {
		printf("%lu %s\n", atomic_load(&shared->counts[i]), count_names[i]);
		failed |= !atomic_load(&shared->counts[i]) != (i == WRONG);
	}
	return failed || !nothing_left(argv + 4);
}
