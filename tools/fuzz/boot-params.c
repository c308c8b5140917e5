// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's boot_params by the module's decoder: any bytes for the low end of physical memory, with the
 * page at its begin, so that what the page points to is an offset in the input. Behind it are zeros.
 */
#include <errno.h>

#include "bytes.h"
#include "fields.h"

#define PAGE	4096
#define MEMORY	(1u << 20)

/* Of what zeropage.c shows: so many nodes and entries, and a line is no longer than that. */
#define NODES	64
#define ENTRIES	(128 + 4096)
#define LINE	96

static const unsigned char *memory;
static size_t memory_len;
static unsigned int reads;

static int phys_read(unsigned long long addr, void *buf, size_t size)
{
	size_t i;

	MUST(addr + size >= addr);
	reads++;
	if (!in_bounds(addr, size, MEMORY))
		return -EFAULT;
	for (i = 0; i < size; i++)
		((unsigned char *)buf)[i] = addr + i < memory_len ? memory[addr + i] : 0;
	return 0;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	const size_t size = len < PAGE ? len : PAGE;
	unsigned char *page = fuzz_copy(data, size);
	const struct kreloc_boot boot = { .data = page, .size = size, .phys_read = phys_read };
	const struct kreloc_field *field;

	memory = data;
	memory_len = len;
	for (field = kreloc_zeropage_fields; field->name; field++) {
		reads = 0;
		fuzz_field(field, &boot, (ENTRIES + NODES + 2) * LINE);
		/* It is asked three times: two reads a node, one an entry. */
		MUST(reads <= 3 * (2 * NODES + ENTRIES));
	}
	free(page);
	return 0;
}
