/* griddep: griddepcontrol on an SM. Programmatic dependent launches, PTX ISA 7.8.
 *
 * .launch_dependents: the CTA lets the launches go that depend on its kernel, with the first of its threads that
 * executes it ("Repeated invocations of this instruction by threads in the current CTA will have no additional side
 * effects past that of the first invocation", PTX ISA, griddepcontrol). The machine hears of it with the cycle's stores
 * (gpu/dependents.h).
 *
 * .wait: the warp waits (WS_FENCE, FENCE_GRIDS) until the kernel before its own in the stream has ended, and with it
 * those before that one. A launch that is not programmatic began after that, so it never waits. Lanes that have parted
 * wait with those that execute it. */
#ifndef SM_GRIDDEP_H
#define SM_GRIDDEP_H
#include "sm/sm.h"

/* What is known of a launch beside its control block, by launch id. In the arena, not in the hash: it follows from the
 * launches, from cta.let_go and from which kernels have ended. */
struct grid_order {
	u64 let_go; /* its CTAs that have executed .launch_dependents or have ended */
	u32 before; /* launch + 1 of the kernel that was before it in its stream when it was launched, and had not ended;
	               0: none was */
	u8 open;    /* programmatic, and the kernel before it has not ended: .wait waits */
	u8 pad[3];
};
/* struct cta, let_go. */
enum { LET_GO_NOT, LET_GO_NEWS, LET_GO_COUNTED };

/* Does .wait hold the warp's launch? */
static inline bool griddep_holds(const struct sm_ctx *x, u32 launch)
{
	return x->grids && x->grids[launch].open;
}
/* After issue of a griddepcontrol. */
void griddep_issued(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d);
/* The next CTA that has let its dependents go and is not counted, from place *at on; it is counted now. False: there is
 * no other. */
bool griddep_news(struct sm *s, u32 *at, u32 *launch);
/* The kernel before this launch has ended: its warps that wait go on. Returns whether there are any: then the SM has
 * something to do. */
bool griddep_open(struct sm_ctx *x, struct sm *s, u32 launch, u64 now);
#endif
