#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check: the unit tests, the harness's own tests, and the selftests in four
# guests. make check-all: and in all guests of cells.sh, and with more of the tools
# that kreloc is for. Everything leaves TAP in build/check/; the judge reads all of
# it and has the last word. A table of all that has run is in build/matrix.md, and
# the rows of what has just run are printed.
#
# Usage: qemu/check.sh [-j JOBS] [--all] [NAME…]
#   -j JOBS  how many to run side by side, a guest of two processors for two; default:
#            one for each processor
#   --all    what make check-all runs
#   NAME     run these alone: a part, or a guest of cells.sh
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"
. "${0%/*}/cells.sh"
. "${0%/*}/firmware.sh"

out=$build/check
parts=(tools fuzz decoders judge outcomes demo consumers modules size)
all_parts=(debuggers kinds packages portability sign big-endian kselftest watchers)

# prepare NAME…: kernels, and what is built for them, one after the other
prepare() {
	local name "${described[@]}"

	bare_tree >"$out/dtb"
	for name; do
		describe "$name"
		if [ "$series" = tree ]; then
			"$qemu/build-kernel.sh" "$arch" "$(built_as "$variant")" >/dev/null
		else
			"$qemu/get-kernel.sh" "$arch" "$series" $symbols >/dev/null
			build_module "$arch" "$kernel"
		fi
		[ ! "$next" ] || "$qemu/get-kexec.sh" "$arch" >/dev/null
		! has pv || "$qemu/get-xen.sh" >/dev/null
		make -s -C "$top/selftests" -I "$qemu/tests" CC="$(cross "$arch")gcc" \
			OUTPUT="$out/selftests-$arch" >&2
	done
}

# bare_tree: a device tree with a root and nothing in it, the header's words first
bare_tree() {
	printf '%08x' 0xd00dfeed 0x4c 0x38 0x48 0x28 17 16 0 4 0x10 0 0 0 0 1 0 2 9 0 |
		sed 's/../\\x&/g' | xargs -0 printf '%b'
}

# environment PAYLOAD: what the selftests are told of this boot
environment() {
	local module

	for module in kreloc note_liar export_user optional_user; do
		[ ! -e "$1/test/$module.ko" ] ||
			echo "${module^^}_KO=/test/$module.ko"
	done
	[ -z "$offset" ] || printf 'KRELOC_EXPECT=0x%016x\n' "$offset"
	[ -z "$sources" ] || echo "KRELOC_SOURCES=$sources"
	thorough || printf '%s=5\n' KRELOC_CYCLES KRELOC_CHURN
	[ -z "$next" ] || echo "NEXT=$next"
	[ "$next" != crash ] || echo "KRELOC_CRASHED=/out/first/values"
	# Only the device tree's kernel-end needs it, and only there it is at hand
	[ "$arch" = x86_64 ] || printf 'KRELOC_IMAGE_SIZE=%d\n' \
		$((0x$(address_of _end "$kernel/vmlinux") - 0x$(address_of _stext "$kernel/vmlinux")))
}

# address_of SYMBOL VMLINUX
address_of() {
	nm "$2" | awk -v name="$1" '$3 == name { print $1; exit }'
}

# add_first PAYLOAD TEST…: in the guest, before the others, since the last of them locks
# the kernel down
add_first() {
	local tests=("${@:2}")

	cp "${tests[@]/#/$qemu/guest/}" "$1/test/selftests/"
	sed -i "s/^/${tests[*]} /" "$1/test/selftests/tests"
}

# add_debug PAYLOAD: what takes a kernel that checks itself
add_debug() {
	! has churn || echo KRELOC_CHURN=1000 >>"$1/test/environment"
	sed -i 's/lockdown.sh/failslab.sh &/' "$1/test/selftests/tests"
}

# become COMMAND…: in place of the calling process, and not for longer than this
# script lives
become() {
	exec setpriv --pdeathsig TERM "$@"
}

