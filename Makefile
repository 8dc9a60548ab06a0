# warpdbg. `make run` and `make test` set up everything themselves on Debian and Ubuntu.
#
#   make all | run | test | test-full | bench | check | asan | fuzz | kernels | screenshots | tables | reference | install | uninstall | package | clean
#   make CHECK=1 ...    a build that looks at the whole state every SIM_CHECK cycles (build-check)
#
# CC=clang works too; B=DIR puts the objects elsewhere; ONLY="src/base src/ir" builds the library from those parts alone.

CC ?= gcc
ifneq ($(CHECK),)
B ?= build-check
PROGRAM ?= $(B)/warpdbg
CFLAGS += -DSIM_CHECK=$(SIM_CHECK)
endif
SIM_CHECK = 499
B ?= build
PROGRAM ?= warpdbg
PREFIX ?= /usr/local
ONLY ?= src
OPT ?= -O2 -g
WARN = -Wall -Wextra -Wno-unused-parameter -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
BASEFLAGS = -std=gnu17 $(WARN) -Isrc -Iui -I. -D_GNU_SOURCE -ffp-contract=off -fno-strict-aliasing -MMD -MP
CFLAGS += $(BASEFLAGS) $(OPT) $(SAN)
LDFLAGS += $(SAN)
LIBS = -lm -pthread -l:libstdc++.so.6

# Execution functions are built once per vector width; the machine picks one when it starts (front/ptx/executor/simd.h). With
# sanitizers one width is enough: all are made of the same source. VECTORS=no, EXEC_OPT: a build that is there sooner.
VECTORS ?= $(if $(SAN),no,yes)
EXEC_OPT ?= -O3
EXEC_SRC := $(sort $(foreach d,$(ONLY),$(shell find $(d) -path '*front/ptx/executor/exec_*.c')))
ifeq ($(shell uname -m)-$(VECTORS),x86_64-yes)
LEVELS = base avx2 avx512
BASEFLAGS += -DEXEC_VECTOR_LEVELS
else
LEVELS = base
endif
FLAGS_base =
FLAGS_avx2 = -mavx2 -mfma -mf16c
FLAGS_avx512 = -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mf16c

LIB_SRC := $(filter-out $(EXEC_SRC),$(sort $(foreach d,$(ONLY),$(shell find $(d) -name '*.c'))))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(foreach l,$(LEVELS),$(EXEC_SRC:%.c=$(B)/%.$(l).o))
UI_SRC := $(sort $(shell find ui -name '*.c' -not -path 'ui/cudart/*'))
UI_OBJ := $(UI_SRC:%.c=$(B)/%.o)
# tests/FLOOR/test_NAME.c: one binary a floor, and $(B)/tests/test_NAME is a link to it, which runs the test of its name.
TEST_SRC := $(sort $(wildcard tests/*/test_*.c))
TEST_FLOORS := $(sort $(patsubst tests/%/,%,$(dir $(TEST_SRC))))
TESTS := $(sort $(patsubst %.c,$(B)/tests/%,$(notdir $(TEST_SRC))))
TEST_SCRIPTS := $(sort $(wildcard tests/*/test_*.sh))
VERSION = 0.1

LUA_CFLAGS = $(shell pkg-config --cflags lua5.4 2>/dev/null || echo -I/usr/include/lua5.4)
LUA_LIBS = $(shell pkg-config --libs lua5.4 2>/dev/null || echo -llua5.4)
UI_LIBS = -lreadline -lncursesw -ltinfo $(LUA_LIBS) -ljansson -lzstd -llz4
TEST_LIBS = -lcmocka -lvterm -lutil
DIST = warpdbg-$(VERSION)

# One line a file; V=1 shows the commands.
ifeq ($(V),)
say = @echo '  $(1)' $@;
else
say =
endif

all: $(PROGRAM) cudart

lib: $(B)/libwarp.a

$(PROGRAM): $(UI_OBJ) $(B)/libwarp.a
	$(call say,LINK)$(CC) $(LDFLAGS) -o $@ $(UI_OBJ) $(B)/libwarp.a $(UI_LIBS) $(LIBS)

