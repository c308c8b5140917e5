#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches the vmlinux of another point release of a kernel that get-kernel.sh
# knows: of the same series, flavour and suite, the newest that is not the same.
# It is much like that kernel, and not that kernel. A download of 300 MB.
#
# Usage: qemu/get-neighbour.sh ARCH SERIES
#
# Prints the directory, ${KRELOC_CACHE:-.cache}/neighbours/ARCH-SERIES, with
#   vmlinux release
# Exit status: 0; 1 on failure; 4 if the suite has only the one.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

[ $# -eq 2 ] || bad_usage "which kernel?"
arch=$1 series=$2
read -r _ _ debarch suite metapackage symbols < <(grep "^$arch *$series " "$qemu/kernels") ||
	die "no line for $arch $series in qemu/kernels"
out=$cache/neighbours/$arch-$series
kernel=$("$qemu/get-kernel.sh" "$arch" "$series")
release=$(cat "$kernel/release")

# others: packages with the vmlinux of the same flavour of this series, oldest first
others() {
	local flavour name=$symbols

	flavour=$(sed -E 's/^[0-9.]+(-[0-9]+)?[^-]*//' <<<"$release")
	[ "$name" != image ] || name=linux-image-%
	in_suite "$suite" "$debarch" apt-cache pkgnames "linux-image-$series" |
		grep -E "^${name/\%/${series//./\\.}[0-9.]*(-[0-9]+)?[^-]*${flavour}}\$" |
		grep -vxF "${name/\%/$release}" | sort -V
}

# get_vmlinux PACKAGE DIR
get_vmlinux() {
	local other=${1#linux-image-} members

	other=${other%-dbg}
	fetch "$suite" "$debarch" "$1" "$(field "$suite" "$debarch" "$1" Version)"
	members=("./usr/lib/debug/boot/vmlinux-$other"
		"./usr/lib/debug/lib/modules/$other/vmlinux")
	[ "$symbols" != image ] || members=("./boot/vmlinux-$other")
	mkdir -p "$2"
	unpack_one "$2/full" "${members[@]}"
	objcopy --strip-debug --remove-section='.rela*' "$2/full" "$2/vmlinux" 2>/dev/null ||
		mv "$2/full" "$2/vmlinux"
	rm -f "$2/full"
	echo "$other" >"$2/release"
}

if [ ! -e "$out/release" ] || [ "$(cat "$out/release")" = "$release" ]; then
	lock_cache
	open_suite "$suite" "$debarch" "$metapackage"
	package=$(others | tail -n 1)
	[ "$package" ] || {
		say "suite $suite has no other $series for $arch"
		exit 4
	}
	rm -rf "$out.new"
	get_vmlinux "$package" "$out.new"
	rm -rf "$out"
	mv "$out.new" "$out"
	drop_packages
fi
echo "$out"
