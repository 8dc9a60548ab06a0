#include "sm/waits.h"

#include "sm/internal.h"
#include "sm/lines.h"

static u32 context_of(const struct sm *s, u32 w)
{
	return sm_context_of(s->warp[w].who);
}

static void pending(struct sm_waits *v, u32 context, const struct inst *in, u32 pc)
{
	for (u32 i = 0; i < in->n_sb_dst; i++)
		if (inst_sb_dst(in)[i] < WAITS_IDS)
			v->writer[context][inst_sb_dst(in)[i]] = pc;
}

void waits_reserve(struct sm_ctx *x, const struct sm *s, u32 w, u32 pc)
{
	const struct issue_info *in = info_at(x, &s->warp[w], pc);
	u32 *writer = x->waits->writer[context_of(s, w)];
	for (u32 i = 0; i < 2; i++)
		FOR_EACH_BIT(id, in->dst[i])
	writer[64 * i + (u32)id] = pc;
}

/* --- for whom a warp waits --- */
/* Mostly one operand is pending, and the issue table's masks tell which. */
static struct want wanted(const struct sm_ctx *x, const struct sm *s, u32 w)
{
	const struct warp *wp = &s->warp[w];
	const struct issue_info *in = info_at(x, wp, wp->pc);
	const u64 *pend = wp->state == WS_MEM ? wp->pendm : wp->pend;
	const u64 low = pend[0] & in->use[0], high = pend[1] & in->use[1];
	if (unlikely(in->flags & II_BIG) || (low && high) || (low & (low - 1)) || (high & (high - 1)) || !(low | high))
		return producer_wanted(x, s, w);
	return (struct want){.kind = WANT_ID, .id = (u16)(low ? bit_first(low) : 64 + bit_first(high))};
}

static void open_wait(const struct sm_ctx *x, const struct sm *s, u32 w, u64 since, struct open_wait *o)
{
	const struct warp *wp = &s->warp[w];
	o->since = since;
	o->launch = wp->launch;
	o->at = wp->pc;
	o->state = wp->state;
	if (wp->state == WS_FETCH) {
		o->pc = producer_of_fetch(wp);
	} else if (wp->state != WS_MEM && wp->state != WS_SHORT) {
		o->pc = producer_at_place(x, s, w);
	} else {
		o->want = wanted(x, s, w);
		if (likely(o->want.kind == WANT_ID && o->want.id < WAITS_IDS)) {
			o->pc = x->waits->writer[context_of(s, w)][o->want.id];
		} else {
			u32 out[WARP_SLOTS];
			sm_producers(x, s, BIT(w), out);
			o->pc = out[w];
		}
	}
}

/* Nothing that matters has changed: the operand is still pending, and those before it do not become so again. (In
 * WS_MEM one before it may turn out to come from memory.) */
static inline bool is_same(const struct open_wait *o, const struct warp *wp)
{
	return wp->state == WS_SHORT && o->state == WS_SHORT && o->at == wp->pc && o->want.kind == WANT_ID &&
	       o->want.id < WAITS_IDS && wp->pend[o->want.id / 64] >> (o->want.id % 64) & 1;
}

/* --- charging --- */
static void charge(struct sm_ctx *x, struct open_wait *o, u64 now)
{
	if (now <= o->since)
		return;
	struct line_counters *c = line_at(x, o->launch, o->pc);
	const u64 n = now - o->since;
	c->awaited += n;
	if (o->state == WS_MEM)
		c->awaited_memory += n;
	else if (o->state == WS_FETCH)
		c->awaited_fetch += n;
	o->since = now;
}

void waits_look(struct sm_ctx *x, const struct sm *s, u32 w, u64 now)
{
	struct sm_waits *v = x->waits;
	const struct warp *wp = &s->warp[w];
	struct open_wait *o = &v->wait[w];
	const bool issued = s->issued_cycle == now && s->issued_mask >> w & 1; /* does not wait in this cycle */
	if (v->open >> w & 1) {
		if (is_same(o, wp))
			return;
		charge(x, o, now);
		v->open &= ~BIT(w);
	}
	if (warp_state_waits(wp->state)) {
		open_wait(x, s, w, now + issued, o);
		v->open |= BIT(w);
	}
}

void waits_slot_used(struct sm_ctx *x, u32 w, u64 now)
{
	struct open_wait *o = &x->waits->wait[w];
	if (x->waits->open >> w & 1)
		o->since = MAX(o->since, now + 1);
}

void waits_charge(struct sm_ctx *x, u64 now)
{
	FOR_EACH_BIT(w, x->waits->open)
	charge(x, &x->waits->wait[w], now);
}

/* --- beginning --- */
struct filling {
	struct sm_ctx *x;
	const struct sm *s;
};

static void fill(void *ctx, u32 context, u32 pc, bool memory, enum under_way how)
{
	const struct filling *f = ctx;
	const struct warp *wp = &f->s->warp[f->s->context[context].place];
	if (how != FOR_OPERANDS)
		pending(f->x->waits, context, inst_at(f->x, wp, pc), pc);
}

void waits_begin(struct sm_ctx *x, struct sm *s, u64 now)
{
	x->waits->open = 0;
	sm_under_way(x, s, fill, &(struct filling){x, s});
	FOR_EACH_BIT(w, s->used)
	waits_look(x, s, (u32)w, now);
}
