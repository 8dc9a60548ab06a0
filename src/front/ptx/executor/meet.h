/* meet: lanes of one warp that wait for each other in different paths of the SIMT stack.
 *
 * bar.warp.sync and the .sync instructions (shfl, vote, match, redux, elect) wait for all living lanes that their
 * member masks name (PTX ISA, bar.warp.sync, shfl.sync). A CTA barrier waits for all living lanes of the warp. If such
 * lanes are in other paths, the path that has arrived stays behind at its instruction (warp.waits), and another path
 * goes to the top of the stack: first the paths with lanes that are waited for. The last path to arrive lets all of
 * them go on. A shuffle or vote is then executed for all its lanes together. So every lane's writes before a
 * bar.warp.sync are made before any lane reads behind it, whatever branches they are in.
 *
 * Lanes that wait at a reconvergence point for the rest of their branch cannot come to a .sync instruction. If no other
 * lane can come, the instruction goes on with the lanes that are there (undefined in PTX; a fault with check.masks).
 * With isa.threads=splits they do come: they run ahead, alone. If then no lane can run and somebody is still missing,
 * it is a fault. Paths that have met are one split where they can be (path_merge).
 *
 * At a CTA barrier such lanes run ahead, alone: most of them are about to leave the kernel, and a barrier does not wait
 * for lanes that have left. If they come to another .aligned barrier instruction, that is a fault: the barrier is
 * divergent. Lanes whose way leads out of the kernel, with nothing more to do, stay where they are and count as
 * gone. */
#ifndef FRONT_PTX_EXECUTOR_MEET_H
#define FRONT_PTX_EXECUTOR_MEET_H
#include "front/ptx/executor/paths.h"

/* Before a .sync instruction has any effect. True: it is done with: the path waits, it was executed together with that
 * of other paths, or it is a fault. */
bool meet_lanes(struct exec *x, const struct inst *in);
static inline bool meet_first(struct exec *x, const struct inst *in)
{
	return (in->flags & IF_SYNC) && (unlikely(x->mask != x->w->live) || x->f->check_masks || x->f->splits) &&
	       meet_lanes(x, in);
}
/* bar.warp.sync */
void exec_bar_warp(void *ctx, const struct inst *in);
/* Before a CTA barrier that a part of the living lanes has reached. True: they wait, or it is a fault. */
bool meet_warp(struct exec *x, const struct inst *in, u32 barrier);
/* The path that has come to the top waits: another one takes its place. */
void meet_switch(struct exec *x);
#endif
