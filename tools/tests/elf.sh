# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# The shapes that a vmlinux comes in: packed, within a bzImage, with more in it than is needed, and
# damaged.

# shellcheck source=kernels.sh
. "$tests/kernels.sh"

matches() {
	run 0 "$kreloc" check --vmlinux="$1" --kallsyms=kallsyms
	silent err
}

refuses() {
	run 1 "$kreloc" check --vmlinux="$1" --kallsyms=kallsyms
	says err "kreloc: $1: $2"
	silent out
}

# bytes NUMBER…: little-endian, as NUMBER:BYTES
bytes() {
	local number count

	for number; do
		count=${number#*:} number=$((${number%:*}))
		for ((; count > 0; count--, number >>= 8)); do
			# shellcheck disable=SC2059 # that is how a byte is written
			printf "\\x$(printf %02x $((number & 255)))"
		done
	done
}

# lz4 FILE: as "lz4 -l" would write it, if it found nothing to shorten
lz4() {
	local size left

	size=$(stat -c %s "$1")
	left=$((size - 15))
	bytes 0x184c2102:4 $((size + left / 255 + 2)):4 0xf0:1
	printf '\xff%.0s' $(seq $((left / 255)))
	bytes $((left % 255)):1
	cat "$1"
	# The kernel's build appends the length
	bytes "$size":4
}

# boot_image PAYLOAD: as arch/x86/boot/ makes it, with nothing else in it
boot_image() {
	head -c 497 /dev/zero
	bytes 1:1 0:12 0xaa55:2 0:2
	printf HdrS
	bytes 0x020f:2
	head -c 64 /dev/zero
	bytes 16:4 "$(stat -c %s "$1")":4
	head -c $((1024 + 16 - 592)) /dev/zero
	cat "$1"
	echo "and what comes behind it"
}

elf_packed() {
	x86_64_kernel 0x200000
	xz -k vmlinux
	matches vmlinux.xz
	gzip -k vmlinux
	matches vmlinux.gz
	zstd -q vmlinux -o vmlinux.zst
	matches vmlinux.zst
	lz4 vmlinux >vmlinux.lz4
	matches vmlinux.lz4
	printf 'BZh91AY&SY' >vmlinux.bz2
	refuses vmlinux.bz2 "is packed with bzip2, which kreloc cannot unpack"
}

elf_packed_damaged() {
	local packed

	x86_64_kernel 0
	xz -k vmlinux
	gzip -k vmlinux
	zstd -q vmlinux -o vmlinux.zst
	lz4 vmlinux >vmlinux.lz4
	for packed in vmlinux.xz vmlinux.gz vmlinux.zst vmlinux.lz4; do
		head -c 200 $packed >short
		run 1 "$kreloc" check -k short -l kallsyms
		grep -qE 'kreloc: short: is (truncated|damaged): ' err
		{
			head -c 20 $packed
			head -c 2000 /dev/urandom
		} >noise
		run 1 "$kreloc" check -k noise -l kallsyms
		says err "kreloc: noise: is "
	done
	# A match that begins before what was unpacked
	bytes 0x184c2102:4 4:4 0x10:1 0x41:1 0xffff:2 >vmlinux.lz4
	refuses vmlinux.lz4 "is damaged: it cannot be unpacked"
	TMPDIR=/nonexistent refuses vmlinux.gz "is packed, and /nonexistent takes no temporary file"
}

elf_boot_image() {
	local packed

	x86_64_kernel 0
	echo no-symtab >>description
	"$craft_elf" stripped <description
	xz -k stripped
	gzip -k stripped
	zstd -q stripped -o stripped.zst
	lz4 stripped >stripped.lz4
	for packed in stripped.*; do
		boot_image $packed >vmlinuz
		refuses vmlinuz "is a bzImage, and the kernel in it has no symbol table; the vmlinux with debug symbols has: look for build-id $build_id"
	done
	echo nonsense >payload
	boot_image payload >vmlinuz
	refuses vmlinuz "is a bzImage, which has no symbol table: the vmlinux is needed"
	head -c 600 vmlinuz >short
	refuses short "is a bzImage, which has no symbol table"
}

# What an ELF file has beside the symbols is not read: 60 GB of it cost nothing
elf_hole() {
	x86_64_kernel 0x200000
	echo "hole f00000000" >>description
	"$craft_elf" vmlinux <description
	[ "$(stat -c %s vmlinux)" -gt 60000000000 ]
	matches vmlinux
	if strace -qq -o trace true 2>/dev/null; then
		ASAN_OPTIONS=detect_leaks=0 strace -f -o trace -e read,pread64 \
			"$kreloc" addr -o 0 -k vmlinux ffffffff81000100 >/dev/null
		! grep -E 'p?read[0-9]*\([0-9]+, .*, [0-9]{8,}' trace || fail "read too much"
	fi
}

elf_other() {
	x86_64_kernel 0
	sed -i 's/^arch .*/arch nonsense/' description
	refuses kallsyms "not an ELF file; the vmlinux is needed"
	head -c 60 vmlinux >short
	run 1 "$kreloc" check -k short -l kallsyms
	: >empty
	refuses empty "not an ELF file"
	sed '/_text/d' description | sed 's/^arch .*/arch x86_64/' | "$craft_elf" vmlinux
	refuses vmlinux "has no symbol _text; is it a kernel?"
	# which of them the kernel was linked for, nobody can say
	x86_64_kernel 0
	sed -i '/symbol _text/{p;s/ffffffff81/ffffffff82/}' description
	"$craft_elf" vmlinux <description
	refuses vmlinux "has _text at 0xffffffff81000000 and at 0xffffffff82000000; is it a kernel?"
	mkfifo fifo
	refuses fifo "not a regular file"
}

elf_mutate() {
	x86_64_kernel 0x200000
	"$objects/tests/mutate-elf" vmlinux kallsyms 3000
	ppc64le_kernel 0x2000000
	"$objects/tests/mutate-elf" vmlinux kallsyms 3000
	elfv1_kernel 0x2000000
	"$objects/tests/mutate-elf" vmlinux kallsyms 1000
}

t "vmlinux: packed with xz, gzip, zstd, lz4" elf_packed
t "vmlinux: packed, and truncated or damaged" elf_packed_damaged
t "vmlinux: a bzImage has none, and is told apart" elf_boot_image
t "vmlinux: 60 GB of debugging information cost nothing" elf_hole
t "vmlinux: what is none" elf_other
t "vmlinux: whatever is wrong in it, it is survived" elf_mutate
