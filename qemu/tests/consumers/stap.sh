# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by consumers.sh
#
# systemtap: a script with the kreloc tapset, compiled in the chroot for the guest's
# kernel, prints the link addresses of kernel stacks, and they are vmlinux's. Debian 13's
# systemtap 5.1 compiles for 6.12 as well, but its runtime looks for uprobe_unregister(),
# which that has no more.

# compile: to $dir/payload/stap, with staprun and what that loads
compile() {
	nm -n "$kernel/vmlinux" >"$dir/System.map"
	mkdir -p "$root/stap"
	# Headers, source and symbols where systemtap looks for those of this release
	cat >"$dir/compile" <<-END
		set -e
		release=$(cat "$kernel/release")
		mkdir -p /lib/modules/\$release
		ln -sfn "$kernel/kdir" /lib/modules/\$release/build
		ln -sfn "$kernel"/headers/usr/src/linux-headers-*-common /lib/modules/\$release/source
		cp "$dir/System.map" /boot/System.map-\$release
		cd "$dir"
		HOME=$dir stap -p4 -m backtrace -r \$release -I "$top/tools/tapset" \\
			"$qemu/guest/backtrace.stp"
		cp backtrace.ko "$root/stap/"
		set -- /usr/bin/staprun /usr/lib/systemtap/stapio
		ldd "\$@" | sed -nE 's,^[^/]*(/[^ ]+) \(0x.*,\1,p' | sort -u |
			xargs cp -L --parents -t "$root/stap"
		cp --parents -t "$root/stap" "\$@"
	END
	"$qemu/chroot.sh" "$suite" "$packages" bash "$dir/compile" 2>&1
}

# link_addresses FILE: each address belongs to the same place of the same symbol in the
# guest's kallsyms and in vmlinux. All of this is in the last 2 GiB.
link_addresses() {
	awk '
		function low(address, i, n) {
			for (i = length(address) - 7; i <= length(address); i++)
				n = n * 16 + index("123456789abcdef", substr(address, i, 1))
			return n
		}
		FILENAME == ARGV[1] && NF == 3 {
			at[++count] = low($1)
			name[count] = $3
			if ($3 == "_stext")
				start = at[count]
			if ($3 == "_etext")
				end = at[count]
		}
		FILENAME == ARGV[2] { linked[$3, low($1)] }
		FILENAME == ARGV[3] && low($2) >= start && low($2) < end {
			best = 0
			for (i = 1; i <= count; i++)
				if (at[i] <= low($2) && at[i] >= at[best] && name[i] != "_stext")
					best = i
			seen[name[best]]
			right += (name[best], low($1) - (low($2) - at[best])) in linked
			all++
		}
		END {
			for (i in seen)
				names = names " " i
			print all + 0 " addresses, " right + 0 " right; in" names
			exit !(all >= 20 && right == all && "vfs_read" in seen)
		}' "$out/stap/files/kallsyms" "$dir/System.map" "$out/stap/files/$1"
}

dir=$out/stap
kernel=$("$qemu/get-kernel.sh" x86_64 6.1 --vmlinux)
root=$(payload stap "$kernel" stap x86_64)
t "stap compiles a script with the tapset" compile
t "staprun runs it" guest stap x86_64 "$kernel"
sed -n 's/^ *\(ok\|not ok\)/#   \1/p' "$dir/tap"
head -n 6 "$dir/files/module" >"$dir/shown"
show "$dir/shown"
link_addresses module | sed 's/^/# /' || true
t "its link addresses are those of vmlinux, by the module" link_addresses module
t "and by the global" link_addresses given
