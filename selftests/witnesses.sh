#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The witnesses: which ones there are, and what happens where one is silent or lies. note_liar.ko
# changes the running kernel's VMCOREINFO note and puts it back when it is unloaded.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

case $(uname -m) in
x86_64) other=kallsyms ;;
*) other=kernstart_addr ;;
esac

# sources_with LIE WANT: the module loads, says so, and has the right offset all the same
sources_with() {
	insmod "$NOTE_LIAR_KO" lie="$1" || return
	load
	status=$?
	sources=$(value sources)
	text=$(value text)
	unload
	rmmod note_liar
	is $status 0 && is "$sources" "$2" && is "$text" "$truth"
}

refused_with() {
	insmod "$NOTE_LIAR_KO" lie="$1" || return
	dmesg_mark
	error=$(load 2>&1)
	status=$?
	! [ -e $SYS ] || say "$SYS is there"
	left=$?
	unload
	rmmod note_liar
	[ $status -ne 0 ] || say "loaded: $error" || return
	is $left 0 || return
	dmesg_since | grep -q "kreloc: witnesses $other and vmcoreinfo disagree" ||
		say "dmesg: $(dmesg_since)"
}

need_module
truth=$(value text)

plan 5
if [ -n "${KRELOC_SOURCES:-}" ]; then
	t "the only witness" is "$(value sources)" "$KRELOC_SOURCES"
else
	t "both witnesses agree" is "$(value sources)" "$other vmcoreinfo"
fi
unload
if [ -e "${NOTE_LIAR_KO:-}" ]; then
	t "a note without the symbol is no witness" sources_with missing $other
	t "a note with a damaged value is no witness" sources_with garbage $other
	t "a note that is none is no witness" sources_with name $other
	t "a note that disagrees: the load is refused" refused_with shifted
else
	for test in missing garbage name shifted; do
		skip "a note that lies: $test" "NOTE_LIAR_KO is not set"
	done
fi
finish
