#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Reads what tests printed as TAP or KTAP and says what it amounts to. Strict
# where the usual readers are lenient: a test that the plan promised and that
# never reported, a number that comes twice, a file that stops before its end and
# a skip that nobody expected are failures, because each of them can hide one.
#
# Usage: qemu/judge.sh [--expect-skip=GLOB]… TAPFILE…
#   --expect-skip=GLOB  a test that may be skipped, by its name or PARENT/…/NAME
#
# A file that says "# a guest ends with: # exit STATUS" must do so, with STATUS 0.
# Results are counted at the leaves: a parent counts only if it failed while all
# its subtests passed. The last line is "N passed, N failed", with ", N skipped"
# where something was. Exit status: 0 if nothing failed.
set -eu
. "${0%/*}/lib.sh"

passed=0 failed=0 skipped=0

# summary PASSED FAILED SKIPPED
summary() {
	local skips=
	[ "$3" -eq 0 ] || skips=", $3 skipped"
	echo "$1 passed, $2 failed$skips"
}

# judge FILE: print what is to be said of it and add it to the totals
judge() {
	local lines cut=0 p f s

	if [ ! -r "$1" ]; then
		echo "$1: FAIL cannot be read"
		failed=$((failed + 1))
		return
	fi
	[ -z "$(tail -c 1 "$1")" ] || cut=1
	lines=$(awk -v cut=$cut -v skips="$skips" -f "$qemu/judge.awk" "$1")
	read -r p f s <<<"${lines##*$'\n'}"
	echo "$1: $(summary "$p" "$f" "$s")"
	sed '$d' <<<"$lines"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
}

skips='' files=()
for argument; do
	case $argument in
	--expect-skip=*) skips+=${skips:+$'\n'}${argument#*=} ;;
	-*) bad_usage "what is $argument?" ;;
	*) files+=("$argument") ;;
	esac
done
[ ${#files[@]} -gt 0 ] || bad_usage "no file to judge"
for file in "${files[@]}"; do
	judge "$file"
done
summary $passed $failed $skipped
[ $failed -eq 0 ]
