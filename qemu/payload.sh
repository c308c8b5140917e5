# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What goes into a guest. Sourced after lib.sh.

# cross ARCH: the prefix of the compiler for it
cross() {
	[ "$1" = "$(uname -m)" ] || case $1 in
	x86_64) echo x86_64-linux-gnu- ;;
	ppc64le) echo powerpc64le-linux-gnu- ;;
	esac
}

# build_module ARCH KERNEL
build_module() {
	local flags

	flags="KRELOC_TEST_MODULES=1 CROSS_COMPILE=$(cross "$1")"
	# kbuild's own name for it; headers for x86 set theirs by themselves
	[ "$1" != ppc64le ] || flags+=" ARCH=powerpc"
	make -s -C "${top:?}" module KDIR="$2/kdir" MODULE_FLAGS="$flags" >&2
}

# new_payload ROOT SCRIPT KERNEL: a script of guest/ as /test/run, and the module
# that build_module has built
new_payload() {
	rm -rf "$1"
	install -D "${qemu:?}/guest/$2" "$1/test/run"
	cp "$(module_dir "$3")/kreloc.ko" "$1/test/"
}

# module_dir KERNEL
module_dir() {
	echo "${build:?}/module/$(cat "$1/release")"
}

# add_program ROOT FILE…: programs of this machine, with the libraries they load
add_program() {
	local root=$1 file

	shift
	mkdir -p "$root/usr/bin"
	for file; do
		cp -L "$file" "$root/usr/bin/"
		# lines are "name => path (address)", the loader's "path (address)"
		ldd "$file" | sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p' |
			xargs -r cp -L --parents -t "$root"
	done
}
