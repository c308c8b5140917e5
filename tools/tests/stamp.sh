# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc stamp where all is well, and kreloc read of what comes out.

blind="blind-a blind-g blind-task blind-events blind-tail blind-z blind-trace blind-dwarf
	blind-overwrite blind-switch"
view=$objects/tests/view

stamp_one() {
	local kind=$1 size

	recording "$kind"
	"$view" "$kind.data" >before
	lacks before damaged
	size=$(stat -c %s "$kind.data")
	stamped "$kind.data"
	is out <<-END
		$kind.data: stamped: offset $offset (sysfs)
	END
	silent err
	# One more record, as perf writes it, in front of all the others
	"$view" "$kind.data" >after
	diff before after | grep '^[<>]' >difference || true
	sed -E 's/size [0-9]+ //' difference >new
	is new <<-END
		> record type 10 misc 0x4001 start $text len $(printf 0x%x "$text_size") pgoff $text name [kernel.kallsyms]_text build-id $build_id
	END
	grep -m 1 '^record' after | diff - <(sed 's/^> //' difference)
	[ "$(($(stat -c %s "$kind.data") - size))" -lt 4096 ]
}

# Where ids are in the way of the record they move as well
stamp_ids() {
	local kind

	for kind in blind-task blind-events; do
		recording $kind
		"$craft" swap $kind.data swapped.data
		"$view" $kind.data >before
		"$view" swapped.data | diff before -
		stamped swapped.data
		"$view" swapped.data | grep -v 'type 10 misc 0x4001 .*pgoff' | diff before -
	done
}

# The kernel's record is there, and says nothing; it is put right where it is
stamp_userns() {
	recording userns
	"$view" userns.data >before
	run 3 "$kreloc" read userns.data
	says out "offset: unknown"
	says out "text: unknown"
	says err "recorded where no kernel address is shown"
	stamped userns.data
	"$view" userns.data >after
	diff before after | grep '^[<>]' >difference || true
	[ "$(wc -l <difference)" -eq 2 ]
	[ "$(stat -c %s userns.data)" -lt $(($(stat -c %s userns.data.orig) + 1024)) ]
	run 0 "$kreloc" read userns.data
	says out "offset: $offset"
	says out "source: stamp"
	unchanged 0 userns.data "is stamped already"
	refused 1 userns.data.orig "kernel samples are outside" \
		--offset="$(printf %x $((offset + 0x200000)))"
}

stamp_directory() {
	local kind

	xz -dc "$tests/data/blind-threads.tar.xz" | tar -xm
	recording blind-a
	# as --kcore makes it
	mkdir -p kcore/kcore_dir
	mv blind-a.data kcore/data
	echo a >kcore/kcore_dir/kallsyms
	for kind in threads kcore; do
		cp -pr $kind orig
		run 3 "$kreloc" read $kind
		says err "kreloc: $kind: does not say where its kernel was"
		run 0 "$kreloc" stamp $kind
		says out "$kind: stamped: offset $offset (sysfs)"
		run 0 "$kreloc" stamp $kind/
		says out "$kind/: is stamped already"
		run 0 "$kreloc" read $kind
		says out "file: $kind"
		says out "offset: $offset"
		run 0 "$kreloc" strip $kind
		diff -r $kind orig
		rm -r orig
	done
	mkdir empty
	run 1 "$kreloc" stamp empty
	says err "kreloc: empty: is a directory, and no trace"
	mkdir -p deep/data
	run 1 "$kreloc" stamp deep
	says err "kreloc: deep: Is a directory"
}

# A guest's kernel is not this one, and AUX data stay where their index says
stamp_guest_and_aux() {
	recording blind-a
	"$craft" guest blind-a.data guest.data
	stamped guest.data
	"$view" guest.data | grep -A 1 -m 1 '^record' | tail -n 1 >second
	says second "record type 1 misc 0x4 "
	recording good
	"$craft" guest good.data guest.data
	unchanged 0 guest.data "has its kernel's address from its recorder"

	"$craft" aux blind-a.data aux.data
	"$view" aux.data >before
	says before "indexed "
	stamped aux.data
	"$view" aux.data | diff before - | grep '^[<>]' >difference || true
	[ "$(wc -l <difference)" -eq 1 ]
}

