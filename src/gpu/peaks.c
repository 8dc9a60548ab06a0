#include "gpu/peaks.h"

#include "gpu/state.h"
#include "passes/timing.h"

double gpu_lanes_peak(const struct gpu *g, enum iclass cls, enum ptype type)
{
	const struct conf *c = &g->conf;
	const struct sm_ctx *x = &g->ctx[0];
	const struct inst in = {.op = OP_FMA, .cls = (u8)cls, .type = (u8)type};
	const u32 ii = inst_timing(c, &in).ii;
	u32 units = x->nunits[issue_unit(c, &in)];
	if (cls == IC_F32_MAD && c->sm_f32_on_int)
		units += x->nunits[UNIT_INT];
	const double begun = (double)units / MAX(ii, 1u);
	return WARP_SIZE * MIN(begun, (double)c->sm_schedulers);
}
