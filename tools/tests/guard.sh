# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# The guards: each with a file that trips only it; --force overrides each, with a warning.

# tripped FILE TEXT [OPTION…]: this one reason, a warning with --force, and then a stamp
tripped() {
	local file=$1 text=$2

	shift 2
	refused 1 "$file" "$text" "$@"
	says err "(--force stamps it all the same)"
	[ "$(wc -l <err)" -eq 1 ] || fail "more than one reason: $(cat err)"
	stamped "$file" --force "$@"
	says err "kreloc: $file: warning: "
	says err "$text"
	[ "$(wc -l <err)" -eq 1 ]
	"$kreloc" strip "$file"
}

guard_build_id() {
	recording blind-a
	"$craft" notes "$KRELOC_ROOT/sys/kernel/notes" 00112233445566778899aabbccddeeff00112233
	tripped blind-a.data "recorded on a kernel with build-id $build_id, but the running kernel has"
	# Not known is no reason
	rm "$KRELOC_ROOT/sys/kernel/notes"
	stamped blind-a.data
	make_root
	recording blind-z
	stamped blind-z.data
}

guard_release() {
	recording blind-a
	put /proc/sys/kernel/osrelease 6.1.0-other
	tripped blind-a.data "recorded by Linux $release, but the running kernel is 6.1.0-other"
	rm "$KRELOC_ROOT/proc/sys/kernel/osrelease"
	stamped blind-a.data
}

guard_age() {
	local boot

	recording blind-a
	boot=$(awk '/btime/ { print $2 }' "$KRELOC_ROOT/proc/stat")
	touch -d @$((boot - 1)) blind-a.data
	tripped blind-a.data "older than this boot"
	# Its last sample is from about a minute after the boot that it is from
	touch -d @$((boot + 1)) blind-a.data
	tripped blind-a.data "from another boot: its last sample is from"
	touch -d @$((boot + 100)) blind-a.data
	stamped blind-a.data
	# Samples on another clock tell nothing: use_clockid, bit 25 of the flags
	"$kreloc" strip blind-a.data
	attrs=$(od -An -t u8 -j 24 -N 8 blind-a.data | tr -d ' ')
	flags=$(od -An -t u8 -j $((attrs + 40)) -N 8 blind-a.data | tr -d ' ')
	"$craft" put blind-a.data clock.data $((attrs + 40)) 8 $((flags | 1 << 25))
	touch -d @$((boot + 1)) clock.data
	stamped clock.data
	rm "$KRELOC_ROOT/proc/stat"
	touch -d @$((boot - 1)) blind-a.data
	stamped blind-a.data
}

# Another machine of the same make; a container, whose name is its own; a balloon
guard_machine() {
	recording blind-a
	put /proc/sys/kernel/hostname other
	stamped blind-a.data
	"$kreloc" strip blind-a.data
	put /proc/meminfo "MemTotal: 4711 kB"
	tripped blind-a.data "recorded on $host with $memory kB of memory, and this is other with 4711 kB"
	put /proc/sys/kernel/hostname "$host"
	stamped blind-a.data
}

guard_samples() {
	local slot

	recording blind-a
	for slot in -4 -1 1 2 8; do
		make_module $((text + slot * 0x200000))
		tripped blind-a.data "kernel samples are outside the kernel's text"
	done
	# Far away there are modules as well, on a kernel that did not move
	make_module $link
	"$craft" move blind-a.data low.data x86_64 "$text" 0xffffffff87800000
	tripped low.data "kernel samples are outside the kernel's text"
	"$craft" move blind-a.data high.data x86_64 "$text" 0xffffffffa8000000
	tripped high.data "none of its first"
	# What was called from where is looked at as well
	recording blind-g
	make_module $((text - 0x400000))
	refused 1 blind-g.data "kernel samples are outside the kernel's text"
	says err "addresses in its call chains are outside the kernel's text"
	make_module "$text"
	stamped blind-g.data
	make_module $link
	# An event without addresses tells nothing
	attrs=$(od -An -t u8 -j 24 -N 8 blind-a.data | tr -d ' ')
	type=$(od -An -t u8 -j $((attrs + 24)) -N 8 blind-a.data | tr -d ' ')
	"$craft" put blind-a.data no-ip.data $((attrs + 24)) 8 $((type & ~1))
	stamped no-ip.data
}

# Compressed, and of several threads
guard_unseen() {
	recording blind-z
	xz -dc "$tests/data/blind-threads.tar.xz" | tar -xm
	make_module $((text + 4 * 0x200000))
	refused 1 blind-z.data "kernel samples are outside the kernel's text"
	[ "$(wc -l <err)" -eq 1 ]
	run 1 "$kreloc" stamp threads
	says err "kreloc: threads: "
	says err "kernel samples are outside the kernel's text"
	make_module "$text"
	stamped blind-z.data
	silent err
	run 0 "$kreloc" stamp threads
	silent err
	# Nobody can read these
	recording blind-z
	damage blind-z.data
	run 0 "$kreloc" stamp blind-z.data
	says err "warning: no kernel sample of it could be read"
}

# damage FILE: the first bytes of what is compressed, behind the header of zstd
damage() {
	local at

	at=$(LC_ALL=C grep -obUaP '\x28\xb5\x2f\xfd' "$1" | head -n 1 | cut -d: -f1)
	printf '\377\377\377\377' | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}

guard_several() {
	recording blind-a
	put /proc/sys/kernel/osrelease 6.1.0-other
	make_module $((text + 0x10000000))
	refused 1 blind-a.data "recorded by Linux"
	says err "kernel samples are outside the kernel's text"
	[ "$(wc -l <err)" -eq 2 ]
	stamped blind-a.data --force
	[ "$(grep -c 'warning: ' err)" -eq 2 ]
}

guard_vmlinux() {
	recording blind-a
	vmlinux
	"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link
	refused 1 blind-a.data "not stamped" -k other
	says err "kreloc: other: build-id 00112233445566778899aabbccddeeff00112233, and the running"
	# Same build-id, but linked elsewhere: one of the two is not what it says
	"$craft" vmlinux moved x86_64 "$build_id" _text=0xffffffff81200000
	refused 1 blind-a.data "not stamped" -k moved
	says err "kreloc: moved: linked at 0xffffffff81200000, and sysfs says $link"
	stamped blind-a.data -k vmlinux
}

t "another build-id" guard_build_id
t "another release" guard_release
t "from before this boot, or from after a longer one" guard_age
t "another machine" guard_machine
t "kernel samples outside the text, the next slot included" guard_samples
t "the same where they are compressed, or in a directory" guard_unseen
t "several reasons, a line for each" guard_several
t "a vmlinux that is not the running kernel's" guard_vmlinux
