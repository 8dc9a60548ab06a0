/* splits: independent thread scheduling (isa.threads=splits). The lanes of a warp that are at one place are a split,
 * and splits are the paths of paths.h; a join of the SIMT stack is their convergence point. Nothing changes in how they
 * come about, wait for each other and become one again. What is added is that a split gives way before it has to wait:
 *
 *   tries      after a pass through a wait loop (passes/spin.h), at nanosleep, after a try that failed: to the next
 *              split that can run, round robin by lanes
 *   turns      lanes that could run and did not while the warp has made isa.split_turn backward jumps get the warp; a
 *              pass through a wait loop counts as isa.split_turn / isa.split_tries jumps
 *
 * Lanes that wait at a convergence point, or for the others of a call to return, can run, too: when their turn comes
 * they go on from there alone, as a split of their own. Otherwise a lane that has taken a lock and left its loop would
 * wait for the lanes that try to take it. That more lanes come to a convergence point restarts the wait of those there.
 *
 * So every lane gets the warp again and again, and where nothing spins the order is that of the stack. A lane that
 * sleeps lets others run; the warp sleeps when there are none.
 *
 * Lanes that wait at a .sync instruction are let go when the last lane that they name comes or exits (meet.h). When no
 * lane can run and not all wait at CTA barriers, the wait has no end: a fault that says who waits where. */
#ifndef FRONT_PTX_EXECUTOR_SPLITS_H
#define FRONT_PTX_EXECUTOR_SPLITS_H
#include "front/ptx/executor/paths.h"

/* A warp that is not whole jumps backward, or calls in vain. The instruction's other effects are still to come. */
static inline void splits_back(struct exec *x, bool waits)
{
	const struct ptx *f = x->f;
	struct warp *w = x->w;
	if (likely(!f->splits) || w->mask == w->live)
		return;
	w->passes = (u16)MIN(w->passes + (waits ? f->try_weight : 1), f->split_turn);
	if (waits)
		x->out->flags |= DYN_YIELD | DYN_TRIED;
	else if (w->passes >= f->split_turn)
		x->out->flags |= DYN_YIELD;
}
/* An instruction did not get what it asked for, or sleeps (DYN_SLEEP). */
static inline void splits_tried(struct exec *x)
{
	splits_back(x, true);
}
/* The end of an instruction with DYN_YIELD: x->next_pc is known, nothing has been popped. */
void splits_yield(struct exec *x);
/* While warp.uneasy: the top has arrived at its join; lanes at the top sleep: another path goes to the top (true), or
 * the warp sleeps. */
void splits_arrive(struct exec *x);
bool splits_rest(struct exec *x);
/* meet.c: waiting paths whose party is complete, because lanes have exited, go on. */
void meet_free(struct exec *x);
#endif
