#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The demo as a test: it compares every sample's symbol with the guest's own
# table itself, so all that is left is to report that as TAP.
#
# Usage: qemu/tests/demo.sh LOG
qemu=${0%/*}/..

echo "TAP version 13"
echo "1..1"
"$qemu/demo.sh" >"$1" 2>&1 || {
	tail -n 20 "$1" | sed 's/^/# /'
	printf 'not '
}
echo "ok 1 unmodified perf names every kernel sample of a stamped recording"
