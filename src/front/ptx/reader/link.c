/* The end of a module: memory layout, figures of kernels with their callees, constants, execution functions. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "front/ptx/reader/graph.h"
#include "front/ptx/reader/lower.h"
#include "front/ptx/ptx.h"
#include "front/ptx/runtime/state.h"
#include "passes/spin.h"
#include "passes/estimate.h"

#define REGS_MAX 255         /* per thread; the assembler spills beyond */
#define SHARED_VARS_MAX 8192 /* static shared variables in a module: their layout compares every pair */

struct layout {
	struct loader *ld;
	struct graph g;
	u32 *reach;                              /* scratch */
	u64 *local_at, *local_own, *local_align; /* per function */
	u32 *chain;                              /* per function: counted registers live down the deepest chain of calls */
};

/* --- local memory ----------------------------------------------------------------------------------------------------
 *
 * A thread's local memory is laid out statically: a function's variables lie behind those of all its callers. So an
 * address does not depend on the way a function was reached. Functions on a cycle of calls can be there several times:
 * each of their activations has its own place behind all of these, which follows from where its registers' frame is.
 * No two live activations of a lane share a frame, and the next one begins at least the caller's frame behind it. So
 * with the smallest of these frames as unit, `local_step` bytes for each unit are enough for all. */

static void own_frames(struct layout *x)
{
	struct module *m = x->ld->m;
	for (u32 i = 0; i < m->nsymbols; i++) {
		struct symbol *s = &m->symbols[i];
		if (s->space != SPC_LOCAL)
			continue;
		s->addr = round_up(x->local_own[s->func], s->align);
		x->local_own[s->func] = s->addr + s->size;
		x->local_align[s->func] = MAX(x->local_align[s->func], (u64)s->align);
	}
	for (u32 f = 0; f < x->g.n; f++)
		x->local_own[f] = round_up(x->local_own[f], 16);
}

static bool check_local(struct layout *x)
{
	struct loader *ld = x->ld;
	for (u32 f = 0; f < x->g.n; f++) {
		if (x->local_at[f] + x->local_own[f] > NARROW_BYTES_MAX)
			return ld_fail(ld, &ld->finfo[f].at, "'%s' and its callers have more than %llu bytes of .local variables",
			               ld->m->funcs[f].name, (unsigned long long)NARROW_BYTES_MAX);
	}
	return true;
}

static u64 static_own(const struct layout *x, u32 f)
{
	return x->g.in_cycle[f] ? 0 : x->local_own[f];
}

/* The end of the variables that have one place each, in kernels that reach a function with others. */
static u64 fixed_end(struct layout *x)
{
	u64 most = 0;
	for (u32 k = 0; k < x->g.n; k++) {
		if (!x->ld->m->funcs[k].is_kernel)
			continue;
		const u32 n = graph_reach(&x->g, k, x->reach);
		bool grows = false;
		u64 end = 0;
		for (u32 i = 0; i < n; i++) {
			const u32 f = x->reach[i];
			grows |= x->local_own[f] > static_own(x, f);
			if (static_own(x, f))
				end = MAX(end, x->local_at[f] + static_own(x, f));
		}
		most = grows ? MAX(most, end) : most;
	}
	return most;
}

static void layout_activations(struct layout *x)
{
	struct module *m = x->ld->m;
	u64 align = 16;
	for (u32 f = 0; f < x->g.n; f++) {
		if (!x->g.in_cycle[f] || !x->local_own[f])
			continue;
		const u32 frame = (u32)frame_size(&m->funcs[f]);
		m->funcs[f].local_own = (u32)x->local_own[f];
		m->local_unit = m->local_unit ? MIN(m->local_unit, frame) : frame;
		align = MAX(align, x->local_align[f]);
	}
	m->local_fixed = (u32)round_up(fixed_end(x), align);
	for (u32 f = 0; f < x->g.n; f++)
		if (m->funcs[f].local_own) {
			const u32 units = (u32)frame_size(&m->funcs[f]) / m->local_unit;
			m->local_step = MAX(m->local_step, (u32)round_up(ceil_div(x->local_own[f], units), align));
		}
}

