#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Fetches a Debian kernel and all that it takes to boot it and to build modules
# for it, without root and without installing anything: packages are looked up
# through apt states of our own inside the cache, which take mirrors, proxies
# and keys from the system's configuration, and are unpacked there. A result is
# put together beside its place and renamed, so a kill leaves nothing half done;
# a package that was cut short goes on where it stopped.
#
# Usage: qemu/get-kernel.sh ARCH SERIES [--vmlinux]
#   ARCH SERIES  a line of qemu/kernels, such as "x86_64 6.1"
#   --vmlinux    the symbol table too (x86_64: a download of 283 MB)
#
# Prints the directory, ${KRELOC_CACHE:-.cache}/kernels/ARCH-SERIES, with
#   release config image  what to boot
#   busybox modules/      the userspace and the drivers of the guest
#   kdir/                 for make -C …/kdir M=… modules
#   vmlinux               symbols, text and build-id, no DWARF
set -eu
. "${0%/*}/lib.sh"

packages=$cache/packages
fallback_mirror=http://deb.debian.org/debian

#
# apt, with a state of its own for each suite and architecture
#

# in_suite SUITE DEBARCH COMMAND…: run an apt command on that state
in_suite() {
	local state=$cache/apt/$1-$2

	shift 2
	APT_CONFIG=$state/apt.conf LC_ALL=C "$@"
}

# apt_config SUITE DEBARCH STATE: of the system's configuration only the ways to
# reach a mirror; no hooks, no pins, no further index files
apt_config() {
	cat <<-END
		Dir::Etc::main "/dev/null";
		Dir::Etc::parts "/dev/null";
		Dir::Etc::sourcelist "$3/sources.list";
		Dir::Etc::sourceparts "/dev/null";
		Dir::Etc::preferences "/dev/null";
		Dir::Etc::preferencesparts "/dev/null";
		Dir::Etc::trustedparts "$3/keys";
		Dir::State "$3";
		Dir::State::status "$3/status";
		Dir::Cache "$3";
		APT::Architecture "$2";
		APT::Architectures { "$2"; };
		APT::Default-Release "$1";
		APT::Sandbox::User "";
	END
	apt-config dump | grep '^Acquire::' |
		grep -v '^Acquire::\(IndexTargets\|Languages\)'
	echo 'Acquire::Languages "none";'
}

# system_mirrors: where this machine gets any suite of Debian
system_mirrors() {
	local suites='sid|bullseye|bookworm|trixie|forky|(old)*stable|testing|unstable'

	apt-get --print-uris update 2>/dev/null |
		sed -nE "s,^'(.*)/dists/($suites)/InRelease'.*,\1,p" | sort -u
}

# read_index SUITE DEBARCH MIRROR…: set the state up and bring it up to date.
# A mirror that fails is not the end: the others may do.
read_index() {
	local suite=$1 arch=$2 state=$cache/apt/$1-$2 mirror

	shift 2
	say "reading the index of $suite for $arch"
	mkdir -p "$state/lists/partial" "$state/archives/partial" "$state/keys"
	: >"$state/status"
	find /etc/apt/trusted.gpg.d /usr/share/keyrings/debian-archive-keyring.gpg \
		-name '*.[ag][sp][cg]' -exec ln -sft "$state/keys" {} +
	apt_config "$suite" "$arch" "$state" >"$state/apt.conf"
	for mirror; do
		echo "deb [arch=$arch] $mirror $suite main"
	done >"$state/sources.list"
	in_suite "$suite" "$arch" apt-get -qq update >&2 || true
}

# field SUITE DEBARCH PACKAGE FIELD: of the newest version there
field() {
	in_suite "$1" "$2" apt-cache show --no-all-versions "$3" 2>/dev/null |
		sed -n "s/^$4: //p"
}

