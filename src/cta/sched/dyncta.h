/* dyncta (Kayiran 2013): how many CTAs of a kernel an SM may hold, decided again and again from what its warps wait
 * for.
 *
 * It begins with half of the CTAs that fit. Every dyncta.period cycles each SM looks back at the period: at the cycles
 * in which no warp had work (C_idle), and those in which all warps waited for memory (C_mem). Idle cycles mean that
 * there are too few CTAs, and so does a memory system that answers soon. A memory system that answers late means that
 * there are too many. Of too many CTAs the one that came last is paused: its warps have the lowest priority until the
 * limit rises again or another CTA of the kernel ends there.
 *
 * Kayiran counts a core's cycles. Here each scheduler's slot is charged separately (probe/stalls.def), and a cycle
 * counts with the share of the SM's schedulers that lost it so. No work: the reasons barrier, nanosleep, fetch,
 * draining, no warp. Waiting for memory: memory dependency, fence. */
#ifndef CTA_SCHED_DYNCTA_H
#define CTA_SCHED_DYNCTA_H
#include "cta/sched/cta_sched.h"

/* The limit behind a period, from the one before and the cycles counted; 1 to `most`. */
u32 dyncta_step(const struct conf *c, u32 limit, u32 most, u64 idle, u64 mem);
#endif
