/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * VMCOREINFO: what a kernel tells those who read its memory, lines of KEY=value
 * (Documentation/admin-guide/kdump/vmcoreinfo.rst).
 */
#ifndef KRELOC_VMCOREINFO_H
#define KRELOC_VMCOREINFO_H

#include <stdio.h>

#include "kreloc.h"

struct kcore;

/**
 * struct vmcoreinfo - the lines
 * @text:	without an end of its own; allocated
 * @len:	bytes
 */
struct vmcoreinfo {
	char *text;
	size_t len;
};

int vmcoreinfo_read(int fd, uint64_t offset, uint64_t size, struct vmcoreinfo *info,
		    struct why *why);
int vmcoreinfo_of_core(const struct kcore *core, struct vmcoreinfo *info, struct why *why);
void vmcoreinfo_free(struct vmcoreinfo *info);

bool vmcoreinfo_value(const struct vmcoreinfo *info, const char *key, const char **value,
		      size_t *len);
bool vmcoreinfo_address(const struct vmcoreinfo *info, const char *key, uint64_t *address);
void vmcoreinfo_build_id(const struct vmcoreinfo *info, struct build_id *id);
void vmcoreinfo_print(const struct vmcoreinfo *info, uint64_t offset, FILE *out);

#endif /* KRELOC_VMCOREINFO_H */
