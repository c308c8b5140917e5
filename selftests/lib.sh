# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
#
# What the selftests share: KTAP output, loading the module, and addresses in a shell.
#
# Environment, all optional:
#   KRELOC_KO         the module to load; without it, modprobe kreloc
#   NOTE_LIAR_KO      the helper module of witnesses.sh and debugfs.sh
#   EXPORT_USER_KO    the helper modules of export.sh
#   OPTIONAL_USER_KO
#   KRELOC_EXPECT     the offset that this boot must have, as 0x and 16 digits
#   KRELOC_SOURCES    the one witness of a kernel that has no two
#   KRELOC_CYCLES     how often load.sh loads and unloads, by default 50
#   KRELOC_CHURN      the same of churn.sh, by default 20
#   KRELOC_CRASHED    in a crash kernel, what the module said in the one that crashed: a file
#                     of "NAME VALUE" lines
#   KRELOC_IMAGE_SIZE _end - anchor in vmlinux, in bytes

SYS=/sys/kernel/kreloc
# shellcheck disable=SC2034 # for those who source this
DEBUGFS=/sys/kernel/debug/kreloc
KSFT_SKIP=4

# shellcheck disable=SC2034 # for those who source this
here=$(dirname "$0")
count=0
failures=0

plan() {
	echo "TAP version 13"
	echo "1..$1"
}

skip_all() {
	echo "TAP version 13"
	echo "1..0 # SKIP $1"
	exit $KSFT_SKIP
}

# t NAME COMMAND…: one test, passed if the command succeeds. What it prints becomes diagnostics.
t() {
	count=$((count + 1))
	before=$failures
	name=$1
	shift
	if output=$("$@" 2>&1); then
		echo "ok $count $name"
	else
		echo "not ok $count $name"
		echo "$output" | sed 's/^/# /'
		failures=$((failures + 1))
	fi
}

# t_says NAME COMMAND…: the same, and what it prints is told also where all is well
t_says() {
	t "$@"
	[ $failures -gt $before ] || echo "$output" | sed 's/^/# /'
}

skip() {
	count=$((count + 1))
	echo "ok $count $1 # SKIP $2"
}

finish() {
	unload
	[ $failures -eq 0 ]
	exit
}

say() {
	echo "$*"
	return 1
}

is() {
	[ "$1" = "$2" ] || say "is '$1', should be '$2'"
}

loaded() {
	grep -q '^kreloc ' /proc/modules
}

# load [PARAMETER=VALUE…]
load() {
	if [ -n "${KRELOC_KO:-}" ]; then
		insmod "$KRELOC_KO" "$@"
	else
		modprobe kreloc "$@"
	fi
}

# The file that load loads, where there is one
module_file() {
	echo "${KRELOC_KO:-$(modinfo -n kreloc 2> /dev/null)}"
}

unload() {
	! loaded || rmmod kreloc
}

# Is it part of the kernel that runs? Then there is nothing to load.
built_in() {
	[ -d $SYS ] && ! loaded
}

# reload [PARAMETER=VALUE…]
# shellcheck disable=SC2120 # some callers have parameters
reload() {
	unload && load "$@"
}

need_root() {
	[ "$(id -u)" = 0 ] || skip_all "must be run as root"
}

# need_kreloc: loaded anew, or built in
need_kreloc() {
	need_root
	built_in || need_module
}

need_module() {
	need_root
	! built_in || skip_all "kreloc is built in"
	reload && return
	# A module that was named must load; one that is not installed is a missing prerequisite.
	[ -n "${KRELOC_KO:-}" ] || skip_all "the module cannot be loaded"
	echo "Bail out! $KRELOC_KO cannot be loaded"
	exit 1
}

# An address as 15 hexadecimal digits, the leading one cut off: what is left is positive in every
# shell's arithmetic, and kernel addresses differ only there.
low() {
	v=$(printf '%s' "${1#0x}")
	[ ${#v} -eq 16 ] || say "'$1' does not have 16 digits" >&2
	printf '%d' "0x${v#?}"
}

# minus A B: A - B for addresses with the same leading digit, as 0x and 16 digits
minus() {
	a=${1#0x}
	b=${2#0x}
	[ "${a%???????????????}" = "${b%???????????????}" ] || say "$1 and $2 are far apart" >&2
	printf '0x%016x' $(($(low "$1") - $(low "$2")))
}

value() {
	cat "$SYS/$1"
}

# The run-time address that the kernel's own symbol table gives
kallsyms() {
	awk -v name="$1" 'NF == 3 && $3 == name { print "0x" $1; exit }' /proc/kallsyms
}

# note FILE KEY: of the VMCOREINFO that /proc/kcore and /proc/vmcore have behind their headers,
# which are a page of 64 KiB at most, as 0x and 16 digits
note() {
	number=$(head -c 262144 "$1" | tr '\0' '\n' | sed -n "s/^$2=//p")
	[ -n "$number" ] || say "no $2 in $1" >&2 || return
	printf '0x%016x' "0x$number"
}

# What the kernel said since the last dmesg_mark. The buffer is not cleared: whoever runs these
# tests looks it through at the end.
dmesg_mark() {
	mark="selftest $$ $count $(cut -d' ' -f1 /proc/uptime)"
	echo "$mark" > /dev/kmsg
}

dmesg_since() {
	dmesg | sed "1,/$mark/d"
}

sysctl_kptr() {
	echo "$1" > /proc/sys/kernel/kptr_restrict
}
