# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by consumers.sh
#
# gdb on QEMU's gdbstub: a breakpoint by symbol on a kernel with KASLR.
# shellcheck disable=SC2016 # gdb's $pc is gdb's

# hits SECONDS COMMAND…: does it stop in the function, within so many seconds?
hits() {
	local limit=$1 options=() command

	shift
	for command; do
		options+=(-ex "$command")
	done
	timeout "$limit" gdb -nx -batch -ex 'set confirm off' "${options[@]}" \
		-ex "target remote $dir/gdb" -ex 'break vfs_read' -ex continue \
		-ex 'info symbol $pc' -ex delete -ex detach </dev/null >"$dir/log" 2>&1 || true
	cat "$dir/log"
	grep -q '^vfs_read' "$dir/log" && grep -q '^Breakpoint 1, ' "$dir/log"
}

misses() {
	! hits "$@"
}

dir=$out/gdb
kernel=$("$qemu/get-kernel.sh" x86_64 6.1 --vmlinux)
payload gdb "$kernel" wait x86_64 >/dev/null
guest gdb x86_64 "$kernel" --append=seconds=40 --qemu=-chardev \
	--qemu="socket,path=$dir/gdb,server=on,wait=off,id=gdb" --qemu=-gdb --qemu=chardev:gdb \
	>"$dir/guest" 2>&1 &
booted=$!
until grep -q '# ready' "$dir/tap" 2>/dev/null || ! kill -0 $booted 2>/dev/null; do
	sleep 0.2
done
line=$(sed -n 's/^ *# gdb: //p' "$dir/tap")
t "gdb with vmlinux alone misses a breakpoint" misses 10 "symbol-file $kernel/vmlinux"
t "and hits it with: $line" hits 60 "${line/vmlinux/$kernel/vmlinux}"
show "$dir/log"
status=0
wait $booted || status=$?
t "and the guest went on to its end" [ $status -eq 0 ]
