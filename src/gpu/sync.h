/* sync: brings all counters up to date, including those of parts that sleep. */
#ifndef GPU_SYNC_H
#define GPU_SYNC_H
#include "gpu/state.h"

/* Brings every counter up to date with gpu_cycle(). */
void gpu_sync(struct gpu *g);
/* Sum of issue slots, CTAs, transactions and memory responses: changes while the machine makes progress. A sleeping
 * warp (nanosleep) is progress too: it will go on by itself. */
u64 gpu_progress(const struct gpu *g);
#endif
