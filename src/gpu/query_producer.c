/* Whose fault a wait is: the instruction that a warp waits for, read from what is under way. Nothing is kept for it
 * while the machine runs: the wheel, the load table and the LSU name the instructions whose results are pending. */
#include "gpu/state.h"
#include "gpu/query.h"

/* A warp that waits for a result, and for which. */
struct want {
	bool any;    /* for whatever is under way: calls and returns */
	bool memory; /* of these, for one from memory */
	u16 id;      /* else for this scoreboard id */
};

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

/* The first pending operand, sources before results; of a warp that waits for memory the first that comes from there.
 */
static struct want want_of(const struct sm_ctx *x, const struct warp *wp, u32 w)
{
	const struct program *p = &x->prog[wp->launch];
	const struct inst *in = &p->launch->mod->code[wp->pc];
	const bool memory = wp->state == WS_MEM;
	for (u32 i = 0; i < (u32)in->n_sb_src + in->n_sb_dst; i++) {
		u32 id = i < in->n_sb_src ? inst_sb_src(in)[i] : inst_sb_dst(in)[i - in->n_sb_src];
		if (is_pending(x, wp, w, id, memory))
			return (struct want){.id = (u16)id};
	}
	return (struct want){.any = true, .memory = memory};
}

static bool writes(const struct inst *in, u32 id)
{
	for (u32 i = 0; i < in->n_sb_dst; i++)
		if (inst_sb_dst(in)[i] == id)
			return true;
	return false;
}

struct search {
	const struct sm_ctx *x;
	const struct sm *s;
	u64 left; /* warps whose producer is not found yet */
	struct want want[WARP_SLOTS];
	u32 *out;
};

/* The instruction at pc of the warp in a place is under way. */
static void look(struct search *f, u32 place, u32 pc, bool memory)
{
	if (place >= WARP_SLOTS || !(f->left >> place & 1))
		return;
	const struct want *t = &f->want[place];
	const struct module *m = f->x->prog[f->s->warp[place].launch].launch->mod;
	if (pc >= m->ncode || !(t->any ? memory || !t->memory : writes(&m->code[pc], t->id)))
		return;
	f->out[place] = pc;
	f->left &= ~BIT(place);
}

static u32 place_in(const struct sm *s, u32 who)
{
	return s->context[sm_context_of(who)].place;
}

static void search_all(struct search *f)
{
	const struct sm *s = f->s;
	for (u32 i = 0; i < s->lsu_q.n; i++) {
		const struct lsu_entry *e = sm_lsu_at(s, i);
		look(f, e->warp, e->pc, !e->shared);
	}
	for (u32 i = 0, n = s->nloads; n && i < SM_MAX_LOADS && f->left; i++)
		if (s->load[i].left) {
			look(f, place_in(s, s->load[i].who), s->load[i].pc, true);
			n--;
		}
	for (u32 word = 0; word < SM_WHEEL_WORDS && f->left; word++)
		FOR_EACH_BIT(b, s->wheel_busy[word])
		{
			for (u16 at = s->wheel[word * 64 + b]; at; at = f->x->node[at - 1].next) {
				const struct timer_node *n = &f->x->node[at - 1];
				if (timer_kind(n) == WK_WRITEBACK || timer_kind(n) == WK_LOADED)
					look(f, place_in(s, n->who), timer_pc(n), timer_kind(n) == WK_LOADED);
			}
		}
}

/* What holds a warp at its place is the instruction before the one it would execute next. */
static u32 held_by(const struct module *m, const struct warp *wp, enum opcode op)
{
	return wp->pc > 0 && wp->pc <= m->ncode && m->code[wp->pc - 1].op == op ? wp->pc - 1 : wp->pc;
}

static void charge(const struct gpu *g, u32 sm, u64 warps, u32 *out)
{
	const struct sm *s = g->sm[sm];
	struct search f = {.x = &g->ctx[sm], .s = s, .out = out};
	FOR_EACH_BIT(w, warps)
	{
		const struct warp *wp = &s->warp[w];
		out[w] = PC_DONE;
		if (!(s->used >> w & 1) || wp->done)
			continue;
		const struct module *m = f.x->prog[wp->launch].launch->mod;
		out[w] = wp->pc;
		switch (wp->state) {
		case WS_MEM:
		case WS_SHORT:
			f.want[w] = want_of(f.x, wp, (u32)w);
			f.left |= BIT(w);
			break;
		case WS_BARRIER: out[w] = held_by(m, wp, OP_BAR); break;
		case WS_FENCE: out[w] = held_by(m, wp, wp->fence == FENCE_GRIDS ? OP_GRIDDEP : OP_MEMBAR); break;
		case WS_SLEEP: out[w] = held_by(m, wp, wp->awaits ? OP_MBARRIER : OP_NANOSLEEP); break;
		case WS_FETCH:
			if (wp->fallthrough > 1)
				out[w] = wp->fallthrough - 2;
			break;
		default: break;
		}
	}
	if (f.left)
		search_all(&f);
}

void gpu_producers(const struct gpu *g, u32 sm, u32 *out)
{
	u32 n = gpu_warps_per_sm(g);
	charge(g, sm, n < WARP_SLOTS ? BIT(n) - 1 : ~0ull, out);
}

u32 gpu_producer(const struct gpu *g, u32 sm, u32 warp)
{
	u32 out[WARP_SLOTS];
	charge(g, sm, BIT(warp), out);
	return out[warp];
}
