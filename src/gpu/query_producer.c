/* Whose fault a wait is, for who looks at the machine (sm/producer.h). */
#include "gpu/query.h"
#include "gpu/state.h"
#include "sm/producer.h"

void gpu_producers(const struct gpu *g, u32 sm, u32 *out)
{
	sm_producers(&g->ctx[sm], g->sm[sm], bit_range(gpu_warps_per_sm(g)), out);
}

u32 gpu_producer(const struct gpu *g, u32 sm, u32 warp)
{
	u32 out[WARP_SLOTS];
	sm_producers(&g->ctx[sm], g->sm[sm], BIT(warp), out);
	return out[warp];
}
