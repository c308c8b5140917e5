#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# Loading and unloading while others read, in every way there is, and keep files open.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

READERS=8
CYCLES=${KRELOC_CHURN:-20}

need_module
module=$(module_file)
[ -e "$module" ] || skip_all "no file of the module"
unload

plan 1
t_says "$CYCLES cycles under $READERS readers: no read is wrong" \
	"$here/churn" "$module" $CYCLES $READERS $SYS $DEBUGFS
finish
