// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reads /proc/kallsyms: a few symbols of it, stopping as soon as they are found, or all.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kallsyms.h"

/* The largest seen is 15 MB, with a debug kernel's modules. */
#define TEXT_MAX	(1u << 30)
#define TEXT_START	(4u << 20)

/* From this length on names were dropped (KSYM_NAME_LEN, 512 since 6.1). */
#define NAME_LEN_OLD	128

/**
 * kallsyms_drops - may a symbol of vmlinux be left out because of its name?
 * @name:	of the symbol
 *
 * The kernel's build sorts out what is no use in a backtrace: is_ignored_symbol() in
 * scripts/kallsyms.c and later scripts/mksysmap. The lists differ between releases, and this is
 * all of them together: such a symbol may be in kallsyms or not.
 *
 * Return: whether it may.
 */
bool kallsyms_drops(const char *name)
{
	static const char *const begins[] = {
		"$", ".L", "L0\001", "__crc_", "__kstrtab_", "__kstrtabns_", "__efistub_",
		"__kcfi_typeid_", "__mod_device_table__", "__UNIQUE_ID_modinfo", "__pi_",
		"__kvm_nvhe_", "kallsyms_", "__AArch64ADRPThunk_", "__ARMV5PILongThunk_",
		"__ARMV7PILongThunk_", "__ThumbV7PILongThunk_", "__LA25Thunk_", "__microLA25Thunk_",
	};
	static const char *const ends[] = { "_from_arm", "_from_thumb", "_veneer" };
	static const char *const names[] = { "_SDA_BASE_", "_SDA2_BASE_", "linker_stub" };
	const size_t len = strlen(name);
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(begins); i++)
		if (name[0] == begins[i][0] && !strncmp(name, begins[i], strlen(begins[i])))
			return true;
	for (i = 0; i < ARRAY_SIZE(ends); i++)
		if (len >= strlen(ends[i]) && !strcmp(name + len - strlen(ends[i]), ends[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	return len >= NAME_LEN_OLD || strstr(name, ".long_branch.") || strstr(name, ".plt_branch.");
}

/* "address type name", and for modules a tab and "[module]". */
static bool is_wanted(const char *line, size_t len, struct symbol *symbols, unsigned int nr)
{
	const char *space = memchr(line, ' ', len);
	const char *name;
	size_t name_len;
	unsigned int i;

	if (!space || len - (space - line) < 4 || space[2] != ' ')
		return false;
	name = space + 3;
	name_len = len - (name - line);
	for (i = 0; i < nr; i++) {
		if (symbols[i].found || strlen(symbols[i].name) != name_len ||
		    memcmp(name, symbols[i].name, name_len))
			continue;
		symbols[i].found = parse_hex(line, space - line, &symbols[i].value);
		return symbols[i].found;
	}
	return false;
}

/**
 * kallsyms_find - look names up in /proc/kallsyms or a copy of it
 * @fd:		open for reading
 * @symbols:	what to look for; starts with found = false
 * @nr:		how many
 *
 * Stops as soon as all are found. A value of 0 is passed on as it is: whoever asks knows whether
 * it can be an address.
 *
 * Return: 0, or -1 and errno.
 */
int kallsyms_find(int fd, struct symbol *symbols, unsigned int nr)
{
	unsigned int missing = nr;
	char buf[16384];
	size_t have = 0;
	bool skip = false;

	while (missing) {
		ssize_t n = read(fd, buf + have, sizeof(buf) - have);
		char *line = buf, *end;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		/* A line without an end was cut short, and so perhaps its name. */
		if (!n)
			return 0;
		have += (size_t)n;
		while (missing && (end = memchr(line, '\n', have - (line - buf)))) {
			if (!skip && is_wanted(line, end - line, symbols, nr))
				missing--;
			skip = false;
			line = end + 1;
		}
		have -= line - buf;
		memmove(buf, line, have);
		/* No kernel symbol is that long (KSYM_NAME_LEN is 512). */
		if (have == sizeof(buf)) {
			skip = true;
			have = 0;
		}
	}
	return 0;
}

/* Reads a file of unknown size to its end. /proc says that it has none. */
static char *read_all(int fd, size_t *len, struct why *why)
{
	size_t room = TEXT_START;
	char *text;
	struct stat st;

	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size && st.st_size < TEXT_MAX)
		room = (size_t)st.st_size + 1;
	text = malloc(room);
	*len = 0;
	while (text) {
		ssize_t n = read(fd, text + *len, room - *len);
		char *more;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			explain(why, "%s", strerror(errno));
			free(text);
			return NULL;
		}
		if (!n)
			return text;
		*len += (size_t)n;
		if (*len < room)
			continue;
		if (room >= TEXT_MAX) {
			explain(why, "is longer than any kernel's symbol table");
			free(text);
			return NULL;
		}
		room *= 2;
		more = realloc(text, room);
		if (!more)
			free(text);
		text = more;
	}
	explain(why, "out of memory");
	return NULL;
}

