#include "passes/cfg.h"

#include <stdlib.h>
#include <string.h>

static void mark_targets(const struct fn *f, const struct inst *in, u8 *leader)
{
	if (in->op == OP_BRA)
		leader[(u32)in->target - f->begin] = 1;
	if (in->op == OP_BRX)
		for (u32 k = 0; k < f->tables[in->table].n; k++)
			leader[f->tables[in->table].pc[k] - f->begin] = 1;
}

static bool is_jump(const struct inst *in)
{
	return in->op == OP_BRA || in->op == OP_BRX || in->op == OP_RET || in->op == OP_EXIT || in->op == OP_TRAP;
}

static void find_blocks(struct cfg *g, const struct fn *f)
{
	u32 n = f->end - f->begin;
	u8 *leader = xcalloc(n + 1, 1);
	leader[0] = 1;
	for (u32 pc = f->begin; pc < f->end; pc++) {
		mark_targets(f, &f->code[pc], leader);
		if (is_jump(&f->code[pc]))
			leader[pc + 1 - f->begin] = 1;
	}
	for (u32 i = 0; i < n; i++)
		g->nblocks += leader[i];
	g->blocks = xcalloc(g->nblocks, sizeof(*g->blocks));
	g->block_of = xmalloc(n * sizeof(u32));
	u32 b = 0;
	for (u32 i = 0; i < n; i++) {
		if (leader[i] && i)
			b++;
		if (leader[i])
			g->blocks[b].begin = f->begin + i;
		g->blocks[b].end = f->begin + i + 1;
		g->block_of[i] = b;
	}
	free(leader);
}

static bool falls_through(const struct block *b, const struct fn *f)
{
	return !inst_ends_block(&f->code[b->end - 1]);
}

static u32 count_edges(const struct cfg *g, const struct fn *f)
{
	u64 n = 0;
	for (u32 b = 0; b < g->nblocks; b++) {
		const struct inst *last = &f->code[g->blocks[b].end - 1];
		n += 1 + (last->op == OP_BRX ? f->tables[last->table].n : last->op == OP_BRA);
	}
	return (u32)n;
}

static void add_succs(struct cfg *g, const struct fn *f, u32 b, u32 *used)
{
	struct block *bl = &g->blocks[b];
	const struct inst *last = &f->code[bl->end - 1];
	bl->succ = *used;
	if (last->op == OP_BRA)
		g->edges[(*used)++] = g->block_of[(u32)last->target - f->begin];
	if (last->op == OP_BRX)
		for (u32 k = 0; k < f->tables[last->table].n; k++)
			g->edges[(*used)++] = g->block_of[f->tables[last->table].pc[k] - f->begin];
	if (falls_through(bl, f) && b + 1 < g->nblocks)
		g->edges[(*used)++] = b + 1;
	bl->nsucc = *used - bl->succ;
	bl->exits = last->op == OP_RET || last->op == OP_EXIT || last->op == OP_TRAP ||
	            (falls_through(bl, f) && b + 1 == g->nblocks);
}

static void add_preds(struct cfg *g, u32 used)
{
	for (u32 k = 0; k < used; k++)
		g->blocks[g->edges[k]].npred++;
	u32 at = used;
	for (u32 b = 0; b < g->nblocks; b++) {
		g->blocks[b].pred = at;
		at += g->blocks[b].npred;
		g->blocks[b].npred = 0;
	}
	for (u32 b = 0; b < g->nblocks; b++)
		for (u32 k = 0; k < g->blocks[b].nsucc; k++) {
			struct block *to = &g->blocks[g->edges[g->blocks[b].succ + k]];
			g->edges[to->pred + to->npred++] = b;
		}
}

void cfg_build(struct cfg *g, const struct fn *f)
{
	*g = (struct cfg){0};
	find_blocks(g, f);
	g->edges = xmalloc((2 * (size_t)count_edges(g, f) + 1) * sizeof(u32));
	u32 used = 0;
	for (u32 b = 0; b < g->nblocks; b++)
		add_succs(g, f, b, &used);
	add_preds(g, used);
}

void cfg_release(struct cfg *g)
{
	free(g->blocks);
	free(g->edges);
	free(g->block_of);
	*g = (struct cfg){0};
}
