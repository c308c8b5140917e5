#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make check: the unit tests, the harness's own tests, and the selftests in four
# guests. make check-all: and in guests of every kernel that is supported, of EFI,
# and of kernels with kreloc in their tree. Everything leaves TAP in build/check/;
# the judge reads all of it and has the last word. What the module said in each
# guest is in build/matrix.md.
#
# Usage: qemu/check.sh [-j JOBS] [--all] [NAME…]
#   -j JOBS  how many to run side by side; default: one for each processor
#   --all    what make check-all runs
#   NAME     run these alone. A guest is ARCH-VARIANT, with Debian 12's kernel, or
#            ARCH-SERIES-VARIANT, with one of qemu/kernels or, as the series
#            "tree", one that build-kernel.sh makes.
set -eu
. "${0%/*}/lib.sh"
. "${0%/*}/payload.sh"

out=$build/check
names=(
	tools fuzz decoders judge outcomes demo consumers modules size
	x86_64-kaslr x86_64-nokaslr ppc64le-0 ppc64le-32M
)
all=(
	debuggers kinds packages sign
	x86_64-efi x86_64-dtb
	x86_64-5.10-kaslr x86_64-5.10-nokaslr
	x86_64-6.12-kaslr x86_64-6.12-nokaslr x86_64-6.12-efi
	x86_64-7.2-kaslr x86_64-7.2-nokaslr x86_64-7.2-efi
	ppc64le-6.12-0 ppc64le-6.12-32M
	ppc64le-7.2-0 ppc64le-7.2-32M
	x86_64-tree-m x86_64-tree-y ppc64le-tree-m ppc64le-tree-y
	x86_64-tree-nokprobes x86_64-tree-nokallsyms x86_64-tree-noinfo x86_64-tree-blind
	x86_64-xen-pv
)
# Nobody can say beforehand where KASLR will put a kernel; and where kreloc is built
# in there is nothing to load, where it is not there is nothing built in.
skips=(
	--expect-skip='x86_64*-kaslr/values.sh/offset is as expected'
	--expect-skip='x86_64*-efi/values.sh/offset is as expected'
	--expect-skip='x86_64*-dtb/values.sh/offset is as expected'
	--expect-skip='*-tree-*/values.sh/offset is as expected'
	--expect-skip='*kaslr/built_in.sh'
	--expect-skip='*-efi/built_in.sh'
	--expect-skip='*-dtb/built_in.sh'
	--expect-skip='ppc64le*-0/built_in.sh'
	--expect-skip='ppc64le*-32M/built_in.sh'
	--expect-skip='*-tree-m/built_in.sh'
	--expect-skip='*-tree-no*/built_in.sh'
	--expect-skip='*-tree-nokallsyms/values.sh/text is what kallsyms says'
	--expect-skip='*-pv/built_in.sh'
	--expect-skip='*-pv/boot_params.sh/e820_table is what the kernel says'
	--expect-skip='*-tree-no*/*a note that lies: *'
	--expect-skip='*-pv/*a note that lies: *'
	--expect-skip='*-nokaslr/unprivileged.sh'
	--expect-skip='ppc64le*-0/unprivileged.sh'
	--expect-skip='*-tree-*/unprivileged.sh'
	--expect-skip='*-pv/unprivileged.sh'
	--expect-skip='*-tree-y/load.sh'
	--expect-skip='*-tree-y/access.sh'
	--expect-skip='*-tree-y/debugfs.sh'
	--expect-skip='*-tree-y/export.sh'
	--expect-skip='*-tree-y/witnesses.sh'
	--expect-skip='*-tree-y/dmesg.sh'
	--expect-skip='*-tree-y/lockdown.sh'
)

# parse NAME: sets arch, series and variant
parse() {
	IFS=- read -r arch series variant <<<"$1"
	[ "$variant" ] || variant=$series series=6.1
	kernel=$cache/kernels/$arch-$series
	[ "$series" != tree ] || kernel=$build/in-tree/$arch-$variant
}

# prepare NAME…: kernels, and what is built for them, one after the other
prepare() {
	local name arch series variant kernel

	for name; do
		parse "$name"
		if [ "$series" = tree ]; then
			"$qemu/build-kernel.sh" "$arch" "$variant" >/dev/null
		else
			"$qemu/get-kernel.sh" "$arch" "$series" >/dev/null
			build_module "$arch" "$kernel"
		fi
		make -s -C "$top/selftests" -I "$qemu/tests" CC="$(cross "$arch")gcc" \
			OUTPUT="$out/selftests-$arch" >&2
	done
}

# environment PAYLOAD ARCH KERNEL OFFSET SOURCES: what the selftests are told of this boot
environment() {
	local module

	for module in kreloc note_liar export_user optional_user; do
		[ ! -e "$1/test/$module.ko" ] ||
			echo "${module^^}_KO=/test/$module.ko"
	done
	[ -z "$4" ] || printf 'KRELOC_EXPECT=0x%016x\n' "$4"
	[ -z "$5" ] || echo "KRELOC_SOURCES=$5"
	# Only the device tree's kernel-end needs it, and only there it is at hand
	[ "$2" = x86_64 ] || printf 'KRELOC_IMAGE_SIZE=%d\n' \
		$((0x$(address_of _end "$3/vmlinux") - 0x$(address_of _stext "$3/vmlinux")))
}

