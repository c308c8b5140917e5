#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check-consumers: the tools that kreloc is for, as their users work with them,
# in guests and against guests. Prints TAP, each part's own lines; the parts are in
# tests/consumers/.
#
# Usage: qemu/consumers.sh [NAME…]
#   NAME  run these alone: record gdb oops stap vmcore readers
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"
. "${0%/*}/tap.sh"

out=$build/consumers
# Where the tools are that need a newer system
# shellcheck disable=SC2034 # the parts use it
suite=trixie packages=systemtap,gcc-12,make,crash,python3-drgn,makedumpfile,trace-cmd,babeltrace2

# show FILE: what it looks like, as comments of the TAP
show() {
	sed 's/^/#   /' "$1"
}

# payload NAME KERNEL SCRIPT ARCH: one with the module and the program
payload() {
	local root=$out/$1/payload

	build_module "$4" "$2"
	new_payload "$root" "$3" "$2"
	cp "$top/selftests/lib.sh" "$root/test/"
	[ "$4" != "$(uname -m)" ] || add_program "$root" "$build/kreloc"
	echo "$root"
}

# guest NAME ARCH KERNEL [OPTION…]: what it reports counts as one result
guest() {
	"$qemu/guest.sh" --arch="$2" --kernel="$3" --payload="$out/$1/payload" \
		--out="$out/$1" --timeout=600 "${@:4}" && return
	cat "$out/$1/tap"
	return 1
}

[ $# -gt 0 ] || set -- record gdb oops stap vmcore readers
make -s -C "$top" tools >&2
mkdir -p "$out"
echo "TAP version 13"
for name; do
	[ -r "$qemu/tests/consumers/$name.sh" ] || bad_usage "no such part: $name"
	rm -rf "${out:?}/$name"
	mkdir -p "$out/$name"
	echo "# $name"
	# shellcheck source=/dev/null
	. "$qemu/tests/consumers/$name.sh"
done
tap_end