# ppc64 with longs of either size in its bitmap, on this machine
stamp_big() {
	local word

	recording blind-g
	"$craft" move blind-g.data moved.data ppc64 "$text" 0xc000000002000000
	"$craft" vmlinux vmlinux ppc64 "$build_id" _stext=0xc000000000000000 \
		"_etext=$(printf 0x%x $((0xc000000000000000 + text_size)))"
	for word in 8 4; do
		"$craft" big moved.data big.data $word
		run 3 "$kreloc" read big.data
		says out "release: $release"
		says out "build-id: $build_id"
		stamped big.data --offset=2000000 -k vmlinux
		run 0 "$kreloc" read big.data
		says out "offset: 0x0000000002000000"
		says out "text: 0xc000000002000000"
		"$kreloc" strip big.data
		refused 1 big.data "kernel samples" --offset=4000000 -k vmlinux
	done
	refused 1 big.data "recorded on ppc64, and the offset is that of a x86_64 kernel"
}

stamp_read() {
	recording blind-g
	run 3 "$kreloc" read blind-g.data
	says out "offset: unknown"
	says out "source: unknown"
	says err "kreloc: blind-g.data: does not say where its kernel was: run kreloc stamp in the boot"
	run 0 "$kreloc" stamp blind-g.data
	run 0 "$kreloc" read blind-g.data
	silent err
	grep -v ^kreloc: out >keys
	is keys <<-END
		file: blind-g.data
		format: perf.data
		offset: $offset
		text: $text
		anchor: _text
		link: $link
		build-id: $build_id
		release: $release
		source: stamp
		stamp-source: sysfs
		boot-id: 01234567-89ab-cdef-0123-456789abcdef
	END
	run 0 "$kreloc" --version
	version=$(sed 's/^kreloc //' out)
	run 0 "$kreloc" read --json blind-g.data
	{
		printf '{"file":"blind-g.data","format":"perf.data","offset":"%s","text":"%s",' \
			"$offset" "$text"
		printf '"anchor":"_text","link":"%s","build-id":"%s","release":"%s",' \
			$link "$build_id" "$release"
		printf '"source":"stamp","stamp-source":"sysfs",'
		printf '"boot-id":"01234567-89ab-cdef-0123-456789abcdef","kreloc":"%s"}\n' "$version"
	} | is out
}

# What perf wrote itself is the run-time address; the offset takes the vmlinux
stamp_read_recorded() {
	recording good
	vmlinux
	run 3 "$kreloc" read good.data
	says out "offset: unknown"
	says out "text: $text"
	says out "anchor: _text"
	says out "source: recorder"
	says err "kreloc: good.data: has the run-time address of _text only: give --vmlinux=FILE"
	run 0 "$kreloc" read -k vmlinux good.data
	says out "offset: $offset"
	says out "link: $link"
	silent err
	"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link
	run 1 "$kreloc" read -k other good.data
	silent out
	says err "kreloc: good.data: recorded on a kernel with build-id $build_id, but other has"
	# on powerpc every kernel is linked at the same address
	"$craft" move good.data power.data ppc64le "$text" 0xc000000002000000
	"$view" power.data >records
	run 1 "$kreloc" read power.data
	says err "recorder says that _stext is at $text, where no ppc64le kernel can be"
	run 1 "$kreloc" read -k vmlinux power.data
	says err "recorded on ppc64le, and vmlinux is a x86_64 kernel"
}

# As perf itself records a powerpc kernel: every one is linked at the same address
stamp_read_power() {
	local record

	recording good
	"$craft" move good.data power.data ppc64le "$text" 0xc000000002000000
	record=$(od -An -t u8 -j 40 -N 8 power.data | tr -d ' ')
	while [ "$(od -An -t u4 -j "$record" -N 4 power.data | tr -d ' ')" -ne 1 ]; do
		record=$((record + $(od -An -t u2 -j $((record + 6)) -N 2 power.data)))
	done
	"$craft" put power.data power.data $((record + 16)) 8 0xc000000002000000
	"$craft" put power.data power.data $((record + 32)) 8 0xc000000002000000
	# _stext
	"$craft" put power.data power.data $((record + 57)) 7 0x74786574735f
	run 0 "$kreloc" read power.data
	says out "offset: 0x0000000002000000"
	says out "anchor: _stext"
	says out "link: 0xc000000000000000"
	says out "source: recorder"
}

