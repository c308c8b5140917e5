#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The selftests in a kernel's tree: installed by its Makefile, unchanged, and run by
# its runner in a guest of that kernel, they are as many and come out the same as in
# guests of check.sh. What they say of themselves in settings and config holds.
# Prints TAP.
#
# Usage: qemu/tests/kselftest.sh OUT
set -eu
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../payload.sh
. "${qemu:?}/payload.sh"
# shellcheck source=../tap.sh
. "$qemu/tap.sh"
out=$1
tree=${cache:?}/source/6.1/tree
# whether it moved, and by how much, is KASLR's choice
skips=(
	--expect-skip='*built_in.sh'
	--expect-skip='*unprivileged.sh'
	--expect-skip='*values.sh/offset is as expected'
)

# payload SCRIPT: with the modules that the selftests bring along
payload() {
	local root=$out/$1/payload module

	rm -rf "${out:?}/$1"
	install -D "$qemu/guest/$1" "$root/test/run"
	cp "$kernel"/*.ko "$root/test/"
	for module in note_liar export_user optional_user; do
		echo "${module^^}_KO=/test/$module.ko"
	done >"$root/test/environment"
}

# add_ours: as check.sh has them
add_ours() {
	local root=$out/selftests/payload

	make -s -C "$top/selftests" -I "$qemu/tests" CC=gcc OUTPUT="$root/test/selftests" >&2
	echo "KRELOC_KO=/test/kreloc.ko" >>"$root/test/environment"
}

# add_theirs: the runner wants GNU's timeout, and the tests modprobe
add_theirs() {
	local root=$out/kselftest/payload release

	release=$(cat "$kernel/release")
	cp -r "$kernel/kselftest" "$root/"
	add_program "$root" /usr/bin/timeout
	mkdir -p "$root/lib/modules/$release"
	mv "$root/test/kreloc.ko" "$root/lib/modules/$release/"
	touch "$root/lib/modules/$release"/modules.{order,builtin,builtin.modinfo}
	depmod -b "$root" "$release"
}

guest() {
	"$qemu/guest.sh" --arch=x86_64 --kernel="$kernel" --payload="$out/$1/payload" \
		--out="$out/$1" --timeout=900 "${skips[@]}"
}

same_count() {
	local ours theirs

	ours=$(tail -n 1 "$out/selftests/verdict")
	theirs=$(tail -n 1 "$out/kselftest/verdict")
	echo "ours: $ours; theirs: $theirs"
	[ "$ours" = "$theirs" ]
}

# The same tests, each by its name
same_names() {
	local kind

	for kind in selftests kselftest; do
		sed -nE 's/^[ #]*(not )?ok [0-9]+ //p' "$out/$kind/tap" |
			grep -v "^\($kind\|the kernel's log shows no trouble\)\$" |
			sed 's/^selftests: kreloc: //' >"$out/$kind/names"
	done
	[ "$(wc -l <"$out/selftests/names")" -gt 100 ]
	diff "$out/selftests/names" "$out/kselftest/names"
}

settings() {
	cat "$out/kselftest/files/limit.sh"
	grep -qx "# may take $(sed -n 's/^timeout=//p' "$top/selftests/settings") seconds" \
		"$out/kselftest/files/limit.sh"
}

too_slow() {
	local status=0

	"$qemu/judge.sh" "$out/kselftest/files/slow.sh" || status=$?
	cat "$out/kselftest/files/slow.sh"
	grep -qx 'not ok 1 selftests: kreloc: slow.sh # TIMEOUT 3 seconds' \
		"$out/kselftest/files/slow.sh" && [ $status -eq 1 ]
}

# config ARCH DEFCONFIG PREFIX: what the tree's own script makes of both
config() {
	local objects=$out/config-$1 line

	mkdir -p "$objects"
	(
		flock 8
		make -s -C "$tree" O="$objects" ARCH="$1" CROSS_COMPILE="$3" "$2"
		cd "$tree"
		ARCH=$1 CROSS_COMPILE=$3 scripts/kconfig/merge_config.sh -O "$objects" \
			"$objects/.config" "$top/selftests/config"
	) 8>"$cache/built.lock"
	while read -r line; do
		grep -qx "$line" "$objects/.config" || {
			echo "$line does not hold"
			return 1
		}
	done <"$top/selftests/config"
}

kernel=$("$qemu/build-kernel.sh" x86_64 m)
mkdir -p "$out"
payload selftests
add_ours
payload kselftest
add_theirs

echo "TAP version 13"
t "check.sh's way of running the selftests" guest selftests
t "the kernel's way of running them" guest kselftest
t "as many passed, failed and were skipped" same_count
t "every test has run in both" same_names
t "settings: how long a test may take is known to the runner" settings
t "settings: a test that takes longer has failed" too_slow
t "config: x86's defconfig with it has all of it" config x86 defconfig ''
t "config: powerpc's defconfig with it has all of it" config powerpc ppc64le_defconfig \
	powerpc64le-linux-gnu-
tap_end
