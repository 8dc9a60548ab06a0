/* The order in which a function's instructions stand: list scheduling applied to what the loader keeps by pc. Jumps,
 * calls and labels do not move, so only the places in the text and the address fixes follow. */
#include <stdlib.h>
#include <string.h>

#include "front/ptx/reader/loader.h"
#include "passes/schedule.h"

/* The constant that an operand in the pool will be; addresses are not known yet. */
static bool known_constant(void *ctx, opnd o, u64 *v)
{
	const struct loader *ld = ctx;
	u32 at = o & ~OPND_POOL, lo = 0, hi = ld->ncsts;
	while (lo < hi) { /* entries are made at rising places */
		u32 mid = lo + (hi - lo) / 2;
		if (ld->csts[mid].at < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == ld->ncsts || ld->csts[lo].at != at)
		return false;
	const struct cst *c = &ld->csts[lo];
	*v = c->value;
	return c->sym < 0 && c->func < 0 && c->owner < 0;
}

/* Address fixes are appended as the text is read: the function's own are the last ones. */
static u32 first_fix(const struct loader *ld, const struct fn *f)
{
	u32 i = ld->nabs_fixes;
	while (i > 0 && ld->abs_fixes[i - 1].inst >= f->begin)
		i--;
	return i;
}

static u32 *symbols_by_pc(const struct loader *ld, const struct fn *f, u32 first)
{
	u32 *symbol = xmalloc((f->end - f->begin) * sizeof(u32));
	memset(symbol, 0xff, (f->end - f->begin) * sizeof(u32));
	for (u32 i = first; i < ld->nabs_fixes; i++)
		symbol[ld->abs_fixes[i].inst - f->begin] = ld->abs_fixes[i].sym;
	return symbol;
}

/* pcs[i] = where the instruction that comes to begin + i stands now. */
static void move(struct loader *ld, const struct fn *f, const u32 *pcs, u32 fixes)
{
	u32 n = f->end - f->begin;
	struct inst *code = xmalloc(n * sizeof *code);
	struct place *at = xmalloc(n * sizeof *at);
	u32 *to = xmalloc(n * sizeof *to);
	memcpy(code, &f->code[f->begin], n * sizeof *code);
	memcpy(at, &ld->inst_at[f->begin], n * sizeof *at);
	for (u32 i = 0; i < n; i++) {
		f->code[f->begin + i] = code[pcs[i] - f->begin];
		ld->inst_at[f->begin + i] = at[pcs[i] - f->begin];
		to[pcs[i] - f->begin] = f->begin + i;
	}
	for (u32 i = fixes; i < ld->nabs_fixes; i++)
		ld->abs_fixes[i].inst = to[ld->abs_fixes[i].inst - f->begin];
	free(code);
	free(at);
	free(to);
}

void reorder_code(struct loader *ld, const struct fn *f, const struct cfg *g, const struct liveness *l,
                  struct reorder *r)
{
	const struct schedule_params *p = ld->schedule;
	const struct func *fn = &ld->m->funcs[ld->fn];
	*r = (struct reorder){.first_fix = first_fix(ld, f)};
	if (!p || !p->on)
		return;
	r->limits = schedule_limits_of(p, f, l, fn->is_kernel, fn->maxnreg);
	u32 *symbol = symbols_by_pc(ld, f, r->first_fix);
	struct depend_facts facts = {.ctx = ld, .constant = known_constant, .symbol_at = symbol, .slot_each = p->slot_each};
	memcpy(facts.latency, p->latency, sizeof facts.latency);
	r->pcs = schedule_order(f, g, l, &r->limits, &facts);
	if (r->pcs)
		move(ld, f, r->pcs, r->first_fix);
	free(symbol);
}

void reorder_undo(struct loader *ld, const struct fn *f, struct reorder *r)
{
	u32 n = f->end - f->begin;
	u32 *back = xmalloc(n * sizeof *back);
	for (u32 i = 0; i < n; i++)
		back[r->pcs[i] - f->begin] = f->begin + i;
	move(ld, f, back, r->first_fix);
	free(back);
	reorder_release(r);
}

void reorder_release(struct reorder *r)
{
	free(r->pcs);
	r->pcs = NULL;
}
