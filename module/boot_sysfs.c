// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/kreloc/boot_params: one file for each field that this kernel was given, and data,
 * all of it as it is. Which fields those are is only known when the module is loaded, so the
 * attributes are made then.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uidgid.h>

#include "compat.h"
#include "kreloc.h"

static struct bin_attribute *attrs;
static kreloc_bin_const struct bin_attribute **list;

static struct attribute_group group = {
	.name = "boot_params",
};

static ssize_t boot_read(struct file *file, struct kobject *kobj,
			 kreloc_bin_const struct bin_attribute *attr, char *buf, loff_t pos,
			 size_t count)
{
	struct kreloc_text value;
	ssize_t n = kreloc_access(file);

	if (n)
		return n;
	if (!attr->private)
		return kreloc_boot_read(buf, pos, count);
	n = kreloc_boot_value(attr->private, &value);
	if (!n)
		n = memory_read_from_buffer(buf, count, &pos, value.buf, value.len);
	kreloc_text_free(&value);
	return n;
}

/* The next attribute in the group: a field, or without one all of the data */
static void add(unsigned int nr, const char *name, const struct kreloc_field *field)
{
	struct bin_attribute *attr = &attrs[nr];

	sysfs_bin_attr_init(attr);
	attr->attr.name = name;
	attr->attr.mode = kreloc_has_gid() ? 0440 : 0400;
	attr->size = field ? 0 : kreloc_boot_size();
	attr->private = (void *)field;
	attr->read = boot_read;
	list[nr] = attr;
}

static unsigned int count_fields(void)
{
	const struct kreloc_field *const *table;
	const struct kreloc_field *field;
	unsigned int count = 0;

	for (table = kreloc_arch.fields; *table; table++)
		for (field = *table; field->name; field++)
			count++;
	return count;
}

/* A field that has no value now will have none later, and gets no file. */
static int add_fields(void)
{
	const struct kreloc_field *const *table;
	const struct kreloc_field *field;
	struct kreloc_text value;
	unsigned int nr = 0;

	for (table = kreloc_arch.fields; *table; table++) {
		for (field = *table; field->name; field++) {
			int err;

			if (field->debug)
				continue;
			err = kreloc_boot_value(field, &value);
			kreloc_text_free(&value);
			if (err == -ENOMEM)
				return err;
			if (!err)
				add(nr++, field->name, field);
		}
	}
	if (kreloc_boot_size())
		add(nr, "data", NULL);
	return 0;
}

static void free_attrs(void)
{
	kvfree(list);
	kvfree(attrs);
}

/**
 * kreloc_boot_sysfs_init - make the directory boot_params
 * @parent:	below this
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno, and then nothing is left behind.
 */
int kreloc_boot_sysfs_init(struct kobject *parent)
{
	/* one for data, and the list's end */
	unsigned int room = count_fields() + 2;
	int err;

	attrs = kvcalloc(room, sizeof(*attrs), GFP_KERNEL);
	list = kvcalloc(room, sizeof(*list), GFP_KERNEL);
	err = attrs && list ? add_fields() : -ENOMEM;
	if (err)
		goto err_attrs;
	group.bin_attrs = list;
	err = sysfs_create_group(parent, &group);
	if (err)
		goto err_attrs;
	if (kreloc_has_gid()) {
		err = sysfs_group_change_owner(parent, &group, GLOBAL_ROOT_UID, kreloc_gid());
		if (err)
			goto err_group;
	}
	return 0;

err_group:
	sysfs_remove_group(parent, &group);
err_attrs:
	free_attrs();
	return err;
}

/**
 * kreloc_boot_sysfs_exit - remove the directory boot_params
 * @parent:	where it is
 *
 * Context: process context, may sleep.
 */
void kreloc_boot_sysfs_exit(struct kobject *parent)
{
	sysfs_remove_group(parent, &group);
	free_attrs();
}
