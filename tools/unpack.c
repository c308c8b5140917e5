// SPDX-License-Identifier: GPL-2.0-only
/*
 * Unpacks into a temporary file without a name. Memory would do for most kernels; a vmlinux with
 * DWARF is hundreds of megabytes, of which then only the symbol table is looked at.
 */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "bytes.h"
#include "system.h"
#include "unpack.h"

#define CHUNK		(256u << 10)
/* More than any kernel: a few bytes can unpack to as much as there is disk. */
#define UNPACKED_MAX	(8ull << 30)

#define LZ4_MAGIC	4
/* Unpacked, and the most that it can take packed. */
#define LZ4_BLOCK	(8u << 20)
#define LZ4_BLOCK_PACKED (LZ4_BLOCK + LZ4_BLOCK / 255 + 16)

/* Documentation/arch/x86/boot.rst; protocol 2.08 brought the payload's place, in 2.6.26. */
enum {
	BOOT_SETUP_SECTS = 0x1f1,
	BOOT_FLAG = 0x1fe,
	BOOT_MAGIC = 0x202,
	BOOT_VERSION = 0x206,
	BOOT_PAYLOAD_OFFSET = 0x248,
	BOOT_PAYLOAD_LENGTH = 0x24c,
	BOOT_HEADER_END = 0x250,
};

/* Where it cannot even be unpacked to see its build-id. */
#define NO_SYMBOLS	"is a bzImage, which has no symbol table: the vmlinux is needed"

#define BOOT_FLAG_VALUE		0xaa55
#define BOOT_VERSION_PAYLOAD	0x0208

/**
 * struct pipe - from the packed bytes to the unpacked ones
 * @in:		open for reading
 * @at:		offset of the next packed byte
 * @left:	packed bytes that are still to be read
 * @out:	the temporary file
 * @written:	bytes in it
 * @packed:	CHUNK bytes
 * @plain:	CHUNK bytes
 */
struct pipe {
	int in;
	uint64_t at;
	uint64_t left;
	int out;
	uint64_t written;
	unsigned char *packed;
	unsigned char *plain;
};

static int truncated(struct why *why)
{
	return fail(why, "is truncated: its packed data end too early");
}

/* Returns how many packed bytes there are now; -1 and why, also where there are no more. */
static ssize_t pipe_read(struct pipe *pipe, struct why *why)
{
	const size_t want = pipe->left < CHUNK ? pipe->left : CHUNK;
	ssize_t n = pread_full(pipe->in, pipe->packed, want, pipe->at);

	if (n < 0)
		return fail(why, "%s", strerror(errno));
	if (!n)
		return truncated(why);
	pipe->at += (uint64_t)n;
	pipe->left -= (uint64_t)n;
	return n;
}

static int pipe_write(struct pipe *pipe, const unsigned char *plain, size_t len, struct why *why)
{
	if (pipe->written + len > UNPACKED_MAX)
		return fail(why, "unpacks to more than any kernel");
	if (pwrite_full(pipe->out, plain, len, pipe->written))
		return fail(why, "cannot be unpacked into a temporary file: %s (TMPDIR=DIR names another place)",
			    strerror(errno));
	pipe->written += len;
	return 0;
}

static int damaged(struct why *why)
{
	return fail(why, "is damaged: it cannot be unpacked");
}

static int inflate_loop(struct pipe *pipe, z_stream *z, struct why *why)
{
	int status = Z_OK;

	while (status != Z_STREAM_END) {
		if (!z->avail_in) {
			ssize_t n = pipe_read(pipe, why);

			if (n < 0)
				return -1;
			z->next_in = pipe->packed;
			z->avail_in = (unsigned int)n;
		}
		z->next_out = pipe->plain;
		z->avail_out = CHUNK;
		status = inflate(z, Z_NO_FLUSH);
		if (status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR)
			return damaged(why);
		if (pipe_write(pipe, pipe->plain, CHUNK - z->avail_out, why))
			return -1;
	}
	return 0;
}

static int unpack_gzip(struct pipe *pipe, struct why *why)
{
	z_stream z = { 0 };
	int err;

	/* 16: with a gzip header */
	if (inflateInit2(&z, 16 + MAX_WBITS) != Z_OK)
		return fail(why, "out of memory");
	err = inflate_loop(pipe, &z, why);
	inflateEnd(&z);
	return err;
}

static int xz_loop(struct pipe *pipe, lzma_stream *xz, struct why *why)
{
	lzma_ret status = LZMA_OK;

	while (status != LZMA_STREAM_END) {
		if (!xz->avail_in) {
			ssize_t n = pipe_read(pipe, why);

			if (n < 0)
				return -1;
			xz->next_in = pipe->packed;
			xz->avail_in = (size_t)n;
		}
		xz->next_out = pipe->plain;
		xz->avail_out = CHUNK;
		status = lzma_code(xz, LZMA_RUN);
		if (status != LZMA_OK && status != LZMA_STREAM_END)
			return status == LZMA_MEM_ERROR ? fail(why, "out of memory") : damaged(why);
		if (pipe_write(pipe, pipe->plain, CHUNK - xz->avail_out, why))
			return -1;
	}
	return 0;
}

