# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# trace.dat: the recordings in data/trace-dat, and what craft-dat.c makes. Where this machine has
# trace-cmd, it reads them before and after.

craft_dat=$objects/tests/craft-dat
view=$objects/tests/view
kinds_7="blind-7 blind-graph blind-instances blind-network blind-none blind-plain blind-stack"
kinds_6="blind-6 blind-instances6 blind-none6 blind-stack6"
# kreloc's option, see Documentation/stamp-format.md
id=19282

# reader: trace-cmd, or the test is skipped
reader() {
	[ -n "$(type -P trace-cmd)" ] || skip "no trace-cmd"
}

report() {
	trace-cmd report "$1" 2>&1
}

# same_but_option BEFORE AFTER: views
same_but_option() {
	diff "$1" "$2" | grep '^[<>]' >difference || true
	[ "$(wc -l <difference)" -eq 1 ]
	grep -qE "> option $id size [0-9]+ text $text" difference
}

stamp_7() {
	local kind=$1 size

	trace_machine
	dat "$kind"
	"$view" "$kind.dat" >before
	lacks before damaged
	size=$(stat -c %s "$kind.dat")
	run 3 "$kreloc" read "$kind.dat"
	says out "format: trace.dat"
	says out "offset: unknown"
	says out "release: $release"
	stamped "$kind.dat"
	is out <<-END
		$kind.dat: stamped: offset $offset (sysfs), but no names: those come with --vmlinux=FILE
	END
	silent err
	"$view" "$kind.dat" >after
	same_but_option before after
	[ "$(($(stat -c %s "$kind.dat") - size))" -lt 8192 ]
	run 0 "$kreloc" read "$kind.dat"
	says out "offset: $offset"
	says out "text: $text"
	says out "source: stamp"
	says out "build-id: $build_id"
	unchanged 0 "$kind.dat" "is stamped already"
}

stamp_6() {
	local kind=$1 size grown

	trace_machine
	dat "$kind"
	"$view" "$kind.dat" >before
	lacks before damaged
	lacks before "within a page"
	size=$(stat -c %s "$kind.dat")
	run 3 "$kreloc" read "$kind.dat"
	stamped "$kind.dat"
	is out <<-END
		$kind.dat: stamped: offset $offset (sysfs), but no names: those come with --vmlinux=FILE
		$kind.dat: was rewritten, all $((size + 4096)) bytes, since the stamp had no room in it
	END
	"$view" "$kind.dat" >after
	same_but_option before after
	grown=$(($(stat -c %s "$kind.dat") - size))
	[ $grown -eq 4096 ]
	run 0 "$kreloc" read "$kind.dat"
	says out "offset: $offset"
	says out "source: stamp"
	unchanged 0 "$kind.dat" "is stamped already"
}

# Names as the kernel's own kallsyms has them, for every function in the trace
heal() {
	local kind=$1

	trace_machine
	dat "$kind"
	trace_vmlinux
	"$view" "$kind.dat" >before
	stamped "$kind.dat" --vmlinux=vmlinux
	says out ", and it has names from vmlinux"
	"$view" "$kind.dat" >after
	diff before after | grep '^[<>]' >difference || true
	sed "/^[<>] \(kallsyms\|option $id\) /d" difference >other
	silent other
	grep -q '^> kallsyms' difference
	grep -aqE "${text#0x} [A-Z] _text\$" "$kind.dat"
	reader
	cp "$kind.dat" healed.dat
	report "$kind.dat" >after
	"$kreloc" strip "$kind.dat"
	report "$kind.dat" >before
	grep -q 'function: *0x' before
	trace_kallsyms >names
	awk 'FNR == NR { name["0x" $1] = name["0x" $1] " " $3 " "; next }
		/function: / { print name[$NF] }' names before >want
	awk '/function: / { print $NF }' after >have
	[ "$(wc -l <want)" -ge 40 ]
	paste have want | awk '!index($0, " " $1 " ") { print; bad = 1 } END { exit bad }'
	# All else is as it was; with names trace-cmd indents by who calls whom
	diff <(sed '/function: /s/ *[^ ]*$//' before) <(sed '/function: /s/ *[^ ]*$//' after)
}

# The recorder was allowed to know
recorded() {
	local kind=$1

	trace_machine
	dat "$kind"
	trace_vmlinux
	run 3 "$kreloc" read "$kind.dat"
	says out "text: $text"
	says out "source: recorder"
	run 0 "$kreloc" read --vmlinux=vmlinux "$kind.dat"
	says out "offset: $offset"
	unchanged 0 "$kind.dat" "has its kernel's address from its recorder"
	make_module $((text + 0x200000))
	refused 1 "$kind.dat" "its recorder says that _text is at $text" --offset=0 --vmlinux=vmlinux
}

