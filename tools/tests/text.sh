# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# What tracers and the kernel print: known as such or refused, stamped, and annotated by its stamp.

texts="function graph events pipe script script-function dmesg"

# text NAME: from data/others
text() {
	xz -dc "$tests/data/others/$1.txt.xz" >"$1.txt"
}

text_stamp() {
	local name

	others
	for name in $texts; do
		text "$name"
		stamped "$name.txt"
		run 0 "$kreloc" read "$name.txt"
		says out "format: text"
		says out "offset: $offset"
		says out "build-id: $build_id"
		says out "boot-id: $boot_id"
		unchanged 0 "$name.txt" "is stamped already, unchanged"
		# Nothing but lines of comment
		grep -v "^# kreloc: " "$name.txt" | cmp - "$name.txt.orig"
		says "$name.txt" "# kreloc: offset: $offset"
	done
	# tracefs's text is known to others by its first line
	[ "$(head -n 1 function.txt)" = "# tracer: function" ]
	[ "$(head -n 1 dmesg.txt)" = "# kreloc: layout: 1" ]
}

# kreloc addr on standard input: what it prints is the same by the stamp and by --offset
text_addr() {
	local name

	others
	vmlinux f1=0xffffffff81000100
	for name in $texts; do
		text "$name"
		"$kreloc" addr -k vmlinux --offset="$offset" <"$name.txt" >want
		run 3 "$kreloc" addr -k vmlinux <"$name.txt"
		says err "standard input: has no stamp"
		silent out
		stamped "$name.txt"
		run 0 "$kreloc" addr -k vmlinux <"$name.txt"
		says out "# kreloc: offset: $offset"
		grep -v "^# kreloc: " out | cmp - want
		run 0 "$kreloc" addr -k vmlinux --stamp="$name.txt" <"$name.txt.orig"
		cmp out want
		# Of what comes out with --raw the stamp would not be true
		"$kreloc" addr -k vmlinux --offset="$offset" --raw <"$name.txt.orig" >want
		run 0 "$kreloc" addr -k vmlinux --raw <"$name.txt"
		cmp out want
	done
	grep -q '<ffffffff[0-9a-f]* \[ffffffff8[0-9a-f]* ' <("$kreloc" addr -k vmlinux <function.txt)
}

# However the reads of a pipe cut it
text_pieces() {
	local n

	others
	text function
	stamped function.txt
	run 0 "$kreloc" addr <function.txt
	cp out want
	for n in 1 5 10 11 18 19 20 25 40 300 500 700 800; do
		(head -c $n function.txt && sleep 0.05 && tail -c +$((n + 1)) function.txt) |
			"$kreloc" addr >out
		cmp out want
	done
	# Of a program that still runs the first words come out at once, if they are no stamp
	mkfifo fifo
	"$kreloc" addr --offset="$offset" <fifo >out &
	exec 3>fifo
	printf 'one line\n' >&3
	for n in $(seq 100); do
		[ ! -s out ] || break
		sleep 0.05
	done
	is out <<<"one line"
	exec 3>&-
	wait
}

# Two texts, of two boots
text_joined() {
	others
	text function
	text dmesg
	stamped function.txt
	make_module $((text + 0x200000))
	"$kreloc" stamp --force dmesg.txt
	cat function.txt dmesg.txt >both.txt
	run 1 "$kreloc" addr <both.txt
	says err "another stamp begins in its midst"
	cat dmesg.txt function.txt | (run 1 "$kreloc" addr)
	# Two stamps on top of each other are none
	head -n 10 dmesg.txt | cat - dmesg.txt >twice.txt
	run 1 "$kreloc" addr <twice.txt
	says err "its stamp is damaged"
	run 1 "$kreloc" read twice.txt
}

# The first line that is no comment tells, and all else is refused
text_refused() {
	local n=0 line

	others
	while IFS= read -r line; do
		n=$((n + 1))
		printf '%s\n' "$line" >"no-$n"
		refused 1 "no-$n" "not a trace file that kreloc knows"
	done <<-'END'
		a text
		ffffffff81000000 T _text
		Nov 30 22:14:03 host sshd[17]: hello
		12:34:56.123456 IP 10.0.0.1.22 > 10.0.0.2.12345: Flags [P.]
		[info] 1.5: something
		int main(void) { return 0; }
		{"a": 1}
		<html>
		# tracer
		# comment
		[22:14:03] <nick> hello
	END
	n=0
	while IFS= read -r line; do
		n=$((n + 1))
		printf '\n# a comment\n%s' "$line" >"yes-$n"
		stamped "yes-$n"
	done <<-'END'
		          <idle>-0       [001] d..2.   123.456789: sched_switch: prev_comm=swapper/1
		            bash-1234    (   1234) [000] .....  12.345678: sys_enter: NR 1
		            bash-1234    [000] 12.345678: kmalloc:   (ffffffff81234567)
		 0)   0.123 us    |  } /* schedule */
		cpus=2
		perf  1234 [000]   123.456789:          1 cycles:P:      7f4711000815 main+0x7 (a.out)
		perf  1234/1235   123.456789: cycles:
		[    0.000000] Command line: quiet
		[    1.234567][   T12] a line
		<6>[    1.234567] a line
		[Mon Nov 30 22:14:03 2026] a line
		Nov 30 22:14:03 host kernel: a line
		[22:32:33.787189935] (+?.?????????) guest sched_wakeup: { cpu_id = 1 }
	END
	printf '[    0.000000] a\0b\n' >zero
	refused 1 zero "not a trace file"
	printf '# tracer: nop' >short
	refused 1 short "its first line has no end"
}

# The release, the place of the samples, the age
text_guards() {
	others
	text dmesg
	text script
	put /proc/sys/kernel/osrelease 6.1.0-other
	refused 1 dmesg.txt "recorded by Linux $release, but the running kernel is 6.1.0-other"
	refused 1 script.txt "recorded by Linux $release, but the running kernel is 6.1.0-other"
	others
	make_module $((text - 0x2000000))
	refused 1 script.txt "kernel samples are outside the kernel's text"
	text function
	refused 1 function.txt "kernel samples are outside the kernel's text"
	others
	touch -d "2 hours ago" function.txt
	refused 1 function.txt "older than this boot"
	others
	touch function.txt
	exec 3>>function.txt
	refused 1 function.txt "is open in another program"
	exec 3>&-
	stamped function.txt
}

text_changed() {
	others
	# Nothing that is known, but behind a stamp it could not be told from it
	printf '# kreloc: key: value\n[    1.000000] a line\n' >strange.txt
	refused 1 strange.txt "its stamp is damaged"
	text dmesg
	stamped dmesg.txt
	sed -i 's/^# kreloc: text: 0xffffffff../# kreloc: text: 0xfffffffff0/' dmesg.txt
	for command in read strip stamp; do
		run 1 "$kreloc" $command dmesg.txt
		says err "its stamp is damaged, or of a newer kreloc"
	done
	text dmesg
	stamped dmesg.txt
	sed -i 's/^# kreloc: source: .*/&\r/' dmesg.txt
	run 0 "$kreloc" read dmesg.txt
	says out "offset: $offset"
	run 1 "$kreloc" strip dmesg.txt
	says err "was changed since it was stamped"
}

t "text: stamped and stripped" text_stamp
t "text: kreloc addr finds the stamp by itself" text_addr
t "text: in pieces, and at once" text_pieces
t "text: two stamps in one stream" text_joined
t "text: what is text of a tracer, and what is not" text_refused
t "text: from elsewhere" text_guards
t "text: a stamp that was changed" text_changed
