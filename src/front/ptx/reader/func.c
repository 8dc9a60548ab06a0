/* Functions and kernels: header, directives, body, and the passes over a finished body. */
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/reader/loader.h"
#include "passes/cfg.h"
#include "passes/contract.h"
#include "passes/cost.h"
#include "passes/estimate.h"
#include "passes/liveness.h"
#include "passes/postdom.h"
#include "passes/regalloc.h"

/* --- header ------------------------------------------------------------------------------------------------------- */

static bool parse_dims3(struct loader *ld, u32 out[3])
{
	out[1] = out[2] = 1;
	for (u32 i = 0; i < 3; i++) {
		if (!ld_u32(ld, &out[i], "a number of threads", 1u << 20))
			return false;
		if (!ld_accept(ld, ','))
			break;
	}
	return true;
}

/* Directives between a header and its body. Cluster shapes and ABI hints have no counterpart in the model. */
static bool parse_tuning(struct loader *ld, u32 index)
{
	struct func *f = &ld->m->funcs[index];
	const struct token at = ld->tok;
	u32 skip[3];
	if (ld_accept_mod(ld, "maxntid"))
		return parse_dims3(ld, f->maxntid);
	if (ld_accept_mod(ld, "reqntid"))
		return parse_dims3(ld, f->reqntid);
	if (ld_accept_mod(ld, "minnctapersm"))
		return ld_u32(ld, &f->minnctapersm, "a number of CTAs", 1u << 20);
	if (ld_accept_mod(ld, "maxnreg"))
		return ld_u32(ld, &f->maxnreg, "a number of registers", 1u << 20);
	if (ld_accept_mod(ld, "maxnctapersm") || ld_accept_mod(ld, "maxclusterrank") || ld_accept_mod(ld, "abi_preserve") ||
	    ld_accept_mod(ld, "abi_preserve_control"))
		return ld_u32(ld, skip, "a number", UINT32_MAX);
	if (ld_accept_mod(ld, "reqnctapercluster"))
		return parse_dims3(ld, skip);
	if (ld_accept_mod(ld, "explicitcluster") || ld_accept_mod(ld, "blocksareclusters") || ld_accept_mod(ld, "noreturn"))
		return true;
	if (ld_accept_mod(ld, "pragma"))
		return skip_pragma(ld);
	return skip_directive(ld, index, &at, false);
}

static bool same_formals(const struct formal *a, u32 na, const struct formal *b, u32 nb)
{
	if (na != nb)
		return false;
	for (u32 i = 0; i < na; i++)
		if (a[i].size != b[i].size || a[i].offset != b[i].offset)
			return false;
	return true;
}

static void copy_params(struct func *f, const struct sig *sig)
{
	for (u32 i = 0; i < f->nparams; i++)
		free(f->params[i].name);
	free(f->params);
	f->params = xcalloc(MAX(sig->nin, 1u), sizeof(*f->params));
	f->nparams = sig->nin;
	for (u32 i = 0; i < sig->nin; i++) {
		const struct formal *p = &sig->in[i];
		f->params[i] =
		    (struct param){xstrndup(p->name.p, p->name.len), p->type, p->offset, p->size, p->align, p->is_pointer};
	}
	f->param_bytes = sig->in_bytes;
	f->ret_bytes = sig->out_bytes;
}

static s32 add_function(struct loader *ld, const struct token *name, bool is_kernel, u32 sig)
{
	struct name *n = name_declare(ld, name, N_FUNC);
	if (!n)
		return -1;
	n->index = ld->m->nfuncs;
	struct func *f = PUSH(ld->m->funcs, ld->m->nfuncs);
	struct finfo *i = PUSH(ld->finfo, ld->nfinfo);
	f->name = xstrndup(name->p, name->len);
	f->is_kernel = is_kernel;
	f->line = name->line;
	copy_params(f, &ld->sigs[sig]);
	linkage_share(ld, name);
	*i = (struct finfo){.at = *name, .sig = sig, .alias = -1};
	return (s32)ld->m->nfuncs - 1;
}

static void differs(struct loader *ld, const struct token *name, const struct token *before)
{
	const struct module_part *a = module_part_of(ld->m, name->line), *b = module_part_of(ld->m, before->line);
	const u32 line = before->line - b->before;
	if (a == b)
		ld_fail(ld, name, "'%s' is declared differently at line %u", TEXT(name), line);
	else
		ld_fail(ld, name, "'%s' is declared differently at %s:%u", TEXT(name), b->path, line);
}

/* Is it declared before, in this file or, with a linking directive, in an earlier one? */
static bool known_function(struct loader *ld, const struct token *name, u32 *i)
{
	const u32 old = names_get(&ld->scopes[0].map, name->p, name->len);
	const struct name *shared = linkage_find(ld, name);
	if (old != NAMES_NONE && ld->names[old].kind == N_FUNC) {
		*i = ld->names[old].index;
		if (shared && shared->index != *i)
			return ld_fail(ld, name,
			               "'%s' is this file's own by its declaration at line %u, without .visible or .extern",
			               TEXT(name), module_line_in_file(ld->m, ld->names[old].at.line));
		linkage_share(ld, name);
		return true;
	}
	if (old != NAMES_NONE || !shared)
		return false;
	if (shared->kind != N_FUNC)
		return differs(ld, name, &shared->at), false;
	*i = shared->index;
	struct name *n = name_declare(ld, name, N_FUNC);
	if (n)
		n->index = *i;
	return n;
}

