# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc show, on made-up machines. What is asked most: that no number comes out where none is
# known, and that each source says why it does not know.

# unknown TEXT [OPTION…]: no number, and this reason
unknown() {
	local text=$1

	shift
	run 3 "$kreloc" show "$@"
	says out "offset: unknown"
	says err "$text"
}

offset_is() {
	local want=$1

	shift
	run 0 "$kreloc" show "$@"
	says out "offset: $want"
	silent err
}

# kcore TEXT [KEY=VALUE…]
kcore() {
	mkdir -p "$KRELOC_ROOT/proc"
	"$craft" kcore "$KRELOC_ROOT/proc/kcore" "$1" "$text_size" "${@:2}"
}

hex() {
	printf '%x' "$1"
}

show_sysfs() {
	run 0 "$kreloc" show
	silent err
	is out <<-END
		offset: $offset
		text: $text
		anchor: _text
		link: $link
		build-id: $build_id
		release: $release
		source: sysfs
		link-source: sysfs
	END
}

show_json() {
	run 0 "$kreloc" show --json
	printf '{"offset":"%s","text":"%s","anchor":"_text","link":"%s","build-id":"%s",' \
		"$offset" "$text" $link "$build_id" >want
	printf '"release":"%s","source":"sysfs","link-source":"sysfs"}\n' "$release" >>want
	is out <want
	no_module
	run 3 "$kreloc" show --json
	says out '{"offset":null,"text":null,'
	says out '"source":null'
}

show_sysfs_bad() {
	make_module "$text"
	put /sys/kernel/kreloc/abi 2
	unknown "kreloc: sysfs: /sys/kernel/kreloc/abi is not 1" -s sysfs
	make_module "$text"
	put /sys/kernel/kreloc/offset 0x0000000000000000
	unknown "offset is not text - link_text" -s sysfs
	make_module "$text"
	put /sys/kernel/kreloc/anchor _stext
	unknown "anchor is not _text" -s sysfs
	for value in '' 0x unknown "$text x"; do
		make_module "$text"
		put /sys/kernel/kreloc/text "$value"
		unknown "/sys/kernel/kreloc/text: not an address" -s sysfs
	done
	make_module "$text"
	put /sys/kernel/kreloc/link_text 0x0000000000000000
	put /sys/kernel/kreloc/offset "$text"
	unknown "link_text is 0" -s sysfs
	rm "$KRELOC_ROOT/sys/kernel/kreloc/link_text"
	unknown "/sys/kernel/kreloc/link_text does not exist" -s sysfs
	# half a page off, and in user space
	make_module $((text + 2048))
	unknown "where no x86_64 kernel can be" -s sysfs
	make_module 0x0000000040000000
	unknown "where no x86_64 kernel can be" -s sysfs
	make_module 0x0000000000000000
	unknown "where no x86_64 kernel can be" -s sysfs
}

show_sysfs_refused() {
	chmod 0 "$KRELOC_ROOT/sys/kernel/kreloc/text"
	run 3 as_nobody "$kreloc" show -s sysfs
	says out "offset: unknown"
	says err "kreloc: sysfs: /sys/kernel/kreloc/text is refused: needs CAP_SYSLOG"
}

show_none() {
	no_module
	run 3 "$kreloc" show
	says out "offset: unknown"
	says out "text: unknown"
	says out "source: unknown"
	says out "release: $release"
	is err <<-END
		kreloc: sysfs: /sys/kernel/kreloc/abi does not exist: load the kreloc module
		kreloc: kcore: /proc/kcore does not exist: this kernel has no CONFIG_PROC_KCORE
		kreloc: kallsyms: /proc/kallsyms: No such file or directory
	END
}

show_auto() {
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=$(hex $((text - link)))"
	printf '%x T _text\n' "$text" | put /proc/kallsyms
	put /boot/config-"$release" "$(printf 'CONFIG_PHYSICAL_START=%s\nCONFIG_PHYSICAL_ALIGN=%s' \
		0x1000000 0x200000)"
	run 0 "$kreloc" show
	says out "source: sysfs"
	put /sys/kernel/kreloc/abi 2
	run 0 "$kreloc" show
	says out "source: kcore"
	rm "$KRELOC_ROOT/proc/kcore"
	run 0 "$kreloc" show
	says out "source: kallsyms"
	says out "offset: $offset"
}

