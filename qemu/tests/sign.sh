#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# make sign on a real kernel under lockdown=integrity, whose firmware has the
# certificate in its db, as with Secure Boot. The guest's TAP is in OUT.
#
# Usage: qemu/tests/sign.sh OUT
set -eu
# shellcheck source=../lib.sh
. "${0%/*}/../lib.sh"
# shellcheck source=../firmware.sh
. "${qemu:?}/firmware.sh"
out=$1 payload=$1/payload

# module NAME TARGET [VARIABLE…]: the module, as make TARGET leaves it
module() {
	make -s -C "${top:?}" "${@:2}" BUILD="$out/build" KDIR="$kernel/kdir" \
		MODULE_FLAGS=CONFIG_DEBUG_INFO_BTF_MODULES= >&2
	cp "$out"/build/module/*/kreloc.ko "$payload/test/$1.ko"
}

kernel=$("${qemu:?}/get-kernel.sh" x86_64 6.1)
rm -rf "$out"
install -D "$qemu/guest/signed" "$payload/test/run"
cp "$top/selftests/lib.sh" "$payload/test/"
module unsigned module
for key in stranger signed; do
	new_key "$out/$key"
	module $key sign KEY="$out/$key.pem" CERT="$out/$key.der"
done
trusting_firmware "$out/signed.der" "$out/vars"

exec "$qemu/guest.sh" --arch=x86_64 --kernel="$kernel" --payload="$payload" --out="$out" --timeout=600 \
	"${firmware[@]}"
