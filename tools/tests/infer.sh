# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc infer, and stamp --infer, on kernels that craft-code.c makes up and on the recordings in
# data/. What it does with real kernels is shown by qemu/infer.sh.

# shellcheck source=code.sh
. "$tests/code.sh"

moved=0x0000000005400000

# kernel ARCH [LONGER]: as vmlinux. So many functions take two slots of 2 MiB on x86_64
kernel() {
	local kept=$tmp/vmlinux-$1-${2-}

	[ -e "$kept" ] || "$craft_code" kernel "$1" 12000 ${2+"$2"} | "$craft_elf" "$kept"
	cp "$kept" vmlinux
}

# trace ARCH KIND COUNT: of that kernel, as samples
trace() {
	"$craft_code" trace "$1" 12000 $moved "$2" "$3" >samples
}

# unknown TEXT [FILE]: no answer, and why not
unknown() {
	run 3 "$kreloc" infer --vmlinux=vmlinux "${2-samples}"
	says err "$1"
	if [ -s out ]; then
		says out "offset: unknown"
		says out "source: unknown"
	fi
}

infer_chains() {
	kernel "$1"
	trace "$1" chains 60
	inferred $moved
	says out "verdict: found"
	grep -qE '^ip: ([0-9]+) of \1 start an instruction' out
	grep -qE '^return: ([0-9]+) of \1 follow a call' out
	grep -qE '^call: ([0-9]+) of \1 go where the chains say' out
	grep -qE '^end: ([0-9]+) of \1 chains begin' out
	run 0 "$kreloc" infer --vmlinux=vmlinux - <samples
	says out "file: standard input"
	says out "offset: $moved"
}

infer_ips() {
	kernel x86_64
	trace x86_64 ips 60
	inferred $moved
	# Where every word is an instruction, they tell nothing, however many there are
	kernel ppc64le
	trace ppc64le ips 1000
	unknown "do not tell enough, and more like them would not either"
	says out "addresses-lacking: 0"
}

infer_entries() {
	kernel x86_64
	trace x86_64 entries 60
	inferred $moved
	says out "60 of 60 enter a function"
	kernel ppc64le
	trace ppc64le entries 60
	inferred $moved
}

# What the kernel rewrote is no mismatch
infer_patched() {
	kernel x86_64
	trace x86_64 patched 200
	inferred $moved
	grep -qE '^ip: ([0-9]+) of \1 start' out
	grep -qE '^return: ([0-9]+) of \1 follow' out
}

# The number that it says would do does: to within a third, since addresses differ
infer_too_few() {
	local more

	kernel x86_64
	trace x86_64 ips 12
	unknown "has too few distinct kernel addresses, 12; about "
	more=$(sed -n 's/^addresses-lacking: //p' out)
	[ "$more" -gt 3 ]
	trace x86_64 ips $(((12 + more) * 4 / 3))
	inferred $moved
	trace x86_64 ips $(((12 + more) * 2 / 3))
	unknown "has too few distinct kernel addresses"
	: >empty
	echo "nothing to see here" >words
	unknown "has no address of the kernel" words
	run 1 "$kreloc" infer --vmlinux=vmlinux empty
	says err "is empty"
}

# Another build, whose 100th function is longer; and one that is the same up to 9 tenths of it
infer_other_build() {
	kernel "$1" 100
	trace "$1" chains 300
	unknown "does not fit the code of vmlinux: at the best offset"
	says out "verdict: does not fit"
	kernel "$1" 10800
	unknown "does not fit the code of vmlinux from 0x"
	says out "verdict: fits in part"
	says err "much like the recorded one"
}

# Addresses that are none of what they are said to be
infer_rubbish() {
	local i

	kernel x86_64
	trace x86_64 inside 100
	unknown "does not fit the code of vmlinux"
	for ((i = 0; i < 100; i++)); do
		printf 'return %x\n' $((0xffffffff86410000 + i * i * 117))
	done >samples
	unknown "does not fit the code of vmlinux"
	# Beyond where the kernel can be
	kernel x86_64
	echo "ffffffff80000010" >samples
	unknown "does not fit"
}

