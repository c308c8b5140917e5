// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's struct boot_params, the "zero page", which the boot loader fills and the kernel keeps
 * (Documentation/arch/x86/boot.rst, zero-page.rst). A table of its fields under the kernel's own
 * names; only the chain behind setup_data has none there, and is setup_data_list here.
 *
 * Everything in it is the word of whoever started this kernel. Entries are counted no further
 * than their table reaches, and the chain of setup_data, which leaves the page for physical
 * memory, is followed for a bounded number of steps and never through the same node twice.
 */
#include <linux/errno.h>
#include <asm/bootparam.h>

#include "decode.h"

/* The chain and the e820 table are cut here. No machine comes near either. */
#define MAX_NODES	64
#define MAX_E820	4096

/* Two types of setup_data mean something to us; SETUP_INDIRECT is a negative number in C. */
#define TYPE_E820_EXT	1
#define TYPE_INDIRECT	0x80000000

/* struct boot_params has a name for it since 8c9c509baf66 (5.19). */
#define CC_BLOB_AT	0x13c
/* It has one for this, which would not pass checkpatch. */
#define VIDEO_TYPE_AT	0x00f

static unsigned long long number_at(const struct kreloc_boot *boot, size_t at, size_t size)
{
	return kreloc_get_le((const char *)boot->data + at, size);
}

static unsigned long long number(const struct kreloc_field *field, const struct kreloc_boot *boot)
{
	return number_at(boot, field->at, field->size);
}

static void print_tag(struct kreloc_text *text, const struct kreloc_boot *boot, size_t at,
		      size_t size)
{
	kreloc_print_plain(text, (const char *)boot->data + at, size);
}

static int print_number(const struct kreloc_field *field, unsigned long long value,
			const char *meaning, struct kreloc_text *text)
{
	kreloc_print(text, "0x%0*llx%s%s\n", 2 * field->size, value, meaning ? " " : "",
		     meaning ? meaning : "");
	return 0;
}

static int hex_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		    struct kreloc_text *text)
{
	unsigned long long value = number(field, boot);

	return print_number(field, value, kreloc_name(field->names, value), text);
}

static int count_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		      struct kreloc_text *text)
{
	kreloc_print(text, "%llu\n", number(field, boot));
	return 0;
}

/* An address or size that got its upper half when 32 bits were no longer enough */
static int wide_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		     struct kreloc_text *text)
{
	kreloc_print(text, "0x%016llx\n",
		     number_at(boot, field->high, 4) << 32 | number(field, boot));
	return 0;
}

static int flags_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		      struct kreloc_text *text)
{
	const struct kreloc_name *flag;
	unsigned long long value = number(field, boot);

	kreloc_print(text, "0x%0*llx", 2 * field->size, value);
	for (flag = field->names; flag->name; flag++)
		if (value & flag->value)
			kreloc_print(text, " %s", flag->name);
	kreloc_print(text, "\n");
	return 0;
}

/* A number that spells something: "HdrS", "EL64" */
static int tag_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		    struct kreloc_text *text)
{
	unsigned long long value = number(field, boot);

	kreloc_print(text, "0x%0*llx", 2 * field->size, value);
	if (value) {
		kreloc_print(text, " ");
		print_tag(text, boot, field->at, field->size);
	}
	kreloc_print(text, "\n");
	return 0;
}

static int bytes_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		      struct kreloc_text *text)
{
	const unsigned char *p = (const unsigned char *)boot->data + field->at;
	size_t i;

	for (i = 0; i < field->size; i++)
		kreloc_print(text, "%02x", p[i]);
	kreloc_print(text, "\n");
	return 0;
}

static int version_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
			struct kreloc_text *text)
{
	unsigned int version = number(field, boot);

	kreloc_print(text, "0x%04x %u.%02u\n", version, version >> 8, version & 0xff);
	return 0;
}

