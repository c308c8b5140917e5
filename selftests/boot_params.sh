#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# What the kernel was handed at boot, decoded a second time: on x86_64 from the bytes of
# /sys/kernel/boot_params/data, by offsets of its own, on powerpc from those of /sys/firmware/fdt
# and from /proc/device-tree.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

BOOT=$SYS/boot_params
CHOSEN=/proc/device-tree/chosen

# hex OFFSET SIZE: bytes of the kernel's own copy, as digits without blanks
hex() {
	od -An -v -tx1 -j$(($1)) -N"$2" "$data" | tr -d ' \n'
}

# le OFFSET SIZE: the little-endian number there, as 2 * SIZE digits
le() {
	hex "$1" "$2" | sed 's/../& /g' | awk '{ for (i = NF; i; i--) printf "%s", $i }'
}

# word FILE: the number that the file begins with
word() {
	cut -d' ' -f1 "$BOOT/$1"
}

same_bytes() {
	cmp "$BOOT/data" "$data" || return
	is "$(stat -c %s $BOOT/data)" "$(stat -c %s "$data")"
}

# A file must read the same in one go, byte by byte, and in steps that fit nothing
in_pieces() {
	for file in "$@"; do
		cat "$BOOT/$file" > "$work/whole"
		for step in 1 7; do
			dd if="$BOOT/$file" bs=$step 2> /dev/null | cmp - "$work/whole" || return
		done
		size=$(stat -c %s "$work/whole")
		is "$(dd if="$BOOT/$file" bs=1 skip="$size" 2> /dev/null | wc -c)" 0 || return
	done
}

#
# x86_64
#

# type_of_loader that a paravirtualized kernel gives itself (arch/x86/xen/enlighten_pv.c)
XEN_PV=0x90
# and one that was entered by its PVH note, without Xen (arch/x86/platform/pvh/enlighten.c). It is
# QEMU's number too, but QEMU hands over the setup header.
PVH=0xb0

by_pvh() {
	[ "$(word type_of_loader)" = $PVH ] && [ "$(word header)" = 0x00000000 ]
}

# numbers <TABLE: name, offset, size, "x" or "d", offset of the upper half
numbers() {
	while read -r file at size how high; do
		want=$(le "$at" "$size")
		[ -z "$high" ] || want=$(le "$high" 4)$want
		if [ "$how" = d ]; then
			want=$((0x$want))
		else
			want=0x$want
		fi
		is "$(word "$file")" "$want" || say "$file" || return
	done
}

# The setup header, from offset 0x1f1 on (boot.rst)
header() {
	numbers <<-END
		setup_sects 0x1f1 1 d
		root_flags 0x1f2 2 x
		syssize 0x1f4 4 x
		vid_mode 0x1fa 2 x
		root_dev 0x1fc 2 x
		boot_flag 0x1fe 2 x
		header 0x202 4 x
		version 0x206 2 x
		kernel_version 0x20e 2 x
		type_of_loader 0x210 1 x
		loadflags 0x211 1 x
		code32_start 0x214 4 x
		ramdisk_image 0x218 4 x 0x0c0
		ramdisk_size 0x21c 4 x 0x0c4
		heap_end_ptr 0x224 2 x
		ext_loader_ver 0x226 1 x
		ext_loader_type 0x227 1 x
		cmd_line_ptr 0x228 4 x 0x0c8
		initrd_addr_max 0x22c 4 x
		kernel_alignment 0x230 4 x
		relocatable_kernel 0x234 1 d
		min_alignment 0x235 1 d
		xloadflags 0x236 2 x
		cmdline_size 0x238 4 d
		hardware_subarch 0x23c 4 x
		hardware_subarch_data 0x240 8 x
		payload_offset 0x248 4 x
		payload_length 0x24c 4 x
		setup_data 0x250 8 x
		pref_address 0x258 8 x
		init_size 0x260 4 x
		handover_offset 0x264 4 x
		kernel_info_offset 0x268 4 x
	END
}

