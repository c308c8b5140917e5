// SPDX-License-Identifier: GPL-2.0-only
/*
 * The modules that the running kernel has loaded, from /sys/module (kernel/module/sysfs.c). Their
 * addresses are shown to root alone, and as zeros where kernel.kptr_restrict forbids it. Modules
 * without a directory of sections are built in, and move with the kernel.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "loaded.h"
#include "symbols.h"

#define SYS_MODULE	"/sys/module"

/* A value of sysfs or a few notes; sysfs wants a page. */
#define VALUE_SIZE	4096

/* Longer than the name of any file in modules.dep. */
#define DEP_LINE	4096

static ssize_t read_value(const char *name, const char *value, char buf[VALUE_SIZE])
{
	char path[PATH_MAX];
	const int n = snprintf(path, sizeof(path), SYS_MODULE "/%s/%s", name, value);

	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	return system_read(path, buf, VALUE_SIZE);
}

static void read_build_id(struct loaded_module *module)
{
	char notes[VALUE_SIZE];
	const ssize_t n = read_value(module->name, "notes/.note.gnu.build-id", notes);
	const unsigned char *desc;
	size_t len;

	if (n < 0)
		return;
	/* NT_GNU_BUILD_ID */
	desc = note_find((const unsigned char *)notes, (size_t)n, HOST_BIG, "GNU", 3, &len);
	if (desc)
		build_id_set(&module->build_id, desc, len);
}

/* Adds a module, if it is one and has code. */
static int add_module(struct loaded *loaded, const char *name, struct why *why)
{
	char text[VALUE_SIZE], size[VALUE_SIZE];
	struct loaded_module *list, *module;
	uint64_t at;

	if (read_value(name, "sections/.text", text) < 0) {
		if (errno == ENOENT || errno == ENOTDIR)
			return 0;
		return fail(why, SYS_MODULE "/%s/sections/.text: %s", name, strerror(errno));
	}
	text[strcspn(text, "\n")] = '\0';
	if (!parse_hex(text, strlen(text), &at))
		return fail(why, SYS_MODULE "/%s/sections/.text: is not an address", name);
	if (!at)
		return fail(why, SYS_MODULE "/%s/sections/.text: is hidden by kernel.kptr_restrict",
			    name);
	/* It was unloaded just now. */
	if (read_value(name, "coresize", size) < 0)
		return 0;
	list = realloc(loaded->list, (loaded->nr + 1) * sizeof(*list));
	if (!list)
		return fail(why, "out of memory");
	loaded->list = list;
	module = &list[loaded->nr];
	memset(module, 0, sizeof(*module));
	module->name = strdup(name);
	if (!module->name)
		return fail(why, "out of memory");
	loaded->nr++;
	module->text = at;
	module->size = strtoull(size, NULL, 10);
	read_build_id(module);
	return 0;
}

static int by_text(const void *a, const void *b)
{
	const struct loaded_module *x = a, *y = b;

	return x->text < y->text ? -1 : x->text > y->text;
}

/*
 * Since 6.4 the parts of a module lie in different places, and the size counts all of them. How
 * long the code is nobody says; it does not reach into the next module's.
 */
static void bound_sizes(struct loaded *loaded)
{
	size_t i;

	for (i = 0; i + 1 < loaded->nr; i++) {
		const uint64_t room = loaded->list[i + 1].text - loaded->list[i].text;

		if (loaded->list[i].size > room)
			loaded->list[i].size = room;
	}
}

static int by_name(const void *a, const void *b)
{
	const struct loaded_module *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

static int name_is(const void *name, const void *module)
{
	const struct loaded_module *const *m = module;

	return strcmp(name, (*m)->name);
}

/* "kernel/net/a-module.ko.xz: …" is the file of a_module. Returns 0 if that is one, or none. */
static int take_line(struct loaded_module **sorted, size_t nr, const char *dir, char *line)
{
	char name[NAME_MAX + 1], *base, *p;
	struct loaded_module **found;

	line[strcspn(line, ":\n")] = '\0';
	base = strrchr(line, '/');
	base = base ? base + 1 : line;
	snprintf(name, sizeof(name), "%s", base);
	name[strcspn(name, ".")] = '\0';
	for (p = name; *p; p++)
		if (*p == '-')
			*p = '_';
	found = bsearch(name, sorted, nr, sizeof(struct loaded_module *), name_is);
	if (!found || (*found)->file)
		return 0;
	if (asprintf(&(*found)->file, "%s/%s", dir, line) >= 0)
		return 0;
	(*found)->file = NULL;
	return -1;
}

/* Without modules.dep the files stay unknown, which is no failure. */
static int find_files(struct loaded *loaded, const char *release, struct why *why)
{
	struct loaded_module **sorted;
	char dir[PATH_MAX], path[PATH_MAX + 32], dep[PATH_MAX];
	char *line;
	FILE *in;
	size_t i;
	int err = 0;

	snprintf(dir, sizeof(dir), "/lib/modules/%s", release);
	snprintf(path, sizeof(path), "%s/modules.dep", dir);
	if (system_path(dep, sizeof(dep), path))
		return 0;
	in = fopen(dep, "re");
	if (!in)
		return 0;
	sorted = calloc(loaded->nr, sizeof(struct loaded_module *));
	line = malloc(DEP_LINE);
	if (sorted && line) {
		for (i = 0; i < loaded->nr; i++)
			sorted[i] = &loaded->list[i];
		qsort(sorted, loaded->nr, sizeof(struct loaded_module *), by_name);
		while (!err && fgets(line, DEP_LINE, in)) {
			/* What else is in such a long line nobody needs. */
			int c = strchr(line, '\n') ? '\n' : fgetc(in);

			while (c != '\n' && c != EOF)
				c = fgetc(in);
			err = take_line(sorted, loaded->nr, dir, line);
		}
	} else {
		err = -1;
	}
	free(line);
	free(sorted);
	fclose(in);
	return err ? fail(why, "out of memory") : 0;
}

/**
 * loaded_read - which modules are loaded, and where?
 * @kernel:	the running kernel
 * @loaded:	filled on success, then to be freed with loaded_free()
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int loaded_read(const struct kernel *kernel, struct loaded *loaded, struct why *why)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *dir = NULL;
	int err = 0;

	memset(loaded, 0, sizeof(*loaded));
	if (!system_path(path, sizeof(path), SYS_MODULE))
		dir = opendir(path);
	if (!dir)
		return fail(why, SYS_MODULE ": %s", strerror(errno));
	while (!err && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			err = add_module(loaded, entry->d_name, why);
	closedir(dir);
	if (!err && loaded->nr) {
		qsort(loaded->list, loaded->nr, sizeof(*loaded->list), by_text);
		bound_sizes(loaded);
		err = find_files(loaded, kernel->release, why);
	}
	if (err)
		loaded_free(loaded);
	return err;
}

/**
 * loaded_free - forget them
 * @loaded:	read by loaded_read()
 */
void loaded_free(struct loaded *loaded)
{
	size_t i;

	for (i = 0; i < loaded->nr; i++) {
		free(loaded->list[i].name);
		free(loaded->list[i].file);
	}
	free(loaded->list);
	memset(loaded, 0, sizeof(*loaded));
}
