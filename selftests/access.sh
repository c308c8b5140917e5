#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Who may read the addresses: the opener's CAP_SYSLOG, the group gid=, and kptr_restrict.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

USER=1000
GROUP=4242
CAP_SYSLOG=34

# Exit statuses of open-as
OPEN_EACCES=23
READ_EPERM=129

SECRET="text offset phys_text boot_params/version"
PUBLIC="abi anchor link_text sources"
# which takes a symbol table
[ ! -e /proc/kallsyms ] || PUBLIC="$PUBLIC text_size"

# gives STATUS ARGUMENT…: open-as with these arguments, on every secret file, exits so. A refusal
# must not print anything; an answer must be an address. FILE stands for the file.
gives() {
	want=$1
	shift
	for file in $SECRET; do
		args=
		for arg; do
			[ "$arg" != FILE ] || arg=$SYS/$file
			args="$args $arg"
		done
		# shellcheck disable=SC2086 # words are meant
		got=$("$here/open-as" $args 2> /dev/null)
		status=$?
		is $status "$want" || say "$file: open-as$args" || return
		if [ "$want" = 0 ]; then
			is "$got" "$(remembered $file)" || say "$file" || return
		else
			is "$got" "" || return
		fi
	done
}

# What the files hold, read before any test: the module may not answer later
remember() {
	for file in $SECRET; do
		eval "true_${file#*/}=\$(value $file)"
	done
}

remembered() {
	eval "echo \"\$true_${1#*/}\""
}

# data_gives STATUS ARGUMENT…: the same of the one file that is no text
data_gives() {
	want=$1
	shift
	"$here/open-as" "$@" $SYS/boot_params/data > "$work/got" 2> /dev/null
	is $? "$want" || return
	if [ "$want" = 0 ]; then
		cmp "$work/got" $SYS/boot_params/data
	else
		cmp "$work/got" /dev/null
	fi
}

modes() {
	for file in $SECRET $(cd $SYS && echo boot_params/*); do
		is "$(stat -c '%a %u %g' $SYS/$file)" "$1" || say "$file" || return
	done
	for file in $PUBLIC; do
		is "$(stat -c '%a %u %g' $SYS/$file)" "444 0 0" || return
	done
}

anyone_reads_public() {
	for file in $PUBLIC; do
		"$here/open-as" uid=$USER $SYS/$file > /dev/null || return
	done
}

nothing_else() {
	# shellcheck disable=SC2086 # words are meant
	is "$(cd $SYS && find . -type f | sed 's|^./||' | grep -v ^boot_params/. | sort | xargs)" \
		"$(printf '%s\n' $SECRET $PUBLIC | grep -v ^boot_params/. | sort | xargs)"
}

need_module
kptr=$(cat /proc/sys/kernel/kptr_restrict)
sysctl_kptr 1
work=$(mktemp -d)
remember

plan 28
t "no other files" nothing_else
t "modes are 0400 and 0444" modes "400 0 0"
t "anyone reads the others" anyone_reads_public
t "root reads" gives 0 FILE
t "root without CAP_SYSLOG does not" gives $READ_EPERM drop=$CAP_SYSLOG FILE
t "a user cannot open" gives $OPEN_EACCES uid=$USER FILE
t "root of a user namespace does not" gives $READ_EPERM userns FILE
t "a user's namespace root cannot open" gives $OPEN_EACCES uid=$USER userns FILE
t "the opener counts: opened as root, read as user" gives 0 FILE uid=$USER
t "the opener counts: opened as root, read without CAP_SYSLOG" gives 0 FILE drop=$CAP_SYSLOG
t "boot_params/data: root reads" data_gives 0
t "boot_params/data: root without CAP_SYSLOG does not" data_gives $READ_EPERM drop=$CAP_SYSLOG
t "the group means nothing without gid=" gives $READ_EPERM group=$GROUP drop=$CAP_SYSLOG FILE
sysctl_kptr 0
t "kptr_restrict=0: root reads" gives 0 FILE
t "kptr_restrict=0: root without CAP_SYSLOG does not" gives $READ_EPERM drop=$CAP_SYSLOG FILE
t "kptr_restrict=0: a user cannot open" gives $OPEN_EACCES uid=$USER FILE
sysctl_kptr 2
t "kptr_restrict=2: nobody" gives $READ_EPERM FILE
t "kptr_restrict=2: nobody, also not by an open file" gives $READ_EPERM FILE uid=$USER

sysctl_kptr 1
reload gid=$GROUP
t "gid=: modes are 0440 for that group" modes "440 0 $GROUP"
t "gid=: a member reads" gives 0 group=$GROUP uid=$USER FILE
t "gid=: a member reads boot_params/data" data_gives 0 group=$GROUP uid=$USER
t "gid=: another user cannot open" gives $OPEN_EACCES group=4243 uid=$USER FILE
t "gid=: who passes the modes by capability alone does not" \
	gives $READ_EPERM drop=$CAP_SYSLOG FILE
sysctl_kptr 2
t "gid=, kptr_restrict=2: a member does not" gives $READ_EPERM group=$GROUP uid=$USER FILE

reload gid=$GROUP ignore_kptr_restrict=1
t "ignore_kptr_restrict=1: root reads at 2" gives 0 FILE
t "ignore_kptr_restrict=1: a member reads at 2" gives 0 group=$GROUP uid=$USER FILE
t "ignore_kptr_restrict=1: root without CAP_SYSLOG does not" \
	gives $READ_EPERM drop=$CAP_SYSLOG FILE
t "ignore_kptr_restrict=1: another user cannot open" gives $OPEN_EACCES uid=$USER FILE

sysctl_kptr "$kptr"
rm -r "$work"
finish
