/* Which bytes of shared memory cp.async has under way: see runtime/mbarrier.h. */
#include "front/ptx/runtime/mbarrier.h"

#define GROUPS (1u << COPY_GROUP_BITS)
#define SWEEP (GROUPS / 4) /* groups after which old marks are taken away, long before their numbers come again */

static u16 mark_of(const struct warp *w, u32 group)
{
	return (u16)((w->index + 1) << COPY_GROUP_BITS | group % GROUPS);
}

/* The warp of the CTA that a mark names. */
static u32 warp_of_mark(const struct exec *x, u16 mark)
{
	u64 warps = exec_cta(x)->warps;
	for (u32 i = (mark >> COPY_GROUP_BITS) - 1u; i--;)
		warps &= warps - 1;
	return front_first(&x->f->front, x->sm, x->w->slot) + bit_first(warps);
}

static bool under_way(const struct copy_groups *g, u16 mark)
{
	return (mark - g->waited) % GROUPS < GROUPS / 2;
}

/* Marks of groups that were waited for long ago. */
static void sweep(struct ptx *f, u32 sm, const struct warp *w, const struct copy_groups *g)
{
	u16 *marks = copy_marks_of(f, sm, w->slot);
	const u32 n = (f->ctas[sm * f->nslots + w->slot].shared_bytes + 3) / 4;
	for (u32 i = 0; i < n; i++)
		if (marks[i] >> COPY_GROUP_BITS == w->index + 1 && !under_way(g, marks[i]))
			marks[i] = 0;
}

void copy_groups_next(struct ptx *f, u32 sm, u32 warp)
{
	if (!f->check_copies)
		return;
	struct copy_groups *g = copy_groups_of(f, sm, warp);
	g->open++;
	if (g->open - g->waited >= SWEEP) /* nobody has so many groups under way on purpose */
		g->waited = g->open - SWEEP;
	if (g->open % SWEEP == 0)
		sweep(f, sm, &f->warps[sm * f->nwarps + warp], g);
}

void copies_waited(struct exec *x, u32 but, bool all)
{
	struct copy_groups *g = copy_groups_of(x->f, x->sm, x->warp);
	if (!x->f->check_copies)
		return;
	if (all)
		copy_groups_next(x->f, x->sm, x->warp);
	if (g->open - g->waited > but)
		g->waited = g->open - but;
}

void copies_mark(struct exec *x, const u64 *to, u32 lanes, u32 bytes)
{
	if (!x->f->check_copies)
		return;
	u16 *marks = copy_marks_of(x->f, x->sm, x->w->slot);
	const u16 mark = mark_of(x->w, copy_groups_of(x->f, x->sm, x->warp)->open);
	exec_cta(x)->copies = 1;
	for (u32 left = lanes; left; left &= left - 1)
		for (u64 at = to[first_lane(left)] / 4, end = at + bytes / 4; at < end; at++)
			marks[at] = mark;
}

bool copies_check(struct exec *x, u32 lanes, u32 bytes, bool store)
{
	const u16 *marks = copy_marks_of(x->f, x->sm, x->w->slot);
	u32 bad = 0, by = 0;
	if (x->out->in->op == OP_CP_ASYNC) /* threads that bring the same bytes twice do no harm */
		return true;
	for (u32 left = lanes; left; left &= left - 1) {
		const u32 i = first_lane(left);
		for (u64 at = x->out->addr[i] / 4, end = (x->out->addr[i] + bytes + 3) / 4; at < end; at++) {
			if (likely(!marks[at]))
				continue;
			const u32 warp = warp_of_mark(x, marks[at]);
			if (!under_way(copy_groups_of(x->f, x->sm, warp), marks[at]))
				continue;
			by = bad ? by : warp;
			bad |= 1u << i;
		}
	}
	if (likely(!bad))
		return true;
	x->out->flags |= DYN_FAULT;
	fault_record(x->f, x->cycle,
	             &(struct fault){.code = FAULT_COPY_RACE,
	                             .sm = x->sm,
	                             .warp = x->warp,
	                             .launch = x->w->launch,
	                             .cta = exec_cta(x)->id,
	                             .pc = x->out->pc,
	                             .lanes = bad,
	                             .addr = x->out->addr[first_lane(bad)],
	                             .bytes = bytes,
	                             .store = store,
	                             .space = SPC_SHARED,
	                             .file = x->f->warps[x->sm * x->f->nwarps + by].index});
	return false;
}
