// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc check: does this vmlinux describe that kernel, symbol by symbol?
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "code.h"
#include "compare.h"
#include "lookup.h"
#include "output.h"
#include "place.h"
#include "trace.h"

#define PROC_KALLSYMS	"/proc/kallsyms"
#define NOTES_MAX	(64u << 10)
/* Of a table that differs altogether, some examples do. */
#define LIST_SHORT	20

static void help(void)
{
	puts("Usage: kreloc check --vmlinux=FILE [OPTION]...\n"
	     "Compare the symbols of a vmlinux with those of a kernel's kallsyms, in both\n"
	     "directions, and say what it means where they differ.\n"
	     "\n"
	     "Options:\n"
	     "  -k, --vmlinux=FILE   the vmlinux\n"
	     "  -l, --kallsyms=FILE  a copy of /proc/kallsyms; without it, that of the running\n"
	     "                       kernel, whose build-id must be that of the vmlinux\n"
	     "  -n, --notes=FILE     a copy of /sys/kernel/notes, whose build-id must be too\n"
	     "  -o, --offset=HEX     compare at this offset; without it, the symbols tell\n"
	     "  -t, --stamp=TRACE    compare at the offset that a trace file has\n"
	     "  -c, --kcore          compare code too: a sample of the running kernel's,\n"
	     "                       through /proc/kcore\n"
	     "  -A, --all            list all symbols that differ, not just the first 20\n"
	     "  -j, --json           print a JSON object\n"
	     "  -h, --help           print this help\n"
	     "\n"
	     "Exit status: 0 they match; 1 failed or they do not match; 2 usage; 3 unknown,\n"
	     "since addresses are hidden or the trace file has none.");
}

/**
 * struct request - what the user wants
 * @vmlinux_path: never NULL
 * @kallsyms_path: or NULL: the running kernel's
 * @notes_path:	or NULL
 * @trace_path:	where the offset is to be taken from, or NULL
 * @has_offset:	@offset was given
 * @offset:	compare at this one
 * @kcore:	compare code, too
 * @all:	list all
 * @json:	in JSON
 */
struct request {
	const char *vmlinux_path;
	const char *kallsyms_path;
	const char *notes_path;
	const char *trace_path;
	bool has_offset;
	uint64_t offset;
	bool kcore;
	bool all;
	bool json;
};

static const char *kallsyms_name(const struct request *req)
{
	return req->kallsyms_path ? req->kallsyms_path : PROC_KALLSYMS;
}

/* As scripts see it. */
static const char *const verdict_names[] = {
	[VERDICT_MATCH] = "match",
	[VERDICT_DIFFERS] = "differs",
	[VERDICT_RELOCATED] = "relocated",
	[VERDICT_SHIFTED] = "shifted",
	[VERDICT_LOCAL_ENTRY] = "local-entry",
	[VERDICT_ENDBR] = "endbr",
	[VERDICT_PERCPU] = "percpu",
	[VERDICT_TRUNCATED] = "truncated",
	[VERDICT_INCOMPLETE] = "incomplete",
	[VERDICT_OTHER_KERNEL] = "other-kernel",
	[VERDICT_HIDDEN] = "hidden",
};

static const char *const kind_names[MISMATCH_KINDS] = {
	[MISMATCH_MISSING] = "missing",
	[MISMATCH_EXTRA] = "extra",
	[MISMATCH_MOVED] = "moved",
	[MISMATCH_RENAMED] = "renamed",
};

#define SIGNED_LEN	24

/* A distance as people say it. */
static const char *signed_hex(uint64_t by, char buf[SIGNED_LEN])
{
	const bool negative = by >> 63;
	const unsigned long long distance = negative ? -by : by;

	snprintf(buf, SIGNED_LEN, "%c0x%llx", negative ? '-' : '+', distance);
	return buf;
}

