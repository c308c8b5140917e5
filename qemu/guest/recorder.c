// SPDX-License-Identifier: GPL-2.0-only
/*
 * Records where the kernel is while a command runs, like perf record -g -e cpu-clock -C 0, for
 * guests of which Debian has no perf:
 *
 *	recorder FILE COMMAND…
 *
 * FILE is a perf.data (tools/perf/Documentation/perf.data-file-format.txt) in this machine's byte
 * order: the attribute and the samples are the kernel's own bytes. Like perf's where the kernel
 * hides its addresses, it has no record that tells where the kernel is.
 */
#define _GNU_SOURCE
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/perf_event.h>

/* Room for everything: the kernel only writes over what was read, and nothing is. */
#define RING_PAGES	512

/* Feature bits of the header */
#define HOSTNAME	3
#define OSRELEASE	4
#define ARCH		6

#define FINISHED_ROUND	68

struct section {
	uint64_t offset;
	uint64_t size;
};

struct header {
	uint64_t magic;
	uint64_t size;
	uint64_t attr_size;
	struct section attrs;
	struct section data;
	struct section event_types;
	uint64_t features[4];
};

struct attr_entry {
	struct perf_event_attr attr;
	struct section ids;
};

static struct attr_entry entry = {
	.attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 999,
		.freq = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN,
		.sample_id_all = 1,
		.exclude_user = 1,
		.exclude_callchain_user = 1,
	},
};

/* A string of the header: its length with padding, then as many bytes. */
struct string {
	uint32_t len;
	char text[68];
};

static void run(char **argv)
{
	const pid_t pid = fork();
	int status;

	if (pid < 0)
		err(1, "fork");
	if (!pid) {
		execvp(argv[0], argv);
		err(1, "%s", argv[0]);
	}
	if (waitpid(pid, &status, 0) < 0 || status)
		errx(1, "%s failed", argv[0]);
}

static void put(FILE *out, const void *from, size_t size)
{
	if (fwrite(from, 1, size, out) != size)
		err(1, "write");
}

static void put_features(FILE *out, uint64_t at)
{
	static const unsigned int bits[] = { HOSTNAME, OSRELEASE, ARCH };
	struct string strings[3] = { { 0 } };
	struct utsname uts;
	unsigned int i;

	uname(&uts);
	snprintf(strings[0].text, sizeof(strings[0].text), "%s", uts.nodename);
	snprintf(strings[1].text, sizeof(strings[1].text), "%s", uts.release);
	snprintf(strings[2].text, sizeof(strings[2].text), "%s", uts.machine);
	at += sizeof(bits) / sizeof(bits[0]) * sizeof(struct section);
	for (i = 0; i < sizeof(bits) / sizeof(bits[0]); i++, at += sizeof(struct string)) {
		const struct section section = { .offset = at, .size = sizeof(struct string) };

		strings[i].len = sizeof(strings[i].text);
		put(out, &section, sizeof(section));
	}
	put(out, strings, sizeof(strings));
}

static void put_file(FILE *out, const void *records, uint64_t size)
{
	const struct perf_event_header end = { .type = FINISHED_ROUND, .size = sizeof(end) };
	const struct header header = {
		.magic = 0x32454c4946524550,
		.size = sizeof(header),
		.attr_size = sizeof(entry),
		.attrs = { sizeof(header), sizeof(entry) },
		.data = { sizeof(header) + sizeof(entry), size + sizeof(end) },
		.features = { 1u << HOSTNAME | 1u << OSRELEASE | 1u << ARCH },
	};

	put(out, &header, sizeof(header));
	put(out, &entry, sizeof(entry));
	put(out, records, size);
	put(out, &end, sizeof(end));
	put_features(out, header.data.offset + header.data.size);
}

int main(int argc, char **argv)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), ring = RING_PAGES * page;
	const struct perf_event_mmap_page *control;
	FILE *out;
	int fd;

	if (argc < 3)
		errx(2, "usage: recorder FILE COMMAND...");
	fd = (int)syscall(SYS_perf_event_open, &entry.attr, -1, 0, -1, 0);
	if (fd < 0)
		err(1, "perf_event_open");
	control = mmap(NULL, page + ring, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (control == MAP_FAILED)
		err(1, "mmap");
	run(argv + 2);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	out = fopen(argv[1], "w");
	if (!out)
		err(1, "%s", argv[1]);
	put_file(out, (const char *)control + page, control->data_head);
	if (fclose(out))
		err(1, "%s", argv[1]);
	return 0;
}
