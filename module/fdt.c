// SPDX-License-Identifier: GPL-2.0-only
/*
 * The flattened device tree that firmware handed to the kernel: its header, the memory
 * reservation block, and what is said under /chosen (Devicetree Specification, chapter 5). Big
 * endian on every machine.
 *
 * The kernel has accepted the tree long before, but not every byte of it for good reasons: no
 * length or offset is followed beyond the buffer, and no loop is longer than it.
 */
#include <linux/errno.h>

#include "decode.h"

#define FDT_MAGIC	0xd00dfeed

/* Where the header has what */
#define AT_MAGIC		0
#define AT_TOTALSIZE		4
#define AT_OFF_DT_STRUCT	8
#define AT_OFF_DT_STRINGS	12
#define AT_OFF_MEM_RSVMAP	16
#define AT_VERSION		20
#define AT_LAST_COMP_VERSION	24
#define AT_BOOT_CPUID_PHYS	28
#define AT_SIZE_DT_STRINGS	32
#define AT_SIZE_DT_STRUCT	36
#define HEADER_SIZE		40

/* The header did not always end where it does now. powerpc's prom_init.c writes version 16. */
#define VERSION_SIZE_DT_STRINGS	3
#define VERSION_SIZE_DT_STRUCT	17

/* What the structure block is made of */
#define BEGIN_NODE	1
#define END_NODE	2
#define PROP		3
#define NOP		4
#define END		9

/* An entry of the reservation block: address and size */
#define RSV_SIZE	16
#define MAX_RSV		1024

/*
 * The longest name of a property, with its end. The specification has 31 characters. Without a
 * bound, each of many properties could be shown with all of the strings block for a name.
 */
#define MAX_NAME	128

/* Of a property that is no text, this many bytes are shown. */
#define MAX_BYTES	64

/* The part of the buffer that one may look at; also a block in it */
struct span {
	const unsigned char *start;
	size_t size;
};

static unsigned int header(const struct span *tree, size_t at)
{
	return kreloc_get_be(tree->start + at, 4);
}

static int has(const struct span *tree, size_t at)
{
	if (at == AT_SIZE_DT_STRINGS)
		return header(tree, AT_VERSION) >= VERSION_SIZE_DT_STRINGS;
	if (at == AT_SIZE_DT_STRUCT)
		return header(tree, AT_VERSION) >= VERSION_SIZE_DT_STRUCT;
	return 1;
}

/* The tree in the buffer, cut to what the header claims: 0, or a negative errno */
static int open_tree(const struct kreloc_boot *boot, struct span *tree)
{
	tree->start = boot->data;
	tree->size = boot->size;
	if (tree->size < HEADER_SIZE || header(tree, AT_MAGIC) != FDT_MAGIC)
		return -EINVAL;
	if (header(tree, AT_TOTALSIZE) < tree->size)
		tree->size = header(tree, AT_TOTALSIZE);
	return tree->size < HEADER_SIZE ? -EINVAL : 0;
}

/* What is left of a span beyond an offset */
static int skip(const struct span *from, size_t offset, struct span *rest)
{
	if (offset > from->size)
		return -EINVAL;
	rest->start = from->start + offset;
	rest->size = from->size - offset;
	return 0;
}

/* A block of the tree, cut to its size where the header tells that */
static int open_block(const struct span *tree, size_t at_offset, size_t at_size,
		      struct span *block)
{
	if (skip(tree, header(tree, at_offset), block))
		return -EINVAL;
	if (at_size && has(tree, at_size) && block->size > header(tree, at_size))
		block->size = header(tree, at_size);
	return 0;
}

/* Bytes off the front of a block, padding to four included; NULL where there are not so many */
static const unsigned char *take(struct span *block, size_t size)
{
	const unsigned char *p = block->start;

	if (size > block->size)
		return NULL;
	size = (size + 3) & ~(size_t)3;
	if (size > block->size)
		size = block->size;
	block->start += size;
	block->size -= size;
	return p;
}

/* A string off the front of a block */
static const char *take_string(struct span *block)
{
	const unsigned char *nul = block->size ? memchr(block->start, 0, block->size) : NULL;

	return nul ? (const char *)take(block, nul - block->start + 1) : NULL;
}

static int header_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		       struct kreloc_text *text)
{
	const struct span tree = { boot->data, boot->size };

	if (!has(&tree, field->at))
		return -ENODATA;
	kreloc_print(text, "0x%08x\n", header(&tree, field->at));
	return 0;
}

static int version_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
			struct kreloc_text *text)
{
	const struct span tree = { boot->data, boot->size };

	kreloc_print(text, "%u\n", header(&tree, field->at));
	return 0;
}

