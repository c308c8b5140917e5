// SPDX-License-Identifier: GPL-2.0-only
/*
 * Makes the files that tests need and no machine has at hand: kernels, their notes, /proc/kcore,
 * and recordings that differ from a real one in one thing.
 *
 *	craft vmlinux OUT ARCH BUILD-ID [SYMBOL=ADDRESS]...
 *	craft notes OUT BUILD-ID
 *	craft kcore OUT TEXT SIZE [KEY=VALUE]...
 *	craft put IN OUT OFFSET BYTES VALUE
 *	craft section IN OUT FEATURE OFFSET BYTES VALUE
 *	craft grow IN OUT BYTES [COUNT]
 *	craft claim IN OUT TEXT
 *	craft tight IN OUT
 *	craft swap IN OUT
 *	craft move IN OUT ARCH FROM TO
 *	craft big IN OUT 4|8
 *	craft guest IN OUT
 *	craft aux IN OUT
 *	craft rounds IN OUT N
 *	craft hollow IN OUT
 *	craft repeat IN OUT BYTES
 *
 * put changes a little-endian number, section one within a feature of a perf.data. grow adds AUX
 * data of that size to its data, as a hole in the file. tight takes away the room in front of its
 * data. swap puts its event ids behind the attributes. claim lets the block of a stamp tell
 * another run-time address than its record. move makes it one of another machine, whose kernel was
 * at TO instead of at FROM. big makes it one of a big-endian machine with longs of so many bytes,
 * without those records and features that say nothing of symbols. guest puts in front of its data
 * the record of a guest's kernel; aux adds AUX data and their index; rounds puts N empty rounds in
 * front, of 8 bytes each. hollow puts the record of a user namespace into a recording that came
 * through a pipe. repeat has the samples over and over until there are so many bytes of data.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "bytes.h"
#include "kreloc.h"
#include "perf-data.h"
#include "system.h"

static void die(const char *what)
{
	fprintf(stderr, "craft: %s\n", what);
	exit(1);
}

static uint64_t number(const char *text)
{
	char *end;
	uint64_t value = strtoull(text, &end, 0);

	if (*end || end == text)
		die("not a number");
	return value;
}

/* A file in memory. All are static: this makes one file and ends. */
struct image {
	size_t len;
	unsigned char data[8 << 20];
};

/* @data NULL: zeros */
static unsigned char *append(struct image *image, const void *data, size_t len)
{
	unsigned char *at = image->data + image->len;

	if (len > sizeof(image->data) - image->len)
		die("too large");
	if (data)
		memcpy(at, data, len);
	image->len += len;
	return at;
}

static void pad(struct image *image, size_t to)
{
	append(image, NULL, (to - image->len % to) % to);
}

static void save(const struct image *image, const char *path)
{
	FILE *file = fopen(path, "w");

	if (!file || fwrite(image->data, 1, image->len, file) != image->len || fclose(file))
		die(path);
}

static struct image *load(const char *path)
{
	static struct image image;
	FILE *file = fopen(path, "r");

	if (!file)
		die(path);
	image.len = fread(image.data, 1, sizeof(image.data), file);
	if (ferror(file) || !feof(file))
		die(path);
	fclose(file);
	return &image;
}

static const unsigned char elf_magic[] = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3 };

static void append_note(struct image *image, const char *name, uint32_t type, const void *desc,
			size_t len, bool big)
{
	unsigned char header[12];

	put32(header, (uint32_t)strlen(name) + 1, big);
	put32(header + 4, (uint32_t)len, big);
	put32(header + 8, type, big);
	append(image, header, sizeof(header));
	append(image, name, strlen(name) + 1);
	pad(image, 4);
	append(image, desc, len);
	pad(image, 4);
}

static size_t parse_build_id(const char *hex, unsigned char *id)
{
	size_t n = 0;
	unsigned int byte;

	for (; hex[0] && hex[1] && n < 32; hex += 2) {
		if (sscanf(hex, "%2x", &byte) != 1)
			die("not a build-id");
		id[n++] = (unsigned char)byte;
	}
	return n;
}

static void append_build_id(struct image *image, const char *hex, bool big)
{
	unsigned char id[32];
	size_t len = parse_build_id(hex, id);

	append_note(image, "GNU", 3, id, len, big);
}

/* /sys/kernel/notes; the kernel has others beside its build-id. */
static int make_notes(int argc, char **argv)
{
	static struct image image;

	if (argc != 2)
		return -1;
	append_note(&image, "Linux", 0x101, "\0\0\0", 4, HOST_BIG);
	append_build_id(&image, argv[1], HOST_BIG);
	append_note(&image, "Xen", 6, "linux", 6, HOST_BIG);
	save(&image, argv[0]);
	return 0;
}

