// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where a trace file says that its kernel was. A recorder writes the run-time address only; the
 * offset from it takes the link address, which comes from a stamp, from vmlinux, or is fixed.
 */
#include <string.h>

#include "symbols.h"
#include "trace.h"

/**
 * trace_fits - can a file be from the kernel of a vmlinux, by what it says of itself?
 * @facts:	what the file knows
 * @vmlinux:	read by vmlinux_read()
 * @why:	filled where it cannot
 *
 * To be asked before a symbol or an instruction of that vmlinux is believed.
 *
 * Return: 0, also where the file says nothing; or -1.
 */
int trace_fits(const struct facts *facts, const struct vmlinux *vmlinux, struct why *why)
{
	const struct build_id *id = &facts->build_id;
	char theirs[BUILD_ID_HEX], ours[BUILD_ID_HEX];

	if (!id->size && facts->state == TRACE_STAMPED)
		id = &facts->block.info.build_id;
	if (facts->machine[0] && strcmp(facts->machine, vmlinux->arch->name))
		return fail(why, "recorded on %s, and %s is a %s kernel", facts->machine,
			    vmlinux->path, vmlinux->arch->name);
	if (build_id_differ(id, &vmlinux->build_id))
		return fail(why, "recorded on a kernel with build-id %s, but %s has %s",
			    build_id_hex(id, theirs), vmlinux->path,
			    build_id_hex(&vmlinux->build_id, ours));
	return 0;
}

static int find_link(const struct facts *facts, const struct vmlinux *vmlinux,
		     struct place *place, struct why *why)
{
	if (facts->state == TRACE_STAMPED) {
		place->link = facts->block.info.link;
		place->link_source = "stamp";
		place->text_size = facts->block.info.text_size;
	} else if (facts->link) {
		place->link = facts->link;
		place->link_source = "vmcoreinfo";
	}
	if (place->arch && strcmp(facts->anchor, place->arch->anchor))
		return 0;
	if (vmlinux) {
		/* A stamp is right; what VMCOREINFO makes of its own addresses need not be. */
		if (facts->state == TRACE_STAMPED && place->link &&
		    place->link != vmlinux->link)
			return fail(why, "linked at 0x%016llx, says its stamp, but %s is at 0x%016llx",
				    (unsigned long long)place->link, vmlinux->path,
				    (unsigned long long)vmlinux->link);
		place->link = vmlinux->link;
		place->link_source = "vmlinux";
	} else if (!place->link && place->arch) {
		place->link = place->arch->link;
		place->link_source = "architecture";
	}
	return 0;
}

/**
 * trace_place - where was the kernel that this file was recorded on?
 * @facts:	what the file knows
 * @vmlinux:	that of the recording kernel, or NULL
 * @place:	filled, except on KRELOC_FAILED; text and link are 0, source and arch NULL where
 *		they are not known
 * @why:	filled unless both addresses are known
 *
 * Return: KRELOC_DONE; KRELOC_UNKNOWN where the file does not tell; KRELOC_FAILED where it is not
 * of that vmlinux.
 */
int trace_place(const struct facts *facts, const struct vmlinux *vmlinux, struct place *place,
		struct why *why)
{
	memset(place, 0, sizeof(*place));
	if (vmlinux && trace_fits(facts, vmlinux, why))
		return KRELOC_FAILED;
	place->arch = vmlinux ? vmlinux->arch : arch_by_name(facts->machine);
	if (facts->state == TRACE_RECORDED || facts->state == TRACE_STAMPED) {
		place->text = facts->text;
		place->source = facts->state == TRACE_STAMPED ? "stamp" : "recorder";
		if (find_link(facts, vmlinux, place, why))
			return KRELOC_FAILED;
	}
	if (place->text && place->arch && place_check(place, why))
		return KRELOC_FAILED;
	if (place->text && place->link)
		return KRELOC_DONE;
	if (facts->state == TRACE_INTERRUPTED)
		explain(why, "a stamp of it was interrupted: run kreloc stamp or kreloc strip");
	else if (facts->state == TRACE_HOLLOW)
		explain(why, "recorded where no kernel address is shown (a user namespace, kptr_restrict): "
			"run kreloc stamp in the boot that recorded it");
	else if (!place->text)
		explain(why, "does not say where its kernel was: run kreloc stamp in the boot that recorded it");
	else if (vmlinux && place->arch)
		explain(why, "has the address of %s, and not that of %s", facts->anchor,
			place->arch->anchor);
	else
		explain(why, "has the run-time address of %s only: give --vmlinux=FILE",
			facts->anchor);
	return KRELOC_UNKNOWN;
}

static int place_of_one(const char *path, const struct vmlinux *vmlinux, struct place *place,
			struct why *why)
{
	const struct format *format;
	int status = KRELOC_FAILED;
	struct trace trace;
	struct facts facts;

	if (trace_open(&trace, path, false, why))
		return KRELOC_FAILED;
	format = format_of(&trace, why);
	if (format && !trace_examine(&trace, format, &facts, why)) {
		status = trace_place(&facts, vmlinux, place, why);
		facts_free(&facts);
	}
	trace_close(&trace);
	return status;
}

/**
 * trace_place_of - the same for a file that is not open
 * @path:	of the trace file, or of a directory of traces that agree
 * @vmlinux:	as above
 * @place:	as above
 * @why:	as above, with the path
 *
 * Return: as above; KRELOC_FAILED also where it cannot be read.
 */
int trace_place_of(const char *path, const struct vmlinux *vmlinux, struct place *place,
		   struct why *why)
{
	int status = KRELOC_DONE;
	struct trace_list list = { 0 };
	struct place other;
	size_t i;

	if (trace_list_add(&list, path, why))
		status = KRELOC_FAILED;
	for (i = 0; status == KRELOC_DONE && i < list.nr; i++) {
		status = place_of_one(list.path[i], vmlinux, i ? &other : place, why);
		if (status != KRELOC_DONE) {
			explain(why, "%s: %s", list.path[i], why->text);
		} else if (i && (place->text != other.text || place->link != other.link)) {
			explain(why, "%s: is of another boot than %s: name one of them",
				list.path[i], list.path[0]);
			status = KRELOC_FAILED;
		}
	}
	trace_list_free(&list);
	return status;
}
