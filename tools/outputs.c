// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a recorder wrote, by what is where it could have written before and after it ran.
 *
 * Its command line tells where that is, but not without a table of all options of every perf:
 * whether "-o x" is the recorder's or its workload's depends on which of the words before it are
 * arguments. So each word that can name an output is looked at. A wrong guess is harmless: nothing
 * there is both new and a trace.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "outputs.h"

/* Where perf and trace-cmd write unless they are told. */
static const char *const defaults[] = { "perf.data", "trace.dat" };

static int add(struct output_files *list, const char *path, struct why *why)
{
	struct output_file *files;
	struct stat st;

	if (stat(path, &st))
		return 0;
	files = reallocarray(list->files, list->nr + 1, sizeof(*files));
	if (!files)
		return fail(why, "out of memory");
	list->files = files;
	files[list->nr] = (struct output_file){
		.path = strdup(path),
		.dev = st.st_dev,
		.ino = st.st_ino,
		.mtime = st.st_mtim,
	};
	if (!files[list->nr].path)
		return fail(why, "out of memory");
	list->nr++;
	return 0;
}

/* perf record --switch-output and --timestamp-filename put .YYYYMMDDhhmmsscc behind the name. */
static int add_dated(struct output_files *list, const char *path, struct why *why)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	const size_t len = strlen(name);
	struct dirent *entry;
	char *dir, *full;
	int err = 0;
	DIR *d;

	dir = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup("./");
	if (!dir)
		return fail(why, "out of memory");
	d = opendir(dir);
	while (d && !err) {
		entry = readdir(d);
		if (!entry)
			break;
		if (strncmp(entry->d_name, name, len) || entry->d_name[len] != '.' ||
		    !isdigit((unsigned char)entry->d_name[len + 1]))
			continue;
		if (asprintf(&full, "%s%s", slash ? dir : "", entry->d_name) < 0) {
			err = fail(why, "out of memory");
			break;
		}
		err = add(list, full, why);
		free(full);
	}
	if (d)
		closedir(d);
	free(dir);
	return err;
}

static int look_at(struct output_files *list, const char *path, struct why *why)
{
	return add(list, path, why) || add_dated(list, path, why) ? -1 : 0;
}

/* The name in "-o NAME", "-oNAME", "-ago NAME", "--output NAME", "--output=NAME", "--out=NAME". */
static const char *named(const char *word, const char *next)
{
	const char *p;

	if (word[0] != '-')
		return NULL;
	if (word[1] != '-') {
		p = strchr(word, 'o');
		return p && p[1] ? p + 1 : p ? next : NULL;
	}
	p = strchrnul(word, '=');
	if (p - word < (ptrdiff_t)strlen("--ou") || strncmp(word, "--output", (size_t)(p - word)))
		return NULL;
	return *p ? p + 1 : next;
}

static int by_path(const void *a, const void *b)
{
	const struct output_file *x = a, *y = b;

	return strcmp(x->path, y->path);
}

static void sort(struct output_files *list)
{
	size_t i, kept = 0;

	if (list->nr)
		qsort(list->files, list->nr, sizeof(*list->files), by_path);
	for (i = 0; i < list->nr; i++) {
		if (kept && !by_path(&list->files[kept - 1], &list->files[i]))
			free(list->files[i].path);
		else
			list->files[kept++] = list->files[i];
	}
	list->nr = kept;
}

/**
 * outputs_list - what is where a recorder may write
 * @list:	filled on success, then to be freed with outputs_free()
 * @argv:	the recorder's, ends with NULL
 * @why:	filled on failure
 *
 * Return: 0 or -1.
 */
int outputs_list(struct output_files *list, char *const *argv, struct why *why)
{
	unsigned int i;
	int err = 0;

	memset(list, 0, sizeof(*list));
	for (i = 0; i < ARRAY_SIZE(defaults) && !err; i++)
		err = look_at(list, defaults[i], why);
	for (; *argv && !err; argv++) {
		const char *name = named(argv[0], argv[1]);

		if (name)
			err = look_at(list, name, why);
	}
	if (err)
		outputs_free(list);
	else
		sort(list);
	return err;
}

/**
 * outputs_changed - was it written since?
 * @before:	what outputs_list() found before
 * @file:	found now
 */
bool outputs_changed(const struct output_files *before, const struct output_file *file)
{
	const struct output_file *old = NULL;

	if (before->nr)
		old = bsearch(file, before->files, before->nr, sizeof(*file), by_path);
	return !old || old->dev != file->dev || old->ino != file->ino ||
	       old->mtime.tv_sec != file->mtime.tv_sec ||
	       old->mtime.tv_nsec != file->mtime.tv_nsec;
}

/**
 * outputs_free - free a list
 * @list:	of outputs_list()
 */
void outputs_free(struct output_files *list)
{
	while (list->nr)
		free(list->files[--list->nr].path);
	free(list->files);
	list->files = NULL;
}
