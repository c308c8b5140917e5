# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# perf record -o -: in a file, and on its way.

view=$objects/tests/view

pipe_file() {
	recording pipe
	"$view" pipe.data >before
	lacks before damaged
	run 3 "$kreloc" read pipe.data
	says out "release: $release"
	says out "offset: unknown"
	stamped pipe.data
	says out "pipe.data: stamped: offset $offset (sysfs)"
	"$view" pipe.data >after
	lacks after damaged
	diff before after | grep '^[<>]' >difference || true
	[ "$(wc -l <difference)" -eq 1 ]
	grep "^> record type 10 misc 0x4001 .* start $text .* pgoff $text name .kernel.kallsyms._text" difference
	# before all that happens, behind what describes it
	grep -B 1 "type 10 misc 0x4001" after | head -n 1 | grep -E '^record type (6|7|80)'
	run 0 "$kreloc" read pipe.data
	says out "offset: $offset"
	says out "source: stamp"
	says out "stamp-source: sysfs"
	says out "boot-id: 01234567-89ab-cdef-0123-456789abcdef"
	unchanged 0 pipe.data "is stamped already"
	refused 1 pipe.data "is stamped with offset $offset" --offset=0x7000000
	# The build-id is in the stamp alone
	"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link \
		"_etext=$(printf 0x%x $((link + text_size)))"
	run 1 "$kreloc" addr --stamp=pipe.data -k other $text
	says err "recorded on a kernel with build-id $build_id, but other has 0011"
}

pipe_guards() {
	recording pipe
	put /proc/sys/kernel/osrelease 6.1.0-other
	refused 1 pipe.data "recorded by Linux $release, but the running kernel is 6.1.0-other"
	make_root
	make_module $((text + 0x200000))
	refused 1 pipe.data "kernel samples are outside the kernel's text"
}

pipe_hollow() {
	recording pipe
	"$craft" hollow pipe.data hollow.data
	run 3 "$kreloc" read hollow.data
	says err "recorded where no kernel address is shown"
	stamped hollow.data
	run 0 "$kreloc" read hollow.data
	says out "source: stamp"
	says out "offset: $offset"
}

stream() {
	recording pipe
	cp pipe.data orig.data
	run 0 "$kreloc" stamp - <orig.data
	mv out new.data
	is err <<-END
		-: stamped: offset $offset (sysfs)
	END
	run 0 "$kreloc" read new.data
	says out "offset: $offset"
	run 0 "$kreloc" strip new.data
	cmp new.data orig.data
	# again, and in small pieces
	run 0 "$kreloc" stamp pipe.data
	dd if=pipe.data bs=7 status=none | "$kreloc" stamp - >new.data 2>err
	says err "-: is stamped already, unchanged"
	cmp new.data pipe.data
	# With another offset that would be a lie; what came in still goes out
	run 1 "$kreloc" stamp --offset=0x7000000 - <pipe.data
	says err "-: is stamped with offset $offset: kreloc strip it first"
	cmp out pipe.data
	run 0 "$kreloc" stamp --dry-run - <orig.data
	says err "would be stamped"
	cmp out orig.data
}

# What cannot be stamped passes: the recording must not be lost
stream_refused() {
	recording pipe
	recording blind-a
	no_module
	run 3 "$kreloc" stamp - <pipe.data
	says err "kreloc: -: not stamped, the offset is unknown"
	cmp out pipe.data
	make_root
	put /proc/sys/kernel/osrelease 6.1.0-other
	run 1 "$kreloc" stamp - <pipe.data
	says err "kreloc: -: recorded by Linux $release"
	cmp out pipe.data
	run 1 "$kreloc" stamp - <blind-a.data
	says err "kreloc: -: is not what perf writes into a pipe"
	cmp out blind-a.data
	run 1 "$kreloc" stamp - </dev/null
	says err "kreloc: -: is empty"
	silent out
	head -c 999 pipe.data >cut.data
	run 1 "$kreloc" stamp - <cut.data
	cmp out cut.data
	run 2 "$kreloc" stamp - pipe.data
	says err "- goes alone"
	run 1 "$kreloc" stamp - <pipe.data >/dev/full || true
}

# What has come goes on before the rest comes
stream_live() {
	local seen=live.data

	recording pipe
	{
		head -c 50000 pipe.data
		sleep 1
		[ ! -s "$seen" ] || touch early
		tail -c +50001 pipe.data
	} | "$kreloc" stamp - >live.data 2>err
	[ -e early ]
	"$kreloc" strip live.data
	cmp live.data pipe.data
}

t "a file: one more record, read, strip" pipe_file
t "a file: guards" pipe_guards
t "a file of a user namespace" pipe_hollow
t "stamp -: as the file would be, and again" stream
t "stamp -: what cannot be stamped passes" stream_refused
t "stamp -: passes on what has come" stream_live
