# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# EFI firmware that trusts a key, as with Secure Boot: a kernel of Debian takes from there
# by whom its modules may be signed. Sourced after lib.sh.

# new_key FILE: FILE.pem, and its certificate FILE.der
new_key() {
	openssl req -new -x509 -newkey rsa:2048 -nodes -days 2 -subj "/CN=kreloc's ${1##*/}/" \
		-keyout "$1.pem" -outform DER -out "$1.der" 2>"$1.log"
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

# trusting_firmware CERT VARS: makes that file, and sets firmware, options for guest.sh
trusting_firmware() {
	local ovmf=/usr/share/OVMF

	cp $ovmf/OVMF_VARS_4M.fd "$2"
	# behind the headers of the volume and of the store
	db "$1" | dd of="$2" bs=1 seek=100 conv=notrunc status=none
	# shellcheck disable=SC2034 # for the caller
	firmware=(--qemu=-drive "--qemu=if=pflash,format=raw,readonly=on,file=$ovmf/OVMF_CODE_4M.fd"
		--qemu=-drive "--qemu=if=pflash,format=raw,file=$2")
}