/* As people see it: what is wrong and what to do. */
static void explain_verdict(const struct request *req, const struct comparison *c)
{
	const unsigned long long right = c->offset + c->shift;
	const char *name = kallsyms_name(req);
	char by[SIGNED_LEN];

	switch (c->verdict) {
	case VERDICT_MATCH:
		break;
	case VERDICT_DIFFERS:
		complain(name, "%zu of %zu symbols do not match", c->affected,
			 c->expected + c->counts[MISMATCH_EXTRA]);
		break;
	case VERDICT_RELOCATED:
		complain(name, "relocated by %s from there: pass --offset=0x%llx",
			 signed_hex(c->shift, by), right);
		break;
	case VERDICT_SHIFTED:
		complain(name, "every address is off by %s, and no kernel moves by that: is it a copy of /proc/kallsyms?",
			 signed_hex(c->shift, by));
		break;
	case VERDICT_LOCAL_ENTRY:
		complain(name, "holds local entry points: %zu functions are too high, each by the distance of its own",
			 c->affected);
		break;
	case VERDICT_ENDBR:
		complain(name, "holds what comes after ENDBR64: %zu functions are 4 too high",
			 c->affected);
		break;
	case VERDICT_PERCPU:
		complain(name, "%zu per-CPU symbols were moved by the offset; they are distances and do not move",
			 c->affected);
		break;
	case VERDICT_TRUNCATED:
		complain(name, "is truncated: %zu symbols behind its last one are missing", c->affected);
		break;
	case VERDICT_INCOMPLETE:
		complain(name, "is incomplete: %zu of %zu symbols are missing", c->affected,
			 c->expected);
		break;
	case VERDICT_OTHER_KERNEL:
		complain(name, "not the same kernel: %zu of %zu symbols are elsewhere, and no one distance explains it",
			 c->affected, c->nr_kallsyms);
		break;
	case VERDICT_HIDDEN:
		complain(name, "addresses are hidden, all are 0: read it as root, with kernel.kptr_restrict below 2");
		break;
	}
	if (c->in_kernel > c->nr_kallsyms)
		complain(name, "has %zu symbols; the kernel of this vmlinux has %zu", c->nr_kallsyms,
			 c->in_kernel);
}

static void print_json(struct output *out, const struct elf_file *file, const struct mismatch *m)
{
	const char *name = m->symbol ? elf_file_name(file, m->symbol) : NULL;
	struct output item;
	char sym[512];

	snprintf(sym, sizeof(sym), "%.*s", m->sym ? (int)m->sym->len : 0,
		 m->sym ? m->sym->name : "");
	output_start(&item, true);
	output_text(&item, "what", kind_names[m->kind]);
	output_text(&item, "name", name ? name : sym);
	output_address(&item, "vmlinux", m->symbol, m->symbol ? m->symbol->st_value : 0);
	output_address(&item, "kallsyms", m->sym, m->sym ? m->sym->addr : 0);
	if (m->kind == MISMATCH_MOVED)
		output_address(&item, "by", true, m->by);
	if (m->kind == MISMATCH_RENAMED)
		output_text(&item, "new-name", sym);
	if (m->taken)
		output_text(&item, "place-of", elf_file_name(file, m->taken));
	output_add(out, "mismatches", &item);
}

static void print_plain(struct output *out, const struct elf_file *file, const struct mismatch *m)
{
	const char *name = m->symbol ? elf_file_name(file, m->symbol) : "";
	const unsigned long long link = m->symbol ? m->symbol->st_value : 0;
	const unsigned long long addr = m->sym ? m->sym->addr : 0;
	const int len = m->sym ? (int)m->sym->len : 0;
	const char *sym = m->sym ? m->sym->name : "";
	char text[1024], by[SIGNED_LEN];

	switch (m->kind) {
	case MISMATCH_MISSING:
		snprintf(text, sizeof(text), "%s is missing, 0x%016llx in vmlinux", name, link);
		break;
	case MISMATCH_EXTRA:
		snprintf(text, sizeof(text), "%.*s is extra, at 0x%016llx", len, sym, addr);
		break;
	case MISMATCH_RENAMED:
		snprintf(text, sizeof(text), "%s is %.*s, at 0x%016llx", name, len, sym, addr);
		break;
	case MISMATCH_MOVED:
		if (!addr) {
			snprintf(text, sizeof(text), "%s is 0, 0x%016llx in vmlinux", name, link);
			break;
		}
		snprintf(text, sizeof(text), "%s is off by %s, at 0x%016llx%s%s%s", name,
			 signed_hex(m->by, by), addr, m->taken ? ", the place of " : "",
			 m->taken ? elf_file_name(file, m->taken) : "",
			 m->by && m->by == symbol_local_entry(file, m->symbol) ?
				 ", its local entry point" : "");
		break;
	}
	output_text(out, kind_names[m->kind], text);
}

static void print_list(const struct request *req, struct output *out, const struct elf_file *file,
		       const struct comparison *c)
{
	const size_t nr = req->all || c->nr <= LIST_SHORT ? c->nr : LIST_SHORT;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (req->json)
			print_json(out, file, &c->list[i]);
		else
			print_plain(out, file, &c->list[i]);
	}
	if (nr < c->nr)
		output_count(out, "not-listed", c->nr - nr);
}

