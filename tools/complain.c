// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the program says on standard error. The library has no part in it.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>

#include "kreloc.h"

/* What a file says or is called goes to a terminal: no control characters, and no second line. */
static void put_clean(const char *text)
{
	for (; *text; text++)
		fputc(iscntrl((unsigned char)*text) ? '?' : *text, stderr);
}

/**
 * complain - print an error or a warning
 * @subject:	the file or the source that it is about, or NULL
 * @fmt:	printf format without newline, then its arguments
 */
void complain(const char *subject, const char *fmt, ...)
{
	struct why text;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text.text, sizeof(text.text), fmt, ap);
	va_end(ap);
	fputs("kreloc: ", stderr);
	if (subject) {
		put_clean(subject);
		fputs(": ", stderr);
	}
	put_clean(text.text);
	fputc('\n', stderr);
}

/**
 * usage_error - after getopt or a command complained
 * @command:	its name, or NULL
 *
 * Return: the exit status.
 */
int usage_error(const char *command)
{
	fprintf(stderr, "Try 'kreloc %s%s--help' for more information.\n", command ? command : "",
		command ? " " : "");
	return KRELOC_USAGE;
}