static const struct kreloc_name loaders[] = {
	{ 0x0, "LILO" },
	{ 0x1, "Loadlin" },
	{ 0x2, "bootsect-loader" },
	{ 0x3, "Syslinux" },
	{ 0x4, "Etherboot/gPXE/iPXE" },
	{ 0x5, "ELILO" },
	{ 0x7, "GRUB" },
	{ 0x8, "U-Boot" },
	{ 0x9, "Xen" },
	{ 0xa, "Gujin" },
	{ 0xb, "Qemu" },
	{ 0xc, "Arcturus Networks uCbootloader" },
	{ 0xd, "kexec-tools" },
	{ 0x11, "Minimal Linux Bootloader" },
	{ 0x12, "OVMF UEFI virtualization stack" },
	{ 0x13, "barebox" },
	{ }
};

/*
 * The loader in the upper half, its version in the lower. 0xe there sends one to ext_loader_type,
 * 0xf is for special cases, and the kernel's EFI stub signs with 0x21.
 */
static int loader_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		       struct kreloc_text *text)
{
	unsigned int type = number(field, boot);
	unsigned int loader = type >> 4;

	if (loader == 0xe)
		loader = 0x10 + number_at(boot, field->high, 1);
	return print_number(field, type,
			    type == 0x21 ? "EFI stub" : kreloc_name(loaders, loader), text);
}

/* A walk along setup_data: where it is, what is there, and where it has been. */
struct setup_walk {
	unsigned long long next;
	unsigned long long addr;
	unsigned int type;
	unsigned int len;
	unsigned int nr_seen;
	unsigned long long seen[MAX_NODES];
};

static int read_phys(const struct kreloc_boot *boot, unsigned long long addr, void *buf,
		     size_t size)
{
	if (!boot->phys_read || addr + size < addr)
		return -EFAULT;
	return boot->phys_read(addr, buf, size);
}

static void walk_start(struct setup_walk *walk, const struct kreloc_boot *boot)
{
	walk->next = number_at(boot, offsetof(struct boot_params, hdr.setup_data), 8);
	walk->nr_seen = 0;
}

/*
 * One step. 1: there is a node; 0: the chain ended; negative: it is cut, since it comes back to
 * where it has been, has too many nodes, or leaves memory that can be read.
 */
static int walk_step(struct setup_walk *walk, const struct kreloc_boot *boot)
{
	unsigned char head[offsetof(struct setup_data, data)];
	unsigned int i;

	if (!walk->next)
		return 0;
	for (i = 0; i < walk->nr_seen; i++)
		if (walk->seen[i] == walk->next)
			return -ELOOP;
	if (walk->nr_seen == MAX_NODES)
		return -E2BIG;
	if (read_phys(boot, walk->next, head, sizeof(head)))
		return -EFAULT;

	walk->addr = walk->next;
	walk->seen[walk->nr_seen++] = walk->addr;
	walk->next = kreloc_get_le(head + offsetof(struct setup_data, next), 8);
	walk->type = kreloc_get_le(head + offsetof(struct setup_data, type), 4);
	walk->len = kreloc_get_le(head + offsetof(struct setup_data, len), 4);
	return 1;
}

static unsigned long long node_data(const struct setup_walk *walk)
{
	return walk->addr + offsetof(struct setup_data, data);
}

static void print_cut(struct kreloc_text *text, int err)
{
	if (err == -ELOOP)
		kreloc_print(text, "cut: loop\n");
	else if (err == -E2BIG)
		kreloc_print(text, "cut: too long\n");
	else if (err)
		kreloc_print(text, "cut: unreadable\n");
}

/* By number, as the headers of older kernels lack the newer ones */
static const struct kreloc_name setup_types[] = {
	{ 0, "SETUP_NONE" },
	{ TYPE_E820_EXT, "SETUP_E820_EXT" },
	{ 2, "SETUP_DTB" },
	{ 3, "SETUP_PCI" },
	{ 4, "SETUP_EFI" },
	{ 5, "SETUP_APPLE_PROPERTIES" },
	{ 6, "SETUP_JAILHOUSE" },
	{ 7, "SETUP_CC_BLOB" },
	{ 8, "SETUP_IMA" },
	{ 9, "SETUP_RNG_SEED" },
	{ 10, "SETUP_KEXEC_KHO" },
	{ TYPE_INDIRECT, "SETUP_INDIRECT" },
	{ }
};

static void print_node(struct kreloc_text *text, unsigned long long addr, unsigned int type,
		       unsigned long long len, const char *how)
{
	const char *name = kreloc_name(setup_types, type);

	kreloc_print(text, "0x%016llx 0x%x %s %llu%s\n", addr, type, name ? name : "unknown", len,
		     how);
}

