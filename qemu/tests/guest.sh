#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# Real guests that end in every way a guest can, and whether guest.sh tells the
# three outcomes apart and says which it was; and one with a module that is wrong in
# several ways, each of which a selftest has to see. Prints TAP; a minute.
set -eu

# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
kernel=$("${qemu:?}/get-kernel.sh" x86_64 6.1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
payload=$work/payload out=$work/out
count=0 failures=0

result() {
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count $2"
	else
		echo "not ok $count $2"
		failures=$((failures + 1))
	fi
}

# t NAME STATUS WORDS [OPTION…] <SCRIPT: a guest with that /test/run must make
# guest.sh exit with STATUS and say WORDS
t() {
	local name=$1 expected=$2 words=$3 said status=0

	shift 3
	cat >"$payload/test/run"
	chmod +x "$payload/test/run"
	said=$("$qemu/guest.sh" --arch=x86_64 --kernel="$kernel" --payload="$payload" \
		--out="$out" "$@" 2>&1) || status=$?
	if [ $status -eq "$expected" ] && [[ $said == *"$words"* ]]; then
		result 0 "$name"
	else
		echo "# exit status $status, should be $expected: $said"
		sed 's/^/# tap: /' "$out/tap"
		result 1 "$name"
	fi
}

# build_oops: a module that dereferences a null pointer
build_oops() {
	mkdir "$work/oops"
	echo 'obj-m := oops.o' >"$work/oops/Kbuild"
	cat >"$work/oops/oops.c" <<-END
		#include <linux/module.h>
		static int __init oops_init(void)
		{
			return READ_ONCE(*(int *)8);
		}
		module_init(oops_init);
		MODULE_LICENSE("GPL");
	END
	make -s -C "$kernel/kdir" M="$work/oops" modules >/dev/null 2>&1
	cp "$work/oops/oops.ko" "$payload/"
}

# plant FILE EDIT: a defect in the copy of the module
plant() {
	sed -i.true "$2" "$work/planted/module/$1"
	! cmp -s "$work/planted/module/$1"{.true,} || die "nothing to plant in $1"
}

# build_planted: a module with a wrong offset, which is nobody's secret and leaves a
# directory behind
build_planted() {
	mkdir "$work/planted"
	cp -r "${top:?}/Kbuild" "$top/module" "$work/planted/"
	plant offset.c '/found\.offset = /i found.text += 0x200000;'
	plant main.c 's/^\tkreloc_boot_init();/&pr_info("at %lx\\n", kreloc_place.text);/'
	plant access.c 's/!file_ns_capable(.*)/0)/'
	plant main.c '/^\tkreloc_debugfs_exit();/d'
	make -s -C "$kernel/kdir" M="$work/planted" CONFIG_DEBUG_INFO_BTF_MODULES= modules \
		>/dev/null
	make -s -C "$top/selftests" -I "$qemu/tests" OUTPUT="$payload/test/selftests"
	cp "$work/planted/module/kreloc.ko" "$payload/test/"
	cp "$qemu/guest/values" "$payload/test/"
	echo KRELOC_KO=/test/kreloc.ko >"$payload/test/environment"
	echo values.sh dmesg.sh access.sh load.sh >"$payload/test/selftests/tests"
}

# seen SELFTEST TEST: did it fail, as it should?
seen() {
	grep -qx " *FAIL .*/$1/$2" "$out/verdict" && status=0 || status=1
	result $status "$1: $2"
}

echo "TAP version 13"
echo "1..16"
mkdir -p "$payload/test"

t "a guest whose tests pass" 0 ": pass" <<'END'
#!/bin/sh
echo 1..1
dd if=/dev/urandom of=/out/random bs=1M count=20 2>/dev/null
sha256sum </out/random >/out/sum && echo ok 1
END
sha256sum --status --check <<<"$(sed "s,-,$out/files/random," "$out/files/sum")" && status=0 || status=1
result $status "its 20 MB of random bytes arrive unchanged"

t "a guest with a test that fails" 1 ": FAIL" <<'END'
#!/bin/sh
echo 1..1
echo not ok 1
END

t "a guest whose /test/run fails without a word" 1 ": FAIL" <<'END'
#!/bin/sh
exit 7
END

t "a guest that hangs" 2 "NEVER FINISHED, timed out after 15 s" --timeout=15 <<'END'
#!/bin/sh
echo 1..1
echo ok 1
sleep 1000
END

t "a guest that is switched off in the middle" 2 "NEVER FINISHED, stopped" <<'END'
#!/bin/sh
echo 1..1
echo ok 1
poweroff -f
END

build_oops
t "a guest that oopses though its tests pass" 1 ": FAIL" <<'END'
#!/bin/sh
insmod /oops.ko
echo 1..1
echo ok 1
END
grep -q '^# .*BUG: kernel NULL pointer' "$out/tap" && status=0 || status=1
result $status "the oops is among the diagnostics"

build_planted
t "a guest whose kreloc is wrong" 1 ": FAIL" <"$qemu/guest/selftests"
seen values.sh "text is what kallsyms says"
seen values.sh "phys_text is where iomem has the kernel's code"
seen values.sh "text is _stext of kcore's VMCOREINFO"
seen dmesg.sh "silent when all is well"
seen access.sh "root without CAP_SYSLOG does not"
seen load.sh "loads and unloads 50 times"

cat >"$payload/init" <<'END'
#!/bin/busybox sh
exit 1
END
chmod +x "$payload/init"
t "a guest that panics" 2 "NEVER FINISHED, Kernel panic" <<<'#!/bin/sh'

[ $failures -eq 0 ]
