// SPDX-License-Identifier: GPL-2.0-only
/*
 * Kernel modules. They move with every load, each for itself, and the kernel's offset says nothing
 * about them; a copy of /proc/modules does.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "modules.h"
#include "system.h"

#define TEXT_MAX	(1u << 20)

/* "name size references users state 0xaddress", and perhaps "(taints)". */
static bool read_line(char *line, struct module *module)
{
	char *fields[6], *save = NULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fields); i++) {
		fields[i] = strtok_r(i ? NULL : line, " ", &save);
		if (!fields[i])
			return false;
	}
	memset(module, 0, sizeof(*module));
	module->name = fields[0];
	module->size = strtoull(fields[1], NULL, 10);
	return parse_hex(fields[5], strlen(fields[5]), &module->addr);
}

static int by_address(const void *a, const void *b)
{
	const struct module *x = a, *y = b;

	return x->addr < y->addr ? -1 : x->addr > y->addr;
}

static int read_lines(struct modules *modules, struct why *why)
{
	size_t zeros = 0, lines = 1;
	char *line, *save = NULL;

	for (line = modules->text; *line; line++)
		lines += *line == '\n';
	modules->list = calloc(lines, sizeof(*modules->list));
	if (!modules->list)
		return fail(why, "out of memory");
	for (line = strtok_r(modules->text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		struct module *module = &modules->list[modules->nr];

		if (!read_line(line, module))
			return fail(why, "is not a copy of /proc/modules");
		zeros += !module->addr;
		modules->nr += module->addr != 0;
	}
	if (zeros)
		return fail(why, "has no addresses: copy /proc/modules as root, with kernel.kptr_restrict below 2");
	qsort(modules->list, modules->nr, sizeof(*modules->list), by_address);
	return 0;
}

/**
 * modules_read - read /proc/modules or a copy of it
 * @path:	the file
 * @modules:	filled on success, then to be freed with modules_free()
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int modules_read(const char *path, struct modules *modules, struct why *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t len = 0;
	ssize_t n = 0;

	memset(modules, 0, sizeof(*modules));
	if (fd < 0)
		return fail(why, "%s: %s", path, strerror(errno));
	modules->text = malloc(TEXT_MAX);
	/* Not by pread(): it may come through a pipe. */
	while (modules->text && len < TEXT_MAX - 1 &&
	       (n = read(fd, modules->text + len, TEXT_MAX - 1 - len)) > 0)
		len += (size_t)n;
	close(fd);
	if (!modules->text)
		return fail(why, "%s: out of memory", path);
	modules->text[len] = '\0';
	if (n < 0)
		explain(why, "%s: %s", path, strerror(errno));
	else if (strlen(modules->text) != len)
		explain(why, "%s: is not a copy of /proc/modules", path);
	else if (read_lines(modules, why))
		explain(why, "%s: %s", path, why->text);
	else
		return 0;
	modules_free(modules);
	return -1;
}

/* "dir/virtio-pci.ko.xz" is virtio_pci. */
static bool is_file_of(const char *path, const char *name)
{
	const char *base = strrchr(path, '/');
	size_t i;

	base = base ? base + 1 : path;
	for (i = 0; name[i]; i++)
		if (base[i] != name[i] && !(base[i] == '-' && name[i] == '_'))
			return false;
	return base[i] == '.' || !base[i];
}

/*
 * Where the sections with code are: one after the other as in the file, but for those that are
 * dropped after loading (layout_sections() in kernel/module/main.c). Data come after a gap that
 * depends on the kernel's configuration, so they stay out.
 */
static int place_sections(const struct module *module, uint64_t *placed, uint64_t *end,
			  struct why *why)
{
	const struct elf_file *file = &module->file;
	uint64_t at = module->addr;
	size_t i;

	for (i = 1; i < file->nr_sections; i++) {
		const struct elf_section *section = &file->sections[i];
		const uint64_t align = section->align ? section->align : 1;

		if (!(section->flags & SHF_EXECINSTR) || !(section->flags & SHF_ALLOC) ||
		    !strncmp(section->name, ".init", 5) || section->type == SHT_NOBITS)
			continue;
		if (align & (align - 1) || align > module->size || section->size > module->size ||
		    round_up(at, align) - module->addr > module->size - section->size)
			return fail(why, "has more code than %s had when it was loaded",
				    module->name);
		at = round_up(at, align);
		placed[i] = at;
		at += section->size;
	}
	*end = at;
	return 0;
}

static int add_file(struct module *module, enum alias_rule rule, struct why *why)
{
	uint64_t *placed, end;
	int err;

	if (module->file.type != ET_REL || !module->file.symbols)
		return fail(why, "is not a kernel module with symbols");
	placed = calloc(module->file.nr_sections + 1, sizeof(*placed));
	if (!placed)
		return fail(why, "out of memory");
	err = place_sections(module, placed, &end, why);
	if (!err) {
		module->lookup.base = module->addr;
		module->lookup.size = end - module->addr;
		err = lookup_build(&module->lookup, &module->file, placed, rule, why);
	}
	free(placed);
	return err;
}

/**
 * modules_add_file - give a module its symbols
 * @modules:	read by modules_read()
 * @path:	a .ko, which may be packed; its name tells which module it is
 * @rule:	which of several names is given
 * @why:	filled on failure, with the path
 *
 * Return: 0 or -1.
 */
int modules_add_file(struct modules *modules, const char *path, enum alias_rule rule,
		     struct why *why)
{
	struct module *module = NULL;
	size_t i;

	for (i = 0; i < modules->nr; i++)
		if (is_file_of(path, modules->list[i].name))
			module = &modules->list[i];
	if (!module)
		return fail(why, "%s: no module of that name was loaded", path);
	if (module->has_file)
		return fail(why, "%s: a second file for %s", path, module->name);
	if (elf_file_open(path, &module->file, why))
		return -1;
	if (add_file(module, rule, why)) {
		explain(why, "%s: %s", path, why->text);
		elf_file_close(&module->file);
		return -1;
	}
	module->has_file = true;
	return 0;
}

/**
 * modules_free - forget them
 * @modules:	read by modules_read()
 */
void modules_free(struct modules *modules)
{
	size_t i;

	for (i = 0; i < modules->nr; i++) {
		if (!modules->list[i].has_file)
			continue;
		lookup_free(&modules->list[i].lookup);
		elf_file_close(&modules->list[i].file);
	}
	free(modules->list);
	free(modules->text);
	memset(modules, 0, sizeof(*modules));
}

/**
 * modules_find - which module is there?
 * @modules:	read by modules_read()
 * @addr:	run-time address
 *
 * Return: it, or NULL.
 */
const struct module *modules_find(const struct modules *modules, uint64_t addr)
{
	size_t low = 0, high = modules->nr;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (modules->list[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || addr - modules->list[low - 1].addr >= modules->list[low - 1].size)
		return NULL;
	return &modules->list[low - 1];
}
