// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/kallsyms. It only tells where the kernel runs; link.c looks for where it was linked.
 *
 * When kptr_restrict hides addresses every one is shown as 0, to root too at 2, and that is not
 * an answer. The anchor's own line decides: some kernels show per-CPU symbols, which come first,
 * at 0 and others just above.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "kallsyms.h"
#include "place.h"
#include "symbols.h"

static int kallsyms_get(const struct kernel *kernel, struct place *place, struct why *why)
{
	struct symbol anchor = { .name = kernel->arch->anchor };
	int fd = system_open("/proc/kallsyms");
	int err;

	if (fd < 0)
		return fail(why, "/proc/kallsyms: %s", strerror(errno));
	err = kallsyms_find(fd, &anchor, 1) ? errno : 0;
	close(fd);
	if (err)
		return fail(why, "/proc/kallsyms: %s", strerror(err));
	if (!anchor.found)
		return fail(why, "/proc/kallsyms has no %s", anchor.name);
	if (!anchor.value)
		return fail(why, "/proc/kallsyms hides addresses: needs CAP_SYSLOG and "
			    "kernel.kptr_restrict below 2");
	place->text = anchor.value;
	return 0;
}

const struct source source_kallsyms = {
	.name = "kallsyms",
	.get = kallsyms_get,
};
