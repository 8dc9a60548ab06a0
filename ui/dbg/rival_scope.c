/* The second machine's figures in the scope of the first: the same cycles of its run, or the run of its own launch of
 * the same number. */
#include "dbg/rival.h"

#include "dbg/scope.h"
#include "gpu/totals.h"
#include "obs/stats/stats.h"

void rival_scope_void(struct rival *r)
{
	if (r->s && r->s->sim)
		gpu_scope_set(sim_gpu(r->s->sim), NULL, NULL);
	gpu_totals_free(r->scope.from);
	gpu_totals_free(r->scope.to);
	r->scope.from = r->scope.to = NULL;
}

/* Cycles of B; *to NEVER: as far as it is. False: A's figures are of its whole run. */
static bool range(struct debugger *d, u64 *from, u64 *to)
{
	struct gpu *b = sim_gpu(d->rival->s->sim);
	if (!scope_range(d, from, to))
		return false;
	if (d->scope.kind == SCOPE_LAUNCH && d->scope.launch < gpu_num_kernels(b)) {
		struct kernel_info k;
		gpu_kernel_info(b, d->scope.launch, &k);
		*from = k.counters->started_at;
		*to = k.state == KS_DONE ? k.counters->ended_at : NEVER;
	} else if (d->scope.to == NEVER) {
		*to = NEVER;
	}
	return true;
}

/* What B had counted at a cycle, or where its history ends; NULL: it cannot go there. */
static struct gpu_totals *totals_at(struct session *b, u64 cycle)
{
	struct sim_history_info h;
	struct err e = {0};
	sim_history_info(b->sim, &h);
	const u64 at = h.on ? MIN(cycle, h.frontier) : sim_cycle(b->sim);
	if (sim_cycle(b->sim) != at && !session_go(b, sim_rest(b->sim, at), &e))
		return NULL;
	return h.on || cycle == at ? gpu_totals_take(sim_gpu(b->sim)) : NULL;
}

void rival_scope(struct debugger *d)
{
	struct rival *r = d->rival;
	u64 from, to;
	if (!r || !r->s || rival_behind(d))
		return;
	const bool any = range(d, &from, &to);
	if (any && r->scope.from && r->scope.begin == from && r->scope.end == to)
		return;
	rival_scope_void(r);
	if (!any)
		return;
	session_change_ends(r->s);
	const struct sim_place here = sim_place(r->s->sim);
	struct err e = {0};
	sim_snapshot(r->s->sim, NULL);
	r->scope.from = totals_at(r->s, from);
	r->scope.to = to == NEVER || !r->scope.from ? NULL : totals_at(r->s, to);
	if (sim_place_order(sim_place(r->s->sim), here))
		session_go(r->s, here, &e);
	if (to != NEVER && !r->scope.to) {
		rival_scope_void(r);
		return;
	}
	r->scope.begin = from;
	r->scope.end = to;
	gpu_scope_set(sim_gpu(r->s->sim), r->scope.from, r->scope.to);
}

struct stats *rival_stats(struct debugger *d, bool b)
{
	const struct rival *r = d->rival;
	struct session *s = b ? r->s : d->s;
	const struct run_info run = {
	    .workload = s->name, .check = "none", .check_message = "", .stop = "", .sim_ns = s->sim_ns};
	struct gpu *g = sim_gpu(s->sim);
	/* Where B has no history both are of their whole runs. */
	struct gpu_scope *scope = r->scope.from ? NULL : gpu_scope_off(g);
	struct stats *st = stats_gather_counters(g, &run);
	if (scope)
		gpu_scope_on(g, scope);
	return st;
}
