/* mbarrier: barriers in shared memory (PTX ISA, mbarrier), and copies by cp.async that nobody has waited for.
 *
 * An object's whole state is its 8 bytes in shared memory, so saving a CTA, going back in time and looking at memory
 * need nothing more:
 *
 *   63  61 60        40 39          20 19         0
 *   [phase|  tx-count   |  expected    |  pending  ]
 *
 * pending: arrivals that the phase still lacks. expected: those of the phases after it. tx-count: bytes awaited,
 * signed. phase counts modulo 8; its lowest bit is the parity. A phase ends when pending and tx-count are 0. The layout
 * is ours: PTX leaves it open. The state that an arrival returns is the object as it was before.
 *
 * Beside the bytes lies one bit for each 8 bytes of a CTA's shared memory: there is an object. An instruction on bytes
 * without one is a fault.
 *
 * check.copies: a word of shared memory that cp.async writes names the warp and the group of the copy, until the warp
 * has waited for that group. Any other access of the word before is a fault. Values are there from the issue on; a chip
 * has them at some time before the wait is over. */
#ifndef FRONT_PTX_RUNTIME_MBARRIER_H
#define FRONT_PTX_RUNTIME_MBARRIER_H
#include "front/ptx/runtime/state.h"

#define MBAR_COUNT_MAX 0xfffffu /* PTX ISA: counts are 1 to 2^20 - 1 */
#define MBAR_TX_MAX 0xfffff     /* and tx-counts within -(2^20 - 1) and 2^20 - 1 */
#define MBAR_PHASES 8

struct mbar {
	u32 pending, expected, phase;
	s32 tx;
};
static inline struct mbar mbar_unpack(u64 v)
{
	return (struct mbar){.pending = v & MBAR_COUNT_MAX,
	                     .expected = v >> 20 & MBAR_COUNT_MAX,
	                     .phase = (u32)(v >> 61),
	                     .tx = (s32)((s64)(v << 3) >> 43)};
}
static inline u64 mbar_pack(struct mbar b)
{
	return b.pending | (u64)b.expected << 20 | ((u64)(u32)b.tx & 0x1fffff) << 40 | (u64)b.phase << 61;
}
/* Goes on to the next phase if this one has ended. */
static inline bool mbar_settle(struct mbar *b)
{
	if (b->pending || b->tx)
		return false;
	b->pending = b->expected;
	b->phase = (b->phase + 1) % MBAR_PHASES;
	return true;
}

/* Bytes of the map of a CTA slot. */
static inline u64 mbar_map_bytes(const struct ptx *f)
{
	return (f->shared_max + 511) / 512 * 8;
}
static inline u8 *mbar_map(const struct ptx *f, u32 sm, u32 slot)
{
	return f->mbarriers + (sm * f->nslots + slot) * mbar_map_bytes(f);
}
static inline bool mbar_is_there(const u8 *map, u64 at)
{
	return map[at / 64] >> at / 8 % 8 & 1;
}

/* What a warp has copied and waited for, by groups of its own numbers (arena). */
struct copy_groups {
	u32 open;   /* the group that copies go to now */
	u32 waited; /* all groups below have been waited for */
};
static inline struct copy_groups *copy_groups_of(const struct ptx *f, u32 sm, u32 warp)
{
	return &f->copy_groups[sm * f->nwarps + warp];
}
#define COPY_GROUP_BITS 10 /* of a word's mark; above them the warp's number in the CTA + 1 */
static inline u16 *copy_marks_of(const struct ptx *f, u32 sm, u32 slot)
{
	return f->copy_marks + (u64)(sm * f->nslots + slot) * (f->shared_max / 4);
}
/* cta.c: what the last CTA in a slot has left beside its shared memory. */
void forget_objects(struct ptx *f, u32 sm, u32 slot);
/* A group begins. */
void copy_groups_next(struct ptx *f, u32 sm, u32 warp);
/* The warp has waited for all groups but so many of the newest; all: for those of no group, too. */
void copies_waited(struct exec *x, u32 but, bool all);
/* Lanes of the instruction copy so many bytes each to offsets `to`. */
void copies_mark(struct exec *x, const u64 *to, u32 lanes, u32 bytes);
/* Of lanes' accesses of shared memory at out->addr: false when a fault was recorded, because of a copy under way. Only
 * for CTAs that have copied (struct cta, copies). */
bool copies_check(struct exec *x, u32 lanes, u32 bytes, bool store);
#endif
