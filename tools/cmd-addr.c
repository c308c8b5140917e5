// SPDX-License-Identifier: GPL-2.0-only
/*
 * kreloc addr: what are these addresses of a running kernel in its vmlinux? And back.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "filter.h"
#include "modules.h"
#include "resolve.h"
#include "symtab.h"
#include "trace.h"

/* More than a kernel ever loads. */
#define FILES_MAX	4096

static void help(void)
{
	puts("Usage: kreloc addr (--offset=HEX | --stamp=TRACE) [OPTION]... [ADDRESS]...\n"
	     "   or: kreloc addr [--offset=HEX | --stamp=TRACE] [OPTION]... <TEXT\n"
	     "   or: kreloc addr (--offset=HEX | --stamp=TRACE) --to-runtime [OPTION]...\n"
	     "                   SYMBOL|ADDRESS...\n"
	     "Print the link address and the symbol of run-time addresses. Without ADDRESS,\n"
	     "copy standard input to standard output, and say behind each kernel address in\n"
	     "it what it is. Text that kreloc stamp has stamped needs no other offset.\n"
	     "\n"
	     "Options:\n"
	     "  -o, --offset=HEX    the kernel's offset\n"
	     "  -t, --stamp=TRACE   take it from a trace file that has it\n"
	     "  -k, --vmlinux=FILE  the kernel's vmlinux, for the symbols; without it, only\n"
	     "                      link addresses are printed\n"
	     "  -r, --raw           print link addresses only, for addr2line, gdb or\n"
	     "                      llvm-symbolizer; of standard input, put them in the place\n"
	     "                      of the run-time addresses\n"
	     "  -R, --return        they are return addresses, as in call chains: the symbol\n"
	     "                      is that of the call before them\n"
	     "  -m, --modules=FILE  a copy of /proc/modules, to name addresses in modules\n"
	     "  -M, --ko=FILE       a module, to name its symbols too; may be given often\n"
	     "  -a, --aliases=RULE  which of several names for one address: kreloc or perf\n"
	     "  -u, --to-runtime    the other way round: print where a symbol or a link\n"
	     "                      address is in the running kernel\n"
	     "  -h, --help          print this help\n"
	     "\n"
	     "Of several names for one address, one with a size comes first, then global\n"
	     "before local before weak, then the one with fewer underscores in front, then\n"
	     "the order of the symbol table; perf's rule prefers the longer name before that.\n"
	     "\n"
	     "Exit status: 0 done; 1 failed or not in the kernel; 2 usage; 3 the offset is\n"
	     "unknown.");
}

/**
 * struct request - what the user wants
 * @has_offset:	@offset was given
 * @offset:	of the kernel
 * @trace_path:	where it is to be taken from, or NULL
 * @vmlinux_path: or NULL
 * @modules_path: or NULL
 * @files:	paths of modules
 * @nr_files:	number of these
 * @rule:	for aliases
 * @raw:	link addresses only
 * @returns:	they are return addresses
 * @to_runtime:	the other way round
 */
struct request {
	bool has_offset;
	uint64_t offset;
	const char *trace_path;
	const char *vmlinux_path;
	const char *modules_path;
	const char **files;
	size_t nr_files;
	enum alias_rule rule;
	bool raw;
	bool returns;
	bool to_runtime;
};

/**
 * struct inputs - what was opened for it
 * @in:		standard input, where it is read
 * @symtab:	where vmlinux_path was given
 * @modules:	where modules_path was given
 * @resolver:	points to them
 * @place:	of the kernel
 */
struct inputs {
	struct filter_in in;
	struct symtab symtab;
	struct modules modules;
	struct resolver resolver;
	struct place place;
};

/* Where the user gave an offset, all of the rest comes from vmlinux or from this machine. */
static int given_place(const struct request *req, const struct vmlinux *vmlinux,
		       struct place *place, struct why *why)
{
	struct kernel kernel;

	memset(place, 0, sizeof(*place));
	place->source = "--offset";
	if (vmlinux) {
		place->arch = vmlinux->arch;
		place->link = vmlinux->link;
		place->link_source = "vmlinux";
	} else {
		kernel_running(&kernel);
		place->arch = kernel.arch;
		if (!place->arch || link_find(&kernel, NULL, place, why)) {
			explain(why, "--offset needs --vmlinux=FILE: nothing here tells where the kernel was linked");
			return KRELOC_UNKNOWN;
		}
	}
	place->text = place->link + req->offset;
	return place_check(place, why) ? KRELOC_FAILED : KRELOC_DONE;
}

