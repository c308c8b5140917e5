# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# What surrounds the program: closed standard files, names that are no text, locks of others,
# files that say what cannot be.

# Whatever is closed, no message goes into a recording, and no recording is taken for input
environment_closed() {
	local before

	recording blind-a
	cp blind-a.data orig.data
	put /proc/sys/kernel/osrelease 6.1.0-other
	"$kreloc" stamp blind-a.data 2>&- || [ $? -eq 1 ]
	cmp blind-a.data orig.data
	"$kreloc" stamp --force blind-a.data 2>&-
	"$kreloc" strip blind-a.data
	cmp blind-a.data orig.data
	# what it would have said is lost, and that is an error
	! "$kreloc" stamp --force blind-a.data >&- 2>err || fail "no error"
	says err "kreloc: standard output: "
	before=$(sha256sum blind-a.data)
	! "$kreloc" read blind-a.data >&- 2>err || fail "no error"
	[ "$before" = "$(sha256sum blind-a.data)" ]
	! "$kreloc" addr --stamp=blind-a.data <&- >out 2>err || fail "no error"
	silent out
}

environment_names() {
	local name

	recording good
	name=$(printf 'a\377b\tc\303\251.data')
	mv good.data "$name"
	run 3 "$kreloc" read --json "$name"
	says out "$(printf 'a\357\277\275b')"
	says out "$(printf 'c\303\251.data')"
	run 1 "$kreloc" read "$(printf 'two\nlines\033[31m')"
	is err <<-END
		kreloc: two?lines?[31m: No such file or directory
	END
}

# Somebody who can read it can lock it, but not for ever
environment_lock() {
	recording blind-a
	{
		flock -s 9
		sleep 60 &
		holder=$!
	} 9<blind-a.data
	refused 1 blind-a.data "is locked by another program: try again"
	kill $holder
}

# An address that no kernel can have is no offset, whoever wrote it
environment_impossible() {
	local at

	recording good
	"$craft" vmlinux vmlinux x86_64 "$build_id" _text=$link "_etext=$(printf 0x%x $((link + text_size)))"
	# pgoff of the first MMAP record
	at=$(($(od -An -t u8 -j 40 -N 8 good.data)))
	while [ "$(($(od -An -t u4 -j $at -N 4 good.data)))" -ne 1 ]; do
		at=$((at + $(od -An -t u2 -j $((at + 6)) -N 2 good.data)))
	done
	at=$((at + 32))
	for address in 0x1000 0xffffffffffffffff 0xffffffff80000000 0xffffffffc0000000 0xffffffff87812345; do
		"$craft" put good.data bad.data $at 8 $address
		run 1 "$kreloc" read -k vmlinux bad.data
		silent out
		run 1 "$kreloc" addr --stamp=bad.data -k vmlinux ffffffff87900000
	done
	# of another symbol
	"$craft" put good.data bad.data $((at + 8 + 17)) 5 0x65
	run 3 "$kreloc" read -k vmlinux bad.data
	says out "offset: unknown"
	# what the recorder knew is not what is asked for
	refused 1 good.data "its recorder says that _text is at $text, and by that offset" \
		--offset=1000000 -k vmlinux
	unchanged 0 good.data "has its kernel's address" --offset="$offset" -k vmlinux
}

# The end of the stamp is gone, the offset is not
environment_torn() {
	recording blind-a
	run 0 "$kreloc" stamp blind-a.data
	head -c -1 blind-a.data >torn.data
	run 1 "$kreloc" strip torn.data
	says err "was changed since it was stamped: the stamp cannot be taken out"
}

t "closed standard files" environment_closed
t "names and messages that are no text" environment_names
t "a lock that is never released" environment_lock
t "an address that no kernel can have" environment_impossible
t "a stamp without its end" environment_torn
