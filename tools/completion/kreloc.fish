# SPDX-License-Identifier: GPL-2.0-only
#
# Completion of kreloc for fish. tests/in-step.sh compares the options with those of the program.

# The first word behind kreloc is the command, whatever is a command further on
function __kreloc_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and test "$words[2]" = $argv[1]
end

function __kreloc_none
    test (count (commandline -opc)) -eq 1
end

complete -c kreloc -n __kreloc_none -f
complete -c kreloc -n __kreloc_none -s h -l help -d 'Print help'
complete -c kreloc -n __kreloc_none -s V -l version -d 'Print the version'
complete -c kreloc -n __kreloc_none -a show -d "Print the running kernel's offset"
complete -c kreloc -n __kreloc_none -a record -d 'Run a recorder, and stamp what it has written'
complete -c kreloc -n __kreloc_none -a stamp -d 'Write the offset into trace files'
complete -c kreloc -n __kreloc_none -a read -d "Print what trace files know about their kernel's offset"
complete -c kreloc -n __kreloc_none -a infer -d 'Recover the offset from recorded addresses alone'
complete -c kreloc -n __kreloc_none -a strip -d 'Take the stamp out of trace files again'
complete -c kreloc -n __kreloc_none -a addr -d 'Print what run-time addresses are in vmlinux'
complete -c kreloc -n __kreloc_none -a check -d "Compare a vmlinux with a kernel's kallsyms"

set -l sources 'auto sysfs kcore kallsyms'
set -l consumers 'gdb crash stap drgn vmcoreinfo'

set -l show -c kreloc -n '__kreloc_command show'
complete $show -f
complete $show -s s -l source -x -a $sources -d 'Where to ask'
complete $show -s k -l vmlinux -r -F -d "The running kernel's vmlinux"
complete $show -s f -l for -x -a $consumers -d 'Print what that has to be told'
complete $show -s j -l json -d 'Print a JSON object'
complete $show -s h -l help -d 'Print help'

set -l record -c kreloc -n '__kreloc_command record'
complete $record -s s -l source -x -a $sources -d 'Where to ask for the offset'
complete $record -s k -l vmlinux -r -F -d "The running kernel's vmlinux"
complete $record -s h -l help -d 'Print help'
complete $record -x -a '(__fish_complete_subcommand --fcs-skip=2)'

set -l stamp -c kreloc -n '__kreloc_command stamp'
complete $stamp -s s -l source -x -a $sources -d 'Where to ask for the offset'
complete $stamp -s o -l offset -x -d 'The offset'
complete $stamp -s i -l infer -d 'Find the offset by the addresses in each file'
complete $stamp -s k -l vmlinux -r -F -d "The recording kernel's vmlinux"
complete $stamp -s m -l modules -d 'Also write where modules are'
complete $stamp -s S -l sidecar -d 'Stamp files of other kinds in a file beside them'
complete $stamp -s f -l force -d 'Also stamp what seems to be from elsewhere'
complete $stamp -s n -l dry-run -d 'Change nothing'
complete $stamp -s h -l help -d 'Print help'

set -l read -c kreloc -n '__kreloc_command read'
complete $read -s k -l vmlinux -r -F -d "The recording kernel's vmlinux"
complete $read -s f -l for -x -a $consumers -d 'Print what that has to be told'
complete $read -s j -l json -d 'Print a JSON object for each file'
complete $read -s h -l help -d 'Print help'

set -l infer -c kreloc -n '__kreloc_command infer'
complete $infer -s k -l vmlinux -r -F -d "The recording kernel's vmlinux"
complete $infer -s j -l json -d 'Print a JSON object'
complete $infer -s h -l help -d 'Print help'

set -l strip -c kreloc -n '__kreloc_command strip'
complete $strip -s h -l help -d 'Print help'

set -l addr -c kreloc -n '__kreloc_command addr'
complete $addr -s o -l offset -x -d 'The offset'
complete $addr -s t -l stamp -r -F -d 'Take the offset from a trace'
complete $addr -s k -l vmlinux -r -F -d "The kernel's vmlinux"
complete $addr -s r -l raw -d 'Print link addresses only'
complete $addr -s R -l return -d 'They are return addresses'
complete $addr -s m -l modules -r -F -d 'A copy of /proc/modules'
complete $addr -s M -l ko -r -F -d 'A module'
complete $addr -s a -l aliases -x -a 'kreloc perf' -d 'Which of several names'
complete $addr -s u -l to-runtime -d 'Print run-time addresses'
complete $addr -s h -l help -d 'Print help'

set -l check -c kreloc -n '__kreloc_command check'
complete $check -f
complete $check -s k -l vmlinux -r -F -d 'The vmlinux'
complete $check -s l -l kallsyms -r -F -d 'A copy of /proc/kallsyms'
complete $check -s n -l notes -r -F -d 'A copy of /sys/kernel/notes'
complete $check -s o -l offset -x -d 'Compare at this offset'
complete $check -s t -l stamp -r -F -d 'Compare at the offset of a trace'
complete $check -s c -l kcore -d 'Compare code too'
complete $check -s A -l all -d 'List all symbols that differ'
complete $check -s j -l json -d 'Print a JSON object'
complete $check -s h -l help -d 'Print help'