# Modules move on their own, and user space is not the kernel's
infer_elsewhere() {
	kernel x86_64
	trace x86_64 chains 60
	for i in {1..99}; do
		printf 'm 1 [000] 1.0: cpu-clock: \n\tffffffffc00%02x123 [unknown]\n\n' "$i"
		printf 'm 1 [000] 1.0: cpu-clock: \n\t    7f0012340%02x [unknown]\n\n' "$i"
	done >>samples
	inferred $moved
	says out "addresses-elsewhere: 99"
}

infer_lists() {
	kernel x86_64
	trace x86_64 chains 60
	awk '/^\tffff/ { print (first ? "return 0x" : "ip 0x") $1; first = 1 } /^$/ { first = 0 }' \
		samples >list
	inferred $moved list
	grep -qE '^ip: 60 of 60' out
	grep -qE '^return: ([0-9]+) of \1' out
	# Of an unknown kind, with comments and blank lines
	{
		echo "# addresses"
		echo
		sed -n 's/^\(return\|ip\) //p' list
	} >plain
	inferred $moved plain
	grep -qE '^ip: ([0-9]+) of \1' out
	lacks out "return: "
	# A line of any length
	{
		head -c 100000 /dev/zero | tr '\0' x
		echo
		cat list
	} >long
	inferred $moved long
}

infer_json() {
	kernel x86_64
	trace x86_64 chains 60
	run 0 "$kreloc" infer --json --vmlinux=vmlinux samples
	says out "\"offset\":\"$moved\",\"text\":\"0xffffffff86400000\",\"anchor\":\"_text\""
	says out '"verdict":"found"'
	says out '"candidates":[{"offset":"'$moved'"'
	says out '{"kind":"ip","good":60,"fair":0,"bad":0,"chance":'
	[ "$(wc -l <out)" -eq 1 ]
	trace x86_64 ips 5
	run 3 "$kreloc" infer --json --vmlinux=vmlinux samples
	says out '"offset":null,"text":null'
	says out '"verdict":"too few addresses"'
}

infer_no_code() {
	vmlinux
	trace x86_64 chains 60
	unknown "vmlinux: has no code, only symbols"
	silent out
	run 1 "$kreloc" infer --vmlinux=missing trace
	says err "kreloc: missing: No such file"
	kernel x86_64
	run 1 "$kreloc" infer --vmlinux=vmlinux missing
	says err "kreloc: missing: No such file"
	run 1 "$kreloc" infer --vmlinux=vmlinux .
	says err "kreloc: .: is a directory"
	run 1 "$kreloc" infer --vmlinux=vmlinux vmlinux
	says err "not a trace file that kreloc knows"
	run 2 "$kreloc" infer samples
	run 2 "$kreloc" infer --vmlinux=vmlinux
	run 2 "$kreloc" infer --vmlinux=vmlinux samples samples
}

# Each is found, in recordings of every kind
infer_counts() {
	local kind

	kernel x86_64
	for kind in blind-g blind-a blind-events blind-z blind-tail blind-task; do
		recording $kind
		addresses_of $kind.data >given
		run 3 "$kreloc" infer --vmlinux=vmlinux $kind.data
		says out "addresses: $(wc -l <given)"
	done
}

# nops: a vmlinux in whose text any address is an instruction, so that none tells anything
nops() {
	{
		echo "arch x86_64"
		echo "build-id $build_id"
		echo "section .text ffffffff81000000 $(printf %x "$text_size") x"
		echo "symbol _text ffffffff81000000 0 notype global .text"
		echo "symbol _etext $(printf %x $((link + text_size))) 0 notype global .text"
		awk -v size="$text_size" 'BEGIN {
			for (line = "90"; length(line) < 4000; line = line "90");
			for (at = 0; at + 2000 <= size; at += 2000)
				printf "code ffffffff%x %s\n", 2164260864 + at, line
		}'
	} >description
	"$craft_elf" vmlinux <description
}

