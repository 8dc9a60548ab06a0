/* mbarrier: warps that sleep in mbarrier.try_wait until a phase of their CTA ends or their time is over, and what is
 * told of phases. What the barriers are is the front end's.
 *
 * A wait ends early, with the answer that the phase is open, when its CTA leaves its slots: PTX lets try_wait say so at
 * any time. */
#ifndef SM_MBARRIER_H
#define SM_MBARRIER_H
#include "sm/sm.h"

/* After issue, of an instruction with DYN_PHASE, DYN_AWAIT, DYN_COMMIT or DYN_COPY_ARRIVE. */
void mbarrier_issued(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now);
#endif
