# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# trace.dat as kernelshark's library reads it. Not among the tests of each run: it takes libkshark2.

# A stamp changes nothing that it shows, and with names it shows those that trace-cmd has
kshark() {
	local kind=$1

	trace_machine
	dat "$kind"
	trace_vmlinux
	"$tests/kshark.py" "$kind.dat" >before
	grep -q '^ftrace/function 0x' before
	run 0 "$kreloc" stamp "$kind.dat"
	"$tests/kshark.py" "$kind.dat" >after
	cmp before after
	run 0 "$kreloc" strip "$kind.dat"
	run 0 "$kreloc" stamp --vmlinux=vmlinux "$kind.dat"
	"$tests/kshark.py" "$kind.dat" >after
	[ "$(wc -l <after)" -eq "$(wc -l <before)" ]
	trace-cmd report "$kind.dat" 2>/dev/null | awk '/function: / { print $NF }' | sort >want
	awk '$1 == "ftrace/function" { print $2 }' after | sort >have
	[ "$(grep -c '^vfs_' have)" -ge 40 ]
	cmp want have
}

for kind in blind-6 blind-7; do
	t "kernelshark: $kind" kshark $kind
done
