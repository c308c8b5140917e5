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
out=$1 payload=$1/payload firmware=/usr/share/OVMF

# new_key NAME
new_key() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=kreloc's $1/" \
		-keyout "$out/$1.pem" -outform DER -out "$out/$1.der" 2>"$out/openssl"
}

# module NAME TARGET [VARIABLE…]: the module, as make TARGET leaves it
module() {
	make -s -C "${top:?}" "${@:2}" BUILD="$out/build" KDIR="$kernel/kdir" \
		MODULE_FLAGS=CONFIG_DEBUG_INFO_BTF_MODULES= >&2
	cp "$out"/build/module/*/kreloc.ko "$payload/test/$1.ko"
}

# bytes HEX…
bytes() {
	printf '%b' "$(tr -d ' ' <<<"$*" | sed 's/../\\x&/g')"
}

# le32 NUMBER: as hexadecimal digits
le32() {
	printf '%02x' $(($1 & 255)) $(($1 >> 8 & 255)) $(($1 >> 16 & 255)) $(($1 >> 24))
}

# db CERT: what an empty store of variables has to begin with, for the variable db
# with that certificate: AUTHENTICATED_VARIABLE_HEADER of EDK II (MdeModulePkg,
# VariableFormat.h), the name, and EFI_SIGNATURE_LIST of the UEFI specification, 32.4.1
db() {
	local size zeros=00000000

	size=$(stat -c %s "$1")
	# in use; non-volatile, boot, run-time, authenticated by time
	bytes aa55 3f 00 "$(le32 0x27)" $zeros $zeros
	# a time, no public key of its own, sizes of name and value, EFI_IMAGE_SECURITY_DATABASE
	bytes ea070101 $zeros $zeros $zeros $zeros "$(le32 6)" "$(le32 $((44 + size)))"
	bytes cbb219d7 3a3d 9645 a3bcdad00e67656f
	bytes 6400 6200 0000
	# EFI_CERT_X509, one, and its owner, whoever that is
	bytes a159c0a5 e494 a74a 87b5ab155c2bf072
	bytes "$(le32 $((44 + size)))" $zeros "$(le32 $((16 + size)))"
	bytes $zeros $zeros $zeros $zeros
	cat "$1"
}

kernel=$("${qemu:?}/get-kernel.sh" x86_64 6.1)
rm -rf "$out"
install -D "$qemu/guest/signed" "$payload/test/run"
cp "$top/selftests/lib.sh" "$payload/test/"
module unsigned module
for key in stranger signed; do
	new_key $key
	module $key sign KEY="$out/$key.pem" CERT="$out/$key.der"
done
cp "$firmware/OVMF_VARS_4M.fd" "$out/vars"
# behind the headers of the volume and of the store
db "$out/signed.der" | dd of="$out/vars" bs=1 seek=100 conv=notrunc status=none

exec "$qemu/guest.sh" --arch=x86_64 --kernel="$kernel" --payload="$payload" --out="$out" --timeout=600 \
	--qemu=-drive --qemu="if=pflash,format=raw,readonly=on,file=$firmware/OVMF_CODE_4M.fd" \
	--qemu=-drive --qemu="if=pflash,format=raw,file=$out/vars"
