#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# A kernel with kreloc built in, which knows where it is by the symbol itself and asks the others
# all the same.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

case $(uname -m) in
x86_64) other=kallsyms ;;
*) other=kernstart_addr ;;
esac

witnesses_agree() {
	[ -d $DEBUGFS ] || return 0
	for name in linked $other vmcoreinfo; do
		grep -qx "witness $name: $(value text) agrees" $DEBUGFS/summary ||
			say "$name: $(cat $DEBUGFS/summary)" || return
	done
}

# Other modules are told: what kreloc_offset() said is in the parameter of one that asks
exported() {
	insmod "$EXPORT_USER_KO" || return
	told=$(printf '0x%016x' "$(cat /sys/module/export_user/parameters/offset)")
	rmmod export_user
	is "$told" "$(value offset)"
}

silent() {
	! dmesg | grep kreloc: || say "it has nothing to say"
}

need_root
built_in || skip_all "kreloc is not built in"

plan 4
t "it knows by the symbol, and by the others" is "$(value sources)" "linked $other vmcoreinfo"
t "summary: the witnesses agree" witnesses_agree
if [ -e "${EXPORT_USER_KO:-}" ]; then
	t "kreloc_offset() tells other modules" exported
else
	skip "kreloc_offset() tells other modules" "EXPORT_USER_KO is not set"
fi
t "silent when all is well" silent
finish