# address_of SYMBOL VMLINUX
address_of() {
	nm "$2" | awk -v name="$1" '$3 == name { print $1; exit }'
}

# add_kreloc PAYLOAD: the program, and its test before the others, since the last
# of them locks the kernel down
add_kreloc() {
	add_program "$1" "$build/kreloc"
	cp "$qemu/guest/program" "$1/test/selftests/"
	sed -i 's/^/program /' "$1/test/selftests/tests"
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
		[ "$variant" != pv ] || rm "$1/test/note_liar.ko"
	fi
	find "$from" -maxdepth 1 -name '*.ko' -exec cp {} "$1/test/" \;
}

# bare_tree: a device tree with a root and nothing in it, the header's words first
bare_tree() {
	printf '%08x' 0xd00dfeed 0x4c 0x38 0x48 0x28 17 16 0 4 0x10 0 0 0 0 1 0 2 9 0 |
		sed 's/../\\x&/g' | xargs -0 printf '%b'
}

# guest NAME
guest() {
	local payload=$out/$1/payload offset='' sources='' options=() arch series variant kernel

	parse "$1"
	case $variant in
	kaslr | m | y | blind) ;;
	nokprobes | nokallsyms) sources=vmcoreinfo ;;
	noinfo) sources=kallsyms ;;
	# there the note's address means nothing to the kernel; and it cannot tell a slow
	# machine from a lockup
	pv)
		offset=0 sources=kallsyms
		options=("--xen=$("$qemu/get-xen.sh")" --append=nosoftlockup)
		;;
	nokaslr) offset=0 options=(--append=nokaslr) ;;
	efi) options=(--efi) ;;
	dtb) bare_tree >"$out/$1/dtb" && options=("--dtb=$out/$1/dtb") ;;
	0) offset=0 ;;
	32M) offset=0x2000000 options=("--offset=$offset") ;;
	*) bad_usage "no such part: $1" ;;
	esac
	rm -rf "$payload"
	if [ "$variant" = blind ]; then
		install -D "$qemu/guest/blind" "$payload/test/run"
	else
		install -D "$qemu/guest/selftests" "$payload/test/run"
	fi
	add_modules "$payload"
	cp -r "$out/selftests-$arch" "$payload/test/selftests"
	# the EFI stub and Xen leave out what tells the program where the kernel was linked
	[ "$arch" != "$(uname -m)" ] || [ "$series" = tree ] || [[ $variant = @(efi|pv) ]] ||
		add_kreloc "$payload"
	environment "$payload" "$arch" "$kernel" "$offset" "$sources" >"$payload/test/environment"
	become "$qemu/guest.sh" --arch="$arch" --kernel="$kernel" --payload="$payload" \
		--out="$out/$1" --timeout=600 "${skips[@]}" "${options[@]}"
}

is_guest() {
	[[ $1 == @(x86_64|ppc64le)-* ]]
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

# matrix: a table of what each guest's kreloc said, in Markdown
matrix() {
	local name key value file
	local -A said

	echo "| guest | release | offset | phys_text | text_size | sources | files | data | coresize |"
	echo "|---|---|---|---|---|---|---|---|---|"
	for name in "${guests[@]}"; do
		file=$out/$name/files/values said=()
		[ -e "$file" ] || continue
		while read -r key value; do
			said[$key]=$value
		done <"$file"
		parse "$name"
		echo -n "| $name | $(cat "$kernel/release") |"
		for key in offset phys_text text_size sources files data coresize; do
			echo -n " ${said[$key]-} |"
		done
		echo
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
	sign) become "$qemu/tests/sign.sh" "$out/$1" ;;
	consumers) become "$qemu/consumers.sh" record gdb oops >"$out/$1/tap" ;;
	debuggers) become "$qemu/consumers.sh" stap vmcore readers >"$out/$1/tap" ;;
	judge) become "$qemu/tests/judge.sh" >"$out/$1/tap" ;;
	outcomes) become "$qemu/tests/guest.sh" >"$out/$1/tap" ;;
	x86_64-* | ppc64le-*) guest "$1" ;;
	*) bad_usage "no such part: $1" ;;
	esac
}

# run_all NAME…: no more than so many side by side
run_all() {
	local name

	for name; do
		rm -rf "${out:?}/$name"
		mkdir "$out/$name"
		[ "$(jobs -rp | wc -l)" -lt "$jobs" ] || wait -n || true
		run "$name" &
	done
	wait
}

jobs=$(nproc)
if [ "${1-}" = -j ]; then
	jobs=$2
	shift 2
fi
if [ "${1-}" = --all ]; then
	names+=("${all[@]}")
	shift
fi
mkdir -p "$out"
[ $# -gt 0 ] || set -- "${names[@]}"
make -s -C "$top/tools" O="$build" check-prepare >&2
guests=()
for name; do
	! is_guest "$name" || guests+=("$name")
done
prepare "${guests[@]}"
run_all "$@"

matrix >"$build/matrix.md"

cd "$out"
exec "$qemu/judge.sh" "${skips[@]}" "${@/%//tap}"
