# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# What the tests share. Sourced by run, which sets tests, objects and tmp.
#
# A test is a shell function. It runs in a subshell with set -e, in an empty directory of its own,
# with KRELOC_ROOT set to a made-up machine that it can change: the one that the recordings in
# data/ are from, with the module loaded. It fails with the first command that fails.

number=0
failed=0
kreloc=${objects:?}/kreloc
craft=$objects/tests/craft

export UBSAN_OPTIONS=print_stacktrace=1 LC_ALL=C

link=0xffffffff81000000

# machine FILE: that which FILE tells the truth of
machine() {
	# shellcheck source=data/truth
	. "$1"
	text=${text:?} etext=${etext:?}
	printf -v text_size %d $((etext - text))
	# shellcheck disable=SC2034 # tests compare with it
	printf -v offset 0x%016x $((text - link))
}

machine "${tests:?}/data/truth"

# result STATUS NAME LOG: one line of TAP
result() {
	number=$((number + 1))
	case $1 in
	0) echo "ok $number - $2" ;;
	4) echo "ok $number - $2 # SKIP $(tail -n 1 "$3")" ;;
	*)
		echo "not ok $number - $2"
		sed 's/^/# /' "$3"
		# shellcheck disable=SC2034
		failed=1
		;;
	esac
}

# t NAME FUNCTION [ARGUMENT]…
t() {
	local name=$1 dir=${tmp:?}/$((number + 1)) status

	shift
	mkdir -p "$dir/root" "$dir/work"
	export KRELOC_ROOT=$dir/root
	make_root
	# Not in a condition, where set -e would be ignored
	(
		cd "$dir/work"
		set -eE
		trap 'echo "failed: $BASH_COMMAND"' ERR
		"$@"
	) >"$dir/log" 2>&1
	status=$?
	result $status "$name" "$dir/log"
	chmod -R u+rwX "$dir" 2>/dev/null
	rm -rf "$dir"
}

# tap PROGRAM [ARGUMENT]…: the program prints "ok - NAME" and "not ok - NAME" lines itself
tap() {
	local line status

	"$@" >"$tmp/tap" 2>"$tmp/log"
	status=$?
	while read -r line; do
		case $line in
		"ok - "*) result 0 "${line#*- }" /dev/null ;;
		"not ok - "*) result 1 "${line#*- }" "$tmp/log" ;;
		*) echo "# $line" ;;
		esac
	done <"$tmp/tap"
	result $status "${1##*/} comes to its end" "$tmp/log"
}

skip() {
	echo "$*"
	exit 4
}

fail() {
	echo "$*"
	return 1
}