stamp_read_several() {
	recording good
	recording blind-a
	vmlinux
	cp blind-a.data stamped.data
	run 0 "$kreloc" stamp stamped.data
	run 3 "$kreloc" read -k vmlinux stamped.data good.data blind-a.data
	[ "$(grep -c '^file: ' out)" -eq 3 ]
	[ "$(grep -c "^offset: $offset" out)" -eq 2 ]
	[ "$(grep -c '^$' out)" -eq 2 ]
	run 3 "$kreloc" read --json blind-a.data stamped.data
	[ "$(wc -l <out)" -eq 2 ]
	run 1 "$kreloc" read stamped.data missing.data
	says out "offset: $offset"
	says err "kreloc: missing.data: No such file or directory"
}

stamp_again() {
	recording blind-a
	run 0 "$kreloc" stamp blind-a.data
	unchanged 0 blind-a.data "blind-a.data: is stamped already, unchanged"
	unchanged 0 blind-a.data "is stamped already" --offset="$offset"
	refused 1 blind-a.data "is stamped with offset $offset" --offset=0x7000000
	# also where nothing is known any more
	no_module
	unchanged 0 blind-a.data "blind-a.data: is stamped already, unchanged"
}

stamp_good() {
	recording good
	unchanged 0 good.data "good.data: has its kernel's address from its recorder, unchanged"
	run 0 "$kreloc" strip good.data
	says out "good.data: has no stamp, unchanged"
}

# A record of the kernel's name for another than the host's own
stamp_guest() {
	local record

	recording good
	record=$(od -An -t u8 -j 40 -N 8 good.data | tr -d ' ')
	while [ "$(od -An -t u4 -j "$record" -N 4 good.data | tr -d ' ')" -ne 1 ]; do
		record=$((record + $(od -An -t u2 -j $((record + 6)) -N 2 good.data)))
	done
	"$craft" put good.data guest.data $((record + 4)) 2 4
	stamped guest.data
	# of a process
	"$craft" put good.data process.data $((record + 8)) 4 1234
	stamped process.data
	# of a module
	"$craft" put good.data module.data $((record + 40)) 8 0x7261625d6f6f665b
	stamped module.data
}

stamp_keeps() {
	local before

	recording blind-a
	chmod 640 blind-a.data
	[ "$(id -u)" -ne 0 ] || chown 12:34 blind-a.data
	touch -d '10 minutes ago' blind-a.data
	before=$(stat -c '%i %f %u %g %x %y' blind-a.data)
	run 0 "$kreloc" stamp blind-a.data
	[ "$before" = "$(stat -c '%i %f %u %g %x %y' blind-a.data)" ]
	run 0 "$kreloc" strip blind-a.data
	[ "$before" = "$(stat -c '%i %f %u %g %x %y' blind-a.data)" ]
}

stamp_dry_run() {
	recording blind-a
	unchanged 0 blind-a.data "blind-a.data: would be stamped: offset $offset (sysfs)" --dry-run
	# what would fail, fails
	chmod a-w blind-a.data
	run 1 as_nobody "$kreloc" stamp -n blind-a.data
	says err "kreloc: blind-a.data: Permission denied"
	put /proc/sys/kernel/osrelease 6.1.0-other
	refused 1 blind-a.data "recorded by Linux" --dry-run
}

stamp_sources() {
	recording blind-a
	mkdir -p "$KRELOC_ROOT/proc"
	"$craft" kcore "$KRELOC_ROOT/proc/kcore" "$text" 0x2830000 \
		"SYMBOL(_stext)=${text#0x}" "KERNELOFFSET=${offset#0x}"
	{
		echo "${text#0x} T _text"
		echo "${etext#0x} T _etext"
	} | put /proc/kallsyms
	for source in kcore kallsyms sysfs; do
		stamped blind-a.data -s $source
		says out "($source)"
		run 0 "$kreloc" read blind-a.data
		says out "stamp-source: $source"
		says out "offset: $offset"
		"$view" blind-a.data >records
		says records "len $(printf 0x%x "$text_size") "
		"$kreloc" strip blind-a.data
	done
	# Where only the size of the image is known it has to do
	no_module
	rm "$KRELOC_ROOT/proc/kallsyms"
	stamped blind-a.data
	"$view" blind-a.data >records
	says records "len 0x2830000 "
}

