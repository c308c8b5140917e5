#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches a Debian kernel and all that it takes to boot it and to build modules
# for it, without root and without installing anything. The result is put together
# beside its place and renamed, so a kill leaves nothing half done.
#
# Usage: qemu/get-kernel.sh ARCH SERIES [--vmlinux|--dwarf]
#   ARCH SERIES  a line of qemu/kernels, such as "x86_64 6.1"
#   --vmlinux    the symbol table too (x86_64: a download of 283 MB)
#   --dwarf      and with all debugging information (x86_64 only)
#
# Prints the directory, ${KRELOC_CACHE:-.cache}/kernels/ARCH-SERIES, with
#   release config image  what to boot
#   busybox modules/      the userspace and the drivers of the guest
#   kdir/                 for make -C …/kdir M=… modules
#   vmlinux               symbols, text and build-id, no DWARF
#   vmlinux.dwarf         the same with it
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

# find_release: set release and version from what the metapackage depends on
find_release() {
	open_suite "$suite" "$debarch" "$metapackage"
	version=$(field "$suite" "$debarch" "$metapackage" Version)
	release=$(field "$suite" "$debarch" "$metapackage" Depends |
		sed -nE 's/.*linux-image-([^ ,]+) \(= .*/\1/p')
	[ -n "$release" ] || die "$metapackage of suite $suite depends on no kernel"
}

# image_parts: "PACKAGE PATTERN…" for the image, its config and its modules. Since
# 7.2 each is a package of its own, and nothing is under /boot.
image_parts() {
	if field "$suite" "$debarch" "linux-image-$release" Depends |
		grep -qF "linux-binary-$release"; then
		echo "linux-binary-$release */vmlinu[xz]"
		echo "linux-base-$release */config"
		echo "linux-modules-$release */virtio*.ko*"
	else
		echo "linux-image-$release ./boot/vmlinu[xz]-* ./boot/config-* */virtio*.ko*"
	fi
}

# get_image DIR
get_image() {
	local part

	while read -ra part; do
		fetch "$suite" "$debarch" "${part[0]}" "$version"
		unpack "$1/root" "${part[@]:1}"
	done < <(image_parts)
	find "$1/root" -name 'vmlinu[xz]*' -exec mv {} "$1/image" \;
	find "$1/root" -name 'config*' -exec mv {} "$1/config" \;
	mkdir "$1/modules"
	find "$1/root" -name 'virtio*.ko*' -exec mv {} "$1/modules" \;
	rm -r "$1/root"
	find "$1/modules" -name '*.xz' -exec unxz {} +
}

# get_kdir DIR: the headers, with the common ones and the build tools that run
# on this machine, linked by relative paths so that the cache can move
get_kdir() {
	local headers=linux-headers-$release native depends common kbuild

	depends=$(field "$suite" "$debarch" "$headers" Depends)
	common=$(sed -nE 's/.*(linux-headers-[^ ,]+-common).*/\1/p' <<<"$depends")
	kbuild=$(sed -nE 's/.*(linux-kbuild-[^ ,]+).*/\1/p' <<<"$depends")
	native=$(dpkg --print-architecture)
	open_suite "$suite" "$native" "$kbuild"

	fetch "$suite" "$debarch" "$headers" "$version"
	unpack "$1/headers"
	fetch "$suite" "$debarch" "$common" "$version"
	unpack "$1/headers"
	fetch "$suite" "$native" "$kbuild" "$version"
	unpack "$1/headers"
	ln -s "headers/usr/src/$headers" "$1/kdir"
	sed -i "s,/usr/src/,../,g" "$1/kdir/Makefile"
}

# get_busybox DIR: of Debian 12 whatever the kernel, as not every suite has one
get_busybox() {
	local suite=bookworm

	open_suite "$suite" "$debarch" busybox-static
	fetch "$suite" "$debarch" busybox-static \
		"$(field "$suite" "$debarch" busybox-static Version)"
	unpack "$1/root" '*bin/busybox'
	find "$1/root" -name busybox -exec mv {} "$1/busybox" \;
	rm -r "$1/root"
}

# get_kernel DIR
get_kernel() {
	rm -rf "$1.new"
	mkdir -p "$1.new"
	echo "$release" >"$1.new/release"
	get_image "$1.new"
	get_kdir "$1.new"
	get_busybox "$1.new"
	[ "$symbols" != image ] || ln -s image "$1.new/vmlinux"
	rm -rf "$1"
	mv "$1.new" "$1"
}

# get_vmlinux DIR: which name is the file and which a link to it depends on the release
get_vmlinux() {
	fetch "$suite" "$debarch" "${symbols/\%/$release}" "$version"
	unpack_one "$1/vmlinux.full" "./usr/lib/debug/boot/vmlinux-$release" \
		"./usr/lib/debug/lib/modules/$release/vmlinux"
	objcopy --strip-debug --remove-section='.rela*' "$1/vmlinux.full" "$1/vmlinux.new"
	if [ -n "$want_dwarf" ]; then
		mv "$1/vmlinux.full" "$1/vmlinux.dwarf"
	else
		rm "$1/vmlinux.full"
	fi
	mv "$1/vmlinux.new" "$1/vmlinux"
}

complete() {
	[ -d "$out" ] && { [ -z "$want_vmlinux" ] || [ -e "$out/vmlinux" ]; } &&
		{ [ -z "$want_dwarf" ] || [ -e "$out/vmlinux.dwarf" ]; }
}

[ $# -ge 2 ] || bad_usage "which kernel?"
arch=$1 series=$2 want_vmlinux='' want_dwarf=''
case ${3-} in
'') ;;
--vmlinux) want_vmlinux=1 ;;
--dwarf) want_vmlinux=1 want_dwarf=1 ;;
*) bad_usage "unknown option $3" ;;
esac
read -r _ _ debarch suite metapackage symbols < <(grep "^$arch *$series " "$qemu/kernels") ||
	die "no line for $arch $series in qemu/kernels"
out=$cache/kernels/$arch-$series

complete || lock_cache
if ! complete; then
	find_release
	# The mirror may have moved on since the image was fetched
	[ "$(cat "$out/release" 2>/dev/null)" = "$release" ] || get_kernel "$out"
	complete || get_vmlinux "$out"
	drop_packages
fi
echo "$out"
