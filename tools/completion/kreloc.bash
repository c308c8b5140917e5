# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
#
# Completion of kreloc for bash. tests/in-step.sh compares the options with those of the program.

# words LIST: those of LIST that the word under the cursor can become
_kreloc_words() {
	mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur")
	# Its value follows without a space
	[[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2> /dev/null
}

_kreloc() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} i

	# "=" is a word of its own
	if [[ $cur = "=" ]]; then
		cur=
	elif [[ $prev = "=" ]]; then
		prev=${COMP_WORDS[COMP_CWORD - 2]}
	fi
	COMPREPLY=()
	if [[ $COMP_CWORD -eq 1 ]]; then
		_kreloc_words "show record stamp read infer strip addr check --help --version"
		return
	fi

	# Where there is nothing to choose from, readline completes names of files
	case ${COMP_WORDS[1]}:$prev in
	show:-s | show:--source | record:-s | record:--source | stamp:-s | stamp:--source)
		_kreloc_words "auto sysfs kcore kallsyms"
		return
		;;
	show:-f | show:--for | read:-f | read:--for)
		_kreloc_words "gdb crash stap drgn vmcoreinfo"
		return
		;;
	addr:-a | addr:--aliases)
		_kreloc_words "kreloc perf"
		return
		;;
	record:-k | record:--vmlinux)
		return
		;;
	record:*)
		# Behind kreloc's own options comes a command
		for ((i = 2; i < COMP_CWORD; i++)); do
			case ${COMP_WORDS[i]} in
			-[sk]) i=$((i + 1)) ;;
			--source | --vmlinux | =) ;;
			--) i=$((i + 1)) && break ;;
			-*) ;;
			*) [[ ${COMP_WORDS[i - 1]} = "=" ]] || break ;;
			esac
		done
		if [[ $i -lt $COMP_CWORD ]]; then
			return
		elif [[ $cur != -* || ${COMP_WORDS[COMP_CWORD - 1]} = "--" ]]; then
			mapfile -t COMPREPLY < <(compgen -c -- "$cur")
			return
		fi
		;;
	esac

	[[ $cur = -* ]] || return 0
	case ${COMP_WORDS[1]} in
	show) _kreloc_words "--source= --vmlinux= --for= --json --help" ;;
	record) _kreloc_words "--source= --vmlinux= --help" ;;
	stamp) _kreloc_words "--source= --offset= --infer --vmlinux= --modules --sidecar --force \
		--dry-run --help" ;;
	read) _kreloc_words "--vmlinux= --for= --json --help" ;;
	infer) _kreloc_words "--vmlinux= --json --help" ;;
	strip) _kreloc_words "--help" ;;
	addr) _kreloc_words "--offset= --stamp= --vmlinux= --raw --return --modules= --ko= --aliases= \
		--to-runtime --help" ;;
	check) _kreloc_words "--vmlinux= --kallsyms= --notes= --offset= --stamp= --kcore --all --json \
		--help" ;;
	esac
}

complete -o default -F _kreloc kreloc
