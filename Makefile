# warpdbg. `make run` and `make test` set up everything themselves on Debian and Ubuntu.
#
#   make all | run | test | bench | check | asan | fuzz | kernels | screenshots | install | clean
#
# CC=clang works too; B=DIR puts the objects elsewhere; ONLY="src/base src/ir" builds the library from those parts alone.

CC ?= gcc
B ?= build
PREFIX ?= /usr/local
ONLY ?= src
OPT ?= -O2 -g
WARN = -Wall -Wextra -Wno-unused-parameter -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wvla
BASEFLAGS = -std=gnu17 $(WARN) -Isrc -Iui -I. -D_GNU_SOURCE -ffp-contract=off -fno-strict-aliasing -MMD -MP
CFLAGS += $(BASEFLAGS) $(OPT) $(SAN)
LDFLAGS += $(SAN)
LIBS = -lm

# Execution functions are built once per vector width; the machine picks one when it starts (front/ptx/simd.h).
EXEC_SRC := $(sort $(foreach d,$(ONLY),$(shell find $(d) -path '*front/ptx/exec_*.c')))
ifeq ($(shell uname -m),x86_64)
LEVELS = base avx2 avx512
else
LEVELS = base
endif
FLAGS_base =
FLAGS_avx2 = -mavx2 -mfma -mf16c
FLAGS_avx512 = -mavx512f -mavx512vl -mavx512dq -mavx512bw -mfma -mf16c

LIB_SRC := $(filter-out $(EXEC_SRC),$(sort $(foreach d,$(ONLY),$(shell find $(d) -name '*.c'))))
LIB_OBJ := $(LIB_SRC:%.c=$(B)/%.o) $(foreach l,$(LEVELS),$(EXEC_SRC:%.c=$(B)/%.$(l).o))
UI_SRC := $(sort $(shell find ui -name '*.c'))
UI_OBJ := $(UI_SRC:%.c=$(B)/%.o)
TEST_SRC := $(sort $(wildcard tests/test_*.c))
TESTS := $(TEST_SRC:tests/%.c=$(B)/tests/%)

LUA_CFLAGS = $(shell pkg-config --cflags lua5.4 2>/dev/null || echo -I/usr/include/lua5.4)
LUA_LIBS = $(shell pkg-config --libs lua5.4 2>/dev/null || echo -llua5.4)
UI_LIBS = -lreadline -lncursesw -ltinfo $(LUA_LIBS) -ljansson
TEST_LIBS = -lcmocka -lvterm -lutil

all: warpdbg

lib: $(B)/libwarp.a

warpdbg: $(UI_OBJ) $(B)/libwarp.a
	$(CC) $(LDFLAGS) -o $@ $(UI_OBJ) $(B)/libwarp.a $(UI_LIBS) $(LIBS)

$(B)/libwarp.a: $(LIB_OBJ)
	@rm -f $@
	ar rcs $@ $(LIB_OBJ)

$(B)/ui/%.o: ui/%.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LUA_CFLAGS) -c -o $@ $<

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -c -o $@ $<

define EXEC_RULE
$(B)/%.$(1).o: %.c
	@mkdir -p $$(@D)
	$$(CC) $$(CFLAGS) -O3 $$(FLAGS_$(1)) -DEXEC_LEVEL=$(1) -c -o $$@ $$<
endef
$(foreach l,$(LEVELS),$(eval $(call EXEC_RULE,$(l))))

$(B)/tests/%: tests/%.c $(B)/libwarp.a
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LUA_CFLAGS) $(LDFLAGS) -o $@ $< $(filter-out $(B)/ui/main.o,$(TEST_UI_OBJ)) $(B)/libwarp.a $(TEST_LIBS) $(UI_LIBS) $(LIBS)

clean:
	rm -rf $(B) warpdbg

-include $(shell find $(B) -name '*.d' 2>/dev/null)
.PHONY: all lib clean