struct elf {
	bool big;
	struct image image;
	struct image names;
	struct image symbols;
};

static void put_section(const struct elf *elf, unsigned char *p, uint32_t name, uint32_t type,
			uint64_t flags, uint64_t addr, uint64_t offset, uint64_t size,
			uint32_t link, uint64_t entsize)
{
	put32(p + offsetof(Elf64_Shdr, sh_name), name, elf->big);
	put32(p + offsetof(Elf64_Shdr, sh_type), type, elf->big);
	put64(p + offsetof(Elf64_Shdr, sh_flags), flags, elf->big);
	put64(p + offsetof(Elf64_Shdr, sh_addr), addr, elf->big);
	put64(p + offsetof(Elf64_Shdr, sh_offset), offset, elf->big);
	put64(p + offsetof(Elf64_Shdr, sh_size), size, elf->big);
	put32(p + offsetof(Elf64_Shdr, sh_link), link, elf->big);
	put32(p + offsetof(Elf64_Shdr, sh_info), type == SHT_SYMTAB ? 1 : 0, elf->big);
	put64(p + offsetof(Elf64_Shdr, sh_addralign), 4, elf->big);
	put64(p + offsetof(Elf64_Shdr, sh_entsize), entsize, elf->big);
}

static void add_symbol(struct elf *elf, const char *name, uint64_t value)
{
	unsigned char *p = append(&elf->symbols, NULL, sizeof(Elf64_Sym));

	put32(p + offsetof(Elf64_Sym, st_name), (uint32_t)elf->names.len, elf->big);
	p[offsetof(Elf64_Sym, st_info)] = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC);
	put16(p + offsetof(Elf64_Sym, st_shndx), 1, elf->big);
	put64(p + offsetof(Elf64_Sym, st_value), value, elf->big);
	append(&elf->names, name, strlen(name) + 1);
}

/* Sections: none, .text without bytes, .notes, .symtab, .strtab, which also names sections. */
static int make_vmlinux(int argc, char **argv)
{
	static const char section_names[] = "\0.text\0.notes\0.symtab\0.strtab";
	uint64_t low = UINT64_MAX, high = 0, notes_at, symbols_at, names_at;
	static struct elf elf;
	struct image *image = &elf.image;
	unsigned char *p;
	int i;

	if (argc < 3)
		return -1;
	elf.big = !strcmp(argv[1], "ppc64");
	append(&elf.names, section_names, sizeof(section_names));
	append(&elf.symbols, NULL, sizeof(Elf64_Sym));
	for (i = 3; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		uint64_t address;

		if (!value)
			return -1;
		*value++ = '\0';
		address = number(value);
		add_symbol(&elf, argv[i], address);
		low = address < low ? address : low;
		high = address > high ? address : high;
	}

	append(image, NULL, sizeof(Elf64_Ehdr));
	append(image, NULL, sizeof(Elf64_Phdr));
	notes_at = image->len;
	append_build_id(image, argv[2], elf.big);
	pad(image, 8);
	symbols_at = image->len;
	append(image, elf.symbols.data, elf.symbols.len);
	names_at = image->len;
	append(image, elf.names.data, elf.names.len);
	pad(image, 8);

	p = image->data;
	memcpy(p, elf_magic, sizeof(elf_magic));
	p[EI_CLASS] = ELFCLASS64;
	p[EI_DATA] = elf.big ? ELFDATA2MSB : ELFDATA2LSB;
	p[EI_VERSION] = EV_CURRENT;
	put16(p + offsetof(Elf64_Ehdr, e_type), ET_EXEC, elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_machine),
	      !strcmp(argv[1], "x86_64") ? EM_X86_64 :
	      !strncmp(argv[1], "ppc64", 5) ? EM_PPC64 : EM_AARCH64, elf.big);
	put32(p + offsetof(Elf64_Ehdr, e_version), EV_CURRENT, elf.big);
	put64(p + offsetof(Elf64_Ehdr, e_phoff), sizeof(Elf64_Ehdr), elf.big);
	put64(p + offsetof(Elf64_Ehdr, e_shoff), image->len, elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_ehsize), sizeof(Elf64_Ehdr), elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_phnum), 1, elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_shnum), elf.symbols.len > sizeof(Elf64_Sym) ? 5 : 3,
	      elf.big);
	put16(p + offsetof(Elf64_Ehdr, e_shstrndx), elf.symbols.len > sizeof(Elf64_Sym) ? 4 : 0,
	      elf.big);
	p += sizeof(Elf64_Ehdr);
	put32(p + offsetof(Elf64_Phdr, p_type), PT_LOAD, elf.big);
	put32(p + offsetof(Elf64_Phdr, p_flags), PF_R | PF_X, elf.big);
	put64(p + offsetof(Elf64_Phdr, p_vaddr), low, elf.big);
	put64(p + offsetof(Elf64_Phdr, p_memsz), high - low, elf.big);

	p = append(image, NULL, 5 * sizeof(Elf64_Shdr));
	put_section(&elf, p + sizeof(Elf64_Shdr), 1, SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, low,
		    sizeof(Elf64_Ehdr), high - low, 0, 0);
	put_section(&elf, p + 2 * sizeof(Elf64_Shdr), 7, SHT_NOTE, SHF_ALLOC, high, notes_at,
		    symbols_at - notes_at, 0, 0);
	put_section(&elf, p + 3 * sizeof(Elf64_Shdr), 14, SHT_SYMTAB, 0, 0, symbols_at,
		    elf.symbols.len, 4, sizeof(Elf64_Sym));
	put_section(&elf, p + 4 * sizeof(Elf64_Shdr), 22, SHT_STRTAB, 0, 0, names_at,
		    elf.names.len, 0, 0);
	save(image, argv[0]);
	return 0;
}

