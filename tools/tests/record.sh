# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
# shellcheck disable=SC2016 # what is in ' is the recorder's
#
# kreloc record: finds what was written, and is as the recorder was. The recorder here is a script
# that copies a recording; qemu/consumers.sh has real ones.

# recorder COMMAND…: makes ./perf, which does this
recorder() {
	printf '#!/bin/bash\nset -e\n%s\n' "$*" >perf
	chmod +x perf
}

is_stamped() {
	"$kreloc" read "$1" >known || fail "$1 is not stamped: $(cat out err)"
	says known "source: stamp"
	says known "offset: $offset"
}

not_stamped() {
	! "$kreloc" read "$1" >known 2>/dev/null || fail "$1 is stamped"
}

record_default() {
	recording blind-a
	recorder 'cp -p blind-a.data perf.data; echo of the workload'
	run 0 "$kreloc" record -- ./perf record -a
	is_stamped perf.data
	# Standard output is not kreloc's
	is out <<<"of the workload"
	is err <<<"perf.data: stamped: offset $offset (sysfs)"
	not_stamped blind-a.data
	recorder 'cp blind-a.data trace.dat'
	run 0 "$kreloc" record ./perf record
	is_stamped trace.dat
}

record_named() {
	local words

	recording blind-a
	recorder 'cp blind-a.data my.data'
	for words in "-o my.data" "-omy.data" "-ago my.data" "-agomy.data" "--output my.data" \
		"--output=my.data" "--out=my.data" "--outp my.data" "-a -e x:o -o my.data sleep 1" \
		"-o $PWD/my.data -- sort -o other"; do
		rm -f my.data
		# shellcheck disable=SC2086 # several words
		run 0 "$kreloc" record -- ./perf record $words
		is_stamped my.data
	done
	# That is another option
	rm my.data
	run 1 "$kreloc" record -- ./perf record --overwrite=my.data
	says err "kreloc: ./perf: no recording of it was found"
	not_stamped my.data
}

# What was there before is not the recorder's
record_old() {
	recording blind-a
	cp blind-a.data perf.data
	cp blind-a.data trace.dat
	cp blind-a.data perf.data.2026010112000000
	recorder 'mv perf.data perf.data.old; cp blind-a.data perf.data'
	run 0 "$kreloc" record -- ./perf record
	is_stamped perf.data
	not_stamped perf.data.old
	not_stamped trace.dat
	not_stamped perf.data.2026010112000000
	recorder true
	run 1 "$kreloc" record -- ./perf record
	says err "no recording of it was found"
	# Written in place
	recorder 'cat blind-a.data >trace.dat'
	run 0 "$kreloc" record -- ./perf record
	is_stamped trace.dat
}

record_switch() {
	local n

	recording blind-switch
	mkdir d
	recorder 'for n in {10..40}; do cp blind-switch.data d/x.data.20260101120000$n; done'
	run 0 "$kreloc" record -- ./perf record --switch-output=1s -o d/x.data
	for n in {10..40}; do
		is_stamped "d/x.data.20260101120000$n"
	done
}

record_directory() {
	xz -dc "$tests/data/blind-threads.tar.xz" | tar -xm
	mv threads was
	recorder 'cp -r was threads'
	run 0 "$kreloc" record -- ./perf record --threads -o threads
	is_stamped threads
	not_stamped was
}

record_status() {
	recording blind-a
	recorder 'cp blind-a.data perf.data; exit 42'
	run 42 "$kreloc" record -- ./perf record
	is_stamped perf.data
	# Its own failure says enough
	rm perf.data
	recorder 'exit 2'
	run 2 "$kreloc" record -- ./perf record
	silent err
	run 127 "$kreloc" record -- ./nothing
	is err <<<"kreloc: ./nothing: No such file or directory"
	run 126 "$kreloc" record -- /
}