stamp_text_size() {
	recording blind-a
	rm "$KRELOC_ROOT/sys/kernel/kreloc/text_size"
	refused 1 blind-a.data "nobody knows how long the kernel's text is: give --vmlinux=FILE"
	vmlinux
	stamped blind-a.data -k vmlinux
	put /sys/kernel/kreloc/text_size 0
	rm -f vmlinux
	"$kreloc" strip blind-a.data
	refused 1 blind-a.data "nobody knows how long the kernel's text is"
}

# The place is known, and that is all that a reader needs; the offset is not
stamp_no_link() {
	recording blind-a
	vmlinux
	no_module
	{
		echo "${text#0x} T _text"
		echo "${etext#0x} T _etext"
	} | put /proc/kallsyms
	stamped blind-a.data
	says out "blind-a.data: stamped: _text at $text, offset unknown (kallsyms)"
	run 3 "$kreloc" read blind-a.data
	says out "offset: unknown"
	says out "text: $text"
	says out "link: unknown"
	run 0 "$kreloc" read -k vmlinux blind-a.data
	says out "offset: $offset"
}

stamp_unknown() {
	recording blind-a
	recording good
	no_module
	refused 3 blind-a.data "kreloc: blind-a.data: not stamped, the offset is unknown"
	says err "kreloc: sysfs: /sys/kernel/kreloc/abi does not exist"
	says err "kreloc: kcore: "
	says err "kreloc: kallsyms: "
	# Asked once, and not in vain for the others
	cp blind-a.data two.data
	run 3 "$kreloc" stamp blind-a.data good.data two.data
	[ "$(grep -c '^kreloc: sysfs: ' err)" -eq 1 ]
	says err "kreloc: two.data: not stamped"
	says out "good.data: has its kernel's address"
}

stamp_given() {
	recording blind-g
	vmlinux
	# Anywhere, for any boot
	rm -r "${KRELOC_ROOT:?}"
	touch -d '10 years ago' blind-g.data
	stamped blind-g.data --offset="$offset" --vmlinux=vmlinux
	says out "blind-g.data: stamped: offset $offset (given)"
	run 0 "$kreloc" read blind-g.data
	says out "stamp-source: given"
	says out "release: $release"
	says out "build-id: $build_id"
	says out "boot-id: unknown"
	"$kreloc" strip blind-g.data
	# with and without 0x and leading zeros, not in decimal
	stamped blind-g.data --offset="${offset#0x}" --vmlinux=vmlinux
	"$kreloc" strip blind-g.data
	make_root
	stamped blind-g.data --offset="$offset"
}

stamp_given_wrong() {
	recording blind-g
	vmlinux
	"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link \
		"_etext=$(printf 0x%x $((link + text_size)))"
	refused 1 blind-g.data "recorded on a kernel with build-id $build_id, but other has" \
		--offset="$offset" -k other
	refused 1 blind-g.data "where no x86_64 kernel can be" --offset="${offset}1" -k vmlinux
	refused 1 blind-g.data "where no x86_64 kernel can be" --offset=0x100 -k vmlinux
	refused 1 blind-g.data "where no x86_64 kernel can be" --offset=0x40000000 -k vmlinux
	refused 1 blind-g.data "below its link address" --offset=ffffffffffe00000 -k vmlinux
	refused 1 blind-g.data "kernel samples are outside the kernel's text" \
		--offset="$(printf %x $((offset + 0x200000)))" -k vmlinux
	refused 1 blind-g.data "kernel samples are outside the kernel's text" \
		--offset="$(printf %x $((offset - 0x200000)))" -k vmlinux
	refused 1 blind-g.data "kernel samples" --offset=0 -k vmlinux
	# The running kernel lends its link address only to its own recordings
	put /proc/sys/kernel/osrelease 6.1.0-other
	refused 1 blind-g.data "recorded by Linux $release, but the running kernel is 6.1.0-other" \
		--offset="$offset"
	no_module
	refused 3 blind-g.data "not stamped, the offset is unknown" --offset="$offset"
	says err "kreloc: --offset needs --vmlinux=FILE"
	# What the recorder knew is not compared with half an answer either
	recording good
	refused 3 good.data "not compared with what its recorder says" --offset="$offset"
	put /proc/sys/kernel/arch s390x
	refused 3 blind-g.data "not stamped, the offset is unknown" --offset="$offset"
	says err "kreloc: --offset needs --vmlinux=FILE on s390x"
	run 1 "$kreloc" stamp --offset=0 -k missing blind-g.data
	says err "kreloc: missing: No such file or directory"
}

