#include "passes/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "passes/estimate.h"
#include "passes/timing.h"

enum { COUNTED, ALL, NKINDS }; /* the two ways to count words */

/* One function being scheduled. */
struct work {
	const struct fn *f;
	const struct cfg *g;
	const struct liveness *l;
	struct depend *d;
	bool *is_free;     /* registers that are not counted */
	u32 *live[NKINDS]; /* words live before each pc, in the text's order */
	u32 limit[NKINDS];
	u32 *order; /* the result */
	bool moved;
	/* the run in hand */
	u32 uses_left[ARRAY_LEN(((struct depend *)0)->value)];
	bool needed_behind[ARRAY_LEN(((struct depend *)0)->value)]; /* lives on where the run ends */
};
/* A way through the run, while it is made. */
struct play {
	u32 order[DEPEND_MAX], n;
	u32 ready[DEPEND_MAX], nready; /* nodes whose predecessors have issued */
	u32 left[DEPEND_MAX];          /* predecessors that have not */
	u64 avail[DEPEND_MAX];         /* when their results are there */
	u64 now, finish;               /* the next issue; the last result */
	s32 live[NKINDS], peak[NKINDS];
};

/* --- parameters --------------------------------------------------------------------------------------------------- */

void schedule_params_of(struct schedule_params *p, const struct conf *c)
{
	const u32 miss = c->l1d_latency + 2 * c->noc_latency + c->l2_latency + c->dram_latency;
	for (u32 i = 0; i < IC_COUNT; i++)
		p->latency[i] = class_timing(c, i).lat + c->sm_read_latency + c->sm_write_latency;
	p->latency[IC_GLOBAL] = p->latency[IC_ATOMIC] = miss + c->sm_read_latency;
	p->latency[IC_TEX] = MAX(miss, c->l1t_latency) + c->sm_read_latency;
	p->on = c->schedule == SCHEDULE_LIST;
	p->contract = c->isa_contract;
	p->slot_each = c->isa_issue_cost == ISSUE_COST_PTX;
	p->spare = c->schedule_spare;
	p->fixed = estimate_fixed(c->isa_registers);
	p->narrow = c->isa_registers == REGISTERS_NVCC4;
	u32 warps = MAX(c->sm_threads / WARP_SIZE, 1u);
	u32 per_warp = c->sm_regs / warps / c->sm_reg_unit * c->sm_reg_unit;
	p->free_regs = MIN(per_warp / WARP_SIZE, c->sm_max_regs_thread);
}

/* --- words live --------------------------------------------------------------------------------------------------- */

static u32 words_of(const struct fn *f, const bool *is_free, u32 kind, u32 reg)
{
	if (kind == COUNTED && (is_free[reg] || f->vclass[reg] == VC_PRED))
		return 0;
	return f->vclass[reg] == VC_64 ? 2 : 1;
}

/* live[pc - begin] = words needed before the instruction. */
static u32 *live_before(const struct fn *f, const struct liveness *l, const bool *is_free, u32 kind)
{
	u32 n = f->end - f->begin;
	u32 *live = xcalloc(n + 1, sizeof(u32)); /* first the differences, which wrap around and come back */
	for (u32 i = 0; i < l->nsegs; i++) {
		const struct live_seg *s = &l->segs[i];
		u32 words = words_of(f, is_free, kind, s->reg);
		live[s->from + s->at_def - f->begin] += words;
		live[s->to - f->begin] -= words;
	}
	for (u32 i = 1; i <= n; i++)
		live[i] += live[i - 1];
	return live;
}

static u32 most_live(const struct fn *f, const u32 *live)
{
	u32 most = 0;
	for (u32 i = 0; i < f->end - f->begin; i++)
		most = MAX(most, live[i]);
	return most;
}

static struct schedule_limits needs_of(const struct fn *f, const struct liveness *l)
{
	bool *is_free = estimate_free(f);
	u32 *behind = xmalloc((f->end - f->begin) * sizeof(u32)), *all = live_before(f, l, is_free, ALL);
	estimate_live(f, l, NULL, behind);
	struct schedule_limits r = {most_live(f, behind), most_live(f, all)};
	free(is_free);
	free(behind);
	free(all);
	return r;
}

struct schedule_limits schedule_limits_of(const struct schedule_params *p, const struct fn *f, const struct liveness *l,
                                          bool kernel, u32 maxnreg)
{
	struct schedule_limits r = needs_of(f, l);
	u32 regs = maxnreg ? MIN(maxnreg, p->free_regs) : p->free_regs;
	if (kernel)
		r.counted = MAX(r.counted, regs > p->fixed ? regs - p->fixed : 0) + p->spare;
	r.all = MAX(r.all, r.counted) + SCHEDULE_ROOM;
	return r;
}