/* The function's index: new, or that of a forward declaration with the same parameters. -1 with an error. */
static s32 declare_function(struct loader *ld, const struct token *name, bool is_kernel, u32 sig)
{
	u32 i;
	if (!known_function(ld, name, &i))
		return ld->failed ? -1 : add_function(ld, name, is_kernel, sig);
	const struct sig *a = &ld->sigs[ld->finfo[i].sig], *b = &ld->sigs[sig];
	if (ld->m->funcs[i].is_kernel != is_kernel || !same_formals(a->in, a->nin, b->in, b->nin) ||
	    !same_formals(a->out, a->nout, b->out, b->nout)) {
		differs(ld, name, &ld->finfo[i].at);
		return -1;
	}
	if (!ld->finfo[i].defined) { /* the definition's parameter names count */
		ld->finfo[i].sig = sig;
		copy_params(&ld->m->funcs[i], &ld->sigs[sig]);
	}
	return (s32)i;
}

static bool declare_params(struct loader *ld, const struct formal *list, u32 n, enum space space)
{
	for (u32 i = 0; i < n; i++) {
		if (list[i].is_reg || (list[i].name.len == 1 && *list[i].name.p == '_'))
			continue;
		struct name *p = name_declare(ld, &list[i].name, N_PARAM);
		if (!p)
			return false;
		p->space = space;
		p->type = list[i].type;
		p->offset = list[i].offset;
		p->size = list[i].size;
	}
	return true;
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

static void add_regnames(struct loader *ld, const struct fn *f, const struct regalloc *ra, const struct liveness *l)
{
	struct module *m = ld->m;
	for (u32 r = 0; r < f->nregs; r++) {
		if (ra->index[r] == UINT32_MAX || !ld->vnames[r].p)
			continue;
		struct regname *n = PUSH(m->regnames, m->nregnames);
		n->name = xstrndup(ld->vnames[r].p, ld->vnames[r].len);
		n->type = ld->vnames[r].type;
		n->func = (u32)ld->fn;
		n->at = regalloc_opnd(ra, f, r);
		n->sb = regalloc_sb(ra, f, r);
		n->live_from = l->segs[l->first[r]].from;
		n->live_to = l->segs[l->first[r + 1] - 1].to;
	}
}

static void note_live(struct loader *ld, const struct fn *f, const struct liveness *l)
{
	u32 *live = xmalloc((f->end - f->begin) * sizeof(u32)), most = 0;
	bool *narrow = ld->schedule && ld->schedule->narrow ? estimate_narrow(f) : NULL;
	estimate_live(f, l, narrow, live);
	free(narrow);
	for (u32 i = 0; i < f->end - f->begin; i++)
		most = MAX(most, live[i]);
	for (u32 i = ld->nedges; i-- > 0 && ld->edges[i].caller == (u32)ld->fn;)
		ld->edges[i].live = live[ld->edges[i].inst - f->begin];
	ld->finfo[ld->fn].max_live = ld->m->funcs[ld->fn].max_live = most;
	free(live);
}

static bool allocate(struct loader *ld, const struct fn *f, const struct liveness *l, struct err *e)
{
	struct func *fn = &ld->m->funcs[ld->fn];
	struct regalloc ra;
	bool ok = regalloc_run(&ra, f, l, e);
	if (ok) {
		fn->pred_bytes = regalloc_pred_bytes(&ra);
		fn->frame_bytes = regalloc_frame_bytes(&ra);
		fn->sb_ids = ra.npreds + ra.nslots;
		fn->wide_slots = ra.wide_slots;
		add_regnames(ld, f, &ra, l);
		regalloc_apply(&ra, f);
	}
	regalloc_release(&ra);
	return ok;
}

/* Liveness, list scheduling, liveness of the new order, registers. An order that would need more registers than it may
 * (the scheduler sees one block at a time) or more scoreboard ids than there are is taken back. */
static bool order_and_allocate(struct loader *ld, const struct fn *f, const struct cfg *g, struct err *e)
{
	struct liveness l;
	struct reorder r = {0};
	bool ok = liveness_compute(&l, f, g, e);
	if (ok) {
		note_live(ld, f, &l);
		reorder_code(ld, f, g, &l, &r);
	}
	if (r.pcs) {
		struct err unused = {0};
		struct liveness moved;
		bool done = liveness_compute(&moved, f, g, &unused) && schedule_fits(&r.limits, f, &moved) &&
		            allocate(ld, f, &moved, &unused);
		liveness_release(&moved);
		if (!done)
			reorder_undo(ld, f, &r);
	}
	if (ok && !r.pcs)
		ok = allocate(ld, f, &l, e);
	reorder_release(&r);
	liveness_release(&l);
	return ok;
}

static bool run_passes(struct loader *ld)
{
	struct func *fn = &ld->m->funcs[ld->fn];
	struct fn f = {ld->m->code, fn->entry, fn->end, ld->m->tables, ld->vclass, ld->nvclass, ld->carry};
	struct cfg g;
	struct err e = {0};
	cfg_build(&g, &f);
	postdom_set_reconv(&f, &g);
	if (ld->schedule && ld->schedule->contract)
		contract_run(&f, &g);
	cost_run(&f);
	bool ok = order_and_allocate(ld, &f, &g, &e);
	cfg_release(&g);
	return ok ||
	       ld_fail(ld, &ld->finfo[ld->fn].at, "%s '%s': %s", fn->is_kernel ? "kernel" : "function", fn->name, e.msg);
}

/* --- body --------------------------------------------------------------------------------------------------------- */

static void begin_function(struct loader *ld, s32 index)
{
	const struct sig *sig = &ld->sigs[ld->finfo[index].sig];
	struct func *f = &ld->m->funcs[index];
	ld->fn = index;
	ld->names_mark = ld->nnames;
	ld->carry = OPND_NONE;
	ld->cuda_line = ld->cuda_file = 0;
	ld->nbarriers = 0;
	ld->odd_regs = false;
	ld->nvclass = ld->nvnames = ld->nrefs = ld->nreg_out = 0;
	ld->fparam_used = f->is_kernel ? 0 : (u32)round_up(sig->in_bytes + sig->out_bytes, 16);
	ld->fparam_max = ld->fparam_used;
	f->entry = ld->m->ncode;
	ld->finfo[index].defined = true;
	scope_open(ld);
}

static void end_function(struct loader *ld)
{
	ld->nnames = ld->names_mark;
	ld->fn = -1;
}

static bool check_labels(struct loader *ld)
{
	if (!ld->nrefs)
		return true;
	const struct token *at = &ld->refs[0].at;
	return ld_fail(ld, at, "label '%s' is not defined in %s", TEXT(at), ld->m->funcs[ld->fn].name);
}

static bool parse_definition(struct loader *ld, s32 index)
{
	const struct sig sig = ld->sigs[ld->finfo[index].sig];
	enum space in_space = ld->m->funcs[index].is_kernel ? SPC_PARAM : SPC_FPARAM;
	begin_function(ld, index);
	u32 begin = ld->m->ncode;
	bool ok = declare_params(ld, sig.in, sig.nin, in_space) && declare_params(ld, sig.out, sig.nout, SPC_FPARAM) &&
	          load_reg_params(ld, &sig) && stack_begin(ld) && parse_body(ld);
	if (!ok)
		return false;
	scope_close(ld); /* branches know their targets now */
	if (!finish_body(ld, begin))
		return false;
	struct func *f = &ld->m->funcs[index];
	f->end = ld->m->ncode;
	f->fparam_bytes = (u32)round_up(ld->fparam_max, 16);
	f->nbarriers = ld->nbarriers;
	if (!check_labels(ld) || !run_passes(ld))
		return false;
	end_function(ld);
	return ld_expect(ld, '}');
}

static bool reg_in_kernel(struct loader *ld, const struct sig *sig)
{
	for (u32 i = 0; i < sig->nin; i++)
		if (sig->in[i].is_reg)
			return ld_fail(ld, &sig->in[i].name, "a kernel's parameters must be .param");
	return true;
}

bool parse_function(struct loader *ld, bool is_kernel, bool is_extern)
{
	struct token name;
	u32 sig = ld->nsigs;
	(void)PUSH(ld->sigs, ld->nsigs);
	struct sig parsed;
	bool ok = parse_signature(ld, is_kernel, false, &parsed, &name);
	ld->sigs[sig] = parsed;
	if (!ok || (is_kernel && !reg_in_kernel(ld, &parsed)))
		return false;
	s32 index = declare_function(ld, &name, is_kernel, sig);
	if (index < 0)
		return false;
	while (ld->tok.kind == TK_MOD)
		if (!parse_tuning(ld, (u32)index))
			return false;
	if (ld_accept(ld, ';')) {
		ld->finfo[index].is_extern |= is_extern;
		return true;
	}
	if (linkage_overruled(ld, &name))
		return tok_is(&ld->tok, '{') ? linkage_skip_body(ld) : ld_expected(ld, "'{'");
	if (ld->finfo[index].defined)
		return ld_fail(ld, &name, "'%s' is defined twice (first at line %u)", TEXT(&name),
		               module_line_in_file(ld->m, ld->finfo[index].at.line));
	ld->finfo[index].at = name;
	ld->finfo[index].is_extern = false;
	ld->m->funcs[index].line = name.line;
	if (!ld_expect(ld, '{'))
		return false;
	return parse_definition(ld, index);
}
