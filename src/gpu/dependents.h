/* dependents: programmatic dependent launches. A launch that is programmatic (cudaLaunchAttributeProgrammaticStream-
 * Serialization) may start while the kernel before it in its stream still runs: as soon as each CTA of that kernel has
 * executed griddepcontrol.launch_dependents or has ended. griddepcontrol.wait in it waits for that kernel's end
 * (sm/griddep.h). A kernel that never signals lets go with its end, so its dependent starts as any launch does.
 *
 * The launch latency of the dependent counts from the signal; what the kernel before it still runs hides it. A kernel
 * of a stream ends after the one before it, also if its own CTAs have ended first: what comes behind waits for both.
 *
 * Source: PTX ISA, griddepcontrol; CUDA programming guide, "Programmatic Dependent Launch and Synchronization". */
#ifndef GPU_DEPENDENTS_H
#define GPU_DEPENDENTS_H
#include "gpu/state.h"

size_t dependents_state_bytes(void);
void dependents_create(struct gpu *g);
/* An SM has news (struct sm, let_go). */
void dependents_hear(struct gpu *g, u32 sm);
/* A CTA has ended. */
void dependents_cta_done(struct gpu *g, const struct cta *c);
/* All CTAs of the launch have ended. May it end, too? */
bool dependents_may_end(const struct gpu *g, u32 launch);
/* A launch has ended, and the task queue knows: warps that waited for it go on. Returns the launch that ends with it,
 * as its CTAs have all ended; -1: none does. */
s32 dependents_kernel_done(struct gpu *g, u32 launch);
/* Between two cycles. False with *e naming what does not hold. */
bool dependents_check_state(const struct gpu *g, struct err *e);
#endif
