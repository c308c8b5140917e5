#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# lockdown=confidentiality refuses everybody, a group and ignore_kptr_restrict notwithstanding.
# There is no way back from lockdown, so this test goes last.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

LOCKDOWN=/sys/kernel/security/lockdown

refused() {
	for file in text offset phys_text boot_params/version boot_params/data; do
		"$here/open-as" "$@" $SYS/$file > /dev/null 2>&1
		is $? 129 || say "$file" || return
	done
}

# debugfs refuses whoever would open it
debugfs_refused() {
	[ -d $DEBUGFS ] || return 0
	for file in summary boot_params; do
		"$here/open-as" "$@" $DEBUGFS/$file > /dev/null 2>&1
		is $? 11 || say "$file" || return
	done
}

debugfs_answers() {
	[ -d $DEBUGFS ] || return 0
	grep -qx "offset: $(value offset)" $DEBUGFS/summary
}

need_module
[ -w $LOCKDOWN ] || skip_all "no $LOCKDOWN"
sysctl_kptr 0
reload gid=4242 ignore_kptr_restrict=1

# It may be so from the kernel's command line on
if grep -qF '[confidentiality]' $LOCKDOWN; then
	plan 4
else
	plan 6
	grep -qF '[integrity]' $LOCKDOWN || echo integrity > $LOCKDOWN
	t "integrity: root reads" value offset
	t "integrity: debugfs answers" debugfs_answers
	echo confidentiality > $LOCKDOWN
fi
t "confidentiality: root does not" refused
t "confidentiality: a member does not" refused group=4242 uid=1000
t "confidentiality: debugfs does not open" debugfs_refused
t "the others can still be read" value link_text
finish
