# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc check on small kernels. Each planted fault has to be found and called by its name: a
# difference that is not found is as bad as one that is not there.

# shellcheck source=kernels.sh
. "$tests/kernels.sh"

# verdict STATUS VERDICT [OPTION…]: of the kernel that was made, and the table that was changed
verdict() {
	local status=$1 verdict=$2

	shift 2
	run "$status" "$kreloc" check --vmlinux=vmlinux --kallsyms=kallsyms "$@"
	says out "verdict: $verdict"
}

# change SED: the table
change() {
	cp kallsyms kallsyms.orig
	sed -E "$1" kallsyms.orig >kallsyms
	! cmp -s kallsyms kallsyms.orig || fail "nothing was changed by $1"
}

# add NUMBER PATTERN: to the addresses of the kernel's symbols that match
add() {
	local line address name

	cp kallsyms kallsyms.orig
	while read -r line; do
		address=${line%% *} name=${line##* }
		case $line in
		*'['*) ;;
		*) [[ ! $name =~ $2 ]] || line=$(printf '%016x t %s' $((0x$address + $1)) "$name") ;;
		esac
		echo "$line"
	done <kallsyms.orig >kallsyms
	! cmp -s kallsyms kallsyms.orig || fail "nothing was changed"
}

count_is() {
	says out "$1: $2"
}

check_match() {
	local offset

	for offset in 0 0x200000 0x3c000000; do
		x86_64_kernel $offset
		verdict 0 match
		silent err
		says out "$(printf 'offset: 0x%016x' $offset)"
		count_is kallsyms-symbols 130
		count_is vmlinux-symbols 130
		count_is matched 130
		verdict 0 match --offset=$offset
	done
}

check_match_ppc() {
	local offset arch

	for arch in ppc64le ppc64; do
		for offset in 0 0x2000000 0x20000000; do
			ppc64le_kernel $offset $arch
			verdict 0 match
			silent err
			count_is matched 106
		done
	done
}

check_match_elfv1() {
	elfv1_kernel 0x2000000
	verdict 0 match
	silent err
	count_is matched 103
}

check_text_only() {
	x86_64_kernel 0x200000
	grep -vE 'percpu|per_cpu|linux_banner|init_task|_end$' kallsyms >text
	printf '%s t __kprobes_text_end\n' ffffffff81203200 >>text
	mv text kallsyms
	verdict 0 match
}

check_order() {
	x86_64_kernel 0x200000
	sort -k 3 kallsyms >sorted
	mv sorted kallsyms
	verdict 0 match
	# The two of one name have changed places, which changes nothing
	grep -n ' twice$' kallsyms
	tac kallsyms >reversed
	mv reversed kallsyms
	verdict 0 match
}

check_keys() {
	x86_64_kernel 0x200000
	run 0 "$kreloc" check -k vmlinux -l kallsyms
	is out <<-END
		vmlinux: vmlinux
		kallsyms: kallsyms
		build-id: $build_id
		offset: 0x0000000000200000
		source: kallsyms
		vmlinux-symbols: 130
		kallsyms-symbols: 130
		matched: 130
		only-vmlinux: 0
		only-kallsyms: 0
		off: 0
		other-name: 0
		verdict: match
	END
}

check_json() {
	x86_64_kernel 0x200000
	run 0 "$kreloc" check -k vmlinux -l kallsyms --json
	says out '"offset":"0x0000000000200000","source":"kallsyms","vmlinux-symbols":130,'
	add 0x10 '^f7$'
	change 's/ f8$/ g8/'
	run 1 "$kreloc" check -k vmlinux -l kallsyms -j
	says out '{"what":"moved","name":"f7","vmlinux":"0xffffffff81000250","kallsyms":"0xffffffff81200260","by":"0x0000000000000010"}'
	says out '{"what":"renamed","name":"f8","vmlinux":"0xffffffff81000280","kallsyms":"0xffffffff81200280","new-name":"g8"}'
	says out '"verdict":"differs"}'
	[ "$(wc -l <out)" -eq 1 ]
}

check_moved() {
	x86_64_kernel 0x200000
	add -0x10 '^f7$'
	verdict 1 differs
	says out "moved: f7 is off by -0x10, at 0xffffffff81200240"
	count_is matched 129
	count_is off 1
	says err "kreloc: kallsyms: 1 of 130 symbols do not match"
}

check_renamed() {
	x86_64_kernel 0x200000
	change 's/ f7$/ f7_new/'
	verdict 1 differs
	says out "renamed: f7 is f7_new, at 0xffffffff81200250"
	count_is other-name 1
}