# add_modules PAYLOAD: kreloc, where it is one, and the helpers of the selftests
add_modules() {
	local from=$kernel

	if [ "$series" != tree ]; then
		from=$(module_dir "$kernel")
		cp "$from"/src/selftests/*/*.ko "$1/test/"
		# it changes the note, which is not where it looks
		! has pv || rm "$1/test/note_liar.ko"
	fi
	find "$from" -maxdepth 1 -name '*.ko' -exec cp {} "$1/test/" \;
}

# sign_modules DIR PAYLOAD: with a key that the guest's firmware trusts
sign_modules() {
	local module firmware

	new_key "$1/key"
	for module in "$2"/test/*.ko; do
		"$kernel/kdir/scripts/sign-file" sha256 "$1/key.pem" "$1/key.der" "$module"
	done
	trusting_firmware "$1/key.der" "$1/vars"
	options+=("${firmware[@]}")
}

# add_next PAYLOAD: a first kernel that starts the one to be tested
add_next() {
	cp "$qemu/guest/first" "$kernel/image" "$1/test/"
	cp -r "$cache/kexec/$arch" "$1/test/kexec"
}

# guest NAME
guest() {
	local payload=$out/$1/payload "${described[@]}" tests=() skips

	describe "$1"
	mapfile -t skips < <(expected_skips "$1")
	rm -rf "$payload"
	if has blind; then
		install -D "$qemu/guest/blind" "$payload/test/run"
	else
		install -D "$qemu/guest/selftests" "$payload/test/run"
		cp "$qemu/guest/values" "$payload/test/"
	fi
	add_modules "$payload"
	cp -r "$out/selftests-$arch" "$payload/test/selftests"
	thorough || sed -i 's/ unprivileged.sh//' "$payload/test/selftests/tests"
	if [ ${#proofs[@]} -gt 0 ]; then
		printf '%s\n' "${proofs[@]}" >"$payload/test/proofs"
		tests+=(booted)
	fi
	[ "$arch" != "$(uname -m)" ] || [ "$series" = tree ] || ! says_link || {
		add_program "$payload" "$build/kreloc"
		tests+=(program)
	}
	[ ! "$signed" ] || sign_modules "$out/$1" "$payload"
	[ ! "$only" ] || echo "$only" >"$payload/test/selftests/tests"
	[ ${#tests[@]} -eq 0 ] || add_first "$payload" "${tests[@]}"
	[ ! "$next" ] || add_next "$payload"
	environment "$payload" >"$payload/test/environment"
	! has debug || add_debug "$payload"
	become "$qemu/guest.sh" --arch="$arch" --kernel="$kernel" --payload="$payload" \
		--out="$out/$1" --timeout=1200 --append="${append[*]}" "${options[@]}" "${skips[@]}"
}

is_guest() {
	[[ $1 == @(x86_64|ppc64le|ppc64)-* ]]
}

# module_size FILE: what the kernel keeps of it, and frees once it is loaded
module_size() {
	readelf -SW "$1" | sed 's/^ *\[ *//' |
		awk '$8 ~ /A/ { print "0x" $6 }' | paste -sd + | { read -r sum && echo $((sum)); }
}

# sizes: as TAP, of the module as it is built for each kernel, which has a budget
sizes() {
	local file size number=0 budget=32768

	echo "TAP version 13"
	for file in "$build"/module/*/kreloc.ko "$build"/in-tree/*/kreloc.ko; do
		[ -e "$file" ] || continue
		number=$((number + 1)) size=$(module_size "$file") file=${file%/*}
		[ "$size" -gt 0 ] && [ "$size" -le $budget ] || printf 'not '
		echo "ok $number ${file##*/}: $size of $budget bytes"
	done
	echo "1..$number"
}

