# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# The trace of a kernel by LTTng, whose metadata are in packets, and the same as text and in the
# other byte order.

# shellcheck source=code.sh
. "$tests/code.sh"

craft_ctf=$objects/tests/craft-ctf

# session: in this directory, on the machine and in the boot that it is from
session() {
	others
	xz -dc "$tests/data/others/session.tar.xz" | tar -x -m -f -
	metadata=session/kernel/metadata
}

# as KIND: the session's metadata become such ones
as() {
	[ "$1" = packets ] || {
		"$craft_ctf" "$1" $metadata new
		mv new $metadata
	}
}

ctf_stamp() {
	local kind

	for kind in packets plain swap; do
		session
		as $kind
		stamped $metadata
		run 0 "$kreloc" read session/kernel
		sed -i '/^kreloc: /d' out
		is out <<-END
			file: session/kernel
			format: CTF
			offset: $offset
			text: $text
			anchor: _text
			link: $link
			build-id: $build_id
			release: $release
			source: stamp
			stamp-source: sysfs
			boot-id: $boot_id
		END
		unchanged 0 $metadata "is stamped already, unchanged"
		refused 1 $metadata "is stamped with offset $offset" --offset=200000
		run 0 "$kreloc" addr --stamp=session/kernel "$(printf %x $((text + 0x100)))"
		says out "0xffffffff81000100"
		rm -rf session
	done
}