check_missing() {
	x86_64_kernel 0x200000
	change '/ f7$/d'
	verdict 1 differs
	says out "missing: f7 is missing, 0xffffffff81000250 in vmlinux"
	count_is only-vmlinux 1
	# Where other data are shown, these have to be, too
	x86_64_kernel 0x200000
	change '/ init_task$/d'
	verdict 1 differs
	says out "missing: init_task is missing"
}

check_extra() {
	local order

	# Where it belongs, and at the end
	for order in 'sort -o kallsyms kallsyms' true; do
		x86_64_kernel 0x200000
		echo 'ffffffff81200254 t surprise' >>kallsyms
		$order
		verdict 1 differs
		says out "extra: surprise is extra, at 0xffffffff81200254"
		count_is only-kallsyms 1
	done
	# One more of the same, too: these are multisets
	x86_64_kernel 0x200000
	echo 'ffffffff81200250 t f7' >>kallsyms
	verdict 1 differs
	says out "extra: f7 is extra"
}

check_swapped() {
	x86_64_kernel 0x200000
	change 's/ f7$/ f8_/; s/ f8$/ f7/; s/ f8_$/ f8/'
	verdict 1 differs
	says out "moved: f7 is off by +0x30, at 0xffffffff81200280, the place of f8"
	says out "moved: f8 is off by -0x30, at 0xffffffff81200250, the place of f7"
}

check_twice() {
	x86_64_kernel 0x200000
	change 's/^(.*)2010 t twice$/\12000 t twice/'
	verdict 1 differs
	says out "moved: twice is off by -0x10, at 0xffffffff81202000"
}

check_all_8() {
	x86_64_kernel 0x200000
	add 8 .
	verdict 1 shifted
	says err "every address is off by +0x8, and no kernel moves by that"
	lacks out moved:
	ppc64le_kernel 0x2000000
	add 8 .
	verdict 1 shifted
}

check_local_entry() {
	ppc64le_kernel 0x2000000
	add 8 '^(f[0-9]*[13579]|start_kernel)$'
	verdict 1 local-entry
	says out "offset: 0x0000000002000000"
	says err "holds local entry points: 51 functions are too high"
	lacks out moved:
	# Another fault does not get lost in it
	add 0x10 '^f4$'
	verdict 1 local-entry
	says out "moved: f4 is off by +0x10"
	# Nor is one function called a table
	ppc64le_kernel 0x2000000
	add 8 '^f7$'
	verdict 1 differs
	says out "moved: f7 is off by +0x8, at 0xc0000000020002c8, its local entry point"
}

check_endbr() {
	local i

	x86_64_kernel 0x200000
	for ((i = 0; i < 100; i += 2)); do
		echo "code $(at 0xffffffff81000000 $((0x100 + 0x30 * i))) f30f1efa" >>description
	done
	"$craft_elf" vmlinux <description
	add 4 '^(f[0-9]*[02468]|alias_weak|__alias_global)$'
	verdict 1 endbr
	says err "holds what comes after ENDBR64: 52 functions are 4 too high"
	lacks out moved:
}

check_percpu() {
	x86_64_kernel 0x200000
	add 0x200000 per_?cpu
	verdict 1 percpu
	says err "12 per-CPU symbols were moved by the offset"
	x86_64_kernel 0x200000
	add 0x200000 '^percpu7$'
	verdict 1 differs
	says out "moved: percpu7 is off by +0x200000, at 0x0000000000200070"
}

check_relocated() {
	x86_64_kernel 0x600000
	verdict 1 relocated --offset=0
	says err "relocated by +0x600000 from there: pass --offset=0x600000"
	lacks out moved:
	verdict 1 relocated --offset=0x800000
	says err "relocated by -0x200000 from there: pass --offset=0x600000"
	verdict 0 match --offset=0x600000
	ppc64le_kernel 0x2000000
	verdict 1 relocated --offset=0
	says err "pass --offset=0x2000000"
}

check_anchor_alone() {
	x86_64_kernel 0x600000
	add 0x200000 '^_text$'
	verdict 1 differs
	says out "offset: 0x0000000000600000"
	says out "moved: _text is off by +0x200000"
	count_is off 1
}

# Names are the same, the anchor is a multiple of a page away, and all else is elsewhere
check_other_kernel() {
	local line i=0

	x86_64_kernel 0x200000
	while read -r line; do
		case $line in
		*' f'*) printf '%016x t %s\n' $((0x${line%% *} + 16 * ++i)) "${line##* }" ;;
		*) echo "$line" ;;
		esac
	done <kallsyms >other
	mv other kallsyms
	verdict 1 other-kernel
	says out "offset: unknown"
	says err "not the same kernel: 100 of 130 symbols are elsewhere, and no one distance explains it"
	says out "not-listed: 80"
	run 1 "$kreloc" check -k vmlinux -l kallsyms --all
	[ "$(grep -c '^moved:' out)" -eq 100 ]
}

