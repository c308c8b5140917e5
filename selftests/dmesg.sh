#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# No address reaches dmesg: not on load, not when it fails, not when a read is refused. And when
# all is well nothing does.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

quiet() {
	dmesg_mark
	load && find $SYS -type f -exec cat {} + > /dev/null &&
		"$here/open-as" drop=34 $SYS/offset > /dev/null 2>&1
	unload
	said=$(dmesg_since | grep -v 'module verification failed\|loading out-of-tree module')
	is "$said" ""
}

# The messages of a load that fails, by the second witness or a bad parameter
no_address() {
	dmesg_mark
	if [ -e "${NOTE_LIAR_KO:-}" ]; then
		insmod "$NOTE_LIAR_KO" lie=shifted
		! load 2> /dev/null || say "loaded" || return
		rmmod note_liar
	fi
	! load gid=wheel 2> /dev/null || say "loaded" || return
	said=$(dmesg_since)
	[ -n "$said" ] || say "no message at all" || return
	# Whatever its base, and also the hash that %p prints
	! echo "$said" | grep -E '[0-9a-f]{8}'
}

need_module
unload

plan 2
t "silent when all is well" quiet
t "a failed load gives no address away" no_address
finish