static void put_segment(unsigned char *p, uint32_t type, uint64_t offset, uint64_t vaddr,
			uint64_t filesz, uint64_t memsz)
{
	put32(p + offsetof(Elf64_Phdr, p_type), type, HOST_BIG);
	put64(p + offsetof(Elf64_Phdr, p_offset), offset, HOST_BIG);
	put64(p + offsetof(Elf64_Phdr, p_vaddr), vaddr, HOST_BIG);
	put64(p + offsetof(Elf64_Phdr, p_filesz), filesz, HOST_BIG);
	put64(p + offsetof(Elf64_Phdr, p_memsz), memsz, HOST_BIG);
}

/* Its segments are the notes, the kernel's image and some other memory, as in the real one. */
static int make_kcore(int argc, char **argv)
{
	static struct image image, text;
	uint64_t notes_at;
	unsigned char *p;
	int i;

	if (argc < 3)
		return -1;
	for (i = 3; i < argc; i++) {
		append(&text, argv[i], strlen(argv[i]));
		append(&text, "\n", 1);
	}
	append(&image, NULL, sizeof(Elf64_Ehdr) + 3 * sizeof(Elf64_Phdr));
	notes_at = image.len;
	append_note(&image, "CORE", NT_PRSTATUS, "register", 8, HOST_BIG);
	if (text.len)
		append_note(&image, "VMCOREINFO", 0, text.data, text.len, HOST_BIG);

	p = image.data;
	memcpy(p, elf_magic, sizeof(elf_magic));
	p[EI_CLASS] = ELFCLASS64;
	p[EI_DATA] = HOST_BIG ? ELFDATA2MSB : ELFDATA2LSB;
	put16(p + offsetof(Elf64_Ehdr, e_type), ET_CORE, HOST_BIG);
	put64(p + offsetof(Elf64_Ehdr, e_phoff), sizeof(Elf64_Ehdr), HOST_BIG);
	put16(p + offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), HOST_BIG);
	put16(p + offsetof(Elf64_Ehdr, e_phnum), 3, HOST_BIG);
	p += sizeof(Elf64_Ehdr);
	put_segment(p, PT_NOTE, notes_at, 0, image.len - notes_at, 0);
	put_segment(p + sizeof(Elf64_Phdr), PT_LOAD, 1 << 20, number(argv[1]), number(argv[2]),
		    number(argv[2]));
	put_segment(p + 2 * sizeof(Elf64_Phdr), PT_LOAD, 2 << 20, 0xff11000000000000, 1 << 30,
		    1 << 30);
	save(&image, argv[0]);
	return 0;
}

static int make_put(int argc, char **argv)
{
	struct image *image;
	uint64_t at, bytes;

	if (argc != 5)
		return -1;
	image = load(argv[0]);
	at = number(argv[2]);
	bytes = number(argv[3]);
	if (bytes > 8 || !in_bounds(at, bytes, image->len))
		die("beyond the end");
	put_bytes(image->data + at, number(argv[4]), (unsigned int)bytes, false);
	save(image, argv[1]);
	return 0;
}

static uint64_t data_end(const struct image *image)
{
	return get64(image->data + PERF_DATA, false) + get64(image->data + PERF_DATA + 8, false);
}

/* Its entry in the table behind the data. */
static unsigned char *feature(struct image *image, unsigned int bit)
{
	const uint64_t features = get64(image->data + PERF_FEATURES, false);

	if (bit > 63 || !(features >> bit & 1))
		die("no such feature");
	return image->data + data_end(image) +
	       SECTION_SIZE * (size_t)__builtin_popcountll(features & ((1ull << bit) - 1));
}

