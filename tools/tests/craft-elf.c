// SPDX-License-Identifier: GPL-2.0-only
/*
 * Writes an ELF file from a description: kernels and modules with just the symbols that a test is
 * about. Nothing is checked, so that it can write wrong ones, too.
 *
 *	craft-elf OUT < DESCRIPTION
 *
 * A description has one of these on a line; numbers are hexadecimal:
 *
 *	arch x86_64|ppc64le|ppc64|ppc64-elfv1
 *	build-id HEX
 *	rel					a relocatable file, such as a module
 *	core					a core file: a segment for each section that is loaded
 *	section NAME ADDRESS SIZE [x][w][n]	of zeros; x: code, w: data, n: not loaded
 *	code ADDRESS HEX			bytes at an address of a section that was named before
 *	symbol NAME VALUE SIZE TYPE BIND SECTION [OTHER]
 *						TYPE: func, object, notype, section, file; BIND: local,
 *						global, weak; SECTION: its name, abs or undef
 *	hole SIZE				a section that is not loaded and not written
 *	no-symtab				leave the symbols out
 */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "kreloc.h"

#define SECTIONS_MAX	64
#define STRINGS_MAX	(1u << 22)

struct section {
	char name[64];
	uint32_t type;
	uint32_t link;
	uint64_t flags;
	uint64_t addr;
	uint64_t size;
	uint64_t entsize;
	unsigned char *data;
};

static bool big, rel, core, no_symtab;
static unsigned int machine = EM_X86_64, flags;
static struct section sections[SECTIONS_MAX] = { { .type = SHT_NULL } };
static unsigned int nr_sections = 1;
static Elf64_Sym *symbols;
static size_t nr_symbols = 1, symbols_room;
static char strings[STRINGS_MAX];
static size_t strings_len = 1;

