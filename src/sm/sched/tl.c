#include "sm/sched/tl.h"

#include <string.h>

/* --- the active queue --------------------------------------------------------------------------------------------- */

/* To the tail, then forward to its place: stable. */
static void enqueue(struct tl *st, const struct sched_view *v, u32 warp, tl_key_fn *key)
{
	u64 k = key(v, warp);
	u32 at = st->n++;
	for (; at > 0 && st->key[st->queue[at - 1]] > k; at--)
		st->queue[at] = st->queue[at - 1];
	st->queue[at] = (u8)warp;
	st->key[warp] = k;
	st->active |= BIT(warp);
}

static void dequeue(struct tl *st, u32 at)
{
	st->active &= ~BIT(st->queue[at]);
	st->n--;
	memmove(st->queue + at, st->queue + at + 1, st->n - at);
}

static u32 place_of(const struct tl *st, u32 warp)
{
	u32 at = 0;
	while (st->queue[at] != warp)
		at++;
	return at;
}

/* --- moves -------------------------------------------------------------------------------------------------------- */

static void demoted(const struct tl *st, const struct sched_view *v, u32 warp)
{
	struct event *e = sched_event(v, EV_SCHED_DEMOTE, warp);
	if (!e)
		return;
	e->arg[0] = v->index;
	e->arg[1] = v->sm->warp[warp].state;
	e->arg[2] = st->ready;
}

/* Those that wait go to the pending queue, those that have exited leave. */
static void leave(struct tl *st, const struct sched_view *v, u64 waiting, u64 exited)
{
	u64 from_ready = st->ready & (waiting | exited);
	st->pending = (st->pending | from_ready | (st->active & waiting)) & ~exited;
	FOR_EACH_BIT(w, st->active & (waiting | exited))
	dequeue(st, place_of(st, (u32)w));
	FOR_EACH_BIT(w, from_ready)
	{
		st->ready &= ~BIT(w);
		demoted(st, v, (u32)w);
	}
}

static void return_complete(struct tl *st, const struct sched_view *v, u64 candidates, tl_key_fn *key)
{
	FOR_EACH_BIT(w, candidates)
	{
		const struct warp *wp = &v->sm->warp[w];
		if (wp->pendm[0] | wp->pendm[1])
			continue;
		st->pending &= ~BIT(w);
		enqueue(st, v, (u32)w, key);
	}
}

static void promote_head(struct tl *st, const struct sched_view *v)
{
	u32 w = st->queue[0];
	dequeue(st, 0);
	st->ready |= BIT(w);
	struct event *e = sched_event(v, EV_SCHED_PROMOTE, w);
	if (!e)
		return;
	e->arg[0] = v->index;
	e->arg[1] = st->ready;
	e->arg[2] = st->n;
	e->arg[3] = st->key[w];
}

void tl_tick(struct tl *st, const struct sched_view *v, tl_key_fn *key)
{
	const u64 *in = v->sm->in;
	u64 waiting = in[WS_MEM] | in[WS_FENCE] | in[WS_BARRIER] | in[WS_SLEEP] | in[WS_PAUSED], exited = in[WS_DONE];
	if (((st->ready | st->active) & waiting) | ((st->ready | st->active | st->pending) & exited))
		leave(st, v, waiting, exited);
	u64 back = st->pending & ~waiting;
	if (back)
		return_complete(st, v, back, key);
	while (st->n && bit_count(st->ready) < v->conf->tl_ready)
		promote_head(st, v);
}

void tl_started(struct tl *st, const struct sched_view *v, u64 warps, tl_key_fn *key)
{
	warps &= ~v->sm->in[WS_DONE]; /* a scheduler set on a running machine may find some */
	while (warps) {
		u32 w = sched_oldest(v, warps);
		warps &= ~BIT(w);
		enqueue(st, v, w, key);
	}
}

void tl_gone(void *state, const struct sched_view *v, u64 warps)
{
	struct tl *st = state;
	FOR_EACH_BIT(w, st->active & warps)
	dequeue(st, place_of(st, (u32)w));
	st->ready &= ~warps;
	st->pending &= ~warps;
}

u32 tl_pick(void *state, const struct sched_view *v, u64 ready)
{
	struct tl *st = state;
	ready &= st->ready;
	if (!ready)
		return NO_WARP;
	u32 w = bit_next_rr(ready, st->next);
	st->next = (u8)((w + 1) % WARP_SLOTS);
	return w;
}

/* --- display ------------------------------------------------------------------------------------------------------ */

static void list(struct strbuf *out, const char *name, u64 warps)
{
	strbuf_adds(out, name);
	if (!warps)
		strbuf_adds(out, " -");
	FOR_EACH_BIT(w, warps)
	strbuf_addf(out, " %u", (u32)w);
}

static void describe_warp(const struct tl *st, u32 warp, struct strbuf *out)
{
	if (st->ready >> warp & 1)
		strbuf_adds(out, "ready");
	else if (st->active >> warp & 1)
		strbuf_addf(out, "active %u", place_of(st, warp) + 1);
	else if (st->pending >> warp & 1)
		strbuf_adds(out, "pending");
}

void tl_describe(const void *state, const struct sched_view *v, u32 warp, struct strbuf *out)
{
	const struct tl *st = state;
	if (warp != NO_WARP) {
		describe_warp(st, warp, out);
		return;
	}
	if (!(st->ready | st->active | st->pending))
		return;
	list(out, "ready", st->ready);
	strbuf_adds(out, st->n ? " | active" : " | active -");
	for (u32 i = 0; i < st->n; i++)
		strbuf_addf(out, " %u", st->queue[i]);
	list(out, " | pending", st->pending);
}

/* Ready queue by its round robin, then the active queue, then the pending warps by slot, then who is in no queue. */
s64 tl_rank(const void *state, const struct sched_view *v, u32 warp)
{
	const struct tl *st = state;
	u32 nready = bit_count(st->ready), npending = bit_count(st->pending);
	if (st->ready >> warp & 1) {
		u64 turn = warp >= st->next ? bit_range(warp) & ~bit_range(st->next) : bit_range(warp) | ~bit_range(st->next);
		return bit_count(st->ready & turn);
	}
	if (st->active >> warp & 1)
		return nready + place_of(st, warp);
	if (st->pending >> warp & 1)
		return nready + st->n + bit_count(st->pending & bit_range(warp));
	return nready + st->n + npending;
}

s64 tl_explain(const void *state, const struct sched_view *v, u64 ready, u32 warp, struct strbuf *out)
{
	const struct tl *st = state;
	if (st->ready >> warp & 1) {
		strbuf_adds(out, "ready queue: ");
		return sched_explain_turn(st->next, warp, out);
	}
	if (st->active >> warp & 1)
		strbuf_addf(out, "active queue, place %u of %u", place_of(st, warp) + 1, st->n);
	else
		strbuf_adds(out, st->pending >> warp & 1 ? "pending: long-latency operations are open" : "in no queue");
	return PICK_DECLINED;
}