/*
 * What moves. Without a vmlinux it is the text, where anybody knows its size; else, where no other
 * image can be, all that is left of that place.
 */
static uint64_t image_size(const struct request *req, struct inputs *inputs)
{
	struct place *place = &inputs->place;
	const struct arch *arch = place->arch;

	if (req->vmlinux_path)
		return inputs->symtab.lookup.size;
	if (!place->text_size && req->has_offset)
		source_text_size(NULL, place);
	if (!place->text_size && arch->kcore_text)
		return (place_offset(place) ? arch->image_moved_end : arch->image_end) - place->text;
	return place->text_size;
}

/* By its first lines. */
static int place_of_input(struct filter_in *in, const struct vmlinux *vmlinux,
			  struct place *place, struct why *why)
{
	struct facts facts = { 0 };
	int status = KRELOC_FAILED;

	if (!text_facts(in->held, in->len, &facts, why)) {
		in->stamped = facts.has_block;
		if (in->stamped)
			facts.state = TRACE_STAMPED;
		status = trace_place(&facts, vmlinux, place, why);
		if (!in->stamped)
			explain(why, "has no stamp: give --offset=HEX or --stamp=TRACE");
	}
	if (status != KRELOC_DONE)
		explain(why, "standard input: %s", why->text);
	return status;
}

static int make_resolver(const struct request *req, struct inputs *inputs)
{
	const struct place *place = &inputs->place;
	const struct arch *arch = place->arch;
	struct resolver *resolver = &inputs->resolver;

	resolver->offset = place_offset(place);
	resolver->base = place->link;
	resolver->size = image_size(req, inputs);
	resolver->returns = req->returns;
	if (req->vmlinux_path)
		resolver->symtab = &inputs->symtab;
	if (!resolver->size) {
		complain(NULL, "--vmlinux=FILE is needed: nothing else tells how long the kernel is");
		return KRELOC_FAILED;
	}
	if (arch->kcore_text) {
		resolver->region = arch->image_start;
		resolver->region_size =
			(resolver->offset ? arch->image_moved_end : arch->image_end) -
			arch->image_start;
	}
	return KRELOC_DONE;
}

