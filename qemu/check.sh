#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check: the unit tests, the harness's own tests, and the selftests in four
# guests. Everything leaves TAP in build/check/; the judge reads all of it and has
# the last word.
#
# Usage: qemu/check.sh [-j JOBS] [NAME…]
#   -j JOBS  how many to run side by side; default: one for each processor
#   NAME     run these alone
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"

out=$build/check
names=(tools fuzz decoders judge outcomes demo x86_64-kaslr x86_64-nokaslr ppc64le-0 ppc64le-32M)
# Nobody can say beforehand where KASLR will put a kernel
skips='--expect-skip=x86_64-kaslr/values.sh/offset is as expected'

# prepare ARCH: the kernel and what is built for it
prepare() {
	local kernel

	kernel=$("$qemu/get-kernel.sh" "$1" 6.1)
	build_module "$1" "$kernel"
	make -s -C "$top/selftests" -I "$qemu/tests" CC="$(cross "$1")gcc" \
		OUTPUT="$out/selftests-$1" >&2
}

# environment ARCH KERNEL [OFFSET]: what the selftests are told of this boot
environment() {
	echo "KRELOC_KO=/test/kreloc.ko"
	echo "NOTE_LIAR_KO=/test/note_liar.ko"
	echo "EXPORT_USER_KO=/test/export_user.ko"
	echo "OPTIONAL_USER_KO=/test/optional_user.ko"
	[ -z "$3" ] || printf 'KRELOC_EXPECT=0x%016x\n' "$3"
	# Only the device tree's kernel-end needs it, and only there it is at hand
	[ "$1" = x86_64 ] || printf 'KRELOC_IMAGE_SIZE=%d\n' \
		$((0x$(address_of _end "$2/vmlinux") - 0x$(address_of _stext "$2/vmlinux")))
}

# address_of SYMBOL VMLINUX
address_of() {
	nm "$2" | awk -v name="$1" '$3 == name { print $1; exit }'
}

# add_kreloc PAYLOAD: the program, and its test before the others, since the last
# of them locks the kernel down
add_kreloc() {
	add_program "$1" "$build/kreloc"
	cp "$qemu/guest/program" "$1/test/selftests/"
	sed -i 's/^/program /' "$1/test/selftests/tests"
}

# become COMMAND…: in place of the calling process, and not for longer than this
# script lives
become() {
	exec setpriv --pdeathsig TERM "$@"
}

# guest NAME ARCH OFFSET [OPTION…]
guest() {
	local name=$1 arch=$2 offset=$3
	local kernel=$cache/kernels/$arch-6.1 payload=$out/$name/payload

	new_payload "$payload" selftests "$kernel"
	cp "$(module_dir "$kernel")"/src/selftests/*/*.ko "$payload/test/"
	cp -r "$out/selftests-$arch" "$payload/test/selftests"
	[ "$arch" != "$(uname -m)" ] || add_kreloc "$payload"
	environment "$arch" "$kernel" "$offset" >"$payload/test/environment"
	become "$qemu/guest.sh" --arch="$arch" --kernel="$kernel" --payload="$payload" \
		--out="$out/$name" --timeout=600 "$skips" "${@:4}"
}

run() {
	case $1 in
	tools) become make -s -C "$top/tools" O="$build" check >"$out/$1/tap" ;;
	fuzz) become make -s -C "$top/tools" O="$build" TIME=30 fuzz >"$out/$1/tap" ;;
	decoders) become make -s -C "$top/module/tests" O="$build" check >"$out/$1/tap" ;;
	demo) become "$qemu/tests/demo.sh" "$out/$1/log" >"$out/$1/tap" ;;
	judge) become "$qemu/tests/judge.sh" >"$out/$1/tap" ;;
	outcomes) become "$qemu/tests/guest.sh" >"$out/$1/tap" ;;
	x86_64-kaslr) guest "$1" x86_64 '' ;;
	x86_64-nokaslr) guest "$1" x86_64 0 --append=nokaslr ;;
	ppc64le-0) guest "$1" ppc64le 0 ;;
	ppc64le-32M) guest "$1" ppc64le 0x2000000 --offset=0x2000000 ;;
	*) bad_usage "no such part: $1" ;;
	esac
}

# run_all NAME…: no more than so many side by side
run_all() {
	local name

	for name; do
		rm -rf "${out:?}/$name"
		mkdir "$out/$name"
		[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n || true
		run "$name" &
	done
	wait
}

jobs=$(nproc)
if [ "${1-}" = -j ]; then
	jobs=$2
	shift 2
fi
mkdir -p "$out"
[ $# -gt 0 ] || set -- "${names[@]}"
make -s -C "$top" tools >&2
prepare x86_64
prepare ppc64le
run_all "$@"

cd "$out"
exec "$qemu/judge.sh" "$skips" "${@/%//tap}"
