// SPDX-License-Identifier: GPL-2.0-only
/*
 * A recorder that stamps what it has written:
 *	cc stamp.c $(pkg-config --cflags --libs kreloc)
 */
#include <kreloc.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	struct kreloc *kernel;
	int i, err;

	/* While it still may: afterwards it could give up its privileges. */
	err = kreloc_running(&kernel, NULL);
	for (i = 1; i < argc && !err; i++)
		err = kreloc_stamp(argv[i], kernel, 0);
	if (err)
		fprintf(stderr, "%s\n", kreloc_errmsg());
	kreloc_free(kernel);
	return err != 0;
}
