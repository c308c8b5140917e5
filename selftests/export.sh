#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# kreloc_offset(), which other modules may call: by two that do. export_user.ko needs it,
# optional_user.ko looks whether it is there.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

# told MODULE: what kreloc_offset() said to it, as 0x and 16 digits
told() {
	printf '0x%016x' "$(cat "/sys/module/$1/parameters/offset")"
}

needed() {
	if insmod "$EXPORT_USER_KO" 2> /dev/null; then
		rmmod export_user
		say "loaded without kreloc"
	fi
}

same_offset() {
	insmod "$EXPORT_USER_KO" || return
	is "$(told export_user)" "$(value offset)" || return
	is "$(awk '$1 == "kreloc" { print $4 }' /proc/modules)" export_user,
}

kept() {
	! rmmod kreloc 2> /dev/null || say "unloaded under its user" || return
	is "$(told export_user)" "$(value offset)" || return
	rmmod export_user
}

optional_without() {
	insmod "$OPTIONAL_USER_KO" || return
	said=$(cat /sys/module/optional_user/parameters/err)
	rmmod optional_user
	is "$said" -2
}

optional_with() {
	insmod "$OPTIONAL_USER_KO" || return
	is "$(cat /sys/module/optional_user/parameters/err)" 0 || return
	is "$(told optional_user)" "$(value offset)"
}

not_kept() {
	unload || return
	rmmod optional_user
}

need_module
[ -e "${EXPORT_USER_KO:-}" ] || skip_all "EXPORT_USER_KO is not set"
[ -e "${OPTIONAL_USER_KO:-}" ] || skip_all "OPTIONAL_USER_KO is not set"
unload

plan 7
t "a module that needs it does not load without" needed
load
t "and is told the offset" same_offset
t "and keeps kreloc" kept
t "kreloc unloads after it" unload
t "a module that can do without does" optional_without
load
t "and is told the offset" optional_with
t "and keeps nothing" not_kept
finish
