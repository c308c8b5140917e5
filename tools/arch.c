// SPDX-License-Identifier: GPL-2.0-only
/*
 * The architectures, one entry each.
 */
#include <elf.h>
#include <string.h>

#include "place.h"

static const struct arch arches[] = {
	{
		/*
		 * Linked at __START_KERNEL_map + CONFIG_PHYSICAL_START, rounded up to
		 * CONFIG_PHYSICAL_ALIGN, and moved within the 1 GiB of KERNEL_IMAGE_SIZE, below
		 * MODULES_VADDR (arch/x86/include/asm/page_64_types.h, pgtable_64_types.h). With
		 * RANDOMIZE_BASE off both halve and modules start 512 MiB above the map. Only a
		 * kernel with it can have moved.
		 */
		.name = "x86_64",
		.machine = EM_X86_64,
		.anchor = "_text",
		.align = 0x200000,
		.image_start = 0xffffffff80000000,
		.image_end = 0xffffffffa0000000,
		.image_moved_end = 0xffffffffc0000000,
		.kernel_offset = true,
		.kcore_text = true,
		.link_base = 0xffffffff80000000,
	},
	{
		/*
		 * Linked at KERNELBASE, runs in the linear mapping at a multiple of 64 KiB
		 * (arch/powerpc/kernel/head_64.S). The first 64 KiB there always hold the
		 * interrupt vectors, wherever the kernel is. Modules and BPF programs are above
		 * it: from 0xc0003d0000000000 with 4K pages and the hash MMU, else from
		 * 0xc008000000000000 on (asm/book3s/64/hash-4k.h, hash-64k.h, radix.h).
		 */
		.name = "ppc64le",
		.machine = EM_PPC64,
		.anchor = "_stext",
		.link = 0xc000000000000000,
		.align = 0x10000,
		.image_start = 0xc000000000010000,
		.image_end = 0xc0003d0000000000,
		.image_moved_end = 0xc0003d0000000000,
	},
	{
		/* The same but for the byte order. */
		.name = "ppc64",
		.machine = EM_PPC64,
		.big = true,
		.anchor = "_stext",
		.link = 0xc000000000000000,
		.align = 0x10000,
		.image_start = 0xc000000000010000,
		.image_end = 0xc0003d0000000000,
		.image_moved_end = 0xc0003d0000000000,
	},
};

/**
 * arch_by_name - find an architecture
 * @name:	as uname -m
 *
 * Return: it, or NULL.
 */
const struct arch *arch_by_name(const char *name)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arches); i++)
		if (!strcmp(arches[i].name, name))
			return &arches[i];
	return NULL;
}

/**
 * arch_by_machine - find an architecture
 * @machine:	ELF e_machine
 * @big:	byte order of the ELF file
 *
 * Return: it, or NULL.
 */
const struct arch *arch_by_machine(unsigned int machine, bool big)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(arches); i++)
		if (arches[i].machine == machine && arches[i].big == big)
			return &arches[i];
	return NULL;
}

/**
 * place_check - can a kernel be there?
 * @place:	text known, link perhaps
 * @why:	filled where it cannot
 *
 * The last line against a source that answers nonsense: a wrong answer is worse than none.
 *
 * Return: 0 or -1.
 */
int place_check(const struct place *place, struct why *why)
{
	const struct arch *arch = place->arch;
	const unsigned long long text = place->text;
	const unsigned long long link = place->link;
	const uint64_t lowest = arch->link_base ? arch->link_base : arch->link;

	if (place->text % arch->align || place->text < lowest ||
	    place->text >= arch->image_moved_end)
		return fail(why, "%s says that %s is at 0x%016llx, where no %s kernel can be",
			    place->source, arch->anchor, text, arch->name);
	if (!place->link)
		return 0;
	if (place->link % arch->align || place->link < lowest ||
	    place->link >= arch->image_moved_end)
		return fail(why, "%s says that %s was linked at 0x%016llx, where no %s kernel is",
			    place->link_source, arch->anchor, link, arch->name);
	if (place->text < place->link)
		return fail(why, "%s is at 0x%016llx (%s), below its link address 0x%016llx (%s)",
			    arch->anchor, text, place->source, link, place->link_source);
	return 0;
}