static int unpack_xz(struct pipe *pipe, struct why *why)
{
	lzma_stream xz = LZMA_STREAM_INIT;
	int err;

	if (lzma_stream_decoder(&xz, UINT64_MAX, 0) != LZMA_OK)
		return fail(why, "out of memory");
	err = xz_loop(pipe, &xz, why);
	lzma_end(&xz);
	return err;
}

static int zstd_loop(struct pipe *pipe, ZSTD_DStream *zstd, struct why *why)
{
	ZSTD_inBuffer in = { .src = pipe->packed };
	size_t more = 1;

	while (more) {
		ZSTD_outBuffer out = { .dst = pipe->plain, .size = CHUNK };

		if (in.pos == in.size) {
			ssize_t n = pipe_read(pipe, why);

			if (n < 0)
				return -1;
			in.size = (size_t)n;
			in.pos = 0;
		}
		more = ZSTD_decompressStream(zstd, &out, &in);
		if (ZSTD_isError(more))
			return damaged(why);
		if (pipe_write(pipe, pipe->plain, out.pos, why))
			return -1;
	}
	return 0;
}

static int unpack_zstd(struct pipe *pipe, struct why *why)
{
	ZSTD_DStream *zstd = ZSTD_createDStream();
	int err;

	if (!zstd)
		return fail(why, "out of memory");
	/* Kernels are packed with --ultra: a window of up to 2 GiB. */
	ZSTD_DCtx_setParameter(zstd, ZSTD_d_windowLogMax, 31);
	err = zstd_loop(pipe, zstd, why);
	ZSTD_freeDStream(zstd);
	return err;
}

/* How lz4 writes lengths that do not fit the 4 bits of a token. */
static bool lz4_length(const unsigned char **in, const unsigned char *end, size_t *len)
{
	unsigned char more;

	if (*len != 15)
		return true;
	do {
		if (*in == end || *len > LZ4_BLOCK)
			return false;
		more = *(*in)++;
		*len += more;
	} while (more == 255);
	return true;
}

/*
 * One block: tokens, each with a length of bytes to take over and the length and distance of a
 * match in what was unpacked before (doc/lz4_Block_format.md of lz4). Returns 0 for a damaged one.
 */
static size_t lz4_block(const unsigned char *in, size_t in_len, unsigned char *out)
{
	const unsigned char *const end = in + in_len;
	size_t at = 0;

	while (in < end) {
		const unsigned char token = *in++;
		size_t literals = token >> 4, match = token & 15, distance;

		if (!lz4_length(&in, end, &literals) || literals > (size_t)(end - in) ||
		    literals > LZ4_BLOCK - at)
			return 0;
		memcpy(out + at, in, literals);
		at += literals;
		in += literals;
		/* The last token has no match. */
		if (in == end)
			return at;
		if (end - in < 2)
			return 0;
		distance = get16(in, false);
		in += 2;
		if (!lz4_length(&in, end, &match) || !distance || distance > at ||
		    match + 4 > LZ4_BLOCK - at)
			return 0;
		/* Byte by byte: it may repeat what it writes. */
		for (match += 4; match; match--, at++)
			out[at] = out[at - distance];
	}
	return 0;
}

/* Blocks, each after its packed size, until the end or what no block can be. */
static int lz4_loop(struct pipe *pipe, unsigned char *packed, unsigned char *plain, struct why *why)
{
	const uint64_t end = pipe->at + pipe->left;
	uint64_t at = pipe->at + LZ4_MAGIC;
	unsigned char head[4];

	while (in_bounds(at, sizeof(head), end) &&
	       pread_full(pipe->in, head, sizeof(head), at) == sizeof(head)) {
		const uint32_t len = get32(head, false);
		size_t n;

		at += sizeof(head);
		/* The kernel's build appends the unpacked size. */
		if (!in_bounds(at, len, end) || len > LZ4_BLOCK_PACKED)
			break;
		if (pread_full(pipe->in, packed, len, at) != (ssize_t)len)
			return truncated(why);
		at += len;
		n = lz4_block(packed, len, plain);
		if (!n)
			return damaged(why);
		if (pipe_write(pipe, plain, n, why))
			return -1;
	}
	return pipe->written ? 0 : damaged(why);
}

/* What "lz4 -l" writes, and only the kernel still uses. */
static int unpack_lz4(struct pipe *pipe, struct why *why)
{
	unsigned char *packed = malloc(LZ4_BLOCK_PACKED);
	unsigned char *plain = malloc(LZ4_BLOCK);
	int err = packed && plain ? lz4_loop(pipe, packed, plain, why) : fail(why, "out of memory");

	free(packed);
	free(plain);
	return err;
}

/**
 * struct packer - a way to pack
 * @magic:	how its output begins
 * @len:	bytes of these
 * @name:	as people know it
 * @unpack:	0 or -1 and why; NULL where kreloc cannot
 */
struct packer {
	const char *magic;
	size_t len;
	const char *name;
	int (*unpack)(struct pipe *pipe, struct why *why);
};

