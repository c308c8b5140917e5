/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A kernel's memory as an ELF core file: /proc/kcore, and dumps.
 */
#ifndef KRELOC_KCORE_H
#define KRELOC_KCORE_H

#include "kreloc.h"

#define KCORE		"/proc/kcore"

/**
 * struct segment - an ELF64 program header, as far as it is needed
 * @type:	p_type
 * @offset:	p_offset
 * @vaddr:	p_vaddr
 * @filesz:	p_filesz
 * @memsz:	p_memsz
 */
struct segment {
	uint32_t type;
	uint64_t offset;
	uint64_t vaddr;
	uint64_t filesz;
	uint64_t memsz;
};

/**
 * struct kcore - the open file
 * @fd:		of it
 * @big:	byte order
 * @machine:	e_machine
 * @headers:	the program headers as they are in the file
 * @nr:		how many
 */
struct kcore {
	int fd;
	bool big;
	unsigned int machine;
	unsigned char *headers;
	unsigned int nr;
};

int kcore_open(struct kcore *kcore, struct why *why);
void kcore_close(struct kcore *kcore);
int kcore_headers(struct kcore *kcore, struct why *why);
void kcore_headers_free(struct kcore *kcore);
struct segment kcore_segment(const struct kcore *kcore, unsigned int i);
bool kcore_read(const struct kcore *kcore, void *buf, size_t len, uint64_t addr);

#endif /* KRELOC_KCORE_H */
