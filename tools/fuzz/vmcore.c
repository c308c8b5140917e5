// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for a dump of memory: its headers, its notes, and the VMCOREINFO in them. What kreloc says
 * of the kernel's place must be written there.
 */
#include "fuzz.h"
#include "tests/trip.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	static struct facts facts;
	struct trace trace;
	struct why why;

	if (!format_vmcore.probe(data, len < PROBE_LEN ? len : PROBE_LEN))
		return 0;
	trace = in_memory(data, len);
	if (!trace_examine(&trace, &format_vmcore, &facts, &why)) {
		MUST(facts.state == TRACE_RECORDED && facts.text);
		MUST(fuzz_has_line(data, len, "SYMBOL(_stext)=", facts.text));
		MUST(!facts.has_kernel_offset ||
		     fuzz_has_line(data, len, "KERNELOFFSET=", facts.kernel_offset));
		facts_free(&facts);
	}
	close(trace.fd);
	return 0;
}
