// SPDX-License-Identifier: GPL-2.0-only
/*
 * x86's struct boot_params. Where each field lies is written down here a second time, as numbers
 * from boot.rst and zero-page.rst, so that neither the decoder's table nor the compiler's idea of
 * the structure is taken for granted.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests.h"

#define PAGE		4096
#define AT_E820_NR	0x1e8
#define AT_EDD_NR	0x1e9
#define AT_MBR_NR	0x1ea
#define AT_SETUP_DATA	0x250
#define AT_MBR		0x290
#define AT_E820		0x2d0
#define AT_EDD		0xd00

static unsigned char page[PAGE];

/* Numbers: where, how many bytes, whether in decimal, where the upper half is */
static const struct {
	const char *name;
	unsigned int at;
	unsigned int size;
	unsigned int decimal;
	unsigned int high;
} numbers[] = {
	{ "orig_x", 0x000, 1, 1, 0 },
	{ "orig_y", 0x001, 1, 1, 0 },
	{ "ext_mem_k", 0x002, 2, 0, 0 },
	{ "orig_video_page", 0x004, 2, 0, 0 },
	{ "orig_video_mode", 0x006, 1, 0, 0 },
	{ "orig_video_cols", 0x007, 1, 1, 0 },
	{ "orig_video_lines", 0x00e, 1, 1, 0 },
	{ "orig_video_isVGA", 0x00f, 1, 0, 0 },
	{ "orig_video_points", 0x010, 2, 1, 0 },
	{ "lfb_width", 0x012, 2, 1, 0 },
	{ "lfb_height", 0x014, 2, 1, 0 },
	{ "lfb_depth", 0x016, 2, 1, 0 },
	{ "lfb_base", 0x018, 4, 0, 0x03a },
	{ "lfb_size", 0x01c, 4, 0, 0 },
	{ "lfb_linelength", 0x024, 2, 1, 0 },
	{ "pages", 0x032, 2, 1, 0 },
	{ "vesa_attributes", 0x034, 2, 0, 0 },
	{ "capabilities", 0x036, 4, 0, 0 },
	{ "tboot_addr", 0x058, 8, 0, 0 },
	{ "acpi_rsdp_addr", 0x070, 8, 0, 0 },
	{ "cc_blob_address", 0x13c, 4, 0, 0 },
	{ "efi_systab", 0x1c4, 4, 0, 0x1d8 },
	{ "efi_memdesc_size", 0x1c8, 4, 1, 0 },
	{ "efi_memdesc_version", 0x1cc, 4, 1, 0 },
	{ "efi_memmap", 0x1d0, 4, 0, 0x1dc },
	{ "efi_memmap_size", 0x1d4, 4, 1, 0 },
	{ "alt_mem_k", 0x1e0, 4, 1, 0 },
	{ "scratch", 0x1e4, 4, 0, 0 },
	{ "e820_entries", 0x1e8, 1, 1, 0 },
	{ "eddbuf_entries", 0x1e9, 1, 1, 0 },
	{ "edd_mbr_sig_buf_entries", 0x1ea, 1, 1, 0 },
	{ "kbd_status", 0x1eb, 1, 0, 0 },
	{ "secure_boot", 0x1ec, 1, 0, 0 },
	{ "sentinel", 0x1ef, 1, 0, 0 },
	{ "setup_sects", 0x1f1, 1, 1, 0 },
	{ "root_flags", 0x1f2, 2, 0, 0 },
	{ "syssize", 0x1f4, 4, 0, 0 },
	{ "ram_size", 0x1f8, 2, 0, 0 },
	{ "vid_mode", 0x1fa, 2, 0, 0 },
	{ "root_dev", 0x1fc, 2, 0, 0 },
	{ "boot_flag", 0x1fe, 2, 0, 0 },
	{ "jump", 0x200, 2, 0, 0 },
	{ "realmode_swtch", 0x208, 4, 0, 0 },
	{ "start_sys_seg", 0x20c, 2, 0, 0 },
	{ "kernel_version", 0x20e, 2, 0, 0 },
	{ "setup_move_size", 0x212, 2, 0, 0 },
	{ "code32_start", 0x214, 4, 0, 0 },
	{ "ramdisk_image", 0x218, 4, 0, 0x0c0 },
	{ "ramdisk_size", 0x21c, 4, 0, 0x0c4 },
	{ "bootsect_kludge", 0x220, 4, 0, 0 },
	{ "heap_end_ptr", 0x224, 2, 0, 0 },
	{ "ext_loader_ver", 0x226, 1, 0, 0 },
	{ "ext_loader_type", 0x227, 1, 0, 0 },
	{ "cmd_line_ptr", 0x228, 4, 0, 0x0c8 },
	{ "initrd_addr_max", 0x22c, 4, 0, 0 },
	{ "kernel_alignment", 0x230, 4, 0, 0 },
	{ "relocatable_kernel", 0x234, 1, 1, 0 },
	{ "min_alignment", 0x235, 1, 1, 0 },
	{ "cmdline_size", 0x238, 4, 1, 0 },
	{ "hardware_subarch", 0x23c, 4, 0, 0 },
	{ "hardware_subarch_data", 0x240, 8, 0, 0 },
	{ "payload_offset", 0x248, 4, 0, 0 },
	{ "payload_length", 0x24c, 4, 0, 0 },
	{ "setup_data", 0x250, 8, 0, 0 },
	{ "pref_address", 0x258, 8, 0, 0 },
	{ "init_size", 0x260, 4, 0, 0 },
	{ "handover_offset", 0x264, 4, 0, 0 },
	{ "kernel_info_offset", 0x268, 4, 0, 0 },
};

