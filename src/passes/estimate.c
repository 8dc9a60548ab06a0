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

void estimate_live(const struct fn *f, const struct liveness *l, u32 *live)
{
	u32 n = f->end - f->begin;
	s64 *delta = xcalloc(n + 1, sizeof(s64));
	bool *is_free = estimate_free(f);
	for (u32 i = 0; i < l->nsegs; i++) {
		const struct live_seg *s = &l->segs[i];
		if (is_free[s->reg] || f->vclass[s->reg] == VC_PRED)
			continue;
		s64 words = f->vclass[s->reg] == VC_64 ? 2 : 1;
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