/* What a node points to instead of holding it; never another such node. */
static void print_indirect(struct kreloc_text *text, const struct setup_walk *walk,
			   const struct kreloc_boot *boot)
{
	unsigned char to[sizeof(struct setup_indirect)];

	if (walk->len < sizeof(to) || read_phys(boot, node_data(walk), to, sizeof(to))) {
		print_cut(text, -EFAULT);
		return;
	}
	print_node(text, kreloc_get_le(to + offsetof(struct setup_indirect, addr), 8),
		   kreloc_get_le(to + offsetof(struct setup_indirect, type), 4) & ~TYPE_INDIRECT,
		   kreloc_get_le(to + offsetof(struct setup_indirect, len), 8), " indirect");
}

static int setup_data_list_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
				struct kreloc_text *text)
{
	struct setup_walk walk;
	int more;

	walk_start(&walk, boot);
	while ((more = walk_step(&walk, boot)) > 0) {
		print_node(text, walk.addr, walk.type, walk.len, "");
		if (walk.type == TYPE_INDIRECT)
			print_indirect(text, &walk, boot);
	}
	print_cut(text, more);
	return 0;
}

/* As /sys/firmware/memmap and /proc/iomem call them */
static const struct kreloc_name e820_types[] = {
	{ 1, "System RAM" },
	{ 2, "Reserved" },
	{ 3, "ACPI Tables" },
	{ 4, "ACPI Non-volatile Storage" },
	{ 5, "Unusable memory" },
	{ 7, "Persistent Memory" },
	{ 12, "Persistent Memory (legacy)" },
	{ 0xefffffff, "Soft Reserved" },
	{ }
};

static void print_e820(struct kreloc_text *text, const void *entry)
{
	const char *p = entry;
	unsigned long long addr = kreloc_get_le(p + offsetof(struct boot_e820_entry, addr), 8);
	unsigned long long size = kreloc_get_le(p + offsetof(struct boot_e820_entry, size), 8);
	unsigned int type = kreloc_get_le(p + offsetof(struct boot_e820_entry, type), 4);
	const char *name = kreloc_name(e820_types, type);

	kreloc_print(text, "0x%016llx 0x%016llx 0x%x %s\n", addr, addr + size - 1, type,
		     name ? name : "unknown");
}

/* More entries than the page has room for come in nodes of their own. */
static int print_e820_ext(struct kreloc_text *text, const struct setup_walk *walk,
			  const struct kreloc_boot *boot, unsigned int *count)
{
	unsigned char entry[sizeof(struct boot_e820_entry)];
	unsigned int i;

	for (i = 0; i < walk->len / sizeof(entry); i++) {
		if ((*count)++ >= MAX_E820)
			return -E2BIG;
		if (read_phys(boot, node_data(walk) + i * sizeof(entry), entry, sizeof(entry)))
			return -EFAULT;
		print_e820(text, entry);
	}
	return 0;
}

static int e820_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		     struct kreloc_text *text)
{
	const char *table = (const char *)boot->data + field->at;
	unsigned int claimed = number_at(boot, offsetof(struct boot_params, e820_entries), 1);
	struct setup_walk walk;
	unsigned int i;
	int more;

	for (i = 0; i < claimed && i < E820_MAX_ENTRIES_ZEROPAGE; i++)
		print_e820(text, table + i * sizeof(struct boot_e820_entry));
	if (claimed > E820_MAX_ENTRIES_ZEROPAGE)
		print_cut(text, -E2BIG);

	walk_start(&walk, boot);
	while ((more = walk_step(&walk, boot)) > 0) {
		if (walk.type != TYPE_E820_EXT)
			continue;
		more = print_e820_ext(text, &walk, boot, &i);
		if (more)
			break;
	}
	print_cut(text, more);
	return 0;
}

static int edd_mbr_sig_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
			    struct kreloc_text *text)
{
	size_t at = offsetof(struct boot_params, edd_mbr_sig_buf_entries);
	unsigned int claimed = number_at(boot, at, 1);
	unsigned int i;

