#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# debugfs: the same values as in sysfs, the witnesses as they are now, and the same people who may
# read them. note_liar.ko changes the running kernel's VMCOREINFO note and puts it back.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

USER=1000
CAP_SYSLOG=34

# Exit statuses of open-as
OPEN_EPERM=11
OPEN_EACCES=23

case $(uname -m) in
x86_64) other=kallsyms ;;
*) other=kernstart_addr ;;
esac

# gives STATUS ARGUMENT…: open-as with these arguments, on both files, exits so
gives() {
	want=$1
	shift
	for file in summary boot_params; do
		args=
		for arg; do
			[ "$arg" != FILE ] || arg=$DEBUGFS/$file
			args="$args $arg"
		done
		# shellcheck disable=SC2086 # words are meant
		"$here/open-as" $args > "$work/got" 2> /dev/null
		is $? "$want" || say "$file: open-as$args" || return
		[ "$want" = 0 ] || [ ! -s "$work/got" ] || say "$file: something got out" || return
	done
}

modes() {
	for file in summary boot_params; do
		is "$(stat -c '%a %u %g' $DEBUGFS/$file)" "400 0 0" || return
	done
	is "$(find $DEBUGFS -type f | wc -l)" 2
}

summary_is_sysfs() {
	for file in "$SYS"/*; do
		name=${file##*/}
		[ -f "$file" ] || continue
		[ "$name" != abi ] || continue
		is "$(sed -n "s/^$name: //p" $DEBUGFS/summary)" "$(cat "$file")" || return
	done
}

witnesses_agree() {
	for name in ${KRELOC_SOURCES:-$other vmcoreinfo}; do
		grep -qx "witness $name: $(value text) agrees" $DEBUGFS/summary ||
			say "$name: $(cat $DEBUGFS/summary)" || return
	done
	# to a kernel that Xen paravirtualizes the note's address means nothing
	[ "$(cat /sys/hypervisor/guest_type 2> /dev/null)" != PV ] ||
		grep -qx "witness vmcoreinfo: unknown (-95)" $DEBUGFS/summary ||
		say "$(cat $DEBUGFS/summary)" || return
	# only a kernel that has kreloc built in can ask the symbol itself
	grep -qx "witness linked: unknown (-2)" $DEBUGFS/summary
}

# told LIE PATTERN: with such a note, the summary says this of it; all else stays
told() {
	value text > "$work/text"
	insmod "$NOTE_LIAR_KO" lie="$1" || return
	cat $DEBUGFS/summary > "$work/got"
	rmmod note_liar
	grep -q "^witness vmcoreinfo: $2\$" "$work/got" || say "$(cat "$work/got")" || return
	grep -qx "text: $(cat "$work/text")" "$work/got" || say "$(cat "$work/got")"
}

# Every line of every file is a row
table_is_sysfs() {
	for file in "$SYS"/boot_params/*; do
		name=${file##*/}
		[ "$name" != data ] || continue
		sed -n "s/^\([0-9a-f]\{3\}\|  -\) $name: //p" $DEBUGFS/boot_params > "$work/got"
		if grep -q . "$file"; then
			cmp "$file" "$work/got" || say "$name" || return
		else
			# an empty list is a row without a line
			is "$(cat "$work/got")" "" || say "$name" || return
			is "$(wc -l < "$work/got")" 1 || say "$name" || return
		fi
	done
}

# The structure is shown in its order, from its beginning
table_is_in_order() {
	sed -n 's/^\([0-9a-f]\{3\}\) .*/\1/p' $DEBUGFS/boot_params > "$work/got"
	is "$(head -n 1 "$work/got")" 000 || return
	sort "$work/got" | cmp - "$work/got"
}

whole_chosen() {
	for file in /proc/device-tree/chosen/*; do
		# what the kernel itself put there, or dtc-like tools derive
		case ${file##*/} in
		name | linux,kernel-end | linux,crashkernel-* | linux,memory-limit) continue ;;
		esac
		[ -f "$file" ] || continue
		grep -q "^  - chosen: ${file##*/}\( =.*\)\?\$" $DEBUGFS/boot_params ||
			say "$file" || return
	done
}

busy() {
	! rmmod kreloc 2> /dev/null || say "unloaded" || return
	grep -qx "text: $(value text)" $DEBUGFS/summary
}

need_module
[ -d $DEBUGFS ] || skip_all "no debugfs"
kptr=$(cat /proc/sys/kernel/kptr_restrict)
sysctl_kptr 1
work=$(mktemp -d)

plan 21
t "two files, 0400" modes
t "summary has the values of sysfs" summary_is_sysfs
t "summary: the witnesses agree" witnesses_agree
if [ -e "${NOTE_LIAR_KO:-}" ]; then
	t "summary: a note that lies now disagrees" told shifted "0x[0-9a-f]* disagrees"
	t "summary: a note that is out of range is impossible" told low "0x[0-9a-f]* impossible"
	t "summary: a note without the symbol" told missing "unknown (-2)"
	t "summary: a damaged note" told garbage "unknown (-22)"
else
	for test in shifted low missing garbage; do
		skip "summary: a note that lies: $test" "NOTE_LIAR_KO is not set"
	done
fi
t "boot_params has the rows of sysfs" table_is_sysfs
t "boot_params is in the order of the structure" table_is_in_order
t "boot_params has all of /chosen, where there is one" whole_chosen
t "root reads" gives 0 FILE
t "root without CAP_SYSLOG cannot open" gives $OPEN_EPERM drop=$CAP_SYSLOG FILE
t "a user cannot open" gives $OPEN_EACCES uid=$USER FILE
t "root of a user namespace cannot open" gives $OPEN_EPERM userns FILE
t "the opener counts: read without CAP_SYSLOG" gives 0 FILE drop=$CAP_SYSLOG
sysctl_kptr 2
t "kptr_restrict=2: nobody" gives $OPEN_EPERM FILE
sysctl_kptr 1
exec 3< $DEBUGFS/summary
sysctl_kptr 2
t "kptr_restrict=2 while it is open: not read" sh -c "! cat <&3"
exec 3<&-
reload gid=4242 ignore_kptr_restrict=1
t "ignore_kptr_restrict=1: root reads" gives 0 FILE
t "gid= does not open debugfs" gives $OPEN_EACCES group=4242 uid=$USER FILE
sysctl_kptr "$kptr"
exec 3< $DEBUGFS/summary
t "an open file keeps the module" busy
exec 3<&-
t "a closed one does not" unload
rm -r "$work"
finish
