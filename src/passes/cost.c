#include "passes/cost.h"

#include <stdlib.h>

static bool is_int64(enum ptype t)
{
	return t == T_B64 || t == T_U64 || t == T_S64;
}

/* Every 64-bit integer division is a call of one routine whose frame costs 4. */
static u32 cost_div(const struct inst *in)
{
	switch (in->type) {
	case T_S32: return 25;
	case T_U32: return 18;
	case T_S64:
	case T_U64: return 4;
	case T_F32: return in->flags & IF_APPROX ? (in->flags & IF_FTZ ? 2 : 5) : 11;
	case T_F64: return 16;
	default: return 1;
	}
}

static u32 cost_rem(const struct inst *in)
{
	switch (in->type) {
	case T_S32: return 22;
	case T_U32: return 17;
	case T_S64:
	case T_U64: return 4;
	default: return 1;
	}
}

static u32 cost_special(const struct inst *in)
{
	bool approx = in->flags & IF_APPROX, ftz = in->flags & IF_FTZ, f32 = in->type == T_F32;
	switch (in->op) {
	case OP_SQRT: return f32 ? (approx ? (ftz ? 1 : 4) : 11) : approx ? 1 : 18;
	case OP_RCP: return f32 ? (approx ? (ftz ? 1 : 7) : 12) : approx ? 1 : 13;
	case OP_RSQRT:
	case OP_EX2:
	case OP_LG2: return f32 && !ftz ? 4 : 1;
	case OP_SIN:
	case OP_COS: return 2;
	default: return 1;
	}
}

/* Constant moves and plain copies; reading a special register needs an instruction, packing halves of a word too. */
static u32 cost_mov(const struct inst *in)
{
	return in->sreg || (in->vec > 1 && ptype_bytes(in->type) < 4u * in->vec);
}

static u32 cost_of(const struct inst *in)
{
	switch (in->op) {
	case OP_ADD:
	case OP_SUB:
	case OP_SHL: return is_int64(in->type) ? 2 : 1;
	case OP_AND:
	case OP_OR:
	case OP_XOR: return in->type == T_PRED ? 0 : is_int64(in->type) ? 2 : 1;
	case OP_NOT: return in->type != T_PRED;
	case OP_MOV: return cost_mov(in);
	case OP_CVTA:
	case OP_NEG:
	case OP_SULD: /* the address is the ld's or st's that follows */
	case OP_SUST: return 0;
	case OP_ABS: return !(in->type == T_F32 || in->type == T_F64);
	case OP_LD: return in->space != SPC_PARAM && in->space != SPC_FPARAM;
	case OP_MUL: return is_int64(in->type) && in->mode == MUL_LO ? 4 : 1;
	case OP_MIN:
	case OP_MAX: return in->type == T_F64 ? 6 : is_int64(in->type) ? 4 : 1;
	case OP_DIV: return cost_div(in);
	case OP_REM: return cost_rem(in);
	case OP_BFI: return opnd_is_vreg(in->s[2]) || opnd_is_vreg(in->s[3]) ? 6 : 1;
	case OP_ALLOCA: /* a subtraction and an alignment */
	case OP_CLZ: return 2;
	default: return cost_special(in);
	}
}

/* An unguarded jump to the next block is layout, not code; behind a conditional branch it issues together with it
 * (clang writes every two-way branch so), unless something else jumps to it. */
static bool bra_is_free(const struct fn *f, u32 pc, const bool *is_target)
{
	const struct inst *in = &f->code[pc];
	if (in->op != OP_BRA || in->guard != OPND_NONE)
		return false;
	if (in->target == (s32)pc + 1)
		return true;
	return pc > f->begin && f->code[pc - 1].op == OP_BRA && f->code[pc - 1].guard != OPND_NONE &&
	       !is_target[pc - f->begin];
}

static bool *find_targets(const struct fn *f)
{
	bool *is_target = xcalloc(f->end - f->begin + 1, sizeof(bool));
	for (u32 pc = f->begin; pc < f->end; pc++) {
		const struct inst *in = &f->code[pc];
		if (in->op == OP_BRA)
			is_target[(u32)in->target - f->begin] = true;
		if (in->op == OP_BRX)
			for (u32 k = 0; k < f->tables[in->table].n; k++)
				is_target[f->tables[in->table].pc[k] - f->begin] = true;
	}
	return is_target;
}

struct count {
	u32 defs, uses;
	u32 block; /* number of jump-free runs before the last definition */
	bool wide; /* it is a mul.wide of 32-bit values */
};

static bool starts_run(const struct fn *f, u32 pc, const bool *is_target)
{
	return is_target[pc - f->begin] ||
	       (pc > f->begin && (f->code[pc - 1].op == OP_BRA || f->code[pc - 1].op == OP_BRX));
}

static struct count *count_regs(const struct fn *f, const bool *is_target)
{
	struct count *c = xcalloc(f->nregs + 1, sizeof(*c));
	u32 block = 0;
	for (u32 pc = f->begin; pc < f->end; pc++) {
		const struct inst *in = &f->code[pc];
		block += starts_run(f, pc, is_target);
		for (u32 k = 0; k < inst_ndst(in); k++)
			if (opnd_is_vreg(inst_dst(in, k))) {
				struct count *d = &c[inst_dst(in, k)];
				d->defs++;
				d->block = block;
				d->wide = in->op == OP_MUL && in->mode == MUL_WIDE && ptype_bytes(in->type) == 4;
			}
		for (u32 k = 0; k < inst_nsrc(in); k++)
			if (opnd_is_vreg(inst_src(in, k)))
				c[inst_src(in, k)].uses++;
	}
	return c;
}

/* Only within a block: a product computed before a loop and added in it saves no instruction of the loop. */
static bool is_fused(const struct count *c, opnd o, u32 block)
{
	return opnd_is_vreg(o) && c[o].wide && c[o].defs == 1 && c[o].uses == 1 && c[o].block == block;
}

void cost_run(const struct fn *f)
{
	bool *is_target = find_targets(f);
	struct count *counts = count_regs(f, is_target);
	u32 block = 0;
	for (u32 pc = f->begin; pc < f->end; pc++) {
		struct inst *in = &f->code[pc];
		block += starts_run(f, pc, is_target);
		in->cost = (u8)cost_of(in);
		if (bra_is_free(f, pc, is_target) || (in->op == OP_NOP && in->flags & IF_FOLDED))
			in->cost = 0;
		bool add64 = in->op == OP_ADD && is_int64(in->type) && in->guard == OPND_NONE;
		if (add64 && (is_fused(counts, in->s[0], block) || is_fused(counts, in->s[1], block))) {
			in->flags |= IF_FOLDED;
			in->cost = 0;
		}
	}
	free(is_target);
	free(counts);
}