show_kcore() {
	kcore "$text" OSRELEASE=x BUILD-ID="$build_id" "SYMBOL(_stext)=$(hex "$text")" \
		"SYMBOL(swapper_pg_dir)=ffffffff00000000" "KERNELOFFSET=$(hex $((text - link)))"
	no_module
	offset_is "$offset"
	says out "text: $text"
	says out "link: $link"
	says out "link-source: vmcoreinfo"
	# not moved
	kcore $link "SYMBOL(_stext)=$(hex $link)" "KERNELOFFSET=0"
	offset_is 0x0000000000000000
	says out "text: $link"
}

show_kcore_missing_key() {
	no_module
	kcore "$text" "KERNELOFFSET=$(hex $((text - link)))"
	unknown "kreloc: kcore: VMCOREINFO has no SYMBOL(_stext)"
	says out "text: unknown"
	kcore "$text" "SYMBOL(_stext)=0" "KERNELOFFSET=0"
	unknown "kreloc: kcore: VMCOREINFO has no SYMBOL(_stext)"
	kcore "$text" "SYMBOL(_stext)=" "KERNELOFFSET=0"
	unknown "kreloc: kcore: VMCOREINFO has no SYMBOL(_stext)"
	# Without the other one it is known where it runs, but not where it was linked
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")"
	unknown "nothing tells where it was linked"
	says out "text: $text"
	says out "source: kcore"
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=nonsense"
	unknown "nothing tells where it was linked"
}

show_kcore_nonsense() {
	no_module
	# below its link address; linked where no kernel is
	kcore $link "SYMBOL(_stext)=ffffffff80000000" "KERNELOFFSET=fffffffffe000000"
	unknown "below its link address"
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=$(hex $((text - link + 4096)))"
	unknown "where no x86_64 kernel is"
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=$(hex "$text")"
	unknown "KERNELOFFSET cannot be that large"
	kcore "$text" "SYMBOL(_stext)=$(hex $((text + 1)))" "KERNELOFFSET=0"
	unknown "where no x86_64 kernel can be"
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=0" BUILD-ID=0011
	unknown "VMCOREINFO has another build-id"
}

show_kcore_damaged() {
	local file=$KRELOC_ROOT/proc/kcore size length

	no_module
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=$(hex $((text - link)))"
	size=$(stat -c %s "$file")
	cp "$file" whole
	offset_is "$offset"
	for ((length = 0; length < size - 20; length += 7)); do
		head -c $length whole >"$file"
		run 3 "$kreloc" show
		says out "offset: unknown"
	done
	# e_ident, e_phoff, e_phentsize, e_phnum, the segment, the sizes of the notes
	for at in 0 4 32 54 56 64 72 232 236 260 264; do
		"$craft" put whole "$file" $at 2 0xffff
		run 3 "$kreloc" show
		says out "offset: unknown"
	done
	# A length beyond the end of the file is cut, a segment of no length is empty
	"$craft" put whole "$file" 96 8 0xffffffff
	offset_is "$offset"
	"$craft" put whole "$file" 96 8 0
	unknown "kreloc: kcore: /proc/kcore has no VMCOREINFO note"
	kcore "$text"
	unknown "kreloc: kcore: /proc/kcore has no VMCOREINFO note"
	echo text | put /proc/kcore
	unknown "kreloc: kcore: /proc/kcore: not a 64-bit ELF file"
}

show_kcore_refused() {
	no_module
	kcore "$text" "SYMBOL(_stext)=$(hex "$text")" "KERNELOFFSET=0"
	chmod 0 "$KRELOC_ROOT/proc/kcore"
	run 3 as_nobody "$kreloc" show
	says err "kreloc: kcore: /proc/kcore is refused: needs CAP_SYS_RAWIO"
}

# The kernel's own KERNELOFFSET is 0 there, moved or not
show_ppc64le() {
	ppc64le 0xc000000002000000
	kcore 0xc000000000000000 "SYMBOL(_stext)=c000000002000000" "KERNELOFFSET=0"
	offset_is 0x0000000002000000 -s kcore
	says out "anchor: _stext"
	says out "link: 0xc000000000000000"
	says out "link-source: architecture"
	offset_is 0x0000000002000000 -s kallsyms
	ppc64le 0xc000000000000000
	offset_is 0x0000000000000000 -s kallsyms
	ppc64le 0xc000000000001000
	unknown "where no ppc64le kernel can be" -s kallsyms
	ppc64le 0xb000000000000000
	unknown "where no ppc64le kernel can be" -s kallsyms
}

