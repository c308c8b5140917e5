# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by consumers.sh
#
# Dumps: QEMU's of a KASLR guest, as ELF and compressed, and the memory of a ppc64le
# kernel that was moved; read by kreloc, and by crash and drgn as kreloc tells them.

# get_fw_cfg: tells QEMU's vmcoreinfo device. Debian has it in a package of its own.
get_fw_cfg() {
	local source

	source=$("$qemu/get-source.sh" 6.1 drivers/firmware/qemu_fw_cfg.c)
	mkdir "$dir/fw_cfg"
	cp "$source/drivers/firmware/qemu_fw_cfg.c" "$dir/fw_cfg/"
	echo 'obj-m := qemu_fw_cfg.o' >"$dir/fw_cfg/Kbuild"
	make -s -C "$kernel/kdir" M="$dir/fw_cfg" CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2
	cp "$dir/fw_cfg/qemu_fw_cfg.ko" "$root/test/"
}

# command_monitor LINE…: to QEMU's monitor, as soon as the guest is ready
command_monitor() {
	local monitor

	# Both ends, as QEMU opens one after the other
	exec {monitor}<>"$dir/monitor.in"
	until grep -q '# ready' "$dir/tap" 2>/dev/null; do
		sleep 0.2
	done
	printf '%s\n' "$@" >&$monitor
	exec {monitor}>&-
}

# dump_guest: the guest stands still for it
dump_guest() {
	local commander reader status=0

	mkfifo "$dir"/monitor.{in,out}
	cat "$dir/monitor.out" >/dev/null &
	reader=$!
	command_monitor "dump-guest-memory $dir/elf" "dump-guest-memory -z $dir/flat" &
	commander=$!
	guest vmcore x86_64 "$kernel" --mem=512 --append=seconds=5 --qemu=-device \
		--qemu=vmcoreinfo --qemu=-chardev \
		--qemu="pipe,id=monitor,path=$dir/monitor" --qemu=-mon --qemu=monitor || status=$?
	kill $commander $reader 2>/dev/null || true
	return $status
}

# of GUEST NAME: its address there, without 0x
of() {
	awk -v name="$2" '$3 == name { print $1; exit }' "$out/$1/files/kallsyms"
}

# said KEY: by the guest
said() {
	sed -n "s/^ *# $1: //p" "$dir/tap"
}

# reads FILE: has the offset that the module says
reads() {
	"$build/kreloc" read "$1" >"$dir/read"
	cat "$dir/read"
	grep -qx "offset: $(said offset)" "$dir/read" &&
		grep -qx "text: 0x$(of vmcore _text)" "$dir/read"
}

# debug COMMAND: in the chroot, with what is printed there
debug() {
	echo "\$ $1"
	TERM=dumb "$qemu/chroot.sh" "$suite" "$packages" \
		bash -c "PATH=$dir/bin:\$PATH; cd $dir; $1" 2>&1
}

# debugged NAME COMMAND WORD…: prints all of these words, whatever its exit status
debugged() {
	debug "$2" >"$dir/$1" || true
	for word in "${@:3}"; do
		grep -qF "$word" "$dir/$1" || {
			cat "$dir/$1"
			return 1
		}
	done
}

not_debugged() {
	! debugged "$@"
}

# crash 8.0.6 stumbles over this kernel's stacks, except in its minimal mode
crash() {
	echo "${*/#crash/crash --minimal -s -i $dir/commands}"
}

# add_kreloc_to_chroot: a copy of kreloc that runs in the chroot
add_kreloc_to_chroot() {
	mkdir "$dir/bin"
	cat >"$dir/bin/kreloc" <<-END
		#!/bin/sh
		exec $root/lib64/ld-linux-x86-64.so.2 \\
			--library-path $root/lib/x86_64-linux-gnu:$root/usr/lib/x86_64-linux-gnu \\
			$root/usr/bin/kreloc "\$@"
	END
	chmod +x "$dir/bin/kreloc"
}

