/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * libkreloc: by how much was a kernel moved away from the addresses in its vmlinux? Asks the
 * running kernel, reads the answer from a recording, and stamps it into one, in the recording's own
 * format, so that unmodified tools find the symbols. kreloc(3) has the details.
 *
 * Functions that return int return 0, or a negative errno; kreloc_errmsg() then has the reason as
 * a line of text. Where a value is not known that is an error, -ENODATA, and never 0. Nothing is
 * printed, and nothing ends the program. Any thread may call any function; an object that no
 * thread frees may be used by several.
 *
 * An offset is as secret as the kernel's addresses, and so is every message that has one.
 */
#ifndef LIBKRELOC_H
#define LIBKRELOC_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Where a kernel is. */
struct kreloc;

/* @vmlinux: path of the vmlinux of that kernel, which has to fit; or NULL */
int kreloc_running(struct kreloc **kernel, const char *vmlinux);
int kreloc_read(struct kreloc **kernel, const char *path, const char *vmlinux);
void kreloc_free(struct kreloc *kernel);

/* -ENODATA, and the variable is left alone, where it is not known */
int kreloc_offset(const struct kreloc *kernel, uint64_t *offset);
int kreloc_text(const struct kreloc *kernel, uint64_t *text);
int kreloc_link_text(const struct kreloc *kernel, uint64_t *link_text);
int kreloc_text_size(const struct kreloc *kernel, uint64_t *size);

/* NULL where it is not known; valid until kreloc_free() */
const char *kreloc_anchor(const struct kreloc *kernel);
const char *kreloc_build_id(const struct kreloc *kernel);
const char *kreloc_release(const struct kreloc *kernel);
const char *kreloc_machine(const struct kreloc *kernel);
const char *kreloc_source(const struct kreloc *kernel);

/* A file of a format that is not known gets its stamp in FILE.kreloc beside it. */
#define KRELOC_SIDECAR	(1u << 0)
/* Also where the kernel's modules are. The file is rewritten, since they have no room in it. */
#define KRELOC_MODULES	(1u << 1)

/* @kernel: of kreloc_running(); @flags: KRELOC_* */
int kreloc_stamp(const char *path, const struct kreloc *kernel, unsigned int flags);
int kreloc_strip(const char *path);

/* Of the last call of this thread that failed; never NULL */
const char *kreloc_errmsg(void);

#ifdef __cplusplus
}
#endif

#endif /* LIBKRELOC_H */
