// SPDX-License-Identifier: GPL-2.0-only
/*
 * The VMCOREINFO note, which /proc/kcore has carried since Linux 4.19 (23c85094fe18).
 *
 * SYMBOL(_stext) is the run-time address. On x86 KERNELOFFSET is the offset; on powerpc it is
 * kernstart_virt_addr - KERNELBASE, 0 also where the kernel moved, so it is not looked at.
 */
#include <elf.h>

#include "kcore.h"
#include "place.h"
#include "vmcoreinfo.h"

static int read_vmcoreinfo(const struct vmcoreinfo *info, const struct kernel *kernel,
			   struct place *place, struct why *why)
{
	struct build_id id;
	uint64_t offset;

	/* The note belongs to this kernel, of course; a made-up or damaged one need not. */
	vmcoreinfo_build_id(info, &id);
	if (build_id_differ(&id, &kernel->build_id))
		return fail(why, "VMCOREINFO has another build-id than /sys/kernel/notes");
	if (!vmcoreinfo_address(info, "SYMBOL(_stext)", &place->text) || !place->text)
		return fail(why, "VMCOREINFO has no SYMBOL(_stext)");
	if (kernel->arch->kernel_offset && vmcoreinfo_address(info, "KERNELOFFSET", &offset)) {
		if (offset == place->text)
			return fail(why, "VMCOREINFO's KERNELOFFSET cannot be that large");
		place->link = place->text - offset;
		place->link_source = "vmcoreinfo";
	}
	return 0;
}

static int kcore_get(const struct kernel *kernel, struct place *place, struct why *why)
{
	struct vmcoreinfo info;
	struct kcore kcore;
	int err;

	if (kcore_open(&kcore, why))
		return -1;
	err = vmcoreinfo_of_core(&kcore, &info, why);
	if (err) {
		explain(why, KCORE " %s", why->text);
	} else {
		err = read_vmcoreinfo(&info, kernel, place, why);
		vmcoreinfo_free(&info);
	}
	kcore_close(&kcore);
	return err;
}

/**
 * kcore_text_size - the size of the kernel's image
 * @arch:	of the running kernel
 * @text:	run-time address of its anchor
 *
 * Where the image has a mapping of its own, /proc/kcore has a segment for it, from _text to _end
 * (kcore_text in arch/x86/mm/init_64.c). That is more than the text; what follows it is data.
 *
 * Return: bytes, 0 where not known.
 */
uint64_t kcore_text_size(const struct arch *arch, uint64_t text)
{
	struct kcore kcore;
	uint64_t size = 0;
	struct why why;
	unsigned int i;

	if (!arch->kcore_text || kcore_open(&kcore, &why))
		return 0;
	for (i = 0; i < kcore.nr; i++) {
		const struct segment segment = kcore_segment(&kcore, i);

		if (segment.type == PT_LOAD && segment.vaddr == text &&
		    segment.memsz <= arch->image_moved_end - text)
			size = segment.memsz;
	}
	kcore_close(&kcore);
	return size;
}

const struct source source_kcore = {
	.name = "kcore",
	.get = kcore_get,
};
