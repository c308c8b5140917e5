#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kreloc check and kreloc addr on a real kernel's symbols, that were carried out of
# a guest: they match, each fault that is planted in them is called by its name, and
# every symbol is found at its address. Prints TAP.
#
# Usage: qemu/tests/symbols.sh KRELOC KERNEL FILES
#   KRELOC  the program
#   KERNEL  what get-kernel.sh made, with its vmlinux
#   FILES   what guest/symbols left
# shellcheck disable=SC2016 # awk's $ are awk's
set -eu
# shellcheck source=../tap.sh
. "${0%/*}/../tap.sh"
kreloc=$1 vmlinux=$2/vmlinux image=$2/image files=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
kallsyms=$files/kallsyms
case $(readelf -h "$vmlinux" | grep -E 'Data:|Machine:') in
*little*PowerPC64) arch=ppc64le ;;
*big*PowerPC64) arch=ppc64 ;;
*) arch=x86_64 ;;
esac
# so many symbols are no table of nothing
many=$(($(wc -l <"$kallsyms") / 2))
[ $many -lt 30000 ] || many=30000

# verdict STATUS VERDICT TABLE [OPTION…]
verdict() {
	local status=0

	"$kreloc" check --vmlinux="$vmlinux" --kallsyms="$3" "${@:4}" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	[ "$status" -eq "$1" ] && grep -qx "verdict: $2" "$tmp/out" && return
	cat "$tmp/out" "$tmp/err"
	return 1
}

# plant AWK: a table with a fault. add(HEX, N) is an address's sum, in its lower half.
plant() {
	awk '
	function add(hex, n, i, v) {
		for (i = 9; i <= 16; i++)
			v = v * 16 + index("123456789abcdef", substr(hex, i, 1))
		v += n
		return sprintf("%s%04x%04x", substr(hex, 1, 8), int(v / 65536), v % 65536)
	}
	'"$1" "$kallsyms" >"$tmp/planted"
	if cmp -s "$kallsyms" "$tmp/planted"; then
		echo "nothing to plant in $kallsyms"
		return 1
	fi
}

# fault STATUS VERDICT AWK [PATTERN [OPTION…]]: and one of the lines says so
fault() {
	plant "$3"
	verdict "$1" "$2" "$tmp/planted" "${@:5}"
	[ -z "${4-}" ] || grep -qE "$4" "$tmp/out" "$tmp/err" || {
		cat "$tmp/out" "$tmp/err"
		return 1
	}
}

match() {
	verdict 0 match "$kallsyms" --notes="$files/notes"
	grep -qx 'only-vmlinux: 0' "$tmp/out"
	grep -qx 'only-kallsyms: 0' "$tmp/out"
	[ "$(sed -n 's/^matched: //p' "$tmp/out")" -gt $many ]
}

# In any order, also of what has the same name
shuffled() {
	sort -R "$kallsyms" >"$tmp/planted"
	verdict 0 match "$tmp/planted"
}

# plant_listed N: the symbols in $tmp/listed are by N too high. The letters in
# kallsyms are not asked which they are: in 7.2 data have a T as well.
plant_listed() {
	[ "$(wc -l <"$tmp/listed")" -gt $many ]
	plant 'BEGIN {
			while ((getline line < "'"$tmp/listed"'") > 0) {
				split(line, word)
				at[add(word[1], '"$((offset))"'), word[2]]
			}
		}
		($1, $3) in at && NF == 3 { $1 = add($1, '"$1"') }
		{ print }'
}

local_entries() {
	readelf -sW "$vmlinux" |
		sed -n 's/^ *[0-9]*: \([0-9a-f]*\) .*\[<localentry>: 8\] *[0-9]* \(.*\)/\1 \2/p' \
			>"$tmp/listed"
	plant_listed 8
	verdict 1 local-entry "$tmp/planted"
	grep 'holds local entry points: [0-9]* functions' "$tmp/err"
}

behind_endbr() {
	readelf -sW "$vmlinux" | awk '$4 == "FUNC" { print $2, $8 }' >"$tmp/listed"
	plant_listed 4
	verdict 1 endbr "$tmp/planted"
	grep 'holds what comes after ENDBR64: [0-9]* functions are 4 too high' "$tmp/err"
}

# The names, and the anchor at a page; everything else is further and further away
other_kernel() {
	fault 1 other-kernel 'NF == 3 && $3 !~ /^_s?text$/ && $1 !~ /^00000000/ {
		if (NR % 50 == 0)
			by += 16
		$1 = add($1, by)
	}
	{ print }' 'not the same kernel'
}

other_machine() {
	"$kreloc" check --vmlinux="$vmlinux" --kallsyms="$kallsyms" --notes=/sys/kernel/notes \
		2>"$tmp/err" && return 1
	# of the other byte order, there is none to be found
	grep -q 'not the same kernel\|has no build-id' "$tmp/err"
}

# At every address that kallsyms has, a symbol is found that vmlinux has there; but
# where something ends, which is often where nothing is
round_trip() {
	nm "$vmlinux" | cut -d ' ' -f 1,3 >"$tmp/symbols"
	awk 'NF == 3 && $1 !~ /^00000000/ { print $1 }' "$kallsyms" | sort -u >"$tmp/addresses"
	"$kreloc" addr --offset="$offset" --vmlinux="$vmlinux" <"$tmp/addresses" >"$tmp/named"
	awk 'NR == FNR { at[$1, $2]; next }
		NF == 1 || /\?\]$/ { nothing++; next }
		{ sub(/^\[/, "", $2); sub(/[+]0x0\]$/, "", $3) }
		!(($2, $3) in at) { print; wrong = 1 }
		END { exit wrong || FNR < '$many' || nothing > FNR / 100 }' "$tmp/symbols" "$tmp/named"
}

