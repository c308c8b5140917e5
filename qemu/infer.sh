#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check-infer: does kreloc infer find the offset of real kernels, and only
# where there is one to be found? Boots kernels with different offsets, records
# them blind in many ways, and asks for each recording: with its own vmlinux; with
# that and the addresses alone, as text, where no build-id is; and as text with the
# vmlinux of other releases. Prints a table and TAP. Takes an hour, and 2 GB of
# downloads.
#
# Usage: qemu/infer.sh [--judge] [NAME…]
#   --judge  boot nothing, judge the recordings that are there
#   NAME     these guests alone, ARCH-SERIES-NUMBER or ARCH-SERIES-PLACE
set -eu
. "${0%/*}/lib.sh"

out=$build/infer
x86=(6.1-{1..8} 6.12-{1..7} 7.2-{1..7})
powerpc=(6.1-0 6.1-32M 6.1-64M 6.12-32M 7.2-48M)

# parameters NAME: mitigations decide what the kernel rewrites in itself
parameters() {
	local more=

	case $1 in
	x86_64-*-2 | x86_64-*-6) more='mitigations=off' ;;
	x86_64-*-4) more='spectre_v2=eibrs' ;;
	x86_64-6.1-8) more='nokaslr' ;;
	esac
	case $1 in
	*-1) more+=' long=1' ;;
	esac
	echo "$more"
}

# place NAME: guest.sh's option
place() {
	case $1 in
	*-32M) echo --offset=0x2000000 ;;
	*-48M) echo --offset=0x3000000 ;;
	*-64M) echo --offset=0x4000000 ;;
	esac
}

kernel_of() {
	local arch=${1%%-*} series=${1#*-}

	"$qemu/get-kernel.sh" "$arch" "${series%-*}" --vmlinux
}

# guest NAME: one that does not come to its end gets a second chance, as the guest
# is not what is tested
guest() {
	local arch=${1%%-*} payload=$out/$1/payload kernel perf option

	kernel=$(kernel_of "$1")
	perf=$("$qemu/get-perf.sh" "$arch" 6.1)
	rm -rf "${out:?}/$1"
	install -D "$qemu/guest/samples" "$payload/test/run"
	cp "$top/selftests/lib.sh" "$payload/test/"
	mkdir "$payload/perf"
	cp -r "$perf"/{perf,bin,lib} "$payload/perf/"
	option=$(place "$1")
	for _ in 1 2; do
		"$qemu/guest.sh" --arch="$arch" --kernel="$kernel" --payload="$payload" \
			--out="$out/$1" --append="$(parameters "$1")" ${option:+"$option"} \
			--timeout=600 && break
	done
	rm -rf "$payload"
}

# ask VMLINUX TRUTH [FILE]: sets answer and addresses
ask() {
	local offset

	"$build/kreloc" infer --vmlinux="$1" "${3:--}" >"$out/answer" 2>>"$out/log" || true
	offset=$(sed -n 's/^offset: //p' "$out/answer")
	addresses=$(sed -n 's/^addresses: //p' "$out/answer")
	addresses=${addresses:-0}
	case $offset in
	unknown | '') answer=refused ;;
	"$2") answer=right ;;
	*) answer=WRONG ;;
	esac
}

# note KIND WHICH: for the table
note() {
	local many='1..49'

	[ "$addresses" -gt 0 ] || return 0
	[ "$addresses" -lt 50 ] || many='50+'
	echo "$1|$many|$answer" >>"$out/answers"
	[ "$answer" != WRONG ] || echo "$2: $1: WRONG" >>"$out/wrong"
}

link_of() {
	case $1 in
	_text) echo 0xffffffff81000000 ;;
	_stext) echo 0xc000000000000000 ;;
	esac
}