/**
 * kallsyms_line - one line of the table
 * @line:	first byte
 * @end:	behind the last, without the newline
 * @sym:	filled, unless it is none
 * @module:	set to whether it is not the kernel's own
 *
 * Return: whether it is a symbol.
 */
bool kallsyms_line(const char *line, const char *end, struct kallsym *sym, bool *module)
{
	const char *space = memchr(line, ' ', end - line);
	const char *tab;

	if (!space || end - space < 4 || space[2] != ' ' ||
	    !parse_hex(line, space - line, &sym->addr))
		return false;
	if (end[-1] == '\r')
		end--;
	sym->name = space + 3;
	tab = memchr(sym->name, '\t', end - sym->name);
	*module = tab;
	sym->len = (tab ? tab : end) - sym->name;
	return sym->len;
}

static int read_lines(struct kallsyms *kallsyms, size_t len, struct why *why)
{
	const char *line = kallsyms->text, *const end = line + len, *next;
	size_t number = 1, room = 0;

	for (; line < end; line = next, number++) {
		const char *newline = memchr(line, '\n', end - line);
		bool module;

		kallsyms->cut = !newline;
		if (!newline)
			newline = end;
		next = newline + 1;
		if (newline == line)
			continue;
		if (kallsyms->nr == room) {
			struct kallsym *more;

			/* Lines are 41 bytes long on x86_64; names that are shorter grow it. */
			room = room ? 2 * room : len / 40 + 16;
			more = realloc(kallsyms->syms, room * sizeof(*more));
			if (!more)
				return fail(why, "out of memory");
			kallsyms->syms = more;
		}
		if (kallsyms_line(line, newline, &kallsyms->syms[kallsyms->nr], &module)) {
			kallsyms->nr += !module;
			kallsyms->nr_modules += module;
		} else if (!kallsyms->cut || number == 1) {
			return fail(why, "line %zu is not a symbol, with address, type and name: is it a copy of /proc/kallsyms?",
				    number);
		}
	}
	if (!kallsyms->nr)
		return fail(why, "has no symbol of a kernel");
	return 0;
}

/**
 * kallsyms_read - read the whole table
 * @fd:		/proc/kallsyms or a copy of it, open for reading
 * @kallsyms:	filled on success, then to be freed with kallsyms_free()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int kallsyms_read(int fd, struct kallsyms *kallsyms, struct why *why)
{
	size_t len;

	memset(kallsyms, 0, sizeof(*kallsyms));
	kallsyms->text = read_all(fd, &len, why);
	if (!kallsyms->text)
		return -1;
	if (!read_lines(kallsyms, len, why))
		return 0;
	kallsyms_free(kallsyms);
	return -1;
}

/**
 * kallsyms_free - free the table
 * @kallsyms:	filled by kallsyms_read()
 */
void kallsyms_free(struct kallsyms *kallsyms)
{
	free(kallsyms->syms);
	free(kallsyms->text);
	memset(kallsyms, 0, sizeof(*kallsyms));
}
