# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Small kernels for addr.sh and check.sh, made up symbol by symbol: a vmlinux, and the kallsyms
# that such a kernel would show. Both are written down by hand here, so that the rules of what is
# in kallsyms are not taken from the program that is tested.

craft_elf=${objects:?}/tests/craft-elf

# at BASE DISTANCE: an address of 16 digits
at() {
	printf '%016x' $(($1 + $2))
}

# symbol NAME ADDRESS SIZE TYPE BIND SECTION [OTHER]: in vmlinux and in kallsyms
symbol() {
	vmlinux_symbol "$@"
	kallsyms_symbol "$1" "$2"
}

vmlinux_symbol() {
	echo "symbol $*" >>description
}

# kallsyms_symbol NAME ADDRESS: where it is at this boot's offset
kallsyms_symbol() {
	printf '%016x t %s\n' $((0x$2 + moved)) "$1" >>kallsyms
}

# fixed_symbol NAME VALUE …: does not move with the kernel
fixed_symbol() {
	vmlinux_symbol "$@"
	printf '%016x A %s\n' $((0x$2)) "$1" >>kallsyms
}

# finish_kernel: sorts kallsyms as the kernel does, and adds what is not the kernel's own
finish_kernel() {
	sort -s -k 1,1 kallsyms >sorted
	mv sorted kallsyms
	printf '%s t module_function\t[module]\n' ffffffffc0001000 ffffffffc0002000 >>kallsyms
	"$craft_elf" vmlinux <description
}

# functions COUNT TEXT [OTHER]: f0, f1, … of 0x20 bytes, 0x10 bytes apart, from TEXT + 0x100 on
functions() {
	local i

	for ((i = 0; i < $1; i++)); do
		symbol f$i "$(at "$2" $((0x100 + 0x30 * i)))" 20 func global .text ${3-}
	done
}

# x86_64_kernel OFFSET: 100 functions, data, per-CPU symbols, and what kallsyms leaves out
x86_64_kernel() {
	local text=0xffffffff81000000 i

	moved=$1
	rm -f description kallsyms
	cat >description <<-END
		arch x86_64
		build-id $build_id
		section .text ffffffff81000000 4000 x
		section .rodata ffffffff81200000 1000
		section .data ffffffff81300000 1000 w
		section .data..percpu 0 1000 w
		section .init.text ffffffff81400000 1000 x
		section .modinfo 0 100 n
	END
	fixed_symbol __per_cpu_start 0 0 notype global .data..percpu
	for ((i = 0; i < 10; i++)); do
		fixed_symbol percpu$i "$(at 0 $((0x10 * i)))" 8 object local .data..percpu
	done
	fixed_symbol __per_cpu_end 1000 0 notype global .data..percpu
	symbol _text ffffffff81000000 0 notype global .text
	symbol _stext ffffffff81000000 0 notype global .text
	symbol startup_64 ffffffff81000000 40 func global .text
	functions 100 $text
	# Several names for one address, and two symbols of one name
	symbol alias_weak ffffffff81000100 20 func weak .text
	symbol __alias_global ffffffff81000100 20 func global .text
	symbol twice ffffffff81002000 10 func local .text
	symbol twice ffffffff81002010 10 func local .text
	symbol outer ffffffff81003000 100 func global .text
	symbol inner ffffffff81003040 10 func local .text
	symbol label ffffffff81003080 0 notype local .text
	symbol __kprobes_text_end ffffffff81003200 0 notype global .text
	symbol _etext ffffffff81004000 0 notype global .text
	symbol linux_banner ffffffff81200000 40 object global .rodata
	symbol init_task ffffffff81300000 400 object global .data
	symbol _sinittext ffffffff81400000 0 notype global .init.text
	symbol start_kernel ffffffff81400000 200 func global .init.text
	symbol _einittext ffffffff81401000 0 notype global .init.text
	symbol _end ffffffff81401000 0 notype global .init.text
	vmlinux_symbol .text ffffffff81000000 0 section local .text
	vmlinux_symbol main.c 0 0 file local abs
	vmlinux_symbol .Llocal ffffffff81000110 0 notype local .text
	vmlinux_symbol __crc_f1 12345678 0 notype global abs
	vmlinux_symbol __kstrtab_f1 ffffffff81200080 0 notype local .rodata
	vmlinux_symbol __UNIQUE_ID_author 20 8 object local .modinfo
	vmlinux_symbol undefined 0 0 notype global undef
	finish_kernel
}

# ppc64le_kernel OFFSET [ARCH]: without CONFIG_KALLSYMS_ALL; every second function has a local
# entry point
ppc64le_kernel() {
	local text=0xc000000000000000 i other

	moved=$1
	rm -f description kallsyms
	cat >description <<-END
		arch ${2-ppc64le}
		build-id $build_id
		section .text c000000000000000 4000 x
		section .data c000000000100000 1000 w
		section .init.text c000000000200000 1000 x
	END
	symbol _stext c000000000000000 0 notype global .text
	symbol _text c000000000000000 0 notype global .text
	for ((i = 0; i < 100; i++)); do
		other=$((i % 2 ? 60 : 0))
		symbol f$i "$(at $text $((0x100 + 0x40 * i)))" 30 func global .text $other
	done
	symbol _etext c000000000004000 0 notype global .text
	vmlinux_symbol __start_rodata c000000000004000 0 notype global .text
	vmlinux_symbol init_task c000000000100000 400 object global .data
	symbol _sinittext c000000000200000 0 notype global .init.text
	symbol start_kernel c000000000200000 200 func global .init.text 60
	symbol _einittext c000000000201000 0 notype global .init.text
	vmlinux_symbol _end c000000000201000 0 notype global .init.text
	vmlinux_symbol 00000001.plt_branch.f1 c000000000003800 20 func local .text
	finish_kernel
}

# elfv1_kernel OFFSET: big-endian; a function is a descriptor, and its code has a dot
elfv1_kernel() {
	local text=0xc000000000000000 i

	moved=$1
	rm -f description kallsyms
	cat >description <<-END
		arch ppc64-elfv1
		build-id $build_id
		section .text c000000000000000 4000 x
		section .opd c000000000100000 1000 w
	END
	symbol _stext c000000000000000 0 notype global .text
	for ((i = 0; i < 50; i++)); do
		symbol .f$i "$(at $text $((0x100 + 0x40 * i)))" 30 func global .text
		symbol f$i "$(at $text $((0x100000 + 24 * i)))" 30 func global .opd
	done
	symbol _etext c000000000004000 0 notype global .text
	symbol _end c000000000101000 0 notype global .opd
	finish_kernel
}
