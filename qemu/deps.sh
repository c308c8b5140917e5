#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Installs the Debian packages that a part of the project needs. Where all of
# them are there already it touches nothing and needs no privilege, so that
# every make target can afford to call it first.
#
# Usage: qemu/deps.sh GROUP…
#   build     the program and the module
#   guest     kernels and guests: `make check` and `make demo`
#   all       more kernels, and kernels of our own: `make check-all`
#   lint      `make lint`
#   consumers `make check-consumers`
#   bench     `make bench-…`
#   sanitize  unit tests and fuzzers under the sanitizers
#   coverage  `make coverage`
set -eu
. "${0%/*}/lib.sh"

# packages GROUP: its packages; comments say what is not obvious from the name
packages() {
	case $1 in
	build)
		echo gcc make pkg-config libc6-dev
		echo libelf-dev libgcrypt20-dev libjson-c-dev liblzma-dev libzstd-dev zlib1g-dev
		;;
	guest)
		echo qemu-system-x86 qemu-system-ppc
		echo cpio xz-utils zstd binutils kmod
		# curl resumes a package where apt would start it over
		echo curl ca-certificates
		# the compiler that Debian's 6.1 headers insist on, twice, with
		# what the kernel's own host programs link
		echo gcc-12 gcc-12-powerpc64le-linux-gnu libc6-dev-ppc64el-cross
		echo gcc-powerpc64le-linux-gnu libelf1
		echo linux-perf trace-cmd babeltrace2 gdb
		# a reader of JSON that is not ours
		echo python3
		# makes man pages, which a test looks at
		echo scdoc
		;;
	all)
		echo mmdebstrap ovmf openssl libkshark2
		# another C library
		echo musl-tools
		# what building a kernel takes
		echo bc bison flex libelf-dev libssl-dev
		# what installing its selftests takes
		echo rsync
		# a kernel for ppc64, and for its guests a busybox
		echo gcc-powerpc64-linux-gnu libc6-dev-ppc64-cross dpkg-dev patch bzip2
		;;
	lint)
		echo shellcheck sparse clang-tidy codespell perl reuse
		;;
	consumers)
		# for a chroot of Debian 13, with stap, crash and drgn
		echo mmdebstrap
		# which reads trace.dat for kernelshark
		echo libkshark2
		;;
	bench)
		# what kreloc is compared with
		echo llvm elfutils binutils time
		;;
	sanitize)
		echo clang libclang-rt-14-dev
		;;
	coverage)
		echo gcovr
		;;
	*)
		bad_usage "no such group: $1"
		;;
	esac
}

# not_installed PACKAGE…: those of them that are not, one a line
not_installed() {
	comm -13 <(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "$@" 2>/dev/null |
		sed -n 's/^installed //p' | sort -u) <(printf '%s\n' "$@" | sort -u)
}

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	else
		sudo "$@"
	fi
}

install_packages() {
	local root_env=(env DEBIAN_FRONTEND=noninteractive)

	# One broken index must not keep the others' packages away: what is
	# really missing, the install below says.
	as_root "${root_env[@]}" apt-get -q update >&2 ||
		say "some package index is broken, going on with the others"
	as_root "${root_env[@]}" apt-get -q install -y --no-install-recommends "$@" >&2 ||
		die "apt could not install all of: $* (made for Debian 12)"
}

[ $# -gt 0 ] || bad_usage "no group given"
wanted=$(for group; do packages "$group"; done)
# shellcheck disable=SC2086 # a list of package names
missing=$(not_installed $wanted | paste -sd ' ')
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ] && ! sudo -v 2>/dev/null; then
	say "these packages are missing; as root, run:"
	echo "apt-get install -y --no-install-recommends $missing"
	exit 1
fi
say "installing $missing"
# shellcheck disable=SC2086
install_packages $missing
