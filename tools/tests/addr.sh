# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc addr on small kernels: which symbol is where, and what of a text is an address.

# shellcheck source=kernels.sh
. "$tests/kernels.sh"

# addr [OPTION…] ADDRESS…: of a kernel at the offset that was made
addr() {
	run 0 "$kreloc" addr --offset=$moved --vmlinux=vmlinux "$@"
}

# filter [OPTION…]: of what comes from standard input
filter() {
	"$kreloc" addr --offset=$moved --vmlinux=vmlinux "$@" >out 2>err
}

addr_symbols() {
	x86_64_kernel 0x200000
	addr ffffffff81200000 0xffffffff8120003f ffffffff81200040 FFFFFFFF81200135 \
		ffffffff81203000 ffffffff8120303f ffffffff81203048 ffffffff81203050 \
		ffffffff81203085 ffffffff812030ff ffffffff81203100 ffffffff81500010
	silent err
	is out <<-END
		0xffffffff81200000 0xffffffff81000000 startup_64+0x0
		0xffffffff8120003f 0xffffffff8100003f startup_64+0x3f
		0xffffffff81200040 0xffffffff81000040 ?
		0xffffffff81200135 0xffffffff81000135 f1+0x5
		0xffffffff81203000 0xffffffff81003000 outer+0x0
		0xffffffff8120303f 0xffffffff8100303f outer+0x3f
		0xffffffff81203048 0xffffffff81003048 inner+0x8
		0xffffffff81203050 0xffffffff81003050 outer+0x50
		0xffffffff81203085 0xffffffff81003085 label+0x5
		0xffffffff812030ff 0xffffffff810030ff label+0x7f
		0xffffffff81203100 0xffffffff81003100 ?
		0xffffffff81500010 0xffffffff81300010 init_task+0x10
	END
}

# The linker script's names stand for one address, not for all that comes behind
addr_marks() {
	x86_64_kernel 0
	addr ffffffff81003200 ffffffff81003201 ffffffff81003fff
	is out <<-END
		0xffffffff81003200 0xffffffff81003200 __kprobes_text_end+0x0
		0xffffffff81003201 0xffffffff81003201 ?
		0xffffffff81003fff 0xffffffff81003fff ?
	END
}

# Global before local before weak, fewer underscores, the order of the table; perf: longer
addr_aliases() {
	x86_64_kernel 0
	{
		echo "symbol a_weak ffffffff81003300 10 func weak .text"
		echo "symbol a_local ffffffff81003300 10 func local .text"
		echo "symbol b_weak ffffffff81003310 10 func weak .text"
		echo "symbol b_local ffffffff81003310 10 func local .text"
		echo "symbol __b ffffffff81003310 10 func global .text"
		echo "symbol __c ffffffff81003320 10 func global .text"
		echo "symbol _c ffffffff81003320 10 func global .text"
		echo "symbol d ffffffff81003330 10 func global .text"
		echo "symbol d_longer ffffffff81003330 10 func global .text"
		echo "symbol SyS_e ffffffff81003340 10 func global .text"
		echo "symbol sys_e ffffffff81003340 10 func global .text"
		echo "symbol f_label ffffffff81003350 0 notype global .text"
		echo "symbol f_sized ffffffff81003350 10 func local .text"
		# The longer one answers where the better one has ended
		echo "symbol g_short ffffffff81003360 8 func global .text"
		echo "symbol g_long ffffffff81003360 10 func local .text"
	} >>description
	"$craft_elf" vmlinux <description
	addr ffffffff81000100 ffffffff8100330{0,1} ffffffff810033{10,20,30,40,50} \
		ffffffff8100336{0,7,8,f}
	awk '{ print $3 }' out >names
	is names <<-END
		f0+0x0
		a_local+0x0
		a_local+0x1
		__b+0x0
		_c+0x0
		d+0x0
		SyS_e+0x0
		f_sized+0x0
		g_short+0x0
		g_short+0x7
		g_long+0x8
		g_long+0xf
	END
	addr --aliases=perf ffffffff810033{00,30,40}
	awk '{ print $3 }' out >names
	is names <<-END
		a_local+0x0
		d_longer+0x0
		sys_e+0x0
	END
}

