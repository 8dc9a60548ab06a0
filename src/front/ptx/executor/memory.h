/* memory: checks of memory accesses, the queue of stores and atomics, commit. */
#ifndef FRONT_PTX_EXECUTOR_MEMORY_H
#define FRONT_PTX_EXECUTOR_MEMORY_H
#include "front/ptx/runtime/locks.h"
#include "front/ptx/runtime/state.h"

/* Every executing lane aligned and within [lo, lo + limit], limit < 2^63: then neither t = addr - lo nor limit - t has
 * its top bit set, which takes no comparison of 64-bit numbers. */
static inline bool mem_lanes_within(const u64 *addr, u32 m, u64 lo, u64 limit, u32 bytes)
{
	u64 bad = 0, low = 0;
	if (m == FULL_MASK) {
		for (u32 i = 0; i < LANES; i++) {
			const u64 t = addr[i] - lo;
			bad |= t | (limit - t);
			low |= addr[i];
		}
	} else {
		const u64 first = addr[first_lane(m)];
		for (u32 i = 0; i < LANES; i++) {
			const u64 v = (m >> i & 1) ? addr[i] : first, t = v - lo;
			bad |= t | (limit - t);
			low |= v;
		}
	}
	return !(bad >> 63) && !(low & (bytes - 1));
}

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
/* Makes the live allocation that holds addr the SM's last one (sm_side); false when there is none. */
bool mem_locate(struct exec *x, u64 addr);
/* Splits executing lanes by the window their generic address is in. */
struct generic_lanes {
	u32 global, shared, local;
};
struct generic_lanes mem_split_generic(const struct exec *x);
/* Generic addresses of the lanes become offsets. */
void mem_to_offset(struct exec *x, u32 lanes, u64 window);
/* At the end of an instruction whose lanes' generic addresses are in several spaces. The caches take it for one of its
 * lowest lane's space: unless that is shared memory, the lanes that are in shared memory get that lane's address, so
 * that they ask for no line of their own. */
void mem_hide_shared(struct exec *x, u32 shared);
/* Local offsets become the lanes' byte addresses in the interleaved layout. */
void mem_local_addresses(struct exec *x, u32 lanes);
/* The next free entry of the SM's queue. */
struct pending *mem_queue(struct exec *x, enum pending_kind kind, u32 lanes, u32 bytes);

/* atomics.c: one atomic on host memory at p: the old value in, the new one out. b, c as raw bits. */
u64 atomic_apply(u8 op, u8 type, void *p, u64 b, u64 c, bool flush);
/* The same for the given lanes in order, on 32-bit words at base + addr[lane]. False, and nothing done, when the type
 * has other sizes or halves. */
struct atomic_words {
	uintptr_t base;
	const u64 *addr;
	const void *b, *c;
	u32 step; /* bytes from one lane's b (and c) to the next */
	u32 *old; /* may be where b or c are */
	bool flush;
};
bool atomic_apply_words(u8 op, u8 type, const struct atomic_words *w, u32 lanes);
/* atomics.c: the lanes of an atomic by space, shared ones as offsets; false when a fault was recorded. */
bool mem_atomic_lanes(struct exec *x, const struct inst *in, u32 bytes, struct generic_lanes *to);
/* atomics128.c */
exec_fn exec_atomic128(const struct inst *in);
void atomic128_commit(struct ptx *f, u32 sm, const struct pending *p);
/* atomics_vector.c: those that lower_atom_vector.c makes, which have inst.cmp set. */
exec_fn exec_atomic_vector(const struct inst *in);
void atomic_vector_commit(struct ptx *f, u32 sm, const struct pending *p);
/* heap_calls.c: malloc and free. */
exec_fn exec_heap(const struct inst *in);
void heap_commit(struct ptx *f, u32 sm, const struct pending *p);
/* Looks up the execution function of an atom or red; NULL when it is not supported. */
exec_fn exec_atomic(const struct inst *in);
#endif
