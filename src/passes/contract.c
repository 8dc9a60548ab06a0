#include "passes/contract.h"

#include <stdlib.h>

struct reg {
	u32 defs, uses, fused; /* fused: uses that would be part of an fma */
	u32 pc;                /* of the last definition */
};
struct work {
	const struct fn *f;
	const struct cfg *g;
	struct reg *reg;
	u8 *choice; /* by pc: 1 + the operand of a sum that is its product; 0: none */
};

static bool open_rounding(const struct inst *in)
{
	return (in->type == T_F32 || in->type == T_F64) && in->round == RND_NONE;
}
static bool is_sum(const struct inst *in)
{
	return (in->op == OP_ADD || in->op == OP_SUB) && open_rounding(in) && in->s[0] != in->s[1];
}

static void count(struct work *w)
{
	for (u32 pc = w->f->begin; pc < w->f->end; pc++) {
		const struct inst *in = &w->f->code[pc];
		for (u32 k = 0; k < inst_ndst(in); k++)
			if (opnd_is_vreg(inst_dst(in, k))) {
				w->reg[inst_dst(in, k)].defs++;
				w->reg[inst_dst(in, k)].pc = pc;
			}
		for (u32 k = 0; k < inst_nsrc(in); k++)
			if (opnd_is_vreg(inst_src(in, k)))
				w->reg[inst_src(in, k)].uses++;
	}
}

/* Is a register written between two places of a block? */
static bool written(const struct work *w, opnd o, u32 from, u32 to)
{
	if (!opnd_is_vreg(o))
		return false;
	for (u32 pc = from + 1; pc < to && w->reg[o].defs > 1; pc++)
		for (u32 k = 0; k < inst_ndst(&w->f->code[pc]); k++)
			if (inst_dst(&w->f->code[pc], k) == o)
				return true;
	return w->reg[o].defs == 1 && w->reg[o].pc > from && w->reg[o].pc < to;
}

/* Could operand k of the sum at pc be the product of an fma? */
static bool fits(const struct work *w, u32 pc, u32 k)
{
	const struct inst *sum = &w->f->code[pc];
	const opnd o = sum->s[k];
	if (!opnd_is_vreg(o) || w->reg[o].defs != 1)
		return false;
	const u32 at = w->reg[o].pc, first = w->f->begin;
	const struct inst *mul = &w->f->code[at];
	return mul->op == OP_MUL && open_rounding(mul) && mul->type == sum->type && mul->guard == OPND_NONE &&
	       !(mul->flags & IF_SAT) && (mul->flags & IF_FTZ) == (sum->flags & IF_FTZ) && at < pc &&
	       w->g->block_of[at - first] == w->g->block_of[pc - first] && !written(w, mul->s[0], at, pc) &&
	       !written(w, mul->s[1], at, pc);
}
static bool all_fused(const struct work *w, opnd o)
{
	return w->reg[o].fused == w->reg[o].uses;
}

static void choose(struct work *w, u32 pc, u32 k)
{
	w->choice[pc - w->f->begin] = (u8)(k + 1);
	w->reg[w->f->code[pc].s[k]].fused++;
}
static void choose_all(struct work *w)
{
	for (u32 pc = w->f->begin; pc < w->f->end; pc++)
		for (u32 k = 0; k < 2 && is_sum(&w->f->code[pc]) && !w->choice[pc - w->f->begin]; k++)
			if (fits(w, pc, k))
				choose(w, pc, k);
	for (u32 pc = w->f->begin; pc < w->f->end; pc++) { /* products with other uses, too, leave it to the second one */
		const struct inst *sum = &w->f->code[pc];
		if (w->choice[pc - w->f->begin] != 1 || all_fused(w, sum->s[0]))
			continue;
		w->choice[pc - w->f->begin] = 0;
		if (fits(w, pc, 1))
			choose(w, pc, 1);
	}
}

static void fuse(struct inst *sum, const struct inst *mul, u32 k)
{
	const opnd addend = sum->s[1 - k];
	sum->mode = sum->op == OP_ADD ? FMA_PLAIN : k ? FMA_NEG_PRODUCT : FMA_NEG_ADDEND;
	sum->op = OP_FMA;
	sum->cls = sum->type == T_F64 ? IC_F64_MAD : IC_F32_MAD;
	sum->s[0] = mul->s[0];
	sum->s[1] = mul->s[1];
	sum->s[2] = addend;
}

void contract_run(const struct fn *f, const struct cfg *g)
{
	struct work w = {f, g, xcalloc(f->nregs + 1, sizeof(struct reg)), xcalloc(f->end - f->begin + 1, 1)};
	count(&w);
	choose_all(&w);
	for (u32 pc = f->begin; pc < f->end; pc++) {
		const u32 c = w.choice[pc - f->begin];
		if (c && all_fused(&w, f->code[pc].s[c - 1]))
			fuse(&f->code[pc], &f->code[w.reg[f->code[pc].s[c - 1]].pc], c - 1);
		else
			w.choice[pc - f->begin] = 0;
	}
	for (u32 r = 0; r < f->nregs; r++) {
		struct inst *mul = &f->code[w.reg[r].pc];
		if (!w.reg[r].fused || !all_fused(&w, r))
			continue;
		mul->op = OP_NOP;
		mul->flags |= IF_FOLDED;
		mul->d[0] = mul->s[0] = mul->s[1] = OPND_NONE;
	}
	free(w.reg);
	free(w.choice);
}
