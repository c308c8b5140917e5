#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The values, against oracles that the module does not use: /proc/kallsyms, /proc/iomem, the
# device tree, the copy of VMCOREINFO in /proc/kcore, and what the caller knows of this boot.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

KERNEL_END=/proc/device-tree/chosen/linux,kernel-end
KCORE=/proc/kcore

offset_is_a_difference() {
	is "$(value offset)" "$(minus "$(value text)" "$(value link_text)")"
}

offset_is_expected() {
	is "$(value offset)" "$KRELOC_EXPECT"
}

text_is_kallsyms() {
	is "$(value text)" "$(kallsyms "$anchor")"
}

unknown_is_absent() {
	! [ -e $SYS/text_size ] || say "it is $(value text_size)"
}

size_is_kallsyms() {
	is "$(printf '0x%016x' "$(value text_size)")" \
		"$(minus "$(kallsyms _etext)" "$(kallsyms "$anchor")")"
}

phys_is_iomem() {
	code=$(sed -n 's/^ *\([0-9a-f]*\)-.* : Kernel code$/\1/p' /proc/iomem)
	is "$(($(value phys_text)))" "$((0x$code))"
}

# linux,kernel-end is the physical address of _end, eight bytes, big endian
phys_is_kernel_end() {
	end=0x$(od -An -v -tx1 $KERNEL_END | tr -d ' \n')
	is "$((end - $(value phys_text)))" "$KRELOC_IMAGE_SIZE"
}

stext_is_text() {
	is "$(note $KCORE 'SYMBOL(_stext)')" "$(value text)"
}

# On powerpc the kernel says 0 wherever it is
kernel_offset_is_offset() {
	case $(uname -m) in
	x86_64) is "$(note $KCORE KERNELOFFSET)" "$(value offset)" ;;
	*) is "$(note $KCORE KERNELOFFSET)" 0x0000000000000000 ;;
	esac
}

formatted() {
	for file in text offset phys_text link_text; do
		value $file | grep -Eqx '0x[0-9a-f]{16}' || say "$file: '$(value $file)'" || return
		is "$(value $file | wc -c)" 19 || return
	done
}

# One byte at a time, and from the middle: the same bytes
in_pieces() {
	is "$(dd if=$SYS/offset bs=1 2> /dev/null)" "$(value offset)" || return
	is "$(dd if=$SYS/offset bs=1 skip=2 2> /dev/null)" "$(value offset | cut -c3-)" || return
	is "$(dd if=$SYS/offset bs=1 skip=19 2> /dev/null | wc -c)" 0
}

need_kreloc
sysctl_kptr 0
anchor=$(value anchor)

case $(uname -m) in
x86_64) expected_anchor=_text ;;
ppc64*) expected_anchor=_stext ;;
*) skip_all "no such architecture" ;;
esac

plan 11
t "abi is 1" is "$(value abi)" 1
t "anchor is $expected_anchor" is "$anchor" $expected_anchor
t "addresses are 0x and 16 digits" formatted
t "a file reads the same in pieces" in_pieces
t "offset is text - link_text" offset_is_a_difference
if [ -n "${KRELOC_EXPECT:-}" ]; then
	t "offset is $KRELOC_EXPECT" offset_is_expected
else
	skip "offset is as expected" "KRELOC_EXPECT is not set"
fi
if [ -e /proc/kallsyms ]; then
	t "text is what kallsyms says" text_is_kallsyms
	t "text_size is what kallsyms says" size_is_kallsyms
else
	skip "text is what kallsyms says" "no /proc/kallsyms"
	t "text_size is unknown, and not there" unknown_is_absent
fi
if grep -q 'Kernel code' /proc/iomem; then
	t "phys_text is where iomem has the kernel's code" phys_is_iomem
elif [ -e $KERNEL_END ] && [ -n "${KRELOC_IMAGE_SIZE:-}" ]; then
	t "phys_text + image size is the device tree's kernel-end" phys_is_kernel_end
else
	skip "phys_text" "neither iomem nor the device tree tells"
fi
if [ -e $KCORE ]; then
	t "text is _stext of kcore's VMCOREINFO" stext_is_text
	t "KERNELOFFSET there is the offset, where the kernel tells" kernel_offset_is_offset
else
	skip "text is _stext of kcore's VMCOREINFO" "no $KCORE"
	skip "KERNELOFFSET there is the offset, where the kernel tells" "no $KCORE"
fi
finish