# trace-cmd writes it anew and keeps the option; what the file was nobody knows then
converted() {
	local from=$1 to

	reader
	trace_machine
	dat "$from"
	trace_vmlinux
	stamped "$from.dat" --vmlinux=vmlinux
	report "$from.dat" >before
	for to in 6 7; do
		trace-cmd convert -i "$from.dat" -o to.dat --file-version $to >log 2>&1
		report to.dat >after
		diff before after
		run 0 "$kreloc" read to.dat
		says out "offset: $offset"
		says out "source: stamp"
		cp to.dat kept.dat
		unchanged 0 to.dat "is stamped already"
		# From 6 to 6 it is the same
		cmp -s to.dat "$from.dat" && continue
		run 1 "$kreloc" strip to.dat
		says err "was changed since it was stamped"
		cmp to.dat kept.dat
	done
}

altered() {
	local kind

	trace_machine
	for kind in blind-plain blind-6; do
		dat $kind
		stamped $kind.dat
		echo more >>$kind.dat
		cp $kind.dat kept.dat
		run 0 "$kreloc" read $kind.dat
		says out "offset: $offset"
		run 1 "$kreloc" strip $kind.dat
		says err "was changed since it was stamped"
		cmp $kind.dat kept.dat
	done
}

# Each byte order and compression; version 6 also from before there were options
crafted() {
	local version order packing addresses=() i

	trace_machine
	for ((i = 0; i < 100; i++)); do
		addresses+=("$(printf 0x%x $((text + 0x1000 + i * 64)))")
	done
	vmlinux first="$(printf 0x%x $((link + 0x1000)))" second="$(printf 0x%x $((link + 0x1040)))"
	printf '0000000000000000 T _text\n0000000000000000 T first\n' >zeros
	put /proc/sys/kernel/osrelease 6.1.0-crafted
	for version in 6 7; do
		for order in little big; do
			for packing in none zlib zstd; do
				[ $version = 7 ] || [ $packing = none ] || continue
				echo "version $version, $order, $packing"
				"$craft_dat" make made.dat $version $order $packing zeros "${addresses[@]}"
				run 3 "$kreloc" read made.dat
				says err "recorded where no kernel address is shown"
				says out "release: 6.1.0-crafted"
				stamped made.dat --vmlinux=vmlinux
				run 0 "$kreloc" read made.dat
				says out "offset: $offset"
				[ -z "$(type -P trace-cmd)" ] || [ $packing = zlib ] ||
					report made.dat | grep -q 'function: *first$'
				"$kreloc" strip made.dat
				make_module $((text + 0x200000))
				refused 1 made.dat "kernel samples are outside the kernel's text"
				make_module "$text"
				# Its own kallsyms tells
				printf '%s T _text\n' "${text#0x}" >given
				"$craft_dat" make made.dat $version $order $packing given "${addresses[@]}"
				unchanged 0 made.dat "has its kernel's address from its recorder"
			done
			"$craft_dat" make made.dat 6 $order none zeros "${addresses[@]}"
			"$craft_dat" bare made.dat bare.dat
			run 3 "$kreloc" read bare.dat
			stamped bare.dat --vmlinux=vmlinux
			[ -z "$(type -P trace-cmd)" ] || report bare.dat | grep -q 'function: *first$'
			run 0 "$kreloc" read bare.dat
			says out "offset: $offset"
			# Whose machine nobody knows but the stamp
			run 0 "$kreloc" addr --stamp=bare.dat $text
			is out <<<"$text $link ?"
		done
	done
}

guards() {
	local boot kind

	trace_machine
	for kind in blind-graph blind-stack6; do
		dat $kind
		put /proc/sys/kernel/osrelease 6.1.0-other
		refused 1 $kind.dat "recorded by Linux $release, but the running kernel is 6.1.0-other"
		put /proc/sys/kernel/osrelease "$release"
		boot=$(awk '/btime/ { print $2 }' "$KRELOC_ROOT/proc/stat")
		touch -d @$((boot - 1)) $kind.dat
		refused 1 $kind.dat "older than this boot"
		touch -d @$((boot + 1)) $kind.dat
		refused 1 $kind.dat "from another boot: its last sample is from"
		touch $kind.dat
		make_module $((text + 0x1000000))
		refused 1 $kind.dat "outside the kernel's text"
		stamped $kind.dat --force
		says err "warning: "
		"$kreloc" strip $kind.dat
		"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link
		make_module "$text"
		refused 1 $kind.dat "not stamped" --vmlinux=other
		put /proc/sys/kernel/arch ppc64le
		refused 1 $kind.dat "recorded on x86_64" --offset=0
		put /proc/sys/kernel/arch x86_64
		stamped $kind.dat
	done
}

# What it says of another boot is not taken for this one's
last_boot() {
	local value key want

	trace_machine
	dat blind-plain
	trace_vmlinux
	while IFS='|' read -r value key want; do
		"$craft_dat" option blind-plain.dat last.dat 24 "$(printf %b "$value")"
		run 3 "$kreloc" read last.dat
		says out "offset: unknown"
		says out "last-boot-buffer: boot_mapped"
		says out "last-boot-$key: $want"
		run 3 "$kreloc" read --json last.dat
		says out "\"last-boot-$key\":\"$want\""
		refused 1 last.dat "has events of an earlier boot, in its buffer \"boot_mapped\""
		stamped last.dat --offset="$(printf %x "$offset")" --vmlinux=vmlinux
	done <<-'END'
		boot_mapped:ffffffff90000000\t[kernel]|text|0xffffffff90000000
		boot_mapped:39000000\t\t[kernel]\nffffffffc00ca000\tusb_serial|offset|0x0000000039000000
		boot_mapped:text delta:\t-268435456\ndata delta:\t-268435456|delta|0xfffffffff0000000
	END
	for value in 'boot_mapped:# Current' 'boot_mapped:rubbish' 'no colon' ':'; do
		"$craft_dat" option blind-plain.dat last.dat 24 "$value"
		run 3 "$kreloc" read last.dat
		lacks out last-boot
		stamped last.dat
	done
}