/* Bytes, printed as they lie there */
static const struct {
	const char *name;
	unsigned int at;
	unsigned int size;
} bytes[] = {
	{ "apm_bios_info", 0x040, 20 },
	{ "ist_info", 0x060, 16 },
	{ "hd0_info", 0x080, 16 },
	{ "hd1_info", 0x090, 16 },
	{ "sys_desc_table", 0x0a0, 16 },
	{ "olpc_ofw_header", 0x0b0, 16 },
	{ "edid_info", 0x140, 128 },
};

/* Fields that are tested one by one below */
static const char * const others[] = {
	"efi_loader_signature", "header", "version", "type_of_loader", "loadflags", "xloadflags",
	"setup_data_list", "edd_mbr_sig_buffer", "e820_table", "eddbuf",
};

static const char *value(const char *name)
{
	return value_of(find(kreloc_zeropage_fields, name), page, PAGE);
}

static void clear(void)
{
	memset(page, 0, PAGE);
	phys = NULL;
	phys_noise = false;
}

static unsigned long long pattern(unsigned int at, unsigned int size)
{
	unsigned long long v = 0;

	while (size--)
		v = v << 8 | page[at + size];
	return v;
}

static void test_places(void)
{
	char want[300];
	size_t i, j, all = 0;

	clear();
	/* no two neighbours are alike, and no number has a meaning */
	for (i = 0; i < PAGE; i++)
		page[i] = 0x81 + i * 29;
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		unsigned long long v = pattern(numbers[i].at, numbers[i].size);

		if (numbers[i].high)
			snprintf(want, sizeof(want), "0x%016llx\n",
				 v | pattern(numbers[i].high, 4) << 32);
		else if (numbers[i].decimal)
			snprintf(want, sizeof(want), "%llu\n", v);
		else
			snprintf(want, sizeof(want), "0x%0*llx\n", 2 * (int)numbers[i].size, v);
		is(value(numbers[i].name), want, "%s is where it should be", numbers[i].name);
	}
	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		for (j = 0; j < bytes[i].size; j++)
			snprintf(want + 2 * j, sizeof(want) - 2 * j, "%02x", page[bytes[i].at + j]);
		snprintf(want + 2 * j, sizeof(want) - 2 * j, "\n");
		is(value(bytes[i].name), want, "%s is where it should be", bytes[i].name);
	}
	for (i = 0; i < ARRAY_SIZE(others); i++)
		(void)find(kreloc_zeropage_fields, others[i]);
	while (kreloc_zeropage_fields[all].name)
		all++;
	ok(all == ARRAY_SIZE(numbers) + ARRAY_SIZE(bytes) + ARRAY_SIZE(others),
	   "no field goes untested");
}

