/* dyncta (Kayiran 2013): how many CTAs of a kernel an SM may hold, from what its warps wait for, over and over.
 *
 * It begins with half of those that fit. Every dyncta.period cycles each SM looks back at the period: cycles in which
 * no warp had work (C_idle), and in which all waited for memory (C_mem). Idle means too few CTAs, and so does a memory
 * system that answers soon; one that does not, too many. A CTA too many is paused, the one that came last: its warps
 * have the lowest priority until the limit rises again or another CTA of the kernel ends there.
 *
 * Kayiran counts a core's cycles; here each scheduler's slot is charged for itself (probe/stalls.def), and a cycle
 * counts with the share of the SM's schedulers that lost it so. No work: the reasons barrier, nanosleep, fetch,
 * draining, no warp. Waiting for memory: memory dependency, fence. */
#ifndef CTA_SCHED_DYNCTA_H
#define CTA_SCHED_DYNCTA_H
#include "cta/sched/cta_sched.h"

/* The limit behind a period, from the one before and the cycles counted; 1 to `most`. */
u32 dyncta_step(const struct conf *c, u32 limit, u32 most, u64 idle, u64 mem);
#endif
