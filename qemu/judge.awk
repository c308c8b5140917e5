# SPDX-License-Identifier: GPL-2.0-only
#
# Judges one file for judge.sh, which sets these:
#   cut    1 if the file's last line is not a whole one
#   skips  the patterns of tests that may be skipped, one a line
# Prints the failures, then as its last line "PASSED FAILED SKIPPED".
#
# Subtests come before the result that they belong to, as a level of their own
# that is recognised by what precedes its lines: blanks, or "# " where kselftest's
# runner passes on what a test printed. What is known of the level at each depth:
#   width[]     of what precedes its lines
#   hashed[]    1 if there is a "#" in that
#   name[]      of the result that the level belongs to, where it was announced
#   plan[]      how many results it promised, -1 before it did
#   count[], highest[], seen[]   the results so far, and their numbers
#   fails[]     of the level and those below it
# and of the levels below since the last result: kids[], kidfails[], kidskip[].

BEGIN {
	patterns = split(skips, regexp, "\n")
	for (i = 1; i <= patterns; i++)
		regexp[i] = glob_to_regexp(regexp[i])
	open_level(0, 0)
}

{
	match($0, /^([ \t]|# )*/)
	w = RLENGTH
	prefix = substr($0, 1, w)
	rest = substr($0, w + 1)
	version = rest ~ /^K?TAP version [0-9]+$/
	if (!version && prefix ~ /#/ && !is_open(w))
		comment()
	else if (version)
		at(w)
	else if (rest ~ /^1\.\.[0-9]+/)
		read_plan()
	else if (rest ~ /^(not )?ok([ \t]|$)/)
		read_result()
	else if (rest ~ /^Bail out!/)
		fail(rest)
	else
		comment()
	last = $0
}

END {
	at(0)
	close_level()
	rest = ""
	if (!results && skipall[1] != "")
		skip(FILENAME, skipall[1])
	else if (!results)
		fail("no test ran")
	if (cut)
		fail("cut short within the line: " last)
	else if (guest && last !~ /^# exit [0-9]+$/)
		fail("cut short: the guest's last line is missing")
	else if (guest && !failed && last != "# exit 0")
		fail("the guest ended with:" substr(last, 2))
	print passed + 0, failed + 0, skipped + 0
}

function glob_to_regexp(glob) {
	gsub(/[][.\\^$+(){}|]/, "\\\\&", glob)
	gsub(/[*]/, ".*", glob)
	gsub(/[?]/, ".", glob)
	return "^" glob "$"
}

function open_level(w, h) {
	level[++depth] = ++levels
	width[depth] = w
	hashed[depth] = h
	name[depth] = announced
	plan[depth] = -1
	count[depth] = highest[depth] = fails[depth] = 0
	announced = skipall[depth] = ""
	forget_kids()
}

function forget_kids() {
	kids[depth] = kidfails[depth] = 0
	kidskip[depth] = ""
}

# Does it keep what it promised?
function close_level() {
	if (plan[depth] < 0) {
		if (count[depth])
			fail(path("no plan"))
	} else if (count[depth] < plan[depth]) {
		fail(path("planned " plan[depth] ", ran " count[depth]), plan[depth] - count[depth])
	} else if (count[depth] > plan[depth]) {
		fail(path("planned " plan[depth] ", ran " count[depth]))
	} else if (highest[depth] > plan[depth]) {
		fail(path("number " highest[depth] " is beyond the plan"))
	}
	if (depth == 1)
		return
	depth--
	kids[depth] += count[depth + 1]
	kidfails[depth] += fails[depth + 1]
	kidskip[depth] = skipall[depth + 1]
}

function is_open(w, d) {
	for (d = depth; d > 0; d--)
		if (width[d] == w)
			return hashed[d]
	return 0
}

# at(WIDTH): go to the level of that width
function at(w) {
	while (depth > 1 && width[depth] > w)
		close_level()
	if (width[depth] < w)
		open_level(w, prefix ~ /#/)
}

function read_plan() {
	at(w)
	printing = 0
	if (plan[depth] >= 0)
		fail(path("a second plan: " rest))
	plan[depth] = substr(rest, 4) + 0
	if (!plan[depth])
		skipall[depth] = reason(rest)
}

function read_result(ok, test, number, why) {
	at(w)
	results++
	count[depth]++
	ok = rest ~ /^ok/
	test = rest
	sub(/^(not )?ok[ \t]*/, "", test)
	number = match(test, /^[0-9]+/) ? substr(test, 1, RLENGTH) + 0 : count[depth]
	sub(/^[0-9]*[ \t]*(- *)?/, "", test)
	why = kidskip[depth]
	if (toupper(test) ~ /# *(SKIP|TODO|XFAIL)/) {
		why = why == "" ? reason(test) : why
		sub(/[ \t]*#.*/, "", test)
	}
	if ((level[depth], number) in seen)
		fail(path(test ": number " number " comes twice"))
	seen[level[depth], number] = 1
	if (number > highest[depth])
		highest[depth] = number

	if (kids[depth]) {
		# has been counted, unless it fails in spite of its subtests
		if (!ok && !kidfails[depth])
			fail(path(test ": not ok, though its subtests passed"))
		fails[depth] += kidfails[depth]
	} else if (!ok) {
		fail(path(test))
		printf "%s", comments
	} else if (why != "") {
		skip(path(test), why)
	} else {
		passed++
	}
	printing = !ok
	comments = ""
	forget_kids()
}

# What follows the "#" of a directive; never empty
function reason(text) {
	return match(text, /# */) ? substr(text, RSTART + RLENGTH) : "SKIP"
}

# The comments around a failure are its diagnostics
function comment() {
	if ($0 == "# a guest ends with: # exit STATUS")
		guest = 1
	else if (rest ~ /^(Subtest|selftests): /)
		announce()
	else if (printing && $0 !~ /^# exit /)
		print "    " rest
	else
		comments = comments "    " rest "\n"
}

function announce() {
	sub(/^[^:]*: /, "", rest)
	if (depth > 1 && width[depth] == w && !count[depth])
		name[depth] = rest
	else
		announced = rest
}

# path(TEST): with the names of the levels that it is in
function path(test, d, p) {
	for (d = 2; d <= depth; d++)
		if (name[d] != "")
			p = p name[d] "/"
	return p test
}

function fail(what, n) {
	n = n ? n : 1
	failed += n
	fails[depth] += n
	print "  FAIL " what
}

function skip(test, why, i, base) {
	base = test
	sub(/.*\//, "", base)
	for (i = 1; i <= patterns; i++) {
		if (test ~ regexp[i] || base ~ regexp[i]) {
			skipped++
			return
		}
	}
	fail(test ": unexpected " why)
}
