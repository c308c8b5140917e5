# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What goes into a guest. Sourced after lib.sh.

# cross ARCH: the prefix of the compiler for it
cross() {
	[ "$1" = "$(uname -m)" ] || case $1 in
	x86_64) echo x86_64-linux-gnu- ;;
	ppc64le) echo powerpc64le-linux-gnu- ;;
	ppc64) echo powerpc64-linux-gnu- ;;
	esac
}

# compiler KERNEL: what its headers want, without the prefix
compiler() {
	sed -n 's/^CC = .*)//p' "$1/kdir/.kernelvariables"
}

# build_module ARCH KERNEL: here, or where the kernel comes from if its compiler is
# only there
build_module() {
	local flags command=(make)

	# BTF would take pahole, and the kernel's vmlinux
	flags="KRELOC_TEST_MODULES=1 CONFIG_DEBUG_INFO_BTF_MODULES= CROSS_COMPILE=$(cross "$1")"
	# kbuild's own name for it; headers for x86 set theirs by themselves
	[ "$1" != ppc64le ] || flags+=" ARCH=powerpc"
	type "$(cross "$1")$(compiler "$2")" >/dev/null 2>&1 || into_suite "$1" "$2"
	"${command[@]}" -s -C "${top:?}" module KDIR="$2/kdir" MODULE_FLAGS="$flags" >&2
}

# into_suite ARCH KERNEL: put chroot.sh before command
into_suite() {
	local suite wanted cross

	suite=$(awk -v kernel="${2##*/}" '$1 "-" $2 == kernel { print $4 }' "${qemu:?}/kernels")
	# what runs on this machine is in linux-kbuild-…, which knows its libraries
	wanted=make,$(readlink "$2/kdir/scripts" | cut -d/ -f4),$(compiler "$2")
	cross=$(cross "$1")
	[ -z "$cross" ] || wanted+=,$(compiler "$2")-${cross%-}
	command=("$qemu/chroot.sh" "$suite" "$wanted" "${command[@]}")
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