# Without anything that the machine at hand knows, and with a boot that is not the recording's
stamp_inferred() {
	recording blind-g
	around blind-g.data
	no_module
	put /proc/sys/kernel/osrelease 5.10.0
	"$craft" notes "$KRELOC_ROOT/sys/kernel/notes" 00112233445566778899aabbccddeeff00112233
	touch -d @1 blind-g.data
	stamped blind-g.data --infer --vmlinux=vmlinux
	says out "stamped: offset $offset (inferred)"
	run 0 "$kreloc" read blind-g.data
	says out "offset: $offset"
	says out "stamp-source: inferred"
	# The stamp agrees with what its addresses say
	inferred "$offset" blind-g.data
	"$kreloc" strip blind-g.data
	run 2 "$kreloc" stamp --infer blind-g.data
	says err "--infer needs --vmlinux=FILE"
}

stamp_not_inferred() {
	recording blind-g
	nops
	refused 3 blind-g.data "distinct kernel addresses" --infer --vmlinux=vmlinux
	around blind-g.data 1
	refused 3 blind-g.data "does not fit the code" --infer --vmlinux=vmlinux --force
	other_build_id=00112233445566778899aabbccddeeff00112233 around blind-g.data
	refused 3 blind-g.data "recorded on a kernel with build-id" --infer --vmlinux=vmlinux
	run 3 "$kreloc" infer --vmlinux=vmlinux blind-g.data
	says err "recorded on a kernel with build-id"
	vmlinux
	refused 3 blind-g.data "has no code, only symbols" --infer --vmlinux=vmlinux
}

# An offset from elsewhere must be the one that the addresses support
stamp_checked() {
	recording blind-g
	around blind-g.data
	stamped blind-g.data --vmlinux=vmlinux
	says out "stamped: offset $offset (sysfs), its addresses fit"
	"$kreloc" strip blind-g.data
	stamped blind-g.data --vmlinux=vmlinux --offset="$offset"
	says out "(given), its addresses fit"
	"$kreloc" strip blind-g.data
	refused 1 blind-g.data "its addresses fit offset $offset better than" --vmlinux=vmlinux \
		--offset="$(printf 0x%x $((offset - 0x200000)))"
	around blind-g.data 1
	refused 1 blind-g.data "does not fit the code" --vmlinux=vmlinux
	says err "(--force stamps it all the same)"
	stamped blind-g.data --vmlinux=vmlinux --force
	"$kreloc" strip blind-g.data
	nops
	stamped blind-g.data --vmlinux=vmlinux
	says out "are too few to tell whether they fit"
	"$kreloc" strip blind-g.data
	vmlinux
	stamped blind-g.data --vmlinux=vmlinux
	says out "not held against the code: vmlinux: has no code"
}

# The recorder's own word is held against it
infer_recorded() {
	recording good
	around good.data
	inferred "$offset" good.data
	around good.data 0x200000
	run 1 "$kreloc" infer --vmlinux=vmlinux good.data
	says err "by its recorder, and its addresses put it at"
}

t "chains, on x86_64" infer_chains x86_64
t "chains, on ppc64le" infer_chains ppc64le
t "chains, on big-endian ppc64" infer_chains ppc64
t "instruction pointers: enough on x86_64, never on powerpc" infer_ips
t "entries of functions" infer_entries
t "code that was rewritten at boot" infer_patched
t "too few addresses, and how many would do" infer_too_few
t "another build, on x86_64" infer_other_build x86_64
t "another build, on ppc64le" infer_other_build ppc64le
t "rubbish" infer_rubbish
t "addresses of modules and of user space" infer_elsewhere
t "lists of addresses" infer_lists
t "an inference in JSON" infer_json
t "no code, no trace, no option" infer_no_code
t "all addresses of a recording" infer_counts
t "stamp --infer" stamp_inferred
t "stamp --infer, where it cannot" stamp_not_inferred
t "an offset that is stamped is held against the code" stamp_checked
t "what the recorder wrote is held against the addresses" infer_recorded