stamp_ppc64le() {
	recording blind-g
	"$craft" move blind-g.data power.data ppc64le "$text" 0xc000000002000000
	"$craft" vmlinux vmlinux ppc64le "$build_id" _stext=0xc000000000000000 \
		"_etext=$(printf 0x%x $((0xc000000000000000 + text_size)))"
	# on x86_64, as a file from elsewhere
	stamped power.data --offset=2000000 -k vmlinux
	run 0 "$kreloc" read power.data
	says out "offset: 0x0000000002000000"
	says out "text: 0xc000000002000000"
	says out "anchor: _stext"
	"$view" power.data >records
	says records "name [kernel.kallsyms]_stext "
	"$kreloc" strip power.data
	refused 1 power.data "recorded on ppc64le, and the offset is that of a x86_64 kernel"
	refused 1 power.data "recorded on ppc64le" --force
	ppc64le 0xc000000002000000
	stamped power.data
	"$kreloc" strip power.data
	refused 1 blind-g.data "recorded on x86_64, and the offset is that of a ppc64le kernel"
	ppc64le 0xc000000000000000
	refused 1 power.data "kernel samples"
}

stamp_several() {
	recording blind-a
	cp blind-a.data second.data
	echo text >text
	run 1 "$kreloc" stamp blind-a.data text second.data
	says out "blind-a.data: stamped"
	says out "second.data: stamped"
	says err "kreloc: text: not a trace file that kreloc knows"
	[ "$(wc -l <err)" -eq 1 ]
}

stamp_parallel() {
	local i

	recording blind-g
	for i in 1 2 3 4 5 6 7 8; do
		"$kreloc" stamp blind-g.data >out.$i 2>err.$i &
	done
	wait
	[ "$(cat out.* | grep -c 'blind-g.data: stamped: ')" -eq 1 ]
	[ "$(cat out.* | grep -c 'blind-g.data: is stamped already')" -eq 7 ]
	cp blind-g.data stamped.data
	xz -dc "$tests/data/blind-g.data.xz" >orig.data
	"$kreloc" strip blind-g.data
	cmp blind-g.data orig.data
}

stamp_locked() {
	recording blind-a
	flock blind-a.data -c 'sleep 1' &
	sleep 0.3
	run 0 "$kreloc" stamp blind-a.data
	says err "kreloc: blind-a.data: locked by another program, waiting"
	says out "blind-a.data: stamped"
	wait
}

for kind in $blind; do
	t "stamps $kind, and nothing else changes for a reader" stamp_one $kind
done
t "event ids that are in the way move as well" stamp_ids
t "the hollow record of a user namespace is repaired where it is" stamp_userns
t "directories of --threads and --kcore" stamp_directory
t "the record of a guest's kernel, and AUX data" stamp_guest_and_aux
t "big-endian" stamp_big
t "read: blind, then every key of a stamp" stamp_read
t "read: what perf recorded itself, with and without vmlinux" stamp_read_recorded
t "read: what perf recorded of a powerpc kernel" stamp_read_power
t "read: several files" stamp_read_several
t "a stamped file is left alone" stamp_again
t "a good file is left alone" stamp_good
t "records that are not the kernel's own" stamp_guest
t "owner, mode, times and inode stay" stamp_keeps
t "--dry-run changes nothing, and judges" stamp_dry_run
t "each source, and where the length of the text comes from" stamp_sources
t "without the length of the text: refused" stamp_text_size
t "without the link address: stamped, the offset stays unknown" stamp_no_link
t "without an address: exit 3, each reason once, other files go on" stamp_unknown
t "--offset, for a file from anywhere" stamp_given
t "--offset that cannot be" stamp_given_wrong
t "ppc64le" stamp_ppc64le
t "several files: a bad one does not keep the others" stamp_several
t "eight at once: one stamps" stamp_parallel
t "two at once: one waits" stamp_locked