# The library that CUDA programs find in place of NVIDIA's run time, under the names that nvcc 11, 12 and 13 link, and the
# one that is preloaded for programs that have the run time inside; one more for --app-clock. Only libc; never with sanitizers: it is in other programs.
CUDART_ONCE = ui/cudart/redirect.c ui/cudart/entries.c ui/cudart/transfers.c
CUDART_SRC := $(filter-out $(CUDART_ONCE) ui/cudart/version.c ui/cudart/clock.c ui/cudart/driver_stub.c,$(sort $(wildcard ui/cudart/*.c)))
CUDART_OBJ := $(CUDART_SRC:%.c=$(B)/%.o)
CUDART_NAMES = 11.0 12 13
CUDART = $(CUDART_NAMES:%=$(B)/cudart/libcudart.so.%) $(B)/cudart/libwarpdbg-preload.so $(B)/cudart/libwarpdbg-clock.so $(B)/cudart/libcuda.so.1
CUDART_CFLAGS = $(BASEFLAGS) -O2 -g -fPIC -fvisibility=hidden -Wno-missing-prototypes
CUDART_LDFLAGS = -shared -Wl,-z,defs -Wl,-z,relro -Wl,-z,now

cudart: $(CUDART)

$(B)/ui/cudart/%.o: ui/cudart/%.c
	@mkdir -p $(@D)
	$(call say,CC  )$(CC) $(CUDART_CFLAGS) -c -o $@ $<

$(CUDART_NAMES:%=$(B)/cudart/version.%.o): $(B)/cudart/version.%.o: ui/cudart/version.c
	@mkdir -p $(@D)
	$(call say,CC  )$(CC) $(CUDART_CFLAGS) -DCUDART_MAJOR=$(basename $*) -c -o $@ $<

$(B)/cudart/libcudart.so.%: $(CUDART_OBJ) $(B)/cudart/version.%.o
	@echo 'libcudart.so.$* { global: cuda*; __cuda*; local: *; };' >$@.map
	$(call say,LINK)$(CC) $(CUDART_LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script,$@.map -o $@ $^

$(B)/cudart/libwarpdbg-preload.so: $(CUDART_OBJ) $(CUDART_ONCE:%.c=$(B)/%.o) $(B)/cudart/version.13.o
	@echo '{ global: read; __read_chk; pread*; write; pwrite*; fread; __fread_chk; fwrite; warpdbg_driver; local: *; };' >$@.map
	$(call say,LINK)$(CC) $(CUDART_LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script,$@.map -o $@ $^

# The driver's library: names that lead to either of the others.
$(B)/cudart/libcuda.so.1: $(B)/ui/cudart/driver_stub.o
	@echo '{ global: cu[A-Z]*; local: *; };' >$@.map
	$(call say,LINK)$(CC) $(CUDART_LDFLAGS) -Wl,-soname,$(@F) -Wl,--version-script,$@.map -o $@ $^

$(B)/cudart/libwarpdbg-clock.so: $(B)/ui/cudart/clock.o
	$(call say,LINK)$(CC) $(CUDART_LDFLAGS) -Wl,-soname,$(@F) -o $@ $^

$(B)/libwarp.a: $(LIB_OBJ)
	@rm -f $@
	$(call say,AR  )ar qcs $@ $(LIB_OBJ)

$(B)/ui/%.o: ui/%.c
	@mkdir -p $(@D)
	$(call say,CC  )$(CC) $(CFLAGS) $(LUA_CFLAGS) -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call say,CC  )$(CC) $(CFLAGS) -c -o $@ $<

# Hashes read the whole state, again and again: uninstrumented (base/hash.h).
$(B)/src/base/hash.o: CFLAGS += $(if $(findstring address,$(SAN)),-fno-sanitize=all -O2 -DHASH_LOOK)

define EXEC_RULE
$(B)/%.$(1).o: %.c
	@mkdir -p $$(@D)
	$$(call say,CC  )$$(CC) $$(CFLAGS) $$(EXEC_OPT) $$(FLAGS_$(1)) -DEXEC_LEVEL=$(1) -c -o $$@ $$<
endef
$(foreach l,$(LEVELS),$(eval $(call EXEC_RULE,$(l))))

$(B)/libui.a: $(filter-out $(B)/ui/cli/main.o,$(UI_OBJ))
	@rm -f $@
	$(call say,AR  )ar qcs $@ $^

# Test programs spend their time in the library, so they are compiled quickly instead.
TEST_OPT ?= -O1 -g1
TEST_CC = $(CC) $(CFLAGS) $(TEST_OPT) $(LUA_CFLAGS)
TEST_LINK = $(filter %.o,$^) $(B)/libui.a $(B)/libwarp.a $(TEST_LIBS) $(UI_LIBS) $(LIBS)

# Each test's own main() gets a name of its own, under which the floor's main() finds it.
$(B)/tests/%.o: tests/%.c
	@mkdir -p $(@D)
	$(call say,CC  )$(TEST_CC) -c -o $@ $< && objcopy --redefine-sym main=main_of_$(*F) $@

define FLOOR_RULE
$(B)/tests/$(1)/floor: $(patsubst %.c,$(B)/%.o,$(filter tests/$(1)/%,$(TEST_SRC))) $(B)/tests/$(1)/main.o $(B)/libui.a $(B)/libwarp.a
	$$(call say,LINK)$$(CC) $$(LDFLAGS) -o $$@ $$(TEST_LINK)
$(B)/tests/$(1)/main.c: tests/tools/floor_main.sh $(filter tests/$(1)/%,$(TEST_SRC))
	@mkdir -p $$(@D)
	@$$< $(patsubst %.c,%,$(notdir $(filter tests/$(1)/%,$(TEST_SRC)))) >$$@
$(patsubst %.c,$(B)/tests/%,$(notdir $(filter tests/$(1)/%,$(TEST_SRC)))): $(B)/tests/$(1)/floor
	@ln -sf $(1)/floor $$@
endef
$(foreach f,$(TEST_FLOORS),$(eval $(call FLOOR_RULE,$(f))))
$(foreach f,$(TEST_FLOORS),$(B)/tests/$(f)/main.o): %.o: %.c
	@$(CC) -c -o $@ $<

# A CUDA program that gcc compiles, and the library that it is linked with when it starts.
$(B)/tests/cuda_app: tests/rig/cuda_app.c $(CUDART)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(BASEFLAGS) -Itests -O1 -g -Wno-missing-prototypes -o $@ $< $(B)/cudart/libcudart.so.13 -pthread
$(B)/tests/cuda_app_static: tests/rig/cuda_app.c tests/rig/cuda_static.c
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(BASEFLAGS) -Itests -O1 -g -Wno-missing-prototypes -DSTATIC_RUN_TIME -o $@ $^ -pthread
# Programs of the driver library, without the run time and with it.
$(B)/tests/cuda_driver_app: tests/rig/cuda_driver_app.c $(CUDART)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(BASEFLAGS) -Itests -O1 -g -Wno-missing-prototypes -o $@ $< $(B)/cudart/libcuda.so.1
$(B)/tests/cuda_driver_app_both: tests/rig/cuda_driver_app.c $(CUDART)
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(BASEFLAGS) -Itests -O1 -g -Wno-missing-prototypes -o $@ $< $(B)/cudart/libcuda.so.1 -Wl,--no-as-needed $(B)/cudart/libcudart.so.13
$(B)/tests/test_cudart: $(B)/tests/cuda_app $(B)/tests/cuda_app_static
$(B)/tests/test_app_nonsense: $(CUDART)

# Benchmarks and fuzzers are programs by themselves.
$(B)/tests/fuzz_%: tests/fuzz_%.c $(B)/libui.a $(B)/libwarp.a
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(CFLAGS) $(LUA_CFLAGS) $(LDFLAGS) -o $@ $< $(TEST_LINK)
$(B)/tests/bench_%: tests/bench_%.c $(B)/libui.a $(B)/libwarp.a
	@mkdir -p $(@D)
	$(call say,LINK)$(CC) $(CFLAGS) $(LUA_CFLAGS) $(LDFLAGS) -o $@ $< $(TEST_LINK)

# The README's example of a scheduler is compiled into its test.
$(B)/tests/readme_policy.c: README.md tests/tools/readme_block.sh
	@mkdir -p $(@D)
	@tests/tools/readme_block.sh c '/* batch' > $@
$(B)/tests/sm/test_policy.o: $(B)/tests/readme_policy.c
$(B)/tests/sm/test_policy.o: CFLAGS += -I$(B)/tests

# --- for people ------------------------------------------------------------------------------------------------------

# Installs missing packages (Debian, Ubuntu), after saying which; does nothing when all are there.
setup:
	@tests/tools/setup.sh build

# A build after `setup`: the packages must be there before make looks at anything else.
run: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all
	./warpdbg

test: setup
	@$(MAKE) --no-print-directory -j$(JOBS) all $(TESTS)
	@WARPDBG=./$(PROGRAM) tests/tools/run_tests.sh $(B) $(TESTS) $(TEST_SCRIPTS)

# And every workload under every scheduler with every re-execution queue, prefetch, order of instructions, four machines;
# all workloads on the meshes in other orders of SMs and routers, and 500 machines drawn at random;
# reports in a browser, if there is one; CUDA programs of AArch64, with an emulator of the processor;
# 8,000 requests for SMs in runs of each workload, of which a third finds a kernel; thousands of verbs; virtual threads under every warp
# scheduler.
test-full: test
	@tests/tools/setup.sh full
	@tests/tools/setup.sh browser || true
	REPORT_BROWSER=1 WARPDBG=./$(PROGRAM) tests/cli/test_report_browser.sh
	@$(MAKE) --no-print-directory CC=aarch64-linux-gnu-gcc B=build-aarch64 build-aarch64/cudart/libwarpdbg-preload.so \
		build-aarch64/cudart/libcudart.so.13 build-aarch64/tests/cuda_app build-aarch64/tests/cuda_app_static
	AARCH64=build-aarch64 WARPDBG=./$(PROGRAM) tests/cli/test_aarch64.sh
	MATRIX=full $(B)/tests/test_matrix
	MATRIX=coherence $(B)/tests/test_matrix
	MATRIX=13 $(B)/tests/test_matrix
	WARPDBG_CHECKED=1 $(B)/tests/test_checked
	PAPERS=full WARPDBG=./$(PROGRAM) tests/cli/test_paper.sh
	WARPDBG_OTHER_MACHINES=2 $(B)/tests/test_workloads
	WARPDBG_LATE=1 WARPDBG_WINDOWS=40 $(B)/tests/test_windows
	WARPDBG_PREEMPTIONS=8000 $(B)/tests/test_preempt_workloads
	WARPDBG_VERBS=2000 $(B)/tests/test_verbs
	WARPDBG_CHURN=1000000 $(B)/tests/test_churn
	WARPDBG_PAIRS=162 $(B)/tests/test_programs
	WARPDBG_ORDERS=full $(B)/tests/test_order
	WARPDBG_ORDERS=500 $(B)/tests/test_order
	WARPDBG_APART=10 $(B)/tests/test_apart
	WARPDBG_MOVES=400 $(B)/tests/test_turns
	VT=full WARPDBG_LAUNCHES=50000 $(B)/tests/test_vt

bench:
	@tests/tools/setup.sh bench
	@$(MAKE) --no-print-directory -j$(JOBS) warpdbg $(B)/tests/bench_travel $(B)/tests/bench_draw
	@tests/tools/bench.sh $(B)/bench.json
	@$(B)/tests/bench_travel
	@$(B)/tests/bench_draw
	@tests/tools/bench_sched.sh $(B)/bench_sched.json
	@tests/tools/bench_cost.sh $(B)/bench_cost.json

check:
	@tests/tools/setup.sh check
	@tests/tools/check.sh

# Null pointers and the sizes of objects are the address sanitizer's as well, which stops at the access: no second check of each.
# Tests are compiled for a fourth of the time without optimization; lines alone (-g1) are what a report needs.
SANITIZE = -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-sanitize=null,object-size
ASAN_BUILD = B=build-asan PROGRAM=build-asan/warpdbg CHECK=1 SAN="$(SANITIZE)" OPT="-O1 -g1 -fno-omit-frame-pointer" EXEC_OPT= \
	TEST_OPT=-O0
asan: setup
	@$(MAKE) --no-print-directory -j$(JOBS) $(ASAN_BUILD) asan-tests

# The unit tests under the sanitizers, in a checking build. Left to `make test`: programs that mostly wait for a terminal, but for one
# that shows every view, and those that run whole workloads. Left to `make asan-full`, too: those that check figures of long
# simulations whose code others run here (churn, verbs and preempt that of the tasks, vt that of virtual threads).
ASAN_SKIP = test_workloads test_equal_threads test_matrix test_order test_apart test_replay_workloads test_preempt_workloads test_restart_workloads \
	test_measure test_interrupt test_leave test_palette test_screen test_screen_compare test_screen_fit test_screen_habits test_screen_keys \
	test_screen_narrow test_screen_views $(ASAN_LONG)
ASAN_LONG = test_programs test_machines test_rival test_cta_share test_policy test_preempt_sums test_preempt_vt test_restartable test_maestro \
	test_preempt_rules test_policy_partition test_partition_past test_replay test_sched_hard test_reuse test_queue_cycle test_livelock \
	test_slicer test_shares test_timing
ASAN_TESTS = $(filter-out $(ASAN_SKIP:%=$(B)/tests/%),$(TESTS))
asan-full:
	@$(MAKE) --no-print-directory asan ASAN_LONG=
asan-tests: $(PROGRAM) $(ASAN_TESTS)
	@WARPDBG=./$(PROGRAM) tests/tools/run_tests.sh $(B) $(ASAN_TESTS)

# Random and damaged PTX, machine files, host programs and command lines under the sanitizers.
# Then random keys and commands on a terminal.
FUZZ_ROUNDS = 20000
FUZZ_SECONDS = 300
FUZZ_SEED = 1
fuzz: setup
	@$(MAKE) --no-print-directory -j$(JOBS) $(ASAN_BUILD) build-asan/warpdbg build-asan/tests/fuzz_inputs build-asan/tests/fuzz_screen
	build-asan/tests/fuzz_inputs $(FUZZ_ROUNDS)
	tests/tools/fuzz_lua.sh build-asan/warpdbg $(FUZZ_SEED) $(FUZZ_ROUNDS)
	build-asan/tests/fuzz_screen build-asan/warpdbg $(FUZZ_SECONDS) $(FUZZ_SEED)

# The table of scripts/workloads/README.md: runs every one at its default size, some minutes.
tables: all
	@./warpdbg list workloads --table --format markdown

# Writes the sections of ui/REFERENCE.md on the console's commands and on Lua anew, and the transcripts of the documents
# (tests/house/test_reference.sh and tests/house/test_transcripts.sh compare them).
reference: all
	@tests/tools/reference.sh $(abspath $(PROGRAM))
	@tests/tools/reference.sh $(abspath $(PROGRAM)) ui/CALLS.md calls
	@tests/tools/transcripts.sh $(abspath $(PROGRAM))

screenshots: all
	tests/screenshots.sh

-include configs/kernels/kernels.mk

# The manual page, from the tables behind `warpdbg help`.
$(B)/warpdbg.1: $(PROGRAM)
	$(call say,MAN )$(abspath $(PROGRAM)) help --format man > $@.part && mv $@.part $@

# How shells complete its command line, likewise.
$(B)/completion.%: $(PROGRAM)
	$(call say,GEN )$(abspath $(PROGRAM)) help --format $* > $@.part && mv $@.part $@

# Documents stay one tree, so that their links hold. What an earlier version installed is taken away first.
INSTALLED = $(DESTDIR)$(PREFIX)
DOCUMENTS = LICENSE $(shell find README.md src ui tests scripts -name '*.md' | sort)
PICTURES = $(shell cat $(DOCUMENTS) | grep -o 'screenshots/[a-z0-9-]*[.]png' | sort -u)
install: all $(B)/warpdbg.1 $(B)/completion.bash $(B)/completion.zsh uninstall
	install -d $(INSTALLED)/bin $(INSTALLED)/share/warpdbg $(INSTALLED)/share/doc/warpdbg $(INSTALLED)/share/man/man1
	install -m 755 $(PROGRAM) $(INSTALLED)/bin/warpdbg
	install -d $(INSTALLED)/lib/warpdbg
	install -m 755 $(CUDART) $(INSTALLED)/lib/warpdbg/
	cp -r configs scripts $(INSTALLED)/share/warpdbg/
	find $(INSTALLED)/share/warpdbg -name '*.md' -exec rm {} +
	cp --parents $(DOCUMENTS) $(PICTURES) $(INSTALLED)/share/doc/warpdbg/
	install -m 644 $(B)/warpdbg.1 $(INSTALLED)/share/man/man1/
	install -D -m 644 $(B)/completion.bash $(INSTALLED)/share/bash-completion/completions/warpdbg
	install -D -m 644 $(B)/completion.zsh $(INSTALLED)/share/zsh/site-functions/_warpdbg

uninstall:
	rm -rf $(INSTALLED)/share/warpdbg $(INSTALLED)/share/doc/warpdbg $(INSTALLED)/lib/warpdbg
	rm -f $(INSTALLED)/bin/warpdbg $(INSTALLED)/share/man/man1/warpdbg.1 \
		$(INSTALLED)/share/bash-completion/completions/warpdbg $(INSTALLED)/share/zsh/site-functions/_warpdbg

# $(B)/warpdbg-VERSION.tar.gz: unpack anywhere and run bin/warpdbg.
package: all
	rm -rf $(B)/$(DIST)
	$(MAKE) --no-print-directory install DESTDIR=$(B)/$(DIST) PREFIX=
	tar -C $(B) -czf $(B)/$(DIST).tar.gz $(DIST)

clean:
	rm -rf $(B) build-asan build-check warpdbg

JOBS := $(shell nproc 2>/dev/null || echo 2)
-include $(shell find $(B) -name '*.d' 2>/dev/null)
.DEFAULT_GOAL := all
.PHONY: all lib cudart setup run test test-full bench check asan asan-full asan-tests fuzz screenshots tables reference install uninstall package clean