# What is in the file, as anybody would look at it
ctf_entries() {
	session
	as plain
	stamped $metadata
	for entry in "kreloc_offset = \"$offset\"" "kreloc_text = \"$text\"" \
		"kreloc_anchor = \"_text\"" "kreloc_link = \"$link\"" \
		"kreloc_build_id = \"$build_id\"" "kreloc_release = \"$release\""; do
		says $metadata "	$entry;"
	done
	[ "$(grep -c "^env {" $metadata)" -eq 2 ]
}

# convert: to again, as CTF 1.8, which is not what babeltrace2 writes since 2.1
convert() {
	local version

	version=$(babeltrace2 --version | sed -nE 's/^Babeltrace ([0-9.]+).*/\1/p')
	if [ "$(printf '%s\n' 2.1 "$version" | sort -V | head -n 1)" = 2.1 ]; then
		babeltrace2 session -c sink.ctf.fs --params='path="again",ctf-version="1"'
	else
		babeltrace2 session -o ctf --output=again
	fi
}

# The unmodified reader: the same events, and the entries
ctf_babeltrace() {
	local kind

	type babeltrace2 >/dev/null 2>&1 || skip "no babeltrace2"
	for kind in packets plain swap; do
		session
		as $kind
		babeltrace2 session >before
		[ "$(wc -l <before)" -gt 100 ]
		run 0 "$kreloc" stamp session
		babeltrace2 session >after
		cmp before after
		babeltrace2 session -c sink.text.details >details
		says details "kreloc_offset: $offset"
		says details "kreloc_build_id: $build_id"
		babeltrace2 -o ctf-metadata session/kernel >tsdl
		says tsdl "kreloc_text = \"$text\";"
		# What its own writer makes of it has the entries still
		convert
		run 0 "$kreloc" read again
		says out "offset: $offset"
		says out "source: stamp"
		run 1 "$kreloc" strip again
		says err "was changed since it was stamped"
		rm -rf session again
	done
}

# A session has traces of programs beside that of the kernel, and rotations, and other directories
ctf_session() {
	session
	mkdir -p session/ust/uid/1000/64-bit session/archives/1 session/other
	cp -r session/kernel session/archives/1/kernel
	"$craft_ctf" plain $metadata session/ust/uid/1000/64-bit/metadata
	sed -i 's/domain = "kernel"/domain = "ust"/' session/ust/uid/1000/64-bit/metadata
	cp session/ust/uid/1000/64-bit/metadata ust
	run 0 "$kreloc" stamp session
	[ "$(grep -c ': stamped: ' out)" -eq 2 ]
	says out "session/kernel: stamped: offset $offset"
	says out "session/archives/1/kernel: stamped: offset $offset"
	cmp ust session/ust/uid/1000/64-bit/metadata
	run 0 "$kreloc" read session
	[ "$(grep -c '^format: CTF' out)" -eq 2 ]
	run 0 "$kreloc" addr --stamp=session $text
	says out "$link"
	refused 1 session/ust/uid/1000/64-bit/metadata "is no trace of a kernel: its domain is ust"
	run 1 "$kreloc" stamp session/other
	says err "kreloc: session/other: is a directory, and no trace"
	# Which of them would be meant?
	run 0 "$kreloc" strip session/archives
	make_module $((text + 0x200000))
	run 0 "$kreloc" stamp session/archives
	run 1 "$kreloc" addr --stamp=session $text
	says err "kreloc: session/kernel: is of another boot than session/archives/1/kernel"
}

# Each reason alone; the clock's is sure even where the file is new
ctf_guards() {
	session
	put /proc/sys/kernel/random/boot_id 01234567-89ab-cdef-0123-456789abcdef
	refused 1 $metadata "from another boot: its clock is that of boot $boot_id"
	[ "$(wc -l <err)" -eq 1 ]
	others
	put /proc/sys/kernel/osrelease 6.1.0-other
	refused 1 $metadata "recorded by Linux $release, but the running kernel is 6.1.0-other"
	others
	touch -d "2 hours ago" $metadata
	refused 1 $metadata "older than this boot"
	touch $metadata
	# Nothing to warn of: it is sure that it is from this boot
	stamped $metadata
	silent err
}

# A tracer that is still at work would go on with the old file
ctf_in_use() {
	session
	exec 3>>$metadata
	refused 1 $metadata "is open in another program"
	exec 3>&-
	stamped $metadata
}

ctf_refused() {
	session
	as plain
	sed 's/domain = /dominion = /' $metadata >none
	refused 1 none "no domain in its env"
	printf '\036{"type":"preamble","version":2}\n' >ctf2
	refused 1 ctf2 "is CTF 2, and kreloc knows CTF 1.8 only"
	{
		cat $metadata
		printf '/* no end'
	} >comment
	refused 1 comment "its metadata end in the midst of something"
	{
		cat $metadata
		printf 'stream {'
	} >block
	refused 1 block "its metadata end in the midst of something"
	# The last line may be a comment, and its end missing
	{
		cat $metadata
		printf '// the end'
	} >line
	stamped line
	session
	"$craft" put $metadata compressed 32 1 1
	refused 1 compressed "is compressed or encrypted"
	"$craft" put $metadata version 35 1 2
	refused 1 version "is CTF 2, and kreloc knows CTF 1.8 only"
	"$craft" put $metadata content 24 4 0x7fffffff
	refused 1 content "is damaged: there is no packet at byte 0"
	head -c -1 $metadata >short
	refused 1 short "is truncated"
}

# A stamp of which a digit is another contradicts itself
ctf_liar() {
	session
	as plain
	stamped $metadata
	sed -i "s/kreloc_offset = \"0x000000002/kreloc_offset = \"0x000000003/
		s/kreloc_offset = \"0x000000001/kreloc_offset = \"0x000000002/" $metadata
	for command in read strip stamp; do
		run 1 "$kreloc" $command session
		says err "its stamp is damaged, or of a newer kreloc"
	done
	# Something behind it: to be read, and not ours to take out
	session
	as plain
	stamped $metadata
	echo "// more" >>$metadata
	run 0 "$kreloc" read session
	says out "offset: $offset"
	run 1 "$kreloc" strip session
	says err "was changed since it was stamped"
}

# Its events, which babeltrace2 reads; without it, or where it fails, there is no answer
ctf_infer() {
	type babeltrace2 >/dev/null 2>&1 || skip "no babeltrace2"
	session
	babeltrace2 session | grep -o 'FFFFFFFF[89AB][0-9A-F]*' | sort -u >given
	[ "$(wc -l <given)" -gt 100 ]
	code_at 0 <given
	inferred "$offset" session
	says out "format: CTF"
	inferred "$offset" session/kernel
	(
		cd session/kernel || exit
		inferred "$offset" metadata --vmlinux=../../vmlinux
		rm out err
	)
	# A name that looks like an option
	cp -r session/kernel ./-h
	run 0 "$kreloc" infer --vmlinux=vmlinux -- -h
	says out "offset: $offset"
	run 0 "$kreloc" stamp --infer --vmlinux=vmlinux session
	says out "session/kernel: stamped: offset $offset (inferred)"
	inferred "$offset" session
	run 0 "$kreloc" strip session
	run 0 "$kreloc" stamp --vmlinux=vmlinux session
	says out "session/kernel: stamped: offset $offset (sysfs), its addresses fit"
	run 0 "$kreloc" strip session
	refused 1 $metadata "its addresses fit offset $offset better than" --vmlinux=vmlinux \
		--offset="$(printf 0x%x $((offset - 0x200000)))"
	code_at 1 <given
	refused 1 $metadata "does not fit the code" --vmlinux=vmlinux
	run 3 "$kreloc" infer --vmlinux=vmlinux session
	cp -r session/kernel session/other
	run 1 "$kreloc" infer --vmlinux=vmlinux session
	says err "session: has 2 traces of a kernel in it: name one, such as session/kernel"
	rm -r session/other
	# One that breaks off in the midst
	truncate -s 6000 session/kernel/channel_0
	run 1 "$kreloc" infer --vmlinux=vmlinux session
	says err "babeltrace2 cannot read it: exit status 1; see what it says of it"
	mkdir bin
	printf '#!/bin/sh\nkill -9 $$\n' >bin/babeltrace2
	chmod +x bin/babeltrace2
	PATH=bin:$PATH run 1 "$kreloc" infer --vmlinux=vmlinux session
	says err "babeltrace2 cannot read it: signal 9"
	PATH=. run 1 "$kreloc" infer --vmlinux=vmlinux session
	says err "babeltrace2, which reads it, cannot be run: No such file or directory"
}

t "CTF: packets, text, the other byte order" ctf_stamp
t "CTF: the offset from its events" ctf_infer
t "CTF: the entries" ctf_entries
t "CTF: what babeltrace2 makes of it" ctf_babeltrace
t "CTF: the traces of a session" ctf_session
t "CTF: from elsewhere" ctf_guards
t "CTF: still being written" ctf_in_use
t "CTF: what cannot be stamped" ctf_refused
t "CTF: a stamp that was changed" ctf_liar
