/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The one place that knows kernel versions, 5.10 to 7.2. Each entry names the change upstream
 * that makes it necessary; when the oldest kernel moves past that, the entry goes.
 */
#ifndef KRELOC_COMPAT_H
#define KRELOC_COMPAT_H

#include <linux/errno.h>
#include <linux/sysfs.h>
#include <linux/version.h>

/*
 * The note that kexec hands to a crash kernel. 443cbaf9e2fd ("crash: split vmcoreinfo exporting
 * code out from crash_core.c", 6.9) moved it and renamed CONFIG_CRASH_CORE to
 * CONFIG_VMCORE_INFO.
 */
#if IS_ENABLED(CONFIG_VMCORE_INFO)
#include <linux/vmcore_info.h>
#define KRELOC_HAVE_VMCOREINFO	1
#elif IS_ENABLED(CONFIG_CRASH_CORE)
#include <linux/crash_core.h>
#define KRELOC_HAVE_VMCOREINFO	1
#else
#define KRELOC_HAVE_VMCOREINFO	0
#define VMCOREINFO_NOTE_SIZE	0
static inline phys_addr_t paddr_vmcoreinfo_note(void)
{
	return 0;
}
#endif

/*
 * Binary attributes became read-only for their callbacks: is_bin_visible() in 6.13
 * (b626816fdd7f), read() and the group's array in 6.16 (97d06802d10a).
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define kreloc_visible_const	const
#else
#define kreloc_visible_const
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define kreloc_bin_const	const
#else
#define kreloc_bin_const
#endif

/*
 * On the way there, from 6.13 (eb2e6c3a8d66) until 6.18 (1d6249c1ce82), an attribute could have
 * its function under another name. Attributes of ours always have read().
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0) && LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
static inline ssize_t kreloc_bin_read(kreloc_bin_const struct bin_attribute *attr, char *buf,
				      loff_t pos, size_t size)
{
	if (attr->read_new)
		return attr->read_new(NULL, NULL, attr, buf, pos, size);
	return attr->read ? attr->read(NULL, NULL, attr, buf, pos, size) : -EIO;
}
#else
static inline ssize_t kreloc_bin_read(kreloc_bin_const struct bin_attribute *attr, char *buf,
				      loff_t pos, size_t size)
{
	return attr->read ? attr->read(NULL, NULL, attr, buf, pos, size) : -EIO;
}
#endif

#endif /* KRELOC_COMPAT_H */
