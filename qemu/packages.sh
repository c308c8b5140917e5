#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The Debian packages, as TAP: built from a copy of this directory in a chroot of
# Debian 12, looked at by lintian, installed there with headers of two kernels,
# used, and removed again without a trace. They stay in build/packages/. Takes
# root, or sudo.
#
# Usage: qemu/packages.sh
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/tap.sh"

out=$build/packages
wanted=(
	build-essential debhelper dh-dkms scdoc lintian fakeroot
	libelf-dev libgcrypt20-dev libjson-c-dev liblzma-dev libzstd-dev zlib1g-dev
	dkms linux-headers-cloud-amd64 linux-headers-amd64
	man-db bash xz-utils pkg-config
)

# Nobody's address is known here; whoever publishes the packages puts theirs there.
no_address=bogus-mail-host,bogus-mail-host-in-debian-changelog

# A cache of downloads survives it, and the real one is not shown to it
build() {
	mkdir "$out/cache"
	cd "$out/source"
	KRELOC_CACHE=$out/cache dpkg-buildpackage -us -uc -b
	[ -d "$out/cache" ]
}

lint() {
	lintian --allow-root --fail-on error --suppress-tags "$no_address" "$out"/*.changes
}

releases() {
	basename -a /usr/src/linux-headers-*-amd64
}

# built RELEASE: the module is there, for that kernel
built() {
	[ "$(modinfo -k "$1" -F name kreloc)" = kreloc ]
	modinfo -k "$1" -F vermagic kreloc | grep -q "^$1 "
	case $(modinfo -k "$1" -n kreloc) in
	/lib/modules/"$1"/updates/dkms/*) ;;
	*) return 1 ;;
	esac
}

# The kernel that was there when the package came, and one that came later. Here both
# are there, and what a new kernel's package runs is run.
install_both() {
	local release

	DEBIAN_FRONTEND=noninteractive dpkg -i "$out"/{kreloc,kreloc-dkms,libkreloc1,libkreloc-dev}_*.deb
	release=$(releases | tail -n 1)
	built "${release#linux-headers-}"
}

new_kernel() {
	local release

	release=$(releases | head -n 1)
	release=${release#linux-headers-}
	dkms uninstall -m kreloc -v "$(version)" -k "$release" || true
	if built "$release"; then
		return 1
	fi
	/etc/kernel/header_postinst.d/dkms "$release"
	built "$release"
}

version() {
	sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' /usr/src/kreloc-*/dkms.conf
}

# machine DIR: a made-up one, that of the recordings in tools/tests/data
machine() {
	local link=0xffffffff81000000 kernel=$1/proc/sys/kernel kreloc=$1/sys/kernel/kreloc

	# shellcheck source=../tools/tests/data/truth
	. "$top/tools/tests/data/truth"
	mkdir -p "$kernel" "$kreloc"
	echo "${release:?}" >"$kernel/osrelease"
	echo "${host:?}" >"$kernel/hostname"
	echo x86_64 >"$kernel/arch"
	echo "btime $(($(date +%s) - 60))" >"$1/proc/stat"
	echo "MemTotal: ${memory:?} kB" >"$1/proc/meminfo"
	echo 1 >"$kreloc/abi"
	echo _text >"$kreloc/anchor"
	echo $link >"$kreloc/link_text"
	echo "${text:?}" >"$kreloc/text"
	printf '0x%016x\n' $((text - link)) >"$kreloc/offset"
	echo $((${etext:?} - text)) >"$kreloc/text_size"
}

use() {
	local status=0

	cd "$out"
	[ "$(kreloc --version)" = "kreloc $(version)" ]
	machine "$out/machine"
	KRELOC_ROOT=$out/machine kreloc show | grep -qx "text: $text"
	xz -dc "$top/tools/tests/data/blind-g.data.xz" >blind
	cp blind stamped
	KRELOC_ROOT=$out/machine kreloc stamp stamped
	kreloc read stamped | grep -qx "text: $text"
	kreloc strip stamped
	cmp blind stamped
	# where nobody can be asked, no number
	KRELOC_ROOT=$out/nothing kreloc show || status=$?
	[ "$status" -eq 3 ]
}

# As the example says, against what is installed
library() {
	cd "$out"
	machine "$out/machine"
	[ "$(pkg-config --modversion kreloc)" = "$(version)" ]
	# shellcheck disable=SC2046 # flags
	cc -o example /usr/share/doc/libkreloc-dev/examples/stamp.c \
		$(pkg-config --cflags --libs kreloc)
	ldd example | grep -q "=> .*/$(dpkg-architecture -qDEB_HOST_MULTIARCH)/libkreloc.so.1 "
	cp blind stamped
	KRELOC_ROOT=$out/machine ./example stamped
	kreloc read stamped | grep -qx "text: $text"
}

documented() {
	local page

	for page in kreloc.1 kreloc-{show,stamp,read,strip,infer,addr,check,record}.1 kreloc.3 \
		kreloc.4 kreloc-stamp.5; do
		[ -s "/usr/share/man/man${page##*.}/$page.gz" ]
		man -l "/usr/share/man/man${page##*.}/$page.gz" >/dev/null
	done
	bash -c '. /usr/share/bash-completion/completions/kreloc
		COMP_WORDS=(kreloc show --so) COMP_CWORD=2
		_kreloc; [ "${COMPREPLY[*]}" = --source= ]'
	[ -s /usr/share/kreloc/tapset/kreloc.stp ]
	[ -s /usr/share/zsh/vendor-completions/_kreloc ]
	[ -s /usr/share/fish/vendor_completions.d/kreloc.fish ]
}

remove() {
	dpkg --purge kreloc-dkms kreloc libkreloc-dev libkreloc1
	if find / -xdev -name '*kreloc*' -not -path "$top*" | grep .; then
		return 1
	fi
}

# What is done within the chroot
if [ "${1-}" = --inside ]; then
	export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root
	dpkg --purge kreloc-dkms kreloc libkreloc-dev libkreloc1 >/dev/null 2>&1
	echo "TAP version 13"
	t "dpkg-buildpackage builds them" build
	t "lintian finds no error" lint
	t "installed: DKMS builds the module" install_both
	t "a kernel comes: DKMS builds it for that too" new_kernel
	t "the program does its work" use
	t "a program is made with the library" library
	t "man pages, completion and tapset are there" documented
	t "removed without a trace" remove
	tap_end
fi

rm -rf "$out"
mkdir -p "$out/source"
git -C "$top" ls-files -z --cached --others --exclude-standard |
	tar -C "$top" --null --files-from=- -c | tar -C "$out/source" -x
exec "$qemu/chroot.sh" bookworm "$(IFS=, && echo "${wanted[*]}")" "$qemu/packages.sh" --inside
