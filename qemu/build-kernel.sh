#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds a small kernel from Debian's 6.1 source with kreloc in its tree, as
# drivers/misc/kreloc: built in, or as a module. The tree (1.5 GB unpacked) and the
# objects stay in the cache, so that a second build only makes what has changed.
#
# Usage: qemu/build-kernel.sh ARCH VARIANT
#   VARIANT  y: kreloc is built in; m: it is a module; or a module, for a kernel that
#            lacks something: nokprobes, nokallsyms, noinfo, blind, as in config/;
#            or debug, for one that checks itself; or elfv2, for a ppc64 one with the
#            other of its ABIs
#
# Prints the directory, build/in-tree/ARCH-VARIANT, which has what get-kernel.sh's
# have (but headers), kreloc.ko if it is a module, the selftests' modules, and the
# selftests as kselftest/, as the tree's own Makefile installs them.
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
	local where=$tree/drivers/misc/kreloc selftests=$tree/tools/testing/selftests/kreloc

	rm -rf "$where" "$selftests"
	mkdir -p "$where"
	cp -pR "$top/Kbuild" "$top/module" "$where/"
	rm -rf "$where/module/tests"
	cp -pR "$top/selftests" "$selftests"
	cp -pR "$top"/Documentation/ABI/testing/*-kreloc "$tree/Documentation/ABI/testing/"
}

kernel_make() {
	local karch=x86

	[[ $arch != ppc64* ]] || karch=powerpc
	nice make -s -j"$(nproc)" -C "$tree" O="$objects" ARCH=$karch \
		CROSS_COMPILE="$(cross "$arch")" "$@" >&2
}

# fragments: the configuration beyond tinyconfig. Of a symbol that is there twice,
# the last counts.
fragments() {
	local name

	for name in kernel "$arch" "$variant" "$arch-$variant"; do
		[ ! -e "$qemu/config/$name.config" ] || cat "$qemu/config/$name.config"
	done
	echo "CONFIG_KRELOC=$how"
}

# wanted: each symbol that the fragments set, as its last line has it
wanted() {
	fragments | awk '
		match($0, /^(# )?CONFIG_[A-Z0-9_]+(=| is not set$)/) {
			split(substr($0, index($0, "CONFIG_")), part, /[= ]/)
			last[part[1]] = $0
		}
		END { for (symbol in last) print last[symbol] }'
}

# configure: what the kernel would not have so is an error. A configuration that
# stays the same makes nothing again.
configure() {
	local line lines

	lines=$(wanted)
	kernel_make tinyconfig 2>/dev/null
	fragments >>"$objects/.config"
	kernel_make olddefconfig 2>/dev/null
	while read -r line; do
		case $line in
		CONFIG*) grep -qx "$line" "$objects/.config" ;;
		*) ! grep -q "^${line:2:-11}=" "$objects/.config" ;;
		esac || die "$line does not hold for $arch"
	done <<<"$lines"
}

# get_busybox: of Debian, which has none for ppc64
get_busybox() {
	if [ "$arch" = ppc64 ]; then
		"$qemu/build-busybox.sh" "$arch"
	else
		echo "$("$qemu/get-kernel.sh" "$arch" $series)/busybox"
	fi
}

# build_test_modules: outside the tree, against what it exports
build_test_modules() {
	local module

	mkdir -p "$out/src"
	cp -pR "$top/module" "$top/selftests" "$out/src/"
	for module in note_liar export_user; do
		# it is for kernels with two witnesses
		[ "$module" != note_liar ] || [[ $variant == @(m|elfv2|debug) ]] || continue
		kernel_make M="$out/src/selftests/$module" modules
		cp "$out/src/selftests/$module"/*.ko "$out/"
	done
}

# build_faulty: what watches has to see it
build_faulty() {
	cp -pR "$qemu/guest/faulty" "$out/src/"
	kernel_make M="$out/src/faulty" modules
	cp "$out/src/faulty/faulty.ko" "$out/"
}

# install_selftests: by the tree's own Makefile; guests have no libraries
install_selftests() {
	nice make -s -C "$tree/tools/testing/selftests" CROSS_COMPILE="$(cross "$arch")" \
		LDFLAGS=-static TARGETS=kreloc INSTALL_PATH="$out/kselftest" install >&2
}

[ $# -eq 2 ] || bad_usage "which kernel?"
arch=$1 variant=$2 how=m objects=$cache/built/$arch-$variant
case $variant in
# these two share all objects but kreloc's
y | m) how=$variant objects=$cache/built/$arch ;;
nokprobes | nokallsyms | noinfo | blind | elfv2 | debug) ;;
*) bad_usage "no such variant: $variant" ;;
esac
out=$build/in-tree/$arch-$variant
busybox=$(get_busybox)

exec 8>"$cache/built.lock"
flock 8
unpack_tree
plant_kreloc
mkdir -p "$objects"
configure
say "building a kernel for $arch, variant $variant"
rm -rf "$out"
mkdir -p "$out/modules"
case $arch in
x86_64)
	kernel_make bzImage modules
	cp "$objects/arch/x86/boot/bzImage" "$out/image"
	;;
ppc64*)
	kernel_make vmlinux modules
	cp "$objects/vmlinux" "$out/image"
	;;
esac
cp "$objects/vmlinux" "$objects/.config" "$busybox" "$out/"
mv "$out/.config" "$out/config"
cp "$objects/include/config/kernel.release" "$out/release"
find "$objects/drivers" -name 'virtio*.ko' -exec cp {} "$out/modules/" \;
[ "$how" = y ] || cp "$objects/drivers/misc/kreloc/module/kreloc.ko" "$out/"
build_test_modules
[ "$variant" != debug ] || build_faulty
install_selftests
echo "$out"
