/* state_hash: of what decides a warp's next steps, without its memory. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "front/ptx/state.h"

u64 front_warp_hash(const struct front *f, u32 sm, u32 warp)
{
	const u32 n = sm * f->nwarps + warp;
	const struct warp *w = &f->warps[n];
	const struct func *fn = &f->launches[w->launch].funcs[w->func];
	const u64 used = w->frame + fn->frame_bytes + (u64)fn->fparam_bytes * LANES;
	u64 hash = XXH3_64bits(w, sizeof *w);
	for (u32 d = 0; d < w->depth; d++)
		hash = XXH3_64bits_withSeed(simt_entry_at(f, sm, warp, d), sizeof(struct simt), hash);
	return XXH3_64bits_withSeed(f->windows + n * f->window_stride, MIN(used, f->window_bytes), hash);
}