/* Callees stand before callers as a rule, so going down converges in one pass; recursive functions add nothing. */
static bool layout_local(struct layout *x)
{
	own_frames(x);
	if (!check_local(x))
		return false;
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 f = x->g.n; f-- > 0;)
			for (u32 a = x->g.first[f]; a < x->g.first[f + 1]; a++) {
				u32 c = x->g.arcs[a].callee;
				u64 at = x->local_at[f] + static_own(x, f);
				if (!x->g.in_cycle[c] || !x->g.in_cycle[f])
					at = round_up(at, x->local_align[c]);
				if (at > NARROW_BYTES_MAX || at <= x->local_at[c])
					continue;
				x->local_at[c] = at;
				changed = true;
			}
	}
	for (u32 i = 0; i < x->ld->m->nsymbols; i++) {
		struct symbol *s = &x->ld->m->symbols[i];
		if (s->space == SPC_LOCAL)
			s->addr += x->g.in_cycle[s->func] ? 0 : x->local_at[s->func];
	}
	if (!check_local(x))
		return false;
	layout_activations(x);
	return true;
}

/* --- shared memory ---------------------------------------------------------------------------------------------------
 *
 * A variable has one offset in all kernels that reach it. Two variables may overlap only when no kernel reaches both.
 * The variables that most kernels reach come first, so a kernel's own ones follow without gaps. */

struct shared_var {
	u32 sym, nkernels;
	u64 *kernels; /* bit set */
	u64 end;
};

static int by_kernels(const void *a, const void *b)
{
	const struct shared_var *x = a, *y = b;
	if (x->nkernels != y->nkernels)
		return x->nkernels > y->nkernels ? -1 : 1;
	return x->sym < y->sym ? -1 : x->sym > y->sym;
}

static bool overlap(const u64 *a, const u64 *b, u32 words)
{
	for (u32 i = 0; i < words; i++)
		if (a[i] & b[i])
			return true;
	return false;
}

/* Lowest offset behind or between the variables placed before that share a kernel. `placed` is in order of placing;
 * moving past one may run into an earlier one, so the scan restarts until nothing is in the way. */
static u64 free_offset(const struct module *m, const struct shared_var *v, u32 n, u32 words)
{
	const struct symbol *s = &m->symbols[v[n].sym];
	u64 at = 0;
	for (bool moved = true; moved;) {
		moved = false;
		for (u32 i = 0; i < n; i++) {
			u64 from = m->symbols[v[i].sym].addr;
			if (at >= v[i].end || at + s->size <= from || !overlap(v[i].kernels, v[n].kernels, words))
				continue;
			at = round_up(v[i].end, s->align);
			moved = true;
		}
	}
	return at;
}

static void place_shared(struct module *m, struct shared_var *v, u32 n, u32 words)
{
	qsort(v, n, sizeof(*v), by_kernels);
	for (u32 i = 0; i < n; i++) {
		struct symbol *s = &m->symbols[v[i].sym];
		s->addr = free_offset(m, v, i, words);
		v[i].end = s->addr + s->size;
	}
}

static u32 collect_shared(struct loader *ld, struct shared_var *v, u32 words, u32 *var_of)
{
	u32 n = 0;
	for (u32 i = 0; i < ld->m->nsymbols; i++) {
		const struct symbol *s = &ld->m->symbols[i];
		var_of[i] = UINT32_MAX;
		if (s->space != SPC_SHARED || !s->size)
			continue;
		var_of[i] = n;
		v[n] = (struct shared_var){.sym = i, .kernels = xcalloc(words, sizeof(u64))};
		n++;
	}
	return n;
}