addr_local_entry() {
	ppc64le_kernel 0x2000000
	addr c000000002000140 c000000002000148 c000000002000150 c000000002000108
	is out <<-END
		0xc000000002000140 0xc000000000000140 f1+0x0
		0xc000000002000148 0xc000000000000148 f1+0x8 local entry
		0xc000000002000150 0xc000000000000150 f1+0x10
		0xc000000002000108 0xc000000000000108 f0+0x8
	END
}

# A descriptor has 24 bytes, whatever st_size says of the code
addr_elfv1() {
	elfv1_kernel 0x2000000
	addr c000000002000144 c000000002100018 c00000000210002f c000000002100030 \
		c0000000021004af c0000000021004b0
	is out <<-END
		0xc000000002000144 0xc000000000000144 .f1+0x4
		0xc000000002100018 0xc000000000100018 f1+0x0
		0xc00000000210002f 0xc00000000010002f f1+0x17
		0xc000000002100030 0xc000000000100030 f2+0x0
		0xc0000000021004af 0xc0000000001004af f49+0x17
		0xc0000000021004b0 0xc0000000001004b0 ?
	END
}

# A call can be the last instruction of its function
addr_return() {
	x86_64_kernel 0x200000
	addr --return ffffffff81200150 ffffffff81200135 ffffffff81200131
	is out <<-END
		0xffffffff81200150 0xffffffff81000150 f1+0x20
		0xffffffff81200135 0xffffffff81000135 f1+0x5
		0xffffffff81200131 0xffffffff81000131 f1+0x1
	END
	echo ffffffff81200150 | filter --return
	says out "ffffffff81200150 [ffffffff81000150 f1+0x20]"
	# One past the end of the image is still a return address
	addr --return ffffffff81601000
	says out "0xffffffff81601000 0xffffffff81401000 ?"
	run 1 "$kreloc" addr -o $moved -k vmlinux ffffffff81601000
}

addr_raw() {
	x86_64_kernel 0x200000
	addr --raw ffffffff81200135 0xffffffff81200040
	is out <<-END
		0xffffffff81000135
		0xffffffff81000040
	END
	filter --raw <<-END
		at ffffffff81200135, 0xFFFFFFFF81200140: not ffffffff81200135f
	END
	is out <<-END
		at ffffffff81000135, 0xffffffff81000140: not ffffffff81200135f
	END
}

addr_outside() {
	x86_64_kernel 0x200000
	run 1 "$kreloc" addr -o $moved -k vmlinux ffffffffc0001000 ffffffff81200135
	says err "kreloc: ffffffffc0001000: not in the kernel's image, 0xffffffff81200000 to 0xffffffff81601000"
	says out "0xffffffff81200135 0xffffffff81000135 f1+0x5"
	lacks err warning
	# Nothing but the kernel can be there
	run 1 "$kreloc" addr -o $moved -k vmlinux ffffffff8f345678
	says err "warning: outside the kernel's image, 0xffffffff81200000 to 0xffffffff81601000, where nothing else can be: 1 addresses"
	says err "is it the right offset?"
	# Numbers of per-CPU symbols are no addresses
	run 1 "$kreloc" addr -o $moved -k vmlinux 10
	run 1 "$kreloc" addr -o $moved -k vmlinux 0
	run 2 "$kreloc" addr -o $moved -k vmlinux g7
	run 2 "$kreloc" addr -o $moved -k vmlinux f1+0x7
	says err "kreloc: f1+0x7: not a hexadecimal number"
}

# Subtracting the offset twice gives names, too: wrong ones
addr_twice() {
	x86_64_kernel 0x600000
	addr ffffffff81000135
	says out "0xffffffff81000135 0xffffffff81000135 f1+0x5"
	says err "warning: left as they are, since they are link addresses already: 1 addresses"
	echo "ffffffff81600135 ffffffff81000135" | filter
	is out <<-END
		ffffffff81600135 [ffffffff81000135 f1+0x5] ffffffff81000135 [ffffffff81000135 f1+0x5]
	END
	says err "was the offset subtracted before?"
	# Within reach of each other it cannot be told, which is said
	x86_64_kernel 0x200000
	echo "ffffffff81000135 ffffffff81200135" | filter
	says err "warning: could be link addresses or run-time addresses, and taken for the latter: 1 more"
	# Where nothing moved there is nothing to tell
	x86_64_kernel 0
	addr ffffffff81000135
	silent err
}

