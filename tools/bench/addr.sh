#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-addr: kreloc addr beside llvm-symbolizer, addr2line and eu-addr2line, on
# the same 49,503 addresses within functions of the same vmlinux, without DWARF and
# with it, in one run. The slow ones take minutes. Time and memory are of the best of
# three runs, of one where that takes more than ten seconds.
#
# Where answers differ, it is counted in what:
#   alias     another name of the same place: two symbols, or two that overlap
#   nothing   kreloc says that no symbol is there
#   dwarf     a name that is in DWARF only: of the function without .cold or .part, or
#             of one that was inlined into it (addr2line -i has both)
#   other     none of these: some are printed
#
# Usage: tools/bench/addr.sh [--no-dwarf]
set -eu
. "${0%/*}/../../qemu/lib.sh"

out=$build/bench-addr count=49503
kreloc=$build/kreloc offset=0x2200000

# make_addresses VMLINUX: in functions, always the same ones. The low 32 bits are all
# that awk has to calculate with.
make_addresses() {
	nm -S --defined-only "$1" | awk -v count=$count '
		function number(hex, i, v) {
			for (i = length(hex) - 7; i <= length(hex); i++)
				v = v * 16 + index("123456789abcdef", substr(hex, i, 1))
			return v
		}
		$3 ~ /^[tT]$/ && $1 ~ /^ffffffff8[12]/ {
			start[++n] = number($1)
			size[n] = number($2)
		}
		END {
			srand(1)
			for (i = 0; i < count; i++) {
				f = 1 + int(rand() * n)
				v = start[f] + int(rand() * size[f])
				printf "0xffffffff%04x%04x\n", int(v / 65536), v % 65536
			}
		}' >"$out/link"
	# kreloc starts from the running kernel's
	awk -v by=$((offset / 65536)) '
		function number(hex, i, v) {
			for (i = 1; i <= 4; i++)
				v = v * 16 + index("123456789abcdef", substr(hex, i, 1))
			return v
		}
		{ printf "0xffffffff%04x%s\n", number(substr($0, 11, 4)) + by, substr($0, 15) }' \
		"$out/link" >"$out/runtime"
}

# measure NAME INPUT COMMAND…: seconds and KiB to $out/NAME.time
measure() {
	local name=$1 input=$2

	shift 2
	rm -f "$out/$name.times"
	for _ in 1 2 3; do
		/usr/bin/time -a -o "$out/$name.times" -f '%e %M' "$@" <"$input" >"$out/$name"
		awk 'END { exit $1 > 10 }' "$out/$name.times" || break
	done
	sort -n "$out/$name.times" | head -n 1 >"$out/$name.time"
}

# One name for each address, with nothing around it
names_of() {
	case $1 in
	kreloc) sed 's/^[^ ]* \[[^ ]* //; s/[+ ].*//; s/\]$//' "$out/kreloc" ;;
	llvm-symbolizer) awk 'BEGIN { RS = "" } { sub(/\n.*/, ""); print }' "$out/$1" ;;
	addr2line) awk 'NR % 2 == 1' "$out/$1" ;;
	eu-addr2line) awk 'NR % 2 == 1 { sub(/[+].*/, ""); print }' "$out/$1" ;;
	esac
}

# compare NAME VMLINUX: its answers with kreloc's
compare() {
	names_of "$1" >"$out/names"
	names_of kreloc >"$out/kreloc.names"
	paste "$out/link" "$out/kreloc.names" "$out/names" | awk '$2 != $3 { print $1 }' |
		addr2line -a -i -f -e "$2" | awk '
		/^0x/ { address = $1; next }
		!(n++ % 2) { name = $1 }
		{ outermost[address] = name }
		END { for (address in outermost) print address, outermost[address], "outermost" }
		' >"$out/outermost"
	# A name is an alias if one of its symbols has that address in it, too
	paste "$out/link" "$out/kreloc.names" "$out/names" | awk -v tool="$1" '
		function number(hex, i, v) {
			for (i = length(hex) - 7; i <= length(hex); i++)
				v = v * 16 + index("123456789abcdef", substr(hex, i, 1))
			return v
		}
		$3 == "outermost" { outermost[$1] = $2; next }
		NF == 4 {
			starts[$4, ++symbols[$4]] = number($1)
			ends[$4, symbols[$4]] = number($1) + number($2)
			next
		}
		$2 == $3 { same++; next }
		$2 == "?" { nothing++; next }
		index($2, $3 ".") == 1 || ($1 in outermost && index($2 ".", outermost[$1] ".") == 1) {
			dwarf++
			next
		}
		{
			at = number($1)
			for (i = 1; i <= symbols[$3]; i++) {
				if (starts[$3, i] <= at && at < ends[$3, i]) {
					alias++
					next
				}
			}
			if (other++ < 3)
				print "    " $1 ": kreloc " $2 ", " tool " " $3 >"/dev/stderr"
		}
		END {
			printf "%d same, %d alias, %d nothing, %d dwarf, %d other",
				same, alias, nothing, dwarf, other
		}' "$out/outermost" <(nm -S --defined-only "$2" | awk 'NF == 4') -
}

# row NAME VMLINUX
row() {
	local seconds memory

	read -r seconds memory <"$out/$1.time"
	printf '%-16s %8s s %8d KiB  %s\n' "$1" "$seconds" "$memory" \
		"$([ "$1" = kreloc ] || compare "$1" "$2")"
}

# bench VMLINUX
bench() {
	echo "$count addresses, $1, $(($(stat -L -c %s "$1") / 1000000)) MB"
	measure kreloc "$out/runtime" "$kreloc" addr --offset=$offset --vmlinux="$1"
	row kreloc "$1"
	measure llvm-symbolizer "$out/link" llvm-symbolizer --no-inlines --no-demangle --obj="$1"
	row llvm-symbolizer "$1"
	measure addr2line "$out/link" addr2line -f -e "$1"
	row addr2line "$1"
	measure eu-addr2line "$out/link" eu-addr2line -S -e "$1"
	row eu-addr2line "$1"
	awk 'NR == 1 { mine = $1; memory = $2; next }
		best == "" || $1 < best { best = $1; least = $2 }
		END {
			printf "kreloc takes 1/%.0f of the time of the fastest, and %.2f of its memory\n\n",
				best / (mine ? mine : 0.01), memory / least
		}' "$out"/{kreloc,llvm-symbolizer,addr2line,eu-addr2line}.time
}

dwarf=--dwarf
[ "${1-}" != --no-dwarf ] || dwarf=--vmlinux
kernel=$("$qemu/get-kernel.sh" x86_64 6.1 $dwarf)
make -s -C "$top/tools" O="$build" bench-build >&2
mkdir -p "$out"
make_addresses "$kernel/vmlinux"
bench "$kernel/vmlinux"
[ $dwarf = --vmlinux ] || bench "$kernel/vmlinux.dwarf"
echo "once loaded: $("$build/tools/bench/measure" lookups "$kernel/vmlinux")"
for _ in {1..200}; do cat "$out/runtime"; done >"$out/many"
measure many "$out/many" "$kreloc" addr --offset=$offset --vmlinux="$kernel/vmlinux"
awk -v n=$((count * 200)) '{ printf "as a filter: %.1f million addresses in %s s, %d KiB\n", n / 1e6, $1, $2 }' \
	"$out/many.time"
rm "$out/many"