/* It does one thing and ends. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void die(const char *what)
{
	fprintf(stderr, "craft-elf: %s\n", what);
	exit(1);
}

static struct section *add_section(const char *name, uint64_t addr, uint64_t size)
{
	struct section *section = &sections[nr_sections++];

	if (nr_sections == SECTIONS_MAX - 3)
		die("too many sections");
	snprintf(section->name, sizeof(section->name), "%s", name);
	section->type = SHT_PROGBITS;
	section->addr = addr;
	section->size = size;
	section->data = calloc(1, size ? size : 1);
	if (!section->data)
		die("out of memory");
	return section;
}

static unsigned int section_index(const char *name)
{
	unsigned int i;

	if (!strcmp(name, "abs"))
		return SHN_ABS;
	if (!strcmp(name, "undef"))
		return SHN_UNDEF;
	for (i = 1; i < nr_sections; i++)
		if (!strcmp(sections[i].name, name))
			return i;
	die(name);
	return 0;
}

static unsigned int from_hex(const char *hex, unsigned char *bytes, unsigned int room)
{
	unsigned int n = 0, byte;

	for (; n < room && sscanf(hex, "%2x", &byte) == 1 && hex[0] && hex[1]; hex += 2)
		bytes[n++] = (unsigned char)byte;
	return n;
}

static void set_arch(const char *name)
{
	machine = strcmp(name, "x86_64") ? EM_PPC64 : EM_X86_64;
	big = !strncmp(name, "ppc64", 5) && strcmp(name, "ppc64le");
	flags = !strcmp(name, "ppc64le") || !strcmp(name, "ppc64") ? 2 : 0;
}

static void add_build_id(const char *hex)
{
	struct section *note = add_section(".notes", 0, 16 + BUILD_ID_LEN);
	const unsigned int n = from_hex(hex, note->data + 16, BUILD_ID_LEN);

	note->type = SHT_NOTE;
	put32(note->data, 4, big);
	put32(note->data + 4, n, big);
	put32(note->data + 8, NT_GNU_BUILD_ID, big);
	memcpy(note->data + 12, "GNU", 4);
	note->size = 16 + n;
}

static void add_code(uint64_t addr, const char *hex)
{
	unsigned int i;

	for (i = 1; i < nr_sections; i++) {
		struct section *section = &sections[i];

		if (!(section->flags & SHF_ALLOC) || addr - section->addr >= section->size)
			continue;
		from_hex(hex, section->data + (addr - section->addr),
			 (unsigned int)(section->size - (addr - section->addr)));
		return;
	}
	die("code in no section");
}

static unsigned int type_of(const char *name)
{
	static const char *const names[] = { "notype", "object", "func", "section", "file" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return i;
	die(name);
	return 0;
}

static void add_symbol(const char *name, uint64_t value, uint64_t size, const char *type,
		       const char *bind, const char *section, unsigned int other)
{
	const unsigned int binding = !strcmp(bind, "weak") ? STB_WEAK :
				     !strcmp(bind, "local") ? STB_LOCAL : STB_GLOBAL;
	const size_t len = strlen(name) + 1;
	unsigned char *sym;

	if (nr_symbols + 1 >= symbols_room) {
		symbols_room = symbols_room ? 2 * symbols_room : 1024;
		symbols = realloc(symbols, symbols_room * sizeof(*symbols));
		if (!symbols)
			die("out of memory");
		memset(symbols, 0, sizeof(*symbols));
	}
	if (strings_len + len > STRINGS_MAX)
		die("too many names");
	sym = (unsigned char *)&symbols[nr_symbols++];
	put32(sym + offsetof(Elf64_Sym, st_name), (uint32_t)strings_len, big);
	sym[offsetof(Elf64_Sym, st_info)] = (unsigned char)ELF64_ST_INFO(binding, type_of(type));
	sym[offsetof(Elf64_Sym, st_other)] = (unsigned char)other;
	put16(sym + offsetof(Elf64_Sym, st_shndx), (uint16_t)section_index(section), big);
	put64(sym + offsetof(Elf64_Sym, st_value), value, big);
	put64(sym + offsetof(Elf64_Sym, st_size), size, big);
	memcpy(strings + strings_len, name, len);
	strings_len += len;
}

static void read_line(const char *line)
{
	static char a[4096], b[4096];
	char type[16], bind[16], section[64];
	unsigned long long x, y;
	unsigned int other = 0;
	int n;

	if (sscanf(line, "symbol %4095s %llx %llx %15s %15s %63s %x", a, &x, &y, type, bind,
		   section, &other) >= 6) {
		add_symbol(a, x, y, type, bind, section, other);
	} else if ((n = sscanf(line, "section %63s %llx %llx %15s", a, &x, &y, type)) >= 3) {
		struct section *s = add_section(a, x, y);

		s->flags = n == 4 && strchr(type, 'n') ? 0 : SHF_ALLOC;
		s->flags |= n == 4 && strchr(type, 'x') ? SHF_EXECINSTR : 0;
		s->flags |= n == 4 && strchr(type, 'w') ? SHF_WRITE : 0;
	} else if (sscanf(line, "code %llx %4095s", &x, b) == 2) {
		add_code(x, b);
	} else if (sscanf(line, "arch %4095s", a) == 1) {
		set_arch(a);
	} else if (sscanf(line, "build-id %4095s", a) == 1) {
		add_build_id(a);
	} else if (sscanf(line, "hole %llx", &x) == 1) {
		struct section *s = add_section(".debug_info", 0, 0);

		free(s->data);
		s->data = NULL;
		s->size = x;
	} else if (!strcmp(line, "rel")) {
		rel = true;
	} else if (!strcmp(line, "core")) {
		core = true;
	} else if (!strcmp(line, "no-symtab")) {
		no_symtab = true;
	} else if (*line && *line != '#') {
		die(line);
	}
}

static void add_tables(void)
{
	static char names[4096];
	struct section *section;
	size_t len = 1;
	unsigned int i;

	if (!no_symtab && symbols) {
		section = &sections[nr_sections++];
		*section = (struct section){ ".symtab", SHT_SYMTAB, nr_sections, 0, 0,
					     nr_symbols * sizeof(Elf64_Sym), sizeof(Elf64_Sym),
					     (unsigned char *)symbols };
		section = &sections[nr_sections++];
		*section = (struct section){ ".strtab", SHT_STRTAB, 0, 0, 0, strings_len, 0,
					     (unsigned char *)strings };
	}
	section = &sections[nr_sections++];
	*section = (struct section){ ".shstrtab", SHT_STRTAB, 0, 0, 0, 0, 0,
				     (unsigned char *)names };
	for (i = 1; i < nr_sections; i++) {
		const size_t n = strlen(sections[i].name) + 1;

		if (len + n > sizeof(names))
			die("too many section names");
		snprintf(names + len, sizeof(names) - len, "%s", sections[i].name);
		len += n;
	}
	section->size = len;
}

static void write_at(FILE *file, uint64_t at, const void *data, size_t len)
{
	if (fseeko(file, (off_t)at, SEEK_SET) || fwrite(data, 1, len, file) != len)
		die("cannot write");
}

/* Returns where the sections may begin. */
static uint64_t write_segments(FILE *file, const uint64_t offsets[SECTIONS_MAX], bool write)
{
	uint64_t at = sizeof(Elf64_Ehdr);
	unsigned int i;

	for (i = 1; core && i < nr_sections; i++) {
		const struct section *s = &sections[i];
		unsigned char phdr[sizeof(Elf64_Phdr)] = { 0 };

		if (!(s->flags & SHF_ALLOC))
			continue;
		put32(phdr + offsetof(Elf64_Phdr, p_type), PT_LOAD, big);
		put64(phdr + offsetof(Elf64_Phdr, p_offset), offsets[i], big);
		put64(phdr + offsetof(Elf64_Phdr, p_vaddr), s->addr, big);
		put64(phdr + offsetof(Elf64_Phdr, p_filesz), s->size, big);
		put64(phdr + offsetof(Elf64_Phdr, p_memsz), s->size, big);
		if (write)
			write_at(file, at, phdr, sizeof(phdr));
		at += sizeof(phdr);
	}
	return at;
}

