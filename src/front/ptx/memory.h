/* memory: checks of memory accesses, the queue of stores and atomics, commit. */
#ifndef FRONT_PTX_MEMORY_H
#define FRONT_PTX_MEMORY_H
#include "front/ptx/state.h"

/* Address per lane of [base + imm] into out->addr; all lanes are filled. */
void mem_addresses(struct exec *x, const struct inst *in);

/* Complete checks of the given lanes' accesses of `bytes` each at out->addr: false when a fault was recorded. Device
 * addresses: alignment, allocation, freed, read-only; shared: offsets within the CTA's shared memory (and, with
 * check.uninit_shared, reads of bytes never written; writes mark them); local: offsets within the kernel's local
 * memory. `space` is the space named in the message. */
bool mem_check_device(struct exec *x, u32 lanes, u32 bytes, bool store, enum space space);
bool mem_check_shared(struct exec *x, u32 lanes, u32 bytes, bool store, bool load);
bool mem_check_local(struct exec *x, u32 lanes, u32 bytes, bool store);
bool mem_check_fparam(struct exec *x, u32 lanes, u32 bytes, bool store);
/* Alignment alone: false when a fault was recorded. */
bool mem_check_aligned(struct exec *x, u32 lanes, u32 bytes, bool store, enum space space);
/* Splits executing lanes by the window their generic address is in. */
struct generic_lanes {
	u32 global, shared, local;
};
struct generic_lanes mem_split_generic(const struct exec *x);
/* Generic addresses of the lanes become offsets. */
void mem_to_offset(struct exec *x, u32 lanes, u64 window);
/* Local offsets become the lanes' byte addresses in the interleaved layout. */
void mem_local_addresses(struct exec *x, u32 lanes);
/* The next free entry of the SM's queue. */
struct pending *mem_queue(struct exec *x, const struct inst *in, u32 lanes, u32 bytes);

/* atomics.c: one atomic on host memory at p: the old value in, the new one out. b, c as raw bits. */
u64 atomic_apply(u8 op, u8 type, void *p, u64 b, u64 c, bool flush);
/* Looks up the execution function of an atom or red; NULL when it is not supported. */
exec_fn exec_atomic(const struct inst *in);
#endif
