// SPDX-License-Identifier: GPL-2.0-only
/*
 * CTF metadata that differ from real ones in one thing:
 *
 *	craft-ctf plain IN OUT
 *	craft-ctf swap IN OUT
 *	craft-ctf packet IN OUT
 *
 * plain takes the text out of packets; packet puts a text into one; swap makes it packets of the
 * other byte order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"

#define MAGIC	0x75d11d57
#define HEAD	37

static void die(const char *what)
{
	fprintf(stderr, "craft-ctf: %s\n", what);
	exit(1);
}

int main(int argc, char **argv)
{
	static unsigned char data[1 << 20], head[HEAD];
	/* The magic, the checksum, and the sizes of content and packet. */
	static const unsigned int numbers[] = { 0, 20, 24, 28 };
	size_t len, at, size, i;
	FILE *in, *out;
	bool big;

	if (argc != 4)
		die("what, from which file, to which file?");
	in = fopen(argv[2], "r");
	out = fopen(argv[3], "w");
	if (!in || !out)
		die("no such file");
	len = fread(data, 1, sizeof(data), in);
	if (!strcmp(argv[1], "packet")) {
		put32(head, MAGIC, false);
		memset(head + 4, 0x11, 16);
		put32(head + 24, (uint32_t)(len + HEAD) * 8, false);
		put32(head + 28, (uint32_t)(len + HEAD) * 8, false);
		head[35] = 1;
		head[36] = 8;
		fwrite(head, 1, sizeof(head), out);
		fwrite(data, 1, len, out);
		return fclose(out) ? 1 : 0;
	}
	big = get32(data, true) == MAGIC;
	if (get32(data, big) != MAGIC)
		die("no packet");
	if (!strcmp(argv[1], "plain"))
		fputs("/* CTF 1.8 */\n", out);
	for (at = 0; at < len; at += size) {
		size = get32(data + at + 28, big) / 8;
		if (!strcmp(argv[1], "plain")) {
			fwrite(data + at + HEAD, 1, get32(data + at + 24, big) / 8 - HEAD, out);
			continue;
		}
		for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
			put32(data + at + numbers[i], get32(data + at + numbers[i], big), !big);
		fwrite(data + at, 1, size, out);
	}
	return fclose(out) ? 1 : 0;
}