static void print_code(struct output *out, const struct elf_file *file,
		       const struct code_comparison *code)
{
	static const char *const patches[PATCHES] = {
		[PATCH_ALTERNATIVE] = "code-alternatives",
		[PATCH_STATIC_KEY] = "code-static-keys",
		[PATCH_FTRACE] = "code-ftrace",
		[PATCH_CALL] = "code-calls",
		[PATCH_LOCK] = "code-locks",
		[PATCH_ADDRESS] = "code-addresses",
	};
	unsigned int i;

	output_count(out, "code-functions", code->functions);
	output_count(out, "code-bytes", code->bytes);
	output_count(out, "code-differing", code->differing);
	for (i = 0; i < PATCHES; i++)
		output_count(out, patches[i], code->explained[i]);
	output_count(out, "code-strange", code->strange);
	for (i = 0; !out->json && i < CODE_EXAMPLES && i < code->strange; i++)
		output_text(out, "strange", elf_file_name(file, code->examples[i]));
	output_text(out, "code", code_is_same(code) ? "same" : "other");
}

static void print(const struct request *req, const struct elf_file *file,
		  const struct vmlinux *vmlinux, const char *offset_source,
		  const struct comparison *c, const struct code_comparison *code)
{
	static const char *const counts[MISMATCH_KINDS] = {
		[MISMATCH_MISSING] = "only-vmlinux",
		[MISMATCH_EXTRA] = "only-kallsyms",
		[MISMATCH_MOVED] = "off",
		[MISMATCH_RENAMED] = "other-name",
	};
	const bool known = c->offset_known && c->verdict != VERDICT_OTHER_KERNEL;
	struct output out;
	unsigned int i;

	output_start(&out, req->json);
	output_text(&out, "vmlinux", vmlinux->path);
	output_text(&out, "kallsyms", kallsyms_name(req));
	output_build_id(&out, "build-id", &vmlinux->build_id);
	output_address(&out, "offset", known, c->offset);
	output_text(&out, "source", known ? offset_source : NULL);
	output_count(&out, "vmlinux-symbols", c->expected);
	output_count(&out, "kallsyms-symbols", c->nr_kallsyms);
	output_count(&out, "matched", c->matched);
	for (i = 0; i < MISMATCH_KINDS; i++)
		output_count(&out, counts[i], c->counts[i]);
	print_list(req, &out, file, c);
	if (code)
		print_code(&out, file, code);
	output_text(&out, "verdict", verdict_names[c->verdict]);
	output_end(&out);
}

/* A copy of /sys/kernel/notes. It is of the same machine as the vmlinux, or it is not the same. */
static int read_notes(const char *path, bool big, struct build_id *id, struct why *why)
{
	unsigned char notes[NOTES_MAX];
	const unsigned char *desc;
	size_t desc_len;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return fail(why, "%s: %s", path, strerror(errno));
	n = pread_full(fd, notes, sizeof(notes), 0);
	close(fd);
	if (n < 0)
		return fail(why, "%s: %s", path, strerror(errno));
	desc = note_find(notes, (size_t)n, big, "GNU", NT_GNU_BUILD_ID, &desc_len);
	if (!desc)
		return fail(why, "%s: has no build-id: is it a copy of /sys/kernel/notes?", path);
	build_id_set(id, desc, desc_len);
	return 0;
}

/* Build-ids first: what follows would only say in more words that it is another kernel. */
static int check_build_ids(const struct request *req, const struct vmlinux *vmlinux,
			   struct why *why)
{
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];
	struct build_id id = { 0 };
	struct kernel kernel;

	if (!req->kallsyms_path) {
		kernel_running(&kernel);
		if (vmlinux_is_of(vmlinux, &kernel, why))
			return -1;
	}
	if (!req->notes_path)
		return 0;
	if (read_notes(req->notes_path, vmlinux->arch->big, &id, why))
		return -1;
	if (build_id_differ(&vmlinux->build_id, &id))
		return fail(why, "%s: build-id %s, and %s has %s: not the same kernel",
			    vmlinux->path, build_id_hex(&vmlinux->build_id, theirs),
			    req->notes_path, build_id_hex(&id, ours));
	return 0;
}

static int read_kallsyms(const struct request *req, struct kallsyms *kallsyms, struct why *why)
{
	int fd = req->kallsyms_path ? open(req->kallsyms_path, O_RDONLY | O_CLOEXEC) :
				      system_open(PROC_KALLSYMS);
	int err;

	if (fd < 0)
		return fail(why, "%s: %s", kallsyms_name(req), strerror(errno));
	err = kallsyms_read(fd, kallsyms, why);
	close(fd);
	if (err)
		explain(why, "%s: %s", kallsyms_name(req), why->text);
	return err;
}

/* The offset that the user wants them compared at. */
static int get_offset(const struct request *req, const struct vmlinux *vmlinux,
		      struct place *place, struct why *why)
{
	if (req->trace_path)
		return trace_place_of(req->trace_path, vmlinux, place, why);
	memset(place, 0, sizeof(*place));
	place->arch = vmlinux->arch;
	place->link = vmlinux->link;
	place->link_source = "vmlinux";
	place->text = vmlinux->link + req->offset;
	place->source = req->has_offset ? "given" : "kallsyms";
	return place_check(place, why) ? KRELOC_FAILED : KRELOC_DONE;
}

