# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by consumers.sh
#
# perf, by a user who is never root: recorded in the guest (guest/user), and named
# here, with nothing but the vmlinux.

# named FILE: sets samples, named and right
named() {
	read -r samples named right < <("$qemu/named.sh" "$out/record/files/$1" \
		"$kernel/vmlinux" "$out/record/files/kallsyms")
	echo "$1: $samples kernel samples, $named named, $right right"
}

all_right() {
	named perf.data
	[ "$samples" -gt 300 ] && [ "$right" -eq "$samples" ]
}

none_named() {
	named blind.data
	[ "$samples" -gt 300 ] && [ "$named" -eq 0 ]
}

kernel=$("$qemu/get-kernel.sh" x86_64 6.1 --vmlinux)
add_program "$(payload record "$kernel" user x86_64)" "$(command -v perf)" "$(command -v trace-cmd)"
t "a user records with kreloc record, and is never root" guest record x86_64 "$kernel"
sed -n 's/^ *\(ok\|not ok\)/#   \1/p' "$out/record/tap"
t "unmodified perf names every kernel sample of it" all_right
t "and none without the stamp" none_named
