# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2016,SC2034,SC2054,SC2154 # what is set here is for check.sh, lib.sh sets
# the paths, proofs are expanded in the guest, and CPU models have commas
#
# The guests of check.sh, and what their names mean: ARCH-VARIANT, with Debian 12's
# kernel, or ARCH-SERIES-VARIANT, with one of qemu/kernels or, as the series "tree",
# one that build-kernel.sh makes. A variant is a word that boot() knows, or several
# with "+" between. Sourced after lib.sh.

# make check
few=(x86_64-kaslr x86_64-nokaslr ppc64le-0 ppc64le-32M)
# make check-all, what takes longest first, so that nothing waits for it at the end
cells=(
	x86_64-tree-debug+churn ppc64le-tree-debug+churn x86_64-tree-debug ppc64le-tree-debug
	"${few[@]}"
	x86_64-efi x86_64-dtb
	x86_64-5.10-kaslr x86_64-5.10-nokaslr
	x86_64-6.12-kaslr x86_64-6.12-nokaslr x86_64-6.12-efi
	x86_64-7.2-kaslr x86_64-7.2-nokaslr x86_64-7.2-efi
	ppc64le-6.12-0 ppc64le-6.12-32M
	ppc64le-7.2-0 ppc64le-7.2-32M
	x86_64-tree-m x86_64-tree-y ppc64le-tree-m ppc64le-tree-y
	x86_64-tree-nokprobes x86_64-tree-nokallsyms x86_64-tree-noinfo x86_64-tree-blind
	ppc64-tree-0 ppc64-tree-32M ppc64-tree-elfv2
	x86_64-xen-pv
	x86_64-pvh x86_64-la57 x86_64-nola57 x86_64-smp x86_64-integrity x86_64-confidentiality
	x86_64-7.2-retpoline x86_64-7.2-noretpoline+noibt
	ppc64le-64K ppc64le-hash ppc64le-power10+radix ppc64le-slof ppc64le-smp
	x86_64-kexec x86_64-kexec+nokaslr x86_64-7.2-kexec ppc64le-kexec
	x86_64-kdump x86_64-6.12-kdump ppc64le-kdump ppc64le-7.2-kdump
)

# parse NAME: sets arch, series, variant and kernel
parse() {
	local rest=${1#*-}

	arch=${1%%-*} series=6.1 variant=$rest
	[[ $rest != *-* ]] || series=${rest%%-*} variant=${rest#*-}
	kernel=$cache/kernels/$arch-$series
	[ "$series" != tree ] || kernel=$build/in-tree/$arch-$(built_as "$variant")
}

# built_as VARIANT: build-kernel.sh's, for one that is about where the kernel is
built_as() {
	case $1 in
	0 | 32M) echo m ;;
	debug+*) echo debug ;;
	*) echo "$1" ;;
	esac
}

# proves COMMAND: which succeeds only in a guest that was booted as its name says
proves() {
	proofs+=("$*")
}

