# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Killed, failing and full disks at every call that writes.

crash() {
	local kind

	export KRELOC_ROOT=$fast/crash/root
	mkdir -p "$KRELOC_ROOT" "$fast/crash/work"
	make_root
	cd "$fast/crash/work" || exit
	for kind; do
		recording "$kind"
	done
	# and one that ends in the middle of eight bytes
	cp blind-a.data odd.data
	printf xyz >>odd.data
	# One that has to be rewritten, one that is put right in place, one without a table
	"$craft" tight blind-task.data tight.data
	recording userns
	recording pipe
	# A packet more, an env block more, lines more, a file more
	xz -dc "$tests/data/others/session.tar.xz" | tar -x -f - -O session/kernel/metadata >packets.ctf
	"$objects/tests/craft-ctf" plain packets.ctf plain.ctf
	xz -dc "$tests/data/others/function.txt.xz" >function.txt
	printf 'any bytes' >any.bin
	# Forking with the sanitizers is slow, and this forks thousands of times
	tap "$objects/../tools/tests/crash" "${@/%/.data}" odd.data \
		tight.data userns.data pipe.data
	others
	tap "$objects/../tools/tests/crash" packets.ctf plain.ctf function.txt any.bin
	cd / || exit
	rm -rf "$fast/crash"
}

# The same with names from vmlinux, which makes a second gap in version 6
crash_dat() {
	export KRELOC_ROOT=$fast/crash/root
	mkdir -p "$KRELOC_ROOT" "$fast/crash/work"
	cd "$fast/crash/work" || exit
	trace_machine
	for kind; do
		dat "$kind"
	done
	trace_vmlinux
	cp blind-stack.dat odd.dat
	printf xyz >>odd.dat
	tap "$objects/../tools/tests/crash" "${@/%/.dat}" odd.dat
	tap "$objects/../tools/tests/crash" --vmlinux=vmlinux "${@/%/.dat}"
	machine "$tests/data/truth"
	cd / || exit
	rm -rf "$fast/crash"
}

crash blind-a blind-task blind-events
crash_dat blind-stack blind-stack6