addr_stream() {
	x86_64_kernel 0x200000
	{
		echo 'RIP: [<ffffffff81200135>] ip=0xffffffff81200135,x FFFFFFFF81200135'
		echo 'not: 0ffffffff81200135 ffffffff8120013 ffffffff812001355 xffffffff81200135'
		echo 'nor: _ffffffff81200135 ffffffff81200135_ 0x0xffffffff81200135 éffffffff81200135'
		echo 'no module: ffffffffc0001000, no user: 00007fff81200135 ffff888012345678'
		printf 'binary \0\1\377 ffffffff81200040\0ffffffff81200135'
	} >in
	filter <in
	silent err
	{
		echo 'RIP: [<ffffffff81200135 [ffffffff81000135 f1+0x5]>] ip=0xffffffff81200135 [0xffffffff81000135 f1+0x5],x FFFFFFFF81200135 [ffffffff81000135 f1+0x5]'
		sed -n 2,4p in
		printf 'binary \0\1\377 ffffffff81200040 [ffffffff81000040 ?]\0'
		printf 'ffffffff81200135 [ffffffff81000135 f1+0x5]'
	} >want
	cmp want out
	# Nothing in it, nothing changes
	head -c 3000000 /dev/urandom >in
	filter <in
	cmp in out
	: >in
	filter <in
	silent out
}

# Wherever the reads end
addr_split() {
	local i

	x86_64_kernel 0x200000
	for ((i = 0; i < 400; i++)); do
		echo "some text $((i * i)) 0xffffffff81200135 and ffffffff81200160, ${i}ffffffff81200135"
	done >in
	filter <in
	mv out want
	for i in 1 7 16 17 18 19 4096; do
		dd if=in bs=$i status=none | filter
		cmp want out
	done
	# What is too long for an address is so when half of it has gone already
	{
		printf aaaaaaaaaaaaaaaaaaaaaaaa
		sleep 1
		printf 'ffffffff81200135 \n'
	} | filter
	lacks out '['
	[ "$(grep -c 'f1+0x5\] and ffffffff81200160 \[ffffffff81000160 f2+0x0\], ' want)" -eq 400 ]
}

# What a program prints is passed on as it comes, not when a buffer is full
addr_follow() {
	local i

	x86_64_kernel 0x200000
	mkfifo in
	"$kreloc" addr -o $moved -k vmlinux <in >out &
	exec 3>in
	echo ffffffff81200135 >&3
	for ((i = 0; i < 100; i++)); do
		[ ! -s out ] || break
		sleep 0.1
	done
	says out "ffffffff81200135 [ffffffff81000135 f1+0x5]"
	exec 3>&-
	wait
}

addr_full() {
	x86_64_kernel 0x200000
	echo ffffffff81200135 >in
	! "$kreloc" addr -o $moved -k vmlinux <in >/dev/full 2>err || fail "status 0"
	says err "kreloc: standard output: No space left on device"
	run 1 "$kreloc" addr -o $moved -k vmlinux <.
	says err "kreloc: standard input: Is a directory"
}

# A module of two sections with code, and one that is gone after loading
make_modules() {
	cat >modules <<-END
		other 16384 0 - Live 0xffffffffc0010000 (OE)
		a_module 8192 1 other, Live 0xffffffffc0001000
	END
	"$craft_elf" a-module.ko <<-END
		arch x86_64
		rel
		section .note 0 20
		section .text 0 100 x
		section .init.text 0 40 x
		section .text.unlikely 0 80 x
		section .data 0 100 w
		symbol first 0 20 func local .text
		symbol second 40 20 func global .text
		symbol starts 0 10 func local .init.text
		symbol cold 8 20 func local .text.unlikely
		symbol variable 0 10 object local .data
	END
}