static void write_header(FILE *file, uint64_t sections_at, uint64_t segments_end)
{
	unsigned char ehdr[sizeof(Elf64_Ehdr)] = { 0 };
	const uint64_t segments = (segments_end - sizeof(ehdr)) / sizeof(Elf64_Phdr);

	put32(ehdr, 0x464c457f, false); /* ELFMAG */
	ehdr[EI_CLASS] = ELFCLASS64;
	ehdr[EI_DATA] = big ? ELFDATA2MSB : ELFDATA2LSB;
	ehdr[EI_VERSION] = EV_CURRENT;
	put16(ehdr + offsetof(Elf64_Ehdr, e_type), core ? ET_CORE : rel ? ET_REL : ET_EXEC, big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_machine), (uint16_t)machine, big);
	put32(ehdr + offsetof(Elf64_Ehdr, e_version), EV_CURRENT, big);
	put64(ehdr + offsetof(Elf64_Ehdr, e_phoff), segments ? sizeof(ehdr) : 0, big);
	put64(ehdr + offsetof(Elf64_Ehdr, e_shoff), sections_at, big);
	put32(ehdr + offsetof(Elf64_Ehdr, e_flags), flags, big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_ehsize), sizeof(ehdr), big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_phentsize), sizeof(Elf64_Phdr), big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_phnum), (uint16_t)segments, big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_shentsize), sizeof(Elf64_Shdr), big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_shnum), (uint16_t)nr_sections, big);
	put16(ehdr + offsetof(Elf64_Ehdr, e_shstrndx), (uint16_t)(nr_sections - 1), big);
	write_at(file, 0, ehdr, sizeof(ehdr));
}

static void write_file(const char *path)
{
	uint64_t at, offsets[SECTIONS_MAX] = { 0 };
	FILE *file = fopen(path, "w");
	uint64_t segments_end;
	uint32_t name = 1;
	unsigned int i;

	if (!file)
		die(strerror(errno));
	segments_end = at = write_segments(file, offsets, false);
	for (i = 1; i < nr_sections; i++) {
		at = round_up(at, 16);
		offsets[i] = at;
		if (sections[i].data)
			write_at(file, at, sections[i].data, sections[i].size);
		at += sections[i].size;
	}
	at = round_up(at, 16);
	write_segments(file, offsets, true);
	write_header(file, at, segments_end);
	for (i = 0; i < nr_sections; i++) {
		unsigned char shdr[sizeof(Elf64_Shdr)] = { 0 };
		const struct section *s = &sections[i];

		if (i) {
			put32(shdr + offsetof(Elf64_Shdr, sh_name), name, big);
			put32(shdr + offsetof(Elf64_Shdr, sh_type), s->type, big);
			put64(shdr + offsetof(Elf64_Shdr, sh_flags), s->flags, big);
			put64(shdr + offsetof(Elf64_Shdr, sh_addr), s->addr, big);
			put64(shdr + offsetof(Elf64_Shdr, sh_offset), offsets[i], big);
			put64(shdr + offsetof(Elf64_Shdr, sh_size), s->size, big);
			put32(shdr + offsetof(Elf64_Shdr, sh_link), s->link, big);
			put64(shdr + offsetof(Elf64_Shdr, sh_addralign), 1, big);
			put64(shdr + offsetof(Elf64_Shdr, sh_entsize), s->entsize, big);
			name += (uint32_t)strlen(s->name) + 1;
		}
		write_at(file, at + i * sizeof(shdr), shdr, sizeof(shdr));
	}
	if (fclose(file))
		die(strerror(errno));
}

int main(int argc, char **argv)
{
	static char line[8192];

	if (argc != 2)
		die("usage: craft-elf OUT < DESCRIPTION");
	while (fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		read_line(line);
	}
	add_tables();
	write_file(argv[1]);
	return 0;
}
