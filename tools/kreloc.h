/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What every file of the program shares: how it ends, how it complains, and the small types that
 * travel between sources, formats and commands.
 *
 * Library functions never print. They return 0 or -1 and leave a reason in a struct why, so that a
 * command can put the file's name before it, and so that tests and fuzzers stay quiet. What other
 * programs get of them is in include/kreloc.h.
 */
#ifndef KRELOC_PROGRAM_H
#define KRELOC_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit status of the program, the worst of its files. */
enum {
	KRELOC_DONE = 0,
	KRELOC_FAILED = 1,
	KRELOC_USAGE = 2,
	KRELOC_UNKNOWN = 3,
};

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * struct why - the reason of a failure, for people: what is wrong and what to do about it
 * @text:	without the program's name, the file's name and a newline
 * @error:	the same for a caller, an errno; 0 where none tells more than @text
 */
struct why {
	char text[512];
	int error;
};

void explain(struct why *why, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void notice(const char *subject, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
extern void (*notice_to)(const char *subject, const char *text);

void complain(const char *subject, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* For a function that ends in "return fail(...)"; what it returns is plain to see for analysers. */
#define fail(why, ...)	(explain(why, __VA_ARGS__), -1)
/* The same where the errno @no matters to the caller, too. */
#define fail_with(no, why, ...)	(explain(why, __VA_ARGS__), (why)->error = (no), -1)

int fail_errno(struct why *why);

/* The longest release that uname can hold (__NEW_UTS_LEN) and its NUL, rounded up. */
#define RELEASE_LEN	80
/* And a host's name. */
#define HOST_LEN	RELEASE_LEN
#define BOOT_ID_LEN	16
#define BUILD_ID_LEN	20

/**
 * struct build_id - the descriptor of a NT_GNU_BUILD_ID note
 * @size:	bytes in @data, 0 where it is not known
 * @data:	as long as perf.data can hold it; longer ones are cut, as perf does
 */
struct build_id {
	unsigned int size;
	unsigned char data[BUILD_ID_LEN];
};

/* Room for a build-id in hexadecimal. */
#define BUILD_ID_HEX	(2 * BUILD_ID_LEN + 1)

void build_id_set(struct build_id *id, const void *data, size_t size);
bool build_id_differ(const struct build_id *a, const struct build_id *b);
const char *build_id_hex(const struct build_id *id, char hex[BUILD_ID_HEX]);
bool build_id_parse(struct build_id *id, const char *hex);

/* And for that of a boot, with its dashes. */
#define BOOT_ID_TEXT	(2 * BOOT_ID_LEN + 4 + 1)

bool boot_id_known(const unsigned char id[BOOT_ID_LEN]);
const char *boot_id_text(const unsigned char id[BOOT_ID_LEN], char text[BOOT_ID_TEXT]);
bool boot_id_parse(unsigned char id[BOOT_ID_LEN], const char *text);

bool parse_hex(const char *s, size_t len, uint64_t *value);

/**
 * struct command - a sub-command
 * @name:	as typed
 * @run:	gets its own argv, with the name as argv[0]; returns the exit status
 * @help:	one line for kreloc --help
 */
struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *help;
};

int cmd_addr(int argc, char **argv);
int cmd_check(int argc, char **argv);
int cmd_infer(int argc, char **argv);
int cmd_read(int argc, char **argv);
int cmd_record(int argc, char **argv);
int cmd_show(int argc, char **argv);
int cmd_stamp(int argc, char **argv);
int cmd_strip(int argc, char **argv);

int usage_error(const char *command);

extern const char kreloc_version[];

#endif /* KRELOC_PROGRAM_H */