# judge NAME…: their TAP
judge() {
	local name skips=()

	for name; do
		! is_guest "$name" || mapfile -t -O ${#skips[@]} skips < <(expected_skips "$name")
	done
	(cd "$out" && "$qemu/judge.sh" "${skips[@]}" "${@/%//tap}")
}

# verdict NAME: also of what its exit status tells and its TAP does not
verdict() {
	local status

	status=$(cat "$out/$1/status")
	if [ "$status" -eq 2 ] && is_guest "$1"; then
		echo "never finished"
	elif [ "$status" -eq 0 ] && judge "$1" >/dev/null; then
		echo pass
	else
		echo FAIL
	fi
}

# kernel_offset VALUE OFFSET: is it what the kernel's own VMCOREINFO should say?
kernel_offset() {
	if [ ! "$1" ] || [ ! "$2" ]; then
		return
	elif [ $(($1)) -eq $(($2)) ]; then
		echo right
	else
		echo "wrong: $1"
	fi
}

# row FILE WORD…: of the table: these words, and what guest/values wrote to the file
row() {
	local key value
	local -A said=()

	[ ! -e "$1" ] || while read -r key value; do
		said[$key]=$value
	done <"$1"
	said[KERNELOFFSET]=$(kernel_offset "${said[KERNELOFFSET]-}" "${said[offset]-}")
	printf '| %s ' "${@:2}"
	for key in "${columns[@]}"; do
		printf '| %s ' "${said[$key]-}"
	done
	echo "|"
}

# matrix NAME…: a table, in Markdown, of those that have run: what came of it, and what each
# guest's kreloc said
matrix() {
	local name columns

	columns=(release offset KERNELOFFSET phys_text kaslr_flag text_size sources files data coresize)
	printf '| %s ' name verdict seconds "${columns[@]}"
	printf '|\n|---|---|---'
	printf '|---%.0s' "${columns[@]}"
	echo "|"
	for name; do
		[ -e "$out/$name/status" ] || continue
		row "$out/$name/files/values" "$name" "$(verdict "$name")" "$(cat "$out/$name/seconds")"
		[ ! -e "$out/$name/files/first/values" ] ||
			row "$out/$name/files/first/values" "$name, first kernel" "" ""
	done
}

run() {
	case $1 in
	size) sizes >"$out/$1/tap" ;;
	tools) become make -s -C "$top/tools" O="$build" check >"$out/$1/tap" ;;
	fuzz) become make -s -C "$top/tools" O="$build" TIME=20 JOBS=1 fuzz >"$out/$1/tap" ;;
	decoders) become make -s -C "$top/module/tests" O="$build" check >"$out/$1/tap" ;;
	demo) become "$qemu/tests/demo.sh" "$out/$1/log" >"$out/$1/tap" ;;
	modules) become "$qemu/tests/modules.sh" "$out/$1/guest" >"$out/$1/tap" ;;
	kinds) become "$top/tools/tests/kinds" "$out/$1/recordings" >"$out/$1/tap" ;;
	packages) become "$qemu/packages.sh" >"$out/$1/tap" ;;
	portability) become "$qemu/portability.sh" >"$out/$1/tap" ;;
	sign) become "$qemu/tests/sign.sh" "$out/$1" ;;
	consumers) become "$qemu/consumers.sh" record gdb oops >"$out/$1/tap" ;;
	debuggers) become "$qemu/consumers.sh" stap vmcore readers >"$out/$1/tap" ;;
	big-endian) become "$qemu/tests/big-endian.sh" "$out/$1" >"$out/$1/tap" ;;
	kselftest) become "$qemu/tests/kselftest.sh" "$out/$1" >"$out/$1/tap" ;;
	watchers) become "$qemu/tests/watchers.sh" "$out/$1" >"$out/$1/tap" ;;
	judge) become "$qemu/tests/judge.sh" >"$out/$1/tap" ;;
	outcomes) become "$qemu/tests/guest.sh" >"$out/$1/tap" ;;
	x86_64-* | ppc64le-* | ppc64-*) guest "$1" ;;
	*) bad_usage "no such part: $1" ;;
	esac
}

# slots NAME: how many of the jobs it counts for. Two guests of two processors on two of the
# host's, all of them busy, take longer than one after the other.
slots() {
	local "${described[@]}"

	options=()
	! is_guest "$1" || describe "$1"
	[[ ${options[*]} == *--smp=2* ]] && echo 2 || echo 1
}

# run_all NAME…: no more than so many side by side
run_all() {
	local name taken=0
	local -A started=() running=() takes=()

	for name; do
		rm -rf "${out:?}/$name"
		mkdir "$out/$name"
		takes[$name]=$(slots "$name")
		while [ ${#running[@]} -gt 0 ] && [ $((taken + takes[$name])) -gt "$jobs" ]; do
			reap
		done
		run "$name" &
		running[$!]=$name started[$!]=$SECONDS taken=$((taken + takes[$name]))
	done
	while [ ${#running[@]} -gt 0 ]; do
		reap
	done
}

# reap: one of those that are running
reap() {
	local pid status=0

	wait -n -p pid "${!running[@]}" || status=$?
	echo $status >"$out/${running[$pid]}/status"
	echo $((SECONDS - started[$pid])) >"$out/${running[$pid]}/seconds"
	taken=$((taken - takes[${running[$pid]}]))
	unset "running[$pid]"
}

jobs=$(nproc) names=("${parts[@]}" "${few[@]}")
if [ "${1-}" = -j ]; then
	jobs=$2
	shift 2
fi
if [ "${1-}" = --all ]; then
	names=("${cells[@]}" "${all_parts[@]}" "${parts[@]}")
	shift
fi
mkdir -p "$out"
[ $# -gt 0 ] || set -- "${names[@]}"
guests=()
for name; do
	if is_guest "$name"; then
		guests+=("$name")
	elif [[ " ${parts[*]} ${all_parts[*]} " != *" $name "* ]]; then
		bad_usage "no such part: $name"
	fi
done
make -s -C "$top/tools" O="$build" check-prepare >&2
prepare "${guests[@]}"
run_all "$@"

judged=$(judge "$@") || true
sed '$d' <<<"$judged"
matrix "${parts[@]}" "${all_parts[@]}" "${cells[@]}" >"$build/matrix.md"
matrix "$@" | tee "$out/matrix"
tail -n 1 <<<"$judged"
# The worst of the verdicts
! grep -q '| FAIL |' "$out/matrix" || exit 1
! grep -q '| never finished |' "$out/matrix" || exit 2
