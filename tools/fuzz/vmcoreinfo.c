// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for the VMCOREINFO note. The module and the program read it each in their own way, and
 * must not come to two addresses.
 */
#include "../../module/decode.h"
#include "bytes.h"
#include "fuzz.h"
#include "symbols.h"
#include "vmcoreinfo.h"

#define SYMBOL	"SYMBOL(_stext)"

static bool by_program(const unsigned char *data, size_t len, uint64_t *address)
{
	const unsigned char *text;
	struct vmcoreinfo info;
	struct build_id id;
	size_t text_len;
	struct why why;
	bool found;
	int fd;

	text = note_find(data, len, HOST_BIG, "VMCOREINFO", 0, &text_len);
	if (!text)
		return false;
	MUST(text >= data && in_bounds(text - data, text_len, len));
	fd = fuzz_file(data, len);
	found = !vmcoreinfo_read(fd, text - data, text_len, &info, &why);
	close(fd);
	if (!found)
		return false;
	MUST(info.len <= text_len && !memcmp(info.text, text, info.len));
	vmcoreinfo_build_id(&info, &id);
	found = vmcoreinfo_address(&info, SYMBOL, address);
	vmcoreinfo_free(&info);
	MUST(!found || fuzz_has_line(text, text_len, SYMBOL "=", *address));
	return found;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	unsigned char *note = fuzz_copy(data, len);
	unsigned long by_module;
	uint64_t address;

	if (!kreloc_note_symbol(note, len, "_stext", &by_module)) {
		MUST(fuzz_has_line(note, len, SYMBOL "=", by_module));
		MUST(!by_program(note, len, &address) || address == by_module);
	} else {
		by_program(note, len, &address);
	}
	free(note);
	return 0;
}
