// SPDX-License-Identifier: GPL-2.0-only
/*
 * In libFuzzer's place: puts files through a target, one after the other, whatever compiler it was
 * built with.
 */
#include <fcntl.h>

#include "fuzz.h"

/* For targets that have nothing to prepare. */
__attribute__((weak)) int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return 0;
}

static void replay(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *data;

	if (fd < 0 || fstat(fd, &st) || !(data = malloc((size_t)st.st_size + 1)) ||
	    pread_full(fd, data, (size_t)st.st_size, 0) != st.st_size) {
		fprintf(stderr, "%s cannot be read\n", path);
		exit(2);
	}
	close(fd);
	LLVMFuzzerTestOneInput(data, (size_t)st.st_size);
	free(data);
}

int main(int argc, char **argv)
{
	int i;

	if (LLVMFuzzerInitialize(&argc, &argv))
		return 2;
	for (i = 1; i < argc; i++)
		replay(argv[i]);
	return 0;
}
