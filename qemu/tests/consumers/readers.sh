# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by consumers.sh
#
# Readers of trace.dat and CTF beyond those of Debian 12: the program's own tests once more, with
# the trace-cmd and the babeltrace2 of a newer suite, and with kernelshark's library.

# reader NAME: as found in PATH, the chroot's; it sees this directory only
reader() {
	cat >"$dir/bin/$1" <<-END
		#!/bin/sh
		exec $qemu/chroot.sh $suite $packages sh -c 'cd "\$0" && exec /usr/bin/$1 "\$@"' "\$PWD" "\$@"
	END
	chmod +x "$dir/bin/$1"
}

# tests NAME: all of them, none left out
tests() {
	TMPDIR=$dir/tmp "$top/tools/tests/run" "$build/tools-asan" "$1" >"$dir/$1.tap" || {
		grep -A30 '^not ok' "$dir/$1.tap"
		return 1
	}
	if grep '# SKIP' "$dir/$1.tap"; then
		return 1
	fi
}

newer() {
	PATH=$dir/bin:$PATH tests "$1"
}

# differs NAME: it is not this machine's over again
differs() {
	[ "$("$dir/bin/$1" --version)" != "$("$1" --version)" ]
}

dir=$out/readers
mkdir -p "$dir"/{bin,tmp}
make -s -C "$top/tools" O="$build" check-prepare >&2
for name in trace-cmd babeltrace2; do
	reader $name
	t "$suite has another $name" differs $name
done
t "trace.dat with its trace-cmd" newer trace-dat
t "CTF with its babeltrace2" newer ctf
t "trace.dat with kernelshark's library" tests kshark