check_build_id() {
	local other=000102030405060708090a0b0c0d0e0f10111213

	x86_64_kernel 0
	"$craft" notes notes "$build_id"
	run 0 "$kreloc" check -k vmlinux -l kallsyms --notes=notes
	"$craft" notes notes $other
	run 1 "$kreloc" check -k vmlinux -l kallsyms --notes=notes
	says err "build-id $build_id, and notes has $other: not the same kernel"
	silent out
	run 1 "$kreloc" check -k vmlinux -l kallsyms --notes=kallsyms
	says err "kreloc: kallsyms: has no build-id"
	run 1 "$kreloc" check -k vmlinux -l kallsyms --notes=none
	says err "kreloc: none: No such file"
}

check_hidden() {
	x86_64_kernel 0x200000
	change 's/^[0-9a-f]+/0000000000000000/'
	verdict 3 hidden
	says out "offset: unknown"
	says err "addresses are hidden"
	verdict 3 hidden --offset=0x200000
	# Zeros at the top are right, and some alone are no restriction
	x86_64_kernel 0x200000
	head -n 1 kallsyms | grep -q ^0000000000000000
	change 's/^.* f([78])$/0000000000000000 t f\1/'
	verdict 1 differs
	says out "moved: f7 is 0, 0xffffffff81000250 in vmlinux"
}

check_truncated() {
	x86_64_kernel 0x200000
	head -n 80 kallsyms >short
	mv short kallsyms
	verdict 1 truncated
	says err "is truncated: 50 symbols behind its last one are missing"
	lacks out missing:
	# Within a line: the half name is nobody's
	x86_64_kernel 0x200000
	{
		head -n 80 kallsyms
		printf %s 'ffffffff81200cd0 t f6'
	} >short
	grep '^ffffffff81200cd0 t f63$' kallsyms
	mv short kallsyms
	verdict 1 truncated
	lacks out renamed:
	lacks out extra:
	# Only the end of the last line is missing: that is no fault
	x86_64_kernel 0x200000
	printf %s "$(grep -v module kallsyms)" >short
	mv short kallsyms
	verdict 0 match
}

# No row of the anchor, and too few others that move: nothing tells the offset, least of all 0
check_unknown() {
	local verdict

	x86_64_kernel 0x200000
	head -n 4 kallsyms >beginning
	cat beginning
	grep ' A ' beginning
	mv beginning kallsyms
	run 1 "$kreloc" check --vmlinux=vmlinux --kallsyms=kallsyms
	says out "offset: unknown"
	says out "source: unknown"
	verdict=$(sed -n 's/^verdict: //p' out)
	verdict 1 "$verdict" --offset=0x200000
	says out "offset: 0x0000000000200000"
	says out "source: given"
}

check_incomplete() {
	x86_64_kernel 0x200000
	change '/ f[1-4][0-9]$/d'
	verdict 1 incomplete
	says err "is incomplete: 40 of 130 symbols are missing"
	[ "$(grep -c '^missing:' out)" -eq 20 ]
	says out "not-listed: 20"
}

check_length() {
	x86_64_kernel 0x200000
	symbol kallsyms_num_syms ffffffff81200200 0 notype global .rodata
	echo "code ffffffff81200200 83000000" >>description
	"$craft_elf" vmlinux <description
	verdict 0 match
	change '/ f7$/d'
	verdict 1 differs
	says err "has 130 symbols; the kernel of this vmlinux has 131"
}

check_not_kallsyms() {
	x86_64_kernel 0
	echo "hello, world" >kallsyms
	run 1 "$kreloc" check -k vmlinux -l kallsyms
	says err "kreloc: kallsyms: line 1 is not a symbol"
	: >kallsyms
	run 1 "$kreloc" check -k vmlinux -l kallsyms
	says err "kreloc: kallsyms: has no symbol of a kernel"
	printf 'ffffffffc0001000 t f\t[module]\n' >kallsyms
	run 1 "$kreloc" check -k vmlinux -l kallsyms
	says err "has no symbol of a kernel"
	run 1 "$kreloc" check -k vmlinux -l vmlinux
	says err "kreloc: vmlinux: line 1 is not a symbol"
	run 1 "$kreloc" check -k vmlinux -l .
	says err "kreloc: .: Is a directory"
	run 1 "$kreloc" check -k vmlinux -l none
	says err "kreloc: none: No such file"
}