static int make_section(int argc, char **argv)
{
	struct image *image;
	unsigned char *p;

	if (argc != 6)
		return -1;
	image = load(argv[0]);
	p = image->data + get64(feature(image, (unsigned int)number(argv[2])), false);
	put_bytes(p + number(argv[3]), number(argv[5]), (unsigned int)number(argv[4]), false);
	save(image, argv[1]);
	return 0;
}

/* Everything behind @from goes @by bytes up. */
static void shift_sections(struct image *image, uint64_t from, uint64_t by)
{
	unsigned int n = (unsigned int)__builtin_popcountll(get64(image->data + PERF_FEATURES,
								  false));
	unsigned char *p = image->data + data_end(image);

	for (; n--; p += SECTION_SIZE)
		if (get64(p, false) >= from)
			put64(p, get64(p, false) + by, false);
}

static int make_grow(int argc, char **argv)
{
	unsigned char record[48] = { 0 };
	uint64_t at, end, bytes, step, count;
	struct image *image;
	bool bad;
	int fd;

	if (argc != 3 && argc != 4)
		return -1;
	image = load(argv[0]);
	bytes = number(argv[2]);
	count = argc == 4 ? number(argv[3]) : 1;
	step = sizeof(record) + bytes;
	end = data_end(image);
	put32(record + RECORD_TYPE, RECORD_AUXTRACE, false);
	put16(record + RECORD_SIZE, sizeof(record), false);
	put64(record + AUXTRACE_PAYLOAD, bytes, false);
	shift_sections(image, end, count * step);
	put64(image->data + PERF_DATA + 8,
	      get64(image->data + PERF_DATA + 8, false) + count * step, false);

	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	bad = fd < 0 || pwrite_full(fd, image->data, end, 0);
	for (at = end; !bad && at < end + count * step; at += step)
		bad = pwrite_full(fd, record, sizeof(record), at);
	if (bad || pwrite_full(fd, image->data + end, image->len - end, at) || close(fd))
		die(argv[1]);
	return 0;
}

/* By Documentation/stamp-format.md. */
static int make_claim(int argc, char **argv)
{
	struct image *image;
	unsigned char *block, *foot;

	if (argc != 3)
		return -1;
	image = load(argv[0]);
	foot = image->data + image->len - 24;
	block = image->data + image->len - get64(foot + 8, false);
	put64(block + 48, number(argv[2]), false);
	put32(block + 336, (uint32_t)crc32(0, block, 336), false);
	put32(foot, (uint32_t)crc32(0, block, (unsigned int)(foot - block)), false);
	save(image, argv[1]);
	return 0;
}

/* As perf inject writes a file that came through a pipe: data behind the header, the rest last. */
static int make_tight(int argc, char **argv)
{
	static struct image out;
	struct image *image;
	uint64_t start, gap, attrs, len, i, attr_size;

	if (argc != 2)
		return -1;
	image = load(argv[0]);
	start = get64(image->data + PERF_DATA, false);
	gap = start - PERF_HEADER_SIZE;
	attrs = get64(image->data + PERF_ATTRS, false);
	len = get64(image->data + PERF_ATTRS + 8, false);
	attr_size = get64(image->data + PERF_ATTR_SIZE, false);
	if (get64(image->data + PERF_FEATURES, false) >> FEATURE_AUXTRACE & 1) {
		unsigned char *index = image->data + get64(feature(image, FEATURE_AUXTRACE), false);

		for (i = get64(index, false), index += 8; i--; index += SECTION_SIZE)
			put64(index, get64(index, false) - gap, false);
	}
	shift_sections(image, start, -gap);
	append(&out, image->data, PERF_HEADER_SIZE);
	append(&out, image->data + start, image->len - start);
	pad(&out, 8);
	for (i = 0; i < len; i += attr_size) {
		unsigned char *ids = image->data + attrs + i + attr_size - SECTION_SIZE;
		uint64_t at = out.len;

		append(&out, image->data + get64(ids, false), get64(ids + 8, false));
		put64(ids, at, false);
	}
	put64(out.data + PERF_ATTRS, out.len, false);
	put64(out.data + PERF_DATA, PERF_HEADER_SIZE, false);
	append(&out, image->data + attrs, len);
	save(&out, argv[1]);
	return 0;
}