static void mark_reached(struct layout *x, struct shared_var *v, const u32 *var_of)
{
	struct loader *ld = x->ld;
	for (u32 k = 0; k < ld->m->nfuncs; k++) {
		if (!ld->m->funcs[k].is_kernel)
			continue;
		u32 n = graph_reach(&x->g, k, x->reach);
		for (u32 i = 0; i < n; i++)
			for (u32 u = x->g.use_first[x->reach[i]]; u < x->g.use_first[x->reach[i] + 1]; u++) {
				u32 var = var_of[ld->uses[u].sym];
				if (var == UINT32_MAX || v[var].kernels[k / 64] >> (k % 64) & 1)
					continue;
				v[var].kernels[k / 64] |= BIT(k % 64);
				v[var].nkernels++;
			}
	}
}

static bool sum_shared(struct layout *x, const struct shared_var *v, u32 n)
{
	struct loader *ld = x->ld;
	for (u32 k = 0; k < ld->m->nfuncs; k++) {
		u64 end = 0;
		for (u32 i = 0; i < n; i++)
			if (v[i].kernels[k / 64] >> (k % 64) & 1)
				end = MAX(end, v[i].end);
		if (end > NARROW_BYTES_MAX)
			return ld_fail(ld, &ld->finfo[k].at, "kernel '%s' needs %llu bytes of shared memory", ld->m->funcs[k].name,
			               (unsigned long long)end);
		ld->m->funcs[k].shared_bytes = (u32)round_up(end, 16);
	}
	return true;
}

static bool layout_shared(struct layout *x)
{
	struct loader *ld = x->ld;
	u32 count = 0, words = (ld->m->nfuncs + 63) / 64;
	for (u32 i = 0; i < ld->m->nsymbols; i++)
		count += ld->m->symbols[i].space == SPC_SHARED && ld->m->symbols[i].size;
	if (!count)
		return true;
	if (count > SHARED_VARS_MAX)
		return ld_fail(ld, &ld->tok, "%u static .shared variables, the most is %u", count, SHARED_VARS_MAX);
	struct shared_var *v = xcalloc(count, sizeof(*v));
	u32 *var_of = xmalloc(ld->m->nsymbols * sizeof(u32));
	collect_shared(ld, v, words, var_of);
	mark_reached(x, v, var_of);
	place_shared(ld->m, v, count, words);
	bool ok = sum_shared(x, v, count);
	for (u32 i = 0; i < count; i++)
		free(v[i].kernels);
	free(v);
	free(var_of);
	return ok;
}

/* --- the dynamic shared array ----------------------------------------------------------------------------------------
 *
 * It starts behind a kernel's static variables. A device function has one offset in its code, so all kernels that
 * reach a function which refers to the array get the largest of their offsets (and count the bytes below it as
 * theirs). */

static u32 dynamic_align(const struct layout *x, u32 f)
{
	const struct loader *ld = x->ld;
	u32 align = 0;
	for (u32 u = x->g.use_first[f]; u < x->g.use_first[f + 1]; u++) {
		const struct symbol *s = &ld->m->symbols[ld->uses[u].sym];
		if (s->space == SPC_SHARED && !s->size)
			align = MAX(align, s->align);
	}
	return align;
}

static void dynamic_of_kernel(struct layout *x, u32 k, bool *changed)
{
	struct func *funcs = x->ld->m->funcs;
	u32 n = graph_reach(&x->g, k, x->reach);
	u32 off = MAX(funcs[k].shared_bytes, funcs[k].dynamic_shared_off), align = 1;
	for (u32 i = 0; i < n; i++) {
		u32 a = dynamic_align(x, x->reach[i]);
		align = MAX(align, a);
		if (a)
			off = MAX(off, funcs[x->reach[i]].dynamic_shared_off);
		funcs[k].dynamic_shared |= a > 0;
	}
	if (!funcs[k].dynamic_shared)
		return;
	off = (u32)round_up(off, align);
	for (u32 i = 0; i < n; i++) {
		struct func *f = &funcs[x->reach[i]];
		if (x->reach[i] != k && !dynamic_align(x, x->reach[i]))
			continue;
		*changed |= f->dynamic_shared_off != off;
		f->dynamic_shared_off = off;
	}
}

