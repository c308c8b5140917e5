# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# shellcheck disable=SC2154 # set by run and lib.sh
#
# libkreloc: by api.c, with sanitizers, and as it is installed.

api=$objects/tests/api
top=${tests%/*/*}
header=$top/tools/include/kreloc.h

# install_library: into the directory root
install_library() {
	env -u KRELOC_ROOT ${MAKE:-make} -s -C "$top" install-lib BUILD="${objects%/*}" \
		DESTDIR="$PWD/root" PREFIX=/usr >&2
	export PKG_CONFIG_SYSROOT_DIR=$PWD/root LD_LIBRARY_PATH=$PWD/root/usr/lib
	export PKG_CONFIG_PATH=$PWD/root/usr/lib/pkgconfig
}

# prototypes: the functions of the header
prototypes() {
	sed -nE 's/^[a-z].*\*?\b(kreloc_[a-z_]+)\(.*\);$/\1/p' "$header" | LC_ALL=C sort
}

library_running() {
	run 0 "$api" running
	is out <<-END
		offset: $offset
		text: $text
		link-text: $link
		text-size: $(printf 0x%016x "$text_size")
		anchor: _text
		build-id: $build_id
		release: $release
		machine: x86_64
		source: sysfs
	END
}

# Nobody knows, each source says why, and no object and no number
library_unknown() {
	no_module
	run 1 "$api" running
	says out "ENODATA: nobody knows where the kernel is: sysfs: "
	says out "; kcore: "
	says out "; kallsyms: "
	recording blind-g
	run 1 "$api" read blind-g.data
	says out "ENODATA: blind-g.data: does not say where its kernel was"
	silent err
}

# Where it runs is known, and where it was linked is not
library_half() {
	no_module
	printf '%s T _text\n' "${text#0x}" | put /proc/kallsyms
	run 0 "$api" running
	says out "offset: unknown: "
	says out "link-text: unknown: "
	says out "text: $text"
	says out "source: kallsyms"
	vmlinux
	run 0 "$api" running vmlinux
	says out "offset: $offset"
}

# It has to be that kernel's
library_vmlinux() {
	"$craft" vmlinux other x86_64 0123456789012345678901234567890123456789 _text=$link
	run 1 "$api" running other
	says out "ESTALE: other: "
	recording good
	run 1 "$api" read good.data other
	says out "ESTALE: good.data: "
	run 1 "$api" read good.data missing
	says out "missing: "
	vmlinux
	run 0 "$api" read good.data vmlinux
	says out "source: recorder"
	says out "offset: $offset"
	run 0 "$api" read good.data
	says out "offset: unknown: has the run-time address of _text only"
}

library_stamp() {
	recording blind-g
	cp -p blind-g.data orig
	run 0 "$api" stamp blind-g.data 0
	silent out
	run 0 "$kreloc" read blind-g.data
	says out "offset: $offset"
	run 0 "$api" read blind-g.data
	says out "offset: $offset"
	says out "source: stamp"
	says out "release: $release"
	# again, and by the program
	run 0 "$api" stamp blind-g.data 0
	unchanged 0 blind-g.data "is stamped already"
	run 0 "$api" strip blind-g.data
	cmp blind-g.data orig
	run 0 "$api" strip blind-g.data
	silent out
}

# In another boot: not stamped, and what was stamped is not taken for this one's
library_other_boot() {
	recording blind-g
	recording good
	"$kreloc" stamp blind-g.data
	make_module "$(printf 0x%x $((text + 0x200000)))"
	for file in blind-g good; do
		run 1 "$api" stamp $file.data 0
		says out "ESTALE: $file.data: has the address of another boot already"
	done
	make_module "$text"
	recording blind-a
	put /proc/sys/kernel/osrelease 6.1.0-other
	cp blind-a.data orig
	run 1 "$api" stamp blind-a.data 0
	says out "ESTALE: blind-a.data: recorded by Linux $release, but"
	cmp blind-a.data orig
	silent err
}

library_sidecar() {
	echo "no trace" >file
	run 1 "$api" stamp file 0
	says out "EMEDIUMTYPE: file: not a trace file"
	lacks out --
	[ ! -e file.kreloc ]
	run 0 "$api" stamp file 1
	run 0 "$api" read file
	says out "offset: $offset"
	run 0 "$api" strip file
	[ ! -e file.kreloc ]
}

library_modules() {
	recording blind-g
	put /sys/module/a_module/sections/.text 0xffffffffc0401000
	put /sys/module/a_module/coresize 4096
	put "/lib/modules/$release/modules.dep" kernel/a_module.ko:
	run 0 "$api" stamp blind-g.data 2
	"$objects/tests/view" blind-g.data >view
	says view a_module
}

library_files() {
	run 1 "$api" read missing
	says out "ENOENT: missing: No such file or directory"
	run 1 "$api" stamp missing 0
	says out "ENOENT: missing: "
	run 1 "$api" strip missing
	says out "ENOENT: missing: "
	head -c 100 /dev/zero | tr '\0' x >file
	printf PERFILE2 | dd of=file conv=notrunc status=none
	run 1 "$api" read file
	says out "EIO: file: "
	recording good
	run 1 "$api" copy good.data good.data
	says out "EINVAL: kreloc_stamp() takes the kernel of kreloc_running()"
	silent err
	recording blind-g
	exec 3<blind-g.data
	run 0 "$api" stamp /proc/self/fd/3 0
	run 0 "$api" read blind-g.data
	exec 3<&-
}

library_misuse() {
	run 0 "$api" misuse
	says out "no error"
	[ "$(grep -c '^EINVAL: ' out)" -eq 8 ]
	silent err
}

library_threads() {
	local files=() i name

	for name in blind-a blind-g; do
		recording $name
		files+=("$name.data")
	done
	for i in 1 2 3; do
		echo "no trace $i" >"other$i"
		files+=("other$i")
	done
	put /proc/sys/kernel/random/boot_id 01234567-89ab-cdef-0123-456789abcdef
	sha256sum "${files[@]}" >before
	run 0 "$api" threads "${files[@]}"
	sha256sum --check --quiet before
	silent err
}

# Exactly what the map and the header say, and of the world outside nothing to print or to end with
library_symbols() {
	install_library
	local so=root/usr/lib/libkreloc.so.1

	prototypes >header
	[ "$(wc -l <header)" -ge 15 ]
	sed -nE 's/^\t([a-z_]+);$/\1/p' "$top/tools/libkreloc.map" | sort >map
	diff -u header map
	nm -D --defined-only --with-symbol-versions $so |
		sed -nE 's/^[0-9a-f]+ T (.*)@@KRELOC_1$/\1/p' | LC_ALL=C sort >shared
	diff -u header shared
	[ "$(nm -D --defined-only $so | grep -vc ' A ')" = "$(wc -l <header)" ]
	nm -g --defined-only root/usr/lib/libkreloc.a | sed -nE 's/^[0-9a-f]+ T //p' |
		LC_ALL=C sort >static
	diff -u header static
	[ "$(nm -g --defined-only root/usr/lib/libkreloc.a | grep -c '^[0-9a-f]* [A-Z] ')" = \
		"$(wc -l <header)" ]
	readelf -d $so >dynamic
	says dynamic "Library soname: [libkreloc.so.1]"
	nm -D --undefined-only $so | sed 's/.* //; s/@.*//' >undefined
	grep -qx malloc undefined
	! grep -xE '(__)?v?(printf|fprintf_stdout|puts|putchar|perror|vprintf)(_chk)?|stdout|stderr|_?exit|abort|_Exit|err|errx|warn|warnx|signal|sigaction|__assert_fail' undefined
}

