#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds a small kernel from Debian's 6.1 source with kreloc in its tree, as
# drivers/misc/kreloc: built in, or as a module. The tree (1.5 GB unpacked) and the
# objects stay in the cache, so that a second build only makes what has changed.
#
# Usage: qemu/build-kernel.sh ARCH y|m
#
# Prints the directory, build/in-tree/ARCH-y or -m, which has what get-kernel.sh's
# have (but headers), and the selftests' modules; with m kreloc.ko as well.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"

series=6.1
tree=$cache/source/$series/tree

# unpack_tree: once
unpack_tree() {
	[ ! -d "$tree" ] || return 0
	say "unpacking the kernel's source"
	rm -rf "$tree.new"
	mkdir -p "$tree.new"
	# any file of it will do to get the tarball
	tar -xf "$("$qemu/get-source.sh" $series README)/linux.tar.xz" -C "$tree.new" \
		--strip-components=1
	echo 'obj-y += kreloc/' >>"$tree.new/drivers/misc/Makefile"
	sed -i '/^endmenu/i source "drivers/misc/kreloc/module/Kconfig"' \
		"$tree.new/drivers/misc/Kconfig"
	mv "$tree.new" "$tree"
}

# plant_kreloc: as one would who copies it into a tree; times stay, for make
plant_kreloc() {
	local where=$tree/drivers/misc/kreloc

	rm -rf "$where"
	mkdir -p "$where"
	cp -pR "$top/Kbuild" "$top/module" "$where/"
	rm -rf "$where/module/tests"
}

kernel_make() {
	local karch=x86

	[ "$arch" != ppc64le ] || karch=powerpc
	nice make -s -j"$(nproc)" -C "$tree" O="$objects" ARCH=$karch \
		CROSS_COMPILE="$(cross "$arch")" "$@" >&2
}

# configure: tinyconfig and the fragments; what the kernel would not have is an
# error. A configuration that stays the same makes nothing again.
configure() {
	local fragments=("$qemu/config/kernel.config" "$qemu/config/$arch.config") line

	kernel_make tinyconfig 2>/dev/null
	cat "${fragments[@]}" - <<<"CONFIG_KRELOC=$how" >>"$objects/.config"
	# of a symbol that is set twice, the last counts
	kernel_make olddefconfig 2>/dev/null
	while read -r line; do
		grep -qx "$line" "$objects/.config" || die "$line does not hold for $arch"
	done < <(grep -h '^CONFIG' "${fragments[@]}"; echo "CONFIG_KRELOC=$how")
}

# build_test_modules: outside the tree, against what it exports
build_test_modules() {
	local module

	mkdir -p "$out/src"
	cp -pR "$top/module" "$top/selftests" "$out/src/"
	for module in note_liar export_user; do
		kernel_make M="$out/src/selftests/$module" modules
		cp "$out/src/selftests/$module"/*.ko "$out/"
	done
}

[ $# -eq 2 ] || bad_usage "which kernel?"
arch=$1 how=$2
out=$build/in-tree/$arch-$how objects=$cache/built/$arch
base=$("$qemu/get-kernel.sh" "$arch" $series)

exec 8>"$cache/built.lock"
flock 8
unpack_tree
plant_kreloc
mkdir -p "$objects"
configure
say "building a kernel for $arch with CONFIG_KRELOC=$how"
rm -rf "$out"
mkdir -p "$out/modules"
case $arch in
x86_64)
	kernel_make bzImage modules
	cp "$objects/arch/x86/boot/bzImage" "$out/image"
	;;
ppc64le)
	kernel_make vmlinux modules
	cp "$objects/vmlinux" "$out/image"
	;;
esac
cp "$objects/vmlinux" "$objects/.config" "$base/busybox" "$out/"
mv "$out/.config" "$out/config"
cp "$objects/include/config/kernel.release" "$out/release"
find "$objects/drivers" -name 'virtio*.ko' -exec cp {} "$out/modules/" \;
[ "$how" = y ] || cp "$objects/drivers/misc/kreloc/module/kreloc.ko" "$out/"
build_test_modules
echo "$out"
