#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Kernels for big-endian powerpc, of either ABI, moved by 32 MiB: their own symbols
# against their vmlinux, and a recording that is stamped here and named by this
# machine's unmodified perf. Prints TAP.
#
# Usage: qemu/tests/big-endian.sh OUT
set -eu
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../payload.sh
. "${qemu:?}/payload.sh"
# shellcheck source=../tap.sh
. "$qemu/tap.sh"
out=$1 offset=0x0000000002000000
# Fewer samples than this would prove little
enough=100

guest() {
	local payload=$dir/payload

	install -D "$qemu/guest/big-endian" "$payload/test/run"
	cp "$top/selftests/lib.sh" "$kernel/kreloc.ko" "$payload/test/"
	"$(cross ppc64)gcc" -O2 -Wall -static -o "$payload/test/recorder" "$qemu/guest/recorder.c"
	"$qemu/guest.sh" --arch=ppc64 --kernel="$kernel" --payload="$payload" --out="$dir" \
		--offset=$offset --append=offset=$offset
}

# abi HEADER SECTION: is it the one that was meant?
abi() {
	readelf -hSW "$kernel/vmlinux" >"$dir/elf"
	grep -qE "Flags: *$1" "$dir/elf"
	[ -z "$2" ] || grep -q " $2 " "$dir/elf"
}

symbols() {
	"$qemu/tests/symbols.sh" "$build/kreloc" "$kernel" "$dir/files" >"$dir/symbols" || true
	"$qemu/judge.sh" "$dir/symbols"
}

# count FILE: "SAMPLES NAMED RIGHT". perf knows a function of ELFv1 by its
# descriptor's name, which is its own without the dot.
count() {
	{
		cat "$dir/files/kallsyms"
		sed -n 's, \.\(.\), \1,p' "$dir/files/kallsyms"
	} >"$dir/kallsyms"
	"$qemu/named.sh" "$1" "$kernel/vmlinux" "$dir/kallsyms"
}

blind() {
	local samples named

	read -r samples named _ < <(count "$dir/files/blind.data")
	echo "$named of $samples"
	[ "$samples" -ge $enough ] && [ "$named" -eq 0 ]
}

stamp() {
	cp "$dir/files/blind.data" "$dir/stamped.data"
	"$build/kreloc" stamp --offset="$(cat "$dir/files/offset")" --vmlinux="$kernel/vmlinux" \
		"$dir/stamped.data"
	"$build/kreloc" read "$dir/stamped.data" >"$dir/said"
	grep -qx "offset: $offset" "$dir/said" && grep -qx "anchor: _stext" "$dir/said"
}

right() {
	local samples right

	read -r samples _ right < <(count "$dir/stamped.data")
	echo "$right of $samples"
	[ "$samples" -ge $enough ] && [ "$right" -eq "$samples" ]
}

refused() {
	local status=0

	cp "$dir/files/blind.data" "$dir/wrong.data"
	"$build/kreloc" stamp --offset=0x1000000 --vmlinux="$kernel/vmlinux" "$dir/wrong.data" ||
		status=$?
	cmp "$dir/files/blind.data" "$dir/wrong.data" && [ $status -eq 1 ]
}

infer() {
	"$build/kreloc" infer --vmlinux="$kernel/vmlinux" "$dir/files/blind.data" >"$dir/inferred"
	cat "$dir/inferred"
	grep -qx "offset: $offset" "$dir/inferred"
}

strip() {
	"$build/kreloc" strip "$dir/stamped.data"
	cmp "$dir/stamped.data" "$dir/files/blind.data"
}

make -s -C "$top" tools >&2
echo "TAP version 13"
for abi in v1 v2; do
	dir=$out/elf$abi
	rm -rf "$dir"
	mkdir -p "$dir"
	case $abi in
	v1) variant=m flags=0x1 section=.opd ;;
	v2) variant=elfv2 flags=0x2 section='' ;;
	esac
	kernel=$("$qemu/build-kernel.sh" ppc64 $variant)
	t "ELF$abi: the kernel is of that ABI" abi $flags "$section"
	t "ELF$abi: a guest records" guest
	t "ELF$abi: its symbols and its code are those of vmlinux" symbols
	t "ELF$abi: perf names no kernel sample of a blind recording" blind
	t "ELF$abi: kreloc stamps it" stamp
	t "ELF$abi: perf names every kernel sample right" right
	t "ELF$abi: a wrong offset is refused" refused
	t "ELF$abi: the recording alone tells the offset" infer
	t "ELF$abi: strip takes the stamp out again" strip
done
tap_end