/* Ids behind the attributes, instead of in front as perf has them. */
static int make_swap(int argc, char **argv)
{
	static unsigned char gap[65536];
	struct image *image;
	uint64_t attrs, len, attr_size, i, to = PERF_HEADER_SIZE;

	if (argc != 2)
		return -1;
	image = load(argv[0]);
	attrs = get64(image->data + PERF_ATTRS, false);
	len = get64(image->data + PERF_ATTRS + 8, false);
	attr_size = get64(image->data + PERF_ATTR_SIZE, false);
	if (attrs + len > sizeof(gap))
		die("too many events");
	memcpy(gap, image->data, attrs + len);
	memcpy(image->data + to, gap + attrs, len);
	put64(image->data + PERF_ATTRS, to, false);
	to += len;
	for (i = attr_size; i <= len; i += attr_size) {
		unsigned char *ids = image->data + PERF_HEADER_SIZE + i - SECTION_SIZE;
		const uint64_t from = get64(ids, false), size = get64(ids + 8, false);

		memcpy(image->data + to, gap + from, size);
		put64(ids, to, false);
		to += size;
	}
	save(image, argv[1]);
	return 0;
}

static void move_address(unsigned char *p, uint64_t from, uint64_t to)
{
	const uint64_t address = get64(p, false);

	if (address >= from && address - from < 1 << 28)
		put64(p, address - from + to, false);
}

/* Any eight aligned bytes in a sample that look like an address of the kernel are taken for one. */
static int make_move(int argc, char **argv)
{
	struct image *image;
	uint64_t at, end, from, to;
	unsigned char *arch;

	if (argc != 5)
		return -1;
	image = load(argv[0]);
	from = number(argv[3]);
	to = number(argv[4]);
	arch = image->data + get64(feature(image, FEATURE_ARCH), false) + 4;
	memset(arch, 0, 16);
	memcpy(arch, argv[2], strnlen(argv[2], 15));
	end = data_end(image);
	for (at = get64(image->data + PERF_DATA, false); at < end;) {
		unsigned char *record = image->data + at;
		const uint16_t size = get16(record + RECORD_SIZE, false);
		unsigned int i;

		if (size < RECORD_HEADER_SIZE || !in_bounds(at, size, end))
			die("damaged records");
		for (i = RECORD_HEADER_SIZE; i + 8u <= size; i += 8)
			if (get32(record + RECORD_TYPE, false) == RECORD_SAMPLE)
				move_address(record + i, from, to);
		at += size;
	}
	save(image, argv[1]);
	return 0;
}

static size_t id_size(uint64_t type)
{
	return 8 * (size_t)__builtin_popcountll(type & (SAMPLE_TYPE_TID | SAMPLE_TYPE_TIME |
							SAMPLE_TYPE_ID | SAMPLE_TYPE_STREAM_ID |
							SAMPLE_TYPE_CPU | SAMPLE_TYPE_IDENTIFIER));
}

/* A number of so many bytes is turned around; returns where the next one is. */
static unsigned char *turn(unsigned char *p, unsigned int bytes)
{
	put_bytes(p, get_bytes(p, bytes, false), bytes, true);
	return p + bytes;
}

static void turn_all(unsigned char *p, const char *bytes)
{
	while (*bytes)
		p = turn(p, (unsigned int)(*bytes++ - '0'));
}

/* Fields in their order; two of them are pairs of 32 bits. */
static unsigned char *turn_fields(unsigned char *p, uint64_t type, const uint64_t *fields)
{
	for (; *fields; fields++) {
		if (!(type & *fields))
			continue;
		if (*fields == SAMPLE_TYPE_TID || *fields == SAMPLE_TYPE_CPU)
			p = turn(turn(p, 4), 4);
		else
			p = turn(p, 8);
	}
	return p;
}

static void turn_attr(unsigned char *p, size_t size)
{
	unsigned int i, byte;

	/* the bit field stays where it is, with the bits of each byte in the other order */
	for (i = ATTR_FLAGS; i < ATTR_FLAGS + 8; i++) {
		for (byte = 0; byte < 4; byte++) {
			const unsigned int low = p[i] >> byte & 1, high = p[i] >> (7 - byte) & 1;

			p[i] = (unsigned char)((p[i] & ~(1 << byte | 1 << (7 - byte))) |
					       low << (7 - byte) | high << byte);
		}
	}
	turn_all(p, "448888");
	/* as far as version 6 */
	if (size < 120)
		die("attr of an old version");
	turn_all(p + ATTR_FLAGS + 8, "4488884484224");
}

