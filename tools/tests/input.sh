# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Bad input: a clear word, the exit status, and the file byte for byte as it was.

input_missing() {
	run 1 "$kreloc" stamp missing.data
	is err <<-END
		kreloc: missing.data: No such file or directory
	END
	run 1 "$kreloc" read missing.data
	run 1 "$kreloc" strip missing.data
}

input_not_a_file() {
	mkdir directory
	mkfifo fifo
	for command in stamp read strip; do
		run 1 "$kreloc" $command directory
		says err "kreloc: directory: "
		grep -qi "is a directory" err
		# must not hang
		run 1 timeout 10 "$kreloc" $command fifo
		says err "kreloc: fifo: not a regular file"
		run 1 "$kreloc" $command /dev/null
		says err "kreloc: /dev/null: not a regular file"
	done
}

input_not_a_trace() {
	: >empty
	echo "a text" >text
	printf PERFILE >short
	head -c 5000 /dev/urandom | tr '\0' x >random
	for command in stamp read strip; do
		run 1 "$kreloc" $command empty
		says err "kreloc: empty: is empty"
		for file in text short random; do
			run 1 "$kreloc" $command $file
			says err "kreloc: $file: not a trace file that kreloc knows"
		done
	done
	refused 1 text "not a trace file" --force
}

# Every length within the headers, some behind, and all but the last byte
input_truncated() {
	local length size

	recording blind-events
	size=$(stat -c %s blind-events.data)
	for length in $(seq 1 16) $(seq 24 8 1024) $(seq 1100 1999 "$size") $((size - 1)); do
		head -c "$length" blind-events.data >cut.data
		before=$(sha256sum cut.data)
		run 1 "$kreloc" stamp cut.data
		silent out
		[ "$length" -lt 8 ] || says err "kreloc: cut.data: is truncated"
		run 1 "$kreloc" stamp --force cut.data
		run 1 "$kreloc" read cut.data
		[ "$before" = "$(sha256sum cut.data)" ]
	done
}

input_unfinished() {
	recording blind-a
	"$craft" put blind-a.data writing.data 48 8 0
	refused 1 writing.data "is not finished: perf is still writing it, or was killed"
	refused 1 writing.data "is not finished" --force
	run 1 "$kreloc" read writing.data
}

input_old() {
	printf 'PERFFILE%0200d' 0 >old.data
	refused 1 old.data "written by perf from before 2.6.36"
}

# Through a pipe there is no table that would tell how much is missing
input_truncated_pipe() {
	local length

	recording pipe
	for length in $(seq 8 8 256) $(seq 300 333 4500); do
		head -c "$length" pipe.data >cut.data
		"$kreloc" stamp cut.data >out 2>err || refused 1 cut.data "cut.data: is "
		"$kreloc" strip cut.data >out 2>err || true
		head -c "$length" pipe.data | cmp - cut.data
	done
}

# Each number of the header, far off
input_header() {
	local at value

	recording blind-a
	for at in 8 16 24 32 40 48 56 64; do
		for value in 1 0x7fffffffffffffff 0xffffffffffffffff 0xfffffffffffffff8 \
			0x8000000000000000 0x100000000; do
			"$craft" put blind-a.data bad.data $at 8 $value
			[ "$at $value" != "56 1" ] || continue
			case "$at $value" in
			# 56 and 64 are the event types, which are empty: their place is no matter
			"56 "*) "$craft" put bad.data bad.data 64 8 16 ;;
			"64 1") continue ;;
			esac
			refused 1 bad.data "bad.data: "
			run 1 "$kreloc" read bad.data
			run 1 "$kreloc" strip bad.data
		done
	done
	# More features than there is file
	"$craft" put blind-a.data bad.data 72 8 0xffffffffffffffff
	refused 1 bad.data "is truncated"
}

# A record that says it is followed by what leads back to itself
input_loop() {
	local data size

	recording blind-task
	data=$(od -An -t u8 -j 40 -N 8 blind-task.data | tr -d ' ')
	size=$(od -An -t u2 -j $((data + 6)) -N 2 blind-task.data | tr -d ' ')
	"$craft" put blind-task.data loop.data "$data" 4 71
	"$craft" put loop.data loop.data $((data + 8)) 8 $((-size))
	run 3 timeout 10 "$kreloc" read loop.data
	"$craft" put loop.data loop.data $((data + 8)) 8 $((-size + 8))
	run 3 timeout 10 "$kreloc" read loop.data
}