# judge NAME
judge() {
	local kind anchor text truth file name kernel other

	[ -e "$out/$1/files/anchor" ] || return 0
	read -r anchor text <"$out/$1/files/anchor"
	printf -v truth 0x%016x $((text - $(link_of "$anchor")))
	kernel=$(kernel_of "$1")
	for file in "$out/$1"/files/*.data; do
		name=$(basename "$file" .data)
		kind=plain
		[ "$name" = "${name%-g}" ] || kind=chains
		case $name in
		probes | functions) kind=$name ;;
		esac
		kind="${1%-*}, $kind"
		ask "$kernel/vmlinux" "$truth" "$file"
		note "$kind" "$1/$name"
		# -f, since perf wants to own what it reads
		perf script -f -i "$file" -F comm,pid,time,event,ip,sym >"$out/text" 2>/dev/null ||
			continue
		ask "$kernel/vmlinux" "$truth" <"$out/text"
		note "$kind, no build-id" "$1/$name"
		for other in "$out/others/${1%%-*}"/*; do
			[ "$(basename "$other")" != "$(cat "$kernel/release")" ] || continue
			ask "$other" "$truth" <"$out/text"
			note "${1%%-*}, vmlinux of another release" "$1/$name ${other##*/}"
		done
	done
}

# link_others NAME…: the vmlinux of each of these kernels and of a neighbour, by release
link_others() {
	local name arch series kernel

	rm -rf "$out/others"
	for name in $(printf '%s\n' "${@%-*}" | sort -u); do
		arch=${name%%-*} series=${name#*-}
		mkdir -p "$out/others/$arch"
		kernel=$("$qemu/get-kernel.sh" "$arch" "$series" --vmlinux)
		ln -sf "$kernel/vmlinux" "$out/others/$arch/$(cat "$kernel/release")"
		kernel=$("$qemu/get-neighbour.sh" "$arch" "$series") || continue
		ln -sf "$kernel/vmlinux" "$out/others/$arch/$(cat "$kernel/release")"
	done
}

table() {
	sort "$out/answers" | awk -F '|' '
		{
			seen[$1]
			count[$1, $2, $3]++
		}
		END {
			printf "# %-44s %23s   %23s\n", "", "50 addresses or more", "fewer"
			printf "# %-44s %7s %7s %7s   %7s %7s %7s\n", "recording", "right",
				"refused", "wrong", "right", "refused", "wrong"
			for (what in seen)
				printf "# %-44s %7d %7d %7d   %7d %7d %7d\n", what,
					count[what, "50+", "right"], count[what, "50+", "refused"],
					count[what, "50+", "WRONG"], count[what, "1..49", "right"],
					count[what, "1..49", "refused"],
					count[what, "1..49", "WRONG"] | "sort"
		}'
}

# share: per cent of the recordings with 50 addresses or more whose own vmlinux
# gives an answer
share() {
	awk -F '|' '$2 == "50+" && $1 !~ /no build-id|another/ { n++; right += $3 == "right" }
		END { print n ? int(100 * right / n) : 0 }' "$out/answers"
}

# result NAME COMMAND…
result() {
	local name=$1

	shift
	number=$((number + 1))
	if "$@"; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
		failed=1
	fi
}

none_wrong() {
	[ ! -s "$out/wrong" ]
}

enough_right() {
	[ "$(share)" -ge 95 ]
}

no_other() {
	! grep -q 'another release|.*|\(right\|WRONG\)' "$out/answers"
}

boot=1 number=0 failed=0
if [ "${1-}" = --judge ]; then
	boot=
	shift
fi
[ $# -gt 0 ] || set -- "${x86[@]/#/x86_64-}" "${powerpc[@]/#/ppc64le-}"
make -s -C "$top" tools >&2
mkdir -p "$out"
if [ "$boot" ]; then
	for name; do
		guest "$name" >&2
	done
fi
link_others "$@"
: >"$out/answers"
: >"$out/wrong"
: >"$out/log"
for name; do
	judge "$name"
done

places=$(for name; do
	sed "s/^/${name%-*} /" "$out/$name/files/anchor" 2>/dev/null || true
done | sort -u | wc -l)
echo "TAP version 13"
table
echo "# $places kernels and places"
sed 's/^/# /' "$out/wrong"
result "no answer is wrong" none_wrong
result "19 of 20 with 50 addresses or more have one" enough_right
result "no vmlinux of another release gives one" no_other
result "nearly every guest was at a place of its own" [ "$places" -ge $(($# * 4 / 5)) ]
echo "1..$number"
exit $failed
