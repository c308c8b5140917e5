#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-check: kreloc check beside the reading of what it compares, and beside nm,
# which reads one of the two tables. Takes kallsyms from the guests of make
# check-symbols, which it boots where they were not.
#
# Usage: tools/bench/check.sh
set -eu
. "${0%/*}/../../qemu/lib.sh"

# best COMMAND…: seconds, of ten runs
best() {
	for _ in {1..10}; do
		/usr/bin/time -a -o "$times" -f %e "$@" >/dev/null
	done
	sort -n "$times" | head -n 1
	: >"$times"
}

times=$(mktemp)
trap 'rm -f "$times"' EXIT
make -s -C "$top/tools" O="$build" bench-build >&2
for name in x86_64-kaslr ppc64le-32M; do
	kallsyms=$build/symbols/$name/files/kallsyms
	[ -e "$kallsyms" ] || "$qemu/symbols.sh" $name >&2
	vmlinux=$("$qemu/get-kernel.sh" ${name%-*} 6.1 --vmlinux)/vmlinux
	echo "$name: $(wc -l <"$kallsyms") lines of kallsyms"
	echo "  in process: $("$build/tools/bench/measure" check "$vmlinux" "$kallsyms" 2>/dev/null)"
	echo "  kreloc check: $(best "$build/kreloc" check --vmlinux="$vmlinux" --kallsyms="$kallsyms") s"
	echo "  nm vmlinux: $(best nm "$vmlinux") s"
	echo "  cat kallsyms: $(best cat "$kallsyms") s"
done
