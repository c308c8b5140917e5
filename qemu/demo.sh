#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make demo: the main job on a real kernel. A user's recording of a KASLR kernel
# that hides its addresses, and a copy that root has stamped, are both read on
# this machine by unmodified perf with nothing but the vmlinux; each sample's
# symbol is compared with what that kernel's own /proc/kallsyms says.
#
# Usage: qemu/demo.sh
#
# Keeps in build/demo/: blind.data stamped.data offset kallsyms vmlinux. The last
# two lines are the outcome; the exit status is 0 if it is as it should be.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"

out=$build/demo
# Fewer samples than this would prove little
enough=300

# prepare NAME ARCH SCRIPT KERNEL: a payload that runs a script of guest/
prepare() {
	local payload=$out/$1/payload

	build_module "$2" "$4"
	new_payload "$payload" "$3" "$4"
	cp "$top/selftests/lib.sh" "$payload/test/"
}

# guest NAME ARCH KERNEL [OPTION…]
guest() {
	"$qemu/guest.sh" --arch="$2" --kernel="$3" --payload="$out/$1/payload" \
		--out="$out/$1" "${@:4}" || {
		"$qemu/judge.sh" "$out/$1/tap" || true
		die "the guest did not do its part, see $out/$1"
	}
}

# compare FILE: "N NAMED RIGHT" for the samples in the kernel's text
compare() {
	"$qemu/named.sh" "$1" "$out/vmlinux" "$out/kallsyms"
}

# report FILE: the head of what perf report says
report() {
	perf report --stdio -k "$out/vmlinux" -i "$1" -F overhead,symbol 2>/dev/null |
		grep '%' | head -n 12
}

# show_recording: before and after, side by side
show_recording() {
	echo "A user recorded a kernel that hides its addresses. perf said:"
	grep -A 2 'relocation symbol' "$out/x86_64/files/perf-record.log" | sed 's/^/    /'
	echo
	echo "Root, on that machine:"
	echo "    # cat /sys/kernel/kreloc/offset"
	echo "    $(cat "$out/offset")"
	echo "    # kreloc stamp stamped.data"
	echo
	echo "perf report -k vmlinux, here: blind.data on the left, stamped.data on the right"
	pr -m -t -w 90 <(report "$out/blind.data") <(report "$out/stamped.data") | expand
	echo
}

# show_moved: the other architecture
show_moved() {
	echo "ppc64le, where the kernel sits 32 MiB up:"
	echo "    # cat /sys/kernel/kreloc/offset"
	echo "    $(cat "$out/ppc64le/files/offset")"
	echo "    # the kernel's own VMCOREINFO note"
	echo "    $(cat "$out/ppc64le/files/note")"
	echo
}

x86_64=$("$qemu/get-kernel.sh" x86_64 6.1 --vmlinux)
ppc64le=$("$qemu/get-kernel.sh" ppc64le 6.1)
rm -rf "$out"
make -s -C "$top" tools >&2
prepare x86_64 x86_64 record "$x86_64"
prepare ppc64le ppc64le moved "$ppc64le"
add_program "$out/x86_64/payload" "$build/kreloc" "$(command -v perf)"

guest ppc64le ppc64le "$ppc64le" --offset=0x2000000 &
guest x86_64 x86_64 "$x86_64"
wait $!
mv "$out"/x86_64/files/{blind.data,stamped.data,offset,kallsyms} "$out/"
cp --reflink=auto "$x86_64/vmlinux" "$out/"

show_recording
show_moved

read -r samples blind_named _ < <(compare "$out/blind.data")
read -r _ _ stamped_right < <(compare "$out/stamped.data")
echo "demo: blind: $blind_named of $samples kernel samples named"
echo "demo: stamped: $stamped_right of $samples kernel samples right"
[ "$samples" -gt $enough ] && [ "$blind_named" -eq 0 ] && [ "$stamped_right" -eq "$samples" ] &&
	[ "$(cat "$out/ppc64le/files/offset")" = 0x0000000002000000 ]
