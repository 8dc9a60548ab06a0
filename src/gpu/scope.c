#include "gpu/scope.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/state.h"

struct gpu_scope {
	const struct gpu_totals *from, *to;
	u64 *seen[CG_COUNT];          /* what queries have handed out */
	struct line_counters **lines; /* the same, by module */
	u32 nlines;
};

static void release(struct gpu_scope *s)
{
	for (u32 i = 0; s && i < CG_COUNT; i++)
		free(s->seen[i]);
	for (u32 i = 0; s && i < s->nlines; i++)
		free(s->lines[i]);
	if (s)
		free(s->lines);
	free(s);
}

void gpu_scope_set(struct gpu *g, const struct gpu_totals *from, const struct gpu_totals *to)
{
	release(g->scope);
	g->scope = NULL;
	if (!from)
		return;
	struct gpu_scope *s = xcalloc(1, sizeof *s);
	s->from = from;
	s->to = to;
	for (u32 i = 0; i < CG_COUNT; i++) /* launches: address space until they are made */
		s->seen[i] = xcalloc(
		    (i == CG_kernel ? TASK_MAX_LAUNCHES : from->n[i]) * counter_group_size((enum counter_group)i), sizeof(u64));
	g->scope = s;
}

bool gpu_scope_is_set(const struct gpu *g)
{
	return g->scope;
}

struct gpu_scope *gpu_scope_off(struct gpu *g)
{
	struct gpu_scope *s = g->scope;
	g->scope = NULL;
	return s;
}

void gpu_scope_on(struct gpu *g, struct gpu_scope *s)
{
	g->scope = s;
}

static u64 end_of(const struct gpu *g)
{
	return g->scope->to ? g->scope->to->cycle : g->st->cycle;
}

/* The machine is before the scope: nothing has been counted in it. */
static bool is_ahead(const struct gpu *g)
{
	return end_of(g) <= g->scope->from->cycle;
}

void gpu_scope_range(const struct gpu *g, u64 *from, u64 *to)
{
	*from = g->scope->from->cycle;
	*to = MAX(end_of(g), *from);
}

/* Of an instance there were none yet: NULL. */
static const u64 *total(const struct gpu_totals *t, enum counter_group group, u32 i)
{
	return i < t->n[group] ? t->group[group] + i * counter_group_size(group) : NULL;
}

/* What is no sum of a launch: as it is known now. */
static void whole(struct kernel_counters *seen, const struct kernel_counters *k)
{
	seen->launched_at = k->launched_at;
	seen->started_at = k->started_at;
	seen->ended_at = k->ended_at;
	seen->l1d_bytes = k->l1d_bytes;
	seen->cta_limit = k->cta_limit;
}

const u64 *gpu_scope_counters(const struct gpu *g, enum counter_group group, u32 i, const u64 *now)
{
	struct gpu_scope *s = g->scope;
	const u32 size = counter_group_size(group);
	u64 *seen = s->seen[group] + i * size;
	const u64 *a = total(s->from, group, i), *b = s->to ? total(s->to, group, i) : now;
	memset(seen, 0, size * sizeof *seen);
	if (!b || is_ahead(g))
		return seen;
	for (u32 k = 0; k < size; k++)
		seen[k] = b[k] - (a ? a[k] : 0);
	if (group == CG_kernel)
		whole((struct kernel_counters *)seen, (const struct kernel_counters *)now);
	return seen;
}

void gpu_scope_stalls(const struct gpu *g, u32 sm, u32 scheduler, u64 slots[ST_COUNT])
{
	const struct gpu_scope *s = g->scope;
	const u32 at = sm * g->conf.sm_schedulers + scheduler;
	const u64 *a = s->from->stalls[at], *b = s->to ? s->to->stalls[at] : slots;
	for (u32 r = 0; r < ST_COUNT; r++)
		slots[r] = is_ahead(g) ? 0 : b[r] - a[r];
}

/* Room for what a module's lines have in the scope. */
static struct line_counters *room(struct gpu_scope *s, u32 module, u32 ncode)
{
	if (module >= s->nlines) {
		s->lines = xrealloc(s->lines, (module + 1) * sizeof(struct line_counters *));
		for (; s->nlines <= module; s->nlines++)
			s->lines[s->nlines] = NULL;
	}
	if (!s->lines[module])
		s->lines[module] = xcalloc(MAX(ncode, 1u), sizeof(struct line_counters));
	return s->lines[module];
}

static const struct line_counters *total_lines(const struct gpu_totals *t, u32 module)
{
	return module < t->nmodules ? t->lines[module] : NULL;
}

const struct line_counters *gpu_scope_lines(const struct gpu *g, u32 module, const struct line_counters *now)
{
	const u32 n = g->module[module]->ncode;
	struct gpu_scope *s = g->scope;
	struct line_counters *seen = room(s, module, n);
	const u64 *a = (const u64 *)total_lines(s->from, module);
	const u64 *b = (const u64 *)(s->to ? total_lines(s->to, module) : now);
	memset(seen, 0, n * sizeof *seen);
	for (u32 i = 0; b && !is_ahead(g) && i < n * LC_COUNT; i++)
		((u64 *)seen)[i] = b[i] - (a ? a[i] : 0);
	return seen;
}

static void add_up(const struct gpu *g, const struct gpu_totals *t, u64 out[ST_COUNT])
{
	memset(out, 0, ST_COUNT * sizeof *out);
	for (u32 i = 0; i < g->conf.num_sms * g->conf.sm_schedulers; i++)
		for (u32 r = 0; r < ST_COUNT; r++)
			out[r] += t->stalls[i][r];
}

void gpu_scope_slots(const struct gpu *g, u64 from[ST_COUNT], u64 to[ST_COUNT])
{
	add_up(g, g->scope->from, from);
	if (g->scope->to)
		add_up(g, g->scope->to, to);
	else
		memset(to, 0xff, ST_COUNT * sizeof *to); /* as far as the machine is */
}