# put PATH [TEXT]: a file of the made-up machine; without TEXT, from standard input
put() {
	mkdir -p "$(dirname "$KRELOC_ROOT$1")"
	if [ $# -gt 1 ]; then
		echo "$2" >"$KRELOC_ROOT$1"
	else
		cat >"$KRELOC_ROOT$1"
	fi
}

# make_root: the machine of the recordings, booted an hour ago
make_root() {
	put /proc/sys/kernel/osrelease "${release:?}"
	put /proc/sys/kernel/arch x86_64
	put /proc/sys/kernel/hostname "${host:?}"
	put /proc/sys/kernel/random/boot_id 01234567-89ab-cdef-0123-456789abcdef
	put /proc/stat "$(printf 'cpu 0\nbtime %d\nprocesses 1' $(($(date +%s) - 3600)))"
	put /proc/meminfo "$(printf 'MemTotal:  %s kB\nMemFree: 1 kB' "${memory:?}")"
	mkdir -p "$KRELOC_ROOT/sys/kernel"
	"$craft" notes "$KRELOC_ROOT/sys/kernel/notes" "${build_id:?}"
	make_module "$text"
}

# make_module TEXT: as the kernel module shows it
make_module() {
	put /sys/kernel/kreloc/abi 1
	put /sys/kernel/kreloc/anchor _text
	put /sys/kernel/kreloc/link_text $link
	put /sys/kernel/kreloc/text "$(printf 0x%016x "$1")"
	put /sys/kernel/kreloc/offset "$(printf 0x%016x $(($1 - link)))"
	put /sys/kernel/kreloc/text_size "$text_size"
}

no_module() {
	rm -rf "$KRELOC_ROOT/sys/kernel/kreloc"
}

# ppc64le TEXT: make it such a machine, without the module
ppc64le() {
	no_module
	put /proc/sys/kernel/arch ppc64le
	printf '%s T _stext\n%s T _etext\n' "${1#0x}" "$(printf %x $(($1 + text_size)))" |
		put /proc/kallsyms
}

# others: the machine becomes that of data/others, in that boot
others() {
	# shellcheck source=data/others/truth
	. "$tests/data/others/truth"
	text_size=$((etext - text))
	printf -v offset 0x%016x $((text - link))
	make_root
	put /proc/sys/kernel/random/boot_id "${boot_id:?}"
}

# recording NAME: from data/, as a file in this directory that is as old as it should be
recording() {
	xz -dc "$tests/data/$1.data.xz" >"$1.data"
}

# trace_machine: that of the recordings in data/trace-dat
trace_machine() {
	machine "$tests/data/trace-dat/truth"
	make_root
}

# dat NAME: from data/trace-dat
dat() {
	xz -dc "$tests/data/trace-dat/$1.dat.xz" >"$1.dat"
}

# trace_kallsyms: of that machine
trace_kallsyms() {
	xz -dc "$tests/data/trace-dat/kallsyms.xz"
}

# trace_vmlinux: with the functions of those recordings
trace_vmlinux() {
	trace_kallsyms |
		awk '$3 ~ /^(vfs_|ksys_|__x64_sys_|do_syscall|entry_SYSCALL|schedule|_end$)/ { print $1, $3 }' |
		while read -r address name; do
			printf '%s=0x%x\n' "$name" $((0x$address - offset))
		done >symbols
	# shellcheck disable=SC2046 # a symbol each
	vmlinux $(cat symbols)
}

# vmlinux [SYMBOL=ADDRESS…]: the kernel of the recordings
vmlinux() {
	"$craft" vmlinux vmlinux x86_64 "$build_id" _text=$link \
		"_etext=$(printf 0x%x $((link + text_size)))" "$@"
}

# run STATUS COMMAND…: its output is in the files out and err
run() {
	local want=$1 status=0

	shift
	"$@" >out 2>err || status=$?
	[ $status = "$want" ] || {
		echo "$*: status $status, not $want"
		cat out err
		return 1
	}
}

# says FILE TEXT: FILE has it, word for word
says() {
	grep -qF -- "$2" "$1" || {
		echo "not in $1: $2"
		cat "$1"
		return 1
	}
}

lacks() {
	! grep -qF -- "$2" "$1" || fail "in $1: $2"
}

# is FILE: exactly what comes from standard input
is() {
	[ "$1" != - ] || fail "is: standard input is what it should be"
	diff -u - "$1"
}

silent() {
	[ ! -s "$1" ] || {
		echo "$1 is not empty:"
		cat "$1"
		return 1
	}
}

# refused STATUS FILE TEXT [OPTION…]: stamping says so and leaves the file alone, and its times
refused() {
	local want=$1 file=$2 text=$3 before

	shift 3
	before=$(sha256sum "$file" && stat -c '%s %Y %y %a' "$file")
	run "$want" "$kreloc" stamp "$@" "$file"
	says err "kreloc: $file: "
	says err "$text"
	[ "$before" = "$(sha256sum "$file" && stat -c '%s %Y %y %a' "$file")" ] ||
		fail "$file was changed"
}

# unchanged STATUS FILE TEXT [OPTION…]: the same, but it is no error
unchanged() {
	local want=$1 file=$2 text=$3 before

	shift 3
	before=$(sha256sum "$file" && stat -c '%s %Y %y %a' "$file")
	run "$want" "$kreloc" stamp "$@" "$file"
	says out "$text"
	[ "$before" = "$(sha256sum "$file" && stat -c '%s %Y %y %a' "$file")" ] ||
		fail "$file was changed"
}

# stamped FILE [OPTION…]: stamps it, and strip gives the very file back
stamped() {
	local file=$1

	shift
	cp -p "$file" "$file.orig"
	run 0 "$kreloc" stamp "$@" "$file"
	says out "$file: stamped: "
	cp -p "$file" "$file.stamped"
	"$kreloc" strip "$file"
	cmp "$file" "$file.orig"
	cp -p "$file.stamped" "$file"
}

# as_nobody COMMAND…: without any privilege
as_nobody() {
	if [ "$(id -u)" -eq 0 ]; then
		find "$KRELOC_ROOT/.." -type d -exec chmod a+rx {} +
		[ -e /usr/bin/setpriv ] || skip "no setpriv to give up root with"
		setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
	else
		"$@"
	fi
}

# in_namespace FUNCTION: where it can mount, as root or in a user namespace
in_namespace() {
	local options=-m

	[ "$(id -u)" -eq 0 ] || options=-Urm
	mkdir -p mnt
	unshare $options mount -t tmpfs tmpfs mnt 2>/dev/null ||
		skip "neither root nor a user namespace to mount in"
	export -f "${1?}" recording refused unchanged run says silent stamped fail is lacks skip
	export tests kreloc craft offset
	unshare $options bash -eEc "$1"
}
