/* starve: warps that stay ready and are passed over while their SM issues, under a scheduler that gives every ready
 * warp its turn (warp_sched_ops.fair). Such a warp does not lose to its own scheduler, but to another scheduler that
 * always gets the unit that both want.
 *
 * Warps are looked at every STARVE_LOOK cycles, and not in between: a warp that was ready at the last look and has
 * issued nothing since has been ready all the time. A spell may therefore begin or end up to one look beside its true
 * time.
 *
 * All of it lies in the arena, beside the hash: after going back in time it is the state of that cycle. */
#ifndef GPU_STARVE_H
#define GPU_STARVE_H
#include "base/arena.h"
#include "conf/conf.h"

#define STARVE_CYCLES 10000 /* longer than this is told: event warp-starved, note of `run` */
#define STARVE_LOOK 1000

struct gpu;
struct starve {
	u64 next;   /* cycle of the next look */
	u64 spells; /* told */
	struct {    /* of those, so far */
		u64 cycles, from;
		u32 sm, warp;
	} longest;
};
struct starve_sm {
	u64 ready; /* warps ready at the last look */
	u64 told;  /* warps whose spell has been told */
	u64 slots; /* issue slots used until then */
};
struct starve_warp {
	u64 steps; /* instructions and leading slots issued until the spell began */
	u64 from;  /* cycle of the look at which it was first seen ready */
};
u64 starve_state_bytes(const struct conf *c);
void starve_create(struct gpu *g);
/* To be called when the clock has come to starve->next. */
void starve_look(struct gpu *g);
#endif
