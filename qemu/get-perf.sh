#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches the perf of a Debian release with all the libraries that it loads, down
# to the C library, without installing anything: it runs on any system of its
# architecture, this one or a guest. Like get-kernel.sh it never leaves anything
# half done.
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

# get_packages ROOT: perf and what it depends on, the libraries of it. To this apt
# nothing is installed, so it lists everything.
get_packages() {
	local uri name size hash

	while read -r uri name size hash; do
		deb=$packages/$name
		mkdir -p "$packages"
		[ -e "$deb" ] || download "$uri" "$deb" "$size" "${hash#SHA256:}" ||
			download "$uri" "$deb" "$size" "${hash#SHA256:}" ||
			die "cannot fetch $name of suite $suite; the next call goes on from here"
		unpack "$1" '*/lib*.so*' '*/ld64.so*' '*/ld-linux*' '*/bin/perf*' 2>/dev/null || true
	done < <(in_suite "$suite" "$debarch" apt-get --print-uris -y -q=2 \
		-o Acquire::ForceHash=SHA256 --no-install-recommends install linux-perf |
		sed -n "s/^'\([^']*\)'/\1/p")
}

# needed FILE…: the names of the libraries that they load
needed() {
	readelf -d "$@" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
}

# collect ROOT DIR: perf, and from the packages those libraries that it needs
collect() {
	local perf name file found=1

	# In some releases perf is a script that looks for perf_VERSION
	perf=$(find "$1/usr/bin" -type f -name 'perf*' -exec grep -lam 1 '^.ELF' {} + | head -n 1)
	[ -n "$perf" ] || die "no perf in linux-perf of suite $suite"
	mkdir -p "$2/bin" "$2/lib"
	cp "$perf" "$2/bin/perf"
	while [ "$found" ]; do
		found=
		for name in $(needed "$2"/bin/perf "$2"/lib/*); do
			[ ! -e "$2/lib/$name" ] || continue
			file=$(find "$1" -name "$name" -print -quit)
			[ -n "$file" ] || die "no package of suite $suite has $name"
			cp -L "$file" "$2/lib/"
			found=1
		done
	done
}

# get_perf DIR
get_perf() {
	rm -rf "$1.new"
	mkdir -p "$1.new"
	open_suite "$suite" "$debarch" linux-perf
	field "$suite" "$debarch" linux-perf Version >"$1.new/version"
	get_packages "$1.new/root"
	collect "$1.new/root" "$1.new"
	rm -rf "$1.new/root"
	cat >"$1.new/perf" <<-END
		#!/bin/sh
		here=\${0%/*}
		exec "\$here/lib/$loader" --library-path "\$here/lib" "\$here/bin/perf" "\$@"
	END
	chmod +x "$1.new/perf"
	rm -rf "$1"
	mv "$1.new" "$1"
}

[ $# -eq 2 ] || bad_usage "which perf?"
suite=$(suite_of "$2")
case $1 in
x86_64) debarch=amd64 loader=ld-linux-x86-64.so.2 ;;
ppc64le) debarch=ppc64el loader=ld64.so.2 ;;
*) bad_usage "no such architecture: $1" ;;
esac
out=$cache/perf/$1-$2
if [ ! -x "$out/perf" ]; then
	lock_cache
	[ -x "$out/perf" ] || get_perf "$out"
	drop_packages
fi
echo "$out"
