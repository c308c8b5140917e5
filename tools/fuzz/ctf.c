// SPDX-License-Identifier: GPL-2.0-only
/*
 * Any bytes for the metadata of a CTF trace. They are read, and where they can be stamped, that
 * has to be seen in the result, and stripping it has to give the very bytes back.
 */
#include "fuzz.h"
#include "tests/trip.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t len)
{
	trip_fuzz(&format_ctf, data, len);
	return 0;
}
