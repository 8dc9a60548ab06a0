#include "passes/estimate.h"
#include "conf/conf.h"

#include <stdlib.h>
#include <string.h>

u32 estimate_fixed(u32 era)
{
	return era == REGISTERS_NVCC4 ? 0 : ESTIMATE_FIXED;
}

/* Is the value of in's destination free, given which registers are free so far? */
static bool def_is_free(const struct inst *in, const bool *is_free)
{
	if (in->op == OP_LD)
		return in->space == SPC_PARAM;
	if (in->op == OP_CVTA)
		return !opnd_is_vreg(in->s[0]) || is_free[in->s[0]];
	return in->op == OP_MOV && !in->sreg && in->vec <= 1 && in->s[0] != OPND_NONE && !opnd_is_vreg(in->s[0]);
}

/* A register is free when all its definitions are. Definitions stand before uses in compiler output, so one pass finds
 * the cvta of a free register; another order only counts a register that need not be counted. */
bool *estimate_free(const struct fn *f)
{
	bool *is_free = xcalloc(f->nregs + 1, sizeof(bool)), *counted = xcalloc(f->nregs + 1, sizeof(bool));
	for (u32 pc = f->begin; pc < f->end; pc++) {
		const struct inst *in = &f->code[pc];
		for (u32 k = 0; k < 4; k++) {
			if (!opnd_is_vreg(in->d[k]))
				continue;
			counted[in->d[k]] |= !def_is_free(in, is_free);
			is_free[in->d[k]] = !counted[in->d[k]];
		}
	}
	free(counted);
	return is_free;
}

/* What an instruction asks of its 64-bit sources: a base of shared or local memory; a part of whatever its destination
 * is; or a value as wide as it is. */
enum use { USE_NARROW, USE_SAME, USE_WIDE };
static enum use use_of(const struct inst *in, u32 k)
{
	const bool local = in->space == SPC_SHARED || in->space == SPC_LOCAL;
	if (k == 0 && in->base_bytes == 8)
		return local ? USE_NARROW : USE_WIDE;
	const bool passes = in->op == OP_ADD || in->op == OP_SUB || in->op == OP_SHL || in->op == OP_MAD ||
	                    in->op == OP_MOV || in->op == OP_SELP;
	return passes && opnd_is_vreg(in->d[0]) && !opnd_is_vreg(in->d[1]) ? USE_SAME : USE_WIDE;
}

/* A register starts as narrow if it is used at all, and is wide as soon as a use or a destination is. */
bool *estimate_narrow(const struct fn *f)
{
	bool *narrow = xcalloc(f->nregs + 1, sizeof(bool));
	for (u32 pc = f->begin; pc < f->end; pc++)
		for (u32 k = 0; k < inst_nsrc(&f->code[pc]); k++) {
			const opnd o = inst_src(&f->code[pc], k);
			if (opnd_is_vreg(o))
				narrow[o] = f->vclass[o] == VC_64;
		}
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 pc = f->begin; pc < f->end; pc++) {
			const struct inst *in = &f->code[pc];
			for (u32 k = 0; k < inst_nsrc(in); k++) {
				const opnd o = inst_src(in, k);
				if (!opnd_is_vreg(o) || !narrow[o])
					continue;
				enum use u = use_of(in, k);
				if (u == USE_WIDE || (u == USE_SAME && !narrow[in->d[0]])) {
					narrow[o] = false;
					changed = true;
				}
			}
		}
	}
	return narrow;
}

void estimate_live(const struct fn *f, const struct liveness *l, const bool *narrow, u32 *live)
{
	u32 n = f->end - f->begin;
	s64 *delta = xcalloc(n + 1, sizeof(s64));
	bool *is_free = estimate_free(f);
	for (u32 i = 0; i < l->nsegs; i++) {
		const struct live_seg *s = &l->segs[i];
		if (is_free[s->reg] || f->vclass[s->reg] == VC_PRED)
			continue;
		s64 words = f->vclass[s->reg] == VC_64 && !(narrow && narrow[s->reg]) ? 2 : 1;
		/* Behind the instruction: the last use no longer counts, a definition does from its own pc on. */
		delta[s->from - f->begin] += words;
		delta[s->to - 1 - f->begin] -= words;
	}
	s64 sum = 0;
	for (u32 i = 0; i < n; i++) {
		sum += delta[i];
		live[i] = (u32)sum;
	}
	free(is_free);
	free(delta);
}
