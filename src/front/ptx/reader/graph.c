#include "front/ptx/reader/graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ARCS_MAX 16000000u /* calls through registers times their candidates: beyond, the module is refused */

/* Calls of the device runtime (dynamic parallelism) are not modelled: who makes one cannot be launched. */
static bool runtime_call(struct loader *ld, const struct edge *e)
{
	const char *name = ld->m->funcs[e->callee].name;
	static const char *const runtime[] = {"cudaMalloc",
	                                      "cudaFree",
	                                      "cudaLaunchDevice",
	                                      "cudaLaunchDeviceV2",
	                                      "cudaGetParameterBuffer",
	                                      "cudaGetParameterBufferV2",
	                                      "cudaDeviceSynchronize"};
	char what[160];
	bool known = false;
	for (u32 i = 0; i < ARRAY_LEN(runtime); i++)
		known |= !strcmp(name, runtime[i]);
	if (!known)
		return false;
	snprintf(what, sizeof(what),
	         "call of '%s' is not supported: the device runtime (dynamic parallelism) is not modelled", name);
	code_unsupported(ld, e->inst, what);
	return true;
}

static bool check_callee(struct loader *ld, const struct edge *e)
{
	return ld->finfo[e->callee].defined || ld_fail(ld, &e->at, "function '%s' is called but not defined in %s",
	                                               ld->m->funcs[e->callee].name, linked_what(ld));
}

static s32 real_function(struct loader *ld, s32 f)
{
	for (u32 hops = 0; f >= 0 && ld->finfo[f].alias >= 0 && hops <= ld->nfinfo; hops++)
		f = ld->finfo[f].alias;
	return f;
}

static bool resolve_aliases(struct loader *ld)
{
	for (u32 i = 0; i < ld->nfinfo; i++)
		if (ld->finfo[i].alias >= 0 && !ld->finfo[real_function(ld, (s32)i)].defined)
			return ld_fail(ld, &ld->finfo[i].at, "alias '%s' stands for no function that is defined",
			               ld->m->funcs[i].name);
	for (u32 i = 0; i < ld->nedges; i++) {
		struct edge *e = &ld->edges[i];
		e->callee = real_function(ld, e->callee);
		ld->m->code[e->inst].func = e->callee;
	}
	for (u32 i = 0; i < ld->ncsts; i++)
		if (ld->csts[i].func >= 0) {
			ld->csts[i].func = real_function(ld, ld->csts[i].func);
			ld->finfo[ld->csts[i].func].address_taken = true;
		}
	return true;
}

static bool push_arc(struct graph *g, struct loader *ld, const struct edge *e, u32 callee)
{
	if (g->narcs == ARCS_MAX)
		return ld_fail(ld, &e->at, "more than %u possible targets of calls through registers", ARCS_MAX);
	struct arc *a = PUSH(g->arcs, g->narcs);
	*a = (struct arc){callee, e->live};
	return true;
}

static bool candidate(const struct loader *ld, u32 f, u32 sig)
{
	const struct sig *a = &ld->sigs[ld->finfo[f].sig], *b = &ld->sigs[sig];
	return ld->finfo[f].address_taken && ld->finfo[f].defined && !ld->m->funcs[f].is_kernel && a->nin == b->nin &&
	       a->nout == b->nout && a->in_bytes == b->in_bytes && a->out_bytes == b->out_bytes;
}

static bool add_edge(struct graph *g, struct loader *ld, const struct edge *e, const u32 *taken, u32 ntaken)
{
	if (e->callee >= 0 && !ld->finfo[e->callee].defined && runtime_call(ld, e))
		return true;
	if (e->callee >= 0)
		return check_callee(ld, e) && push_arc(g, ld, e, (u32)e->callee);
	for (u32 i = 0; i < ntaken; i++)
		if (candidate(ld, taken[i], e->sig) && !push_arc(g, ld, e, taken[i]))
			return false;
	return true;
}

/* Edges come grouped by caller, in the order in which the functions' bodies stand, which need not be that of their
 * numbers. */
static bool add_arcs(struct graph *g, struct loader *ld)
{
	u32 *taken = xmalloc((g->n + 1) * sizeof(u32)), ntaken = 0;
	u32 *at = xcalloc(g->n + 1, sizeof(u32));
	for (u32 f = 0; f < g->n; f++)
		if (ld->finfo[f].address_taken)
			taken[ntaken++] = f;
	for (u32 i = ld->nedges; i-- > 0;)
		at[ld->edges[i].caller] = i + 1;
	bool ok = true;
	for (u32 f = 0; f < g->n && ok; f++) {
		g->first[f] = g->narcs;
		for (u32 i = at[f]; ok && i && i - 1 < ld->nedges && ld->edges[i - 1].caller == f; i++)
			ok = add_edge(g, ld, &ld->edges[i - 1], taken, ntaken);
	}
	g->first[g->n] = g->narcs;
	free(at);
	free(taken);
	return ok;
}

