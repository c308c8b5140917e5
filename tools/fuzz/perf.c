// SPDX-License-Identifier: GPL-2.0-only
/*
 * libFuzzer: any bytes for a perf.data. They are read, and where they can be stamped, that has to
 * be seen in the result, and stripping it has to give the very bytes back.
 */
#include "tests/trip.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len);

static bool is_stamped(const struct trace *trace)
{
	struct facts *facts = malloc(sizeof(*facts));
	struct why why;
	bool stamped;

	if (!facts)
		exit(2);
	if (trace_examine(trace, &format_perf, facts, &why))
		abort();
	stamped = facts->state == TRACE_STAMPED;
	facts_free(facts);
	free(facts);
	return stamped;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	struct trace trace;
	struct copy now;

	/* What format_of() asks before. */
	if (!format_perf.probe(data, len))
		return 0;
	trace = in_memory(data, len);
	if (trip_stamp(&trace)) {
		if (!is_stamped(&trace) || !trip_strip(&trace))
			abort();
		now = read_all(trace.fd);
		if (now.len != len || memcmp(now.data, data, len))
			abort();
		free(now.data);
	} else {
		/* Perhaps it has a stamp, or half of one. */
		trip_strip(&trace);
	}
	close(trace.fd);
	return 0;
}