input_permission() {
	recording blind-a
	chmod 444 blind-a.data
	find . -type d -exec chmod a+rx {} +
	before=$(sha256sum blind-a.data)
	run 1 as_nobody "$kreloc" stamp blind-a.data
	is err <<-END
		kreloc: blind-a.data: Permission denied
	END
	run 3 as_nobody "$kreloc" read blind-a.data
	chmod 0 blind-a.data
	run 1 as_nobody "$kreloc" read blind-a.data
	says err "kreloc: blind-a.data: Permission denied"
	chmod 444 blind-a.data
	[ "$before" = "$(sha256sum blind-a.data)" ]
	# nothing to write, no complaint
	recording good
	chmod 444 good.data
	run 0 as_nobody "$kreloc" stamp good.data
}

readonly_mount() {
	mount -t tmpfs tmpfs mnt
	(
		cd mnt || exit
		recording blind-a
		recording good
		cp blind-a.data stamped.data
		"$kreloc" stamp stamped.data
	)
	# bind: in a user namespace mount(8) would pass on options that the kernel refuses
	mount -o remount,bind,ro mnt
	refused 1 mnt/blind-a.data "kreloc: mnt/blind-a.data: Read-only file system"
	unchanged 0 mnt/good.data "has its kernel's address"
	unchanged 0 mnt/stamped.data "is stamped already"
	refused 1 mnt/blind-a.data "kreloc: mnt/blind-a.data: Read-only file system" --dry-run
	run 1 "$kreloc" strip mnt/stamped.data
	says err "kreloc: mnt/stamped.data: Read-only file system"
}

# Nothing is left in the file system, nor in the last page of the file
full_disk() {
	mount -t tmpfs -o size=256k tmpfs mnt
	recording blind-a
	truncate -s %4096 blind-a.data
	mv blind-a.data whole.data
	cp -p whole.data mnt/blind-a.data
	dd if=/dev/zero of=mnt/filler bs=4096 status=none 2>/dev/null || true
	refused 1 mnt/blind-a.data "no stamp, cannot append to it: No space left on device"
	cmp mnt/blind-a.data whole.data
	run 0 "$kreloc" stamp --dry-run mnt/blind-a.data
	rm mnt/filler
	stamped mnt/blind-a.data
	cmp mnt/blind-a.data.orig whole.data
}

# The program must not die of SIGXFSZ half way
input_limit() {
	recording blind-a
	truncate -s %1024 blind-a.data
	cp blind-a.data whole.data
	(
		ulimit -f $(($(stat -c %s blind-a.data) / 1024))
		refused 1 blind-a.data "no stamp, cannot append to it: File too large"
	)
	cmp blind-a.data whole.data
	stamped blind-a.data
}

input_symlink() {
	recording blind-a
	ln -s blind-a.data link.data
	ln blind-a.data hard.data
	run 0 "$kreloc" stamp link.data
	[ -L link.data ]
	run 0 "$kreloc" stamp hard.data
	says out "hard.data: is stamped already"
}

# Text from a file goes to a terminal
input_control() {
	recording blind-a
	# the release, in feature 4
	"$craft" section blind-a.data evil.data 4 4 8 0x6d31335b1b0a3b31
	run 3 "$kreloc" read evil.data
	says out "release: 1;??[31m"
	run 3 "$kreloc" read --json evil.data
	says out '"release":"1;\n\u001b[31m'
}

t "a missing file" input_missing
t "directory, FIFO, device" input_not_a_file
t "empty, text, random" input_not_a_trace
t "truncated anywhere" input_truncated
t "a recording that is not finished" input_unfinished
t "perf from before 2.6.36" input_old
t "truncated anywhere, through a pipe" input_truncated_pipe
t "numbers of the header that are far off" input_header
t "records that lead nowhere" input_loop
t "without permission" input_permission
t "on a read-only mount" in_namespace readonly_mount
t "with no space left" in_namespace full_disk
t "with a file size limit" input_limit
t "symbolic and hard links" input_symlink
t "control characters from a file are not printed" input_control
