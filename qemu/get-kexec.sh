#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches kexec-tools of Debian 12 for guests that start another kernel, or have one
# wait for a crash, with the libraries that it loads. A few megabytes.
#
# Usage: qemu/get-kexec.sh ARCH
#   ARCH  x86_64 or ppc64le
#
# Prints the directory, ${KRELOC_CACHE:-.cache}/kexec/ARCH, with
#   kexec vmcore-dmesg  to be run, wherever the directory is taken
#   bin/ lib/
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"
. "${0%/*}/program.sh"

# get_kexec DIR
get_kexec() {
	local name

	rm -rf "$1.new"
	mkdir -p "$1.new"
	open_suite "$suite" "$debarch" kexec-tools
	unpack_closure "$1.new/root" "$suite" kexec-tools ./sbin/kexec ./sbin/vmcore-dmesg
	for name in kexec vmcore-dmesg; do
		collect "$1.new/root" "$1.new" "$1.new/root/sbin/$name" $name
	done
	rm -rf "$1.new/root"
	rm -rf "$1"
	mv "$1.new" "$1"
}

[ $# -eq 1 ] || bad_usage "for which architecture?"
suite=bookworm
debian_arch "$1"
out=$cache/kexec/$1
if [ ! -d "$out" ]; then
	lock_cache
	[ -d "$out" ] || get_kexec "$out"
	drop_packages
fi
echo "$out"
