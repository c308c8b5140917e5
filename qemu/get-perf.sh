#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches the perf of a Debian release with all the libraries that it loads. Like
# get-kernel.sh it never leaves anything half done.
#
# Usage: qemu/get-perf.sh ARCH SERIES
#   ARCH    x86_64 or ppc64le
#   SERIES  5.10, 6.1, 6.12, or sid for the newest
#
# Prints the directory, ${KRELOC_CACHE:-.cache}/perf/ARCH-SERIES, with
#   perf     to be run, wherever the directory is taken
#   version  what it calls itself
#   bin/ lib/
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"
. "${0%/*}/program.sh"

# suite_of SERIES: the one that has this perf
suite_of() {
	case $1 in
	5.10) echo bullseye ;;
	6.1) echo bookworm ;;
	6.12) echo trixie ;;
	sid) echo sid ;;
	*) bad_usage "no such series: $1" ;;
	esac
}

# get_perf DIR
get_perf() {
	local perf

	rm -rf "$1.new"
	mkdir -p "$1.new"
	open_suite "$suite" "$debarch" linux-perf
	field "$suite" "$debarch" linux-perf Version >"$1.new/version"
	unpack_closure "$1.new/root" "$suite" linux-perf '*/bin/perf*'
	# In some releases perf is a script that looks for perf_VERSION
	perf=$(find "$1.new/root/usr/bin" -type f -name 'perf*' -exec grep -lam 1 '^.ELF' {} + |
		head -n 1)
	[ -n "$perf" ] || die "no perf in linux-perf of suite $suite"
	collect "$1.new/root" "$1.new" "$perf" perf
	rm -rf "$1.new/root"
	rm -rf "$1"
	mv "$1.new" "$1"
}

[ $# -eq 2 ] || bad_usage "which perf?"
suite=$(suite_of "$2")
debian_arch "$1"
out=$cache/perf/$1-$2
if [ ! -x "$out/perf" ]; then
	lock_cache
	[ -x "$out/perf" ] || get_perf "$out"
	drop_packages
fi
echo "$out"