# open_suite SUITE DEBARCH PACKAGE: an index that has the package. This machine's
# own mirrors come first, but the one close by may carry fewer architectures.
open_suite() {
	local mirrors tried=

	[ -z "${opened[$1-$2]-}" ] || return 0
	for mirrors in "$(system_mirrors | paste -sd ' ')" "$fallback_mirror"; do
		[ "$mirrors" != "$tried" ] || continue
		tried=${tried:+$tried }$mirrors
		# shellcheck disable=SC2086 # a list of URIs
		read_index "$1" "$2" $mirrors
		[ -z "$(field "$1" "$2" "$3" Version)" ] || {
			opened[$1-$2]=1
			return 0
		}
	done
	die "package $3 of $2 is not in suite $1 of $tried"
}

#
# Packages
#

size_of() { stat -c %s "$1" 2>/dev/null || echo 0; }

free_space() { df --output=avail -B1 "$cache" | tail -n 1; }

# apt_setting NAME: from the system's own configuration
apt_setting() {
	local value=

	eval "$(apt-config shell value "$1")"
	echo "$value"
}

# curl_resume URI FILE: curl with apt's proxy and passwords
curl_resume() {
	local meter=--silent proxy netrc

	[ ! -t 2 ] || meter=--progress-bar
	proxy=$(apt_setting Acquire::http::Proxy)
	netrc=$(apt_setting Dir::Etc::netrc/f)
	curl --fail --location "$meter" --show-error --retry 2 --continue-at - \
		${proxy:+--proxy "$proxy"} ${netrc:+--netrc-file "$netrc"} \
		--output "$2" "$1" >&2
}

# download URI FILE SIZE SHA256: through curl, as apt itself starts over what was
# killed (it asks for the rest only of a file that has the server's date)
download() {
	local part=$2.part lacking

	lacking=$(($3 - $(size_of "$part")))
	[ "$lacking" -lt "$(free_space)" ] ||
		die "no space under $cache: ${2##*/} needs $((lacking / 1000000 + 1)) MB"
	if [ "$lacking" -gt 0 ]; then
		curl_resume "$1" "$part" || return 1
	fi
	sha256sum --check --status <<<"$4  $part" || {
		rm -f "$part"
		return 1
	}
	mv "$part" "$2"
}

# fetch SUITE DEBARCH PACKAGE VERSION: sets deb, the path of the file
fetch() {
	local uri name size hash here

	read -r uri name size hash < <(
		in_suite "$1" "$2" apt-get --print-uris download "$3=$4" | tr -d "'"
	) || die "package $3 $4 of $2 is not in suite $1"
	mkdir -p "$packages"
	deb=$packages/$name
	[ ! -e "$deb" ] || return 0
	here=$(size_of "$deb.part")
	say "fetching $name, $((size / 1000000 + 1)) MB ($((here / 1000000)) here already)"
	# Twice, since a mirror may refuse to resume. What curl cannot reach at
	# all, apt may: it knows more kinds of mirror.
	download "$uri" "$deb" "$size" "${hash#SHA256:}" ||
		download "$uri" "$deb" "$size" "${hash#SHA256:}" ||
		(cd "$packages" && in_suite "$1" "$2" apt-get download "$3=$4" >&2) ||
		die "cannot fetch $name of suite $1; the next call goes on from here"
}

# unpack DIR [PATTERN…]: those members of deb that match, or all
unpack() {
	mkdir -p "$1"
	dpkg-deb --fsys-tarfile "$deb" |
		tar --extract --no-same-owner --directory="$1" --wildcards "${@:2}"
}

#
# The kernel
#

# find_release: set release and version from what the metapackage depends on
find_release() {
	open_suite "$suite" "$debarch" "$metapackage"
	version=$(field "$suite" "$debarch" "$metapackage" Version)
	release=$(field "$suite" "$debarch" "$metapackage" Depends |
		sed -nE 's/.*linux-image-([^ ,]+) \(= .*/\1/p')
	[ -n "$release" ] || die "$metapackage of suite $suite depends on no kernel"
}

# get_image DIR
get_image() {
	fetch "$suite" "$debarch" "linux-image-$release" "$version"
	unpack "$1/root" './boot/*' '*/virtio*.ko*'
	mv "$1"/root/boot/vmlinu[xz]-* "$1/image"
	mv "$1"/root/boot/config-* "$1/config"
	mkdir "$1/modules"
	find "$1/root" -name 'virtio*.ko*' -exec mv {} "$1/modules" \;
	rm -r "$1/root"
	find "$1/modules" -name '*.xz' -exec unxz {} +
}