dir=$out/vmcore
kernel=$("$qemu/get-kernel.sh" x86_64 6.1 --dwarf)
dwarf=$kernel/vmlinux.dwarf
root=$(payload vmcore "$kernel" wait x86_64)
get_fw_cfg
add_kreloc_to_chroot
t "QEMU dumps the memory of a KASLR guest" dump_guest
t "kreloc reads the ELF dump" reads "$dir/elf"
show "$dir/read"
t "what QEMU compressed is put together by makedumpfile" \
	debugged makedumpfile "makedumpfile -R kdump <flat" "is saved"
t "kreloc reads the compressed dump" reads "$dir/kdump"

banner=$(of vmcore linux_banner)
printf 'sym linux_banner\nrd -a linux_banner 40\nquit\n' >"$dir/commands"
for name in elf kdump; do
	command=$("$build/kreloc" read --for=crash --vmlinux="$dwarf" "$dir/$name")
	t "crash, $name: $(sed "s,$cache/,,; s,$dir/,," <<<"$command")" \
		debugged crash "$(crash "$command")" "$banner (D) linux_banner" "Linux version"
done
show "$dir/crash"
t "the guest gave the same line" [ "$(said crash)" = "crash --kaslr=$(printf 0x%x "$(said offset)") vmlinux" ]
printf -v wrong -- --kaslr=0x%x $(($(said offset) ^ 0x200000))
t "crash with $wrong does not find it" not_debugged crash \
	"$(crash "crash $wrong $dwarf elf")" "Linux version"
command=$("$build/kreloc" read --for=drgn --vmlinux="$dwarf" "$dir/elf")
t "drgn, ELF: $(sed "s,$cache/,,; s,$dir/,," <<<"$command")" debugged drgn \
	"$command -q -e 'print(hex(prog.symbol(\"linux_banner\").address), prog[\"linux_banner\"].string_())'" \
	"0x$banner" "Linux version"

# ppc64le: no DWARF, so that drgn has to be told to look at the symbol table
moved=$("$qemu/get-kernel.sh" ppc64le 6.1)
payload moved "$moved" kcore ppc64le >/dev/null
t "a ppc64le kernel that was moved by 32 MiB" \
	guest moved ppc64le "$moved" --offset=0x2000000
kcore=$out/moved/files/kcore
banner=$(of moved linux_banner)
look="import drgn
kernel = prog.main_module()
kernel.loaded_file_status = drgn.ModuleFileStatus.WANT
kernel.try_file(\"$moved/vmlinux\", force=True)
banner = prog.symbol(\"linux_banner\").address
print(hex(banner), prog.read(banner, 40))"

reads_moved() {
	"$build/kreloc" read "$kcore" >"$dir/read" 2>&1
	cat "$dir/read"
	grep -qx 'offset: 0x0000000002000000' "$dir/read" &&
		grep -qx 'kernel-offset: 0x0000000000000000' "$dir/read" &&
		grep -q 'warning: moved by 0x2000000, and its KERNELOFFSET' "$dir/read"
}

t "kreloc reads it, and warns of KERNELOFFSET" reads_moved
show "$dir/read"
command=$("$build/kreloc" read --for=drgn --vmlinux="$moved/vmlinux" "$kcore" 2>/dev/null)
t "drgn by KERNELOFFSET does not find it" not_debugged drgn \
	"${command%% --vmcoreinfo*} -q -e '$look'" "0x$banner" "Linux version"
t "drgn, moved: $(sed "s,$cache/,,g; s,$out/moved/files/,,g" <<<"$command")" debugged drgn \
	"$command -q -e '$look'" "0x$banner" "Linux version"
tail -n 1 "$dir/drgn" >"$dir/shown"
show "$dir/shown"
t "crash cannot be told, and kreloc says so" bash -c \
	"'$build/kreloc' read --for=crash '$kcore' 2>&1 | grep 'crash cannot be told'"
rm -f "$dir"/{elf,flat,kdump} "$kcore"