static int open_modules(const struct request *req, struct modules *modules)
{
	struct why why;
	size_t i;

	if (modules_read(req->modules_path, modules, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	for (i = 0; i < req->nr_files; i++) {
		if (!modules_add_file(modules, req->files[i], req->rule, &why))
			continue;
		complain(NULL, "%s", why.text);
		modules_free(modules);
		return KRELOC_FAILED;
	}
	return KRELOC_DONE;
}

static void close_inputs(const struct request *req, struct inputs *inputs)
{
	if (req->vmlinux_path)
		symtab_close(&inputs->symtab);
	if (inputs->resolver.modules)
		modules_free(&inputs->modules);
}

static int open_inputs(const struct request *req, bool read_input, struct inputs *inputs)
{
	const struct vmlinux *vmlinux = req->vmlinux_path ? &inputs->symtab.vmlinux : NULL;
	struct why why;
	int status;

	memset(inputs, 0, sizeof(*inputs));
	inputs->in.fd = STDIN_FILENO;
	if (read_input && filter_hold(&inputs->in, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (vmlinux && symtab_open(req->vmlinux_path, req->rule, &inputs->symtab, &why)) {
		complain(NULL, "%s", why.text);
		return KRELOC_FAILED;
	}
	if (req->trace_path)
		status = trace_place_of(req->trace_path, vmlinux, &inputs->place, &why);
	else if (req->has_offset)
		status = given_place(req, vmlinux, &inputs->place, &why);
	else
		status = place_of_input(&inputs->in, vmlinux, &inputs->place, &why);
	if (status != KRELOC_DONE)
		complain(NULL, "%s", why.text);
	if (status == KRELOC_DONE && req->modules_path) {
		status = open_modules(req, &inputs->modules);
		if (status == KRELOC_DONE)
			inputs->resolver.modules = &inputs->modules;
	}
	if (status == KRELOC_DONE)
		status = make_resolver(req, inputs);
	if (status != KRELOC_DONE)
		close_inputs(req, inputs);
	return status;
}

static void print_resolved(const struct resolved *resolved)
{
	if (resolved->as == RESOLVED_MODULE)
		printf(" -");
	else
		printf(" 0x%016llx", (unsigned long long)resolved->link);
	if (resolved->name)
		printf(" %s+0x%llx", resolved->name, (unsigned long long)resolved->offset);
	else if (!resolved->module)
		printf(" ?");
	if (resolved->local_entry)
		printf(" local entry");
	if (resolved->module && resolved->name)
		printf(" [%s]", resolved->module);
	else if (resolved->module)
		printf(" [%s]+0x%llx", resolved->module, (unsigned long long)resolved->offset);
	putchar('\n');
}

static void not_in_image(const char *argument, unsigned long long start, unsigned long long size)
{
	complain(argument, "not in the kernel's image, 0x%016llx to 0x%016llx", start, start + size);
}

static int print_address(struct inputs *inputs, const char *argument, bool raw)
{
	struct resolver *resolver = &inputs->resolver;
	struct resolved resolved;
	uint64_t addr;

	if (!parse_hex(argument, strlen(argument), &addr)) {
		complain(argument, "not a hexadecimal number");
		return KRELOC_USAGE;
	}
	resolve(resolver, addr, &resolved);
	if (resolved.as == RESOLVED_NOT || (raw && resolved.as == RESOLVED_MODULE)) {
		not_in_image(argument, resolver->base + resolver->offset, resolver->size);
		return KRELOC_FAILED;
	}
	if (raw) {
		printf("0x%016llx\n", (unsigned long long)resolved.link);
	} else {
		printf("0x%016llx", (unsigned long long)addr);
		print_resolved(&resolved);
	}
	return KRELOC_DONE;
}

static void print_runtime(const struct inputs *inputs, uint64_t link, const char *name,
			  unsigned int local_entry, bool raw)
{
	unsigned long long addr = link;

	addr += inputs->resolver.offset;
	printf("0x%016llx", addr);
	if (!raw && name)
		printf(" %s", name);
	if (!raw && local_entry)
		printf(" local entry 0x%016llx", addr + local_entry);
	putchar('\n');
}

/* "name" or "name+0x12". All symbols of that name: there can be several local ones. */
static bool print_symbol(const struct inputs *inputs, const char *argument, bool raw)
{
	const struct symtab *symtab = inputs->resolver.symtab;
	const char *plus = strchr(argument, '+');
	const size_t len = plus ? (size_t)(plus - argument) : strlen(argument);
	const Elf64_Sym *symbol = NULL;
	uint64_t distance = 0;
	bool found = false;

	if (!symtab || (plus && !parse_hex(plus + 1, strlen(plus + 1), &distance)))
		return false;
	while ((symbol = symtab_next(symtab, argument, len, symbol))) {
		print_runtime(inputs, symbol->st_value + distance, argument,
			      plus ? 0 : symbol_local_entry(&symtab->file, symbol), raw);
		found = true;
	}
	return found;
}

static int print_reverse(struct inputs *inputs, const char *argument, bool raw)
{
	const struct resolver *resolver = &inputs->resolver;
	uint64_t link;

	if (print_symbol(inputs, argument, raw))
		return KRELOC_DONE;
	if (!parse_hex(argument, strlen(argument), &link)) {
		complain(argument, resolver->symtab ? "no such symbol in the kernel's image" :
						      "a symbol needs --vmlinux=FILE");
		return KRELOC_FAILED;
	}
	if (link - resolver->base >= resolver->size) {
		if (link - resolver->base - resolver->offset < resolver->size)
			complain(argument, "is a run-time address already: not moved again");
		else
			not_in_image(argument, resolver->base, resolver->size);
		return KRELOC_FAILED;
	}
	print_runtime(inputs, link, NULL, 0, raw);
	return KRELOC_DONE;
}

static int addr(const struct request *req, int argc, char **argv)
{
	struct inputs inputs;
	struct why why;
	int i, one, status = open_inputs(req, !argc, &inputs);

	if (status != KRELOC_DONE)
		return status;
	for (i = 0; i < argc; i++) {
		one = req->to_runtime ? print_reverse(&inputs, argv[i], req->raw) :
					print_address(&inputs, argv[i], req->raw);
		if (one > status)
			status = one;
	}
	if (!argc && filter(&inputs.in, STDOUT_FILENO, &inputs.resolver, req->raw, &why)) {
		complain(NULL, "%s", why.text);
		status = KRELOC_FAILED;
	}
	resolve_warn(&inputs.resolver, NULL);
	close_inputs(req, &inputs);
	return status;
}

/* Returns what is wrong with the combination, or NULL. */
static const char *contradiction(const struct request *req, int argc)
{
	const int given = req->has_offset + !!req->trace_path;

	/* Text can have a stamp of its own. */
	if (given > 1 || (!given && (argc || isatty(STDIN_FILENO))))
		return "needs one of --offset=HEX and --stamp=TRACE";
	if (req->to_runtime && !argc)
		return "--to-runtime needs a SYMBOL or an ADDRESS";
	if (req->to_runtime && (req->returns || req->modules_path))
		return "--to-runtime goes with neither --return nor --modules";
	if (req->nr_files && !req->modules_path)
		return "--ko needs --modules=FILE: it tells where the module was";
	return NULL;
}

static int parse_rule(const char *name, enum alias_rule *rule)
{
	if (!strcmp(name, "kreloc"))
		*rule = ALIAS_KRELOC;
	else if (!strcmp(name, "perf"))
		*rule = ALIAS_PERF;
	else
		return -1;
	return 0;
}

/* Returns KRELOC_DONE, or what the program is to end with; -1: go on. */
static int parse_options(struct request *req, int argc, char **argv)
{
	static const struct option options[] = {
		{ "aliases", required_argument, NULL, 'a' },
		{ "help", no_argument, NULL, 'h' },
		{ "ko", required_argument, NULL, 'M' },
		{ "modules", required_argument, NULL, 'm' },
		{ "offset", required_argument, NULL, 'o' },
		{ "raw", no_argument, NULL, 'r' },
		{ "return", no_argument, NULL, 'R' },
		{ "stamp", required_argument, NULL, 't' },
		{ "to-runtime", no_argument, NULL, 'u' },
		{ "vmlinux", required_argument, NULL, 'k' },
		{ }
	};
	int c;

	while ((c = getopt_long(argc, argv, "a:hk:m:M:o:rRt:u", options, NULL)) != -1) {
		switch (c) {
		case 'a':
			if (parse_rule(optarg, &req->rule)) {
				complain(optarg, "there is no such rule");
				return usage_error("addr");
			}
			break;
		case 'h':
			help();
			return KRELOC_DONE;
		case 'k':
			req->vmlinux_path = optarg;
			break;
		case 'm':
			req->modules_path = optarg;
			break;
		case 'M':
			if (req->nr_files == FILES_MAX) {
				complain(optarg, "too many modules");
				return KRELOC_USAGE;
			}
			req->files[req->nr_files++] = optarg;
			break;
		case 'o':
			req->has_offset = parse_hex(optarg, strlen(optarg), &req->offset);
			if (!req->has_offset) {
				complain(optarg, "not a hexadecimal number");
				return usage_error("addr");
			}
			break;
		case 'r':
			req->raw = true;
			break;
		case 'R':
			req->returns = true;
			break;
		case 't':
			req->trace_path = optarg;
			break;
		case 'u':
			req->to_runtime = true;
			break;
		default:
			return usage_error("addr");
		}
	}
	return -1;
}

/**
 * cmd_addr - kreloc addr
 * @argc:	of @argv
 * @argv:	starts with the program's name
 *
 * Return: the exit status.
 */
int cmd_addr(int argc, char **argv)
{
	static const char *files[FILES_MAX];
	struct request req = { .files = files };
	const char *wrong;
	int status = parse_options(&req, argc, argv);

	if (status >= 0)
		return status;
	wrong = contradiction(&req, argc - optind);
	if (wrong) {
		complain(NULL, "addr: %s", wrong);
		return usage_error("addr");
	}
	return addr(&req, argc - optind, argv + optind);
}
