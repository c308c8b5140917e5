#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make bench-infer: how many distinct addresses does kreloc infer take, as a table
# and a curve (build/bench-infer/curve.svg), and what time and memory on a file of
# more than 64,000 call chains and a text of 15 MB. Takes the recordings of make
# check-infer, and boots two of its guests where there are none.
#
# The pieces of recordings are taken as text, where no build-id is: that is the
# harder case.
#
# Usage: tools/bench/infer.sh
set -eu
. "${0%/*}/../../qemu/lib.sh"

out=$build/bench-infer
infer=$build/tools/bench/infer

# recordings ARCH NAME…: sets list, pairs of a text and the anchor's address
recordings() {
	local arch=$1 dir name anchor text

	shift
	list=()
	for dir in "$build/infer/$arch"-6.1-*/files; do
		[ -e "$dir/anchor" ] || continue
		# shellcheck disable=SC2034 # the name is not needed
		read -r anchor text <"$dir/anchor"
		for name; do
			file=$out/$(basename "${dir%/files}").$name
			perf script -f -i "$dir/$name.data" -F comm,pid,time,event,ip,sym >"$file" \
				2>/dev/null || continue
			list+=("$file" "$text")
		done
	done
}

# curve KIND ARCH NAME…
curve() {
	recordings "${@:2}"
	"$infer" "$("$qemu/get-kernel.sh" "$2" 6.1 --vmlinux)/vmlinux" "$1" "${list[@]}"
}

# svg: of lines "KIND ADDRESSES PIECES RIGHT WRONG"; the scale is logarithmic
svg() {
	awk '
	function x(n) { return 60 + 540 * log(n / 4) / log(40) }
	function y(share) { return 320 - 280 * share }
	BEGIN {
		split("#1b6ca8 #c2571a #3a7d34 #7a3e9d", colour, " ")
		print "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
		# REUSE-IgnoreStart
		print "<!-- SPDX-License-Identifier: GPL-2.0-only -->"
		# REUSE-IgnoreEnd
		print "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"640\" height=\"380\"" \
			" font-family=\"sans-serif\" font-size=\"12\">"
		print "<rect width=\"640\" height=\"380\" fill=\"white\"/>"
		for (i = 0; i <= 4; i++) {
			printf "<line x1=\"60\" x2=\"600\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>\n",
				y(i / 4), y(i / 4)
			printf "<text x=\"52\" y=\"%d\" text-anchor=\"end\">%d %%</text>\n",
				y(i / 4) + 4, i * 25
		}
		n = split("4 6 8 10 14 20 28 40 70 100 150", tick, " ")
		for (i = 1; i <= n; i++)
			printf "<text x=\"%d\" y=\"338\" text-anchor=\"middle\">%s</text>\n",
				x(tick[i]), tick[i]
		print "<text x=\"330\" y=\"362\" text-anchor=\"middle\">" \
			"distinct kernel addresses</text>"
		print "<text x=\"330\" y=\"22\" text-anchor=\"middle\">" \
			"pieces of recordings whose offset is found</text>"
	}
	{
		if (!($1 in line))
			kinds[++nr] = $1
		line[$1] = line[$1] sprintf("%d,%d ", x($2), y($4 / $3))
	}
	END {
		for (i = 1; i <= nr; i++) {
			printf "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\"" \
				" stroke-width=\"2\"/>\n", line[kinds[i]], colour[i]
			printf "<text x=\"590\" y=\"%d\" text-anchor=\"end\" fill=\"%s\">%s</text>\n",
				180 + 18 * i, colour[i], kinds[i]
		}
		print "</svg>"
	}'
}

table() {
	printf '%-16s %9s %8s %8s %8s\n' kind addresses right refused wrong
	awk '{ printf "%-16s %9d %6.1f %% %6.1f %% %6.1f %%\n", $1, $2, 100 * $4 / $3,
		100 * ($3 - $4 - $5) / $3, 100 * $5 / $3 }'
}

# cost: of a recording with chains, over and over
cost() {
	local vmlinux

	vmlinux=$("$qemu/get-kernel.sh" x86_64 6.1 --vmlinux)/vmlinux
	"$build/tools/tests/craft" repeat "$build/infer/x86_64-6.1-1/files/busy5-g.data" \
		"$out/big.data" 20000000
	echo "call chains: $(perf script -f -i "$out/big.data" -F time,event 2>/dev/null | grep -c .)"
	for _ in 1 2 3; do
		/usr/bin/time -f '%e s, %M KiB' "$build/kreloc" infer --vmlinux="$vmlinux" \
			"$out/big.data" 2>&1 >"$out/big" | tail -n 1
	done
	grep '^offset\|^addresses' "$out/big"
	rm "$out/big.data"
}

mkdir -p "$out"
make -s -C "$top/tools" O="$build" bench-build "$build/tools/tests/craft" >&2
for guest in x86_64-6.1-1 ppc64le-6.1-32M; do
	[ -e "$build/infer/$guest/files/anchor" ] || "$qemu/infer.sh" $guest >&2
done
{
	curve x86_64-chains x86_64 busy1-g busy5-g busyz-g idle-g
	curve x86_64-plain x86_64 busy1 busy5
	curve ppc64le-chains ppc64le busy1-g busy5-g busyz-g idle-g
	curve ppc64le-plain ppc64le busy1 busy5
} >"$out/curve"
table <"$out/curve" | tee "$out/curve.txt"
svg <"$out/curve" >"$out/curve.svg"
echo "the curve: $out/curve.svg"
cost
