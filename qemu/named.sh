#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# How many of a recording's kernel samples does unmodified perf name on this
# machine, with nothing but the vmlinux, and how many of these names are right?
#
# Right is a symbol that kallsyms has where perf must have taken it to be: at the
# sample's address less the distance from it. (The last name up to the address
# would be wrong to ask for: symbols can lie within others.) A kernel lies within
# 4 GiB, so 32 bits do, as in any awk.
#
# Usage: qemu/named.sh RECORDING VMLINUX KALLSYMS
#
# Prints "SAMPLES NAMED RIGHT".
set -eu
perf script -k "$2" -i "$1" -G -F ip,sym,symoff 2>/dev/null | awk '
	function low(address, i, n) {
		for (i = length(address) - 7; i <= length(address); i++)
			n = n * 16 + index("123456789abcdef", substr(address, i, 1))
		return n
	}
	NR == FNR {
		known[$3, low($1)]
		if ($3 == "_stext")
			start = low($1)
		if ($3 == "_etext")
			end = low($1)
		next
	}
	$1 ~ /^(ffffffff|c0000000)/ && low($1) >= start && low($1) < end {
		samples++
		named += $2 != "[unknown]"
		split($2, symbol, /[+]0x/)
		right += (symbol[1], low($1) - low("00000000" symbol[2])) in known
	}
	END { print samples + 0, named + 0, right + 0 }' "$3" -
