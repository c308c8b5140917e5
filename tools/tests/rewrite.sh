# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Files without room for the stamp: they become a new one, with a gap.

view=$objects/tests/view

# rewritten FILE [OPTION…]: one more record in front, and nothing else is new for a reader
rewritten() {
	local file=$1

	"$view" "$file" >before
	lacks before damaged
	stamped "$@"
	says out "$file: was rewritten, all "
	"$view" "$file" >after
	diff before after | grep '^[<>]' >difference || true
	[ "$(wc -l <difference)" -eq "${lines:-1}" ]
	grep "^> record type ${type:-10} .*start $text .* pgoff $text name .kernel.kallsyms._text" difference
	run 0 "$kreloc" read "$file"
	says out "offset: $offset"
	says out "source: stamp"
	unchanged 0 "$file" "is stamped already"
	[ -z "$(find . -name '*.kreloc')" ]
}

rewrite_kinds() {
	local kind

	recording blind-injected
	rewritten blind-injected.data
	for kind in blind-g blind-events blind-trace blind-z; do
		recording $kind
		"$craft" tight $kind.data tight.data
		"$view" tight.data >tight.view
		"$view" $kind.data | diff - tight.view
		rewritten tight.data
	done
}

# The index of AUX data names places, too
rewrite_aux() {
	recording blind-a
	"$craft" aux blind-a.data aux.data
	"$craft" tight aux.data tight.data
	"$view" tight.data >before
	says before "indexed "
	lacks before "beyond"
	rewritten tight.data
}

# A hollow record that a crash could tear
rewrite_hollow() {
	local n

	recording userns
	n=0
	while "$craft" rounds userns.data moved.data $n; do
		run 0 "$kreloc" stamp -n moved.data
		! grep -q "would be rewritten" out || break
		n=$((n + 1))
		[ $n -lt 64 ]
	done
	lines=2 type=1 rewritten moved.data
}

rewrite_keeps() {
	local before

	recording blind-a
	"$craft" tight blind-a.data tight.data
	chmod 640 tight.data
	[ "$(id -u)" -ne 0 ] || chown 12:34 tight.data
	touch -d '10 minutes ago' tight.data
	setfattr -n user.test -v kept tight.data 2>/dev/null || true
	ln -s tight.data link.data
	before=$(stat -c '%f %u %g %y' tight.data)
	run 0 "$kreloc" stamp link.data
	[ "$before" = "$(stat -c '%f %u %g %y' tight.data)" ]
	[ -L link.data ]
	! getfattr -n user.test tight.data.orig 2>/dev/null || getfattr -n user.test tight.data
	run 0 "$kreloc" strip link.data
	[ "$before" = "$(stat -c '%f %u %g %y' tight.data)" ]
	# Names that would be parted
	ln tight.data hard.data
	refused 1 tight.data "that would part it from its 1 other names"
}

rewrite_dry_run() {
	recording blind-a
	"$craft" tight blind-a.data tight.data
	unchanged 0 tight.data "tight.data: would be rewritten, all " --dry-run
}

# What somebody left who was killed
rewrite_leftover() {
	recording blind-a
	"$craft" tight blind-a.data tight.data
	echo half >.tight.data.kreloc
	rewritten tight.data
}

rewrite_denied() {
	recording blind-a
	mkdir dir
	"$craft" tight blind-a.data dir/tight.data
	chmod a+w dir/tight.data
	chmod 555 dir
	find . -type d -exec chmod a+rx {} +
	run 1 as_nobody "$kreloc" stamp dir/tight.data
	says err "dir/tight.data: has to be rewritten, and no file can be made beside it"
	[ "$(id -u)" -ne 0 ] || {
		chmod 777 dir
		run 1 as_nobody "$kreloc" stamp dir/tight.data
		says err "has to be rewritten, and its owner cannot be kept"
		[ "$(ls -A dir)" = tight.data ]
	}
}

rewrite_full() {
	mount -t tmpfs -o size=128k tmpfs mnt
	recording blind-a
	"$craft" tight blind-a.data mnt/tight.data
	dd if=/dev/zero of=mnt/filler bs=4096 count=8 status=none
	refused 1 mnt/tight.data "No space left on device"
	[ "$(ls -A mnt)" = "$(printf 'filler\ntight.data')" ]
	rm mnt/filler
	run 0 "$kreloc" stamp mnt/tight.data
}

rewrite_parallel() {
	local i

	recording blind-g
	"$craft" tight blind-g.data tight.data
	cp tight.data orig.data
	for i in 1 2 3 4 5 6 7 8; do
		"$kreloc" stamp tight.data >out.$i 2>err.$i &
	done
	wait
	[ "$(cat out.* | grep -c 'tight.data: stamped: ')" -eq 1 ]
	[ "$(cat out.* | grep -c 'tight.data: is stamped already')" -eq 7 ]
	"$kreloc" strip tight.data
	cmp tight.data orig.data
}

# Holes stay holes
rewrite_sparse() {
	recording blind-a
	"$craft" tight blind-a.data tight.data
	"$craft" grow tight.data grown.data $((1 << 30))
	[ "$(du -k grown.data | cut -f 1)" -lt 1024 ] || skip "no sparse files here"
	run 0 "$kreloc" stamp grown.data
	says out "grown.data: was rewritten"
	[ "$(du -k grown.data | cut -f 1)" -lt 1024 ]
}

t "one more record, and all places are right" rewrite_kinds
t "the index of AUX data" rewrite_aux
t "a hollow record across two sectors" rewrite_hollow
t "owner, mode and times stay, links lead to it, hard links are refused" rewrite_keeps
t "--dry-run says so" rewrite_dry_run
t "what a killed one left is cleared away" rewrite_leftover
t "where no file can be made, or not with this owner" rewrite_denied
t "with no space left" in_namespace rewrite_full
t "eight at once: one stamps" rewrite_parallel
t "holes stay holes" rewrite_sparse
