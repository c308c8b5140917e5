/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What kreloc offers to other parts of the kernel: tracers, and the modules that they generate,
 * which want link addresses in what they record.
 *
 * A module that calls kreloc_offset() needs the module kreloc loaded before it, which modprobe
 * sees to, and to be built with this header's directory and kreloc's Module.symvers:
 *
 *	ccflags-y := -I/path/to/kreloc/module/include
 *	make -C … M=… KBUILD_EXTRA_SYMBOLS=/path/to/kreloc/Module.symvers
 *
 * One that can do without it asks for the function by name, while it runs, and needs only the
 * header:
 *
 *	int (*ask)(unsigned long *offset) = symbol_get(kreloc_offset);
 *
 *	if (ask) {
 *		err = ask(&offset);
 *		symbol_put(kreloc_offset);
 *	}
 */
#ifndef _LINUX_KRELOC_H
#define _LINUX_KRELOC_H

int kreloc_offset(unsigned long *offset);

#endif /* _LINUX_KRELOC_H */
