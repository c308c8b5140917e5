# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Dumps of memory, and what kreloc tells other tools. The dumps in data/ are the first kilobytes of
# QEMU's of a guest with KASLR, as ELF and compressed; qemu/tests/consumers/vmcore.sh makes them.

dump_offset=0x0000000016e00000
dump_text=0xffffffff97e00000

dump() {
	xz -dc "$tests/data/$1.vmcore.xz" >"$1"
}

# patched FILE FROM TO: of the same length
patched() {
	[ ${#2} -eq ${#3} ]
	sed "s/$2/$3/" "$1" >"$1.new"
	! cmp -s "$1" "$1.new" || fail "no $2 in $1"
	mv "$1.new" "$1"
}

# offset_of FILE TEXT
offset_of() {
	grep -abo -m 1 -F -- "$2" "$1" | head -n 1 | cut -d : -f 1
}

# moved FILE: the memory of a ppc64le kernel at 32 MiB
moved() {
	"$craft" kcore kcore 0xc000000002000000 $text_size OSRELEASE=6.1.0-ppc \
		"SYMBOL(_stext)=c000000002000000" "${@:2}"
	"$craft" put kcore "$1" 18 2 21
}

vmcore_read() {
	local name

	for name in elf kdump; do
		dump $name
		run 0 "$kreloc" read $name
		silent err
		is out <<-END
			file: $name
			format: vmcore
			offset: $dump_offset
			text: $dump_text
			anchor: _text
			link: $link
			kernel-offset: $dump_offset
			build-id: $build_id
			release: $release
			source: recorder
		END
		run 0 "$kreloc" read --json $name
		says out '"kernel-offset":"'$dump_offset'"'
		vmlinux
		run 0 "$kreloc" read --vmlinux=vmlinux $name
		says out "offset: $dump_offset"
		"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link
		run 1 "$kreloc" read --vmlinux=other $name
		says err "recorded on a kernel with build-id $build_id, but other has"
	done
}

# There is nothing to be stamped in it
vmcore_stamp() {
	dump elf
	cp elf before
	run 0 "$kreloc" stamp elf
	says out "has its kernel's address from its recorder, unchanged"
	run 1 "$kreloc" stamp --offset=0x1000000 elf
	run 0 "$kreloc" strip elf
	says out "has no stamp"
	cmp elf before
}

vmcore_addr() {
	dump kdump
	vmlinux schedule=0xffffffff81a070d0
	echo "at ffffffff988070d0 it stood" |
		run 0 "$kreloc" addr --stamp=kdump --vmlinux=vmlinux
	says out "schedule+0x0"
}

# By _stext, whatever KERNELOFFSET says; without it, by vmlinux
vmcore_contradicts() {
	local name

	for name in elf kdump; do
		dump $name
		patched $name KERNELOFFSET=16e00000 KERNELOFFSET=00000000
		vmlinux
		run 0 "$kreloc" read --vmlinux=vmlinux $name
		says out "offset: $dump_offset"
		says out "kernel-offset: 0x0000000000000000"
		says err "kreloc: $name: warning: moved by 0x16e00000, and its KERNELOFFSET, which makedumpfile and drgn read, is 0x0"
		run 0 "$kreloc" read --vmlinux=vmlinux --for=vmcoreinfo $name
		[ "$(grep -c KERNELOFFSET out)" -eq 1 ]
		says out KERNELOFFSET=16e00000
		says out "SYMBOL(_stext)=ffffffff97e00000"
		dump $name
		patched $name KERNELOFFSET KERNELOFFSEX
		run 3 "$kreloc" read $name
		says out "offset: unknown"
		says err "give --vmlinux=FILE"
		run 0 "$kreloc" read --vmlinux=vmlinux $name
		says out "offset: $dump_offset"
		silent err
	done
}

vmcore_moved() {
	moved dump KERNELOFFSET=0
	run 0 "$kreloc" read dump
	says out "offset: 0x0000000002000000"
	says out "release: 6.1.0-ppc"
	says err "warning: moved by 0x2000000, and its KERNELOFFSET"
	run 0 "$kreloc" read --for=drgn dump
	is out <<<"drgn -c dump -s vmlinux --vmcoreinfo <(kreloc read --for=vmcoreinfo dump)"
	run 0 "$kreloc" read --for=vmcoreinfo dump
	[ "$(grep -c KERNELOFFSET out)" -eq 1 ]
	says out KERNELOFFSET=2000000
	run 1 "$kreloc" read --for=crash dump
	silent out
	says err "crash cannot be told that a ppc64le kernel was moved, by 0x2000000"
	# Without the key as well
	moved dump
	run 0 "$kreloc" read --for=drgn dump
	says out --vmcoreinfo
	moved dump KERNELOFFSET=2000000
	run 0 "$kreloc" read --for=drgn dump
	silent err
	is out <<<"drgn -c dump -s vmlinux"
}

vmcore_bad() {
	local size

	dump elf
	patched elf "SYMBOL(_stext)" "SYMBOL(_stexx)"
	run 1 "$kreloc" read elf
	says err "kreloc: elf: its VMCOREINFO has no SYMBOL(_stext)"
	dump elf
	patched elf 'VMCOREINFO' 'VMCOREINFX'
	run 1 "$kreloc" read elf
	says err "kreloc: elf: has no VMCOREINFO note"
	# Half a page off, and in user space
	dump elf
	patched elf "_stext)=ffffffff97e00000" "_stext)=ffffffff97e00800"
	run 1 "$kreloc" read elf
	says err "where no x86_64 kernel can be"
	dump elf
	patched elf "_stext)=ffffffff97e00000" "_stext)=0000000097e00000"
	run 1 "$kreloc" read elf
	silent out
	dump elf
	"$craft" put elf arm 18 2 183
	run 1 "$kreloc" read arm
	says err "of an architecture that kreloc does not know"
	dump kdump
	"$craft" put kdump old 8 4 2
	run 1 "$kreloc" read old
	says err "has no VMCOREINFO"
	"$craft" put kdump block 428 4 0
	run 1 "$kreloc" read block
	says err "of an unknown kind"
	"$craft" put kdump far $((4096 + 32)) 8 0x7fffffffffffffff
	run 1 "$kreloc" read far
	"$craft" put kdump long $((4096 + 40)) 8 0xffffffffffffffff
	run 1 "$kreloc" read long
	printf 'makedumpfile\0\0\0\0\0\0\0\0\0\0\0\1' >flat
	run 1 "$kreloc" read flat
	says err "is flattened: put it together, makedumpfile -R"
	# A number that the end cuts off is none
	dump elf
	size=$(offset_of elf "_stext)=ffff")
	"$craft" put elf cut $(($(offset_of elf VMCOREINFO) - 8)) 4 \
		$((size + 16 - $(offset_of elf VMCOREINFO) - 12))
	run 1 "$kreloc" read cut
	says err "kreloc: cut: its VMCOREINFO has no SYMBOL(_stext)"
	dump kdump
	"$craft" put kdump cut $((4096 + 40)) 8 \
		$(($(offset_of kdump "_stext)=ffff") + 16 - $(offset_of kdump OSRELEASE)))
	run 1 "$kreloc" read cut
	says err "kreloc: cut: its VMCOREINFO has no SYMBOL(_stext)"
	# Cut short anywhere: an error or the right answer
	for size in 1 16 17 18 20 63 64 100 360 400 1000 4090 4100 4140 5000 5040 6000 8000; do
		for name in elf kdump; do
			dump $name
			truncate -s $size $name
			! "$kreloc" read $name >out 2>err || says out "offset: $dump_offset"
			lacks err Sanitizer
		done
	done
}

# One byte of the headers or of the text is another, always the same ones
vmcore_damaged() {
	local name at status

	RANDOM=1
	for name in elf kdump; do
		dump $name
		for _ in {1..150}; do
			at=$((RANDOM % 600))
			[ $name = elf ] || [ $((RANDOM % 2)) = 0 ] || at=$((4096 + RANDOM % 64))
			[ $((RANDOM % 4)) != 0 ] || at=$((RANDOM % $(stat -c %s $name)))
			"$craft" put $name damaged $at 1 $((RANDOM % 256))
			status=0
			"$kreloc" read damaged >out 2>err || status=$?
			[ $status -le 3 ] || fail "byte $at: status $status: $(cat err)"
			lacks err Sanitizer
		done
	done
}

for_running() {
	run 0 "$kreloc" show --for=gdb
	is out <<<"symbol-file vmlinux -o $(printf 0x%x "$offset")"
	vmlinux
	mv vmlinux "a b'c"
	run 0 "$kreloc" show --for=gdb --vmlinux="a b'c"
	is out <<<"symbol-file 'a b'\\''c' -o $(printf 0x%x "$offset")"
	run 0 "$kreloc" show --for=crash
	is out <<<"crash --kaslr=$(printf 0x%x "$offset") vmlinux"
	run 0 "$kreloc" show --for=stap
	is out <<<"-G kreloc_offset=$(printf 0x%x "$offset")"
	run 0 "$kreloc" show --for=drgn
	is out <<<"drgn -k -s vmlinux"
	run 1 "$kreloc" show --for=vmcoreinfo
	silent out
	make_module $link
	run 0 "$kreloc" show --for=crash
	is out <<<"crash vmlinux"
	ppc64le 0xc000000002000000
	run 0 "$kreloc" show --for=drgn
	is out <<<"drgn -k -s vmlinux --vmcoreinfo <(kreloc show --for=vmcoreinfo)"
	run 1 "$kreloc" show --for=crash
	silent out
}

# Nothing may come out that looks like an answer
for_unknown() {
	local tool

	no_module
	for tool in gdb crash stap drgn vmcoreinfo; do
		run 3 "$kreloc" show --for=$tool
		silent out
		says err "/sys/kernel/kreloc/abi does not exist"
	done
	recording blind-a
	for tool in gdb crash stap drgn vmcoreinfo; do
		run 3 "$kreloc" read --for=$tool blind-a.data
		silent out
	done
}

for_stamped() {
	recording blind-a
	stamped blind-a.data
	run 0 "$kreloc" read --for=gdb blind-a.data
	is out <<<"symbol-file vmlinux -o $(printf 0x%x "$offset")"
	run 0 "$kreloc" read --for=stap blind-a.data
	is out <<<"-G kreloc_offset=$(printf 0x%x "$offset")"
	run 1 "$kreloc" read --for=drgn blind-a.data
	says err "kreloc: blind-a.data: drgn works on a dump or on the running kernel"
	silent out
}

for_usage() {
	run 2 "$kreloc" show --for=nonsense
	says err "kreloc: nonsense: kreloc does not know that tool"
	run 2 "$kreloc" read --for=nonsense x
	run 2 "$kreloc" show --for=gdb --json
	run 2 "$kreloc" read --for=gdb --json x
}

t "ELF and compressed dumps" vmcore_read
t "stamping leaves a dump alone" vmcore_stamp
t "addresses of a dump" vmcore_addr
t "KERNELOFFSET contradicts, or is missing" vmcore_contradicts
t "a moved ppc64le kernel" vmcore_moved
t "bad dumps" vmcore_bad
t "damaged dumps" vmcore_damaged
t "what other tools are told of the running kernel" for_running
t "and nothing where nothing is known" for_unknown
t "what they are told of a stamped recording" for_stamped
t "tools that kreloc does not know" for_usage