/* Returns whether it is one of those that are kept. */
static bool turn_record(unsigned char *p, uint64_t type)
{
	static const uint64_t in_sample[] = {
		SAMPLE_TYPE_IDENTIFIER, SAMPLE_TYPE_IP, SAMPLE_TYPE_TID, SAMPLE_TYPE_TIME,
		SAMPLE_TYPE_ADDR, SAMPLE_TYPE_ID, SAMPLE_TYPE_STREAM_ID, SAMPLE_TYPE_CPU,
		SAMPLE_TYPE_PERIOD, 0,
	};
	static const uint64_t in_id[] = {
		SAMPLE_TYPE_TID, SAMPLE_TYPE_TIME, SAMPLE_TYPE_ID, SAMPLE_TYPE_STREAM_ID,
		SAMPLE_TYPE_CPU, SAMPLE_TYPE_IDENTIFIER, 0,
	};
	const unsigned int size = get16(p + RECORD_SIZE, false);
	unsigned char *body = p + RECORD_HEADER_SIZE;

	switch (get32(p + RECORD_TYPE, false)) {
	case RECORD_MMAP:
		turn_all(body, "44888");
		break;
	case RECORD_MMAP2:
		turn_all(body, get16(p + RECORD_MISC, false) & MISC_MMAP_BUILD_ID ? "44888" :
											"448884488");
		turn_all(p + 64, "44");
		break;
	case 3: /* PERF_RECORD_COMM */
		turn_all(body, "44");
		break;
	case 4: /* PERF_RECORD_EXIT */
	case 7: /* PERF_RECORD_FORK */
		turn_all(body, "44448");
		break;
	case RECORD_SAMPLE:
		for (body = turn_fields(body, type, in_sample); body + 8 <= p + size;)
			body = turn(body, 8);
		break;
	case 68: /* PERF_RECORD_FINISHED_ROUND */
		break;
	default:
		return false;
	}
	if (get32(p + RECORD_TYPE, false) < 64 && get32(p + RECORD_TYPE, false) != RECORD_SAMPLE)
		turn_fields(p + size - id_size(type), type, in_id);
	turn_all(p, "422");
	return true;
}

static bool turn_feature(unsigned int bit, unsigned char *p, size_t len)
{
	size_t at, size;

	switch (bit) {
	case FEATURE_BUILD_ID:
		for (at = 0; at + RECORD_HEADER_SIZE <= len; at += size) {
			size = get16(p + at + RECORD_SIZE, false);
			if (size < RECORD_HEADER_SIZE)
				die("damaged build-ids");
			turn_all(p + at, "4224");
		}
		return true;
	case FEATURE_TOTAL_MEM:
		turn_all(p, "8");
		return true;
	case FEATURE_SAMPLE_TIME:
		turn_all(p, "88");
		return true;
	case FEATURE_HOSTNAME:
	case FEATURE_OSRELEASE:
	case FEATURE_ARCH:
		turn_all(p, "4");
		return true;
	default:
		return false;
	}
}

static int make_big(int argc, char **argv)
{
	static struct image out;
	struct image *image;
	uint64_t at, attrs, len, attr_size, i, type;
	unsigned char bitmap[PERF_FEATURE_BITS / 8] = { 0 }, *table;
	unsigned int bit, word, kept = 0;

	if (argc != 3)
		return -1;
	image = load(argv[0]);
	word = (unsigned int)number(argv[2]);
	attrs = get64(image->data + PERF_ATTRS, false);
	len = get64(image->data + PERF_ATTRS + 8, false);
	attr_size = get64(image->data + PERF_ATTR_SIZE, false);
	type = get64(image->data + attrs + ATTR_SAMPLE_TYPE, false);

	append(&out, "2ELIFREP", 8);
	append(&out, NULL, PERF_HEADER_SIZE - 8);
	put64(out.data + PERF_SIZE, PERF_HEADER_SIZE, true);
	put64(out.data + PERF_ATTR_SIZE, attr_size, true);
	put64(out.data + PERF_ATTRS, PERF_HEADER_SIZE, true);
	put64(out.data + PERF_ATTRS + 8, len, true);
	append(&out, image->data + attrs, len);
	for (i = 0; i < len; i += attr_size) {
		unsigned char *entry = out.data + PERF_HEADER_SIZE + i;
		unsigned char *ids = entry + attr_size - SECTION_SIZE;
		const uint64_t n = get64(ids + 8, false);
		unsigned char *p = append(&out, image->data + get64(ids, false), n);

		put64(ids, (uint64_t)(p - out.data), false);
		for (; p < out.data + out.len; p += 8)
			turn(p, 8);
		turn_attr(entry, attr_size - SECTION_SIZE);
		turn_all(ids, "88");
	}

	put64(out.data + PERF_DATA, out.len, true);
	for (at = get64(image->data + PERF_DATA, false); at < data_end(image);) {
		const unsigned int size = get16(image->data + at + RECORD_SIZE, false);

		if (size < RECORD_HEADER_SIZE)
			die("damaged records");
		if (turn_record(image->data + at, type))
			append(&out, image->data + at, size);
		at += size;
	}
	put64(out.data + PERF_DATA + 8, out.len - get64(out.data + PERF_DATA, true), true);

	table = append(&out, NULL, 32 * SECTION_SIZE);
	for (bit = 0; bit < 32; bit++) {
		unsigned char *p;

		if (!(get64(image->data + PERF_FEATURES, false) >> bit & 1))
			continue;
		p = feature(image, bit);
		at = get64(p, false);
		len = get64(p + 8, false);
		if (!turn_feature(bit, image->data + at, len))
			continue;
		put64(table + kept * SECTION_SIZE, out.len, true);
		put64(table + kept * SECTION_SIZE + 8, len, true);
		kept++;
		append(&out, image->data + at, len);
		put_bytes(bitmap + bit / (8 * word) * word,
			  get_bytes(bitmap + bit / (8 * word) * word, word, true) |
			  1ull << bit % (8 * word), word, true);
	}
	memcpy(out.data + PERF_FEATURES, bitmap, sizeof(bitmap));
	save(&out, argv[1]);
	return 0;
}