static void layout_dynamic(struct layout *x)
{
	struct func *funcs = x->ld->m->funcs;
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 k = 0; k < x->g.n; k++)
			if (funcs[k].is_kernel)
				dynamic_of_kernel(x, k, &changed);
	}
	for (u32 k = 0; k < x->g.n; k++) {
		if (!funcs[k].is_kernel)
			continue;
		u32 gap_free = (u32)round_up(funcs[k].shared_bytes, 16);
		if (!funcs[k].dynamic_shared)
			funcs[k].dynamic_shared_off = gap_free;
		else if (funcs[k].dynamic_shared_off > gap_free)
			funcs[k].shared_bytes = funcs[k].dynamic_shared_off;
	}
}

/* --- figures ------------------------------------------------------------------------------------------------------ */

/* Registers down a chain of calls: what is live at the call, and the callee's own. A recursive chain is counted once.
 */
static void chain_registers(struct layout *x)
{
	const struct graph *g = &x->g;
	for (u32 f = 0; f < g->n; f++)
		x->chain[f] = x->ld->finfo[f].max_live;
	for (bool changed = true; changed;) {
		changed = false;
		for (u32 f = 0; f < g->n; f++)
			for (u32 a = g->first[f]; a < g->first[f + 1]; a++) {
				u32 c = g->arcs[a].callee;
				bool loops = g->in_cycle[f] && g->in_cycle[c];
				u32 want = MIN(x->chain[c] + (loops ? 0 : g->arcs[a].live), 100000u);
				changed |= want > x->chain[f];
				x->chain[f] = MAX(x->chain[f], want);
			}
	}
}

static void kernel_figures(struct layout *x, u32 k)
{
	struct func *funcs = x->ld->m->funcs, *f = &funcs[k];
	u32 n = graph_reach(&x->g, k, x->reach);
	u64 local = 0, activation = 0;
	for (u32 i = 0; i < n; i++) {
		u32 r = x->reach[i];
		if (x->local_own[r])
			local = MAX(local, x->local_at[r] + static_own(x, r));
		activation = MAX(activation, funcs[r].local_own);
		f->nbarriers = MAX(f->nbarriers, funcs[r].nbarriers);
	}
	f->local_grows = activation > 0;
	f->local_bytes = (u32)(activation ? x->ld->m->local_fixed + activation : local);
	f->recursive = x->g.looping[k];
	const u32 fixed = x->ld->schedule ? x->ld->schedule->fixed : ESTIMATE_FIXED;
	f->regs = MIN(MAX(x->chain[k] + fixed, ESTIMATE_MIN), REGS_MAX);
}

static void figures(struct layout *x)
{
	chain_registers(x);
	for (u32 i = 0; i < x->ld->nedges; i++)
		x->ld->m->funcs[x->ld->edges[i].caller].has_calls = true;
	for (u32 k = 0; k < x->g.n; k++)
		kernel_figures(x, k);
}

/* --- the end ------------------------------------------------------------------------------------------------------ */

static bool of_activation(const struct module *m, const struct symbol *s)
{
	return s->space == SPC_LOCAL && m->funcs[s->func].local_own;
}

static void fix_addresses(struct loader *ld)
{
	for (u32 i = 0; i < ld->nabs_fixes; i++) {
		const struct symbol *s = &ld->m->symbols[ld->abs_fixes[i].sym];
		struct inst *in = &ld->m->code[ld->abs_fixes[i].inst];
		in->imm += (s64)s->addr;
		if (of_activation(ld->m, s))
			in->flags |= IF_ACTIVATION;
	}
}

/* Constants that are addresses of such variables are those of the first activation: who uses one adds where its own is.
 */
