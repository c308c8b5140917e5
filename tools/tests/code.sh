# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Kernels made up around the addresses of a recording, and what is inferred from the two.

craft_code=${objects:?}/tests/craft-code
craft_elf=$objects/tests/craft-elf

# inferred OFFSET [FILE [OPTION…]]
inferred() {
	local offset=$1 file=${2-samples}

	shift $(($# < 2 ? $# : 2))
	run 0 "$kreloc" infer --vmlinux=vmlinux "$@" "$file"
	says out "offset: $offset"
	says out "source: inferred"
	silent err
}

# addresses_of FILE: the distinct kernel addresses that perf sees in it
addresses_of() {
	perf --version >/dev/null 2>&1 || skip "no perf"
	chown "$(id -u)" "$1"
	perf script -i "$1" -F ip 2>/dev/null | awk '$1 ~ /^ffffffff[89ab]/ { print $1 }' | sort -u
}

# around FILE [DISTANCE]: a vmlinux whose code the addresses of a recording fit, so far from where
# they are, and hardly fit anywhere else
around() {
	addresses_of "$1" >given
	code_at "${2-0}" <given
}

# code_at DISTANCE: the same for addresses from standard input
code_at() {
	local address

	{
		echo "arch x86_64"
		echo "build-id ${other_build_id-$build_id}"
		echo "section .text ffffffff81000000 $(printf %x "$text_size") x"
		echo "symbol _text ffffffff81000000 0 notype global .text"
		echo "symbol _etext $(printf %x $((link + text_size))) 0 notype global .text"
		while read -r address; do
			echo $((0x$address - text + $1))
		done | awk -v size="$text_size" '$1 >= 0 && $1 < size' |
			"$craft_code" around "$text_size"
	} >description
	"$craft_elf" vmlinux <description
}
