#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loading and unloading leave nothing behind, whether they succeed or fail.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

CYCLES=${KRELOC_CYCLES:-50}

nothing_left() {
	! [ -e $SYS ] || say "$SYS is still there" || return
	! [ -e $DEBUGFS ] || say "$DEBUGFS is still there" || return
	! loaded || say "the module is still loaded" || return
	! grep -q ' \[kreloc\]$' /proc/kallsyms || say "symbols of the module are still there"
}

cycles() {
	i=0
	while [ $i -lt $CYCLES ]; do
		load || return
		[ -s $SYS/abi ] || say "cycle $i: no $SYS/abi" || return
		unload || return
		nothing_left || return
		i=$((i + 1))
	done
}

twice() {
	load || return
	before=$(value text)
	if [ -n "${KRELOC_KO:-}" ] && load 2> /dev/null; then
		say "a second load succeeded"
		return
	fi
	is "$(value text)" "$before"
}

# The reader waits with the file open; once the module is gone it must get an error, not a value.
reader_outlives_it() {
	load || return
	exec 3< $SYS/offset || return
	unload || return
	if cat <&3 2> /dev/null; then
		exec 3<&-
		say "read something from a module that is gone"
		return
	fi
	exec 3<&-
	nothing_left
}

bad_parameter() {
	if load gid=wheel 2> /dev/null; then
		say "loaded with gid=wheel"
		return
	fi
	nothing_left
}

need_module
unload

plan 5
t "loads and unloads $CYCLES times" cycles
t "a second load fails and disturbs nothing" twice
unload
t "an open file outlives the module, without a value" reader_outlives_it
t "a bad parameter: the load fails" bad_parameter
t "a load that failed leaves nothing behind" nothing_left
finish