static void flag_addresses(struct loader *ld)
{
	if (!ld->m->local_unit)
		return;
	bool *local = xcalloc(ld->m->pool_bytes / (4 * WARP_SIZE) + 1, sizeof(bool));
	for (u32 i = 0; i < ld->ncsts; i++)
		if (ld->csts[i].sym >= 0 && of_activation(ld->m, &ld->m->symbols[ld->csts[i].sym]))
			local[ld->csts[i].at / (4 * WARP_SIZE)] = true;
	for (u32 pc = 0; pc < ld->m->ncode; pc++) {
		struct inst *in = &ld->m->code[pc];
		for (u32 k = 0; k < inst_nsrc(in) && !(in->flags & IF_UNSUPPORTED); k++) {
			const opnd o = inst_src(in, k);
			if (o == OPND_NONE || !(o & OPND_POOL) || !local[(o & ~OPND_POOL) / (4 * WARP_SIZE)])
				continue;
			if ((in->op == OP_MOV && in->vec <= 1) || in->op == OP_CVTA)
				in->flags |= IF_ACTIVATION;
			else
				code_unsupported(ld, pc,
				                 "the address of a .local variable of a recursive function is an operand here: only "
				                 "mov, cvta, ld and st can have it");
		}
	}
	free(local);
}

static bool check_symbols(struct loader *ld)
{
	for (u32 i = 0; i < ld->m->nsymbols; i++) {
		const struct symbol *s = &ld->m->symbols[i];
		bool missing = ld->syminfo[i].is_extern && ld->syminfo[i].used && s->space != SPC_SHARED;
		if (missing)
			return ld_fail(ld, &ld->syminfo[i].at, "variable '%s' is declared .extern and used, but not defined in %s",
			               s->name, linked_what(ld));
	}
	for (u32 i = 0; i < ld->ncsts; i++) {
		s32 f = ld->csts[i].func;
		if (f >= 0 && !ld->finfo[f].defined)
			return ld_fail(ld, &ld->finfo[f].at, "the address of function '%s' is used, but it is not defined in %s",
			               ld->m->funcs[f].name, linked_what(ld));
	}
	return true;
}

/* The opcode with its modifiers as it stands in the text at `p`. */
static void opcode_text(const char *p, char *buf, u32 cap)
{
	u32 n = 0;
	for (; n + 1 < cap && *p && !strchr(" \t\r\n;{", *p); p++)
		buf[n++] = *p;
	buf[n] = 0;
}

static void resolve_exec(struct loader *ld)
{
	for (u32 pc = 0; pc < ld->m->ncode; pc++) {
		char name[96], what[128];
		if (exec_resolve(&ld->m->code[pc]))
			continue;
		opcode_text(ld->inst_at[pc].p, name, sizeof(name));
		snprintf(what, sizeof(what), "'%s' is not supported", name);
		code_unsupported(ld, pc, what);
	}
}

static bool lay_out(struct layout *x)
{
	if (!graph_build(&x->g, x->ld) || !check_symbols(x->ld))
		return false;
	u32 n = x->g.n + 1;
	x->reach = xmalloc(n * sizeof(u32));
	x->local_at = xcalloc(n, sizeof(u64));
	x->local_own = xcalloc(n, sizeof(u64));
	x->local_align = xcalloc(n, sizeof(u64));
	x->chain = xcalloc(n, sizeof(u32));
	for (u32 f = 0; f < n; f++)
		x->local_align[f] = 16;
	if (!layout_local(x) || !layout_shared(x))
		return false;
	layout_dynamic(x);
	figures(x);
	fix_addresses(x->ld);
	flag_addresses(x->ld);
	return true;
}

bool link_module(struct loader *ld)
{
	struct layout x = {.ld = ld};
	bool ok = lay_out(&x) && pool_build(ld);
	if (ok) {
		resolve_exec(ld);
		spin_mark(ld->m);
		spread_unsupported(ld, &x.g);
		spread_needs(ld, &x.g);
	}
	graph_release(&x.g);
	free(x.reach);
	free(x.local_at);
	free(x.local_own);
	free(x.local_align);
	free(x.chain);
	return ok;
}
