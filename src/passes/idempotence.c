#include "passes/idempotence.h"

#include <stdlib.h>

#include "passes/roots.h"

const char *const idem_cause_names[IDEM_CAUSES] = {"atomic", "overwrite", "unknown address", "printf"};

struct access {
	u32 pc;
	u64 roots; /* never 0 */
	bool reads, writes;
};
/* A kernel with everything that it may call. */
struct closure {
	const struct module *m;
	bool *reached; /* functions */
	struct root_names names;
	struct access *accesses; /* of memory that may be global, in pc order within a function */
	u32 naccesses, cap;
};

static bool prints(const struct inst *in)
{
	return in->op == OP_CALL && in->flags & IF_VPRINTF;
}

/* May the call enter function k? */
static bool may_enter(const struct module *m, const struct inst *in, u32 k)
{
	if (in->op != OP_CALL || prints(in))
		return false;
	return in->flags & IF_INDIRECT ? !m->funcs[k].is_kernel : in->func == (s32)k;
}

static bool calls(const struct module *m, const struct func *f, u32 k)
{
	for (u32 pc = f->entry; f->has_calls && pc < f->end; pc++)
		if (may_enter(m, &m->code[pc], k))
			return true;
	return false;
}

static bool spread(struct closure *c)
{
	bool grown = false;
	for (u32 i = 0; i < c->m->nfuncs; i++)
		for (u32 k = 0; c->reached[i] && k < c->m->nfuncs; k++)
			if (!c->reached[k] && calls(c->m, &c->m->funcs[i], k))
				grown = c->reached[k] = true;
	return grown;
}

static void add_access(struct closure *c, const struct inst *in, u32 pc, u64 roots)
{
	bool global = in->space == SPC_GLOBAL || (in->space == SPC_GENERIC && roots != ROOT_CTA);
	bool loads = inst_is_load(in), stores = inst_is_store(in);
	bool atomic = in->op == OP_ATOM || in->op == OP_RED;
	if (!global || !(loads || stores || atomic))
		return;
	if (c->naccesses == c->cap) {
		c->cap = c->cap ? 2 * c->cap : 64;
		c->accesses = xrealloc(c->accesses, c->cap * sizeof(*c->accesses));
	}
	c->accesses[c->naccesses++] =
	    (struct access){.pc = pc, .roots = roots, .reads = loads || atomic, .writes = stores || atomic};
}

static bool collect(struct closure *c, const struct func *f, struct err *e)
{
	u64 *base = xcalloc(f->end - f->entry + 1, sizeof(u64));
	bool ok = f->entry == f->end || roots_find(c->m, f, &c->names, base, IDEM_BYTES_MAX, e);
	for (u32 pc = f->entry; ok && pc < f->end; pc++)
		add_access(c, &c->m->code[pc], pc, base[pc - f->entry]);
	free(base);
	return ok;
}

static bool may_meet(u64 a, u64 b)
{
	return a & b || (a | b) & ROOT_UNKNOWN;
}

/* Why a store may not be repeated; false when nothing reads what it writes. A named buffer is the better answer. */
static bool overwrites(const struct closure *c, const struct access *st, struct idem_point *x)
{
	*x = (struct idem_point){.pc = st->pc, .reads = IDEM_NO_PC, .cause = IDEM_UNKNOWN};
	for (u32 i = 0; i < c->naccesses; i++) {
		const struct access *ld = &c->accesses[i];
		if (!ld->reads || !may_meet(st->roots, ld->roots))
			continue;
		bool named = st->roots & ld->roots & ~(ROOT_UNKNOWN | ROOT_CTA);
		if (named || x->reads == IDEM_NO_PC)
			x->reads = ld->pc;
		if (named) {
			x->cause = IDEM_OVERWRITE;
			return true;
		}
	}
	return x->reads != IDEM_NO_PC;
}

static void add_point(struct idempotence *r, struct idem_point x)
{
	r->list = xrealloc(r->list, (r->npoints + 1) * sizeof(*r->list));
	r->list[r->npoints++] = x;
}

static int by_pc(const void *a, const void *b)
{
	const struct idem_point *x = a, *y = b;
	return x->pc < y->pc ? -1 : x->pc > y->pc;
}