dat_addresses() {
	local function

	trace_machine
	trace_vmlinux
	dat blind-7
	function=$(trace_kallsyms | awk '$3 == "vfs_write" { print $1 }')
	run 3 "$kreloc" addr --stamp=blind-7.dat --vmlinux=vmlinux "$function"
	stamped blind-7.dat
	run 0 "$kreloc" addr --stamp=blind-7.dat --vmlinux=vmlinux "$function"
	says out vfs_write
	"$kreloc" strip blind-7.dat
}

# The build-id is in the stamp alone
dat_other_build() {
	local kind command

	trace_machine
	"$craft" vmlinux other x86_64 00112233445566778899aabbccddeeff00112233 _text=$link \
		"_etext=$(printf 0x%x $((link + text_size)))"
	for kind in blind-7 blind-6; do
		dat $kind
		stamped $kind.dat
		for command in read "addr $text --stamp"; do
			# shellcheck disable=SC2086 # with its arguments
			run 1 "$kreloc" $command $kind.dat -k other
			silent out
			says err "recorded on a kernel with build-id $build_id, but other has 0011"
		done
	done
}

# By the entries alone, which the function tracer records
dat_infer() {
	local moved=0x0000000005400000 entries

	"$objects/tests/craft-code" kernel x86_64 12000 | "$objects/tests/craft-elf" vmlinux
	mapfile -t entries < <("$objects/tests/craft-code" trace x86_64 12000 $moved entries 60 |
		sed 's/.* //')
	printf '0000000000000000 T _text\n' >zeros
	"$craft_dat" make made.dat 7 little zstd zeros "${entries[@]}"
	run 0 "$kreloc" infer --vmlinux=vmlinux made.dat
	says out "offset: $moved"
	says out "60 of 60 enter a function"
	stamped made.dat --infer --vmlinux=vmlinux
	run 0 "$kreloc" read made.dat
	says out "offset: $moved"
	refused 1 made.dat.orig "its addresses fit offset $moved better" --offset=5600000 --vmlinux=vmlinux
}

# As many addresses as trace-cmd prints, of functions and their callers and in stacks
dat_seen() {
	local kind

	reader
	trace_machine
	"$objects/tests/craft-code" kernel x86_64 12000 | "$objects/tests/craft-elf" vmlinux
	for kind in blind-stack blind-stack6 blind-instances; do
		dat $kind
		trace-cmd report -O parent=1 $kind.dat 2>/dev/null >lines
		run 3 "$kreloc" infer --vmlinux=vmlinux $kind.dat
		says out "addresses-seen: $(grep -oE 'ffffffff[0-9a-f]{8}' lines | wc -l)"
	done
}

dat_bad() {
	trace_machine
	dat blind-stack6
	dat blind-plain
	head -c 17 blind-plain.dat >short.dat
	refused 1 short.dat "is truncated: it ends within the header"
	head -c 3000 blind-plain.dat >short.dat
	refused 1 short.dat "is truncated"
	head -c 20000 blind-stack6.dat >short.dat
	refused 1 short.dat "is truncated"
	printf '\x17\x08\x44tracing5\0\0\10\0\20\0\0' >old.dat
	refused 1 old.dat "is a trace.dat of version 5, and kreloc knows 6 and 7"
	# Options that lead to themselves
	"$craft_dat" loop blind-plain.dat loop.dat
	refused 1 loop.dat "is damaged: its options have no end"
}

for kind in $kinds_7; do
	t "trace.dat: $kind is stamped" stamp_7 "$kind"
done
for kind in $kinds_6; do
	t "trace.dat: $kind is stamped" stamp_6 "$kind"
done
for kind in $kinds_7 $kinds_6; do
	case $kind in
	*graph | *stack*) ;;
	*) t "trace.dat: $kind gets names" heal "$kind" ;;
	esac
done
t "trace.dat: good-7 knows" recorded good-7
t "trace.dat: good-6 knows" recorded good-6
t "trace.dat: version 7 is converted" converted blind-7
t "trace.dat: version 6 is converted" converted blind-6
t "trace.dat: changed since it was stamped" altered
t "trace.dat: byte orders, compressions, without options" crafted
t "trace.dat: guards" guards
t "trace.dat: of an earlier boot" last_boot
t "trace.dat: addresses by the stamp" dat_addresses
t "trace.dat: stamped, and a vmlinux of another build" dat_other_build
t "trace.dat: inferred from entries" dat_infer
t "trace.dat: as many addresses as trace-cmd sees" dat_seen
t "trace.dat: bad input" dat_bad
