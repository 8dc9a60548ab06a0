#include "passes/points.h"

#include <stdlib.h>
#include <string.h>

#define NO_POINT UINT32_MAX

/* Algorithm 1 under way. */
struct search {
	const struct module *m;
	const struct func *f;
	u32 max; /* MaxScore */
	u32 *at; /* index in p->list of the point at pc, NO_POINT: at[pc - entry] */
	struct points *p;
};

static bool is_load(const struct inst *in)
{
	bool memory = in->space == SPC_GLOBAL || in->space == SPC_LOCAL || in->space == SPC_GENERIC;
	if (in->op == OP_TEX || in->op == OP_TLD4)
		return true;
	return memory && (inst_is_load(in) || in->op == OP_ATOM);
}

static bool is_branch(const struct inst *in)
{
	return in->op == OP_BRA || in->op == OP_BRX;
}

static u32 num_targets(const struct search *s, const struct inst *in)
{
	return in->op == OP_BRX ? s->m->tables[in->table].n : 1;
}

static u32 target(const struct search *s, const struct inst *in, u32 i)
{
	return in->op == OP_BRX ? s->m->tables[in->table].pc[i] : (u32)in->target;
}

static bool is_backward(const struct search *s, u32 pc)
{
	const struct inst *in = &s->m->code[pc];
	for (u32 i = 0; i < num_targets(s, in); i++)
		if (target(s, in, i) <= pc)
			return true;
	return false;
}

/* Is there an instruction behind pc, on a path that algorithm 1 follows? */
static bool has_next(const struct search *s, u32 pc)
{
	const struct inst *in = &s->m->code[pc];
	if (in->op == OP_BRA && !is_backward(s, pc))
		return pc + 1 < s->f->end;
	return !inst_ends_block(in) && pc + 1 < s->f->end;
}

/* getScore. Ends at max: what lies beyond does not change the answer. */
static u32 score_from(const struct search *s, u32 pc)
{
	for (u32 score = 0; score < s->max; score++, pc++) {
		u32 i = s->at[pc - s->f->entry];
		if (i != NO_POINT)
			return MIN(score + s->p->list[i].score, s->max);
		if (!has_next(s, pc))
			break;
	}
	return s->max;
}

static u32 score_next(const struct search *s, u32 pc)
{
	return has_next(s, pc) ? score_from(s, pc + 1) : s->max;
}

static u32 score_taken(const struct search *s, u32 pc)
{
	const struct inst *in = &s->m->code[pc];
	u32 best = s->max;
	for (u32 i = 0; i < num_targets(s, in); i++)
		best = MIN(best, score_from(s, target(s, in, i)));
	return best;
}

/* Lines 1-9. */
static void collect(struct search *s)
{
	for (u32 pc = s->f->entry; pc < s->f->end; pc++) {
		const struct inst *in = &s->m->code[pc];
		bool branch = is_branch(in) && is_backward(s, pc);
		s->at[pc - s->f->entry] = NO_POINT;
		if (!branch && !is_load(in))
			continue;
		s->at[pc - s->f->entry] = s->p->n;
		s->p->list[s->p->n++] = (struct point){.pc = pc, .branch = branch, .score = branch ? s->max : 0};
	}
}

/* Lines 10-24. Scores only fall, so it ends. */
static void relax(struct search *s)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 i = 0; i < s->p->n; i++) {
			struct point *x = &s->p->list[i];
			if (!x->branch)
				continue;
			u32 least = MIN(score_next(s, x->pc), score_taken(s, x->pc)) + 1;
			if (least < x->score) {
				x->score = least;
				changed = true;
			}
		}
	}
}

/* Lines 25-31. Walking over a removed point gives what its score gave, so the order does not matter. */
static void drop_meaningless(struct search *s)
{
	u32 kept = 0;
	for (u32 i = 0; i < s->p->n; i++) {
		struct point x = s->p->list[i];
		u32 *at = &s->at[x.pc - s->f->entry];
		if (x.branch && (x.score == s->max || x.score == score_next(s, x.pc) + 1)) {
			*at = NO_POINT;
			continue;
		}
		s->p->list[kept] = x;
		*at = kept++;
	}
	s->p->meaningless = s->p->n - kept;
	s->p->n = s->p->found = kept;
}

