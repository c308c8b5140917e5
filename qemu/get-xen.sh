#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches the Xen hypervisor of Debian 12, for a kernel to run under. A download of
# 3 MB.
#
# Usage: qemu/get-xen.sh
#
# Prints the file, ${KRELOC_CACHE:-.cache}/xen/xen, unpacked as QEMU wants it.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

[ $# -eq 0 ] || bad_usage "what is $1?"
out=$cache/xen suite=bookworm arch=amd64
if [ ! -e "$out/xen" ]; then
	lock_cache
	open_suite $suite $arch xen-system-amd64
	package=$(field $suite $arch xen-system-amd64 Depends |
		grep -o 'xen-hypervisor-[0-9.]*-amd64')
	fetch $suite $arch "$package" "$(field $suite $arch "$package" Version)"
	rm -rf "$out"
	unpack "$out/new" './boot/xen-*.gz'
	gzip -dc "$out"/new/boot/xen-*.gz >"$out/xen.new"
	rm -r "$out/new"
	mv "$out/xen.new" "$out/xen"
	drop_packages
fi
echo "$out/xen"
