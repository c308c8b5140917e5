# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Recordings that are damaged at random.

mutate() {
	local kind

	mkdir -p "$fast/mutate"
	cd "$fast/mutate" || exit
	for kind; do
		recording "$kind"
	done
	"$craft" tight blind-task.data tight.data
	"$craft" big blind-task.data big.data 4
	tap "$objects/tests/mutate" 1000 "${@/%/.data}" tight.data big.data
	dat blind-stack
	dat blind-stack6
	printf '0000000000000000 T _text\n' >zeros
	"$objects/tests/craft-dat" make big7.dat 7 big zlib zeros "$text"
	"$objects/tests/craft-dat" make big6.dat 6 big none zeros "$text"
	"$objects/tests/craft-dat" bare big6.dat bare.dat
	tap "$objects/tests/mutate" 1000 blind-stack.dat blind-stack6.dat big7.dat big6.dat bare.dat
	xz -dc "$tests/data/others/session.tar.xz" | tar -x -f - -O session/kernel/metadata >packets.ctf
	"$objects/tests/craft-ctf" plain packets.ctf plain.ctf
	xz -dc "$tests/data/others/function.txt.xz" >function.txt
	tap "$objects/tests/mutate" 1000 packets.ctf plain.ctf function.txt
	cd / || exit
	rm -rf "$fast/mutate"
}

mutate blind-task blind-events blind-z userns pipe
