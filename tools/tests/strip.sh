# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc strip; that it gives back the very bytes is seen wherever a test stamps.

strip_none() {
	recording blind-a
	run 0 "$kreloc" strip blind-a.data
	says out "blind-a.data: has no stamp, unchanged"
	run 0 "$kreloc" stamp blind-a.data
	run 0 "$kreloc" strip blind-a.data
	says out "blind-a.data: the stamp is taken out"
	run 0 "$kreloc" strip blind-a.data
	says out "blind-a.data: has no stamp, unchanged"
}

# Bytes behind the last section are nobody's business, and stay
strip_odd_size() {
	local n

	for n in 1 2 3 4 5 6 7 8 100; do
		recording blind-task
		head -c $n /dev/zero | tr '\0' x >>blind-task.data
		stamped blind-task.data
	done
}

# Somebody changed the file since: what is there now is not ours to undo
strip_altered() {
	local data

	recording blind-a
	run 0 "$kreloc" stamp blind-a.data
	data=$(od -An -t u8 -j 40 -N 8 blind-a.data | tr -d ' ')
	# an address in the record
	"$craft" put blind-a.data altered.data $((data + 16)) 4 4711
	run 1 "$kreloc" strip altered.data
	says err "kreloc: altered.data: was changed since it was stamped"
	# the data are cut to their second half
	"$craft" put blind-a.data altered.data 40 1 0x10
	run 1 "$kreloc" strip altered.data
}

# What looks like the rest of a stamp, but is not or is followed by more, is somebody else's
strip_rest() {
	local size

	recording blind-a
	size=$(stat -c %s blind-a.data)
	cp blind-a.data orig.data
	run 0 "$kreloc" stamp blind-a.data
	{
		cat orig.data
		tail -c +$((size + 1)) blind-a.data | head -c 500
	} >rest.data
	cp rest.data damaged.data
	cp rest.data longer.data
	run 0 "$kreloc" strip rest.data
	says out "rest.data: the stamp is taken out"
	cmp rest.data orig.data
	"$craft" put damaged.data damaged.data $((size + 100)) 1 0xff
	head -c 5000 /dev/zero >>longer.data
	for file in damaged longer; do
		cp $file.data copy.data
		run 0 "$kreloc" strip $file.data
		says out "$file.data: has no stamp, unchanged"
		stamped $file.data
		cmp $file.data.orig copy.data
	done
}

# A record that readers will believe, and a block that says otherwise: one of them is wrong
strip_liar() {
	recording blind-a
	run 0 "$kreloc" stamp blind-a.data
	"$craft" claim blind-a.data same.data "$text"
	cmp blind-a.data same.data
	"$craft" claim blind-a.data liar.data 0xffffffff81000000
	run 1 "$kreloc" read liar.data
	silent out
	says err "was changed since it was stamped: its record says $text, its stamp 0xffffffff81000000"
	run 1 "$kreloc" strip liar.data
}

# A block that is damaged is not believed; the record in front is like perf's own then
strip_damaged() {
	local size at

	recording blind-a
	size=$(stat -c %s blind-a.data)
	run 0 "$kreloc" stamp blind-a.data
	for ((at = size + 8; at < $(stat -c %s blind-a.data); at += 97)); do
		byte=$(od -An -t u1 -j $at -N 1 blind-a.data | tr -d ' ')
		"$craft" put blind-a.data damaged.data $at 1 $((byte ^ 0x10))
		run 3 "$kreloc" read damaged.data
		says out "source: recorder"
		says out "text: $text"
		cp damaged.data copy.data
		# Without its head it cannot be known as a stamp, without the rest not be taken out
		run "$((at >= (size + 7) / 8 * 8 + 324))" "$kreloc" strip damaged.data
		cmp damaged.data copy.data
	done
}

# half_stamped: half.data has the block of a stamp, and nothing of it is in the file proper yet
half_stamped() {
	recording blind-a
	cp -p blind-a.data orig
	run 0 "$kreloc" stamp blind-a.data
	{
		cat orig
		tail -c +$(($(stat -c %s orig) + 1)) blind-a.data
	} >half.data
	touch -r orig half.data
}

strip_interrupted() {
	half_stamped
	cp -p half.data copy
	run 3 "$kreloc" read half.data
	run 0 "$kreloc" stamp --dry-run half.data
	says out "half.data: an interrupted stamp would be taken out first"
	cmp half.data copy
	run 0 "$kreloc" strip half.data
	cmp half.data orig
	mv copy half.data
	run 0 "$kreloc" stamp half.data
	says err "kreloc: half.data: an interrupted stamp was taken out first"
	says out "half.data: stamped: offset $offset"
	run 0 "$kreloc" strip half.data
	cmp half.data orig
}

# Who may only read a file that was left so is told, and it stays
strip_interrupted_unwritable() {
	half_stamped
	chmod 444 half.data
	run 1 as_nobody "$kreloc" stamp half.data
	says err "kreloc: half.data: Permission denied"
}

t "a file without a stamp is left alone" strip_none
t "files of any length, and with bytes behind their end" strip_odd_size
t "a file that was changed since is left alone" strip_altered
t "the rest of a stamp, and what only looks like it" strip_rest
t "a block and a record that contradict each other" strip_liar
t "a damaged stamp is not believed" strip_damaged
t "an interrupted stamp is taken out first" strip_interrupted
t "and is told where it cannot be" strip_interrupted_unwritable
