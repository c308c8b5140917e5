#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Do the debug kernels of both architectures see each kind of mistake that they are
# built to see, and is that a failure of the guest, whatever its tests say? Prints TAP.
#
# Usage: qemu/tests/watchers.sh OUT
set -eu
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../cells.sh
. "${qemu:?}/cells.sh"
# shellcheck source=../tap.sh
. "$qemu/tap.sh"
out=$1

# guest DIR: booted as its cell of check.sh is
guest() {
	local dir=$1 status=0

	install -D "$qemu/guest/watchers" "$dir/payload/test/run"
	cp "${top:?}/selftests/lib.sh" "$kernel/faulty.ko" "$dir/payload/test/"
	"$qemu/guest.sh" --arch="$arch" --kernel="$kernel" --payload="$dir/payload" --out="$dir" \
		--append="${append[*]}" "${options[@]}" || status=$?
	grep -E '^ *(not )?ok|^ *#' "$dir/tap"
	[ $status -eq 1 ]
}

# all_seen DIR: each is a subtest that passed
all_seen() {
	grep -E '^ *(not )?ok' "$1/tap"
	[ "$(grep -cE '^ +ok [0-9]' "$1/tap")" -eq 9 ]
	! grep -E '^ +not ok' "$1/tap"
}

# told DIR: does the guest's own scan of its log and of its memory have it?
told() {
	local words

	grep -qx 'not ok 2 .*' "$1/tap"
	for words in 'suspicious RCU' 'BUG: sleeping' 'BUG: using' 'WARNING: .*__list_add_valid' 'UBSAN: ' \
		'circular locking' 'BUG: KASAN' 'BUG faulty' 'unreferenced object' 'lockdep has given up' \
		'tainted is'; do
		grep "^# .*$words" "$1/tap" || {
			echo "nothing like $words"
			return 1
		}
	done
}

echo "TAP version 13"
for arch in x86_64 ppc64le; do
	describe $arch-tree-debug
	"$qemu/build-kernel.sh" $arch debug >/dev/null
	rm -rf "${out:?}/$arch"
	t "$arch: a guest with mistakes fails" guest "$out/$arch"
	t "$arch: its kernel sees each mistake" all_seen "$out/$arch"
	t "$arch: all of it is among the guest's diagnostics" told "$out/$arch"
done
tap_end
