#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kreloc stamp --modules on a real kernel: unmodified perf names each sample in a
# module as the kernel's own table does, with nothing but the vmlinux and the .ko.
# Prints TAP.
#
# Usage: qemu/tests/modules.sh OUT
set -eu
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../payload.sh
. "${qemu:?}/payload.sh"
# shellcheck source=../tap.sh
. "$qemu/tap.sh"
out=$1
# Fewer samples in the module than this would prove little
enough=20

# perf_of FILE COMMAND…: perf that knows the module's file by its build-id alone
perf_of() {
	HOME=$out/home perf --no-pager "${@:2}" -f -k "$kernel/vmlinux" -i "$1" 2>/dev/null
}

# count FILE: "ALL NAMED RIGHT" of the samples in the module, as guest.sh's table has it
count() {
	perf_of "$1" script -G -F ip,sym,symoff | awk '
		function low(address, i, n) {
			for (i = length(address) - 7; i <= length(address); i++)
				n = n * 16 + index("123456789abcdef", substr(address, i, 1))
			return n
		}
		NR == FNR {
			if ($4 != "[kreloc]")
				next
			known[$3, low($1)]
			if ($2 ~ /[tT]/ && (!start || low($1) < start))
				start = low($1)
			if ($2 ~ /[tT]/ && low($1) > end)
				end = low($1)
			next
		}
		$1 ~ /^ffffffff/ && low($1) >= start && low($1) < end {
			all++
			named += $2 != "[unknown]"
			split($2, symbol, /[+]0x/)
			right += (symbol[1], low($1) - low("00000000" symbol[2])) in known
		}
		END { print all + 0, named + 0, right + 0 }' "$files/kallsyms" -
}

blind() {
	local all named

	read -r all named _ < <(count "$files/blind.data")
	echo "$named of $all"
	[ "$all" -ge $enough ] && [ "$named" -eq 0 ]
}

# right FILE
right() {
	local all right

	read -r all _ right < <(count "$1")
	echo "$right of $all"
	[ "$all" -ge $enough ] && [ "$right" -eq "$all" ]
}

# attributed: without the file's name perf finds no symbols in it, but what it is
attributed() {
	local all named

	read -r all _ < <(count "$files/names.data")
	named=$(perf_of "$files/names.data" script -G -F ip,sym,dso | grep -c '(\[kreloc\])$')
	echo "$named of $all"
	[ "$all" -ge $enough ] && [ "$named" -eq "$all" ]
}

stripped() {
	cp "$files/names.data" "$out/copy.data"
	"$build/kreloc" strip "$out/copy.data"
	cmp "$out/copy.data" "$files/blind.data"
}

kernel=$("$qemu/get-kernel.sh" x86_64 6.1 --vmlinux)
files=$out/files payload=$out/payload
make -s -C "$top" tools >&2
build_module x86_64 "$kernel"
rm -rf "${out:?}/home" "$payload"
new_payload "$payload" modules "$kernel"
cp "$top/selftests/lib.sh" "$payload/test/"
add_program "$payload" "$build/kreloc" "$(command -v perf)"
mkdir -p "$out/home"
HOME=$out/home perf buildid-cache --add "$(module_dir "$kernel")/kreloc.ko"

echo "TAP version 13"
t "a guest records and stamps" "$qemu/guest.sh" --arch=x86_64 --kernel="$kernel" \
	--payload="$payload" --out="$out"
t "perf names no sample in the module of a blind recording" blind
t "stamped without the file's name, all of them are in [kreloc]" attributed
t "with it, every symbol is right" right "$files/files.data"
t "strip takes the modules out again" stripped
tap_end
