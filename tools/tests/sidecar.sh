# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# Files of kinds that kreloc does not know.

# any BYTES: a file of so many
any() {
	yes "any bytes" | head -c "$1" >any.bin
}

# beside: any.bin gets a sidecar, and stays as it is
beside() {
	cp -p any.bin orig.bin
	run 0 "$kreloc" stamp --sidecar any.bin
	says out "any.bin: stamped: offset $offset"
	[ -s any.bin.kreloc ]
	cmp any.bin orig.bin
	[ "$(stat -c '%Y %y %i' any.bin)" = "$(stat -c '%Y %y' orig.bin) $(stat -c %i any.bin)" ]
}

sidecar_stamp() {
	local size

	for size in 1 100 1048575 1048576 1048577 3000000; do
		any $size
		refused 1 any.bin "with --sidecar its stamp goes beside it"
		beside
		run 0 "$kreloc" read any.bin
		says out "format: sidecar"
		says out "offset: $offset"
		says out "build-id: $build_id"
		says out "release: $release"
		says out "source: stamp"
		run 0 "$kreloc" addr --stamp=any.bin $text
		says out "$text $link ?"
		unchanged 0 any.bin "is stamped already, unchanged"
		run 0 "$kreloc" strip any.bin
		says out "any.bin: the stamp is taken out"
		[ ! -e any.bin.kreloc ]
		run 1 "$kreloc" read any.bin
		says err "not a trace file"
	done
	[ "$(ls -A)" = "$(printf '%s\n' any.bin err orig.bin out)" ] || fail "more files: $(ls -A)"
}

# JSON, by a reader that is not ours
sidecar_json() {
	type python3 >/dev/null 2>&1 || skip "no python3"
	any 3000000
	beside
	python3 - >values <<-'END'
		import hashlib, json, os
		sidecar = json.load(open("any.bin.kreloc"))
		data = open("any.bin", "rb").read()
		file = sidecar["file"]
		assert file["size"] == len(data)
		assert file["sha256-first"] == hashlib.sha256(data[:1 << 20]).hexdigest()
		assert file["sha256-last"] == hashlib.sha256(data[-1 << 20:]).hexdigest()
		ns = os.stat("any.bin").st_mtime_ns
		assert file["mtime"] == "%d.%09d" % (ns // 10**9, ns % 10**9)
		print(sidecar["stamp"]["offset"], sidecar["stamp"]["text"])
	END
	is values <<<"$offset $text"
}

# stale WHAT: it is noticed by all commands
stale() {
	for command in read strip stamp "addr $text --stamp"; do
		# shellcheck disable=SC2086 # with its arguments
		run 1 "$kreloc" $command any.bin
		silent out
		says err "any.bin.kreloc is stale: it is of a file with $1"
	done
	rm any.bin.kreloc
	any 3000000
	beside
}

sidecar_stale() {
	local at

	any 3000000
	beside
	echo >>any.bin
	stale "another size"
	truncate -s 2999999 any.bin
	stale "another size"
	for at in 0 1048575 1951424 2999999; do
		printf x | dd of=any.bin bs=1 seek=$at conv=notrunc status=none
		touch -r orig.bin any.bin
		stale "other bytes"
	done
	# In between nothing but the time tells
	printf x | dd of=any.bin bs=1 seek=1500000 conv=notrunc status=none
	stale "another time of its last change"
}

sidecar_damaged() {
	any 100
	for text in "" "[]" "no JSON" '{"stamp":{}}' '{"file":7}' "$(head -c 70000 /dev/zero | tr '\0' ' '){}"; do
		printf %s "$text" >any.bin.kreloc
		run 1 "$kreloc" read any.bin
		says err "any.bin.kreloc is damaged"
	done
	rm any.bin.kreloc
	beside
	sed -i 's/"offset":"0x0/"offset":"0x1/' any.bin.kreloc
	run 1 "$kreloc" read any.bin
	says err "its stamp is damaged"
	sed -i '/"stamp":{/,/}/d' any.bin.kreloc
	run 1 "$kreloc" read any.bin
	rm any.bin.kreloc
	mkfifo any.bin.kreloc
	run 1 "$kreloc" read any.bin
	says err "any.bin.kreloc is in its sidecar's place, and no regular file"
	refused 1 any.bin "no regular file" --sidecar
}

# It gives away what the file does not, and so it is for the same people; links lead to it
sidecar_identity() {
	any 100
	chmod 640 any.bin
	ln -s any.bin link.bin
	run 0 "$kreloc" stamp --sidecar link.bin
	[ "$(stat -c '%a %u %g' any.bin.kreloc)" = "$(stat -c '%a %u %g' any.bin)" ]
	[ ! -e link.bin.kreloc ]
	run 0 "$kreloc" read link.bin
	rm any.bin.kreloc
	run 0 "$kreloc" stamp --sidecar --dry-run any.bin
	says out "any.bin: would be stamped"
	[ ! -e any.bin.kreloc ]
	# It need not be writable
	chmod 400 any.bin
	beside
	# Those that have a stamp of their own get that
	recording blind-a
	run 0 "$kreloc" stamp --sidecar blind-a.data
	[ ! -e blind-a.data.kreloc ]
	: >empty
	refused 1 empty "is empty" --sidecar
}

sidecar_readonly() {
	mount -t tmpfs tmpfs mnt
	head -c 100 /dev/zero >mnt/any.bin
	mount -o remount,bind,ro mnt
	refused 1 mnt/any.bin "no file can be made beside it" --sidecar
}

sidecar_guards() {
	any 100
	touch -d "2 hours ago" any.bin
	refused 1 any.bin "older than this boot" --sidecar
	[ ! -e any.bin.kreloc ]
	# A list of addresses is not known as a trace, and is evidence all the same
	vmlinux
	printf 'ip %x\n' $((text + 16)) >any.bin
	run 0 "$kreloc" stamp --sidecar -k vmlinux any.bin
	says out "any.bin: stamped: offset $offset"
}

t "sidecar: files of any length" sidecar_stamp
t "sidecar: JSON" sidecar_json
t "sidecar: of a file that changed" sidecar_stale
t "sidecar: damaged" sidecar_damaged
t "sidecar: mode, links, and who needs none" sidecar_identity
t "sidecar: on a read-only mount" in_namespace sidecar_readonly
t "sidecar: from elsewhere" sidecar_guards