/* Address and size a line. An entry of zeros ends the block. */
static int rsvmap_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		       struct kreloc_text *text)
{
	struct span tree, block;
	unsigned int i;
	int err = open_tree(boot, &tree);

	if (!err)
		err = open_block(&tree, AT_OFF_MEM_RSVMAP, 0, &block);
	if (err)
		return err;
	for (i = 0; i < MAX_RSV; i++) {
		const unsigned char *p = take(&block, RSV_SIZE);
		unsigned long long addr, size;

		if (!p) {
			kreloc_print(text, "cut: no end\n");
			return 0;
		}
		addr = kreloc_get_be(p, 8);
		size = kreloc_get_be(p + 8, 8);
		if (!addr && !size)
			return 0;
		kreloc_print(text, "0x%016llx 0x%016llx\n", addr, size);
	}
	kreloc_print(text, "cut: too long\n");
	return 0;
}

/* Is this one or more strings that a person can read? */
static int is_text(const unsigned char *p, size_t size)
{
	size_t i;

	if (!size || p[size - 1] || !p[0])
		return 0;
	for (i = 0; i < size - 1; i++)
		if (p[i] ? p[i] < ' ' || p[i] > '~' : !p[i + 1])
			return 0;
	return 1;
}

static void print_property(struct kreloc_text *text, const char *name, const unsigned char *p,
			   size_t size)
{
	size_t i;

	kreloc_print_plain(text, name, strlen(name));
	if (!size) {
		kreloc_print(text, "\n");
		return;
	}
	kreloc_print(text, " =");
	if (is_text(p, size)) {
		for (i = 0; i < size; i += strlen((const char *)p + i) + 1)
			kreloc_print(text, " \"%s\"", (const char *)p + i);
	} else {
		for (i = 0; i < size && i < MAX_BYTES; i++)
			kreloc_print(text, "%s%02x", i % 4 ? "" : " ", p[i]);
		if (i < size)
			kreloc_print(text, " (%zu bytes)", size);
	}
	kreloc_print(text, "\n");
}

/*
 * What is under /chosen, one property a line: 0, or a negative errno where the structure block
 * is damaged before the end of /chosen, or has none.
 */
static int walk_to_chosen(struct span block, struct span strings, struct kreloc_text *text)
{
	unsigned int depth = 0;
	int chosen = 0;

	for (;;) {
		const unsigned char *p = take(&block, 4);
		const char *name;
		unsigned int len;

		if (!p)
			return -EINVAL;
		switch (kreloc_get_be(p, 4)) {
		case BEGIN_NODE:
			name = take_string(&block);
			if (!name)
				return -EINVAL;
			if (++depth == 2)
				chosen = !strcmp(name, "chosen");
			break;
		case END_NODE:
			if (!depth)
				return -EINVAL;
			if (depth-- == 2 && chosen)
				return 0;
			break;
		case PROP:
			p = take(&block, 8);
			if (!p)
				return -EINVAL;
			len = kreloc_get_be(p, 4);
			if (depth == 2 && chosen) {
				struct span rest;

				if (skip(&strings, kreloc_get_be(p + 4, 4), &rest))
					return -EINVAL;
				if (rest.size > MAX_NAME)
					rest.size = MAX_NAME;
				name = take_string(&rest);
				if (!name)
					return -EINVAL;
			} else {
				name = NULL;
			}
			p = take(&block, len);
			if (!p)
				return -EINVAL;
			if (name)
				print_property(text, name, p, len);
			break;
		case NOP:
			break;
		case END:
			return -ENODATA;
		default:
			return -EINVAL;
		}
	}
}

static int chosen_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		       struct kreloc_text *text)
{
	struct span tree, block, strings;
	int err = open_tree(boot, &tree);

	if (!err)
		err = open_block(&tree, AT_OFF_DT_STRUCT, AT_SIZE_DT_STRUCT, &block);
	if (!err)
		err = open_block(&tree, AT_OFF_DT_STRINGS, AT_SIZE_DT_STRINGS, &strings);
	if (err)
		return err;
	err = walk_to_chosen(block, strings, text);
	if (err == -EINVAL) {
		kreloc_print(text, "cut: damaged\n");
		err = 0;
	}
	return err;
}

#define HEADER(_name, _at, _show)		\
	{					\
		.name = #_name,			\
		.show = _show,			\
		.need = HEADER_SIZE,		\
		.at = _at,			\
		.size = 4,			\
	}

const struct kreloc_field kreloc_fdt_fields[] = {
	HEADER(magic, AT_MAGIC, header_show),
	HEADER(totalsize, AT_TOTALSIZE, header_show),
	HEADER(off_dt_struct, AT_OFF_DT_STRUCT, header_show),
	HEADER(off_dt_strings, AT_OFF_DT_STRINGS, header_show),
	HEADER(off_mem_rsvmap, AT_OFF_MEM_RSVMAP, header_show),
	HEADER(version, AT_VERSION, version_show),
	HEADER(last_comp_version, AT_LAST_COMP_VERSION, version_show),
	HEADER(boot_cpuid_phys, AT_BOOT_CPUID_PHYS, header_show),
	HEADER(size_dt_strings, AT_SIZE_DT_STRINGS, header_show),
	HEADER(size_dt_struct, AT_SIZE_DT_STRUCT, header_show),
	{ .name = "mem_rsvmap", .show = rsvmap_show, .need = KRELOC_WHOLE },
	{ .name = "chosen", .show = chosen_show, .need = KRELOC_WHOLE, .debug = 1 },
	{ }
};