show_kallsyms() {
	rm "$KRELOC_ROOT/sys/kernel/kreloc/text"
	# Zero rows are legitimate for what comes first
	{
		echo "0000000000000000 A fixed_percpu_data"
		echo "0000000000000000 A __per_cpu_start"
		echo "ffffffffc0000000 t _text	[impostor]"
		echo "ffffffffc0000000 t _text.cold"
		echo "$(hex "$text") T _stext"
		echo "$(hex "$text") T _text"
		echo "ffffffffffffffff T _text"
	} | put /proc/kallsyms
	offset_is "$offset"
	says out "source: kallsyms"
	says out "link-source: sysfs"
	# Beyond the first buffers
	{
		yes "0000000000000000 A irq_stack" | head -n 4000
		echo "$(hex "$text") T _text"
	} | put /proc/kallsyms
	offset_is "$offset"
	# Without its end it could be that of _text_poke
	printf '%s T _text' "$(hex "$text")" | put /proc/kallsyms
	unknown "kreloc: kallsyms: /proc/kallsyms has no _text"
}

show_kallsyms_hidden() {
	no_module
	{
		echo "0000000000000000 A fixed_percpu_data"
		echo "0000000000000000 T _text"
		echo "ffffffffc0000000 t something	[module]"
	} | put /proc/kallsyms
	unknown "kreloc: kallsyms: /proc/kallsyms hides addresses: needs CAP_SYSLOG"
	says out "text: unknown"
	echo "0000000000000000 A fixed_percpu_data" | put /proc/kallsyms
	unknown "kreloc: kallsyms: /proc/kallsyms has no _text"
	put /proc/kallsyms </dev/null
	unknown "kreloc: kallsyms: /proc/kallsyms has no _text"
	printf 'nonsense\n T _text\nx T _text\n12345 T\n _text\n%0999d' 0 | put /proc/kallsyms
	unknown "kreloc: kallsyms: /proc/kallsyms has no _text"
	{
		head -c 100000 /dev/zero | tr '\0' x
		printf '\n%x T _text\n' "$text"
	} | put /proc/kallsyms
	unknown "nothing tells where it was linked"
	says out "text: $text"
	head -c 100000 /dev/zero | put /proc/kallsyms
	unknown "kreloc: kallsyms: /proc/kallsyms has no _text"
}

config() {
	printf '# CONFIG_PHYSICAL_STARTING is not set\n%s\n%s\n' \
		"CONFIG_PHYSICAL_START=$1" "CONFIG_PHYSICAL_ALIGN=$2"
}

show_link() {
	no_module
	printf '%x T _text\n' "$text" | put /proc/kallsyms
	unknown "give --vmlinux=FILE, load the kreloc module, or install /boot/config-$release"
	says out "text: $text"
	says out "source: kallsyms"
	says out "link: unknown"
	config 0x1000000 0x200000 | put /lib/modules/"$release"/config
	offset_is "$offset"
	says out "link-source: installed config"
	# What says it with more authority comes first. Rounded up as the kernel's headers do
	config 0x1100000 0x1000000 | put /boot/config-"$release"
	offset_is "$(printf 0x%016x $((text - link - 0x1000000)))"
	config 0x1200000 0x200000 | gzip | put /proc/config.gz
	offset_is "$(printf 0x%016x $((text - link - 0x200000)))"
	says out "link-source: /proc/config.gz"
	# pref_address; a boot loader that made the header up leaves it 0
	head -c 4096 /dev/zero | put /sys/kernel/boot_params/data
	offset_is "$(printf 0x%016x $((text - link - 0x200000)))"
	"$craft" put "$KRELOC_ROOT/sys/kernel/boot_params/data" params 0x258 8 0x1400000
	put /sys/kernel/boot_params/data <params
	offset_is "$(printf 0x%016x $((text - link - 0x400000)))"
	says out "link-source: boot_params"
	vmlinux
	offset_is "$offset" --vmlinux=vmlinux
	says out "link-source: vmlinux"
}

