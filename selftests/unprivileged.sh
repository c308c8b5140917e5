#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What somebody without privileges can find out: not where the kernel is, whichever file of the
# system they read, while the module is loaded as little as before.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

USER=1000
ENOUGH=1000

# found WHERE ACTION…: the files in which somebody finds the address or the offset
found() {
	list=$work/$1
	shift
	echo "$secrets" | "$here/open-as" "$@" exec "$here/search" /sys /proc /dev /tmp \
		2> "$list.read" | sed 's,/[0-9][0-9]*/,/N/,g' > "$list"
}

# nothing_new NAME ACTION…
nothing_new() {
	name=$1
	shift
	found "$name-after" "$@" || return
	! grep -vxFf "$work/$name-before" "$work/$name-after" || return
	read_enough "$name-after"
}

# The search would find nothing if it read nothing
read_enough() {
	read -r _ files _ < "$work/$1.read"
	[ "$files" -gt $ENOUGH ] || say "only $files files were read"
}

root_finds() {
	echo "$secrets" | "$here/search" $SYS $DEBUGFS /proc/kallsyms > "$work/root" 2> /dev/null
	for file in $SYS/text $SYS/offset $DEBUGFS/summary; do
		grep -qx "$file" "$work/root" || say "not in $file" || return
	done
}

# It is in the environment of all that is run here
unset KRELOC_EXPECT
need_module
secrets="$(value text) $(value offset)"
[ $(($(value offset))) -ne 0 ] || skip_all "offset is 0, and everybody knows the link address"
work=$(mktemp -d)
chmod 700 "$work"
plan 4
# Where the kernel itself hides the least
sysctl_kptr 0
unload
found user-before uid=$USER
found root-before uid=$USER userns
containers=no
if "$here/open-as" uid=$USER container exec /bin/true 2> /dev/null; then
	containers=yes
	found container-before uid=$USER container
fi
load
t "a user finds nothing new" nothing_new user uid=$USER
t "nor as root of a user namespace" nothing_new root uid=$USER userns
if [ $containers = yes ]; then
	t "nor in new namespaces of all kinds" nothing_new container uid=$USER container
else
	skip "nor in new namespaces of all kinds" "this kernel does not have all kinds"
fi
t "root finds it" root_finds
rm -r "$work"
finish
