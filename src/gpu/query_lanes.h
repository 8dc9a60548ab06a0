/* query_lanes: the warps of an SM in one cycle, with as little as a recorder of every cycle needs: see
 * obs/record/lanes.h. */
#ifndef GPU_QUERY_LANES_H
#define GPU_QUERY_LANES_H
#include "gpu/query.h"

struct warp_lane {
	u8 state;             /* enum warp_state, now */
	bool issued, refused; /* in the last simulated cycle */
	s32 launch;           /* -1: the slot is empty */
	u32 cta_slot;
	u32 pc; /* PC_DONE: empty, or all lanes have exited */
};
/* All slots: out[gpu_warps_per_sm()]. They say what gpu_warp_info() says of each; but that a warp has issued is said
 * too where it has left its slot in the same cycle. */
void gpu_warp_lanes(const struct gpu *g, u32 sm, struct warp_lane *out);
/* Issue slots that an instruction of a running launch takes on an SM: 0 for one that is executed beside the one before
 * or behind it (isa.issue_cost). */
u32 gpu_issue_cost(const struct gpu *g, u32 sm, u32 launch, u32 pc);
#endif
