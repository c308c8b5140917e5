/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Numbers in files. The byte order is always an argument, never that of the machine: traces are
 * read on other architectures than the ones that wrote them.
 */
#ifndef KRELOC_BYTES_H
#define KRELOC_BYTES_H

#include <stdbool.h>
#include <stdint.h>

/* For files of this machine: /proc/kcore, /sys/kernel/notes. */
#define HOST_BIG	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint64_t get_bytes(const void *p, unsigned int n, bool big)
{
	const unsigned char *b = p;
	uint64_t v = 0;
	unsigned int i;

	for (i = 0; i < n; i++)
		v = v << 8 | b[big ? i : n - 1 - i];
	return v;
}

static inline uint16_t get16(const void *p, bool big)
{
	return (uint16_t)get_bytes(p, 2, big);
}

static inline uint32_t get32(const void *p, bool big)
{
	return (uint32_t)get_bytes(p, 4, big);
}

static inline uint64_t get64(const void *p, bool big)
{
	return get_bytes(p, 8, big);
}

static inline void put_bytes(void *p, uint64_t v, unsigned int n, bool big)
{
	unsigned char *b = p;
	unsigned int i;

	for (i = 0; i < n; i++, v >>= 8)
		b[big ? n - 1 - i : i] = (unsigned char)v;
}

static inline void put16(void *p, uint16_t v, bool big)
{
	put_bytes(p, v, 2, big);
}

static inline void put32(void *p, uint32_t v, bool big)
{
	put_bytes(p, v, 4, big);
}

static inline void put64(void *p, uint64_t v, bool big)
{
	put_bytes(p, v, 8, big);
}

/* Up to the next multiple of @to, a power of two; the caller has bounded @v. */
static inline uint64_t round_up(uint64_t v, uint64_t to)
{
	return (v + to - 1) & ~(to - 1);
}

/* Does [off, off + len) lie within [0, size)? Never overflows, whatever a file says. */
static inline bool in_bounds(uint64_t off, uint64_t len, uint64_t size)
{
	return off <= size && len <= size - off;
}

#endif /* KRELOC_BYTES_H */
