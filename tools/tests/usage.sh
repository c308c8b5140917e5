# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# The command line: help, versions, mistakes, and a standard output that does not take it.

commands="show record stamp read strip infer addr check"

usage_none() {
	run 2 "$kreloc"
	silent out
	says err "Try 'kreloc --help' for more information."
}

usage_unknown() {
	run 2 "$kreloc" nonsense
	silent out
	says err "kreloc: nonsense: there is no such command"
	run 2 "$kreloc" --nonsense
	says err "kreloc: unrecognized option '--nonsense'"
}

usage_help() {
	local command

	run 0 "$kreloc" --help
	silent err
	for command in $commands; do
		grep -q "^  $command " out
	done
	[ "$(grep -c '^  [a-z]' out)" -eq "$(echo $commands | wc -w)" ]
	for command in $commands; do
		run 0 "$kreloc" $command --help
		silent err
		says out "Usage: kreloc $command "
		says out "Exit status:"
		[ "$(wc -L <out)" -le 80 ]
		run 0 "$kreloc" $command -h
	done
}

usage_version() {
	run 0 "$kreloc" --version
	silent err
	grep -qE '^kreloc [^ ]+$' out
}

usage_option() {
	local command

	for command in $commands; do
		run 2 "$kreloc" $command --nonsense
		silent out
		says err "kreloc: unrecognized option '--nonsense'"
		says err "Try 'kreloc $command --help' for more information."
	done
}

usage_no_file() {
	local command

	for command in stamp read strip; do
		run 2 "$kreloc" $command
		says err "Try 'kreloc $command --help'"
	done
	run 2 "$kreloc" show file
	says err "kreloc: file: kreloc show takes no file"
}

usage_offset() {
	local offset

	recording blind-a
	for offset in '' 0x -1 +1 ' 1' '1 ' 0y1 1h 10000000000000000 0x10000000000000000 0x0x1; do
		run 2 "$kreloc" stamp --offset="$offset" blind-a.data
		says err "not a hexadecimal number"
	done
	run 2 "$kreloc" stamp --offset=0 --source=sysfs blind-a.data
}

usage_source() {
	run 2 "$kreloc" show --source=nonsense
	says err "kreloc: nonsense: there is no such source"
	run 2 "$kreloc" stamp --source=nonsense file
}

usage_full() {
	local arguments

	recording good
	vmlinux
	for arguments in --help --version "show" "show --json" "read -k vmlinux good.data" \
		"stamp good.data" "strip good.data" "show --help"; do
		# shellcheck disable=SC2086 # several arguments
		! "$kreloc" $arguments >/dev/full 2>err || fail "kreloc $arguments: status 0"
		says err "kreloc: standard output: No space left on device"
		run 0 "$kreloc" $arguments
	done
}

usage_infer() {
	run 2 "$kreloc" stamp --infer file
	says err "kreloc: --infer needs --vmlinux=FILE, whose code it is"
	vmlinux
	run 2 "$kreloc" stamp --infer --vmlinux=vmlinux - </dev/null
	says err "--infer needs a file, since it looks at all of it first"
	silent out
}

t "no command: usage error" usage_none
t "unknown command or option: usage error" usage_unknown
t "help is complete, on standard output, 80 columns wide" usage_help
t "version" usage_version
t "unknown option of a command: usage error" usage_option
t "a file is missing, or one too many: usage error" usage_no_file
t "an offset that is no hexadecimal number: usage error" usage_offset
t "an unknown source: usage error" usage_source
t "--infer without what it works on: usage error" usage_infer
t "a full standard output is a failure" usage_full