# A table that went over a terminal, and one as the kernel's build leaves it
check_crlf() {
	x86_64_kernel 0x200000
	sed -i 's/$/\r/' kallsyms
	verdict 0 match
	x86_64_kernel 0
	grep -v module kallsyms | sed 's/\t.*//' >System.map
	run 0 "$kreloc" check -k vmlinux -l System.map
}

check_running() {
	x86_64_kernel 0x200000
	mkdir -p "$KRELOC_ROOT/proc"
	cp kallsyms "$KRELOC_ROOT/proc/kallsyms"
	run 0 "$kreloc" check -k vmlinux
	says out "kallsyms: /proc/kallsyms"
	"$craft" notes "$KRELOC_ROOT/sys/kernel/notes" 000102030405060708090a0b0c0d0e0f10111213
	run 1 "$kreloc" check -k vmlinux
	says err "the running kernel has 000102030405060708090a0b0c0d0e0f10111213"
	put /proc/sys/kernel/arch ppc64le
	run 1 "$kreloc" check -k vmlinux
	says err "a x86_64 kernel, and this machine is ppc64le"
	rm -r "$KRELOC_ROOT"
	run 1 "$kreloc" check -k vmlinux
}

check_kcore() {
	local i

	x86_64_kernel 0x200000
	mkdir -p "$KRELOC_ROOT/proc"
	# One function is traced, one has an alternative, one an address
	symbol __start_mcount_loc ffffffff81300800 0 notype global .data
	symbol __stop_mcount_loc ffffffff81300808 0 notype global .data
	symbol __alt_instructions ffffffff81300840 0 notype global .data
	symbol __alt_instructions_end ffffffff8130084c 0 notype global .data
	cp kallsyms "$KRELOC_ROOT/proc/kallsyms"
	{
		echo "code ffffffff81300800 00010081ffffffff"
		echo "code ffffffff81300840 f0f8cfff000000000000040000"
		echo "code ffffffff81000100 e800000000"
		echo "code ffffffff81000130 90909090"
		echo "code ffffffff81000160 48c7c000000081"
	} >>description
	"$craft_elf" vmlinux <description
	{
		echo core
		echo arch x86_64
		echo "section .text ffffffff81200000 4000 x"
		echo "code ffffffff81200100 0f1f440000"
		echo "code ffffffff81200130 0f1f4000"
		echo "code ffffffff81200160 48c7c000002081"
	} >memory
	"$craft_elf" "$KRELOC_ROOT/proc/kcore" <memory
	run 0 "$kreloc" check -k vmlinux --kcore
	count_is code-functions 107
	count_is code-ftrace 9
	count_is code-alternatives 4
	count_is code-addresses 1
	count_is code-strange 0
	says out "code: same"
	# A kernel whose code is another one's
	for ((i = 0; i < 10; i++)); do
		echo "code $(at 0xffffffff81200000 $((0x200 + 0x30 * i))) cccc" >>memory
	done
	"$craft_elf" "$KRELOC_ROOT/proc/kcore" <memory
	run 1 "$kreloc" check -k vmlinux --kcore
	says out "verdict: match"
	says out "code: other"
	says out "code-strange: 10"
	says err "not the code of this vmlinux: 10 of 107 functions differ"
	rm "$KRELOC_ROOT/proc/kcore"
	run 1 "$kreloc" check -k vmlinux --kcore
	says err "/proc/kcore does not exist"
	says out "verdict: match"
}

check_kcore_ppc() {
	local i

	ppc64le_kernel 0x2000000
	symbol _mcount c000000000003000 20 func global .text
	mkdir -p "$KRELOC_ROOT/proc"
	sort -o "$KRELOC_ROOT/proc/kallsyms" kallsyms
	put /proc/sys/kernel/arch ppc64le
	{
		# Two nops at the local entry point; before 6.5, mflr r0 and bl _mcount
		echo "code c000000000000148 0000006000000060"
		echo "code c0000000000001c8 a602087c352e0048"
	} >>description
	"$craft_elf" vmlinux <description
	{
		echo core
		echo arch ppc64le
		echo "section .text c000000002000000 4000 x"
		echo "code c000000002000148 a602087c00000060"
		echo "code c0000000020001c8 0000006000000060"
	} >memory
	"$craft_elf" "$KRELOC_ROOT/proc/kcore" <memory
	run 0 "$kreloc" check -k vmlinux --kcore
	count_is code-functions 102
	count_is code-ftrace 11
	count_is code-strange 0
	# Not any nop, and not any call
	for ((i = 0; i < 4; i++)); do
		echo "code $(at 0xc000000000000000 $((0x350 + 0x80 * i))) 00000060" >>description
		echo "code $(at 0xc000000002000000 $((0x350 + 0x80 * i))) 01000060" >>memory
	done
	"$craft_elf" vmlinux <description
	"$craft_elf" "$KRELOC_ROOT/proc/kcore" <memory
	run 1 "$kreloc" check -k vmlinux --kcore
	count_is code-strange 4
}

