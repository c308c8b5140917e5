# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# TAP, for scripts whose tests are functions. Sourced.

number=0 failed=0

# t NAME COMMAND…: fails with the first command that fails. It must not run in a condition, where bash
# ignores set -e, also in functions and subshells.
t() {
	local name=$1 output status

	shift
	number=$((number + 1))
	set +e
	output=$(
		set -eE
		trap 'echo "failed: $BASH_COMMAND"' ERR
		"$@" 2>&1
	)
	status=$?
	set -e
	if [ $status -eq 0 ]; then
		echo "ok $number - $name"
	else
		echo "not ok $number - $name"
		printf '%s\n' "$output" | tail -n 40 | sed 's/^/# /'
		failed=1
	fi
}

# tap_end: the plan, and the exit status
tap_end() {
	echo "1..$number"
	exit $failed
}
