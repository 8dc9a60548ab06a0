/* What the files of virtual threads share: virtual.c (swaps), virtual_room.c (room and numbers), inactive.c (CTAs that
 * begin, leave and come back without a slot). */
#ifndef SM_VIRTUAL_INTERNAL_H
#define SM_VIRTUAL_INTERNAL_H
#include "sm/virtual.h"

static inline struct front_map *vt_map(const struct sm_ctx *x, const struct sm *s)
{
	return &x->front->map[s->id];
}
/* The n lowest places that are not taken. */
static inline u64 vt_lowest_free(u64 taken, u32 n)
{
	u64 out = 0, free = ~taken;
	for (; n; n--, free &= free - 1)
		out |= free & -free;
	return out;
}
/* Places for a CTA of so many warps without a slot: a word for its warps, and its own. False: there are none. */
bool vt_find_word(const struct sm *s, u32 warps, u32 *word);
bool vt_find_place(const struct sm *s, u32 *place);
/* A CTA gets virtual warps, a place in the front end and room for a context. */
void vt_number(struct sm_ctx *x, struct sm *s, u32 place, u8 state, u64 now);
/* An inactive CTA has nothing under way. */
void vt_make_ready(struct sm_ctx *x, struct sm *s, u32 place, u64 now);
#endif