	for (i = 0; i < claimed && i < EDD_MBR_SIG_MAX; i++)
		kreloc_print(text, "0x%08llx\n", number_at(boot, field->at + 4 * i, 4));
	if (claimed > EDD_MBR_SIG_MAX)
		print_cut(text, -E2BIG);
	return 0;
}

#define EDD_AT(_member)	offsetof(struct edd_info, _member)

/* What is told of a disk, beside its bus and interface */
static const struct {
	unsigned char at;
	unsigned char size;
} edd_numbers[] = {
	{ EDD_AT(device), 1 },
	{ EDD_AT(version), 1 },
	{ EDD_AT(interface_support), 2 },
	{ EDD_AT(params.number_of_sectors), 8 },
	{ EDD_AT(params.bytes_per_sector), 2 },
};

static int edd_show(const struct kreloc_field *field, const struct kreloc_boot *boot,
		    struct kreloc_text *text)
{
	unsigned int claimed = number_at(boot, offsetof(struct boot_params, eddbuf_entries), 1);
	size_t at = field->at;
	unsigned int i, j;

	for (i = 0; i < claimed && i < EDDMAXNR; i++, at += sizeof(struct edd_info)) {
		for (j = 0; j < sizeof(edd_numbers) / sizeof(*edd_numbers); j++)
			kreloc_print(text, "0x%0*llx ", 2 * edd_numbers[j].size,
				     number_at(boot, at + edd_numbers[j].at, edd_numbers[j].size));
		print_tag(text, boot, at + EDD_AT(params.host_bus_type), 4);
		kreloc_print(text, " ");
		print_tag(text, boot, at + EDD_AT(params.interface_type), 8);
		kreloc_print(text, "\n");
	}
	if (claimed > EDDMAXNR)
		print_cut(text, -E2BIG);
	return 0;
}

static const struct kreloc_name video_types[] = {
	{ 0x10, "VIDEO_TYPE_MDA" },
	{ 0x11, "VIDEO_TYPE_CGA" },
	{ 0x20, "VIDEO_TYPE_EGAM" },
	{ 0x21, "VIDEO_TYPE_EGAC" },
	{ 0x22, "VIDEO_TYPE_VGAC" },
	{ 0x23, "VIDEO_TYPE_VLFB" },
	{ 0x70, "VIDEO_TYPE_EFI" },
	{ }
};

/* enum efi_secureboot_mode */
static const struct kreloc_name secure_boot_modes[] = {
	{ 0, "unset" },
	{ 1, "unknown" },
	{ 2, "disabled" },
	{ 3, "enabled" },
	{ }
};

static const struct kreloc_name subarchs[] = {
	{ X86_SUBARCH_PC, "X86_SUBARCH_PC" },
	{ X86_SUBARCH_LGUEST, "X86_SUBARCH_LGUEST" },
	{ X86_SUBARCH_XEN, "X86_SUBARCH_XEN" },
	{ X86_SUBARCH_INTEL_MID, "X86_SUBARCH_INTEL_MID" },
	{ X86_SUBARCH_CE4100, "X86_SUBARCH_CE4100" },
	{ }
};

/*
 * KASLR_FLAG is a hint, no proof of an offset: kernels that the EFI stub moved came up without it
 * for years, and one that has it can have drawn the address that it was linked for.
 */
static const struct kreloc_name loadflags[] = {
	{ LOADED_HIGH, "LOADED_HIGH" },
	{ KASLR_FLAG, "KASLR_FLAG" },
	{ QUIET_FLAG, "QUIET_FLAG" },
	{ KEEP_SEGMENTS, "KEEP_SEGMENTS" },
	{ CAN_USE_HEAP, "CAN_USE_HEAP" },
	{ }
};

static const struct kreloc_name xloadflags[] = {
	{ 0x01, "XLF_KERNEL_64" },
	{ 0x02, "XLF_CAN_BE_LOADED_ABOVE_4G" },
	{ 0x04, "XLF_EFI_HANDOVER_32" },
	{ 0x08, "XLF_EFI_HANDOVER_64" },
	{ 0x10, "XLF_EFI_KEXEC" },
	{ 0x20, "XLF_5LEVEL" },
	{ 0x40, "XLF_5LEVEL_ENABLED" },
	{ 0x80, "XLF_MEM_ENCRYPTION" },
	{ }
};

