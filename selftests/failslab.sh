#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Each allocation of loading and of reading fails once, on a kernel that can be told so:
# CONFIG_FAULT_INJECTION_DEBUG_FS, CONFIG_FAILSLAB and CONFIG_FAIL_PAGE_ALLOC.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

DEBUG=/sys/kernel/debug

# Also those that may wait, of any size; and not a backtrace for each
all_can_fail() {
	for kind in failslab fail_page_alloc; do
		echo 0 > $DEBUG/$kind/verbose || return
		echo N > $DEBUG/$kind/ignore-gfp-wait || return
	done
	echo N > $DEBUG/fail_page_alloc/ignore-gfp-highmem || return
	echo 0 > $DEBUG/fail_page_alloc/min-order
}

# Where each is and of what kind; what follows can change. The kernel may have some of its own.
probes() {
	awk '{ print $1, $2, $3 }' $DEBUG/kprobes/list
}

no_probe() {
	is "$(probes)" "$probes_before"
}

need_module
for kind in failslab fail_page_alloc; do
	[ -d $DEBUG/$kind ] || skip_all "the kernel has no $kind"
done
module=$(module_file)
[ -e "$module" ] || skip_all "no file of the module"
unload
probes_before=$(probes)

plan 3
t "all allocations can fail" all_can_fail
t_says "one by one they do" "$here/faults" "$module" $SYS $DEBUGFS
t "no probe is left" no_probe
finish
