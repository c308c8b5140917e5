# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# What is said in several places is the same there: the tables of options in the program, its help,
# the man pages, and the completions for three shells. Each place is brought into one form, a line
# for each option, "s source=" where it takes a value and "j json" where not, and sorted; the lists
# have to be the same, so that nothing is missing anywhere and nothing is there too much.

tools=${tests%/*}

commands() {
	"$kreloc" --help | sed -n 's/^  \([a-z]*\)  *[a-z].*/\1/p' | LC_ALL=C sort
}

# A function PLACE_options COMMAND for each place; the program itself is the command "kreloc".

table_options() {
	local file=$tools/cmd-$1.c

	[ "$1" != kreloc ] || file=$tools/kreloc.c
	sed -n -e "s/.*{ \"\([a-z-]*\)\", required_argument, NULL, '\(.\)' },.*/\2 \1=/p" \
		-e "s/.*{ \"\([a-z-]*\)\", no_argument, NULL, '\(.\)' },.*/\2 \1/p" "$file"
}

help_options() {
	local command=$1

	[ "$1" != kreloc ] || command=
	"$kreloc" $command --help |
		sed -nE 's/^  -(.), --([a-z-]+=?)[A-Z]*( .*)?$/\1 \2/p'
}

man_options() {
	local page=kreloc-$1

	[ "$1" != kreloc ] || page=kreloc
	sed -nE 's/^\*-(.)\*, \*--([a-z-]+)\*(=?)(_[A-Z]+_)?$/\1 \2\3/p' "$tools/man/$page.1.scd"
}

# The part of zsh's that is about a command; what is about the program stands in front.
zsh_part() {
	case $1 in
	kreloc) sed '/->command/q' "$tools/completion/_kreloc" ;;
	*) sed -n "/^\t$1)/,/;;/p" "$tools/completion/_kreloc" ;;
	esac
}

zsh_options() {
	zsh_part "$1" | sed -nE 's/.*\{-(.)\+?,--([a-z-]+=?)\}.*/\1 \2/p'
}

fish_options() {
	local prefix="complete \$$1"

	[ "$1" != kreloc ] || prefix="complete -c kreloc -n __kreloc_none"
	grep -F -- "$prefix -s " "$tools/completion/kreloc.fish" |
		sed -nE -e 's/.* -s (.) -l ([a-z-]+) -[xr] .*/\1 \2=/p' \
			-e 's/.* -s (.) -l ([a-z-]+) -d .*/\1 \2/p'
}

# bash_words WORD…: what bash makes of the last of them
bash_words() {
	# shellcheck disable=SC2016 # for the bash that is started
	bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _kreloc
		printf "%s\n" "${COMPREPLY[@]}"' bash "$tools/completion/kreloc.bash" kreloc "$@"
}

# bash offers the long ones
bash_options() {
	local words=("$1" --)

	[ "$1" != kreloc ] || words=(--)
	bash_words "${words[@]}" | sed 's/^--//'
}

# same A B: two lists that are not empty
same() {
	LC_ALL=C sort "$1" >a
	LC_ALL=C sort "$2" >b
	[ -s a ] || fail "$1: nothing found"
	diff -u --label "$1" --label "$2" a b
}

in_step_options() {
	local command place

	[ "$(commands | wc -l)" -ge 8 ]
	for command in kreloc $(commands); do
		for place in table help man zsh fish bash; do
			"${place}_options" "$command" >"$command-$place"
		done
		for place in help man zsh fish; do
			same "$command-table" "$command-$place"
		done
		sed 's/^. //' "$command-table" >"$command-long"
		same "$command-long" "$command-bash"
	done
}

# getopt's string of letters goes with its table
in_step_letters() {
	local command file

	for command in kreloc $(commands); do
		file=$tools/cmd-$command.c
		[ $command != kreloc ] || file=$tools/kreloc.c
		sed -n 's/.*getopt_long([^"]*"+\{0,1\}\([^"]*\)".*/\1/p' "$file" | grep -o '[A-Za-z]:\{0,1\}' |
			tr : = >"$command-letters"
		table_options $command | sed 's/^\(.\) [a-z-]*/\1/' >"$command-table"
		same "$command-table" "$command-letters"
	done
}

