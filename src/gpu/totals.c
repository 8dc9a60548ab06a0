#include "gpu/totals.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/lines.h"
#include "gpu/query.h"
#include "gpu/state.h"

static u64 *take_group(struct gpu *g, enum counter_group group, u32 n)
{
	const u32 size = counter_group_size(group);
	u64 *all = xcalloc(MAX(n * size, 1u), sizeof *all);
	for (u32 i = 0; i < n; i++)
		memcpy(all + i * size, gpu_counters(g, group, i), size * sizeof *all);
	return all;
}

static void take_stalls(struct gpu_totals *t, struct gpu *g)
{
	const u32 schedulers = g->conf.sm_schedulers, n = g->conf.num_sms * schedulers;
	t->stalls = xcalloc(n, sizeof *t->stalls);
	for (u32 i = 0; i < n; i++)
		gpu_stalls(g, i / schedulers, i % schedulers, t->stalls[i]);
}

static void take_lines(struct gpu_totals *t, struct gpu *g)
{
	t->nmodules = gpu_num_modules(g);
	t->lines = xcalloc(MAX(t->nmodules, 1u), sizeof *t->lines);
	for (u32 i = 0; i < t->nmodules; i++) {
		const struct line_counters *c = gpu_line_counters(g, gpu_module(g, i));
		const u32 n = gpu_module(g, i)->ncode;
		if (c)
			t->lines[i] = memcpy(xcalloc(MAX(n, 1u), sizeof *c), c, n * sizeof *c);
	}
}

struct gpu_totals *gpu_totals_take(struct gpu *g)
{
	struct gpu_totals *t = xcalloc(1, sizeof *t);
	struct gpu_scope *s = gpu_scope_off(g);
	t->cycle = gpu_cycle(g);
	for (u32 i = 0; i < CG_COUNT; i++) {
		t->n[i] = gpu_counter_instances(g, (enum counter_group)i);
		t->group[i] = take_group(g, (enum counter_group)i, t->n[i]);
	}
	take_stalls(t, g);
	take_lines(t, g);
	gpu_scope_on(g, s);
	return t;
}

void gpu_totals_free(struct gpu_totals *t)
{
	if (!t)
		return;
	for (u32 i = 0; i < CG_COUNT; i++)
		free(t->group[i]);
	for (u32 i = 0; i < t->nmodules; i++)
		free(t->lines[i]);
	free(t->lines);
	free(t->stalls);
	free(t);
}
