# Rebuilds the PTX of the bundled workloads from their CUDA C (`make kernels`). The results are committed, so nobody
# needs this to build or run; it takes only Debian's clang (14 or later, with its NVPTX back end), no CUDA toolkit.
#
#   make kernels KERNEL_CC=clang-16

KERNEL_CC ?= clang
KERNEL_DIR := configs/kernels
KERNEL_PTX := $(patsubst %.cu,%.ptx,$(sort $(wildcard $(KERNEL_DIR)/*.cu)))
KERNEL_ARCH = sm_70
KERNEL_ISA = +ptx63
KERNEL_HEADERS := $(wildcard $(KERNEL_DIR)/*.h)
# Line directives, and names of files as seen from the top directory: the debugger shows the CUDA lines. Labels that only
# debug information would refer to are left out.
KERNEL_LINES = -gline-directives-only -fdebug-compilation-dir=.
KERNEL_FLAGS = -x cuda --cuda-device-only --cuda-gpu-arch=$(KERNEL_ARCH) --cuda-path=/nonexistent -nocudainc -nocudalib \
	$(KERNEL_LINES) -fdeclspec -Xclang -target-feature -Xclang $(KERNEL_ISA) -O2 -Wall -Wextra -Wno-unused-function

kernels: $(KERNEL_PTX) scripts/hardware/micro.ptx scripts/hardware/grid.ptx scripts/lessons/programs/lessons.ptx

$(KERNEL_DIR)/%.ptx: $(KERNEL_DIR)/%.cu $(KERNEL_HEADERS)
	$(KERNEL_CC) $(KERNEL_FLAGS) -S $< -o $@.tmp && sed '/^L\(tmp\|func_begin\|func_end\)[0-9]*:/d' $@.tmp >$@ && rm $@.tmp

# With instructions of Ampere, which older text does not have.
KERNEL_AMPERE := $(patsubst %,$(KERNEL_DIR)/%.ptx,flash2 hgemm hgemm_ladder igemm sparse) scripts/hardware/grid.ptx
$(KERNEL_AMPERE): KERNEL_ARCH = sm_80
$(KERNEL_AMPERE): KERNEL_ISA = +ptx70
$(KERNEL_DIR)/sparse.ptx: KERNEL_ISA = +ptx71

# As they were measured on chips.
$(patsubst %,scripts/hardware/%.ptx,micro grid): KERNEL_LINES =
scripts/hardware/%.ptx: scripts/hardware/%.cu $(KERNEL_DIR)/device.h
	$(KERNEL_CC) $(KERNEL_FLAGS) -S $< -o $@.tmp && mv $@.tmp $@

scripts/lessons/programs/%.ptx: scripts/lessons/programs/%.cu $(KERNEL_DIR)/device.h
	$(KERNEL_CC) $(KERNEL_FLAGS) -I$(KERNEL_DIR) -S $< -o $@.tmp && sed '/^L\(tmp\|func_begin\|func_end\)[0-9]*:/d' $@.tmp >$@ && rm $@.tmp

.PHONY: kernels