# get_kdir DIR: the headers, with the common ones and the build tools that run
# on this machine, linked by relative paths so that the cache can move
get_kdir() {
	local headers=linux-headers-$release native depends common kbuild

	depends=$(field "$suite" "$debarch" "$headers" Depends)
	common=$(sed -nE 's/.*(linux-headers-[^ ,]+-common).*/\1/p' <<<"$depends")
	kbuild=$(sed -nE 's/.*(linux-kbuild-[^ ,]+).*/\1/p' <<<"$depends")
	native=$(dpkg --print-architecture)
	open_suite "$suite" "$native" "$kbuild"

	fetch "$suite" "$debarch" "$headers" "$version"
	unpack "$1/headers"
	fetch "$suite" "$debarch" "$common" "$version"
	unpack "$1/headers"
	fetch "$suite" "$native" "$kbuild" "$version"
	unpack "$1/headers"
	ln -s "headers/usr/src/$headers" "$1/kdir"
	echo "include ../$common/Makefile" >"$1/kdir/Makefile"
}

# get_busybox DIR
get_busybox() {
	local version

	version=$(field "$suite" "$debarch" busybox-static Version)
	fetch "$suite" "$debarch" busybox-static "$version"
	unpack "$1/root" '*bin/busybox'
	find "$1/root" -name busybox -exec mv {} "$1/busybox" \;
	rm -r "$1/root"
}

# get_kernel DIR
get_kernel() {
	rm -rf "$1.new"
	mkdir -p "$1.new"
	echo "$release" >"$1.new/release"
	get_image "$1.new"
	get_kdir "$1.new"
	get_busybox "$1.new"
	[ "$symbols" != image ] || ln -s image "$1.new/vmlinux"
	rm -rf "$1"
	mv "$1.new" "$1"
}

# get_vmlinux DIR: a symbol package unpacks to gigabytes, so only this one file
# of it is, and tar stops reading once it has it
get_vmlinux() {
	fetch "$suite" "$debarch" "${symbols/\%/$release}" "$version"
	say "unpacking vmlinux"
	tar --extract --to-stdout --occurrence "./usr/lib/debug/boot/vmlinux-$release" \
		>"$1/vmlinux.dwarf" < <(dpkg-deb --fsys-tarfile "$deb" 2>/dev/null)
	objcopy --strip-debug --remove-section='.rela*' "$1/vmlinux.dwarf" "$1/vmlinux.new"
	rm "$1/vmlinux.dwarf"
	mv "$1/vmlinux.new" "$1/vmlinux"
}

complete() {
	[ -d "$out" ] && { [ -z "$want_vmlinux" ] || [ -e "$out/vmlinux" ]; }
}

# say why, where set -e ended it
on_exit() {
	local status=$?

	[ $status -eq 0 ] || [ "$(free_space)" -gt 1000000 ] || say "no space left under $cache"
	exit $((status != 0))
}

[ $# -ge 2 ] || bad_usage "which kernel?"
arch=$1 series=$2 want_vmlinux=
case ${3-} in
'') ;;
--vmlinux) want_vmlinux=1 ;;
*) bad_usage "unknown option $3" ;;
esac
read -r debarch suite metapackage symbols < <(
	awk -v a="$arch" -v s="$series" '$1 == a && $2 == s { print $3, $4, $5, $6 }' "$qemu/kernels"
) || die "no line for $arch $series in qemu/kernels"
out=$cache/kernels/$arch-$series

if ! complete; then
	set -o pipefail
	mkdir -p "$cache/kernels"
	echo '*' >"$cache/.gitignore"
	trap on_exit EXIT
	exec 9>"$cache/lock"
	flock -n 9 || {
		say "waiting for another $0 to finish"
		flock 9
	}
fi
if ! complete; then
	declare -A opened=()
	find_release
	# The mirror may have moved on since the image was fetched
	[ "$(cat "$out/release" 2>/dev/null)" = "$release" ] || get_kernel "$out"
	complete || get_vmlinux "$out"
	rm -f "$packages"/*.deb "$cache"/apt/*/*pkgcache.bin
fi
echo "$out"
