# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by consumers.sh
#
# An oops in one of several static functions of a name, on ppc64le, whose oopses have
# addresses: kreloc addr goes by these, the kernel's decode_stacktrace.sh by the name.

build_oops() {
	cp -r "$qemu/guest/oops" "$dir/module"
	make -s -C "$kernel/kdir" M="$dir/module" ARCH=powerpc CROSS_COMPILE="$(cross ppc64le)" \
		CONFIG_DEBUG_INFO_BTF_MODULES= modules >&2
	cp "$dir/module/oops.ko" "$root/test/"
}

# A symbol's address in vmlinux: the first t_start, and the one before its neighbour
first() {
	awk '$3 == "t_start" { print $1; exit }' "$dir/symbols"
}

right() {
	awk '$3 == "t_start" { address = $1 }
		$3 == "proc_tty_register_driver" { print address; exit }' "$dir/symbols"
}

# named HOW…: kreloc's name for where it stood
named() {
	"$build/kreloc" addr "$@" --vmlinux="$kernel/vmlinux" <"$files/log" >"$dir/named"
	grep 'NIP \[' "$dir/named" | grep "$(right)" | grep 't_start+0x0'
}

# The real script, with an addr2line that only says what it is asked for
decoded() {
	mkdir -p "$dir/bin"
	printf '#!/bin/sh\necho "asked for $*"\n' >"$dir/bin/said-addr2line"
	ln -sf "$(command -v nm)" "$dir/bin/said-nm"
	ln -sf "$(command -v readelf)" "$dir/bin/said-readelf"
	ln -sf "$(command -v c++filt)" "$dir/bin/said-c++filt"
	chmod +x "$dir/bin/said-addr2line"
	PATH=$dir/bin:$PATH CROSS_COMPILE=said- bash "$source/scripts/decode_stacktrace.sh" \
		"$kernel/vmlinux" <"$files/log" >"$dir/decoded" 2>&1 || true
	cat "$dir/decoded"
	grep 'NIP.*t_start' "$dir/decoded" | grep -i "$(first)"
}

dir=$out/oops files=$out/oops/files
kernel=$("$qemu/get-kernel.sh" ppc64le 6.1)
source=$("$qemu/get-source.sh" 6.1 scripts/decode_stacktrace.sh)
root=$(payload oops "$kernel" oopses ppc64le)
build_oops
nm -n "$kernel/vmlinux" >"$dir/symbols"
t "a ppc64le kernel at 32 MiB prints an oops in one of $(grep -c ' t_start$' "$dir/symbols") t_start()" \
	guest oops ppc64le "$kernel" --offset=0x2000000
t "the right one is not the first" [ "$(first)" != "$(right)" ]
t "kreloc addr names the right one" named --offset=0x2000000
grep 'NIP \[' "$dir/named" >"$dir/shown" || true
show "$dir/shown"
wrongly_named() {
	! named --offset=0x2010000
}

t "and not with another offset" wrongly_named
t "decode_stacktrace.sh takes the first" decoded
grep 'NIP.*t_start' "$dir/decoded" >"$dir/shown" || true
show "$dir/shown"
