# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# kreloc stamp --modules: where the kernel's modules are, from /sys/module.

view=$objects/tests/view

# module NAME TEXT SIZE [BUILD-ID]
module() {
	put "/sys/module/$1/sections/.text" "$2"
	put "/sys/module/$1/coresize" "$3"
	[ $# -lt 4 ] || {
		mkdir -p "$KRELOC_ROOT/sys/module/$1/notes"
		"$craft" notes "$KRELOC_ROOT/sys/module/$1/notes/.note.gnu.build-id" "$4"
	}
}

id=00112233445566778899aabbccddeeff00112233

# Two that follow each other closely, one elsewhere, one built in, one without code
modules() {
	module next 0xffffffffc0402000 8192
	module a_module 0xffffffffc0401000 65536 $id
	module far 0xffffffffc0800000 4096
	mkdir -p "$KRELOC_ROOT/sys/module/built_in/parameters"
	put /sys/module/data_only/coresize 4096
	mkdir -p "$KRELOC_ROOT/sys/module/data_only/sections"
	put "/lib/modules/$release/modules.dep" <<-END
		kernel/drivers/other.ko: kernel/drivers/far.ko
		kernel/net/a-module.ko.xz: $(printf 'kernel/%05d.ko ' {1..2000})
		kernel/drivers/far.ko:
		kernel/net/a-module.ko: twice
	END
}

# The kernel's record comes first, then these by address, then what was there
stamp_modules() {
	local kind

	modules
	for kind in blind-g blind-events blind-task blind-z; do
		recording $kind
		cp $kind.data original
		"$view" $kind.data >before
		stamped $kind.data -m
		says out "$kind.data: was rewritten, all "
		"$view" $kind.data >after
		lacks after damaged
		grep '^record' after | sed -nE '2,4s/size [0-9]+ |build-id $//gp' | sed 's/ $//' >new
		is new <<-END
			record type 10 misc 0x4001 start 0xffffffffc0401000 len 0x1000 pgoff 0 name /lib/modules/$release/kernel/net/a-module.ko.xz build-id $id
			record type 10 misc 0x1 start 0xffffffffc0402000 len 0x2000 pgoff 0 name [next]
			record type 10 misc 0x1 start 0xffffffffc0800000 len 0x1000 pgoff 0 name /lib/modules/$release/kernel/drivers/far.ko
		END
		grep -m 1 '^record' after | grep -q "name .kernel.kallsyms._text"
		diff before after | grep '^<' >lost || true
		silent lost
		run 0 "$kreloc" read $kind.data
		says out "offset: $offset"
		run 0 "$kreloc" stamp -m $kind.data
		says out "is stamped already, unchanged"
		run 0 "$kreloc" strip $kind.data
		cmp $kind.data original
	done
}

# There are kernels without any
stamp_no_modules() {
	mkdir -p "$KRELOC_ROOT/sys/module"
	recording blind-g
	stamped blind-g.data -m
	lacks out rewritten
}

modules_dry_run() {
	modules
	recording blind-g
	cp blind-g.data original
	run 0 "$kreloc" stamp -m -n blind-g.data
	says out "blind-g.data: would be rewritten, all "
	cmp blind-g.data original
}

# Whoever may not know gets an error and no module at 0
modules_hidden() {
	modules
	recording blind-g
	cp blind-g.data original
	put /sys/module/far/sections/.text 0x0000000000000000
	run 1 "$kreloc" stamp -m blind-g.data
	says err "/sys/module/far/sections/.text: is hidden by kernel.kptr_restrict"
	put /sys/module/far/sections/.text nonsense
	run 1 "$kreloc" stamp -m blind-g.data
	says err "/sys/module/far/sections/.text: is not an address"
	if [ "$(id -u)" -ne 0 ]; then
		chmod 0 "$KRELOC_ROOT/sys/module/far/sections/.text"
		run 1 "$kreloc" stamp -m blind-g.data
		says err "/sys/module/far/sections/.text: Permission denied"
	fi
	rm -r "$KRELOC_ROOT/sys/module"
	run 1 "$kreloc" stamp -m blind-g.data
	says err "/sys/module: No such file or directory"
	cmp blind-g.data original
}

# A word where nothing else can be done
modules_refused() {
	modules
	recording blind-g
	stamped blind-g.data
	run 1 "$kreloc" stamp -m blind-g.data
	says err "blind-g.data: is stamped without its modules: kreloc strip it first"
	recording userns
	run 1 "$kreloc" stamp -m userns.data
	says err "modules cannot be added to what was recorded in a user namespace"
	recording pipe
	run 1 "$kreloc" stamp -m pipe.data
	says err "modules cannot be added to what came through a pipe"
	xz -dc "$tests/data/others/function.txt.xz" >function.txt
	run 1 "$kreloc" stamp -m function.txt
	says err "function.txt: has no place for modules, its format is text: leave out --modules"
	run 2 "$kreloc" stamp -m -o 0 blind-g.data
	says err "--modules is for recordings of this boot"
}

t "modules come in front, in order, none into the next" stamp_modules
t "where there are none, nothing is rewritten" stamp_no_modules
t "a dry run says that the file would be rewritten" modules_dry_run
t "hidden addresses are an error" modules_hidden
t "where they cannot be added it says so" modules_refused
