// SPDX-License-Identifier: GPL-2.0-only
/*
 * The trace formats.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "trace.h"

static const struct format *const formats[] = {
	&format_perf,
	&format_trace_dat,
	&format_vmcore,
	&format_ctf,
	&format_text,
};

/**
 * format_of - which format is this?
 * @trace:	an open file
 * @why:	filled on failure; its error is EMEDIUMTYPE where it is none
 *
 * Return: the format, or NULL.
 */
const struct format *format_of(const struct trace *trace, struct why *why)
{
	unsigned char head[PROBE_LEN];
	ssize_t n = pread_full(trace->fd, head, sizeof(head), 0);
	char known[128] = "";
	unsigned int i;

	if (n < 0) {
		explain(why, "%s", strerror(errno));
		return NULL;
	}
	if (!n) {
		explain(why, "is empty");
		return NULL;
	}
	/* Somebody made it on purpose. */
	if (sidecar_exists(trace))
		return &format_sidecar;
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		const size_t len = strlen(known);

		if (formats[i]->probe(head, (size_t)n))
			return formats[i];
		snprintf(known + len, sizeof(known) - len, "%s%s", len ? ", " : "",
			 formats[i]->name);
	}
	explain(why, "not a trace file that kreloc knows; it knows %s", known);
	why->error = EMEDIUMTYPE;
	return NULL;
}