static void test_meaning(void)
{
	clear();
	put_le(page + 0x202, 0x53726448, 4);
	is(value("header"), "0x53726448 HdrS\n", "header spells HdrS");
	put_le(page + 0x202, 0x1b5b3148, 4);
	is(value("header"), "0x1b5b3148 H1[.\n", "an escape sequence loses its teeth");
	is(value("efi_loader_signature"), "0x00000000\n", "no EFI, no signature");
	put_le(page + 0x1c0, 0x34364c45, 4);
	is(value("efi_loader_signature"), "0x34364c45 EL64\n", "efi_loader_signature");
	put_le(page + 0x206, 0x020f, 2);
	is(value("version"), "0x020f 2.15\n", "version 2.15");
	put_le(page + 0x206, 0x0201, 2);
	is(value("version"), "0x0201 2.01\n", "version 2.01");

	is(value("type_of_loader"), "0x00 LILO\n", "loader 0");
	page[0x210] = 0xb0;
	is(value("type_of_loader"), "0xb0 Qemu\n", "loader Qemu");
	page[0x210] = 0x72;
	is(value("type_of_loader"), "0x72 GRUB\n", "loader GRUB, version 2");
	page[0x210] = 0x20;
	is(value("type_of_loader"), "0x20 bootsect-loader\n", "loader 0x20");
	page[0x210] = 0x21;
	is(value("type_of_loader"), "0x21 EFI stub\n", "the EFI stub");
	page[0x210] = 0xff;
	is(value("type_of_loader"), "0xff\n", "a loader without a number");
	page[0x210] = 0xe0;
	page[0x227] = 2;
	is(value("type_of_loader"), "0xe0 OVMF UEFI virtualization stack\n", "an extended type");
	page[0x227] = 0xff;
	is(value("type_of_loader"), "0xe0\n", "an extended type that nobody has");

	is(value("loadflags"), "0x00\n", "no loadflags");
	page[0x211] = 0x83;
	is(value("loadflags"), "0x83 LOADED_HIGH KASLR_FLAG CAN_USE_HEAP\n", "loadflags");
	page[0x211] = 0xff;
	is(value("loadflags"),
	   "0xff LOADED_HIGH KASLR_FLAG QUIET_FLAG KEEP_SEGMENTS CAN_USE_HEAP\n", "all loadflags");
	put_le(page + 0x236, 0xff00 | 0x21, 2);
	is(value("xloadflags"), "0xff21 XLF_KERNEL_64 XLF_5LEVEL\n", "xloadflags");
	page[0x1ec] = 3;
	is(value("secure_boot"), "0x03 enabled\n", "secure boot");
	page[0x1ec] = 4;
	is(value("secure_boot"), "0x04\n", "secure boot with a mode that there is not");
	page[0x00f] = 0x70;
	is(value("orig_video_isVGA"), "0x70 VIDEO_TYPE_EFI\n", "video type");
	put_le(page + 0x23c, 2, 4);
	is(value("hardware_subarch"), "0x00000002 X86_SUBARCH_XEN\n", "hardware_subarch");
}

static void put_e820(void *at, unsigned long long addr, unsigned long long size, unsigned int type)
{
	put_le(at, addr, 8);
	put_le((char *)at + 8, size, 8);
	put_le((char *)at + 16, type, 4);
}

