#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# The documented interface against the live one, in both directions: Documentation/ABI says what
# files there are, on which architecture and with which mode.
# shellcheck source=lib.sh
. "$(dirname "$0")/lib.sh"

PARAMETERS=/sys/module/kreloc/parameters
TAGS=" What: Date: KernelVersion: Contact: Present: Description: Access: Users:"

case $(uname -m) in
ppc64*) arch=powerpc ;;
*) arch=$(uname -m) ;;
esac

# Beside the test where it is installed, else where it belongs: this tree's, or the kernel's
pages() {
	for where in "$here" "$here/../Documentation/ABI/testing" \
		"$here/../../../../Documentation/ABI/testing"; do
		[ -e "$where/sysfs-kernel-kreloc" ] || continue
		echo "$where/sysfs-kernel-kreloc" "$where/debugfs-kreloc"
		return
	done
}

# One line an entry: path, access, present. Entries that lack something are named with "bad".
documented() {
	cat $pages | awk -v want="$TAGS" '
		/^What:/ { end(); path = $2 }
		/^[A-Z][A-Za-z]*:/ { tags = tags " " $1 }
		/^Access:/ { access = $2 }
		/^Present:/ { present = substr($0, index($0, $2)) }
		END { end() }
		function end() {
			if (path && tags != want)
				access = "bad"
			if (path)
				print path, access, present
			tags = ""
		}
	'
}

live() {
	find $SYS $PARAMETERS
	[ ! -d $DEBUGFS ] || find $DEBUGFS -type f
}

complete() {
	is "$(documented | grep -c .)" "$(cat $pages | grep -c '^What:')" || return
	! documented | grep ' bad ' || return
	is "$(documented | cut -d' ' -f1 | sort | uniq -d)" ""
}

all_documented() {
	documented | awk -v arch="$arch" '$3 == "x86_64" || $3 == "powerpc" || $3 == "powerpc," {
		if (index($3, arch) != 1)
			next
	} { print $1 }' | sort > "$work/documented"
	live | grep -vx "$SYS" | grep -vx "$PARAMETERS" | sort > "$work/live"
	! grep -vxFf "$work/documented" "$work/live" || say "not documented for $arch"
}

all_there() {
	missing=0
	documented > "$work/entries"
	while read -r path _ present; do
		case $present in
		always | "$arch") ;;
		*) continue ;;
		esac
		case $path in
		$DEBUGFS/*) [ -d $DEBUGFS ] || continue ;;
		esac
		[ -e "$path" ] || say "$path is documented and not there" || missing=1
	done < "$work/entries"
	return $missing
}

modes() {
	wrong=0
	documented > "$work/entries"
	while read -r path access _; do
		[ -e "$path" ] || continue
		case $access in
		0444) mode=444 ;;
		0400, | restricted,) mode=400 ;;
		directory,) mode=755 ;;
		*) mode=unknown ;;
		esac
		is "$(stat -c %a "$path")" $mode || say "$path" || wrong=1
	done < "$work/entries"
	return $wrong
}

need_kreloc
pages=$(pages)
[ -n "$pages" ] || skip_all "the ABI pages are not here"
work=$(mktemp -d)

plan 4
t "every entry is complete and alone" complete
t "every file is documented" all_documented
t "every documented file is there" all_there
t "modes are as documented" modes
rm -r "$work"
finish
