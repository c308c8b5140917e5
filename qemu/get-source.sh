#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches files of Debian's kernel source that no other package has: checkpatch.pl
# for `make lint`, the selftests' run_kselftest.sh. The packed tree stays in the
# cache (140 MB), the files that were asked for beside it.
#
# Usage: qemu/get-source.sh SERIES FILE…
#   SERIES  one of qemu/kernels, such as 6.1
#   FILE    file or directory, by its path in the tree
#
# Prints the directory that they are in, ${KRELOC_CACHE:-.cache}/source/SERIES.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

# get_tarball: linux.tar.xz, from the suite that the series is in
get_tarball() {
	local suite arch package=linux-source-$series

	suite=$(awk -v s="$series" '!/^#/ && $2 == s { print $4; exit }' "$qemu/kernels")
	[ -n "$suite" ] || die "no series $series in qemu/kernels"
	arch=$(dpkg --print-architecture)
	open_suite "$suite" "$arch" "$package"
	fetch "$suite" "$arch" "$package" "$(field "$suite" "$arch" "$package" Version)"
	unpack "$out/new" "*/$package.tar.xz"
	mv "$out/new/usr/src/$package.tar.xz" "$out/linux.tar.xz"
	drop_packages
}

# get_files FILE…
get_files() {
	local file members=()

	for file; do
		members+=("linux-source-$series/$file")
	done
	say "unpacking from the kernel's source: $*"
	rm -rf "$out/new"
	mkdir -p "$out/new"
	tar -xf "$out/linux.tar.xz" -C "$out/new" --strip-components=1 "${members[@]}"
	for file; do
		mkdir -p "$(dirname "$out/$file")"
		mv "$out/new/$file" "$out/$file"
	done
}

[ $# -ge 2 ] || bad_usage "which files?"
series=$1 out=$cache/source/$1
shift

missing=()
for file; do
	[ -e "$out/$file" ] || missing+=("$file")
done
if [ ${#missing[@]} -gt 0 ]; then
	lock_cache
	[ -e "$out/linux.tar.xz" ] || get_tarball
	get_files "${missing[@]}"
fi
echo "$out"
