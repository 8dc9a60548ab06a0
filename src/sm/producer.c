#include "sm/producer.h"

#include "sm/deps.h"
#include "sm/internal.h"

static bool bit_of(const u64 *set, u32 id)
{
	return set[id / 64] >> (id % 64) & 1;
}

static bool is_pending(const struct sm_ctx *x, const struct warp *wp, u32 w, u32 id, bool memory)
{
	if (id < 128)
		return bit_of(memory ? wp->pendm : wp->pend, id);
	return bit_of(x->big[w][memory], id);
}

struct want producer_wanted(const struct sm_ctx *x, const struct sm *s, u32 w)
{
	const struct warp *wp = &s->warp[w];
	const struct inst *in = inst_at(x, wp, wp->pc);
	const bool memory = wp->state == WS_MEM;
	for (u32 i = 0; i < (u32)in->n_sb_src + in->n_sb_dst; i++) {
		const u32 id = i < in->n_sb_src ? inst_sb_src(in)[i] : inst_sb_dst(in)[i - in->n_sb_src];
		if (is_pending(x, wp, w, id, memory))
			return (struct want){.kind = WANT_ID, .id = (u16)id};
	}
	if (x->deps && x->deps->warp[w].timed)
		return (struct want){.kind = WANT_STALL};
	const u8 counters = x->deps ? deps_awaited(x, wp, w) : 0;
	if (counters)
		return (struct want){.kind = WANT_COUNTERS, .counters = counters};
	return (struct want){.kind = memory ? WANT_MEMORY : WANT_ALL};
}

static bool writes(const struct inst *in, u32 id)
{
	for (u32 i = 0; i < in->n_sb_dst; i++)
		if (inst_sb_dst(in)[i] == id)
			return true;
	return false;
}

/* --- what is under way --- */
void sm_under_way(const struct sm_ctx *x, const struct sm *s, under_way_fn *fn, void *ctx)
{
	for (u32 i = 0; i < s->lsu_q.n; i++) {
		const struct lsu_entry *e = sm_lsu_at(s, i);
		fn(ctx, sm_context_of(s->warp[e->warp].who), e->pc, !e->shared, AT_LSU);
	}
	for (u32 i = 0, n = s->nloads; n && i < SM_MAX_LOADS; i++)
		if (s->load[i].left) {
			fn(ctx, sm_context_of(s->load[i].who), s->load[i].pc, true, FOR_RESULT);
			n--;
		}
	for (u32 word = 0; word < SM_WHEEL_WORDS; word++)
		FOR_EACH_BIT(b, s->wheel_busy[word])
	for (u16 at = s->wheel[word * 64 + b]; at; at = x->node[at - 1].next) {
		const struct timer_node *n = &x->node[at - 1];
		const u32 kind = timer_kind(n);
		if (kind == WK_WRITEBACK || kind == WK_LOADED || kind == WK_READ)
			fn(ctx, sm_context_of(n->who), timer_pc(n), kind == WK_LOADED, kind == WK_READ ? FOR_OPERANDS : FOR_RESULT);
	}
}

struct search {
	const struct sm_ctx *x;
	const struct sm *s;
	u64 left;  /* warps whose producer is looked for */
	u64 found; /* those of which one has been found */
	struct want want[WARP_SLOTS];
	u32 *out;
};

/* Is the instruction at pc, which is under way, what the warp waits for? */
static bool is_wanted(const struct search *f, const struct warp *wp, u32 w, u32 pc, bool memory, enum under_way how)
{
	const struct want *t = &f->want[w];
	switch (t->kind) {
	case WANT_ID: return how != FOR_OPERANDS && writes(inst_at(f->x, wp, pc), t->id);
	case WANT_COUNTERS: return deps_raises(f->x, wp, pc, how != FOR_OPERANDS, how != FOR_RESULT) & t->counters;
	default: return how != FOR_OPERANDS && inst_at(f->x, wp, pc)->n_sb_dst && (memory || t->kind == WANT_ALL);
	}
}

static void look(void *ctx, u32 context, u32 pc, bool memory, enum under_way how)
{
	struct search *f = ctx;
	const u32 w = f->s->context[context].place;
	if (w >= WARP_SLOTS || !(f->left >> w & 1))
		return;
	const struct warp *wp = &f->s->warp[w];
	if (pc >= f->x->prog[wp->launch].launch->mod->ncode || !is_wanted(f, wp, w, pc, memory, how))
		return;
	f->out[w] = f->found >> w & 1 ? MIN(f->out[w], pc) : pc;
	f->found |= BIT(w);
}

/* What holds a warp at its place is the instruction before the one it would execute next. */
static u32 held_by(const struct module *m, const struct warp *wp, enum opcode op)
{
	return wp->pc > 0 && wp->pc <= m->ncode && m->code[wp->pc - 1].op == op ? wp->pc - 1 : wp->pc;
}

u32 producer_at_place(const struct sm_ctx *x, const struct sm *s, u32 w)
{
	const struct warp *wp = &s->warp[w];
	const struct module *m = x->prog[wp->launch].launch->mod;
	switch (wp->state) {
	case WS_BARRIER: return held_by(m, wp, OP_BAR);
	case WS_FENCE: return held_by(m, wp, wp->fence == FENCE_GRIDS ? OP_GRIDDEP : OP_MEMBAR);
	case WS_SLEEP: return held_by(m, wp, wp->awaits ? OP_MBARRIER : OP_NANOSLEEP);
	case WS_FETCH: return producer_of_fetch(wp);
	default: return wp->pc;
	}
}

void sm_producers(const struct sm_ctx *x, const struct sm *s, u64 warps, u32 *out)
{
	struct search f = {.x = x, .s = s, .out = out};
	FOR_EACH_BIT(w, warps)
	{
		const struct warp *wp = &s->warp[w];
		out[w] = PC_DONE;
		if (!(s->used >> w & 1) || wp->done)
			continue;
		out[w] = producer_at_place(x, s, (u32)w);
		if (wp->state != WS_MEM && wp->state != WS_SHORT)
			continue;
		f.want[w] = producer_wanted(x, s, (u32)w);
		if (f.want[w].kind == WANT_STALL)
			out[w] = x->deps->warp[w].last;
		else
			f.left |= BIT(w);
	}
	if (f.left) /* of several the first in the code, wherever each is on its way */
		sm_under_way(x, s, look, &f);
}
