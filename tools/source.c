// SPDX-License-Identifier: GPL-2.0-only
/*
 * Asks the sources, best first, until one knows. The module comes first: it was checked against
 * two witnesses inside the kernel. An answer that cannot be true counts as none.
 */
#include <string.h>
#include <unistd.h>

#include "kallsyms.h"
#include "place.h"
#include "symbols.h"

static const struct source *const sources[] = {
	&source_sysfs,
	&source_kcore,
	&source_kallsyms,
};

/**
 * source_exists - is there such a source?
 * @name:	"auto" or a source's name
 */
bool source_exists(const char *name)
{
	unsigned int i;

	if (!strcmp(name, "auto"))
		return true;
	for (i = 0; i < ARRAY_SIZE(sources); i++)
		if (!strcmp(name, sources[i]->name))
			return true;
	return false;
}

static int ask(const struct source *source, const struct kernel *kernel,
	       const struct vmlinux *vmlinux, struct place *place, struct why *why)
{
	memset(place, 0, sizeof(*place));
	place->arch = kernel->arch;
	place->source = source->name;
	if (source->get(kernel, place, why))
		return -1;
	/* Knowing where it runs is worth something even without knowing where it was linked. */
	if (!place->link)
		link_find(kernel, vmlinux, place, why);
	return place_check(place, why);
}

/**
 * source_find - where is the running kernel?
 * @name:	"auto" or the source to ask
 * @kernel:	the running kernel
 * @vmlinux:	its vmlinux, where the user gave one, or NULL
 * @place:	filled on success; its link address may still be unknown, and then the last of
 *		@search->why says why
 * @search:	what each source said
 *
 * Return: 0, or -1 where nobody knows.
 */
int source_find(const char *name, const struct kernel *kernel, const struct vmlinux *vmlinux,
		struct place *place, struct search *search)
{
	unsigned int i;

	memset(search, 0, sizeof(*search));
	for (i = 0; i < ARRAY_SIZE(sources); i++) {
		const unsigned int n = search->asked;

		if (strcmp(name, "auto") && strcmp(name, sources[i]->name))
			continue;
		search->name[n] = sources[i]->name;
		search->asked++;
		if (!kernel->arch) {
			explain(&search->why[n], "kreloc does not know the architecture %s",
			     kernel->machine);
			continue;
		}
		if (!ask(sources[i], kernel, vmlinux, place, &search->why[n]))
			return 0;
	}
	return -1;
}

static uint64_t kallsyms_text_size(const struct arch *arch)
{
	struct symbol symbols[] = { { .name = arch->anchor }, { .name = "_etext" } };
	int fd = system_open("/proc/kallsyms");

	if (fd < 0)
		return 0;
	if (kallsyms_find(fd, symbols, ARRAY_SIZE(symbols)))
		symbols[0].found = false;
	close(fd);
	if (!symbols[0].found || !symbols[1].found || symbols[1].value <= symbols[0].value)
		return 0;
	return symbols[1].value - symbols[0].value;
}

/**
 * source_text_size - how long is the running kernel's text?
 * @vmlinux:	its vmlinux, or NULL
 * @place:	of the running kernel; its text_size is filled in where anybody knows
 *
 * Only asked when a file is stamped: the end of the text is far down in kallsyms.
 */
void source_text_size(const struct vmlinux *vmlinux, struct place *place)
{
	if (!place->text_size && vmlinux)
		place->text_size = vmlinux->text_size;
	if (!place->text_size)
		place->text_size = sysfs_text_size();
	if (!place->text_size)
		place->text_size = kallsyms_text_size(place->arch);
	if (!place->text_size)
		place->text_size = kcore_text_size(place->arch, place->text);
}
