#include "passes/hints.h"

#include "passes/phases.h"
#include "passes/points.h"

static bool is_load(const struct inst *in)
{
	bool memory = in->cls == IC_GLOBAL || in->cls == IC_TEX || in->cls == IC_ATOMIC;
	return memory && in->n_sb_dst && !inst_is_store(in);
}

static void add_phases(struct code_hint *h, const struct module *m, const struct func *f, const struct phase_params *p)
{
	struct phases ph;
	phases_find(&ph, m, f, p);
	for (u32 pc = f->entry; pc < f->end; pc++) {
		u32 n = ph.phase_of[pc - f->entry];
		h[pc].phase = (u16)MIN(n, (u32)UINT16_MAX);
		h[pc].phase_distance = ph.distance[pc - f->entry];
		h[pc].flags |= ph.list[n].begin == pc ? HINT_PHASE_BEGIN : 0;
	}
	phases_release(&ph);
}

static void add_points(struct code_hint *h, const struct module *m, const struct func *f, const struct point_params *p)
{
	struct points pt;
	points_find(&pt, m, f, p);
	for (u32 pc = f->entry; pc < f->end; pc++) {
		h[pc].load_distance = (u16)points_distance(&pt, pc);
		h[pc].flags |= is_load(&m->code[pc]) ? HINT_LOAD : 0;
	}
	for (u32 i = 0; i < pt.nbranches; i++)
		h[pt.branches[i].pc].flags |= HINT_BRANCH | (pt.branches[i].recalculate ? HINT_RECALC : 0);
	points_release(&pt);
}

struct code_hint *hints_make(const struct conf *c, const struct module *m)
{
	struct code_hint *h = xcalloc(MAX(m->ncode, 1u), sizeof *h);
	struct phase_params phases;
	struct point_params points = {.max_points = c->elf_max_points, .max_score = c->elf_max_score};
	phase_params_of(&phases, c);
	for (u32 i = 0; i < m->nfuncs; i++) {
		const struct func *f = &m->funcs[i];
		if (f->entry == f->end)
			continue;
		add_phases(h, m, f, &phases);
		add_points(h, m, f, &points);
	}
	return h;
}