back() {
	head -n 500 "$tmp/named" | sed 's/^[^ ]* \[\([^ ]*\) .*/\1/' >"$tmp/links"
	xargs "$kreloc" addr --offset="$offset" --vmlinux="$vmlinux" --to-runtime --raw \
		<"$tmp/links" | sed 's/^0x//' >"$tmp/back"
	head -n 500 "$tmp/addresses" | diff - "$tmp/back" >&2
}

packed() {
	"$@" <"$vmlinux" >"$tmp/packed"
	"$kreloc" check --vmlinux="$tmp/packed" --kallsyms="$kallsyms"
}

# Debian's is packed with lz4, and what is in it has a build-id, but no symbols
boot_image() {
	"$kreloc" check --vmlinux="$image" --kallsyms="$kallsyms" 2>"$tmp/err" && return 1
	grep "is a bzImage.*has no symbol table.*build-id $build_id" "$tmp/err"
}

# The kernel's memory, as the guest saved it, in place of this machine's
code() {
	local root=$tmp/root

	mkdir -p "$root/proc/sys/kernel" "$root/sys/kernel"
	ln -s "$(realpath "$files")"/kcore "$root/proc/kcore"
	ln -s "$(realpath "$files")"/kallsyms "$root/proc/kallsyms"
	ln -s "$(realpath "$files")"/notes "$root/sys/kernel/notes"
	echo $arch >"$root/proc/sys/kernel/arch"
	KRELOC_ROOT=$root "$kreloc" check --vmlinux="$vmlinux" --kcore >"$tmp/out"
	grep -x 'code: same' "$tmp/out"
	grep -x 'code-strange: [0-3]' "$tmp/out"
}

echo "TAP version 13"
t "the tables match in both directions" match
offset=$(sed -n 's/^offset: //p' "$tmp/out")
build_id=$(sed -n 's/^build-id: //p' "$tmp/out")
t "at the given offset, too" verdict 0 match "$kallsyms" --offset="$offset"
t "in any order" shuffled
t "fault: one symbol is moved" fault 1 differs \
	'$3 == "vfs_read" { $1 = add($1, 16) } { print }' '^moved: vfs_read is off by [+]0x10,'
t "fault: one has another name" fault 1 differs \
	'{ sub(/ vfs_read$/, " vfs_read_it") } { print }' '^renamed: vfs_read is vfs_read_it,'
t "fault: one is missing" fault 1 differs '$3 != "vfs_read"' '^missing: vfs_read is missing'
t "fault: one is too many" fault 1 differs \
	'{ print } $3 == "vfs_read" { print add($1, 4), "t", "surprise" }' '^extra: surprise is extra'
t "fault: two have changed places" fault 1 differs \
	'$3 == "vfs_read" { $3 = "vfs_write" } $3 == "vfs_write" && !done { done = 1; print; next }
	$3 == "vfs_write" { $3 = "vfs_read" } { print }' '^moved: vfs_read .*the place of vfs_write'
t "fault: every address is 8 too high" fault 1 shifted \
	'NF == 3 { $1 = add($1, 8) } { print }' 'every address is off by [+]0x8'
t "fault: zeros" fault 3 hidden '{ sub(/^[0-9a-f]*/, "0000000000000000"); print }' 'are hidden'
t "fault: the end is missing" fault 1 truncated 'NR < '$many 'is truncated: [0-9]+ symbols'
t "fault: the anchor alone is elsewhere" fault 1 differs \
	'$3 ~ /^_s?text$/ { $1 = add($1, 2097152) } { print }' '^moved: _s?text is off by [+]0x200000'
t "fault: another offset" fault 1 relocated \
	'NF == 3 && $1 !~ /^00000000/ { $1 = add($1, 2097152) } { print }' \
	'relocated by [+]0x200000 from there' --offset="$offset"
t "fault: another kernel, a multiple of a page away" other_kernel
t "fault: another build-id" other_machine
case $arch in
ppc64*)
	# ELFv1 has none: what goes by a function's name there is its descriptor
	grep -q ' \.vfs_read$' "$kallsyms" || t "fault: local entry points" local_entries
	t "the running kernel's code is that of vmlinux" code
	;;
x86_64)
	t "fault: every function is 4 too high" behind_endbr
	# Since 6.15 they are addresses as all others
	! grep -q '^00000000.* __per_cpu_start$' "$kallsyms" || [ $((offset)) -eq 0 ] ||
		t "fault: per-CPU symbols were moved" fault 1 percpu \
		'NF == 3 && $1 ~ /^00000000/ { $1 = add($1, '$((offset))') } { print }' \
		'per-CPU symbols were moved'
	t "a bzImage has no symbols, but a build-id" boot_image
	;;
esac
t "every symbol is found at its address" round_trip
t "and from its link address back" back
t "vmlinux.zst" packed zstd -q
t "vmlinux.xz" packed xz -0
tap_end
