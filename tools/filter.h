/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Text with kernel addresses in it.
 */
#ifndef KRELOC_FILTER_H
#define KRELOC_FILTER_H

#include "resolve.h"

int filter(int in, int out, struct resolver *resolver, bool raw, struct why *why);

#endif /* KRELOC_FILTER_H */
