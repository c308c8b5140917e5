# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# The cost does not depend on the size of the file. Counted, not timed; with the program as it is
# installed, since sanitizers take memory of their own.

program=$objects/../kreloc

# cost BYTES: stamps a recording with that much AUX data in it; sets resident, read and written
cost() {
	"$craft" grow blind-g.data grown.data "$1" 2>err || {
		rm -f grown.data
		return 1
	}
	run 0 "$objects/tests/measure" "$program" stamp grown.data
	says out "grown.data: stamped"
	read -r resident read written < <(sed -nE \
		's/^measure: 0, resident ([0-9]+) kB, read ([0-9]+), written ([0-9]+) .*/\1 \2 \3/p' err)
	echo "$1: resident $resident kB, read $read, written $written bytes"
	run 0 "$program" read grown.data
	says out "offset: $offset"
	run 0 "$program" strip grown.data
}

size_constant() {
	local small

	recording blind-g
	cost $((1 << 20))
	small="$read $written"
	[ "$written" -lt 65536 ]
	[ "$resident" -lt 8192 ]
	cost $((1 << 30))
	[ "$read $written" = "$small" ]
	[ "$resident" -lt 8192 ]
	cost $((100 << 30)) || skip "this file system takes no sparse file of 100 GiB"
	[ "$read $written" = "$small" ]
	[ "$resident" -lt 8192 ]
}

# Thousands of pieces of AUX data, each of which leads on to the next
size_aux() {
	recording blind-task
	"$craft" grow blind-task.data grown.data $((1 << 20)) 4096
	run 0 "$objects/tests/measure" "$program" stamp grown.data
	read=$(sed -nE 's/^measure: .*read ([0-9]+),.*/\1/p' err)
	[ "$read" -lt $((10 << 20)) ] || fail "read $read bytes"
}

size_vmlinux() {
	local i symbols=()

	recording blind-g
	for ((i = 0; i < 20000; i++)); do
		symbols+=("a_function_with_a_name_of_usual_length_$i=$((link + i))")
	done
	vmlinux "${symbols[@]}"
	run 0 "$objects/tests/measure" "$program" stamp --offset="$offset" -k vmlinux blind-g.data
	resident=$(sed -nE 's/^measure: .*resident ([0-9]+) kB.*/\1/p' err)
	[ "$resident" -lt 8192 ] || fail "resident $resident kB"
}

t "1 MiB, 1 GiB, 100 GiB: the same few bytes, under 64 KiB and 8 MiB" size_constant
t "4096 pieces of AUX data: what is read stays bounded" size_aux
t "a vmlinux with 20,000 symbols: under 8 MiB" size_vmlinux