/* Only where the symbols tell where the code is. */
static int compare_code(const struct elf_file *file, const struct vmlinux *vmlinux,
			const struct comparison *comparison, struct code_comparison *code,
			struct why *why)
{
	struct kcore kcore;
	int err;

	if (comparison->verdict != VERDICT_MATCH && comparison->verdict != VERDICT_DIFFERS)
		return fail(why, KCORE ": not compared, since the symbols do not match");
	if (!comparison->offset_known)
		return fail(why, KCORE ": not compared, since the symbols do not tell the offset");
	if (kcore_open(&kcore, why))
		return -1;
	err = code_compare(file, vmlinux, comparison->offset, &kcore, code, why);
	kcore_close(&kcore);
	return err;
}

static int compare_and_print(const struct request *req, const struct elf_file *file,
			     const struct vmlinux *vmlinux, const struct place *place)
{
	const uint64_t offset = place_offset(place);
	struct code_comparison code;
	struct comparison comparison;
	struct kallsyms kallsyms;
	bool has_code = false;
	struct why why;
	int status = KRELOC_DONE;

	if (read_kallsyms(req, &kallsyms, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (compare(file, vmlinux, &kallsyms, req->has_offset || req->trace_path ? &offset : NULL,
		    &comparison, &why)) {
		complain(NULL, "%s", why.text);
		kallsyms_free(&kallsyms);
		return KRELOC_FAILED;
	}
	if (req->kcore) {
		has_code = !compare_code(file, vmlinux, &comparison, &code, &why);
		if (!has_code)
			complain(NULL, "%s", why.text);
		else if (!code_is_same(&code))
			complain(KCORE, "not the code of this vmlinux: %zu of %zu functions differ where a kernel does not patch itself",
				 code.strange, code.functions);
		if (!has_code || !code_is_same(&code))
			status = KRELOC_FAILED;
	}
	print(req, file, vmlinux, place->source, &comparison, has_code ? &code : NULL);
	explain_verdict(req, &comparison);
	if (comparison.verdict == VERDICT_HIDDEN)
		status = KRELOC_UNKNOWN;
	else if (comparison.verdict != VERDICT_MATCH)
		status = KRELOC_FAILED;
	comparison_free(&comparison);
	kallsyms_free(&kallsyms);
	return status;
}

static int check(const struct request *req)
{
	int status = KRELOC_FAILED;
	struct vmlinux vmlinux;
	struct elf_file file;
	struct place place;
	struct why why;

	if (elf_file_open(req->vmlinux_path, &file, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (!vmlinux_of(&file, &vmlinux, &why) && !check_build_ids(req, &vmlinux, &why))
		status = get_offset(req, &vmlinux, &place, &why);
	if (status == KRELOC_DONE)
		status = compare_and_print(req, &file, &vmlinux, &place);
	else
		complain(NULL, "%s", why.text);
	elf_file_close(&file);
	return status;
}

/**
 * cmd_check - kreloc check
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_check(int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'A' },
		{ "help", no_argument, NULL, 'h' },
		{ "json", no_argument, NULL, 'j' },
		{ "kallsyms", required_argument, NULL, 'l' },
		{ "kcore", no_argument, NULL, 'c' },
		{ "notes", required_argument, NULL, 'n' },
		{ "offset", required_argument, NULL, 'o' },
		{ "stamp", required_argument, NULL, 't' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	struct request req = { 0 };
	int c;

	while ((c = getopt_long(argc, argv, "Achjk:l:n:o:t:", options, NULL)) != -1) {
		switch (c) {
		case 'A':
			req.all = true;
			break;
		case 'c':
			req.kcore = true;
			break;
		case 'h':
			help();
			return KRELOC_DONE;
		case 'j':
			req.json = true;
			break;
		case 'k':
			req.vmlinux_path = optarg;
			break;
		case 'l':
			req.kallsyms_path = optarg;
			break;
		case 'n':
			req.notes_path = optarg;
			break;
		case 'o':
			req.has_offset = parse_hex(optarg, strlen(optarg), &req.offset);
			if (!req.has_offset) {
				complain(optarg, "not a hexadecimal number");
				return usage_error("check");
			}
			break;
		case 't':
			req.trace_path = optarg;
			break;
		default:
			return usage_error("check");
		}
	}
	if (optind < argc) {
		complain(argv[optind], "kreloc check takes no file but those of its options");
		return usage_error("check");
	}
	if (!req.vmlinux_path) {
		complain(NULL, "check: --vmlinux=FILE is needed");
		return usage_error("check");
	}
	if (req.has_offset && req.trace_path) {
		complain(NULL, "--offset and --stamp exclude each other");
		return usage_error("check");
	}
	return check(&req);
}
