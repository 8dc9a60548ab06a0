/* checks: races and reads of what nobody has written, in shared and global memory (check.races, check.init). MODEL.md
 * says what is found and what is not.
 *
 * An SM's tick notes what its warps do: accesses, fences, barriers. Behind the cycle these notes are read, SM by SM, in
 * their order, so nothing depends on the order of the ticks. Each cell, 4 bytes of memory (of shared memory as few as
 * the smallest access of the module), remembers the last write and two reads. A new access is compared with them: is
 * the one ordered before the other?
 *
 *   in a CTA         Each warp has a clock of every warp: up to which cycle it knows what that one has done. At
 * barriers and mbarriers warps give each other their clocks. Lanes of a warp are ordered by their instructions; with
 * isa.threads=splits only by .sync instructions and barriers. between CTAs     and where barriers do not order them:
 * the first has executed a fence behind its access, and then an atomic or a strong store; and the second has executed
 * an atomic or a strong load since that access. The addresses of these are not looked at. At barriers warps give each
 * other this, too. between launches launch_ordered() of checks_order.c.
 *
 * All of it is state in the arena behind the part that is hashed: snapshots bring it back, and a machine that checks
 * has the same hash and cycles as one that does not. Notes come through EV_ISSUE: off, it costs nothing. */
#ifndef SM_CHECKS_H
#define SM_CHECKS_H
#include "base/arena.h"
#include "conf/conf.h"
#include "front/front.h"

struct sm;
struct sm_ctx;
struct checks;

enum check_kind {
	CHECK_RAW,    /* a read after a write */
	CHECK_WAR,    /* a write after a read */
	CHECK_WAW,    /* a write after a write */
	CHECK_LANES,  /* two lanes write different values with one instruction */
	CHECK_UNINIT, /* a read of bytes that nobody has written; there is no first access */
	CHECK_KINDS
};
extern const char *const check_kind_names[CHECK_KINDS]; /* "raw", "war", "waw", "lanes", "uninit" */
struct check_side {
	u64 cycle, cta; /* cta: linear */
	u32 launch, pc;
	u16 thread; /* linear in its CTA */
	u8 store, atomic;
	u32 pad;
};
/* A pair of lines, with its first occurrence. */
struct check_finding {
	u8 kind;   /* enum check_kind */
	u8 space;  /* SPC_SHARED, SPC_GLOBAL */
	u8 same;   /* benign: both writes left the same bytes. Such a pair is counted, and is no error */
	u8 fence;  /* between CTAs: the first has executed no fence between its access and its next atomic or strong store,
	            * and the second has read such a one since */
	u32 bytes; /* that both accessed, of the first word at which it was seen */
	u64 addr;  /* device address; shared: offset */
	u64 times; /* warp instructions that were the second access */
	struct check_side first, second;
	u16 sm, warp; /* of the second: the warp's slot */
	u32 pad;
	u64 last; /* the note that was counted last */
};
#define CHECK_FINDINGS 1024

/* NULL, unless check.races or check.init ask for it. launches: the most that a machine may have. The last block of the
 * arena, behind arena_end_hashed(). */
size_t checks_state_bytes(const struct conf *c, u32 launches);
struct checks *checks_create(const struct conf *c, u32 launches, struct arena *a, struct devmem *mem);
void checks_free(struct checks *k);

/* --- notes, from an SM's tick --------------------------------------------------------------------------------------- */
/* A warp has executed an instruction. */
void checks_issue(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d, u64 now);
/* Barrier `id` of a CTA has opened: the warps that had come (slots), and of these those that waited. */
void checks_barrier(struct sm_ctx *x, const struct sm *s, u32 slot, u32 id, u64 came, u64 waiting, u64 now);
/* What a warp waited for at an mbarrier is over. */
void checks_awaited(struct sm_ctx *x, const struct sm *s, u32 w, u64 now);
/* Behind a cycle: what the SM's warps did in it is looked at. For every SM, in order. True: something new was found. */
bool checks_cycle(struct sm_ctx *x, const struct sm *s, u64 now);

/* --- between cycles ------------------------------------------------------------------------------------------------- */
/* A CTA starts in a slot (also when it starts over); back: it comes back to an SM, and what it did before is forgotten:
 * it counts as ordered before all that follows, and its shared memory as written. */
void checks_cta_start(struct sm_ctx *x, const struct sm *s, u32 slot, bool back, u64 now);
void checks_launch_starts(struct checks *k, u32 launch, u64 now);
void checks_launch_ends(struct checks *k, u32 launch, u64 now);

/* --- answers -------------------------------------------------------------------------------------------------------- */
/* Pairs of lines found so far, in their order; *n of them. Those that found no room are counted in *lost. */
const struct check_finding *checks_findings(const struct checks *k, u32 *n, u64 *lost);
/* Accesses to global memory that were not looked at since check.mb was full. */
u64 checks_unwatched(const struct checks *k);
#endif
