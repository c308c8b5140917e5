#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check-symbols: real kernels' symbols against their vmlinux, moved and not, in
# the guest and again here, by kreloc and by perf's own test. Takes the x86_64
# kernel's vmlinux (a download of 283 MB, the one of make demo), which is why it is
# not part of make check.
#
# Usage: qemu/symbols.sh [--series=SERIES] [NAME…]
#   SERIES   of the kernels, a column of qemu/kernels; default: 6.1
#   NAME     run these guests alone
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"

series=6.1
case ${1-} in
--series=*)
	series=${1#*=}
	shift
	;;
esac
out=$build/symbols
[ "$series" = 6.1 ] || out+=-$series
names=(x86_64-kaslr x86_64-nokaslr ppc64le-0 ppc64le-32M)

# add_perf PAYLOAD ARCH: perf of the guest's architecture, with its libraries. One
# does for all kernels: the test is about symbols alone.
add_perf() {
	local perf

	perf=$("$qemu/get-perf.sh" "$2" 6.1)
	mkdir "$1/perf"
	cp -r "$perf"/{perf,bin,lib} "$1/perf/"
}

# prepare NAME ARCH KERNEL
prepare() {
	local payload=$out/$1/payload

	rm -rf "${out:?}/$1"
	install -D "$qemu/guest/symbols" "$payload/test/run"
	cp "$top/selftests/lib.sh" "$payload/test/"
	mkdir "$payload/boot"
	cp --reflink=auto -L "$3/vmlinux" "$payload/boot/vmlinux-$(cat "$3/release")"
	add_perf "$payload" "$2"
	[ "$2" != "$(uname -m)" ] || add_program "$payload" "$build/kreloc"
}

# guest NAME ARCH [OPTION…]: then the host's part, with what it left
guest() {
	local name=$1 arch=$2 kernel

	kernel=$("$qemu/get-kernel.sh" "$arch" "$series" --vmlinux)
	prepare "$name" "$arch" "$kernel"
	"$qemu/guest.sh" --arch="$arch" --kernel="$kernel" --payload="$out/$name/payload" \
		--out="$out/$name" --mem=2048 --timeout=600 "${@:3}" || true
	rm -rf "$out/$name/payload"
	"$qemu/tests/symbols.sh" "$build/kreloc" "$kernel" "$out/$name/files" >"$out/$name/host-tap" ||
		true
}

make -s -C "$top" tools >&2
mkdir -p "$out"
[ $# -gt 0 ] || set -- "${names[@]}"
for name; do
	case $name in
	x86_64-kaslr) guest "$name" x86_64 ;;
	x86_64-nokaslr) guest "$name" x86_64 --append=nokaslr ;;
	ppc64le-0) guest "$name" ppc64le ;;
	ppc64le-32M) guest "$name" ppc64le --offset=0x2000000 ;;
	*) bad_usage "no such guest: $name" ;;
	esac
done

cd "$out"
taps=()
for name; do
	taps+=("$name/tap" "$name/host-tap")
done
exec "$qemu/judge.sh" "${taps[@]}"