/* Bytes come in at @at; correcting what points behind it is the caller's. */
static void insert(struct image *image, uint64_t at, const void *bytes, size_t len)
{
	const size_t behind = image->len - at;

	append(image, NULL, len);
	memmove(image->data + at + len, image->data + at, behind);
	memcpy(image->data + at, bytes, len);
}

static int make_guest(int argc, char **argv)
{
	static const char name[] = "[guest.kernel.kallsyms]_text";
	unsigned char record[MMAP_NAME + 32 + 64] = { 0 };
	struct image *image;
	uint64_t attrs;
	size_t size;

	if (argc != 2)
		return -1;
	image = load(argv[0]);
	attrs = get64(image->data + PERF_ATTRS, false);
	size = MMAP_NAME + 32 + id_size(get64(image->data + attrs + ATTR_SAMPLE_TYPE, false));
	put32(record + RECORD_TYPE, RECORD_MMAP, false);
	/* PERF_RECORD_MISC_GUEST_KERNEL */
	put16(record + RECORD_MISC, 4, false);
	put16(record + RECORD_SIZE, (uint16_t)size, false);
	put64(record + MMAP_START, 0xffffffff99000000, false);
	put64(record + MMAP_LEN, 0x1000000, false);
	put64(record + MMAP_PGOFF, 0xffffffff99000000, false);
	memcpy(record + MMAP_NAME, name, sizeof(name));
	shift_sections(image, get64(image->data + PERF_DATA, false), size);
	insert(image, get64(image->data + PERF_DATA, false), record, size);
	put64(image->data + PERF_DATA + 8, get64(image->data + PERF_DATA + 8, false) + size, false);
	save(image, argv[1]);
	return 0;
}

/* The record and 64 bytes of payload end the data; the index is feature 18. */
static int make_aux(int argc, char **argv)
{
	unsigned char record[48 + 64] = { 0 }, entry[SECTION_SIZE], index[24];
	const size_t record_len = 48;
	struct image *image;
	uint64_t end, table, features;

	if (argc != 2)
		return -1;
	image = load(argv[0]);
	end = data_end(image);
	features = get64(image->data + PERF_FEATURES, false);
	put32(record + RECORD_TYPE, RECORD_AUXTRACE, false);
	put16(record + RECORD_SIZE, (uint16_t)record_len, false);
	put64(record + AUXTRACE_PAYLOAD, 64, false);
	memset(record + record_len, 'x', 64);
	shift_sections(image, end, sizeof(record) + SECTION_SIZE);
	insert(image, end, record, sizeof(record));
	put64(image->data + PERF_DATA + 8,
	      get64(image->data + PERF_DATA + 8, false) + sizeof(record), false);

	table = data_end(image) +
		SECTION_SIZE * (size_t)__builtin_popcountll(features & ((1ull << FEATURE_AUXTRACE) - 1));
	pad(image, 8);
	put64(entry, image->len + SECTION_SIZE, false);
	put64(entry + 8, sizeof(index), false);
	insert(image, table, entry, sizeof(entry));
	put64(image->data + PERF_FEATURES, features | 1ull << FEATURE_AUXTRACE, false);
	put64(index, 1, false);
	put64(index + 8, end, false);
	put64(index + 16, record_len + 64, false);
	append(image, index, sizeof(index));
	save(image, argv[1]);
	return 0;
}

static int make_rounds(int argc, char **argv)
{
	static const unsigned char round[RECORD_HEADER_SIZE] = { 68, 0, 0, 0, 0, 0, 8, 0 };
	struct image *image;
	uint64_t n, i;

	if (argc != 3)
		return -1;
	image = load(argv[0]);
	n = number(argv[2]);
	shift_sections(image, get64(image->data + PERF_DATA, false), n * sizeof(round));
	for (i = 0; i < n; i++)
		insert(image, get64(image->data + PERF_DATA, false), round, sizeof(round));
	put64(image->data + PERF_DATA + 8,
	      get64(image->data + PERF_DATA + 8, false) + n * sizeof(round), false);
	save(image, argv[1]);
	return 0;
}