bool schedule_fits(const struct schedule_limits *limits, const struct fn *f, const struct liveness *l)
{
	struct schedule_limits needs = needs_of(f, l);
	return needs.counted <= limits->counted && needs.all <= limits->all;
}

/* Is the register's value needed when control comes to pc, a place inside a block or its start? */
static bool live_at(const struct liveness *l, u32 reg, u32 pc)
{
	u32 lo = l->first[reg], hi = l->first[reg + 1];
	while (lo < hi) { /* the first segment that ends behind pc */
		u32 mid = lo + (hi - lo) / 2;
		if (l->segs[mid].to > pc)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo == l->first[reg + 1])
		return false;
	const struct live_seg *s = &l->segs[lo];
	return s->from < pc || (s->from == pc && !s->at_def);
}

static bool live_behind(const struct work *w, u32 reg, u32 pc)
{
	const struct block *b = &w->g->blocks[w->g->block_of[pc - 1 - w->f->begin]];
	if (pc < b->end)
		return live_at(w->l, reg, pc);
	for (u32 k = 0; k < b->nsucc; k++)
		if (live_at(w->l, reg, w->g->blocks[w->g->edges[b->succ + k]].begin))
			return true;
	return false;
}

/* --- playing a run through ---------------------------------------------------------------------------------------- */

static void play_begin(struct work *w, struct play *p)
{
	const struct depend *d = w->d;
	p->n = p->nready = 0;
	p->now = p->finish = 0;
	for (u32 i = 0; i < d->n; i++) {
		p->left[i] = d->node[i].npreds;
		p->avail[i] = 0;
		if (!p->left[i])
			p->ready[p->nready++] = i;
	}
	for (u32 v = 0; v < d->nvalues; v++)
		w->uses_left[v] = d->value[v].uses;
	for (u32 k = 0; k < NKINDS; k++)
		p->live[k] = p->peak[k] = (s32)w->live[k][d->begin - w->f->begin];
}

static s32 words(const struct work *w, u32 v, u32 kind)
{
	return (s32)words_of(w->f, w->is_free, kind, w->d->value[v].reg);
}

/* Words that live more behind the instruction than before it, were it the next. */
static s32 growth(const struct work *w, u32 i, u32 kind)
{
	const struct depend_node *n = &w->d->node[i];
	s32 more = 0;
	for (u32 k = 0; k < n->nuse; k++)
		if (w->uses_left[n->use[k]] == 1 && !w->needed_behind[n->use[k]])
			more -= words(w, n->use[k], kind);
	for (u32 k = 0; k < n->ndef; k++)
		if (w->d->value[n->def[k]].uses || w->needed_behind[n->def[k]])
			more += words(w, n->def[k], kind);
	return more;
}

static void release_succs(const struct depend *d, struct play *p, u32 i, u64 at)
{
	for (u32 k = d->node[i].succ; k; k = d->edges[k - 1].next) {
		const struct depend_edge *e = &d->edges[k - 1];
		p->avail[e->to] = MAX(p->avail[e->to], at + e->latency);
		if (!--p->left[e->to])
			p->ready[p->nready++] = e->to;
	}
}

static void issue(struct work *w, struct play *p, u32 i)
{
	const struct depend_node *n = &w->d->node[i];
	u64 at = MAX(p->now, p->avail[i]);
	for (u32 k = 0; k < NKINDS; k++) {
		p->live[k] += growth(w, i, k);
		p->peak[k] = MAX(p->peak[k], p->live[k]);
	}
	for (u32 k = 0; k < n->nuse; k++)
		w->uses_left[n->use[k]]--;
	p->now = at + n->slots;
	p->finish = MAX(p->finish, MAX(at + n->latency, p->now));
	p->order[p->n++] = i;
	release_succs(w->d, p, i, at);
}

static void play_text(struct work *w, struct play *p)
{
	play_begin(w, p);
	for (u32 i = 0; i < w->d->n; i++)
		issue(w, p, i);
}

/* --- choosing ----------------------------------------------------------------------------------------------------- */

/* Of two that fit: what can issue now before what would wait, the longer way to the end, the text's order. */
static bool better(const struct work *w, const struct play *p, u32 a, u32 b)
{
	u64 ta = MAX(p->avail[a], p->now), tb = MAX(p->avail[b], p->now);
	if (ta != tb)
		return ta < tb;
	u32 ha = w->d->node[a].height, hb = w->d->node[b].height;
	return ha != hb ? ha > hb : a < b;
}

