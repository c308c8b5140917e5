#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Boots a kernel in QEMU with a payload laid over a busybox system, runs the
# payload's /test/run as root (see guest/init) and gives the verdict. There are
# three outcomes, since a guest that never came to its end has proved nothing.
#
# Usage: qemu/guest.sh OPTION…
#   --arch=ARCH         x86_64, ppc64le or ppc64
#   --kernel=DIR        what get-kernel.sh made
#   --payload=DIR       laid over the root; has test/run, which prints KTAP
#   --out=DIR           for tap, console, and as files/ what the guest left in /out;
#                       its last part names the guest
#   --image=FILE        boot this; default: the image in the kernel's directory
#   --append=STRING     more for the kernel's command line
#   --offset=HEX        ppc64le, ppc64: leave the kernel at this address
#   --slof              ppc64le: boot by way of the SLOF firmware, not faster
#   --efi               x86_64: boot by way of EFI, not BIOS
#   --dtb=FILE          x86_64: a device tree, which comes as setup_data
#   --xen=FILE          x86_64: this hypervisor, with the kernel as its domain 0
#   --qemu=ARGUMENT     for QEMU, as it is; may come several times
#   --cpu=MODEL --mem=MB --smp=N
#                       default: the most that QEMU has or its own choice, 1024, 1
#   --timeout=SECONDS   default: 300
#   --expect-skip=GLOB  tests that may be skipped, see judge.sh
#
# Exit status: 0 pass, 1 fail, 2 never finished (timeout, panic, cut short).
# KRELOC_ACCEL=tcg or kvm overrides the choice between them.
set -eu
. "${0%/*}/lib.sh"

arch='' kernel='' payload='' out='' append='' offset='' xen='' slof=''
image='' cpu='' mem=1024 smp=1 timeout=300 skips=() extra=()

parse_options() {
	local option

	for option; do
		case $option in
		--arch=x86_64 | --arch=ppc64le | --arch=ppc64 | --kernel=* | --payload=* | \
			--out=* | --append=* | --offset=0x* | --xen=* | --image=* | --cpu=* | \
			--mem=* | --smp=* | --timeout=*)
			option=${option#--}
			printf -v "${option%%=*}" %s "${option#*=}"
			;;
		--slof) slof=1 ;;
		--efi) extra+=(-bios /usr/share/ovmf/OVMF.fd) ;;
		--dtb=*) extra+=(-dtb "${option#*=}") ;;
		--qemu=*) extra+=("${option#*=}") ;;
		--expect-skip=*) skips+=("$option") ;;
		*) bad_usage "what is $option?" ;;
		esac
	done
	for option in arch kernel payload out; do
		[ "${!option}" ] || bad_usage "--$option is needed"
	done
	[ -z "$offset" ] || [[ $arch = ppc64* ]] || bad_usage "--offset is for powerpc"
	[ -z "$xen" ] || [ "$arch" = x86_64 ] || bad_usage "--xen is for x86_64"
	image=${image:-$kernel/image}
	[ -x "$payload/test/run" ] || die "no executable test/run in $payload"
}

# pack DIR: as the part of an initramfs; all of it is root's
pack() {
	(cd "$1" && find . -mindepth 1 | cpio --quiet -o -H newc -R 0:0)
}

# make_initramfs FILE: busybox and init, then the payload. The kernel takes
# archives one after the other; it also takes them uncompressed, which under
# TCG is far quicker than having the guest uncompress them.
make_initramfs() {
	local root=$out/root

	rm -rf "$root"
	mkdir -p "$root/bin" "$root/etc" "$root/lib/drivers"
	cp "$qemu/guest/init" "$root/"
	cp "$kernel/busybox" "$qemu/guest/subtest" "$root/bin/"
	cp "$kernel"/modules/virtio*.ko "$root/lib/drivers/"
	{
		pack "$root"
		pack "$payload"
	} >"$1"
	rm -rf "$root"
}

# stay_put ELF FILE: a copy whose __run_at_load is set, so that the kernel stays
# where it was loaded. The word is 0x5c bytes into the image and "run0" at first, in
# the kernel's byte order.
stay_put() {
	local load word one

	load=$(readelf -lW "$1" | awk '$1 == "LOAD" { print $2; exit }')
	word=$((load + 0x5c))
	case $(dd if="$1" bs=1 skip=$word count=4 status=none | tr -d '\0') in
	0nur) one='\1\0\0\0' ;;
	run0) one='\0\0\0\1' ;;
	*) die "no __run_at_load in $1" ;;
	esac
	cp "$1" "$2"
	printf %b "$one" | dd of="$2" bs=1 seek=$word conv=notrunc status=none
}

