#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# The program elsewhere, as TAP: by clang; with musl; on i686, whose pointers are
# shorter than the addresses in traces; on s390x, whose bytes are the other way
# round. The last two in chroots of Debian 12, cross compiled and run by qemu-user.
# Everything is in build/portability/. Takes root, or sudo, for the chroots.
#
# Usage: qemu/portability.sh [clang|musl|i686|s390x]…
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/tap.sh"

out=$build/portability
# Of tools/tests those that need neither sanitizers nor this machine's perf
suites=(unit usage show stamp strip trace-dat ctf text sidecar vmcore addr check)
libraries=(libelf-dev libgcrypt20-dev libjson-c-dev liblzma-dev libzstd-dev zlib1g-dev)

# build NAME VARIABLE…: program and tests, in a directory of their own
build() {
	nice make -s -C "$top/tools" O="$out/$1" VARIANT="-$1" CFLAGS="-O2 -g" VERSION=portability \
		"${@:2}" check-build
}

# suite NAME TESTS: it came to its end, and did more than to skip
suite() {
	local status=0 tap=$out/$1-$2.tap

	nice "$top/tools/tests/run" "$out/$1/tools-$1" "$2" >"$tap" || status=$?
	grep -v '^ok ' "$tap"
	[ $status -eq 0 ]
	tail -n 1 "$tap" | grep -q '^1\.\.[1-9]'
	grep '^ok ' "$tap" | grep -qv '# SKIP'
}

# How many tests passed, and which were skipped and why
counted() {
	sed -n 's/^ok [0-9]* - \(.* # SKIP .*\)/# \1/p' "$1"
	echo "# $(grep -c '^ok ' "$1") tests, $(grep -c '^ok .* # SKIP' "$1") of them skipped"
}

suites() {
	local name

	for name in "${suites[@]}"; do
		t "$1: $name" suite "$1" "$name"
		counted "$out/$1-$name.tap"
	done
}

clang_() {
	t "clang: builds without a warning" build clang CC=clang
	suites clang
}

# emulate OBJECTS EMULATOR: programs become scripts that run them
emulate() {
	local program

	for program in "$1/kreloc" "$1"/tests/*; do
		if [ ! -f "$program" ] || [ ! -x "$program" ]; then
			continue
		fi
		mv "$program" "$program.real"
		printf '#!/bin/sh\nexec %s "%s.real" "$@"\n' "$2" "$program" >"$program"
		chmod +x "$program"
	done
}

# is_of FILE READELF ELF-WORDS…: what the compiler made is what was asked for
is_of() {
	local word

	for word in "${@:3}"; do
		"$2" -h "$1" | grep "$word"
	done
}

# foreign NAME TRIPLET EMULATOR ELF-WORDS…: within the chroot
foreign() {
	local objects=$out/$1/tools-$1

	t "$1: builds without a warning" build "$1" CC="$2-gcc" AR="$2-ar" LD="$2-ld" OBJCOPY="$2-objcopy"
	t "$1: it is ${*:4}" is_of "$objects/kreloc" "$2-readelf" "${@:4}"
	emulate "$objects" "$3"
	suites "$1"
}

musl_compile() {
	local source

	mkdir -p "$out/musl"
	for source in "$top"/tools/*.c "$top/tools/tests/unit.c"; do
		# shellcheck disable=SC2046 # flags
		musl-gcc -c -O1 -std=gnu11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -I"$top/tools" \
			-idirafter /usr/include -idirafter "/usr/include/$(gcc -print-multiarch)" \
			-Wall -Wextra -Werror -Wno-missing-field-initializers -ffunction-sections \
			-DKRELOC_VERSION='"musl"' -o "$out/musl/$(basename "$source" .c).o" "$source"
	done
}

# symbols OPTION… FILE…: names
symbols() {
	nm "$@" 2>/dev/null | awk 'NF > 1 { sub("@.*", "", $NF); print $NF }' | LC_ALL=C sort -u
}

# All that is wanted, and neither ours nor of a library that is linked, is musl's or the compiler's
musl_symbols() {
	local name libraries=()

	cd "$out/musl"
	for name in elf gcrypt json-c z lzma zstd; do
		libraries+=("$(gcc -print-file-name="lib$name.so")")
	done
	symbols -u ./*.o >wanted
	symbols -g --defined-only ./*.o >ours
	symbols -D --defined-only "${libraries[@]}" >libraries
	symbols -g --defined-only "/usr/lib/$(uname -m)-linux-musl/libc.a" \
		"$(gcc -print-libgcc-file-name)" >musl
	echo _GLOBAL_OFFSET_TABLE_ >>musl
	grep -qx malloc wanted
	grep -qx malloc musl
	LC_ALL=C sort -um ours libraries <(LC_ALL=C sort -u musl) | LC_ALL=C comm -23 wanted - >missing
	cat missing
	[ ! -s missing ]
}

# Of zlib and zstd they take what needs no C library
musl_unit() {
	local objects

	cd "$out/musl"
	objects=$(printf '%s\n' ./*.o | grep -vxE './(unit|kreloc)\.o')
	rm -f all.a
	# shellcheck disable=SC2086 # file names
	ar rcs all.a $objects
	musl-gcc -static -no-pie -Wl,--gc-sections -o unit unit.o all.a \
		"$(gcc -print-file-name=libz.a)" "$(gcc -print-file-name=libzstd.a)"
	./unit >tap
	cat tap
	grep -q '^ok ' tap
	! grep -q '^not ok ' tap
}

musl() {
	t "musl: every source compiles without a warning" musl_compile
	t "musl: has all that they use of a C library" musl_symbols
	t "musl: unit" musl_unit
}

# in_chroot NAME DEBARCH COMPILER: the rest of this script for one architecture
in_chroot() {
	local wanted=(make pkg-config xz-utils zstd python3 git qemu-user-static "$3" "libc6-dev-$2-cross")

	wanted+=("${libraries[@]/%/:$2}")
	"$qemu/chroot.sh" bookworm "$(IFS=, && echo "${wanted[*]}")" "$qemu/portability.sh" \
		--inside "$1" "$number" || failed=1
	number=$(cat "$out/number")
}

if [ "${1-}" = --inside ]; then
	export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root TMPDIR=$out/tmp
	mkdir -p "$TMPDIR"
	number=$3
	case $2 in
	i686) foreign i686 i686-linux-gnu qemu-i386-static ELF32 80386 ;;
	s390x) foreign s390x s390x-linux-gnu qemu-s390x-static "big endian" S/390 ;;
	esac
	echo "$number" >"$out/number"
	exit $failed
fi

[ $# -gt 0 ] || set -- clang musl i686 s390x
rm -rf "$out"
mkdir -p "$out"
echo "TAP version 13"
for name; do
	case $name in
	clang) clang_ ;;
	musl) musl ;;
	i686) in_chroot i686 i386 gcc-i686-linux-gnu ;;
	s390x) in_chroot s390x s390x gcc-s390x-linux-gnu ;;
	*) bad_usage "no such part: $name" ;;
	esac
done
tap_end