record_unknown() {
	recording blind-a
	no_module
	recorder 'echo recording >&2; cp blind-a.data perf.data'
	run 3 "$kreloc" record -- ./perf record
	cmp blind-a.data perf.data
	# said first
	grep -n . err >numbered
	says numbered "1:kreloc: sysfs: /sys/kernel/kreloc/abi does not exist"
	says numbered "4:kreloc: recording all the same"
	says numbered "5:recording"
	says numbered "6:kreloc: perf.data: not stamped, the offset is unknown"
	recorder 'cp blind-a.data perf.data; exit 7'
	run 7 "$kreloc" record -- ./perf record
	# One that knows needs nobody
	recording good
	recorder 'cp good.data perf.data'
	run 0 "$kreloc" record -- ./perf record
	says err "has its kernel's address from its recorder"
}

record_refused() {
	recording blind-a
	put /proc/sys/kernel/osrelease 6.1.0-other
	recorder 'cp blind-a.data perf.data'
	run 1 "$kreloc" record -- ./perf record
	cmp blind-a.data perf.data
	says err "recorded by Linux $release, but the running kernel is 6.1.0-other"
}

# sent SIGNAL: by another process, to kreloc alone
sent() {
	local pid status=0

	rm -f perf.data ready
	# The shell has INT ignored in the background, and nohup HUP
	env --default-signal=INT,HUP "$kreloc" record -- ./perf record 2>err &
	pid=$!
	until [ -e ready ]; do
		sleep 0.01
	done
	kill "-$1" $pid
	wait $pid || status=$?
	echo $status
}

record_signals() {
	local signal

	recording blind-a
	for signal in TERM HUP INT USR2; do
		recorder "trap 'cp blind-a.data perf.data; exit 5' $signal; : >ready
			for n in {1..1000}; do sleep 0.01; done"
		[ "$(sent $signal)" -eq 5 ]
		is_stamped perf.data
	done
	# perf ends by the signal that it caught
	recorder "trap 'cp blind-a.data perf.data; trap - TERM; kill -TERM \$\$' TERM; : >ready
		for n in {1..1000}; do sleep 0.01; done"
	[ "$(sent TERM)" -eq $((128 + 15)) ]
	is_stamped perf.data
}

# press_interrupt: ^C on a terminal of its own, in a shell with job control, as a user has
press_interrupt() {
	mkfifo keys
	env --default-signal=INT timeout --foreground 60 script -qec \
		"bash -ic '$kreloc record -- ./perf record; echo status \$?' 2>err" screen \
		<keys >/dev/null &
	exec 9>keys
	# Not for ever: there may be no terminal to have
	for _ in {1..3000}; do
		[ ! -e ready ] || break
		sleep 0.01
	done
	[ -e ready ]
	printf '\3' >&9
	wait $!
	exec 9>&-
}

record_terminal() {
	recording blind-a
	recorder "trap 'echo interrupted >>log; sleep 0.3; cp blind-a.data perf.data; exit 5' INT
		: >ready
		for n in {1..1000}; do sleep 0.01; done"
	press_interrupt
	is log <<<interrupted
	says screen "status 5"
	is_stamped perf.data
}

# One that is not in the terminal's group: would it get a second one?
record_once() {
	recording blind-a
	recorder "trap 'echo interrupted >>log' INT
		: >ready
		for n in {1..50}; do sleep 0.01; done
		cp blind-a.data perf.data"
	mv perf detached
	recorder "exec setsid ./detached"
	press_interrupt
	says screen "status 0"
	[ ! -e log ]
	is_stamped perf.data
}

t "the recorder's default files" record_default
t "every way to name a file" record_named
t "what was there before is left alone" record_old
t "all files of --switch-output" record_switch
t "a directory" record_directory
t "the recorder's exit status wins" record_status
t "without an offset: said first, and nothing is lost" record_unknown
t "a recording that is refused" record_refused
t "signals are passed on, and then it is stamped" record_signals
t "^C on a terminal reaches the recorder, and then it is stamped" record_terminal
t "and kreloc adds none" record_once
