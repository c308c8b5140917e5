# SPDX-License-Identifier: GPL-2.0-only
#
# Stands in for the kernel's tools/testing/selftests/lib.mk, which
# selftests/Makefile includes as ../lib.mk: puts the tests into OUTPUT, compiled
# by CC without shared libraries, as a guest has none.
#
#	make -C selftests -I qemu/tests OUTPUT=… CC=…

$(OUTPUT): $(TEST_PROGS) $(TEST_PROGS_EXTENDED) $(TEST_FILES) $(addprefix $(OUTPUT)/,$(TEST_GEN_PROGS) $(TEST_GEN_FILES))
	cp $(TEST_PROGS) $(TEST_PROGS_EXTENDED) $(TEST_FILES) $@
	echo $(TEST_PROGS) $(TEST_GEN_PROGS) > $@/tests

$(OUTPUT)/%: %.c $(LOCAL_HDRS)
	mkdir -p $(OUTPUT)
	$(CC) -O2 -Wall -static $(CFLAGS) -o $@ $<

.DEFAULT_GOAL := $(OUTPUT)
.PHONY: $(OUTPUT)