# The rest of the page (zero-page.rst)
page() {
	numbers <<-END
		orig_video_mode 0x006 1 x
		orig_video_cols 0x007 1 d
		orig_video_lines 0x00e 1 d
		orig_video_isVGA 0x00f 1 x
		lfb_width 0x012 2 d
		lfb_height 0x014 2 d
		lfb_depth 0x016 2 d
		lfb_base 0x018 4 x 0x03a
		lfb_size 0x01c 4 x
		lfb_linelength 0x024 2 d
		tboot_addr 0x058 8 x
		acpi_rsdp_addr 0x070 8 x
		cc_blob_address 0x13c 4 x
		efi_loader_signature 0x1c0 4 x
		efi_systab 0x1c4 4 x 0x1d8
		efi_memdesc_size 0x1c8 4 d
		efi_memdesc_version 0x1cc 4 d
		efi_memmap 0x1d0 4 x 0x1dc
		efi_memmap_size 0x1d4 4 d
		alt_mem_k 0x1e0 4 d
		e820_entries 0x1e8 1 d
		eddbuf_entries 0x1e9 1 d
		edd_mbr_sig_buf_entries 0x1ea 1 d
		secure_boot 0x1ec 1 x
		sentinel 0x1ef 1 x
	END
}

none_forgotten() {
	fields=$(sed -n 's/^\t\t\([a-zA-Z0-9_]*\) 0x[0-9a-f]* [1248] [xd].*/\1/p' "$0" | sort)
	lists="e820_table edd_mbr_sig_buffer eddbuf setup_data_list data"
	# shellcheck disable=SC2012 # plain names
	is "$(ls $BOOT | sort)" "$(printf '%s\n' $fields $lists | sort)"
}

# bits FILE NAME…: the names, from bit 0 on, of those that are set; "-" has none
bits() {
	file=$1
	shift
	value=$(word "$file")
	want=$value
	bit=1
	for name; do
		[ $((value & bit)) -eq 0 ] || [ "$name" = - ] || want="$want $name"
		bit=$((bit * 2))
	done
	is "$(cat $BOOT/$file)" "$want"
}

flags() {
	bits loadflags LOADED_HIGH KASLR_FLAG - - - QUIET_FLAG KEEP_SEGMENTS CAN_USE_HEAP || return
	bits xloadflags XLF_KERNEL_64 XLF_CAN_BE_LOADED_ABOVE_4G XLF_EFI_HANDOVER_32 \
		XLF_EFI_HANDOVER_64 XLF_EFI_KEXEC XLF_5LEVEL XLF_5LEVEL_ENABLED XLF_MEM_ENCRYPTION
}

meanings() {
	# since 6.7 (7e50262229fa) the EFI stub leaves it empty, as Xen does for its domain 0, and PVH;
	# without EFI there is no signature
	case $(word type_of_loader) in
	0x21 | "$XEN_PV") ;;
	*) by_pvh || is "$(cat $BOOT/header)" "0x53726448 HdrS" || return ;;
	esac
	if [ -d /sys/firmware/efi ]; then
		is "$(cat $BOOT/efi_loader_signature)" "0x34364c45 EL64" || return
	else
		is "$(cat $BOOT/efi_loader_signature)" "0x00000000" || return
	fi
	version=$(le 0x206 2)
	is "$(cat $BOOT/version)" \
		"$(printf '0x%s %d.%02d' "$version" $((0x${version%??})) $((0x${version#??})))"
}

e820_bytes() {
	i=0
	while [ $i -lt $((0x$(le 0x1e8 1))) ]; do
		at=$((0x2d0 + 20 * i))
		start=$(le $at 8)
		printf '0x%s 0x%016x 0x%x\n' "$start" $((0x$start + 0x$(le $((at + 8)) 8) - 1)) \
			$((0x$(le $((at + 16)) 4)))
		i=$((i + 1))
	done > "$work/want"
	cut -d' ' -f1-3 $BOOT/e820_table | cmp - "$work/want"
}

