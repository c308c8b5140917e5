# SPDX-License-Identifier: GPL-2.0-only
#
# The user's front end; what kbuild reads is Kbuild. Two commands do everything by themselves,
# packages included, and touch nothing outside this directory but apt:
#
#	make demo	the main job on a real kernel, in QEMU
#	make check	the tests
#
# On a real machine: make && sudo make install && sudo modprobe kreloc

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
PKGCONFIGDIR ?= $(LIBDIR)/pkgconfig
DATADIR ?= $(PREFIX)/share
MANDIR ?= $(DATADIR)/man
BASHCOMPDIR ?= $(DATADIR)/bash-completion/completions
ZSHCOMPDIR ?= $(DATADIR)/zsh/site-functions
FISHCOMPDIR ?= $(DATADIR)/fish/vendor_completions.d
SCDOC := $(shell command -v scdoc)
KDIR ?= /lib/modules/$(shell uname -r)/build
export KRELOC_CACHE ?= $(CURDIR)/.cache

# Not called O: what is given on the command line reaches kbuild too, where O means another thing.
BUILD ?= $(CURDIR)/build
VERSION ?= $(shell git describe --tags --always --dirty 2> /dev/null || echo unknown)
# What this kernel tree builds for; the modules of several can lie side by side.
# utsrelease.h is what uname -r says there; Debian's kernel.release is the upstream version.
RELEASE = $(shell sed -n 's/.*UTS_RELEASE "\(.*\)"/\1/p' \
	$(KDIR)/include/generated/utsrelease.h 2> /dev/null)
MODULE_DIR = $(BUILD)/module/$(RELEASE)

all: tools module

tools:
	+$(MAKE) -C tools O=$(BUILD)

# The sources are copied, so that kbuild leaves its files under build/ and several kernels can be
# built for at once. MODULE_FLAGS reaches kbuild: W=1 C=1, ARCH=, CROSS_COMPILE=.
module: $(if $(RELEASE),,no-kernel-tree)
	@mkdir -p $(MODULE_DIR)/src
	@cp -pRu Kbuild module selftests $(MODULE_DIR)/src/
	+$(MAKE) -C $(KDIR) M=$(MODULE_DIR)/src $(MODULE_FLAGS) modules
	@cp -p $(MODULE_DIR)/src/module/kreloc.ko $(MODULE_DIR)/

no-kernel-tree:
	@echo "kreloc: $(KDIR) is no kernel build tree: install the kernel's headers" >&2
	@echo "(Debian: apt install linux-headers-$$(uname -r)), or name one with KDIR=" >&2
	@exit 1

install: install-tools install-lib modules_install

install-tools: tools $(if $(SCDOC),install-man,no-scdoc)
	install -D -m 755 $(BUILD)/kreloc $(DESTDIR)$(BINDIR)/kreloc
	install -D -m 644 tools/tapset/kreloc.stp $(DESTDIR)$(DATADIR)/kreloc/tapset/kreloc.stp
	install -D -m 644 tools/completion/kreloc.bash $(DESTDIR)$(BASHCOMPDIR)/kreloc
	install -D -m 644 tools/completion/_kreloc $(DESTDIR)$(ZSHCOMPDIR)/_kreloc
	install -D -m 644 tools/completion/kreloc.fish $(DESTDIR)$(FISHCOMPDIR)/kreloc.fish

# For programs that stamp what they write; tells the dynamic linker where nobody else will.
install-lib: tools $(if $(SCDOC),install-man3)
	install -D -m 644 $(BUILD)/lib/libkreloc.so.1 $(DESTDIR)$(LIBDIR)/libkreloc.so.1
	ln -sf libkreloc.so.1 $(DESTDIR)$(LIBDIR)/libkreloc.so
	install -m 644 $(BUILD)/lib/libkreloc.a $(DESTDIR)$(LIBDIR)/libkreloc.a
	install -D -m 644 tools/include/kreloc.h $(DESTDIR)$(INCLUDEDIR)/kreloc.h
	install -d $(DESTDIR)$(PKGCONFIGDIR)
	sed -e 's,@PREFIX@,$(PREFIX),' -e 's,@LIBDIR@,$(LIBDIR),' -e 's,@INCLUDEDIR@,$(INCLUDEDIR),' \
		-e 's,@VERSION@,$(VERSION),' tools/kreloc.pc.in > $(DESTDIR)$(PKGCONFIGDIR)/kreloc.pc
	$(if $(DESTDIR),,-ldconfig)