# qemu_command ACCEL: sets command, console, tap and quirks, for the kernel's command line
qemu_command() {
	local machine

	quirks=
	case $arch in
	x86_64)
		command=(qemu-system-x86_64 -M pc -cpu "${cpu:-max,-cx16}")
		console=ttyS0 tap=/dev/ttyS1
		# on a busy machine the timer may seem dead to a kernel that waits for it
		quirks=no_timer_check
		[ -z "$xen" ] || console=hvc0
		;;
	ppc64*)
		machine=pseries
		# Without the SLOF firmware, where this QEMU can, it boots faster
		[ "$slof" ] || ! echo quit | qemu-system-ppc64 -M pseries,x-vof=on -nodefaults -display none \
			-S -monitor stdio >/dev/null 2>&1 || machine+=,x-vof=on
		if [ "$offset" ]; then
			image=$out/vmlinux
			stay_put "$kernel/image" "$image"
			machine+=,kernel-addr=$offset
		fi
		command=(qemu-system-ppc64 -M "$machine" ${cpu:+-cpu "$cpu"})
		console=hvc0 tap=/dev/hvc1
		;;
	esac
	command+=(-accel "$1" -m "$mem" -smp "$smp" -nodefaults -no-user-config -display none
		-no-reboot -action panic=exit-failure
		-serial "file:$out/console" -serial "file:$out/tap"
		-drive "file=$out/disk,format=raw,if=none,id=disk,cache=unsafe,werror=report"
		-device 'virtio-blk-pci,drive=disk' "${extra[@]}")
}

# add_kernel PARAMETER…: to command; for Xen the kernel and its initramfs are modules,
# and the first serial port is where both write. QEMU before 9.1 cannot return from
# interrupts in ring 3, where Xen has the kernel, with SMAP on.
add_kernel() {
	local modules

	if [ "$xen" ]; then
		modules="${image//,/,,} ${*//,/,,},${out//,/,,}/initramfs"
		command+=(-kernel "$xen" -initrd "$modules" -append "com1=115200,8n1 console=com1 smap=0")
	else
		command+=(-kernel "$image" -initrd "$out/initramfs" -append "$*")
	fi
}

# boot SECONDS ACCEL [PARAMETER…]: nothing outlives this script, even if killed
boot() {
	local limit=$1 bound=(setpriv --pdeathsig KILL) command console tap quirks

	qemu_command "$2"
	add_kernel "console=$console" quiet panic=-1 log_buf_len=4M "tap=$tap" "name=${out##*/}" \
		$quirks "$append" "${@:3}"
	rm -rf "$out"/{console,tap,disk,files,complete}
	truncate -s 1G "$out/disk"
	"${bound[@]}" timeout --foreground -k 5 "$limit" "${bound[@]}" "${command[@]}" \
		</dev/null >"$out/qemu" 2>&1
}

# choose_accel: KVM only where a guest came up with it since the host booted. It
# can be there, create machines and still hang all of them.
choose_accel() {
	local known=$cache/accel-$arch this_boot

	if [ "${KRELOC_ACCEL-}" ]; then
		echo "$KRELOC_ACCEL"
	elif [ "$arch" != "$(uname -m)" ] || [ ! -w /dev/kvm ]; then
		echo tcg
	else
		this_boot=$(cat /proc/sys/kernel/random/boot_id)
		if [ "$(sed -n 1p "$known" 2>/dev/null)" != "$this_boot" ]; then
			say "trying whether KVM works here"
			boot 10 kvm probe=1 || true
			{
				echo "$this_boot"
				grep -qx up "$out/tap" && echo kvm || echo tcg
			} >"$known.$$"
			mv "$known.$$" "$known"
		fi
		sed -n 2p "$known"
	fi
}

# unpack_files: what the guest carried out; fails if the end of it is missing
unpack_files() {
	tar -x -f "$out/disk" -C "$out" --no-same-owner --transform 's,^out,files,' 2>/dev/null &&
		rm "$out/complete" 2>/dev/null
}

# finished: did the guest come to its last line, and its files here in one piece?
finished() {
	tail -n 1 "$out/tap" 2>/dev/null | grep -qx '# exit [0-9]*' && unpack_files
}

outcome() {
	echo "$arch $(cat "$kernel/release")${append:+ ($append)}${offset:+ at $offset}: $*"
}

# never_finished STATUS: say why
never_finished() {
	local why="stopped before its end"

	if [ "$1" -eq 124 ] || [ "$1" -eq 137 ]; then
		why="timed out after $timeout s"
	elif grep -aq 'Kernel panic' "$out/console"; then
		# a crash kernel comes after a panic
		why=$(grep -ao 'Kernel panic.*' "$out/console" | tail -n 1 | tr -d '\r')
	elif [ "$1" -ne 0 ]; then
		why="QEMU: $(tail -n 1 "$out/qemu")"
	elif grep -q '^# exit' "$out/tap"; then
		why="what it left in /out did not arrive whole"
	fi
	outcome "NEVER FINISHED, $why; see $out/console"
	exit 2
}

parse_options "$@"
mkdir -p "$out"
make_initramfs "$out/initramfs"
status=0
boot "$timeout" "$(choose_accel)" || status=$?
finished || never_finished $status
rm -f "$out"/{disk,initramfs,vmlinux}
if "$qemu/judge.sh" "${skips[@]}" "$out/tap" >"$out/verdict"; then
	outcome "pass"
else
	outcome "FAIL; see $out/tap and $out/console"
	exit 1
fi