# The kernel's own account of the same table, types by name
e820_memmap() {
	for area in /sys/firmware/memmap/*; do
		printf '0x%016x 0x%016x %s\n' "$(cat "$area/start")" "$(cat "$area/end")" \
			"$(cat "$area/type")"
	done | sort > "$work/want"
	cut -d' ' -f1,2,4- $BOOT/e820_table | sort > "$work/got"
	cmp "$work/got" "$work/want" || diff "$work/got" "$work/want"
}

# The kernel numbers the nodes of the chain and shows their types and contents
setup_data() {
	own=/sys/kernel/boot_params/setup_data
	{
		i=0
		while [ -d $own/$i ]; do
			echo "$(($(cat $own/$i/type))) $(stat -c %s $own/$i/data)"
			i=$((i + 1))
		done
	} > "$work/want"
	grep -v ' indirect$' $BOOT/setup_data_list |
		while read -r _ type _ size; do
			echo "$((type)) $size"
		done | cmp - "$work/want" || return
	is "$(head -n 1 $BOOT/setup_data_list | cut -d' ' -f1)" \
		"$(cat $BOOT/setup_data | grep -v '^0x0*$')"
}

ramdisk_is_there() {
	[ $(($(word ramdisk_size))) -gt 0 ] || say "no initrd?" || return
	[ $(($(word ramdisk_image))) -gt 0 ] || say "at 0?"
}

test_x86_64() {
	data=/sys/kernel/boot_params/data
	[ -r $data ] || skip_all "no $data"
	plan 11
	t "data is what the kernel shows" same_bytes
	t "setup header: every number is where it should be" header
	t "page: every number is where it should be" page
	t "no file was forgotten here" none_forgotten
	t "flags by name" flags
	t "header, EFI and version in words" meanings
	t "e820_table is what the bytes say" e820_bytes
	if [ "$(word type_of_loader)" = $XEN_PV ]; then
		skip "e820_table is what the kernel says" "it asked Xen for the map"
	elif by_pvh; then
		skip "e820_table is what the kernel says" "it has put overlapping entries in order"
	elif [ -d /sys/firmware/memmap ]; then
		t "e820_table is what the kernel says" e820_memmap
	else
		skip "e820_table is what the kernel says" "no /sys/firmware/memmap"
	fi
	t "setup_data_list is what the kernel says" setup_data
	t "the initrd that this runs from" ramdisk_is_there
	t "files read the same in pieces" in_pieces e820_table loadflags version data
}

#
# powerpc
#

fdt_header() {
	while read -r file at how; do
		want=0x$(hex "$at" 4)
		[ "$how" = x ] || want=$((want))
		is "$(cat "$BOOT/$file")" "$want" || say "$file" || return
	done <<-END
		magic 0 x
		totalsize 4 x
		off_dt_struct 8 x
		off_dt_strings 12 x
		off_mem_rsvmap 16 x
		version 20 d
		last_comp_version 24 d
		boot_cpuid_phys 28 x
		size_dt_strings 32 x
	END
	is "$(cat $BOOT/magic)" 0xd00dfeed || return
	if [ "$(cat $BOOT/version)" -ge 17 ]; then
		is "$(cat $BOOT/size_dt_struct)" "0x$(hex 36 4)"
	else
		! [ -e $BOOT/size_dt_struct ] || say "size_dt_struct in version 16"
	fi
}

reservations() {
	at=$((0x$(hex 16 4)))
	while [ "$(hex $at 16)" != 00000000000000000000000000000000 ]; do
		echo "0x$(hex $at 8) 0x$(hex $((at + 8)) 8)"
		at=$((at + 16))
	done > "$work/want"
	[ -s "$work/want" ] || say "none?" || return
	cmp $BOOT/mem_rsvmap "$work/want"
}

# Every property that is a file here, and no other
chosen() {
	for file in bootargs stdout-path linux,stdout-path linux,initrd-start linux,initrd-end \
		linux,kernel-end linux,crashkernel-base linux,crashkernel-size linux,memory-limit; do
		if ! [ -e "$CHOSEN/$file" ]; then
			! [ -e "$BOOT/$file" ] || say "$file: made up" || return
			continue
		fi
		case $file in
		bootargs | *stdout-path) want=$(tr -d '\0' < "$CHOSEN/$file") ;;
		*)
			data=$CHOSEN/$file
			want=0x$(printf %16s "$(hex 0 8)" | tr ' ' 0)
			;;
		esac
		is "$(cat "$BOOT/$file")" "$want" || say "$file" || return
	done
}

# It stays where it was loaded, or it was copied to 0
run_at_load() {
	case $(value offset) in
	0x0000000000000000) is "$(cat $BOOT/run_at_load)" 0x72756e30 ;;
	*) is "$(cat $BOOT/run_at_load)" 0x00000001 ;;
	esac
}

is_kdump() {
	if [ -e /proc/vmcore ]; then
		is "$(cat $BOOT/is_kdump_kernel)" 1
	else
		is "$(cat $BOOT/is_kdump_kernel)" 0
	fi
}

test_powerpc() {
	data=/sys/firmware/fdt
	[ -r $data ] || skip_all "no $data"
	plan 7
	t "data is what the kernel shows" same_bytes
	t "header" fdt_header
	t "memory reservations" reservations
	t "/chosen" chosen
	t "__run_at_load goes with the offset" run_at_load
	t "is_kdump_kernel goes with /proc/vmcore" is_kdump
	t "files read the same in pieces" in_pieces mem_rsvmap magic bootargs
}

need_kreloc
work=$(mktemp -d)
case $(uname -m) in
x86_64) test_x86_64 ;;
ppc64*) test_powerpc ;;
*) skip_all "no such architecture" ;;
esac
rm -r "$work"
finish
