/* A CTA's context: all that its threads have apart from global memory. One walk over it counts, saves or restores. */
#include <string.h>

#include "base/bits.h"
#include "front/ptx/ops.h"
#include "front/ptx/runtime/mbarrier.h"
#include "front/ptx/runtime/state.h"

#define WORD_OF_ALL (4ull * LANES) /* a word of each lane */

struct walk {
	enum { COUNT, SAVE, RESTORE } what;
	u8 *at; /* in the saved bytes; COUNT: unused */
	u64 bytes;
};

static void part(struct walk *k, void *mem, u64 n)
{
	if (k->what == SAVE)
		memcpy(k->at + k->bytes, mem, n);
	else if (k->what == RESTORE)
		memcpy(mem, k->at + k->bytes, n);
	k->bytes += n;
}

/* Local memory is in device memory, at places of the warp slot's, a line for each word. What lies behind the last word
 * that is not zero in all lanes is not kept. */
static void local_memory(struct ptx *f, u32 sm, u32 warp, struct walk *k)
{
	const struct launch_ref *ref = &f->launches[f->warps[sm * f->nwarps + warp].launch];
	const u64 base = local_of(f, ref, sm, warp), step = local_step(f), words = (ref->local_bytes + 3) / 4;
	u64 n = k->what == RESTORE ? 0 : words;
	if (!words)
		return;
	while (n && all_zero(devmem_ptr(f->mem, base + (n - 1) * step), WORD_OF_ALL))
		n--;
	part(k, &n, sizeof n);
	for (u64 w = 0; w < (k->what == RESTORE ? words : n); w++) {
		u8 *mem = devmem_ptr(f->mem, base + w * step);
		if (w < n)
			part(k, mem, WORD_OF_ALL);
		else if (all_zero(mem, WORD_OF_ALL))
			continue;
		else
			memset(mem, 0, WORD_OF_ALL);
		if (k->what == RESTORE)
			devmem_touch(f->mem, base + w * step, WORD_OF_ALL);
	}
}

static void frames(struct ptx *f, u32 sm, u32 warp, struct walk *k)
{
	const u64 end = frames_end(f, sm, warp), near = MIN(end, f->window_near);
	frames_reach(f, sm, warp, end);
	part(k, frame_window_at(f, sm, warp, 0), near);
	if (end > near)
		part(k, frame_window_at(f, sm, warp, (u32)near), end - near);
}

static void stack(struct ptx *f, u32 sm, u32 warp, struct walk *k)
{
	const u32 depth = f->warps[sm * f->nwarps + warp].depth;
	if (depth > SIMT_NEAR)
		arena_reach(f->arena, deep_index(f, sm, warp) * f->deep_stride + (depth - SIMT_NEAR) * sizeof(struct simt));
	for (u32 d = 0; d < depth; d++)
		part(k, simt_entry_at(f, sm, warp, d), sizeof(struct simt));
}

static void walk_cta(struct ptx *f, u32 sm, u32 slot, u64 warps, struct walk *k)
{
	const u32 at = sm * f->nslots + slot;
	struct cta *c = &f->ctas[at];
	if (k->what == RESTORE)
		forget_objects(f, sm, slot);
	part(k, c, sizeof *c);
	c->warps = warps;
	if (c->mbarriers)
		part(k, mbar_map(f, sm, slot), mbar_map_bytes(f));
	part(k, f->shared + at * f->shared_stride, c->shared_bytes);
	if (f->check_uninit)
		part(k, f->written + at * (u64)((f->shared_max + 7) / 8), (f->shared_max + 7) / 8);
	const u32 first = front_first(&f->front, sm, slot);
	FOR_EACH_BIT(n, warps)
	{
		const u32 w = first + (u32)n, i = sm * f->nwarps + w;
		part(k, &f->warps[i], sizeof f->warps[i]);
		if (f->splits)
			part(k, &f->splits[i], sizeof f->splits[i]);
		f->warps[i].slot = slot;
		part(k, f->tid[i], sizeof f->tid[i]);
		stack(f, sm, w, k);
		frames(f, sm, w, k);
		local_memory(f, sm, w, k);
	}
}

u64 ptx_cta_save(struct front *front, u32 sm, u32 slot, u8 *out)
{
	struct ptx *f = ptx_of(front);
	struct walk k = {.what = out ? SAVE : COUNT, .at = out};
	walk_cta(f, sm, slot, f->ctas[sm * f->nslots + slot].warps, &k);
	return k.bytes;
}

void ptx_cta_restore(struct front *front, u32 sm, u32 slot, u64 warps, const u8 *saved)
{
	struct walk k = {.what = RESTORE, .at = (u8 *)(uintptr_t)saved};
	walk_cta(ptx_of(front), sm, slot, warps, &k);
}
