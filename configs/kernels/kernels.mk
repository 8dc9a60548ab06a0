# Rebuilds the PTX of the bundled workloads from their CUDA C (`make kernels`). The results are committed, so nobody
# needs this to build or run; it takes only Debian's clang (14 or later, with its NVPTX back end), no CUDA toolkit.
#
#   make kernels KERNEL_CC=clang-16

KERNEL_CC ?= clang
KERNEL_DIR := configs/kernels
KERNEL_PTX := $(patsubst %.cu,%.ptx,$(sort $(wildcard $(KERNEL_DIR)/*.cu)))
KERNEL_FLAGS = -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 --cuda-path=/nonexistent -nocudainc -nocudalib \
	-fdeclspec -Xclang -target-feature -Xclang +ptx63 -O2 -Wall -Wextra -Wno-unused-function

kernels: $(KERNEL_PTX) scripts/hardware/micro.ptx scripts/hardware/grid.ptx

$(KERNEL_DIR)/%.ptx: $(KERNEL_DIR)/%.cu $(KERNEL_DIR)/device.h
	$(KERNEL_CC) $(KERNEL_FLAGS) -S $< -o $@.tmp && mv $@.tmp $@

scripts/hardware/micro.ptx: scripts/hardware/micro.cu $(KERNEL_DIR)/device.h
	$(KERNEL_CC) $(KERNEL_FLAGS) -S $< -o $@.tmp && mv $@.tmp $@

# Instructions of Ampere, which older text does not have.
scripts/hardware/grid.ptx: scripts/hardware/grid.cu $(KERNEL_DIR)/device.h
	$(KERNEL_CC) $(subst +ptx63,+ptx70,$(subst sm_70,sm_80,$(KERNEL_FLAGS))) -S $< -o $@.tmp && mv $@.tmp $@

.PHONY: kernels