# boot WORD: what it means. The kernel's command line can be believed to have arrived,
# but not to have had an effect.
boot() {
	case $1 in
	# Nobody can say beforehand where the kernel will be
	kaslr) proves kaslr_flag ;;
	nokaslr)
		offset=0 append+=(nokaslr)
		proves ! kaslr_flag
		;;
	efi)
		options+=(--efi)
		proves [ -d /sys/firmware/efi ]
		;;
	dtb) options+=("--dtb=$out/dtb") ;;
	# QEMU starts the plain ELF by its PVH note, and nothing is there to move it
	pvh)
		offset=0 symbols=--vmlinux options+=("--image=$kernel/vmlinux")
		# without the setup header, whose "H" is first
		proves '[ "$(zero_page 0x202)" = 0 ]'
		;;
	la57)
		options+=(--cpu=max,-cx16,la57=on)
		proves grep -qw la57 /proc/cpuinfo
		;;
	nola57)
		options+=(--cpu=max,-cx16,la57=off)
		proves ! grep -qw la57 /proc/cpuinfo
		;;
	smp)
		options+=(--smp=2)
		proves '[ "$(nproc)" = 2 ]'
		;;
	retpoline)
		append+=(spectre_v2=retpoline)
		proves grep -q Retpolines /sys/devices/system/cpu/vulnerabilities/spectre_v2
		;;
	noretpoline)
		append+=(spectre_v2=off)
		proves grep -q ^Vulnerable /sys/devices/system/cpu/vulnerabilities/spectre_v2
		;;
	# with it on would take another machine: QEMU has no IBT
	noibt)
		append+=(ibt=off)
		proves ! grep -qw ibt /proc/cpuinfo
		;;
	# Where nothing can be read there is little to test
	integrity | confidentiality)
		signed=1 append+=("lockdown=$1")
		proves "grep -qF '[$1]' /sys/kernel/security/lockdown"
		[ "$1" = integrity ] || only=lockdown.sh
		;;
	# there the note's address means nothing to the kernel; and it cannot tell a slow
	# machine from a lockup
	pv)
		offset=0 sources=kallsyms append+=(nosoftlockup) options+=("--xen=$cache/xen/xen")
		;;
	# the same kernel again, by kexec-tools, or when the first one crashes. x86 then has
	# last words, if asked for them; on pseries asking has the firmware end the machine.
	kexec)
		next=now
		proves [ ! -e /test/first ]
		;;
	kdump)
		next=crash
		proves [ -s /proc/vmcore ]
		case $arch in
		x86_64) append+=(crashkernel=256M crash_kexec_post_notifiers) ;;
		ppc64le) offset=0x20000000 append+=(crashkernel=384M@512M) options+=(--mem=2048) ;;
		esac
		;;
	0) offset=0 ;;
	64K) offset=0x10000 options+=("--offset=$offset") ;;
	32M | elfv2) offset=0x2000000 options+=("--offset=$offset") ;;
	hash)
		append+=(disable_radix)
		proves "grep -q 'MMU.*Hash' /proc/cpuinfo"
		;;
	radix) proves "grep -q 'MMU.*Radix' /proc/cpuinfo" ;;
	power10)
		options+=(--cpu=power10)
		proves grep -q POWER10 /proc/cpuinfo
		;;
	slof)
		options+=(--slof)
		proves grep -q SLOF /proc/device-tree/openprom/model
		;;
	# kernels of build-kernel.sh
	m | y | blind) ;;
	# which checks itself, also for what only happens on two processors
	debug)
		options+=(--smp=2 --timeout=2400)
		# its ACPI interpreter, with KASAN and without KVM, takes longer than it allows itself
		[ "$arch" != x86_64 ] || append+=(acpi=noirq)
		proves [ -d /sys/kernel/debug/failslab ]
		;;
	# a guest of its own, since it takes as long as all the other selftests
	churn) only=churn.sh ;;
	nokprobes | nokallsyms) sources=vmcoreinfo ;;
	noinfo) sources=kallsyms ;;
	*) bad_usage "no such boot: $1" ;;
	esac
}

# describe NAME: what its name means, in these variables
#   arch series variant kernel
#   offset   that the kernel must have, where that is known
#   sources  its only witness, where there are no two
#   next     how the kernel that QEMU boots starts the one to test: now, or by a crash
#   symbols  an option of get-kernel.sh
#   signed   modules load only if they are
#   only     the selftest to run, instead of all
#   append   for its command line
#   options  more for guest.sh
#   proofs   see proves
described=(arch series variant kernel offset sources next symbols signed only append options proofs)
describe() {
	local word

	parse "$1"
	offset='' sources='' next='' symbols='' signed='' only='' append=() options=() proofs=()
	for word in ${variant//+/ }; do
		boot "$word"
	done
}

# has WORD: is it one of the variant's?
has() {
	[[ +$variant+ == *+$1+* ]]
}

# says_link: does the setup header come with the kernel, by which the program knows where it
# was linked? The EFI stub, Xen and PVH leave it out.
says_link() {
	[ ! "$signed" ] && ! has efi && ! has pv && ! has pvh
}

# thorough: does this guest repeat what takes long and what a boot has no part in? One of
# each kernel does.
thorough() {
	[[ $variant == @(kaslr|32M|m) ]]
}

# expected_skips NAME: the tests that this guest may skip, in words of judge.sh
expected_skips() {
	local test skips=(built_in.sh)
	local "${described[@]}"

	describe "$1"
	[ "$offset" ] || skips+=("values.sh/offset is as expected")
	[ ! "$sources" ] || skips+=("*a note that lies: *")
	has kdump || skips+=(vmcore.sh)
	! has pv && ! has pvh || skips+=("boot_params.sh/e820_table is what the kernel says")
	! has noinfo || skips+=("values.sh/*kcore*" "values.sh/KERNELOFFSET*")
	! has nokallsyms || skips+=("values.sh/text is what kallsyms says")
	[ "$series" != tree ] || skips+=(unprivileged.sh)
	# which lacks some
	[ "$arch" != ppc64 ] || skips+=("unprivileged.sh/nor in new namespaces of all kinds")
	! has y || skips=("values.sh/offset is as expected" vmcore.sh load.sh churn.sh
		access.sh debugfs.sh export.sh witnesses.sh dmesg.sh unprivileged.sh lockdown.sh)
	for test in "${skips[@]}"; do
		echo "--expect-skip=$1/$test"
	done
}