in_step_commands() {
	local page

	commands >help
	sed -n 's/^\*kreloc-\([a-z]*\)\*(1)$/\1/p' "$tools/man/kreloc.1.scd" >manual
	for page in "$tools"/man/kreloc-*.1.scd; do
		page=${page##*/kreloc-}
		echo "${page%.1.scd}"
	done >pages
	sed -nE "s/^\t\t['\"]([a-z]+):.*/\1/p" "$tools/completion/_kreloc" >zsh
	sed -nE 's/^complete -c kreloc -n __kreloc_none -a ([a-z]+) .*/\1/p' \
		"$tools/completion/kreloc.fish" >fish
	bash_words "" | grep -v ^- >bash
	for page in manual pages zsh fish bash; do
		same help $page
	done
}

# Each page begins with what the program says of its command
in_step_summaries() {
	"$kreloc" --help | sed -nE 's/^  ([a-z]+) +([a-z].*)/kreloc-\1 - \2/p' >help
	sed -nE 's/^(kreloc-[a-z]+ - )/\1/p' "$tools"/man/kreloc-*.1.scd >manual
	same help manual
}

# values VARIABLE FILE: the words that a completion offers
values() {
	sed -nE "s/^.*\b$1(=| )'\(?([a-z ]+)\)?'$/\2/p" "$tools/completion/$2" | tr ' ' '\n'
}

in_step_values() {
	local place command

	{
		echo auto
		sed -nE 's/^\t\.name = "([a-z]+)",$/\1/p' "$tools"/source-*.c
	} >sources
	sed -nE 's/^\t\{ "([a-z]+)", [a-z]+ \},?$/\1/p' "$tools/consumer.c" >consumers
	for place in sources consumers; do
		values $place _kreloc >zsh
		values $place kreloc.fish >fish
		same $place zsh
		same $place fish
	done
	for command in show record stamp; do
		bash_words $command --source = "" >bash
		same sources bash
		bash_words $command -s "" >bash
		same sources bash
	done
	for command in show read; do
		bash_words $command --for = "" >bash
		same consumers bash
	done
}

# kreloc(4) has the files of the ABI and the parameters of the module
in_step_module() {
	local abi=$tools/../Documentation/ABI/testing/sysfs-kernel-kreloc

	{
		sed -nE 's,^What:\s+/sys/kernel/kreloc/([a-z_]+)$,\1,p' "$abi"
		sed -nE 's,^What:\s+/sys/module/kreloc/parameters/([a-z_]+)$,\1,p' "$abi"
	} >names
	sed -nE -e 's,^_/sys/kernel/kreloc/([a-z_]+)/?_ \(.*,\1,p' -e 's/^\*([a-z_]+)\*=_[A-Z]+_$/\1/p' \
		"$tools/man/kreloc.4.scd" >manual
	same names manual
}

# kreloc(3) has the prototypes of the header, and says what its flags and errors mean
in_step_library() {
	local header=$tools/include/kreloc.h page=$tools/man/kreloc.3.scd

	sed -nE '/^[a-z].*kreloc_[a-z_]+\(.*\);$/p' "$header" >prototypes
	# shellcheck disable=SC2016 # these are no commands
	sed -n '/^```$/,/^```$/{ /;$/p; }' "$page" >manual
	same prototypes manual
	sed -nE 's/^#define (KRELOC_[A-Z]+)\t.*/\1/p' "$header" >flags
	sed -nE 's/^\*(KRELOC_[A-Z]+)\*$/\1/p' "$page" >manual
	same flags manual
	sed -nE 's/.*[( ]-?(E[A-Z]{3,})[,) :;].*/\1/p' "$tools/libkreloc.c" |
		grep -vx 'EIO' >errors
	sed -n 's/^\(\*-E.*\)/\1/p' "$page" | grep -o 'E[A-Z]*' >manual
	sort -u errors | while read -r error; do
		grep -qx "$error" manual || fail "$error is not in kreloc(3)"
	done
}

# A page that scdoc or man stumbles over
in_step_pages() {
	local page

	[ -n "$(command -v scdoc)" ] || skip "no scdoc"
	for page in "$tools"/man/*.scd; do
		scdoc <"$page" >rendered
		[ -s rendered ]
		[ -z "$(command -v man)" ] || man -l --warnings rendered >/dev/null 2>warnings
		[ ! -e warnings ] || silent warnings
	done
}

# What follows kreloc's own options is a command, and its arguments are not ours
in_step_record() {
	bash_words record --source = auto -k file ls >words
	grep -qx ls words
	bash_words record -- ls >words
	grep -qx ls words
	bash_words record ls -- >words
	! grep -q . words || fail "options of kreloc for another program"
}

t "options: tables, help, man pages and completions agree" in_step_options
t "letters of options: as in the tables" in_step_letters
t "commands: help, man pages and completions agree" in_step_commands
t "man pages begin with what help says of the command" in_step_summaries
t "sources and tools: the program and completions agree" in_step_values
t "kreloc(4) has the files and parameters of the ABI" in_step_module
t "kreloc(3) has the functions, flags and errors of the header" in_step_library
t "man pages can be built and shown" in_step_pages
t "kreloc record: bash completes the recorder" in_step_record
