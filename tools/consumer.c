// SPDX-License-Identifier: GPL-2.0-only
/*
 * What gdb, crash, systemtap and drgn have to be told: a line that can be given to a shell or, for
 * gdb, to gdb.
 */
#include <stdio.h>
#include <string.h>

#include "consumer.h"
#include "kcore.h"
#include "trace.h"
#include "vmcoreinfo.h"

/* Safe in a shell, and in gdb, which splits words alike (gdb_buildargv). */
static void put_word(const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "/._-+:,=@%";

	if (*word && !word[strspn(word, plain)]) {
		fputs(word, stdout);
		return;
	}
	putchar('\'');
	for (; *word; word++)
		if (*word == '\'')
			fputs("'\\''", stdout);
		else
			putchar(*word);
	putchar('\'');
}

static void put_option(const char *option, const char *word)
{
	printf(" %s", option);
	put_word(word);
}

static const char *vmlinux(const struct debuggee *d)
{
	return d->vmlinux ? d->vmlinux : "vmlinux";
}

static unsigned long long offset(const struct debuggee *d)
{
	return place_offset(d->place);
}

/* gdb's manual, symbol-file: the offset is added to every section. */
static int gdb(const struct debuggee *d, struct why *why)
{
	(void)why;
	fputs("symbol-file ", stdout);
	put_word(vmlinux(d));
	printf(" -o 0x%llx\n", offset(d));
	return 0;
}

/* crash(8): --kaslr is for x86, arm64 and s390x; on others it takes vmlinux as it is. */
static int crash(const struct debuggee *d, struct why *why)
{
	if (offset(d) && !d->place->arch->kernel_offset)
		return fail(why, "crash cannot be told that a %s kernel was moved, by 0x%llx",
			    d->place->arch->name, offset(d));
	fputs("crash", stdout);
	if (offset(d))
		printf(" --kaslr=0x%llx", offset(d));
	put_option("", vmlinux(d));
	if (d->dump)
		put_option("", d->dump->path);
	putchar('\n');
	return 0;
}

static int stap(const struct debuggee *d, struct why *why)
{
	(void)why;
	printf("-G kreloc_offset=0x%llx\n", offset(d));
	return 0;
}

/* drgn takes KERNELOFFSET for the offset. Where that is wrong, it is given another. */
static int drgn(const struct debuggee *d, struct why *why)
{
	if (!d->dump && !d->running)
		return fail(why, "drgn works on a dump or on the running kernel");
	fputs("drgn", stdout);
	if (d->dump)
		put_option("-c ", d->dump->path);
	else
		fputs(" -k", stdout);
	put_option("-s ", vmlinux(d));
	if (d->misread) {
		fputs(" --vmcoreinfo <(kreloc ", stdout);
		fputs(d->dump ? "read --for=vmcoreinfo" : "show --for=vmcoreinfo", stdout);
		if (d->vmlinux)
			put_option("--vmlinux=", d->vmlinux);
		if (d->dump)
			put_option("", d->dump->path);
		putchar(')');
	}
	putchar('\n');
	return 0;
}

/* For drgn, and for makedumpfile -i. */
static int vmcoreinfo(const struct debuggee *d, struct why *why)
{
	struct vmcoreinfo info;
	const struct arch *arch;
	struct kcore kcore;
	int err;

	if (d->dump) {
		err = vmcore_info(d->dump, &arch, &info, why);
	} else if (!d->running) {
		err = fail(why, "only dumps and the running kernel have VMCOREINFO");
	} else {
		err = kcore_open(&kcore, why);
		if (err)
			return err;
		err = vmcoreinfo_of_core(&kcore, &info, why);
		kcore_close(&kcore);
	}
	if (err)
		return err;
	vmcoreinfo_print(&info, offset(d), stdout);
	vmcoreinfo_free(&info);
	return 0;
}

static const struct {
	const char *tool;
	int (*print)(const struct debuggee *d, struct why *why);
} consumers[] = {
	{ "gdb", gdb },
	{ "crash", crash },
	{ "stap", stap },
	{ "drgn", drgn },
	{ "vmcoreinfo", vmcoreinfo },
};

/**
 * consumer_refuse - can the user want that?
 * @tool:	of --for, or NULL
 * @json:	the user wants that, too
 *
 * Return: whether there is a mistake, of which was complained.
 */
bool consumer_refuse(const char *tool, bool json)
{
	unsigned int i;

	if (!tool)
		return false;
	if (json) {
		complain(NULL, "--for and --json exclude each other");
		return true;
	}
	for (i = 0; i < ARRAY_SIZE(consumers); i++)
		if (!strcmp(tool, consumers[i].tool))
			return false;
	complain(tool, "kreloc does not know that tool");
	return true;
}

/**
 * consumer_print - print what a tool has to be told
 * @tool:	one that was not refused
 * @d:	what it is to work on
 * @why:	filled on failure
 *
 * Return: 0, or -1 where it cannot be told.
 */
int consumer_print(const char *tool, const struct debuggee *d, struct why *why)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(consumers); i++)
		if (!strcmp(tool, consumers[i].tool))
			return consumers[i].print(d, why);
	return fail(why, "there is no such tool");
}
