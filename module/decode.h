/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decoders of what firmware and the kernel left in memory: functions on (buffer, length) that
 * believe nothing. They use only headers that user space has as well, so that the unit tests
 * compile the very same files there, under ASan.
 */
#ifndef KRELOC_DECODE_H
#define KRELOC_DECODE_H

#include <linux/string.h>
#include <linux/types.h>

/* vmcoreinfo.c */
int kreloc_note_symbol(const void *note, size_t size, const char *symbol, unsigned long *value);

#endif /* KRELOC_DECODE_H */
