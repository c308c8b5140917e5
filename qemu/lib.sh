# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the scripts of this directory share. Sourced, never run: it only sets
# the paths that all agree on and defines functions.

# shellcheck disable=SC2034 # the sourcing scripts use these
{
	top=$(cd "${BASH_SOURCE[0]%/*}/.." && pwd)
	qemu=$top/qemu
	build=$top/build
	cache=$(realpath -m "${KRELOC_CACHE:-$top/.cache}")
}

say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
	say "$@"
	exit 1
}

# usage: print the head comment of the running script, from its "Usage:" line on
usage() {
	sed -n '/^# Usage:/,/^[^#]/ { /^#/ s/^# \{0,1\}//p; }' "$0"
}

bad_usage() {
	say "$@"
	usage >&2
	exit 2
}

