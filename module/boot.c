// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the boot loader or the firmware handed to this kernel: x86's struct boot_params, powerpc's
 * flattened device tree. The kernel keeps it and names it to itself alone. Built in, kreloc knows
 * the name; as a module it asks the kernel's own sysfs file, which it finds through exported
 * functions, so that neither kallsyms with data symbols nor a mounted sysfs is needed.
 *
 * Nothing is kept here: each reader decodes a copy of its own, and the copy goes with it.
 */
#include <linux/errno.h>
#include <linux/kernfs.h>
#include <linux/mm.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include "compat.h"
#include "kreloc.h"

/* Neither a tree larger than this is decoded nor a list that is longer shown. */
#define MAX_SIZE	(16 << 20)

/* Room for most values. Those that need more say so, and get it. */
#define FIRST_SIZE	256

static const void *linked;
static size_t linked_size;

static struct kernfs_node *node;

static kreloc_bin_const struct bin_attribute *node_attr(void)
{
	return node->priv;
}

/*
 * sysfs keeps the attribute behind the node. Of a binary attribute it also copied the size to the
 * node; for any other the comparison fails. Neither node is ever removed: both are made by the
 * kernel proper while it boots.
 */
static bool is_wanted(void)
{
	if (kernfs_type(node) != KERNFS_FILE || !node->priv)
		return false;
	if (!node->attr.size || node->attr.size != node_attr()->size)
		return false;
	return !kreloc_arch.boot_size || node->attr.size == kreloc_arch.boot_size;
}

static struct kernfs_node *find_node(void)
{
	struct kernfs_node *dir = (*kreloc_arch.boot_parent)->sd;
	struct kernfs_node *found;

	if (!kreloc_arch.boot_dir)
		return kernfs_find_and_get(dir, kreloc_arch.boot_file);
	dir = kernfs_find_and_get(dir, kreloc_arch.boot_dir);
	if (!dir)
		return NULL;
	found = kernfs_find_and_get(dir, kreloc_arch.boot_file);
	kernfs_put(dir);
	return found;
}

/**
 * kreloc_boot_init - find what was handed to this kernel
 *
 * Not finding it is no error: the files that would show it are not there then.
 *
 * Context: process context, may sleep.
 */
void kreloc_boot_init(void)
{
	linked = kreloc_arch.boot_linked(&linked_size);
	if (linked)
		return;
	node = find_node();
	if (node && !is_wanted())
		kreloc_boot_exit();
}

/**
 * kreloc_boot_exit - let go of it
 *
 * Context: process context.
 */
void kreloc_boot_exit(void)
{
	kernfs_put(node);
	node = NULL;
}

/**
 * kreloc_boot_size - how much was handed to this kernel
 *
 * Context: any.
 * Return: bytes, 0 if it was not found.
 */
size_t kreloc_boot_size(void)
{
	if (linked)
		return linked_size;
	return node ? node->attr.size : 0;
}

/**
 * kreloc_boot_read - copy a part of what was handed to this kernel
 * @buf:	where to
 * @pos:	from where on
 * @size:	how much
 *
 * Context: process context, may sleep.
 * Return: how many bytes were copied, fewer than @size only at the end, or a negative errno.
 */
ssize_t kreloc_boot_read(void *buf, size_t pos, size_t size)
{
	size_t all = kreloc_boot_size();

	if (pos >= all)
		return 0;
	size = min(size, all - pos);
	if (!linked)
		return kreloc_bin_read(node_attr(), buf, pos, size);
	memcpy(buf, linked + pos, size);
	return size;
}

/* As much of it as a field needs, which can be nothing. */
static int get_copy(const struct kreloc_field *field, struct kreloc_boot *boot)
{
	size_t size = kreloc_boot_size();
	ssize_t n;
	void *copy;

	boot->data = NULL;
	boot->size = 0;
	boot->phys_read = kreloc_arch.phys_read;
	if (field->need != KRELOC_WHOLE)
		size = min_t(size_t, size, field->need);
	if (!size)
		return 0;
	if (size > MAX_SIZE)
		return -EFBIG;
	copy = kvmalloc(size, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	n = kreloc_boot_read(copy, 0, size);
	if (n < 0) {
		kvfree(copy);
		return n;
	}
	boot->data = copy;
	boot->size = n;
	return 0;
}

/**
 * kreloc_text_free - free the buffer of a text
 * @text:	the text
 *
 * Context: process context.
 */
void kreloc_text_free(struct kreloc_text *text)
{
	kvfree(text->buf);
	*text = (struct kreloc_text){ };
}

/* Gives the text a buffer in which that much fits, empty. */
static int text_alloc(struct kreloc_text *text, size_t size)
{
	kreloc_text_free(text);
	if (size > MAX_SIZE)
		return -EFBIG;
	text->buf = kvmalloc(size, GFP_KERNEL);
	if (!text->buf)
		return -ENOMEM;
	text->buf[0] = '\0';
	text->size = size;
	return 0;
}

/**
 * kreloc_boot_value - the value of one field
 * @field:	the field
 * @text:	becomes the value; the caller frees it, also after an error
 *
 * Context: process context, may sleep.
 * Return: 0; -ENODATA where this kernel was not given one; else a negative errno.
 */
int kreloc_boot_value(const struct kreloc_field *field, struct kreloc_text *text)
{
	size_t size = FIRST_SIZE;
	struct kreloc_boot boot;
	int err;

	*text = (struct kreloc_text){ };
	err = get_copy(field, &boot);
	if (err)
		return err;
	do {
		err = text_alloc(text, size);
		if (!err)
			err = kreloc_field_show(field, &boot, text);
		size = text->len + 1;
	} while (!err && text->len >= text->size);
	kvfree(boot.data);
	return err;
}
