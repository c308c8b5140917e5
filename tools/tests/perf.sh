# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# What it is all for: the perf of this machine, unmodified, names kernel samples by the vmlinux.
# The vmlinux is made up, with a symbol every 64 KiB whose name says where it is linked; so the
# right name of every address is known.

have_perf() {
	perf --version >/dev/null 2>&1 || skip "no perf"
}

# symbols: names for link addresses from the anchor to the end of the text
symbols() {
	local at

	for ((at = link; at < link + text_size; at += 0x10000)); do
		printf 'at_%x=0x%x\n' "$at" "$at"
	done
}

# names FILE: "ADDRESS NAME" of each kernel sample
names() {
	perf script -i "$1" -k vmlinux -G -F ip,sym 2>/dev/null |
		awk '$1 ~ /^(ffffffff|c0000000)/ { print $1, $2 }'
}

# count_right: how many of the samples in the file given are right, and how many there are
count_right() {
	local address name right=0 all=0 want

	while read -r address name; do
		all=$((all + 1))
		want=$((0x$address - offset))
		# the first of them goes by either of two names
		want=$((link + (want - link) / 0x10000 * 0x10000))
		case $name in
		"$(printf at_%x $want)") right=$((right + 1)) ;;
		_text | _stext) [ $want -ne $((link)) ] || right=$((right + 1)) ;;
		esac
	done <given
	echo "$right of $all right" >counted
}

perf_names() {
	local kind=$1

	have_perf
	recording "$kind"
	# shellcheck disable=SC2046 # many arguments
	vmlinux $(symbols)
	before_and_after "$kind.data"
}

# before_and_after FILE [OPTION…]: none of its kernel samples is named, then all are right
before_and_after() {
	local file=$1 all

	shift
	export HOME=$PWD
	names "$file" >given
	all=$(wc -l <given)
	[ "$all" -gt 100 ]
	lacks given at_
	run 0 "$kreloc" stamp "$@" "$file"
	names "$file" >given
	count_right
	is counted <<-END
		$all of $all right
	END
}

# What was rewritten, and what came through a pipe
perf_tight() {
	have_perf
	recording blind-g
	"$craft" tight blind-g.data tight.data
	# shellcheck disable=SC2046 # many arguments
	vmlinux $(symbols)
	before_and_after tight.data
}

perf_pipe() {
	have_perf
	recording pipe
	# shellcheck disable=SC2046 # many arguments
	vmlinux $(symbols)
	[ "$1" != hollow ] || "$craft" hollow pipe.data pipe.data
	before_and_after pipe.data
}

perf_threads() {
	have_perf
	xz -dc "$tests/data/blind-threads.tar.xz" | tar -xm
	# shellcheck disable=SC2046 # many arguments
	vmlinux $(symbols)
	before_and_after threads
}

# A recording that was really made on another architecture
perf_ppc64le() {
	local text etext text_size offset=0x2000000 link=0xc000000000000000

	have_perf
	# shellcheck source=data/truth-ppc64le
	. "$tests/data/truth-ppc64le"
	text=${ppc64le_text:?} etext=${ppc64le_etext:?}
	text_size=$((etext - text))
	recording ppc64le
	# shellcheck disable=SC2046 # many arguments
	"$craft" vmlinux vmlinux ppc64le "${ppc64le_build_id:?}" _stext=$link \
		"_etext=$(printf 0x%x $((link + text_size)))" $(symbols)
	before_and_after ppc64le.data --offset=$offset -k vmlinux
	run 0 "$kreloc" read ppc64le.data
	says out "anchor: _stext"
	says out "offset: 0x0000000002000000"
	run 1 "$kreloc" stamp ppc64le.data --offset=0x3000000 -k vmlinux
}

# Of other machines, on this one
perf_elsewhere() {
	local arch=$1 word=$2 offset=0x2000000 link=0xc000000000000000

	have_perf
	recording blind-a
	"$craft" move blind-a.data moved.data "$arch" "$text" 0xc000000002000000
	[ -z "$word" ] || "$craft" big moved.data moved.data "$word"
	# shellcheck disable=SC2046 # many arguments
	"$craft" vmlinux vmlinux "$arch" "$build_id" _stext=$link \
		"_etext=$(printf 0x%x $((link + text_size)))" $(symbols)
	before_and_after moved.data --offset=$offset -k vmlinux
}

# Without -k, by the build-id alone; blind-z has none but that of the stamp
perf_build_id() {
	have_perf
	recording blind-z
	# shellcheck disable=SC2046 # many arguments
	vmlinux $(symbols)
	export HOME=$PWD
	run 3 "$kreloc" read blind-z.data
	says out "build-id: unknown"
	run 0 "$kreloc" stamp blind-z.data
	perf buildid-cache --add vmlinux
	mv vmlinux hidden
	perf script -i blind-z.data -F ip,sym 2>/dev/null |
		awk '$1 ~ /^ffffffff/ { print $1, $2 }' >given
	[ "$(wc -l <given)" -gt 100 ]
	count_right
	is counted <<-END
		$(wc -l <given) of $(wc -l <given) right
	END
	perf buildid-list -i blind-z.data --with-hits | grep "^$build_id "
}

perf_tools() {
	have_perf
	recording blind-g
	export HOME=$PWD
	perf report -i blind-g.data --header-only >before 2>&1
	run 0 "$kreloc" stamp blind-g.data
	perf report -i blind-g.data --header-only >after 2>&1
	diff <(grep -vE 'data (offset|size)|captured' before) \
		<(grep -vE 'data (offset|size)|captured' after)
	perf buildid-list -i blind-g.data | grep "^$build_id \[kernel.kallsyms\]"
	perf script -i blind-g.data --show-mmap-events 2>/dev/null |
		grep -F "[${text}($(printf 0x%x "$text_size")) @ $text <$build_id>]"
	perf inject -i blind-g.data -o injected.data
	run 3 "$kreloc" read injected.data
	says out "text: $text"
	says out "source: recorder"
}

for kind in blind-a blind-g blind-task blind-events blind-tail blind-z blind-trace blind-dwarf \
	blind-overwrite userns; do
	t "perf names no kernel sample of $kind before and all after" perf_names $kind
done
t "perf names no kernel sample of --threads before and all after" perf_threads
t "the same of a file without room" perf_tight
t "the same of a pipe's" perf_pipe ""
t "the same of a pipe's from a user namespace" perf_pipe hollow
t "the same of a ppc64le's" perf_ppc64le
t "the same of one that was moved to a ppc64le" perf_elsewhere ppc64le ''
t "the same of a ppc64, with longs of 8 bytes" perf_elsewhere ppc64 8
t "the same of a ppc64, with longs of 4 bytes" perf_elsewhere ppc64 4
t "without -k, by the build-id in the stamp's record" perf_build_id
t "perf's other commands accept a stamped file" perf_tools
