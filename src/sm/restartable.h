/* restartable: whether each resident CTA could still be flushed and started again from its beginning. This is measured
 * from the addresses that are executed, beside the static check of passes/idempotence.h.
 *
 * A CTA stops being restartable (idempotent) when one of its warps, for the first time,
 *
 *   - overwrites a byte of global memory that the CTA has read (Park 2016, section 4.2.2),
 *   - executes an atomic on global memory,
 *   - or prints: a restart would print again.
 *
 * The record is exact by byte. Global memory counts however it is addressed, lane by lane; predicated-off lanes do not
 * access. Every load reads (volatile, relaxed, vector, .nc), and so does an atomic. Shared memory and parameters start
 * afresh with the CTA and do not count. Local memory does not count either: it lies in device memory, but belongs to a
 * thread and starts afresh with it. Constant memory cannot be written, and a kernel does not write what it reads
 * through textures (CUDA leaves that undefined). Prefetches read no value. As in the paper, reading back what the CTA
 * itself has written counts as a read. Loads of a cycle see memory as it was when the cycle began (front/front.h), so a
 * store of the same cycle by another warp comes behind them, whichever issued first.
 *
 * The bytes read are kept per resident CTA as a table of 32-byte blocks with a mask. The table grows up to
 * idempotence.kb. A CTA that has read more is RESTART_LOST from then on: it may not be known what it overwrites, so it
 * is no longer called restartable, and its end is counted as unknown unless one of the three things is on record.
 *
 * All of it is state in the arena, behind the part that is hashed: snapshots bring it back with the machine, and a
 * machine that keeps it has the same hash as one that does not. Instructions come to it through EV_ISSUE, so it costs
 * nothing when off. */
#ifndef SM_RESTARTABLE_H
#define SM_RESTARTABLE_H
#include "base/arena.h"
#include "conf/conf.h"
#include "front/front.h"

struct sm;
struct sm_ctx;

enum restart_cause { RESTART_OVERWRITE, RESTART_ATOMIC, RESTART_PRINT, RESTART_LOST, RESTART_CAUSES };
extern const char *const restart_cause_names[RESTART_CAUSES]; /* "overwrite", "atomic", "printf", "unknown" */

/* A resident CTA. */
struct restart_cta {
	u8 causes;     /* bits of enum restart_cause that have come; 0 = restartable now */
	u8 first;      /* the first of them */
	u8 log_blocks; /* size of its table */
	u8 noticed;    /* it has executed what struct program's `notice` names: what the hardware would know */
	u32 blocks;    /* of 32 bytes, that it has read from */
	u32 first_pc;
	u32 pad2;
	u64 first_addr;         /* the lowest lane's byte at fault; 0 for printf */
	u64 first_at;           /* cycle */
	u64 started_at, before; /* warp instructions of the CTA executed before that one */
};
/* The CTAs of a launch that have ended. */
struct restart_launch {
	u64 ended, idempotent;
	u64 with[RESTART_CAUSES]; /* overwrote, did atomics, printed (one CTA may be in all three); [RESTART_LOST]: unknown,
	                           * that is lost and none of the others seen */
	u64 measured; /* whose moment is exact: idempotent to the end, or their first cause was not RESTART_LOST; of them:
	               */
	u64 insts, before;              /* warp instructions, and those executed before the moment (all, when idempotent) */
	double insts_share, time_share; /* sums over CTAs of the share of instructions, of cycles, before the moment */
	u64 most_blocks;                /* the largest table any had */
	u64 unnoticed; /* came to one of the causes, RESTART_LOST aside, and had not given notice: a law says none */
};
/* An instruction at which CTAs of a kernel did it. */
struct restart_point {
	u64 code;  /* module.code_base; 0 = free */
	u32 entry; /* of the kernel */
	u32 pc;
	u32 cause; /* enum restart_cause */
	u32 pad;
	u64 times;  /* warp instructions */
	u64 firsts; /* CTAs for which it was the first */
};

struct restart;
/* CTAs of an SM of which there may be a record, each with idempotence.kb. */
u32 restart_tables(const struct conf *c);
/* Bytes of the state arena that restart_create() takes; 0 when the configuration does not ask for it. */
size_t restart_state_bytes(const struct conf *c, u32 launches);
/* NULL when not asked for. launches: the most that a machine may have. Behind arena_end_hashed(): what it takes is left
 * out of the arena's hash. */
struct restart *restart_create(const struct conf *c, u32 launches, struct arena *a, const struct devmem *mem,
                               const struct front *front);
void restart_free(struct restart *r);

/* A CTA starts in a slot, or without one (cta-virtual=vt), also when it starts over; one ends, with its totals in
 * s->cta[slot]; a warp executes an instruction (after it has been counted). */
void restart_cta_start(struct sm_ctx *x, const struct sm *s, u32 slot, u64 now);
void restart_cta_end(struct sm_ctx *x, const struct sm *s, u32 slot, u64 now);
void restart_issue(struct sm_ctx *x, const struct sm *s, u32 w, const struct dyninst *d, u64 now);

/* Behind a cycle: what CTAs of this SM did in it is counted with the machine's points. For every SM, in order. */
void restart_gather(struct sm_ctx *x, const struct sm *s);

/* The record of a CTA goes with it: writes it to out and returns its bytes; out NULL: counts only. */
u64 restart_cta_save(const struct restart *r, u32 sm, u32 slot, u8 *out);
void restart_cta_restore(struct restart *r, u32 sm, u32 slot, const u8 *saved);

/* Has the CTA in a slot given notice, as the compiler had it do, that it may not be flushed any more? True also where
 * nothing is recorded, or there is no table of notices. */
bool restart_noticed(const struct sm_ctx *x, const struct sm *s, u32 slot);
/* May the CTA in a slot be flushed now and started over (relaxed condition)? Between cycles. False also where that is
 * not known: nothing is recorded (r NULL), or the record is lost. True says nothing of instructions to come. */
bool restart_possible(const struct restart *r, u32 sm, u32 slot);
/* NULL when nothing is recorded. */
const struct restart_cta *restart_cta(const struct restart *r, u32 sm, u32 slot);
const struct restart_launch *restart_launch(const struct restart *r, u32 launch);
/* The points so far, in no order: a table with free entries (code 0); *lost = times that the table had no room. */
const struct restart_point *restart_points(const struct restart *r, u32 *n, u64 *lost);
#endif