addr_modules() {
	x86_64_kernel 0x200000
	make_modules
	addr --modules=modules ffffffffc0001045 ffffffffc0010010 ffffffff81200135
	is out <<-END
		0xffffffffc0001045 - [a_module]+0x45
		0xffffffffc0010010 - [other]+0x10
		0xffffffff81200135 0xffffffff81000135 f1+0x5
	END
	addr --modules=modules --ko=a-module.ko ffffffffc00010{00,1f,20,45} ffffffffc0001108 \
		ffffffffc0001200
	is out <<-END
		0xffffffffc0001000 - first+0x0 [a_module]
		0xffffffffc000101f - first+0x1f [a_module]
		0xffffffffc0001020 - [a_module]+0x20
		0xffffffffc0001045 - second+0x5 [a_module]
		0xffffffffc0001108 - cold+0x0 [a_module]
		0xffffffffc0001200 - [a_module]+0x200
	END
	echo "ffffffffc0001045 ffffffffc0010010 ffffffffc0020000" |
		filter --modules=modules --ko=a-module.ko
	is out <<-END
		ffffffffc0001045 [second+0x5 a_module] ffffffffc0010010 [other+0x10] ffffffffc0020000
	END
	echo "ffffffffc0001045 ffffffff81200135" | filter --raw --modules=modules
	is out <<<"ffffffffc0001045 ffffffff81000135"
}

addr_modules_bad() {
	x86_64_kernel 0x200000
	make_modules
	run 1 "$kreloc" addr -o $moved -k vmlinux -m modules -M vmlinux 0
	says err "kreloc: vmlinux: no module of that name was loaded"
	cp vmlinux other.ko
	run 1 "$kreloc" addr -o $moved -k vmlinux -m modules -M other.ko 0
	says err "kreloc: other.ko: is not a kernel module with symbols"
	cp a-module.ko a_module.ko
	run 1 "$kreloc" addr -o $moved -k vmlinux -m modules -M a-module.ko -M a_module.ko 0
	says err "kreloc: a_module.ko: a second file for a_module"
	sed -i 's/8192/256/' modules
	run 1 "$kreloc" addr -o $moved -k vmlinux -m modules -M a-module.ko 0
	says err "kreloc: a-module.ko: has more code than a_module had when it was loaded"
	sed -i 's/0x[0-9a-f]*/0x0000000000000000/' modules
	run 1 "$kreloc" addr -o $moved -k vmlinux -m modules 0
	says err "kreloc: modules: has no addresses"
	echo hello >modules
	run 1 "$kreloc" addr -o $moved -k vmlinux -m modules 0
	says err "kreloc: modules: is not a copy of /proc/modules"
	run 2 "$kreloc" addr -o $moved -k vmlinux -M a-module.ko 0
	says err "--ko needs --modules=FILE"
}

addr_to_runtime() {
	ppc64le_kernel 0x2000000
	addr --to-runtime f1 f2 f1+0x10 c000000000000148 init_task
	is out <<-END
		0xc000000002000140 f1 local entry 0xc000000002000148
		0xc000000002000180 f2
		0xc000000002000150 f1+0x10
		0xc000000002000148
		0xc000000002100000 init_task
	END
	addr --to-runtime --raw f1
	is out <<<0xc000000002000140
	run 1 "$kreloc" addr -o $moved -k vmlinux -u nonsense
	says err "kreloc: nonsense: no such symbol in the kernel's image"
	x86_64_kernel 0x600000
	addr -u twice
	is out <<-END
		0xffffffff81602000 twice
		0xffffffff81602010 twice
	END
	# A per-CPU symbol is nowhere; what has moved already does not move again
	run 1 "$kreloc" addr -o $moved -k vmlinux -u percpu7
	says err "no such symbol"
	run 1 "$kreloc" addr -o $moved -k vmlinux -u ffffffff81600135
	says err "is a run-time address already"
	run 1 "$kreloc" addr -o $moved -k vmlinux -u ffffffff91600135
	says err "not in the kernel's image, 0xffffffff81000000 to 0xffffffff81401000"
	# A symbol whose name is a number
	echo "symbol add ffffffff81003400 10 func global .text" >>description
	"$craft_elf" vmlinux <description
	addr -u add
	says out "0xffffffff81603400 add"
}

