/* What happens to the splits of a warp (isa.threads=splits), as events. */
#include "sm/internal.h"

enum { BY_BRANCH, BY_TURN, AHEAD };
enum { AT_JOIN, AT_BARRIER };

static u32 others(const struct sm_ctx *x, const struct sm *s, u32 w)
{
	struct simt_entry st[64];
	const u32 n = front_stack(x->front, s->id, w, st, ARRAY_LEN(st));
	u32 lanes = 0;
	for (u32 i = 0; i < MIN(n, (u32)ARRAY_LEN(st)); i++)
		lanes |= st[i].mask;
	return lanes;
}

void split_events(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now)
{
	const u32 lanes = front_active_mask(x->front, s->id, w);
	const u32 parted = d->flags & (DYN_DIVERGED | DYN_TURN | DYN_SPLIT);
	if (parted && event_wanted(x->ev, EV_SPLIT)) {
		struct event *e = sm_event(x, s, EV_SPLIT, (s32)w, now);
		e->pc = d->next_pc;
		e->arg[0] = d->next_pc;
		e->arg[1] = lanes;
		e->arg[2] = others(x, s, w) & ~lanes;
		e->arg[3] = d->flags & DYN_SPLIT ? AHEAD : d->flags & DYN_TURN ? BY_TURN : BY_BRANCH;
	}
	if ((d->flags & (DYN_JOINED | DYN_CONVERGED)) && event_wanted(x->ev, EV_CONVERGE)) {
		struct event *e = sm_event(x, s, EV_CONVERGE, (s32)w, now);
		e->pc = d->next_pc;
		e->arg[0] = d->next_pc;
		e->arg[1] = lanes;
		e->arg[2] = d->flags & DYN_CONVERGED ? AT_BARRIER : AT_JOIN;
	}
}