/* All that a kernel can be built with (lib/decompress.c). */
static const struct packer packers[] = {
	{ "\x1f\x8b", 2, "gzip", unpack_gzip },
	{ "\xfd" "7zXZ", 6, "xz", unpack_xz },
	{ "\x28\xb5\x2f\xfd", 4, "zstd", unpack_zstd },
	{ "BZh", 3, "bzip2", NULL },
	{ "\x5d\x00\x00", 3, "lzma", NULL },
	{ "\x89LZO", 4, "lzo", NULL },
	{ "\x02\x21\x4c\x18", LZ4_MAGIC, "lz4", unpack_lz4 },
	{ "\x04\x22\x4d\x18", 4, "lz4", NULL },
};

static const struct packer *packer_of(const unsigned char *head, size_t len)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(packers); i++)
		if (len >= packers[i].len && !memcmp(head, packers[i].magic, packers[i].len))
			return &packers[i];
	return NULL;
}

static int temporary_file(struct why *why)
{
	const char *dir = secure_getenv("TMPDIR");
	char name[4096];
	int fd;

	if (!dir || !*dir)
		dir = "/tmp";
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd >= 0)
		return fd;
	/* Some file systems cannot do without a name. */
	if ((size_t)snprintf(name, sizeof(name), "%s/kreloc.XXXXXX", dir) < sizeof(name)) {
		fd = mkostemp(name, O_CLOEXEC);
		if (fd >= 0) {
			unlink(name);
			return fd;
		}
	}
	return fail(why, "is packed, and %s takes no temporary file: %s", dir, strerror(errno));
}

static int unpack(const struct packer *packer, int fd, uint64_t at, uint64_t len, struct why *why)
{
	struct pipe pipe = { .in = fd, .at = at, .left = len };
	int err;

	pipe.out = temporary_file(why);
	if (pipe.out < 0)
		return -1;
	pipe.packed = malloc(CHUNK);
	pipe.plain = malloc(CHUNK);
	err = pipe.packed && pipe.plain ? packer->unpack(&pipe, why) : fail(why, "out of memory");
	free(pipe.packed);
	free(pipe.plain);
	if (err) {
		close(pipe.out);
		return -1;
	}
	return pipe.out;
}

static bool is_boot_image(const unsigned char *head, size_t len)
{
	return len >= BOOT_HEADER_END && get16(head + BOOT_FLAG, false) == BOOT_FLAG_VALUE &&
	       !memcmp(head + BOOT_MAGIC, "HdrS", 4);
}

static int unpack_boot_image(const unsigned char *head, int fd, struct why *why)
{
	const unsigned int sectors = head[BOOT_SETUP_SECTS] ? head[BOOT_SETUP_SECTS] : 4;
	const uint64_t at = (sectors + 1) * 512ull + get32(head + BOOT_PAYLOAD_OFFSET, false);
	const uint64_t len = get32(head + BOOT_PAYLOAD_LENGTH, false);
	const struct packer *packer;
	unsigned char magic[16];
	ssize_t n;

	if (get16(head + BOOT_VERSION, false) < BOOT_VERSION_PAYLOAD)
		return fail(why, NO_SYMBOLS);
	n = pread_full(fd, magic, sizeof(magic), at);
	packer = packer_of(magic, n < 0 ? 0 : (size_t)n);
	if (!packer || !packer->unpack)
		return fail(why, NO_SYMBOLS);
	return unpack(packer, fd, at, len, why);
}

/**
 * unpack_open - open a file that may be packed
 * @path:	the file
 * @unpacked:	filled on success; its file descriptor is to be closed
 * @why:	filled on failure, without the path
 *
 * Return: 0 or -1.
 */
int unpack_open(const char *path, struct unpacked *unpacked, struct why *why)
{
	const struct packer *packer;
	unsigned char head[BOOT_HEADER_END];
	struct stat st;
	ssize_t n;
	int fd, plain;

	unpacked->boot_image = false;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return fail(why, "%s", strerror(errno));
	n = fstat(fd, &st) ? -1 : 0;
	if (!n && S_ISREG(st.st_mode))
		n = pread_full(fd, head, sizeof(head), 0);
	if (n < 0 || !S_ISREG(st.st_mode)) {
		explain(why, "%s", n < 0 ? strerror(errno) :
				   S_ISDIR(st.st_mode) ? "is a directory" : "not a regular file");
		close(fd);
		return -1;
	}
	packer = packer_of(head, (size_t)n);
	if (is_boot_image(head, (size_t)n)) {
		plain = unpack_boot_image(head, fd, why);
		unpacked->boot_image = true;
	} else if (packer && !packer->unpack) {
		plain = fail(why, "is packed with %s, which kreloc cannot unpack", packer->name);
	} else if (packer) {
		plain = unpack(packer, fd, 0, (uint64_t)st.st_size, why);
	} else {
		unpacked->fd = fd;
		return 0;
	}
	close(fd);
	unpacked->fd = plain;
	return plain < 0 ? -1 : 0;
}
