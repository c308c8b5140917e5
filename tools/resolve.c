// SPDX-License-Identifier: GPL-2.0-only
/*
 * From the addresses of a running kernel to link addresses and names. Only what lies within the
 * image moves by the offset; modules, BPF programs, stacks and the linear mapping do not.
 */
#include <string.h>

#include "resolve.h"

/*
 * @addr is where the name is asked for; @back is how far behind it the address itself is, which
 * the distance is counted to, as the kernel does for return addresses.
 */
static void name(const struct elf_file *file, const struct lookup *lookup, uint64_t addr,
		 unsigned int back, struct resolved *resolved)
{
	const struct span *span = lookup_find(lookup, addr);

	if (!span)
		return;
	resolved->name = file->strings + span->name;
	resolved->offset = addr - lookup->base - span->start + back;
	resolved->local_entry = span->local_entry && resolved->offset == span->local_entry;
}

static void resolve_module(const struct resolver *resolver, uint64_t addr, unsigned int back,
			   struct resolved *resolved)
{
	const struct module *module = modules_find(resolver->modules, addr);

	if (!module)
		return;
	resolved->as = RESOLVED_MODULE;
	resolved->module = module->name;
	resolved->offset = addr - module->addr + back;
	if (module->has_file)
		name(&module->file, &module->lookup, addr, back, resolved);
}

/**
 * resolve - what is this address?
 * @resolver:	prepared; counts
 * @addr:	as it was recorded
 * @resolved:	filled
 */
void resolve(struct resolver *resolver, uint64_t addr, struct resolved *resolved)
{
	/* The call may be the last instruction of its function. */
	const unsigned int back = resolver->returns ? 1 : 0;
	const uint64_t at = addr - back;
	const bool linked = at - resolver->base < resolver->size;

	memset(resolved, 0, sizeof(*resolved));
	if (at - resolver->offset - resolver->base < resolver->size) {
		resolved->as = RESOLVED_MOVED;
		resolved->link = addr - resolver->offset;
		resolver->moved++;
		resolver->either += linked;
	} else if (linked) {
		resolved->as = RESOLVED_LINK;
		resolved->link = addr;
		resolver->linked++;
	} else {
		resolver->strange += at - resolver->region < resolver->region_size;
		if (resolver->modules)
			resolve_module(resolver, at, back, resolved);
		return;
	}
	if (resolver->symtab)
		name(&resolver->symtab->file, &resolver->symtab->lookup, resolved->link - back,
		     back, resolved);
}

/**
 * resolve_warn - complain about what looks wrong, once all addresses were seen
 * @resolver:	with its counts
 * @subject:	where the addresses came from, or NULL
 */
void resolve_warn(const struct resolver *resolver, const char *subject)
{
	const unsigned long long text = resolver->base + resolver->offset;

	/* Without an offset every run-time address is a link address, too. */
	if (resolver->linked && resolver->offset) {
		complain(subject,
			 "warning: left as they are, since they are link addresses already: %llu addresses; was the offset subtracted before?",
			 (unsigned long long)resolver->linked);
		if (resolver->either)
			complain(subject,
				 "warning: could be link addresses or run-time addresses, and taken for the latter: %llu more",
				 (unsigned long long)resolver->either);
	}
	if (resolver->strange)
		complain(subject,
			 "warning: outside the kernel's image, 0x%016llx to 0x%016llx, where nothing else can be: %llu addresses; is it the right offset?",
			 text, text + resolver->size, (unsigned long long)resolver->strange);
}