library_header() {
	local compiler

	for compiler in "${CC:-cc}" clang; do
		[ -n "$(command -v ${compiler%% *})" ] || continue
		# shellcheck disable=SC2086 # a command
		$compiler -std=c99 -pedantic -Wall -Wextra -Werror -fsyntax-only -x c "$header"
		$compiler -std=c++98 -Wno-long-long -pedantic -Wall -Wextra -Werror -fsyntax-only \
			-x c++ "$header" 2>err || {
			grep -q 'cc1plus\|stdint' err || { cat err; return 1; }
			echo "$compiler has no C++"
		}
	done
}

# As its first comment says, on a real recording; and linked statically
library_example() {
	local program

	[ -n "$(command -v pkg-config)" ] || skip "no pkg-config"
	install_library
	pkg-config --modversion kreloc
	# shellcheck disable=SC2046 # flags
	${CC:-cc} -Wall -Wextra -Werror -o shared "$top/Documentation/examples/stamp.c" \
		$(pkg-config --cflags --libs kreloc)
	# shellcheck disable=SC2046 # flags
	${CC:-cc} -Wall -Wextra -Werror -o static "$top/Documentation/examples/stamp.c" \
		$(pkg-config --cflags kreloc) root/usr/lib/libkreloc.a \
		$(pkg-config --static --libs-only-l kreloc | sed s/-lkreloc//)
	readelf -d shared | grep -qF libkreloc.so.1
	for program in shared static; do
		recording blind-g
		cp -p blind-g.data orig
		run 0 "./$program" blind-g.data
		silent out
		silent err
		run 0 "$kreloc" read blind-g.data
		says out "offset: $offset"
		"$kreloc" strip blind-g.data
		cmp blind-g.data orig
		run 1 "./$program" orig missing
		says err "missing: No such file or directory"
		no_module
		run 1 "./$program" orig
		says err "nobody knows where the kernel is"
		make_module "$text"
	done
}

t "library: the running kernel" library_running
t "library: what is not known is an error" library_unknown
t "library: the run-time address without the offset" library_half
t "library: another kernel's vmlinux" library_vmlinux
t "library: stamp, read and strip, as the program does" library_stamp
t "library: another boot" library_other_boot
t "library: a sidecar" library_sidecar
t "library: with modules" library_modules
t "library: files that cannot be" library_files
t "library: misused" library_misuse
t "library: threads do not meet" library_threads
t "library: symbols are those of header and map, and none prints or ends" library_symbols
t "library: the header alone, as C and C++" library_header
t "library: the example, with the library as it is installed" library_example
