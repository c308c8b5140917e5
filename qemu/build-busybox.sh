#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Builds the static busybox of Debian 12 for an architecture that Debian 12 has a
# compiler and a C library for, but no packages.
#
# Usage: qemu/build-busybox.sh ARCH
#   ARCH  ppc64
#
# Prints the file, ${KRELOC_CACHE:-.cache}/busybox/ARCH/busybox.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"
. "${0%/*}/payload.sh"

# build_busybox DIR: with the applets that Debian's has
build_busybox() {
	rm -rf "$1"
	mkdir -p "$1"
	dpkg-source --no-check --extract "$dsc" "$1/src" >&2
	cp "$1/src/debian/config/pkg/static" "$1/src/.config"
	nice make -s -j"$(nproc)" -C "$1/src" CROSS_COMPILE="$(cross "$arch")" busybox \
		</dev/null >"$1/log" 2>&1 || die "busybox does not build; see $1/log"
	mv "$1/src/busybox" "$1/"
	rm -r "$1/src"
}

[ $# -eq 1 ] || bad_usage "for which architecture?"
arch=$1 out=$cache/busybox/$1 suite=bookworm
if [ ! -e "$out/busybox" ]; then
	lock_cache
	open_suite $suite source busybox
	fetch_source $suite busybox
	say "building busybox for $arch"
	build_busybox "$out.new"
	rm -rf "$out"
	mv "$out.new" "$out"
	drop_packages
fi
echo "$out/busybox"
