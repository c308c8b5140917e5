# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Debian packages of any suite and architecture, unpacked into the cache without
# root and without installing anything. Each (suite, architecture) has an apt
# state of its own there, which takes mirrors, proxies and keys from the system's
# configuration. For source packages the architecture is "source". What is
# downloaded is checked against apt's hashes, and goes on where it stopped after a
# kill. Sourced after lib.sh.

packages=${cache:?}/packages
fallback_mirror=http://deb.debian.org/debian
declare -A opened=()

# lock_cache: one at a time from here on
lock_cache() {
	set -o pipefail
	trap on_exit EXIT
	mkdir -p "$cache"
	echo '*' >"$cache/.gitignore"
	exec 9>"$cache/lock"
	flock -n 9 || {
		say "waiting for another download to finish"
		flock 9
	}
}

# on_exit: say why, where set -e ended it
on_exit() {
	local status=$?

	[ $status -eq 0 ] || [ "$(free_space)" -gt 1000000 ] || say "no space left under $cache"
	exit $((status != 0))
}

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

# kind DEBARCH: what is before the mirror in a line of sources.list
kind() {
	[ "$1" = source ] && echo deb-src || echo "deb [arch=$1]"
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
		echo "$(kind "$arch") $mirror $suite main"
	done >"$state/sources.list"
	in_suite "$suite" "$arch" apt-get -qq update >&2 || true
}

# field SUITE DEBARCH PACKAGE FIELD: of the newest version there
field() {
	local show=(show --no-all-versions)

	[ "$2" != source ] || show=(showsrc --only-source)
	in_suite "$1" "$2" apt-cache "${show[@]}" "$3" 2>/dev/null | sed -n "s/^$4: //p"
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
	[ -r "$netrc" ] || netrc=
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

# fetch_file URI NAME SIZE SHA256:…: what apt-get --print-uris says of a file; sets file.
# Twice, since a mirror may refuse to resume.
fetch_file() {
	local size=$3 hash=${4#SHA256:} here=

	file=$packages/$2
	mkdir -p "$packages"
	[ ! -e "$file" ] || return 0
	[ ! -e "$file.part" ] || here=", of which $(($(size_of "$file.part") / 1000000)) are here"
	say "fetching $2, $((size / 1000000 + 1)) MB$here"
	download "$1" "$file" "$size" "$hash" || download "$1" "$file" "$size" "$hash"
}

# fetch SUITE DEBARCH PACKAGE VERSION: sets deb, the path of the file
fetch() {
	local line file

	read -ra line < <(
		in_suite "$1" "$2" apt-get --print-uris download "$3=$4" | tr -d "'"
	) || die "package $3 $4 of $2 is not in suite $1"
	# What curl cannot reach at all, apt may: it knows more kinds of mirror.
	fetch_file "${line[@]}" ||
		(cd "$packages" && in_suite "$1" "$2" apt-get download "$3=$4" >&2) ||
		die "cannot fetch ${line[1]} of suite $1; the next call goes on from here"
	deb=$file
}

# fetch_source SUITE PACKAGE: sets dsc, the path of the file that names the others
fetch_source() {
	local line file

	dsc=
	while read -ra line; do
		fetch_file "${line[@]}" ||
			die "cannot fetch ${line[1]} of suite $1; the next call goes on from here"
		[[ $file != *.dsc ]] || dsc=$file
	done < <(
		in_suite "$1" source apt-get --print-uris --quiet=2 --download-only source "$2" |
			tr -d "'"
	)
	[ "$dsc" ] || die "no source package $2 in suite $1"
}

# unpack DIR [PATTERN…]: those members of deb that match, or all
unpack() {
	mkdir -p "$1"
	dpkg-deb --fsys-tarfile "$deb" |
		tar --extract --no-same-owner --directory="$1" --wildcards "${@:2}"
}

# unpack_one FILE MEMBER…: of deb the one of these members that is not a link, as FILE.
# A symbol package unpacks to gigabytes; tar stops reading once it has them.
unpack_one() {
	say "unpacking ${1##*/}"
	tar --extract --to-stdout --occurrence "${@:2}" 2>/dev/null >"$1" \
		< <(dpkg-deb --fsys-tarfile "$deb" 2>/dev/null) || true
	[ -s "$1" ] || die "$deb has none of ${*:2}"
}

# drop_packages: what has been unpacked, and what apt can make again
drop_packages() {
	rm -f "$packages"/*.{deb,dsc,tar.*} "$cache"/apt/*/*pkgcache.bin
}
