/* heat: where warps wait, and which instruction causes it. Every HEAT_CYCLES cycles each warp that has a slot is
 * sampled once (program counter sampling, as in GPU profilers). With virtual threads an inactive CTA's warps have no
 * slot and lose none: they are left out. The samples are the same on every host. After going to a cycle of the past the
 * counts are what they were there: they are kept with every snapshot (20 B for each instruction and state in which a
 * warp was seen).
 *
 *   struct heat *h = heat_create(sim_gpu(s));
 *   int id = sim_add_sampler(s, HEAT_CYCLES, heat_look, h);
 *   sim_on_snapshot(s, id, heat_keep, heat_recall);
 *
 * A session that is debugged, or whose statistics are written as JSON, has one: session->heat (ui/session/state.h). */
#ifndef OBS_STATS_HEAT_H
#define OBS_STATS_HEAT_H
#include "gpu/query.h"

#define HEAT_CYCLES 512
/* What a sample counts as: an enum warp_state, or a ready warp that its unit or the LSU refuses. */
enum { HEAT_REFUSED = WS_COUNT, HEAT_STATES };
struct heat_module {
	const struct module *mod;
	u32 (*at)[HEAT_STATES];     /* [ncode]: samples by what the warp was doing whose next instruction this is */
	u32 (*caused)[HEAT_STATES]; /* the same samples, waits charged to the instruction that causes them: gpu_producers */
	u64 samples;                /* in all states; of them: */
	u64 waiting;                /* in all but the ready states */
};
struct heat {
	struct heat_module *mods;
	u32 nmods;
	struct gpu *gpu;
	/* A scope (gpu/scope.h): counts as heat_keep() gives them, and what heat_of() tells of each of mods. */
	const void *from, *to;
	struct heat_module *seen;
	u32 nseen;
};
struct heat *heat_create(struct gpu *g);
void heat_free(struct heat *h); /* NULL: nothing to do */
/* For sim_add_sampler() and sim_on_snapshot(); ctx is the heat. */
void heat_look(void *ctx, u64 cycle);
void *heat_keep(void *ctx);
void heat_recall(void *ctx, const void *kept, u64 cycle);
/* From now on heat_of() tells what was sampled between two looks, as heat_keep() returned them: they outlive that. to
 * NULL: up to where the machine is. from NULL: it is all of the run again. */
void heat_scope(struct heat *h, const void *from, const void *to);
/* NULL as long as no warp of the module was seen, and where nobody looks (h NULL). */
const struct heat_module *heat_of(struct heat *h, const struct module *m);
/* Of one of HEAT_STATES: true for all but ready and done. */
bool heat_is_waiting(u32 state);
/* Its name: "memory", "refused". */
const char *heat_state_name(u32 state);
#endif