show_link_bad() {
	no_module
	printf '%x T _text\n' "$text" | put /proc/kallsyms
	head -c 600 /dev/zero | put /sys/kernel/boot_params/data
	for value in "0x1000000 0" "0x1000000 0x300000" "0x1000000 x" "x 0x200000" \
		"0x100000000 0x200000" "0 0x200000"; do
		# shellcheck disable=SC2086 # two of them
		config $value | put /boot/config-"$release"
		unknown "nothing tells where it was linked"
	done
	# beyond the kernel
	config "$(printf 0x%x $((text + 0x200000 - 0xffffffff80000000)))" 0x200000 | put /boot/config-"$release"
	unknown "below its link address"
	config 0x1000000 0x1000 | put /boot/config-"$release"
	offset_is "$offset"
	config 0x1001000 0x1000 | put /boot/config-"$release"
	unknown "where no x86_64 kernel is"
}

show_vmlinux() {
	vmlinux
	offset_is "$offset" -k vmlinux
	"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link
	run 1 "$kreloc" show -k other
	silent out
	says err "kreloc: other: build-id 00112233445566778899aabbccddeeff00112233, and"
	"$craft" vmlinux arm aarch64 "$build_id" _text=$link
	run 1 "$kreloc" show -k arm
	says err "kreloc: arm: made for an architecture that kreloc does not know"
	"$craft" vmlinux power ppc64le "$build_id" _stext=0xc000000000000000
	run 1 "$kreloc" show -k power
	says err "kreloc: power: a ppc64le kernel, and this machine is x86_64"
	"$craft" vmlinux anonymous x86_64 "" _text=$link
	run 1 "$kreloc" show -k anonymous
	says err "kreloc: anonymous: has no build-id, and the running kernel has"
	"$craft" vmlinux zero x86_64 "$build_id" _text=0
	run 1 "$kreloc" show -k zero
	says err "kreloc: zero: has _text at 0"
	"$craft" vmlinux stripped x86_64 "$build_id"
	run 1 "$kreloc" show -k stripped
	says err "kreloc: stripped: has no symbol table"
	"$craft" vmlinux program x86_64 "$build_id" main=0x401000
	run 1 "$kreloc" show -k program
	says err "kreloc: program: has no symbol _text"
	run 1 "$kreloc" show -k out
	says err "kreloc: out: not an ELF file"
	run 1 "$kreloc" show -k missing
	says err "kreloc: missing: No such file or directory"
	run 1 "$kreloc" show -k .
}

show_unknown_arch() {
	put /proc/sys/kernel/arch m68k
	run 3 "$kreloc" show
	says out "offset: unknown"
	says out "anchor: unknown"
	says err "kreloc: sysfs: kreloc does not know the architecture m68k"
}

# A program with more rights than its caller must not be lied to by it
show_secure() {
	[ "$(id -u)" -eq 0 ] || skip "only root can make a program setuid root"
	[ -e "$objects/../kreloc" ] || skip "the program as it is installed was not built"
	cp "$objects/../kreloc" setuid
	chmod 4755 setuid
	as_nobody ./setuid show -s sysfs >out 2>err || true
	lacks out "release: $release"
	as_nobody "$objects/../kreloc" show -s sysfs >out 2>err || true
	says out "release: $release"
}

t "sysfs: every key" show_sysfs
t "JSON has the same keys, null for what is not known" show_json
t "sysfs: what contradicts itself or cannot be is refused" show_sysfs_bad
t "sysfs: refusal is a reason" show_sysfs_refused
t "no module, no kcore, no kallsyms: exit 3, a line for each" show_none
t "auto asks sysfs, then kcore, then kallsyms" show_auto
t "kcore: x86_64, moved and not moved" show_kcore
t "kcore: a missing key is not 0" show_kcore_missing_key
t "kcore: what cannot be is refused" show_kcore_nonsense
t "kcore: damaged in many places" show_kcore_damaged
t "kcore: refusal is a reason" show_kcore_refused
t "ppc64le: KERNELOFFSET is not believed" show_ppc64le
t "kallsyms: zero rows, modules, long tables" show_kallsyms
t "kallsyms: all zero, or without the anchor, is unknown" show_kallsyms_hidden
t "link address: each that tells it, in order" show_link
t "link address: what cannot be is refused" show_link_bad
t "--vmlinux: the running kernel's, and those that are not" show_vmlinux
t "an architecture that kreloc does not know" show_unknown_arch
t "a setuid program ignores KRELOC_ROOT" show_secure