#define AT(_at, _size)	.need = sizeof(struct boot_params), .at = (_at), .size = (_size)
#define PLACE(...)	AT(offsetof(struct boot_params, __VA_ARGS__), \
			   sizeof(((struct boot_params *)0)->__VA_ARGS__))
#define HIGH(_member)	.high = offsetof(struct boot_params, _member)

/* In the order of the page, so that debugfs can show it as it lies there */
const struct kreloc_field kreloc_zeropage_fields[] = {
	{ "orig_x", count_show, PLACE(screen_info.orig_x), .debug = 1 },
	{ "orig_y", count_show, PLACE(screen_info.orig_y), .debug = 1 },
	{ "ext_mem_k", hex_show, PLACE(screen_info.ext_mem_k), .debug = 1 },
	{ "orig_video_page", hex_show, PLACE(screen_info.orig_video_page), .debug = 1 },
	{ "orig_video_mode", hex_show, PLACE(screen_info.orig_video_mode) },
	{ "orig_video_cols", count_show, PLACE(screen_info.orig_video_cols) },
	{ "orig_video_lines", count_show, PLACE(screen_info.orig_video_lines) },
	{ "orig_video_isVGA", hex_show, AT(VIDEO_TYPE_AT, 1), .names = video_types },
	{ "orig_video_points", count_show, PLACE(screen_info.orig_video_points), .debug = 1 },
	{ "lfb_width", count_show, PLACE(screen_info.lfb_width) },
	{ "lfb_height", count_show, PLACE(screen_info.lfb_height) },
	{ "lfb_depth", count_show, PLACE(screen_info.lfb_depth) },
	{ "lfb_base", wide_show, PLACE(screen_info.lfb_base), HIGH(screen_info.ext_lfb_base) },
	{ "lfb_size", hex_show, PLACE(screen_info.lfb_size) },
	{ "lfb_linelength", count_show, PLACE(screen_info.lfb_linelength) },
	{ "pages", count_show, PLACE(screen_info.pages), .debug = 1 },
	{ "vesa_attributes", hex_show, PLACE(screen_info.vesa_attributes), .debug = 1 },
	{ "capabilities", hex_show, PLACE(screen_info.capabilities), .debug = 1 },
	{ "apm_bios_info", bytes_show, PLACE(apm_bios_info), .debug = 1 },
	{ "tboot_addr", hex_show, PLACE(tboot_addr) },
	{ "ist_info", bytes_show, PLACE(ist_info), .debug = 1 },
	{ "acpi_rsdp_addr", hex_show, PLACE(acpi_rsdp_addr) },
	{ "hd0_info", bytes_show, PLACE(hd0_info), .debug = 1 },
	{ "hd1_info", bytes_show, PLACE(hd1_info), .debug = 1 },
	{ "sys_desc_table", bytes_show, PLACE(sys_desc_table), .debug = 1 },
	{ "olpc_ofw_header", bytes_show, PLACE(olpc_ofw_header), .debug = 1 },
	{ "cc_blob_address", hex_show, AT(CC_BLOB_AT, 4) },
	{ "edid_info", bytes_show, PLACE(edid_info), .debug = 1 },
	{ "efi_loader_signature", tag_show, PLACE(efi_info.efi_loader_signature) },
	{ "efi_systab", wide_show, PLACE(efi_info.efi_systab), HIGH(efi_info.efi_systab_hi) },
	{ "efi_memdesc_size", count_show, PLACE(efi_info.efi_memdesc_size) },
	{ "efi_memdesc_version", count_show, PLACE(efi_info.efi_memdesc_version) },
	{ "efi_memmap", wide_show, PLACE(efi_info.efi_memmap), HIGH(efi_info.efi_memmap_hi) },
	{ "efi_memmap_size", count_show, PLACE(efi_info.efi_memmap_size) },
	{ "alt_mem_k", count_show, PLACE(alt_mem_k) },
	{ "scratch", hex_show, PLACE(scratch), .debug = 1 },
	{ "e820_entries", count_show, PLACE(e820_entries) },
	{ "eddbuf_entries", count_show, PLACE(eddbuf_entries) },
	{ "edd_mbr_sig_buf_entries", count_show, PLACE(edd_mbr_sig_buf_entries) },
	{ "kbd_status", hex_show, PLACE(kbd_status), .debug = 1 },
	{ "secure_boot", hex_show, PLACE(secure_boot), .names = secure_boot_modes },
	{ "sentinel", hex_show, PLACE(sentinel) },
	{ "setup_sects", count_show, PLACE(hdr.setup_sects) },
	{ "root_flags", hex_show, PLACE(hdr.root_flags) },
	{ "syssize", hex_show, PLACE(hdr.syssize) },
	{ "ram_size", hex_show, PLACE(hdr.ram_size), .debug = 1 },
	{ "vid_mode", hex_show, PLACE(hdr.vid_mode) },
	{ "root_dev", hex_show, PLACE(hdr.root_dev) },
	{ "boot_flag", hex_show, PLACE(hdr.boot_flag) },
	{ "jump", hex_show, PLACE(hdr.jump), .debug = 1 },
	{ "header", tag_show, PLACE(hdr.header) },
	{ "version", version_show, PLACE(hdr.version) },
	{ "realmode_swtch", hex_show, PLACE(hdr.realmode_swtch), .debug = 1 },
	{ "start_sys_seg", hex_show, PLACE(hdr.start_sys_seg), .debug = 1 },
	{ "kernel_version", hex_show, PLACE(hdr.kernel_version) },
	{ "type_of_loader", loader_show, PLACE(hdr.type_of_loader), HIGH(hdr.ext_loader_type) },
	{ "loadflags", flags_show, PLACE(hdr.loadflags), .names = loadflags },
	{ "setup_move_size", hex_show, PLACE(hdr.setup_move_size), .debug = 1 },
	{ "code32_start", hex_show, PLACE(hdr.code32_start) },
	{ "ramdisk_image", wide_show, PLACE(hdr.ramdisk_image), HIGH(ext_ramdisk_image) },
	{ "ramdisk_size", wide_show, PLACE(hdr.ramdisk_size), HIGH(ext_ramdisk_size) },
	{ "bootsect_kludge", hex_show, PLACE(hdr.bootsect_kludge), .debug = 1 },
	{ "heap_end_ptr", hex_show, PLACE(hdr.heap_end_ptr) },
	{ "ext_loader_ver", hex_show, PLACE(hdr.ext_loader_ver) },
	{ "ext_loader_type", hex_show, PLACE(hdr.ext_loader_type) },
	{ "cmd_line_ptr", wide_show, PLACE(hdr.cmd_line_ptr), HIGH(ext_cmd_line_ptr) },
	{ "initrd_addr_max", hex_show, PLACE(hdr.initrd_addr_max) },
	{ "kernel_alignment", hex_show, PLACE(hdr.kernel_alignment) },
	{ "relocatable_kernel", count_show, PLACE(hdr.relocatable_kernel) },
	{ "min_alignment", count_show, PLACE(hdr.min_alignment) },
	{ "xloadflags", flags_show, PLACE(hdr.xloadflags), .names = xloadflags },
	{ "cmdline_size", count_show, PLACE(hdr.cmdline_size) },
	{ "hardware_subarch", hex_show, PLACE(hdr.hardware_subarch), .names = subarchs },
	{ "hardware_subarch_data", hex_show, PLACE(hdr.hardware_subarch_data) },
	{ "payload_offset", hex_show, PLACE(hdr.payload_offset) },
	{ "payload_length", hex_show, PLACE(hdr.payload_length) },
	{ "setup_data", hex_show, PLACE(hdr.setup_data) },
	{ "setup_data_list", setup_data_list_show, PLACE(hdr.setup_data) },
	{ "pref_address", hex_show, PLACE(hdr.pref_address) },
	{ "init_size", hex_show, PLACE(hdr.init_size) },
	{ "handover_offset", hex_show, PLACE(hdr.handover_offset) },
	{ "kernel_info_offset", hex_show, PLACE(hdr.kernel_info_offset) },
	{ "edd_mbr_sig_buffer", edd_mbr_sig_show, PLACE(edd_mbr_sig_buffer) },
	{ "e820_table", e820_show, PLACE(e820_table) },
	{ "eddbuf", edd_show, PLACE(eddbuf) },
	{ }
};