static void put_setup(void *at, unsigned long long next, unsigned int type, unsigned int len)
{
	put_le(at, next, 8);
	put_le((char *)at + 8, type, 4);
	put_le((char *)at + 12, len, 4);
}

static void test_e820(void)
{
	unsigned char ext[16 + 2 * 20];
	struct phys mem[] = { { 0x1000, ext, sizeof(ext) }, { 0 } };
	const char *got;
	unsigned int i;

	clear();
	is(value("e820_table"), "", "no e820 entries");
	page[AT_E820_NR] = 3;
	put_e820(page + AT_E820, 0, 0x9fc00, 1);
	put_e820(page + AT_E820 + 20, 0x100000, 0xfff00000, 0xefffffff);
	put_e820(page + AT_E820 + 40, 0xfffffffffffff000, 0x1000, 77);
	is(value("e820_table"),
	   "0x0000000000000000 0x000000000009fbff 0x1 System RAM\n"
	   "0x0000000000100000 0x00000000ffffffff 0xefffffff Soft Reserved\n"
	   "0xfffffffffffff000 0xffffffffffffffff 0x4d unknown\n", "e820 entries");
	page[AT_E820_NR] = 1;
	put_e820(page + AT_E820, 0x1000, 0, 2);
	is(value("e820_table"), "0x0000000000001000 0x0000000000000fff 0x2 Reserved\n",
	   "an e820 entry of no size");
	put_e820(page + AT_E820, 0x1000, 0xffffffffffffffff, 2);
	is(value("e820_table"), "0x0000000000001000 0x0000000000000ffe 0x2 Reserved\n",
	   "an e820 entry that wraps");

	page[AT_E820_NR] = 128;
	ok(lines_in(value("e820_table")) == 128, "128 e820 entries");
	for (i = 129; i < 256; i++) {
		page[AT_E820_NR] = i;
		got = value("e820_table");
		if (lines_in(got) != 129 || !strstr(got, "\ncut: too long\n"))
			break;
	}
	ok(i == 256, "e820_entries beyond the table: 128, and that it is cut");

	clear();
	page[AT_E820_NR] = 1;
	put_e820(page + AT_E820, 0, 0x1000, 1);
	put_le(page + AT_SETUP_DATA, 0x1000, 8);
	put_setup(ext, 0, 1, 40);
	put_e820(ext + 16, 0x1000, 0x1000, 2);
	put_e820(ext + 36, 0x2000, 0x1000, 3);
	phys = mem;
	is(value("e820_table"),
	   "0x0000000000000000 0x0000000000000fff 0x1 System RAM\n"
	   "0x0000000000001000 0x0000000000001fff 0x2 Reserved\n"
	   "0x0000000000002000 0x0000000000002fff 0x3 ACPI Tables\n", "SETUP_E820_EXT goes on");
	put_setup(ext, 0, 1, 59);
	ok(lines_in(value("e820_table")) == 3, "half an entry is none");
	put_setup(ext, 0, 1, 0xffffffff);
	got = value("e820_table");
	ok(lines_in(got) == 4 && strstr(got, "\ncut: unreadable\n"),
	   "SETUP_E820_EXT of 4 GiB ends where memory does");
	put_setup(ext, 0x1000, 1, 40);
	got = value("e820_table");
	ok(lines_in(got) == 4 && strstr(got, "\ncut: loop\n"), "SETUP_E820_EXT in a loop");
}

/* 4 GiB of entries, all there: memory that reads as zeros wherever one looks */
static void test_e820_endless(void)
{
	static unsigned char zeros[1 << 20];
	unsigned char head[16];
	struct phys mem[] = { { 0x1000, head, sizeof(head) }, { 0x1010, zeros, sizeof(zeros) },
			      { 0 } };
	const char *got;

	clear();
	page[AT_E820_NR] = 255;
	put_le(page + AT_SETUP_DATA, 0x1000, 8);
	put_setup(head, 0, 1, 0xffffffff);
	phys = mem;
	got = value("e820_table");
	ok(lines_in(got) == 4096 + 2 && !strcmp(got + strlen(got) - 15, "\ncut: too long\n"),
	   "SETUP_E820_EXT of 4 GiB is cut");
}

