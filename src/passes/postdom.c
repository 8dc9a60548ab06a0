#include "passes/postdom.h"

#include <stdlib.h>

/* Cooper, Harvey, Kennedy: "A Simple, Fast Dominance Algorithm", on the reversed graph. Nodes are numbered in postorder
 * of a depth-first walk from the virtual exit, so that a node's dominators have higher numbers. */
struct walk {
	const struct cfg *g;
	bool *to_exit; /* edge to the exit, pseudo edges included */
	u32 *number;   /* postorder number of a block; UINT32_MAX = not reached yet */
	u32 *order;    /* block of a number */
	u32 n;         /* numbers given out */
	u32 *stack, *next_edge;
};

static void visit_from(struct walk *w, u32 root)
{
	u32 depth = 0;
	w->stack[depth++] = root;
	w->number[root] = UINT32_MAX - 1; /* open */
	while (depth) {
		u32 b = w->stack[depth - 1];
		const struct block *bl = &w->g->blocks[b];
		if (w->next_edge[b] == bl->npred) {
			w->number[b] = w->n;
			w->order[w->n++] = b;
			depth--;
			continue;
		}
		u32 p = w->g->edges[bl->pred + w->next_edge[b]++];
		if (w->number[p] == UINT32_MAX) {
			w->number[p] = UINT32_MAX - 1;
			w->stack[depth++] = p;
		}
	}
}

static void number_blocks(struct walk *w)
{
	u32 nb = w->g->nblocks;
	for (u32 b = 0; b < nb; b++)
		w->number[b] = UINT32_MAX;
	for (u32 b = 0; b < nb; b++)
		if (w->to_exit[b] && w->number[b] == UINT32_MAX)
			visit_from(w, b);
	for (u32 b = nb; b-- > 0;)
		if (w->number[b] == UINT32_MAX) {
			w->to_exit[b] = true;
			visit_from(w, b);
		}
}

/* idom in numbers; the exit has number nb (the highest). */
static u32 intersect(const u32 *idom, u32 a, u32 b)
{
	while (a != b) {
		if (a < b)
			a = idom[a];
		else
			b = idom[b];
	}
	return a;
}

static u32 new_idom(const struct walk *w, const u32 *idom, u32 b)
{
	const struct block *bl = &w->g->blocks[b];
	u32 best = w->to_exit[b] ? w->g->nblocks : UINT32_MAX;
	for (u32 k = 0; k < bl->nsucc; k++) {
		u32 s = w->number[w->g->edges[bl->succ + k]];
		if (idom[s] == UINT32_MAX)
			continue;
		best = best == UINT32_MAX ? s : intersect(idom, best, s);
	}
	return best;
}

static void solve(const struct walk *w, u32 *idom)
{
	u32 nb = w->g->nblocks;
	for (u32 i = 0; i < nb; i++)
		idom[i] = UINT32_MAX;
	idom[nb] = nb;
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 i = nb; i-- > 0;) {
			u32 d = new_idom(w, idom, w->order[i]);
			if (d != idom[i]) {
				idom[i] = d;
				changed = true;
			}
		}
	}
}

void postdom_compute(const struct cfg *g, u32 *ipdom)
{
	u32 nb = g->nblocks;
	struct walk w = {.g = g};
	w.to_exit = xmalloc(nb * sizeof(bool));
	w.number = xmalloc(nb * sizeof(u32));
	w.order = xmalloc(nb * sizeof(u32));
	w.stack = xmalloc(nb * sizeof(u32));
	w.next_edge = xcalloc(nb, sizeof(u32));
	for (u32 b = 0; b < nb; b++)
		w.to_exit[b] = g->blocks[b].exits;
	number_blocks(&w);
	u32 *idom = xmalloc((nb + 1) * sizeof(u32));
	solve(&w, idom);
	for (u32 b = 0; b < nb; b++) {
		u32 d = idom[w.number[b]];
		ipdom[b] = d == nb ? nb : w.order[d];
	}
	free(idom);
	free(w.to_exit);
	free(w.number);
	free(w.order);
	free(w.stack);
	free(w.next_edge);
}

void postdom_set_reconv(const struct fn *f, const struct cfg *g)
{
	u32 *ipdom = xmalloc(g->nblocks * sizeof(u32));
	postdom_compute(g, ipdom);
	for (u32 pc = f->begin; pc < f->end; pc++) {
		struct inst *in = &f->code[pc];
		u32 d = ipdom[g->block_of[pc - f->begin]];
		if (in->op == OP_CALL)
			in->reconv = (s32)pc + 1;
		else if (in->op == OP_BRA || in->op == OP_BRX)
			in->reconv = d == g->nblocks ? -1 : (s32)g->blocks[d].begin;
		else
			in->reconv = -1;
	}
	free(ipdom);
}
