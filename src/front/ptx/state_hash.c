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
	hash = XXH3_64bits_withSeed(&f->stacks[(u64)n * SIMT_DEPTH], w->depth * sizeof(struct simt), hash);
	return XXH3_64bits_withSeed(f->windows + n * f->window_stride, MIN(used, f->window_bytes), hash);
}
