/* How a kernel-aware warp scheduler is asked: what each kernel has on the SM, the order in which the warp scheduler
 * sees the warps, and what is counted. */
#include "sm/kernels/kernel_sched.h"

#include <string.h>

#include "sm/pick_look.h"

size_t kernels_bytes(const struct conf *c)
{
	return c->sm_schedulers * sizeof(struct kernel_turns);
}

void kernels_begin(struct sm_ctx *x, struct sm *s)
{
	s->last = 0;
	memset(x->turns, 0, kernels_bytes(x->conf));
}

/* The kernel's place; for one that is new a free one, or that of one without CTAs here. */
static struct kernel_turn *turn_of(struct kernel_turns *st, const struct sm *s, u32 launch)
{
	struct kernel_turn *free = NULL;
	for (u32 i = 0; i < KERNELS_ON_SM; i++) {
		struct kernel_turn *t = &st->k[i];
		if (t->launch == launch + 1)
			return t;
		if (!free && (!t->launch || !sm_resident(s, t->launch - 1)))
			free = t;
	}
	BUG_ON(!free);
	*free = (struct kernel_turn){.launch = launch + 1};
	return free;
}

static u32 place_of(struct kernel_view *o, u32 launch)
{
	u32 i = 0;
	while (i < o->n && o->k[i].launch != launch)
		i++;
	if (i == o->n)
		o->k[o->n++] = (struct kernel_there){.launch = launch};
	return i;
}

static void look(const struct sm_ctx *x, struct kernel_turns *st, const struct sm *s, u64 ready, struct kernel_view *o)
{
	o->conf = x->conf;
	o->n = 0;
	for (u32 i = 0; i < x->nctas; i++) {
		const struct cta *c = &s->cta[i];
		if (!c->used)
			continue;
		struct kernel_there *k = &o->k[place_of(o, c->launch)];
		k->ready |= c->warps & ready;
		k->ctas++;
	}
	for (u32 i = 0; i < o->n; i++) {
		o->k[i].turn = turn_of(st, s, o->k[i].launch);
		o->k[i].turn->ready += bit_count(o->k[i].ready);
		o->k[i].spec = x->prog[o->k[i].launch].launch;
	}
}

/* Measured from one turn to the next: a kernel that was alone in both was so in between. */
static void note_alone(struct kernel_turns *st, const struct kernel_view *v, u64 now)
{
	const u32 alone = v->n == 1 ? v->k[0].launch + 1 : 0;
	if (alone && alone == st->alone)
		v->k[0].turn->alone_cycles += now - st->alone_at;
	st->alone = alone;
	st->alone_at = alone ? now : 0;
}

u32 kernels_pick(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u64 ready)
{
	struct kernel_turns *st = &x->turns[v->index];
	struct kernel_view k;
	look(x, st, s, ready, &k);
	note_alone(st, &k, v->now);
	u32 kernels = 0;
	for (u32 i = 0; i < k.n; i++)
		kernels |= (u32)(k.k[i].ready != 0) << i;
	u64 first = 0;
	const u32 which = k.n > 1 && kernels ? x->kernels->first(st, &k, kernels) : kernels;
	for (u32 i = 0; i < k.n; i++)
		first |= which >> i & 1 ? k.k[i].ready : 0;
	const u64 urgent = s->leaving | s->last;
	static const enum pick_group groups[] = {GROUP_URGENT, GROUP_KERNEL, GROUP_OTHERS, GROUP_LOWERED};
	const u64 order[] = {urgent & ~s->low, first & ~s->low, ~s->low, s->low};
	u64 left = ready;
	u32 w = NO_WARP;
	for (u32 i = 0; i < ARRAY_LEN(order) && w == NO_WARP; i++) {
		if (left & order[i])
			w = sched_ask(x, v, left & order[i], groups[i]);
		left &= ~order[i];
	}
	return w;
}

void kernels_issued(struct sm_ctx *x, struct sm *s, const struct sched_view *v, u32 warp)
{
	struct kernel_turns *st = &x->turns[v->index];
	const u32 launch = s->warp[warp].launch;
	struct kernel_turn *t = turn_of(st, s, launch);
	t->issued++;
	t->alone_issued += st->alone == launch + 1;
	t->served = ++st->turns;
	if (x->kernels->issued)
		x->kernels->issued(t);
	if (st->now == launch + 1)
		return;
	struct event *e = st->now ? sched_event(v, EV_KERNEL_TURN, warp) : NULL;
	if (e) {
		e->arg[0] = v->index;
		e->arg[1] = st->now - 1;
	}
	st->now = launch + 1;
}

/* --- boundary CTAs ------------------------------------------------------------------------------------------------ */

static bool among(const u32 *launch, u32 n, u32 l)
{
	for (u32 i = 0; i < n; i++)
		if (launch[i] == l)
			return true;
	return false;
}

/* Is the register file on both sides of a CTA the same kernel's, or at an end? */
static bool inside(const struct sm_ctx *x, const struct sm *s, const struct cta *c)
{
	bool below = !c->reg_first, above = c->reg_first + c->reg_size == x->conf->sm_regs;
	for (u32 i = 0; i < x->nctas; i++) {
		const struct cta *o = &s->cta[i];
		if (!o->used || o->launch != c->launch)
			continue;
		below |= o->reg_first + o->reg_size == c->reg_first;
		above |= o->reg_first == c->reg_first + c->reg_size;
	}
	return below && above;
}

void kernels_mark_last(struct sm_ctx *x, struct sm *s, const u32 *launch, u32 n)
{
	s->last = 0;
	for (u32 i = 0; n && s->nctas && i < x->nctas; i++) {
		const struct cta *c = &s->cta[i];
		if (c->used && among(launch, n, c->launch) && !inside(x, s, c))
			s->last |= c->warps;
	}
}