addr_stamp() {
	vmlinux f1=0xffffffff81000100
	recording blind-a
	run 3 "$kreloc" addr --stamp=blind-a.data -k vmlinux $text
	says err "kreloc: blind-a.data: does not say where its kernel was"
	silent out
	"$kreloc" stamp blind-a.data
	run 0 "$kreloc" addr --stamp=blind-a.data -k vmlinux "$(printf %x $((text + 0x100)))"
	says out "0xffffffff81000100 f1+0x0"
	recording good
	run 0 "$kreloc" addr --stamp=good.data -k vmlinux --raw $text
	is out <<<$link
	# The stamp has the link address and the size; the recorder's own record has not
	run 0 "$kreloc" addr --stamp=blind-a.data $text
	says out "$text $link ?"
	no_module
	run 3 "$kreloc" addr --stamp=good.data $text
	says err "kreloc: good.data: has the run-time address of"
	x86_64_kernel 0
	sed -i 's/^build-id .*/build-id 000102030405060708090a0b0c0d0e0f10111213/' description
	"$craft_elf" vmlinux <description
	run 1 "$kreloc" addr --stamp=blind-a.data -k vmlinux $text
	says err "but vmlinux has 000102030405060708090a0b0c0d0e0f10111213"
	run 1 "$kreloc" addr --stamp=vmlinux -k vmlinux $text
	says err "kreloc: vmlinux: not a trace file"
}

# The running kernel tells where it was linked, and how long it is
addr_without_vmlinux() {
	run 0 "$kreloc" addr --offset=$offset $text
	is out <<<"$text $link ?"
	no_module
	run 3 "$kreloc" addr --offset=$offset $text
	says err "--offset needs --vmlinux=FILE"
	ppc64le 0xc000000002000000
	run 0 "$kreloc" addr --offset=2000000 --raw c000000002000100
	is out <<<0xc000000000000100
	# On powerpc other things are behind the kernel
	rm "$KRELOC_ROOT/proc/kallsyms"
	run 1 "$kreloc" addr --offset=2000000 --raw c000000002000100
	says err "--vmlinux=FILE is needed"
}

addr_impossible() {
	x86_64_kernel 0
	run 1 "$kreloc" addr -o 0x200008 -k vmlinux ffffffff81200135
	says err "where no x86_64 kernel can be"
	run 1 "$kreloc" addr -o ffffffffffe00000 -k vmlinux ffffffff81200135
	says err "below its link address"
}

addr_usage() {
	run 2 "$kreloc" addr 1
	says err "addr: needs one of --offset=HEX and --stamp=TRACE"
	run 2 "$kreloc" addr --offset=0 --stamp=x
	run 3 "$kreloc" addr </dev/null
	says err "standard input: has no stamp: give --offset=HEX or --stamp=TRACE"
	run 2 "$kreloc" addr --offset=
	run 2 "$kreloc" addr --offset=0 --to-runtime
	run 2 "$kreloc" addr --offset=0 --to-runtime --return 1
	run 2 "$kreloc" addr --offset=0 --aliases=nonsense 1
	says err "kreloc: nonsense: there is no such rule"
}

t "addr: symbols end where their size says, within each other, gaps" addr_symbols
t "addr: names of the linker script" addr_marks
t "addr: one name of several, by kreloc's rule and by perf's" addr_aliases
t "addr: the local entry point of the ELFv2 ABI" addr_local_entry
t "addr: dot symbols and descriptors of the ELFv1 ABI" addr_elfv1
t "addr: return addresses" addr_return
t "addr: link addresses only" addr_raw
t "addr: what is not in the image" addr_outside
t "addr: link addresses are not moved again, and it is said" addr_twice
t "addr: addresses in any text" addr_stream
t "addr: addresses where reads end" addr_split
t "addr: a program's output can be followed" addr_follow
t "addr: a full standard output, a bad standard input" addr_full
t "addr: modules, with and without their files" addr_modules
t "addr: files of modules that do not fit" addr_modules_bad
t "addr: from symbols to run-time addresses" addr_to_runtime
t "addr: at the offset that a trace file has" addr_stamp
t "addr: without a vmlinux" addr_without_vmlinux
t "addr: an offset where no kernel can be" addr_impossible
t "addr: usage errors" addr_usage
