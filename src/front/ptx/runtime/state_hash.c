/* state_hash: of what decides a warp's next steps, without its memory. */
#include "base/hash.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/state.h"

/* Are there lanes that could run but wait at a join, or for the others of a call? Their turn comes once. */
static bool others_wait(const struct ptx *f, u32 sm, u32 warp)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	u32 above = w->mask;
	for (u32 d = w->depth; d-- > 0;) {
		const u32 mask = simt_entry_at(f, sm, warp, d)->mask;
		if ((mask & above) && (mask & ~above))
			return true;
		above |= mask;
	}
	return false;
}

u64 ptx_warp_hash(const struct front *front, u32 sm, u32 warp)
{
	const struct ptx *f = ptx_const(front);
	const u32 n = sm * f->nwarps + warp;
	const struct warp *w = &f->warps[n];
	const struct func *fn = &f->launches[w->launch].funcs[w->func];
	const u64 used = w->frame + fn->frame_bytes + (u64)fn->fparam_bytes * LANES, near = f->window_near;
	struct warp own = *w;
	if (f->splits) /* how far off the others' turn is says nothing where it comes again and again */
		own.passes = 0;
	u64 hash = hash_bytes(&own, sizeof own, 0);
	if (f->splits && others_wait(f, sm, warp)) {
		const u32 turn[2] = {w->passes, f->splits[n].idle};
		hash = hash_bytes(turn, sizeof turn, hash);
	}
	for (u32 d = 0; d < w->depth; d++)
		hash = hash_bytes(simt_entry_at(f, sm, warp, d), sizeof(struct simt), hash);
	hash = hash_bytes(f->windows + n * f->window_stride, MIN(used, near), hash);
	if (used > near)
		hash = hash_bytes(frame_window_at(f, sm, warp, f->window_near), MIN(used, f->window_bytes) - near, hash);
	return hash;
}

/* What a warp has in the arena's tail: only as far as anything is in it, since few warps have anything there. */
static u64 deep_hash(const struct ptx *f, u32 sm, u32 warp, u64 hash)
{
	const struct warp *w = &f->warps[sm * f->nwarps + warp];
	if (w->depth > SIMT_NEAR)
		hash = hash_bytes(deep_of(f, sm, warp), (w->depth - SIMT_NEAR) * sizeof(struct simt), hash);
	if (w->frame >= f->window_near || w->moved) {
		const u64 end = frames_end(f, sm, warp), near = f->window_near;
		if (end > near)
			hash = hash_bytes(frame_window_at(f, sm, warp, f->window_near), end - near, hash);
	}
	return hash;
}

u64 ptx_deep_hash(const struct front *front)
{
	const struct ptx *f = ptx_const(front);
	u64 hash = 0;
	for (u32 i = 0; i < f->nsms * f->nwarps; i++)
		if (unlikely(f->warps[i].mask && (f->warps[i].depth || f->warps[i].frame)))
			hash = deep_hash(f, i / f->nwarps, i % f->nwarps, hash);
	return hash;
}