/* Removes functions without (remaining) callees again and again; what stays reaches a cycle. With `reverse`, functions
 * without callers are removed from what `keep` says, leaving the cycles and what lies between them. */
static void peel(const struct graph *g, const bool *keep, bool reverse, bool *left)
{
	u32 *count = xcalloc(g->n + 1, sizeof(u32)), *start = xcalloc(g->n + 2, sizeof(u32));
	u32 *neighbours = xmalloc((g->narcs + 1) * sizeof(u32)), *queue = xmalloc((g->n + 1) * sizeof(u32)), n = 0;
	for (u32 f = 0; f < g->n; f++)
		for (u32 a = g->first[f]; a < g->first[f + 1]; a++) {
			u32 c = g->arcs[a].callee;
			if (keep && !(keep[f] && keep[c]))
				continue;
			count[reverse ? c : f]++;
			start[(reverse ? f : c) + 1]++;
		}
	for (u32 f = 0; f < g->n; f++)
		start[f + 1] += start[f];
	u32 *at = xmalloc((g->n + 1) * sizeof(u32));
	memcpy(at, start, (g->n + 1) * sizeof(u32));
	for (u32 f = 0; f < g->n; f++)
		for (u32 a = g->first[f]; a < g->first[f + 1]; a++) {
			u32 c = g->arcs[a].callee;
			if (!keep || (keep[f] && keep[c]))
				neighbours[at[reverse ? f : c]++] = reverse ? c : f;
		}
	for (u32 f = 0; f < g->n; f++) {
		left[f] = !keep || keep[f];
		if (left[f] && !count[f])
			queue[n++] = f;
	}
	for (u32 i = 0; i < n; i++) {
		left[queue[i]] = false;
		for (u32 k = start[queue[i]]; k < start[queue[i] + 1]; k++)
			if (!--count[neighbours[k]])
				queue[n++] = neighbours[k];
	}
	free(at);
	free(queue);
	free(neighbours);
	free(start);
	free(count);
}

static void index_uses(struct graph *g, const struct loader *ld)
{
	/* ld->uses is grouped by function in body order; make it sorted by number (counting sort, stable). */
	g->use_first = xcalloc(g->n + 2, sizeof(u32));
	for (u32 i = 0; i < ld->nuses; i++)
		g->use_first[ld->uses[i].func + 1]++;
	for (u32 f = 0; f < g->n; f++)
		g->use_first[f + 1] += g->use_first[f];
	struct symuse *sorted = xmalloc((ld->nuses + 1) * sizeof(*sorted));
	u32 *at = xmalloc((g->n + 1) * sizeof(u32));
	memcpy(at, g->use_first, (g->n + 1) * sizeof(u32));
	for (u32 i = 0; i < ld->nuses; i++)
		sorted[at[ld->uses[i].func]++] = ld->uses[i];
	if (ld->nuses)
		memcpy(ld->uses, sorted, ld->nuses * sizeof(*sorted));
	free(at);
	free(sorted);
}

bool graph_build(struct graph *g, struct loader *ld)
{
	*g = (struct graph){.n = ld->m->nfuncs};
	g->first = xcalloc(g->n + 2, sizeof(u32));
	g->looping = xcalloc(g->n + 1, sizeof(bool));
	g->in_cycle = xcalloc(g->n + 1, sizeof(bool));
	g->stamp = xcalloc(g->n + 1, sizeof(u32));
	g->stack = xmalloc((g->n + 1) * sizeof(u32));
	index_uses(g, ld);
	if (!resolve_aliases(ld) || !add_arcs(g, ld))
		return false;
	peel(g, NULL, false, g->looping);
	peel(g, g->looping, true, g->in_cycle);
	return true;
}

void graph_release(struct graph *g)
{
	free(g->arcs);
	free(g->first);
	free(g->looping);
	free(g->in_cycle);
	free(g->use_first);
	free(g->stamp);
	free(g->stack);
	*g = (struct graph){0};
}

u32 graph_reach(struct graph *g, u32 f, u32 *out)
{
	u32 n = 0, depth = 0;
	g->now++;
	g->stamp[f] = g->now;
	g->stack[depth++] = f;
	while (depth) {
		u32 at = g->stack[--depth];
		out[n++] = at;
		for (u32 a = g->first[at]; a < g->first[at + 1]; a++) {
			u32 c = g->arcs[a].callee;
			if (g->stamp[c] == g->now)
				continue;
			g->stamp[c] = g->now;
			g->stack[depth++] = c;
		}
	}
	return n;
}