check_stamp() {
	vmlinux
	printf '%s T _text\n%s T _etext\n' "${text#0x}" "${etext#0x}" >kallsyms
	recording blind-a
	run 3 "$kreloc" check -k vmlinux -l kallsyms --stamp=blind-a.data
	says err "kreloc: blind-a.data: does not say where its kernel was"
	"$kreloc" stamp blind-a.data
	run 0 "$kreloc" check -k vmlinux -l kallsyms --stamp=blind-a.data
	says out "offset: $offset"
	says out "source: stamp"
	sed -i 's/^........../ffffffff80/' kallsyms
	run 1 "$kreloc" check -k vmlinux -l kallsyms --stamp=blind-a.data
	run 1 "$kreloc" check -k vmlinux -l kallsyms --stamp=kallsyms
	says err "kreloc: kallsyms: not a trace file"
}

check_no_symbols() {
	x86_64_kernel 0
	echo no-symtab >>description
	"$craft_elf" vmlinux <description
	run 1 "$kreloc" check -k vmlinux -l kallsyms
	says err "kreloc: vmlinux: has no symbol table; the vmlinux with debug symbols has: look for build-id $build_id"
	run 1 "$kreloc" check -k kallsyms -l kallsyms
	says err "kreloc: kallsyms: not an ELF file"
	run 1 "$kreloc" check -k none -l kallsyms
	says err "kreloc: none: No such file"
	run 1 "$kreloc" check -k . -l kallsyms
	says err "kreloc: .: is a directory"
}

check_usage() {
	run 2 "$kreloc" check
	says err "check: --vmlinux=FILE is needed"
	run 2 "$kreloc" check -k vmlinux file
	says err "kreloc: file: kreloc check takes no file"
	run 2 "$kreloc" check -k vmlinux --offset=0 --stamp=x
	run 2 "$kreloc" check -k vmlinux --offset=x
	says err "kreloc: x: not a hexadecimal number"
}

# An offset at which no kernel can be is refused before anything is compared at it
check_impossible() {
	x86_64_kernel 0x200000
	run 1 "$kreloc" check -k vmlinux -l kallsyms --offset=0x200008
	says err "where no x86_64 kernel can be"
	silent out
}

t "check: x86_64 matches, moved or not, per-CPU rows and all" check_match
t "check: ppc64 matches at 0, 32 MiB and 512 MiB, in both byte orders" check_match_ppc
t "check: function descriptors and dot symbols of the ELFv1 ABI" check_match_elfv1
t "check: a kernel without CONFIG_KALLSYMS_ALL shows code alone" check_text_only
t "check: the order of the lines does not matter" check_order
t "check: the keys of its answer" check_keys
t "check: JSON" check_json
t "check: fault: one symbol is moved" check_moved
t "check: fault: one symbol has another name" check_renamed
t "check: fault: one symbol is missing" check_missing
t "check: fault: one symbol too many, also of a name that is there" check_extra
t "check: fault: two symbols have changed places" check_swapped
t "check: fault: two of one name are at one place" check_twice
t "check: fault: every address is 8 too high" check_all_8
t "check: fault: local entry points" check_local_entry
t "check: fault: behind ENDBR64" check_endbr
t "check: fault: per-CPU symbols were moved" check_percpu
t "check: fault: another offset" check_relocated
t "check: fault: the anchor alone is moved" check_anchor_alone
t "check: fault: another kernel, a multiple of a page away" check_other_kernel
t "check: fault: another build-id" check_build_id
t "check: fault: all addresses are zeros, or some" check_hidden
t "check: fault: the end is missing, or half a line of it" check_truncated
t "check: an offset that nothing tells is unknown" check_unknown
t "check: fault: much of it is missing" check_incomplete
t "check: the length that the kernel knows" check_length
t "check: what is no copy of kallsyms is refused" check_not_kallsyms
t "check: ends of lines in CRLF, System.map" check_crlf
t "check: the running kernel" check_running
t "check: the running kernel's code" check_kcore
t "check: the running kernel's code on powerpc" check_kcore_ppc
t "check: at the offset that a trace file has" check_stamp
t "check: a vmlinux without symbols, and what is none" check_no_symbols
t "check: usage errors" check_usage
t "check: an offset where no kernel can be" check_impossible