static void find_points(struct idempotence *r, const struct closure *c)
{
	const struct module *m = c->m;
	for (u32 i = 0; i < c->naccesses; i++) {
		const struct access *a = &c->accesses[i];
		struct idem_point x = {.pc = a->pc, .cause = IDEM_ATOMIC, .reads = IDEM_NO_PC};
		if (a->writes && (a->reads || overwrites(c, a, &x)))
			add_point(r, x);
	}
	for (u32 k = 0; k < m->nfuncs; k++)
		for (u32 pc = m->funcs[k].entry; c->reached[k] && pc < m->funcs[k].end; pc++)
			if (prints(&m->code[pc]))
				add_point(r, (struct idem_point){.pc = pc, .cause = IDEM_PRINT, .reads = IDEM_NO_PC});
	if (r->npoints)
		qsort(r->list, r->npoints, sizeof(*r->list), by_pc);
	r->idempotent = !r->npoints;
}

static bool has_point(const struct idempotence *r, const struct func *f)
{
	for (u32 i = 0; i < r->npoints; i++)
		if (r->list[i].pc >= f->entry && r->list[i].pc < f->end)
			return true;
	return false;
}

/* Functions that contain a point or call one that does. */
static void find_tainted(const struct idempotence *r, const struct closure *c, bool *tainted)
{
	u32 n = c->m->nfuncs;
	for (u32 k = 0; k < n; k++)
		tainted[k] = has_point(r, &c->m->funcs[k]);
	for (bool grown = true; grown;) {
		grown = false;
		for (u32 i = 0; i < n; i++)
			for (u32 k = 0; c->reached[i] && !tainted[i] && k < n; k++)
				if (tainted[k] && calls(c->m, &c->m->funcs[i], k))
					grown = tainted[i] = true;
	}
}

/* The kernel's instructions that are points or calls which may lead to one: mark[pc - entry]. */
static void mark_points(const struct idempotence *r, const struct closure *c, const struct func *f, u8 *mark)
{
	bool *tainted = xcalloc(c->m->nfuncs, sizeof(bool));
	for (u32 i = 0; i < r->npoints; i++)
		if (r->list[i].pc >= f->entry && r->list[i].pc < f->end)
			mark[r->list[i].pc - f->entry] = 1;
	find_tainted(r, c, tainted);
	for (u32 k = 0; k < c->m->nfuncs; k++)
		for (u32 pc = f->entry; tainted[k] && f->has_calls && pc < f->end; pc++)
			mark[pc - f->entry] |= may_enter(c->m, &c->m->code[pc], k);
	free(tainted);
}

/* Forward: what a mark reaches. at_start[b] = a mark may have been passed at block b's start. */
static void spread_marks(struct idempotence *r, const struct cfg *g, const u8 *mark)
{
	u8 *at_start = xcalloc(g->nblocks, 1);
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 b = 0; b < g->nblocks; b++) {
			u8 passed = at_start[b];
			for (u32 pc = g->blocks[b].begin; pc < g->blocks[b].end; pc++) {
				r->may_follow[pc - r->entry] = passed;
				passed |= mark[pc - r->entry];
			}
			for (u32 i = 0; i < g->blocks[b].nsucc; i++) {
				u8 *to = &at_start[g->edges[g->blocks[b].succ + i]];
				changed |= passed > *to;
				*to |= passed;
			}
		}
	}
	free(at_start);
}

static void find_region(struct idempotence *r, const struct closure *c, const struct func *f)
{
	const struct fn fn = {.code = c->m->code, .begin = f->entry, .end = f->end, .tables = c->m->tables};
	u32 n = f->end - f->entry;
	u8 *mark = xcalloc(n, 1);
	struct cfg g;
	r->entry = f->entry;
	r->may_follow = xcalloc(n, 1);
	cfg_build(&g, &fn);
	mark_points(r, c, f, mark);
	spread_marks(r, &g, mark);
	for (u32 i = 0; i < n; i++)
		r->clean += !r->may_follow[i];
	cfg_release(&g);
	free(mark);
}

bool idempotence_find(struct idempotence *r, const struct module *m, const struct func *f, const struct idem_params *p,
                      struct err *e)
{
	struct closure c = {.m = m, .names = {.merged = p->params_may_alias}};
	bool ok = true;
	*r = (struct idempotence){0};
	if (!f->is_kernel || f->entry == f->end)
		return err_set(e, "%s is no kernel: whether it may be restarted depends on who calls it", f->name);
	c.reached = xcalloc(m->nfuncs, sizeof(bool));
	c.reached[f - m->funcs] = true;
	while (spread(&c))
		;
	for (u32 k = 0; k < m->nfuncs && ok; k++)
		ok = !c.reached[k] || collect(&c, &m->funcs[k], e);
	if (ok) {
		find_points(r, &c);
		find_region(r, &c, f);
	}
	free(c.accesses);
	free(c.reached);
	return ok;
}

void idempotence_release(struct idempotence *r)
{
	free(r->list);
	free(r->may_follow);
	*r = (struct idempotence){0};
}
