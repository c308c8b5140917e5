// SPDX-License-Identifier: GPL-2.0-only
/*
 * The version, alone in its object, so that a commit compiles one file and not all.
 */
#include "kreloc.h"

const char kreloc_version[] = KRELOC_VERSION;
