// SPDX-License-Identifier: GPL-2.0-only
/*
 * debugfs kreloc/ (Documentation/ABI/testing/debugfs-kreloc), for people: what sysfs has one value
 * a file, on one page each, and what the witnesses say now.
 *
 * Kernels without debugfs, or with debugfs=off or locked down, do without; nothing depends on it.
 * The opener is judged when the file is opened and again at every read, since kptr_restrict and
 * lockdown can have changed.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "kreloc.h"

static void show_witness(struct seq_file *m, const struct kreloc_witness *witness)
{
	unsigned long text;
	int err = kreloc_ask(witness, &text);

	seq_printf(m, "witness %s: ", witness->name);
	if (!err)
		seq_printf(m, "0x%016lx %s\n", text,
			   text == kreloc_place.text ? "agrees" : "disagrees");
	else if (err == -ERANGE)
		seq_printf(m, "0x%016lx impossible\n", text);
	else
		seq_printf(m, "unknown (%d)\n", err);
}

static int summary_show(struct seq_file *m, void *unused)
{
	const struct kreloc_place *place = &kreloc_place;
	const struct kreloc_witness *witness;
	unsigned int i;
	int err = kreloc_access(m->file);

	if (err)
		return err;
	seq_printf(m, "anchor: %s\n", kreloc_arch.anchor);
	seq_printf(m, "link_text: 0x%016lx\n", kreloc_arch.link_text);
	seq_printf(m, "text: 0x%016lx\n", place->text);
	seq_printf(m, "offset: 0x%016lx\n", place->offset);
	seq_printf(m, "phys_text: 0x%016lx\n", place->phys_text);
	if (place->text_size)
		seq_printf(m, "text_size: %lu\n", place->text_size);
	for (i = 0; i < place->nr_agreed; i++)
		seq_printf(m, "%s %s%s", i ? "" : "sources:", place->agreed[i],
			   i + 1 < place->nr_agreed ? "" : "\n");
	for (witness = kreloc_arch.witnesses; witness->name; witness++)
		show_witness(m, witness);
	return 0;
}

/* Each line of a value is a row that can be found by the field's name, place in the data first. */
static void show_rows(struct seq_file *m, const struct kreloc_field *field, char *value)
{
	do {
		const char *line = strsep(&value, "\n");

		if (field->size)
			seq_printf(m, "%03x %s: %s\n", field->at, field->name, line);
		else
			seq_printf(m, "  - %s: %s\n", field->name, line);
	} while (value && *value);
}

static int boot_params_show(struct seq_file *m, void *unused)
{
	const struct kreloc_field *const *table;
	const struct kreloc_field *field;
	struct kreloc_text value;
	int err = kreloc_access(m->file);

	for (table = kreloc_arch.fields; *table && !err; table++) {
		for (field = *table; field->name && !err; field++) {
			err = kreloc_boot_value(field, &value);
			if (!err)
				show_rows(m, field, value.buf);
			else if (err != -ENOMEM)
				err = 0;
			kreloc_text_free(&value);
		}
	}
	return err;
}

/* A file is the function that shows it. */
struct page_file {
	int (*show)(struct seq_file *m, void *unused);
};

static const struct page_file summary_file = { summary_show };
static const struct page_file boot_params_file = { boot_params_show };

static int page_open(struct inode *inode, struct file *file)
{
	const struct page_file *page = inode->i_private;
	int err = kreloc_access(file);

	return err ? err : single_open(file, page->show, NULL);
}

static const struct file_operations page_fops = {
	.owner = THIS_MODULE,
	.open = page_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static struct dentry *dir;

/**
 * kreloc_debugfs_init - make debugfs kreloc/
 *
 * Context: process context, may sleep.
 */
void kreloc_debugfs_init(void)
{
	dir = debugfs_create_dir("kreloc", NULL);
	debugfs_create_file("summary", 0400, dir, (void *)&summary_file, &page_fops);
	debugfs_create_file("boot_params", 0400, dir, (void *)&boot_params_file, &page_fops);
}

/**
 * kreloc_debugfs_exit - remove debugfs kreloc/
 *
 * Context: process context, may sleep.
 */
void kreloc_debugfs_exit(void)
{
	debugfs_remove_recursive(dir);
}