static void test_setup_data(void)
{
	unsigned char node[2][16 + 24];
	static unsigned char chain[65][16];
	struct phys mem[] = { { 0x1000, node[0], sizeof(node[0]) },
			      { 0x2000, node[1], sizeof(node[1]) },
			      { 0x10000, chain, sizeof(chain) }, { 0 } };
	const char *got;
	unsigned int i;

	clear();
	is(value("setup_data_list"), "", "no setup_data");
	put_le(page + AT_SETUP_DATA, 0x1000, 8);
	is(value("setup_data_list"), "cut: unreadable\n", "setup_data where no memory is");
	put_le(page + AT_SETUP_DATA, 0xfffffffffffffff8, 8);
	is(value("setup_data_list"), "cut: unreadable\n", "setup_data at the end of everything");
	phys_noise = true;
	(void)value("setup_data_list");
	phys_noise = false;

	phys = mem;
	memset(node, 0, sizeof(node));
	put_le(page + AT_SETUP_DATA, 0x1000, 8);
	put_setup(node[0], 0x2000, 9, 32);
	put_setup(node[1], 0, 4, 0xffffffff);
	is(value("setup_data_list"),
	   "0x0000000000001000 0x9 SETUP_RNG_SEED 32\n"
	   "0x0000000000002000 0x4 SETUP_EFI 4294967295\n", "two nodes of setup_data");
	put_setup(node[1], 0, 0x1234, 0);
	got = value("setup_data_list");
	ok(strstr(got, "0x0000000000002000 0x1234 unknown 0\n"), "a type without a name");
	put_setup(node[0], 0x1000, 9, 32);
	is(value("setup_data_list"), "0x0000000000001000 0x9 SETUP_RNG_SEED 32\ncut: loop\n",
	   "setup_data that is its own next");
	put_setup(node[0], 0x2000, 9, 32);
	put_setup(node[1], 0x1000, 4, 1);
	got = value("setup_data_list");
	ok(lines_in(got) == 3 && strstr(got, "\ncut: loop\n"), "setup_data in a circle");

	for (i = 0; i < 65; i++)
		put_setup(chain[i], i < 64 ? 0x10000 + 16 * (i + 1) : 0, 0, 0);
	put_le(page + AT_SETUP_DATA, 0x10000, 8);
	got = value("setup_data_list");
	ok(lines_in(got) == 65 && strstr(got, "\ncut: too long\n"), "65 nodes are one too many");
	put_le(page + AT_SETUP_DATA, 0x10010, 8);
	got = value("setup_data_list");
	ok(lines_in(got) == 64 && !strstr(got, "cut"), "64 nodes are not");
}

