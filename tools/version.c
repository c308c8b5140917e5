// SPDX-License-Identifier: GPL-2.0-only
/*
 * The version, alone in its object.
 */
#include "kreloc.h"
#include "version.h"

const char kreloc_version[] = KRELOC_VERSION;
