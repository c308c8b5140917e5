#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Plants files for judge.sh, good and bad, and tells in TAP whether it saw what
# each of them amounts to.
set -eu

judge=${0%/*}/../judge.sh
tap=$(mktemp)
trap 'rm -f "$tap"' EXIT
count=0 failures=0

# t NAME TOTALS [OPTION…] <TAP: the last line must be TOTALS and the exit status
# must agree with it
t() {
	local name=$1 totals=$2 output status=0 expected=1

	shift 2
	cat >"$tap"
	case $totals in *' 0 failed'*) expected=0 ;; esac
	count=$((count + 1))
	output=$("$judge" "$@" "$tap" 2>&1) || status=$?
	if [ "${output##*$'\n'}" = "$totals" ] && [ $status -eq $expected ]; then
		echo "ok $count $name"
	else
		echo "not ok $count $name"
		echo "# should be '$totals' and exit status $expected, is $status and"
		printf '#   %s\n' "${output//$'\n'/$'\n#   '}"
		failures=$((failures + 1))
	fi
}

echo "TAP version 13"

t "all pass" "2 passed, 0 failed" <<END
TAP version 13
1..2
ok 1 one
ok 2 - two
END

t "the plan may come last" "2 passed, 0 failed" <<END
ok 1 one
ok 2 two
1..2
END

t "numbers may be left out" "2 passed, 0 failed" <<END
1..2
ok one
ok
END

t "one fails" "1 passed, 1 failed" <<END
1..2
ok 1 one
not ok 2 two
END

t "an empty file" "0 passed, 1 failed" </dev/null

t "no results at all" "0 passed, 1 failed" <<END
KTAP version 1
# nothing came of it
END

t "a plan of nothing that does not say skip" "0 passed, 1 failed" <<END
1..0
END

t "no plan" "1 passed, 1 failed" <<END
TAP version 13
ok 1 one
END

t "each missing test is a failure" "1 passed, 2 failed" <<END
1..3
ok 1 one
END

t "more tests than planned" "2 passed, 1 failed" <<END
1..1
ok 1 one
ok 2 two
END

t "a number that comes twice" "2 passed, 1 failed" <<END
1..2
ok 1 one
ok 1 two
END

t "a number beyond the plan" "2 passed, 1 failed" <<END
1..2
ok 1 one
ok 7 two
END

t "a second plan" "2 passed, 1 failed" <<END
1..2
ok 1 one
ok 2 two
1..2
END

t "bail out" "1 passed, 2 failed" <<END
1..2
ok 1 one
Bail out! no more
END

t "cut short between lines" "1 passed, 1 failed" <<END
1..2
ok 1 one
END

t "cut short within a line" "2 passed, 1 failed" < <(printf '1..2\nok 1 one\nok 2 tw')

t "an unexpected skip" "1 passed, 1 failed" <<END
1..2
ok 1 one
ok 2 two # SKIP no such device
END

t "an expected skip" "1 passed, 0 failed, 1 skipped" --expect-skip=two <<END
1..2
ok 1 one
ok 2 two # SKIP no such device
END

t "a pattern covers the whole name" "1 passed, 1 failed" --expect-skip=tw --expect-skip='w*' <<END
1..2
ok 1 one
ok 2 two # skip
END

t "characters of regular expressions stand for themselves" "1 passed, 2 failed, 1 skipped" \
	--expect-skip='a.b (c)' --expect-skip='[x]*' <<END
1..4
ok 1 a.b (c) # SKIP
ok 2 axb (c) # SKIP
ok 3 x # SKIP
ok 4 y
END

t "not ok stays a failure with a skip behind it" "0 passed, 1 failed" --expect-skip='*' <<END
1..1
not ok 1 one # SKIP
END

t "a whole file skipped, unexpected" "0 passed, 1 failed" <<END
1..0 # SKIP not root
END

t "a whole file skipped, expected" "0 passed, 0 failed, 1 skipped" --expect-skip="${tap##*/}" <<END
1..0 # SKIP not root
END

t "subtests count, their parents do not" "3 passed, 0 failed" <<END
KTAP version 1
1..2
    KTAP version 1
    1..2
    ok 1 one
    ok 2 two
ok 1 first
ok 2 second
END

t "a failure below is one failure" "1 passed, 1 failed" <<END
KTAP version 1
1..1
  KTAP version 1
  1..1
    KTAP version 1
    1..2
    ok 1 one
    not ok 2 two
  not ok 1 inner
not ok 1 outer
END

t "a parent fails though its subtests pass" "1 passed, 1 failed" <<END
1..1
  1..1
  ok 1 one
not ok 1 outer
END

t "a parent does not hide a failure below" "1 passed, 1 failed" <<END
1..1
  1..2
  ok 1 one
  not ok 2 two
ok 1 outer
END

t "a subtest's plan counts" "1 passed, 1 failed" <<END
1..1
  1..2
  ok 1 one
ok 1 outer
END

t "levels are counted apart" "3 passed, 0 failed" <<END
1..3
  1..1
  ok 1 one
ok 1 first
  1..1
  ok 1 one
ok 2 second
ok 3 third
END

t "cut short within subtests" "1 passed, 2 failed" <<END
1..1
  1..2
  ok 1 one
END

t "a skip is known by its parent's name too" "1 passed, 0 failed, 1 skipped" \
	--expect-skip='a.sh/two' <<END
1..1
  # Subtest: a.sh
  1..2
  ok 1 one
  ok 2 two # SKIP
ok 1 a.sh
END

t "…and only by its own parent's" "1 passed, 1 failed" --expect-skip='b.sh/two' <<END
1..1
  # Subtest: a.sh
  1..2
  ok 1 one
  ok 2 two # SKIP
ok 1 a.sh
END

t "kselftest's runner: prefixed subtests" "2 passed, 1 failed, 1 skipped" --expect-skip='* b.sh' <<END
TAP version 13
1..2
# selftests: kreloc: a.sh
# TAP version 13
# 1..3
# ok 1 one
# not ok 2 two
# # ok 3 only said so
# ok 3 three
not ok 1 selftests: kreloc: a.sh # exit=1
# selftests: kreloc: b.sh
# TAP version 13
# 1..0 # SKIP no module
ok 2 selftests: kreloc: b.sh # SKIP
END

t "what looks like a result in a comment is none" "1 passed, 0 failed" <<END
1..1
# not ok 1 no
# ok 2 neither
ok 1 one
END

t "a guest that came to its end" "1 passed, 0 failed" <<END
# a guest ends with: # exit STATUS
1..1
ok 1 one
# exit 0
END

t "a guest's last line is missing" "1 passed, 1 failed" <<END
# a guest ends with: # exit STATUS
1..1
ok 1 one
END

t "a guest says more after its last line" "2 passed, 1 failed" <<END
# a guest ends with: # exit STATUS
1..2
ok 1 one
# exit 0
ok 2 two
END

t "a guest that fails though its tests pass" "1 passed, 1 failed" <<END
# a guest ends with: # exit STATUS
1..1
ok 1 one
# exit 3
END

t "a guest's exit status is no second failure" "0 passed, 1 failed" <<END
# a guest ends with: # exit STATUS
1..1
not ok 1 one
# exit 1
END

echo "1..$count"
[ $failures -eq 0 ]
