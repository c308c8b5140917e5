// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what a reader sees in a perf.data: view FILE
 */
#include "view.h"

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	static unsigned char data[16 << 20];
	char *text;
	size_t len;

	if (!file) {
		perror("view");
		return 2;
	}
	len = fread(data, 1, sizeof(data), file);
	fclose(file);
	text = view(data, len);
	fputs(text, stdout);
	free(text);
	return 0;
}
