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
	cd / || exit
	rm -rf "$fast/mutate"
}

mutate blind-task blind-events blind-z userns pipe