install-man: install-man1 install-man4 install-man5

install-man%:
	+$(MAKE) -C tools O=$(BUILD) man
	install -d $(DESTDIR)$(MANDIR)/man$*
	install -m 644 $(BUILD)/man/*.$* $(DESTDIR)$(MANDIR)/man$*

no-scdoc:
	@echo "kreloc: no man pages are installed: they take scdoc" >&2
	@echo "(Debian: apt install scdoc)" >&2

modules_install: module
	$(MAKE) -C $(KDIR) M=$(MODULE_DIR)/src $(if $(DESTDIR),INSTALL_MOD_PATH=$(DESTDIR)) modules_install

# KEY=FILE CERT=FILE, for Secure Boot: before modules_install. Linked anew, so that there is one
# signature, whatever was there before.
sign: $(if $(RELEASE),,no-kernel-tree)
	@test -r "$(KEY)" -a -r "$(CERT)" || { \
		echo "kreloc: make sign KEY=FILE CERT=FILE: a private key and its certificate" >&2; exit 2; }
	@rm -f $(MODULE_DIR)/src/module/kreloc.ko
	+@$(MAKE) module
	$(KDIR)/scripts/sign-file sha256 "$(KEY)" "$(CERT)" $(MODULE_DIR)/src/module/kreloc.ko
	@cp -p $(MODULE_DIR)/src/module/kreloc.ko $(MODULE_DIR)/

# Instead of modules_install: dkms builds the module again with each new kernel.
DKMS_SRC = $(DESTDIR)/usr/src/kreloc-$(VERSION)

dkms-install:
	mkdir -p $(DKMS_SRC)
	cp -pR Kbuild module $(DKMS_SRC)/
	sed 's/#MODULE_VERSION[#]/$(VERSION)/' dkms.conf > $(DKMS_SRC)/dkms.conf
	$(if $(DESTDIR),,dkms install kreloc/$(VERSION))

dkms-remove:
	$(if $(DESTDIR),,dkms remove kreloc/$(VERSION) --all)
	rm -rf $(DKMS_SRC)

demo:
	qemu/deps.sh build guest
	+qemu/demo.sh

check:
	qemu/deps.sh build guest sanitize
	+qemu/check.sh

# In every kernel that is supported, and in kernels of our own, booted in many ways: an hour,
# and 2 GB of downloads
check-all:
	qemu/deps.sh build guest sanitize all
	+qemu/check.sh --all

# CELL=NAME: one part of it, or guest of qemu/cells.sh, such as x86_64-6.12-kdump
check-cell:
	@test -n "$(CELL)" || { echo "kreloc: make check-cell CELL=NAME, such as x86_64-6.12-kdump" >&2; exit 2; }
	qemu/deps.sh build guest sanitize all
	+qemu/check.sh "$(CELL)"

# Real kernels' symbols, with a larger download than make check
check-symbols:
	qemu/deps.sh build guest
	+qemu/symbols.sh

# Offsets of real kernels from their recordings alone; an hour, and 2 GB of downloads
check-infer:
	qemu/deps.sh build guest
	+qemu/infer.sh

# The tools that kreloc is for, with a chroot of Debian 13 for some; needs root for that
check-consumers:
	qemu/deps.sh build guest consumers
	+qemu/consumers.sh

# TIME=SECONDS, for each target
fuzz:
	qemu/deps.sh build sanitize
	+$(MAKE) -C tools O=$(BUILD) fuzz

coverage:
	qemu/deps.sh build guest sanitize coverage
	+$(MAKE) -C tools O=$(BUILD) coverage

bench-stamp:
	qemu/deps.sh build guest
	+$(MAKE) -C tools O=$(BUILD) bench-stamp

# Each in one run beside what others have, which takes minutes
bench-addr bench-check bench-infer: bench-%:
	qemu/deps.sh build guest bench
	+tools/bench/$*.sh

lint:
	qemu/deps.sh build guest lint
	+.ci/lint

clean:
	rm -rf $(BUILD)

distclean: clean
	rm -rf $(KRELOC_CACHE)

.PHONY: all tools module no-kernel-tree install install-tools install-lib install-man \
	no-scdoc modules_install sign \
	dkms-install dkms-remove demo check check-all check-cell check-symbols check-infer \
	check-consumers fuzz coverage \
	bench-stamp bench-addr bench-check bench-infer lint clean distclean
