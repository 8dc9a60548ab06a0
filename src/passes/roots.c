#include "passes/roots.h"

#include <stdlib.h>
#include <string.h>

/* Forward data flow over register slots: roots[slot] at each block's start, joined by or. Predicates hold no address.
 */
struct flow {
	const struct module *m;
	const struct func *f;
	struct root_names *names;
	struct cfg g;
	u32 nslots;
	u64 *in;  /* in[block * nslots + slot] */
	u64 *now; /* while a block is walked */
};

static u64 root_of(struct root_names *names, s64 key)
{
	if (names->merged)
		return 1;
	for (u32 i = 0; i < names->n; i++)
		if (names->key[i] == key)
			return 1ull << i;
	if (names->n == ROOT_BUFFERS)
		return ROOT_UNKNOWN;
	names->key[names->n] = key;
	return 1ull << names->n++;
}

/* An immediate: the address of a variable is known only when the module is placed, and is a fix until then. */
static u64 pool_roots(struct flow *w, opnd o)
{
	const struct module *m = w->m;
	for (u32 i = 0; i < m->nfixes; i++) {
		const struct pool_fix *x = &m->fixes[i];
		if (x->at != (o & ~OPND_POOL) || x->sym < 0)
			continue;
		bool global = m->symbols[x->sym].space == SPC_GLOBAL || m->symbols[x->sym].space == SPC_CONST;
		return global ? root_of(w->names, -1 - (s64)x->sym) : 0;
	}
	return 0;
}

static u64 opnd_roots(struct flow *w, opnd o)
{
	if (o == OPND_NONE)
		return 0;
	if (o & OPND_POOL)
		return pool_roots(w, o);
	return o < w->f->pred_bytes ? 0 : w->now[(o - w->f->pred_bytes) / 128];
}

static void assign(struct flow *w, opnd o, u64 roots, bool keep_old)
{
	if (o == OPND_NONE || o < w->f->pred_bytes)
		return;
	u64 *slot = &w->now[(o - w->f->pred_bytes) / 128];
	*slot = keep_old ? *slot | roots : roots;
}

/* Operations whose result may point where a source points. */
static bool carries(const struct inst *in)
{
	switch (in->op) {
	case OP_MOV:
	case OP_ADD:
	case OP_ADDC:
	case OP_SUB:
	case OP_SUBC:
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_NOT:
	case OP_LOP3:
	case OP_SELP:
	case OP_SLCT:
	case OP_MIN:
	case OP_MAX:
	case OP_CVT:
	case OP_CVTA:
	case OP_PRMT:
	case OP_BFI:
	case OP_BFE:
	case OP_SHFL: return true;
	default: return false;
	}
}

static bool is_load(const struct inst *in)
{
	return inst_is_load(in) || in->op == OP_ATOM;
}

/* Element k of a load. */
static u64 loaded_roots(struct flow *w, const struct inst *in, u32 k)
{
	if (ptype_bytes((enum ptype)in->type) < 8)
		return 0;
	if (in->space == SPC_PARAM && in->s[0] == OPND_NONE && w->f->is_kernel)
		return root_of(w->names, in->imm + 8 * (s64)k);
	return ROOT_UNKNOWN;
}

static u64 result_roots(struct flow *w, const struct inst *in)
{
	u64 roots = 0;
	if (in->op == OP_CVTA && !(in->flags & IF_CVTA_TO) && (in->space == SPC_SHARED || in->space == SPC_LOCAL))
		return ROOT_CTA;
	/* Of a multiply-add only what is added can be an address. */
	if (in->op == OP_MAD || in->op == OP_MADC || in->op == OP_MAD24)
		return opnd_roots(w, in->s[2]);
	for (u32 k = 0; carries(in) && k < ARRAY_LEN(in->s); k++)
		roots |= opnd_roots(w, in->s[k]);
	return roots;
}

static void step(struct flow *w, const struct inst *in)
{
	u64 roots = is_load(in) ? 0 : result_roots(w, in);
	for (u32 k = 0; k < inst_ndst(in); k++)
		assign(w, inst_dst(in, k), is_load(in) ? loaded_roots(w, in, k) : roots, in->guard != OPND_NONE);
}

static bool join(u64 *to, const u64 *from, u32 n)
{
	u64 grown = 0;
	for (u32 i = 0; i < n; i++) {
		grown |= from[i] & ~to[i];
		to[i] |= from[i];
	}
	return grown;
}

static void walk(struct flow *w, u32 b, u64 *base)
{
	const struct block *bl = &w->g.blocks[b];
	memcpy(w->now, &w->in[(size_t)b * w->nslots], w->nslots * sizeof(u64));
	for (u32 pc = bl->begin; pc < bl->end; pc++) {
		const struct inst *in = &w->m->code[pc];
		bool memory = is_load(in) || inst_is_store(in) || in->op == OP_RED;
		if (base && memory) {
			u64 roots = opnd_roots(w, inst_src(in, 0));
			base[pc - w->f->entry] = roots ? roots : ROOT_UNKNOWN;
		}
		step(w, in);
	}
}

static void solve(struct flow *w)
{
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 b = 0; b < w->g.nblocks; b++) {
			const struct block *bl = &w->g.blocks[b];
			walk(w, b, NULL);
			for (u32 i = 0; i < bl->nsucc; i++)
				changed |= join(&w->in[(size_t)w->g.edges[bl->succ + i] * w->nslots], w->now, w->nslots);
		}
	}
}

bool roots_find(const struct module *m, const struct func *f, struct root_names *names, u64 *base, u64 max_bytes,
                struct err *e)
{
	const struct fn fn = {.code = m->code, .begin = f->entry, .end = f->end, .tables = m->tables};
	struct flow w = {.m = m, .f = f, .names = names, .nslots = (f->frame_bytes - f->pred_bytes) / 128};
	cfg_build(&w.g, &fn);
	u64 cells = (u64)w.g.nblocks * w.nslots;
	bool ok = cells <= max_bytes / sizeof(u64);
	if (ok) {
		w.in = xcalloc(cells + 1, sizeof(u64));
		w.now = xcalloc(w.nslots + 1, sizeof(u64));
		solve(&w);
		for (u32 b = 0; b < w.g.nblocks; b++)
			walk(&w, b, base);
	} else {
		err_set(e, "%s: following its addresses needs more than %llu MiB (%u basic blocks, %u registers)", f->name,
		        (unsigned long long)(max_bytes >> 20), w.g.nblocks, w.nslots);
	}
	free(w.in);
	free(w.now);
	cfg_release(&w.g);
	return ok;
}
