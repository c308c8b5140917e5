// SPDX-License-Identifier: GPL-2.0-only
/*
 * /sys/kernel/kreloc, one value a file (Documentation/ABI/testing/sysfs-kernel-kreloc), but for
 * the directory boot_params, which is made elsewhere.
 *
 * The files that give an address away are binary attributes, since only their read() is handed
 * the open file and with it the opener, as with the section addresses of a module.
 */
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/kobject.h>
#include <linux/string.h>
#include <linux/sysfs.h>
#include <linux/uidgid.h>

#include "compat.h"
#include "kreloc.h"

/* "0x", sixteen digits, newline */
#define ADDRESS_LEN	(2 + 2 * sizeof(long) + 1)

static ssize_t abi_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%d\n", KRELOC_ABI);
}

static ssize_t anchor_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%s\n", kreloc_arch.anchor);
}

static ssize_t link_text_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "0x%016lx\n", kreloc_arch.link_text);
}

static ssize_t text_size_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	return sysfs_emit(buf, "%lu\n", kreloc_place.text_size);
}

static ssize_t sources_show(struct kobject *kobj, struct kobj_attribute *attr, char *buf)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < kreloc_place.nr_agreed; i++)
		len += sysfs_emit_at(buf, len, "%s%s", i ? " " : "", kreloc_place.agreed[i]);
	len += sysfs_emit_at(buf, len, "\n");
	return len;
}

static struct kobj_attribute abi_attr = __ATTR_RO(abi);
static struct kobj_attribute anchor_attr = __ATTR_RO(anchor);
static struct kobj_attribute link_text_attr = __ATTR_RO(link_text);
static struct kobj_attribute text_size_attr = __ATTR_RO(text_size);
static struct kobj_attribute sources_attr = __ATTR_RO(sources);

static struct attribute *kreloc_attrs[] = {
	&abi_attr.attr,
	&anchor_attr.attr,
	&link_text_attr.attr,
	&text_size_attr.attr,
	&sources_attr.attr,
	NULL
};

/* Without a size that is known there is no file: absent, not 0. */
static umode_t kreloc_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	if (attr == &text_size_attr.attr && !kreloc_place.text_size)
		return 0;
	return attr->mode;
}

static ssize_t address_read(struct file *file, struct kobject *kobj,
			    kreloc_bin_const struct bin_attribute *attr, char *buf, loff_t pos,
			    size_t count)
{
	const unsigned long *value = attr->private;
	char line[ADDRESS_LEN + 1];
	struct kreloc_text text = { .buf = line, .size = sizeof(line) };
	int err = kreloc_access(file);

	if (err)
		return err;
	kreloc_print(&text, "0x%016lx\n", *value);
	return memory_read_from_buffer(buf, count, &pos, line, text.len);
}

#define ADDRESS_ATTR(_name)						\
	static kreloc_bin_const struct bin_attribute _name##_attr = {	\
		.attr = { .name = #_name, .mode = 0400 },		\
		.size = ADDRESS_LEN,					\
		.private = &kreloc_place._name,				\
		.read = address_read,					\
	}

ADDRESS_ATTR(text);
ADDRESS_ATTR(offset);
ADDRESS_ATTR(phys_text);

static kreloc_bin_const struct bin_attribute *kreloc_bin_const kreloc_bin_attrs[] = {
	&text_attr,
	&offset_attr,
	&phys_text_attr,
	NULL
};

static umode_t kreloc_bin_visible(struct kobject *kobj,
				  kreloc_visible_const struct bin_attribute *attr, int n)
{
	return kreloc_has_gid() ? 0440 : attr->attr.mode;
}

static const struct attribute_group kreloc_group = {
	.attrs = kreloc_attrs,
	.is_visible = kreloc_visible,
};

/* Apart from the others, so that gid= becomes the group of these files alone. */
static const struct attribute_group kreloc_bin_group = {
	.bin_attrs = kreloc_bin_attrs,
	.is_bin_visible = kreloc_bin_visible,
};

static struct kobject *kreloc_kobj;

/**
 * kreloc_sysfs_init - make /sys/kernel/kreloc
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative errno, and then nothing is left behind.
 */
int kreloc_sysfs_init(void)
{
	int err;

	kreloc_kobj = kobject_create_and_add("kreloc", kernel_kobj);
	if (!kreloc_kobj)
		return -ENOMEM;

	err = sysfs_create_group(kreloc_kobj, &kreloc_group);
	if (err)
		goto err_kobj;
	err = sysfs_create_group(kreloc_kobj, &kreloc_bin_group);
	if (err)
		goto err_group;
	if (kreloc_has_gid()) {
		err = sysfs_group_change_owner(kreloc_kobj, &kreloc_bin_group, GLOBAL_ROOT_UID,
					       kreloc_gid());
		if (err)
			goto err_bin_group;
	}
	err = kreloc_boot_sysfs_init(kreloc_kobj);
	if (err)
		goto err_bin_group;
	return 0;

err_bin_group:
	sysfs_remove_group(kreloc_kobj, &kreloc_bin_group);
err_group:
	sysfs_remove_group(kreloc_kobj, &kreloc_group);
err_kobj:
	kobject_put(kreloc_kobj);
	return err;
}

/**
 * kreloc_sysfs_exit - remove /sys/kernel/kreloc
 *
 * Readers that are in a file are waited for; files that stay open read ENODEV from then on.
 *
 * Context: process context, may sleep.
 */
void kreloc_sysfs_exit(void)
{
	kreloc_boot_sysfs_exit(kreloc_kobj);
	sysfs_remove_group(kreloc_kobj, &kreloc_bin_group);
	sysfs_remove_group(kreloc_kobj, &kreloc_group);
	kobject_put(kreloc_kobj);
}
