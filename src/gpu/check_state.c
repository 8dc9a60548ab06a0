/* What holds between any two cycles: see gpu_check_state(). */
#include <stdlib.h>

#include "gpu/dependents.h"
#include "gpu/gpu.h"

static bool check_arena(const struct arena *a, struct err *e)
{
	HOLDS(a->used <= a->reserved && a->gap <= a->gap_end && a->gap_end <= a->hashed && a->hashed <= a->used,
	      "arena: %zu bytes of %zu used, %zu hashed but for [%zu, %zu)", a->used, a->reserved, a->hashed, a->gap,
	      a->gap_end);
	return true;
}

/* Front end and pipeline agree about a warp. */
static bool check_pcs(const struct gpu *g, u32 i, struct err *e)
{
	const struct sm *s = g->sm[i];
	u64 exited = 0;
	FOR_EACH_BIT(w, s->used)
	{
		exited |= s->warp[w].done ? BIT(w) : 0;
		u32 pc = front_pc(g->front, i, (u32)w);
		HOLDS(s->warp[w].done || s->warp[w].pc == pc,
		      "SM %u, warp %u: at pc %u for the pipeline, at %u by its registers", i, (u32)w, s->warp[w].pc, pc);
	}
	return front_check_state(g->front, i, s->used, exited, e);
}

/* The first cycle from now on at which the SM's wheel holds something; NEVER when it is empty. */
static u64 first_timer(const struct sm *s, u64 now)
{
	for (u64 at = now; at < now + SM_WHEEL; at++)
		if (s->wheel[at % SM_WHEEL])
			return at;
	return NEVER;
}

static bool check_sleep(const struct gpu *g, u32 i, struct err *e)
{
	const struct gpu_state *st = g->st;
	const struct sm *s = g->sm[i];
	bool awake = st->awake[i / 64] >> i % 64 & 1;
	HOLDS((g->timed[i / 64] >> i % 64 & 1) == (st->wake_at[i] != NEVER) && st->next_wake <= st->wake_at[i],
	      "SM %u wakes at %llu; the machine looks at %llu", i, (unsigned long long)st->wake_at[i],
	      (unsigned long long)st->next_wake);
	HOLDS((st->finished[i / 64] >> i % 64 & 1) == (s->done_slots != 0), "SM %u: CTA slots %#x are done, it is%s noted",
	      i, s->done_slots, s->done_slots ? " not" : "");
	if (awake)
		return true;
	u64 first = first_timer(s, st->cycle);
	HOLDS(st->wake_at[i] <= first, "SM %u sleeps until %llu, but has work at %llu", i,
	      (unsigned long long)st->wake_at[i], (unsigned long long)first);
	HOLDS(!warps_ready_for_units(s), "SM %u sleeps, but warps are ready", i);
	return true;
}

static bool check_kernels(const struct gpu *g, struct err *e)
{
	const struct dispatcher *d = &g->task->dispatcher;
	for (u32 r = 0; r < d->n; r++) {
		u32 id = d->k[d->order[r]].launch;
		u64 dispatched = d->k[d->order[r]].dispatched;
		const struct kcb *k = &g->task->kcb[id];
		u64 resident = 0;
		for (u32 i = 0; i < g->conf.num_sms; i++)
			resident += sm_resident(g->sm[i], id);
		resident += resume_count(&g->resume, id);
		HOLDS(dispatched == k->k.ctas_done + resident,
		      "launch %u: %llu CTAs dispatched, %llu done, %llu resident or saved", id, (unsigned long long)dispatched,
		      (unsigned long long)k->k.ctas_done, (unsigned long long)resident);
	}
	return resume_check_state(&g->resume, e) && preempt_check_state(&g->preempt, e) && task_check_state(g->task, e);
}

struct all_dues {
	const struct gpu *g;
	struct sm_dues *of;
};
static void due(void *ctx, u32 sm, u32 token)
{
	const struct all_dues *d = ctx;
	sm_due(d->g->sm[sm], &d->of[sm], token);
}

static bool check_sms(const struct gpu *g, struct err *e)
{
	struct sm_dues *dues = xcalloc(g->conf.num_sms, sizeof *dues);
	bool ok = true;
	mem_each_due(g->mem, due, &(struct all_dues){g, dues});
	for (u32 i = 0; ok && i < g->conf.num_sms; i++) {
		ok = sm_check_state(&g->ctx[i], g->sm[i], &dues[i], e) && check_pcs(g, i, e) && check_sleep(g, i, e);
		if (ok && g->ev[i].n && g->ev[i].e[0].cycle < g->st->cycle)
			ok = err_set(e, "SM %u: %u events of a cycle that is over", i, g->ev[i].n);
	}
	free(dues);
	return ok;
}

bool gpu_check_state(const struct gpu *g, struct err *e)
{
	if (g->st->faulted) /* the instruction at fault has left the pipeline as it was in the middle of the cycle */
		return true;
	return check_arena(&g->arena, e) && devmem_check(&g->mem_values, e) && mem_check_state(g->mem, e) &&
	       check_kernels(g, e) && dependents_check_state(g, e) && check_sms(g, e);
}
