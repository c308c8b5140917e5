// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for the flattened device tree, by the module's decoder. What it shows is bounded by the
 * length of the tree: a token of the structure block, of four bytes at least, makes no more than a
 * name and MAX_BYTES of fdt.c in hexadecimal.
 */
#include "fields.h"

#define TOKEN	300

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	unsigned char *tree = fuzz_copy(data, len);
	const struct kreloc_boot boot = { .data = tree, .size = len };

	fuzz_fields(kreloc_fdt_fields, &boot, (len / 4 + 1) * TOKEN);
	free(tree);
	return 0;
}
