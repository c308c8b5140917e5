#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# In a crash kernel: what the kernel that crashed said of its place, in its VMCOREINFO and with
# its last words, against what the module said there.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# said NAME: by the module in the kernel that crashed
said() {
	sed -n "s/^$1 //p" "$KRELOC_CRASHED"
}

stext_is_text() {
	is "$(note /proc/vmcore 'SYMBOL(_stext)')" "$(said text)"
}

kernel_offset_is_offset() {
	is "$(note /proc/vmcore KERNELOFFSET)" "$(said offset)"
}

# dump_kernel_offset(), which is not told to panic twice where KASLR is off
last_words() {
	vmcore-dmesg /proc/vmcore > "$work/dmesg" || return
	words=$(sed -n 's/.*Kernel Offset: \([^ ]*\).*/\1/p' "$work/dmesg")
	if [ "$words" = disabled ]; then
		words=0x0
	fi
	is "$(printf '0x%016x' "$words")" "$(said offset)"
}

# The module speaks of the kernel that runs, not of the other
not_this_kernel() {
	[ "$(value phys_text)" != "$(said phys_text)" ] || say "both are at $(value phys_text)"
}

need_kreloc
[ -r /proc/vmcore ] || skip_all "not a crash kernel"
[ -r "${KRELOC_CRASHED:-}" ] || skip_all "KRELOC_CRASHED is not set"
work=$(mktemp -d)
case $(uname -m) in
x86_64) plan 4 ;;
*) plan 2 ;;
esac
t "this kernel is elsewhere" not_this_kernel
t "_stext in /proc/vmcore's note is where the module had it" stext_is_text
# Others say 0 there wherever they are, and nothing at the end
if [ "$(uname -m)" = x86_64 ]; then
	t "KERNELOFFSET there is the offset" kernel_offset_is_offset
	t "the kernel's last words tell the offset" last_words
fi
rm -r "$work"
finish
