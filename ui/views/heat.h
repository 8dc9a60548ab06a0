/* heat: where warps are found waiting. Every HEAT_CYCLES cycles each resident warp is looked at once (program counter
 * sampling, as GPU profilers do it); the same samples on every host. After going to a cycle of the past the counts are
 * what they were there: they go with every snapshot (20 B for each instruction and state in which a warp was seen). */
#ifndef UI_VIEWS_HEAT_H
#define UI_VIEWS_HEAT_H
#include "sim.h"

#define HEAT_CYCLES 512
/* What a sample counts as: an enum warp_state, or a ready warp that its unit or the LSU refuses. */
enum { HEAT_REFUSED = WS_COUNT, HEAT_STATES };
struct heat_module {
	const struct module *mod;
	u32 (*at)[HEAT_STATES]; /* [ncode]: samples by what the warp was doing whose next instruction this is */
	u32 (
	    *caused)[HEAT_STATES]; /* the same samples, waits charged to the instruction that causes them (gpu_producers) */
	u64 waiting;               /* samples in all but the ready states */
};
struct heat {
	struct heat_module *mods;
	u32 nmods;
	struct sim *sim;
	int id;
};
void heat_attach(struct heat *h, struct sim *s);
void heat_detach(struct heat *h); /* before the machine goes */
void heat_forget(struct heat *h); /* after it is gone */
/* NULL as long as no warp of the module was seen. */
const struct heat_module *heat_of(const struct heat *h, const struct module *m);
/* Of one of HEAT_STATES: true for all but ready and done. */
bool heat_is_waiting(u32 state);
#endif