static void find_branches(struct search *s)
{
	struct points *p = s->p;
	for (u32 pc = s->f->entry; pc < s->f->end; pc++) {
		const struct inst *in = &s->m->code[pc];
		if (!is_branch(in))
			continue;
		u32 taken = score_taken(s, pc), next = inst_ends_block(in) ? s->max : score_next(s, pc);
		p->branches[p->nbranches++] = (struct point_branch){
		    .pc = pc, .taken = taken, .next = next, .recalculate = inst_ends_block(in) || taken < next};
	}
}

/* Distance of algorithm 2 from the point before list[i] to it (line 5); max when there is none to merge. */
static u32 gap_before(const struct search *s, u32 i)
{
	const struct points *p = s->p;
	return i && !p->list[i].branch ? score_next(s, p->list[i - 1].pc) + 1 : s->max;
}

/* Lines 1-15 of algorithm 2: the load that swallows its predecessor, NO_POINT when there is none. */
static u32 closest(const struct search *s, const u32 *gap, u32 *score)
{
	u32 best = NO_POINT, least = s->max;
	for (u32 i = 1; i < s->p->n; i++)
		if (gap[i] < least) {
			const struct point *before = &s->p->list[i - 1];
			best = i;
			least = before->branch ? gap[i] - before->score : gap[i];
		}
	*score = least;
	return best;
}

/* Algorithm 2. Only the gap of the load that grew changes. */
static bool merge(struct search *s, u32 *gap)
{
	struct points *p = s->p;
	u32 score, i = closest(s, gap, &score);
	if (i == NO_POINT)
		return false;
	struct point *x = &p->list[i];
	s->at[x[-1].pc - s->f->entry] = NO_POINT;
	x->score = score;
	x->merged += 1 + x[-1].merged;
	memmove(x - 1, x, (p->n - i) * sizeof(*x));
	memmove(&gap[i - 1], &gap[i], (p->n - i) * sizeof(*gap));
	p->n--;
	for (u32 k = i - 1; k < p->n; k++)
		s->at[p->list[k].pc - s->f->entry] = k;
	gap[i - 1] = gap_before(s, i - 1);
	return true;
}

static void merge_down(struct search *s, u32 max_points)
{
	u32 *gap = xcalloc(s->p->n + 1, sizeof(*gap));
	for (u32 i = 0; i < s->p->n; i++)
		gap[i] = gap_before(s, i);
	while (s->p->n > max_points && merge(s, gap))
		;
	s->p->fits = s->p->n <= max_points;
	free(gap);
}

void points_find(struct points *p, const struct module *m, const struct func *f, const struct point_params *par)
{
	u32 n = f->end - f->entry;
	*p = (struct points){.max_score = par->max_score,
	                     .list = xcalloc(n, sizeof(*p->list)),
	                     .branches = xcalloc(n, sizeof(*p->branches))};
	struct search s = {.m = m, .f = f, .max = par->max_score, .at = xcalloc(n, sizeof(u32)), .p = p};
	collect(&s);
	relax(&s);
	drop_meaningless(&s);
	find_branches(&s);
	merge_down(&s, par->max_points);
	free(s.at);
}

void points_release(struct points *p)
{
	free(p->list);
	free(p->branches);
	*p = (struct points){0};
}

u32 points_distance(const struct points *p, u32 pc)
{
	u32 lo = 0, hi = p->n;
	while (lo < hi) {
		u32 mid = (lo + hi) / 2;
		if (p->list[mid].pc < pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == p->n)
		return p->max_score;
	const struct point *x = &p->list[lo];
	u64 d = x->pc - pc;
	if (x->branch)
		d += x->score;
	else if (x->score && d > x->score)
		d -= x->score;
	return (u32)MIN(d, (u64)p->max_score);
}