static void test_indirect(void)
{
	unsigned char node[16 + 24];
	struct phys mem[] = { { 0x1000, node, sizeof(node) }, { 0 } };

	clear();
	phys = mem;
	put_le(page + AT_SETUP_DATA, 0x1000, 8);
	put_setup(node, 0, 0x80000000, 24);
	put_le(node + 16, 0x80000001, 4);
	put_le(node + 20, 0, 4);
	put_le(node + 24, 0xffffffffffffffff, 8);
	put_le(node + 32, 0xfffffffffffffff0, 8);
	is(value("setup_data_list"),
	   "0x0000000000001000 0x80000000 SETUP_INDIRECT 24\n"
	   "0xfffffffffffffff0 0x1 SETUP_E820_EXT 18446744073709551615 indirect\n",
	   "SETUP_INDIRECT, of a length near 2^64");
	put_le(node + 16, 0x80000000, 4);
	is(value("setup_data_list"),
	   "0x0000000000001000 0x80000000 SETUP_INDIRECT 24\n"
	   "0xfffffffffffffff0 0x0 SETUP_NONE 18446744073709551615 indirect\n",
	   "SETUP_INDIRECT to another is not followed");
	put_setup(node, 0, 0x80000000, 23);
	is(value("setup_data_list"),
	   "0x0000000000001000 0x80000000 SETUP_INDIRECT 23\ncut: unreadable\n",
	   "SETUP_INDIRECT that is too short");
	put_setup(node, 0, 0x80000000, 24);
	mem[0].size = 39;
	is(value("setup_data_list"),
	   "0x0000000000001000 0x80000000 SETUP_INDIRECT 24\ncut: unreadable\n",
	   "SETUP_INDIRECT at the end of memory");
}

static void test_edd(void)
{
	const char *got;

	clear();
	is(value("eddbuf"), "", "no EDD");
	is(value("edd_mbr_sig_buffer"), "", "no MBR signatures");
	page[AT_MBR_NR] = 2;
	put_le(page + AT_MBR, 0xdeadbeef, 4);
	put_le(page + AT_MBR + 4, 1, 4);
	is(value("edd_mbr_sig_buffer"), "0xdeadbeef\n0x00000001\n", "MBR signatures");
	page[AT_MBR_NR] = 255;
	got = value("edd_mbr_sig_buffer");
	ok(lines_in(got) == 17 && strstr(got, "\ncut: too long\n"), "255 MBR signatures are cut");

	page[AT_EDD_NR] = 1;
	page[AT_EDD] = 0x80;
	page[AT_EDD + 1] = 0x30;
	put_le(page + AT_EDD + 2, 7, 2);
	put_le(page + AT_EDD + 8 + 16, 0x1234567890, 8);
	put_le(page + AT_EDD + 8 + 24, 512, 2);
	memcpy(page + AT_EDD + 8 + 36, "PCI ATA\x1b    ", 12);
	is(value("eddbuf"), "0x80 0x30 0x0007 0x0000001234567890 0x0200 PCI ATA.\n", "EDD");
	page[AT_EDD_NR] = 255;
	got = value("eddbuf");
	ok(lines_in(got) == 7 && strstr(got, "\ncut: too long\n"), "255 EDD entries are cut");
}

/* Every field of the page as it is; the number of bytes of the longest value */
static size_t show_all(size_t size)
{
	const struct kreloc_field *field;
	size_t longest = 0;

	for (field = kreloc_zeropage_fields; field->name; field++) {
		char *text;

		if (!show(field, page, size, &text) && text && strlen(text) > longest)
			longest = strlen(text);
		free(text);
	}
	return longest;
}

static void test_hostile(void)
{
	const struct kreloc_field *field;
	bool bad = false;
	size_t i, j;

	clear();
	memset(page, 0xff, PAGE);
	ok(show_all(PAGE) < 10000, "a page of ones");

	for (i = 0; i < PAGE; i += i < 64 || i > PAGE - 64 ? 1 : 61) {
		for (field = kreloc_zeropage_fields; field->name; field++) {
			char *text;

			if (show(field, page, i, &text) != -ENODATA)
				bad = true;
			free(text);
		}
	}
	ok(!bad, "no page that is cut short has a value");

	/* chains through memory that is different each time one looks */
	phys_noise = true;
	for (i = 0; i < 300; i++) {
		for (j = 0; j < PAGE; j++)
			page[j] = chance();
		show_all(PAGE);
	}
	ok(true, "300 pages of noise do no harm");
	phys_noise = false;
}

void test_zeropage(void)
{
	test_places();
	test_meaning();
	test_e820();
	test_e820_endless();
	test_setup_data();
	test_indirect();
	test_edd();
	test_hostile();
}
