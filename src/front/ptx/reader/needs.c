/* What a kernel needs of its machine: the first target that has all its matrix instructions. */
#include <stdlib.h>

#include "front/ptx/reader/graph.h"
#include "ir/wide.h"

static bool is_fp8(const struct inst *in)
{
	return in->op == OP_CVT &&
	       (in->type == T_E4M3X2 || in->type == T_E5M2X2 || in->stype == T_E4M3X2 || in->stype == T_E5M2X2);
}
/* Instructions that say themselves which target has them first. */
static bool needs_word(const struct inst *in)
{
	return in->op == OP_MBARRIER || in->op == OP_MBARRIER_COUNT || in->op == OP_CP_ARRIVE || in->op == OP_GRIDDEP ||
	       (in->op == OP_MEMBAR && in->cmp) || in->op == OP_ATOM || in->op == OP_RED;
}
static u32 sm_of(const struct inst *in)
{
	if (in->flags & IF_UNSUPPORTED)
		return 0;
	return in->wide                                          ? in->wide->need_sm
	       : in->op == OP_LDMATRIX || in->op == OP_MOVMATRIX ? 75
	       : in->op == OP_CP_ASYNC                           ? 80
	       : in->op == OP_STMATRIX                           ? 90
	       : is_fp8(in)                                      ? 89
	       : needs_word(in)                                  ? in->cmp
	                                                         : 0;
}
static void raise_need(struct func *f, const struct func *of)
{
	if (of->need_sm > f->need_sm) {
		f->need_sm = of->need_sm;
		f->need_pc = of->need_pc;
	}
}
void spread_needs(struct loader *ld, struct graph *g)
{
	struct module *m = ld->m;
	bool any = false;
	for (u32 i = 0; i < m->nfuncs; i++)
		for (u32 pc = m->funcs[i].entry; pc < m->funcs[i].end; pc++) {
			raise_need(&m->funcs[i], &(struct func){.need_sm = sm_of(&m->code[pc]), .need_pc = pc});
			any |= m->funcs[i].need_sm != 0;
		}
	if (!any)
		return;
	u32 *reach = xmalloc(m->nfuncs * sizeof(u32));
	struct func *own = xmalloc(m->nfuncs * sizeof *own);
	for (u32 i = 0; i < m->nfuncs; i++)
		own[i] = m->funcs[i];
	for (u32 i = 0; i < m->nfuncs; i++) {
		const u32 n = graph_reach(g, i, reach);
		for (u32 k = 0; k < n; k++)
			raise_need(&m->funcs[i], &own[reach[k]]);
	}
	free(own);
	free(reach);
}
