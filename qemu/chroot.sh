#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Runs a command in a chroot of another Debian suite, for kernels whose headers
# want a compiler and libraries that this machine does not have. Made once, with
# mmdebstrap, from this machine's mirrors, and kept in the cache; it sees this
# directory and the cache where they are. Takes root, or sudo.
#
# Usage: qemu/chroot.sh SUITE PACKAGE,PACKAGE… COMMAND…
#   PACKAGE,…  what must be installed in it, with :ARCH where it is of another
#              architecture; another list makes another chroot
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/apt.sh"

# make_chroot DIR SUITE PACKAGES
make_chroot() {
	local mirrors line options=() foreign

	say "making a chroot of $2 with $3"
	mirrors=$(system_mirrors | head -n 1)
	while read -r line; do
		options+=(--aptopt="$line")
	done < <(apt-config dump | grep '^Acquire::https\?::Proxy')
	foreign=$(tr , '\n' <<<"$3" | sed -n 's/.*://p' | sort -u | paste -sd ,)
	[ -z "$foreign" ] || options+=(--architectures="$(dpkg --print-architecture),$foreign")
	rm -rf "$1.new"
	mkdir -p "${1%/*}"
	# sid's index is said to be out of date now and then
	mmdebstrap --quiet --variant=essential "${options[@]}" --include="$3" \
		--aptopt='Acquire::Check-Valid-Until "false"' \
		"$2" "$1.new" "${mirrors:-$fallback_mirror}" >&2
	mv "$1.new" "$1"
}

# enter DIR COMMAND…: with mounts that end with it
enter() {
	local root=$1 directory

	shift
	for directory in "$top" "$cache"; do
		mkdir -p "$root$directory"
	done
	# shellcheck disable=SC2016 # the inner shell's
	exec unshare --mount sh -eu -c '
		root=$1 top=$2 cache=$3
		shift 3
		mount --bind "$top" "$root$top"
		mount --bind "$cache" "$root$cache"
		mount -t proc proc "$root/proc"
		exec chroot "$root" "$@"' sh "$root" "$top" "$cache" "$@"
}

[ $# -ge 3 ] || bad_usage "which suite, and what for?"
if [ "$(id -u)" -ne 0 ]; then
	exec sudo KRELOC_CACHE="$cache" "$0" "$@"
fi
suite=$1 wanted=$2
shift 2
root=$cache/chroots/$suite-$(md5sum <<<"$wanted" | head -c 8)
if [ ! -d "$root" ]; then
	lock_cache
	[ -d "$root" ] || make_chroot "$root" "$suite" "$wanted"
	exec 9>&-
	trap - EXIT
fi
enter "$root" "$@"