static int make_hollow(int argc, char **argv)
{
	static const char name[] = "[kernel.kallsyms]_text";
	unsigned char record[MMAP_NAME + 24 + 64] = { 0 };
	struct image *image;
	uint64_t at = PERF_PIPE_HEADER_SIZE;
	size_t size;

	if (argc != 2)
		return -1;
	image = load(argv[0]);
	size = MMAP_NAME + 24 +
	       id_size(get64(image->data + at + RECORD_HEADER_SIZE + ATTR_SAMPLE_TYPE, false));
	put32(record + RECORD_TYPE, RECORD_MMAP, false);
	put16(record + RECORD_MISC, MISC_KERNEL, false);
	put16(record + RECORD_SIZE, (uint16_t)size, false);
	put32(record + MMAP_PID, UINT32_MAX, false);
	put64(record + MMAP_LEN, UINT64_MAX, false);
	memcpy(record + MMAP_NAME, name, sizeof(name));
	while (get32(image->data + at, false) >= RECORD_ATTR)
		at += get16(image->data + at + RECORD_SIZE, false);
	insert(image, at, record, size);
	save(image, argv[1]);
	return 0;
}

/* A second in between, so that time goes on; what is no sample comes once, in front. */
static int make_repeat(int argc, char **argv)
{
	static const unsigned char round[RECORD_HEADER_SIZE] = { 68, 0, 0, 0, 0, 0, 8, 0 };
	static struct image samples;
	struct image *image;
	uint64_t at, end, left, type, time_at, written;
	unsigned char head[16];
	FILE *file;

	if (argc != 3)
		return -1;
	image = load(argv[0]);
	end = data_end(image);
	type = get64(image->data + get64(image->data + PERF_ATTRS, false) + ATTR_SAMPLE_TYPE, false);
	time_at = RECORD_HEADER_SIZE + id_size(type & SAMPLE_TYPE_IDENTIFIER) +
		  (type & SAMPLE_TYPE_IP ? 8 : 0) + id_size(type & SAMPLE_TYPE_TID);
	for (at = get64(image->data + PERF_DATA, false); at < end;) {
		const unsigned int size = get16(image->data + at + RECORD_SIZE, false);

		if (get32(image->data + at, false) == RECORD_SAMPLE)
			append(&samples, image->data + at, size);
		at += size;
	}
	append(&samples, round, sizeof(round));

	file = fopen(argv[1], "w");
	if (!file || fwrite(image->data, 1, end, file) != end ||
	    fwrite(round, 1, sizeof(round), file) != sizeof(round))
		die(argv[1]);
	written = sizeof(round);
	for (left = number(argv[2]); left >= samples.len; left -= samples.len) {
		for (at = 0; at < samples.len; at += get16(samples.data + at + RECORD_SIZE, false))
			if (get32(samples.data + at, false) == RECORD_SAMPLE)
				put64(samples.data + at + time_at,
				      get64(samples.data + at + time_at, false) + 1000000000, false);
		if (fwrite(samples.data, 1, samples.len, file) != samples.len)
			die(argv[1]);
		written += samples.len;
	}
	shift_sections(image, end, written);
	if (fwrite(image->data + end, 1, image->len - end, file) != image->len - end)
		die(argv[1]);
	put64(head, get64(image->data + PERF_DATA, false), false);
	put64(head + 8, end - get64(image->data + PERF_DATA, false) + written, false);
	if (fseek(file, PERF_DATA, SEEK_SET) || fwrite(head, 1, 16, file) != 16 || fclose(file))
		die(argv[1]);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*make)(int argc, char **argv);
	} makers[] = {
		{ "vmlinux", make_vmlinux }, { "notes", make_notes },
		{ "kcore", make_kcore },     { "put", make_put },
		{ "section", make_section }, { "grow", make_grow },
		{ "claim", make_claim },     { "tight", make_tight },
		{ "swap", make_swap },	     { "move", make_move },
		{ "big", make_big },	     { "guest", make_guest },
		{ "aux", make_aux },	     { "rounds", make_rounds },
		{ "hollow", make_hollow },   { "repeat", make_repeat },
	};
	unsigned int i;

	for (i = 0; argc > 1 && i < ARRAY_SIZE(makers); i++)
		if (!strcmp(makers[i].name, argv[1]) && !makers[i].make(argc - 2, argv + 2))
			return 0;
	fprintf(stderr, "craft: see the head of its source for usage\n");
	return 2;
}
