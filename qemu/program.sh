# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# A program of any Debian suite and architecture with all the libraries that it
# loads, down to the C library, put together without installing anything: it runs
# on any system of its architecture, this one or a guest. Sourced after apt.sh.

# debian_arch ARCH: sets debarch and loader
debian_arch() {
	case $1 in
	x86_64) debarch=amd64 loader=ld-linux-x86-64.so.2 ;;
	ppc64le) debarch=ppc64el loader=ld64.so.2 ;;
	*) bad_usage "no such architecture: $1" ;;
	esac
}

# unpack_closure ROOT SUITE PACKAGE PATTERN…: those files of the package and of what it
# depends on, and the libraries of it. To this apt nothing is installed, so it lists
# everything.
unpack_closure() {
	local uri name size hash

	while read -r uri name size hash; do
		deb=${packages:?}/$name
		mkdir -p "$packages"
		[ -e "$deb" ] || download "$uri" "$deb" "$size" "${hash#SHA256:}" ||
			download "$uri" "$deb" "$size" "${hash#SHA256:}" ||
			die "cannot fetch $name of suite $2; the next call goes on from here"
		unpack "$1" '*/lib*.so*' '*/ld64.so*' '*/ld-linux*' "${@:4}" 2>/dev/null || true
	done < <(in_suite "$2" "$debarch" apt-get --print-uris -y -q=2 \
		-o Acquire::ForceHash=SHA256 --no-install-recommends install "$3" |
		sed -n "s/^'\([^']*\)'/\1/p")
}

# needed FILE…: the names of the libraries that they load
needed() {
	readelf -d "$@" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u
}

# collect ROOT DIR FILE NAME: from the packages that program, as NAME, and those
# libraries that it needs; DIR/NAME runs it, wherever the directory is taken
collect() {
	local name file found=1

	mkdir -p "$2/bin" "$2/lib"
	cp "$3" "$2/bin/$4"
	while [ "$found" ]; do
		found=
		for name in $(needed "$2"/bin/* "$2"/lib/*); do
			[ ! -e "$2/lib/$name" ] || continue
			file=$(find "$1" -name "$name" -print -quit)
			[ -n "$file" ] || die "no package has $name, which $4 needs"
			cp -L "$file" "$2/lib/"
			found=1
		done
	done
	cat >"$2/$4" <<-END
		#!/bin/sh
		here=\${0%/*}
		exec "\$here/lib/$loader" --library-path "\$here/lib" "\$here/bin/$4" "\$@"
	END
	chmod +x "$2/$4"
}