/* Nothing fits: what gives most registers back, else the order of the text, whose needs are known to be bearable. */
static bool smaller(s32 growth_a, u32 a, s32 growth_b, u32 b)
{
	s32 ga = MIN(growth_a, 0), gb = MIN(growth_b, 0);
	return ga != gb ? ga < gb : a < b;
}

static u32 choose(const struct work *w, const struct play *p, const s32 *room)
{
	u32 best = DEPEND_NONE, small = DEPEND_NONE;
	s32 small_growth = 0;
	for (u32 k = 0; k < p->nready; k++) {
		u32 i = p->ready[k];
		s32 g = growth(w, i, COUNTED), all = growth(w, i, ALL);
		bool fits = (g <= 0 || p->live[COUNTED] + g <= room[COUNTED]) && (all <= 0 || p->live[ALL] + all <= room[ALL]);
		if (fits && (best == DEPEND_NONE || better(w, p, i, best)))
			best = i;
		if (small == DEPEND_NONE || smaller(g, i, small_growth, small)) {
			small = i;
			small_growth = g;
		}
	}
	return best != DEPEND_NONE ? best : small;
}

static void take(struct play *p, u32 i)
{
	for (u32 k = 0; k < p->nready; k++)
		if (p->ready[k] == i) {
			p->ready[k] = p->ready[--p->nready];
			return;
		}
}

static void play_list(struct work *w, struct play *p, const s32 *room)
{
	play_begin(w, p);
	while (p->nready) {
		u32 i = choose(w, p, room);
		take(p, i);
		issue(w, p, i);
	}
}

/* --- runs and blocks ---------------------------------------------------------------------------------------------- */

static bool fits(const struct work *w, const struct play *p)
{
	return p->peak[COUNTED] <= (s32)w->limit[COUNTED] && p->peak[ALL] <= (s32)w->limit[ALL];
}

static void keep(struct work *w, const struct play *p)
{
	u32 begin = w->d->begin;
	for (u32 i = 0; i < w->d->n; i++) {
		w->order[begin - w->f->begin + i] = begin + p->order[i];
		w->moved |= p->order[i] != i;
	}
}

static void schedule_run(struct work *w, u32 begin, u32 n, struct play *text, struct play *p)
{
	static const s32 reserve[] = {0, 2, 4, 8, 16}; /* words kept for what the loads' users need on top */
	depend_build(w->d, begin, n);
	for (u32 v = 0; v < w->d->nvalues; v++)
		w->needed_behind[v] = w->d->value[v].last && live_behind(w, w->d->value[v].reg, begin + n);
	play_text(w, text);
	for (u32 k = 0; k < ARRAY_LEN(reserve); k++) {
		s32 room[NKINDS] = {(s32)w->limit[COUNTED] - reserve[k], (s32)w->limit[ALL]};
		play_list(w, p, room);
		if (!fits(w, p))
			continue;
		if (p->finish < text->finish)
			keep(w, p);
		return;
	}
}

static void schedule_block(struct work *w, const struct block *b, struct play *text, struct play *p)
{
	for (u32 pc = b->begin; pc < b->end;) {
		u32 n = 0;
		while (pc + n < b->end && n < DEPEND_MAX && !depend_is_boundary(&w->f->code[pc + n]))
			n++;
		if (n > 1)
			schedule_run(w, pc, n, text, p);
		pc += MAX(n, 1u);
	}
}

u32 *schedule_order(const struct fn *f, const struct cfg *g, const struct liveness *l,
                    const struct schedule_limits *limits, const struct depend_facts *facts)
{
	struct work *w = xcalloc(1, sizeof *w);
	struct play *play = xmalloc(2 * sizeof *play);
	u32 n = f->end - f->begin;
	w->f = f;
	w->g = g;
	w->l = l;
	w->d = depend_create(f, facts);
	w->is_free = estimate_free(f);
	w->limit[COUNTED] = limits->counted;
	w->limit[ALL] = limits->all;
	w->order = xmalloc(n * sizeof(u32));
	for (u32 i = 0; i < n; i++)
		w->order[i] = f->begin + i;
	for (u32 k = 0; k < NKINDS; k++)
		w->live[k] = live_before(f, l, w->is_free, k);
	for (u32 b = 0; b < g->nblocks; b++)
		schedule_block(w, &g->blocks[b], &play[0], &play[1]);
	u32 *order = w->order;
	if (!w->moved) {
		free(order);
		order = NULL;
	}
	for (u32 k = 0; k < NKINDS; k++)
		free(w->live[k]);
	free(w->is_free);
	depend_release(w->d);
	free(w);
	free(play);
	return order;
}
