#include "sm/lines.h"

#include <string.h>

#include "sm/deps.h"
#include "sm/internal.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"

void lines_forget(struct sm_lines *l)
{
	memset(l, 0xff, sizeof *l);
}

static struct line_place place(const struct sm *s, u32 warp, u32 pc)
{
	return (struct line_place){s->warp[warp].launch, pc};
}

/* What the LSU serves, or waits for. */
static struct line_place first_at_lsu(const struct sm_ctx *x, const struct sm *s)
{
	if (x->pipe && x->pipe->held) {
		const struct l1_pipe_entry *e = l1_pipe_of(x, x->pipe->held - 1u, 0);
		return place(s, e->warp, e->pc);
	}
	if (x->replay && x->replay->held && x->replay->n) {
		const struct replay_entry *e = &x->replay->e[x->replay->order[0]];
		return place(s, e->warp, e->pc);
	}
	if (s->lsu_q.n)
		return place(s, sm_lsu_at(s, 0)->warp, sm_lsu_at(s, 0)->pc);
	for (u32 i = 0; s->nloads && i < SM_MAX_LOADS; i++) /* the load table is full */
		if (s->load[i].left)
			return place(s, place_now(s, s->load[i].who), s->load[i].pc);
	return (struct line_place){LINE_NOBODY, 0};
}

static bool ports_blocked(const struct sm_ctx *x, u32 sched, u64 now)
{
	return x->deps && x->deps->port[sched].blocked > now;
}

static struct line_place who_took(const struct sm_ctx *x, u32 sched, enum unit u, u64 now)
{
	if (ports_blocked(x, sched, now))
		return x->lines->last[sched];
	return x->lines->took[u][x->own_units >> u & 1 ? sched : 0];
}

static void charge(struct sm_ctx *x, u32 sched, u64 n)
{
	const struct line_place *s = &x->lines->sufferer[sched], *c = &x->lines->cause[sched];
	if (s->launch == LINE_NOBODY)
		return; /* counting began while the SM slept */
	line_at(x, s->launch, s->pc)->suffered += n;
	line_at(x, c->launch, c->pc)->blocked += n;
}

void lines_lost(struct sm_ctx *x, const struct sm *s, u32 sched, enum stall why, u64 now)
{
	struct sm_lines *l = x->lines;
	const u64 all = why == ST_PIPE ? warps_ready(s) : s->in[WS_READY_LSU], mine = all & x->sched_mask[sched];
	struct line_place *cause = &l->cause[sched], *sufferer = &l->sufferer[sched];
	if (!mine) { /* the register ports are the last instruction's, and no warp is ready */
		*cause = *sufferer = l->last[sched];
	} else {
		const u64 units = mine & warps_ready_for_units(s);
		const u32 w = bit_first(why == ST_PIPE && units ? units : mine);
		*sufferer = place(s, w, s->warp[w].pc);
		*cause = lines_in_the_way(x, s, w, now);
	}
	charge(x, sched, 1);
}

struct line_place lines_in_the_way(const struct sm_ctx *x, const struct sm *s, u32 warp, u64 now)
{
	const u32 sched = warp % x->nscheds;
	struct line_place p = {LINE_NOBODY, 0};
	if (s->warp[warp].state == WS_READY_LSU && !ports_blocked(x, sched, now))
		p = first_at_lsu(x, s);
	else if (x->lines)
		p = who_took(x, sched, s->warp[warp].state - WS_READY_SP, now);
	return p.launch != LINE_NOBODY ? p : place(s, warp, s->warp[warp].pc);
}

void lines_lost_again(struct sm_ctx *x, const struct sm *s, u64 n)
{
	for (u32 i = 0; i < x->nscheds; i++)
		if (LINES_REFUSALS >> s->reason[i] & 1)
			charge(x, i, n);
}

static void took(struct sm_ctx *x, const struct sm *s, u32 sched, enum unit u, u32 warp, u32 pc)
{
	x->lines->took[u][x->own_units >> u & 1 ? sched : 0] = x->lines->last[sched] = place(s, warp, pc);
}

void lines_issued(struct sm_ctx *x, const struct sm *s, u32 warp, u32 sched, const struct issue_info *in, bool slot,
                  const struct dyninst *d)
{
	struct line_counters *c = line_of(x, s, warp, d->pc);
	c->executed++;
	c->lanes += bit_count32(d->mask);
	c->diverged += d->in->op == OP_BRA && (d->flags & DYN_DIVERGED);
	c->slots += slot;
	if (!slot || in->unit == UNIT_LSU)
		return;
	c->held += in->ii;
	took(x, s, sched, in->unit, warp, d->pc);
}

void lines_led(struct sm_ctx *x, const struct sm *s, u32 warp, u32 sched)
{
	const struct warp *wp = &s->warp[warp];
	line_at(x, wp->launch, wp->pc)->slots++;
	took(x, s, sched, lead_unit(info_at(x, wp, wp->pc)), warp, wp->pc);
}

void lines_request(struct sm_ctx *x, const struct sm *s, const struct lsu_entry *e)
{
	struct line_counters *c = line_of(x, s, e->warp, e->pc);
	c->requests++;
	c->transactions += e->ntxn;
	c->held += e->ntxn; /* a cycle each; those of refusals come as they pass */
	for (u32 i = 0; !e->shared && i < e->ntxn; i++)
		c->sectors += bit_count32(e->txn[i].sectors);
}

void lines_evicted(struct sm_ctx *x, const struct sm *s, u32 warp, u32 pc)
{
	struct line_counters *c = line_of(x, s, warp, pc);
	struct l1_loss *of = &x->lines->loss;
	const bool same = of->launch == s->warp[warp].launch;
	c->evicted++;
	c->evicted_launches += !same;
	c->evicted_ctas += same && of->cta != s->cta[s->warp[warp].cta_slot].id;
	of->launch = LINE_NOBODY;
}
