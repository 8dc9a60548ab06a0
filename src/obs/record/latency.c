#include "obs/record/latency.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void latency_init(struct latency *l, u64 from, u64 to)
{
	*l = (struct latency){.from = from, .to = to};
}

void latency_release(struct latency *l)
{
	for (u32 i = 0; i < l->nlines; i++)
		free(l->line[i].of.with);
	for (u32 i = 0; i < WAY_LEVELS; i++)
		free(l->level[i].with);
	free(l->all.with);
	free(l->line);
	*l = (struct latency){0};
}

static void count(struct latency_of *o, u64 cycles, const u64 hop[HOP_COUNT])
{
	if (cycles >= o->size) {
		const u32 size = (u32)MAX(cycles + 1, 2 * (u64)o->size);
		o->with = xrealloc(o->with, size * sizeof *o->with);
		memset(o->with + o->size, 0, (size - o->size) * sizeof *o->with);
		o->size = size;
	}
	o->with[cycles]++;
	o->loads++;
	o->cycles += cycles;
	o->max = MAX(o->max, cycles);
	for (u32 i = 0; i < HOP_COUNT; i++)
		o->hop[i] += hop[i];
}

static struct latency_line *line_of(struct latency *l, const struct way *w, const void *module)
{
	for (u32 i = 0; i < l->nlines; i++)
		if (l->line[i].module == module && l->line[i].pc == w->pc)
			return &l->line[i];
	if (l->nlines == l->lines_size) {
		l->lines_size = MAX(32u, 2 * l->lines_size);
		l->line = xrealloc(l->line, l->lines_size * sizeof *l->line);
	}
	l->line[l->nlines] = (struct latency_line){.kernel = w->kernel, .pc = w->pc, .module = module};
	return &l->line[l->nlines++];
}

void latency_add(struct latency *l, const struct way *w, const void *module)
{
	struct way_hop hops[WAY_HOPS_MAX];
	u64 hop[HOP_COUNT] = {0};
	bool ordered;
	if (w->dropped) {
		l->dropped += w->dropped_at >= l->from && w->dropped_at < l->to;
		return;
	}
	if (w->end >= l->to) {
		l->pending += w->issued < l->to;
		return;
	}
	if (w->end < l->from)
		return;
	const u32 n = way_hops(w, w->last, NEVER, hops, &ordered);
	for (u32 i = 0; i < n; i++)
		hop[hops[i].hop] += (i + 1 < n ? hops[i + 1].since : w->end) - hops[i].since;
	l->unordered += !ordered;
	l->txns += w->n;
	for (u32 i = 0; i < w->n; i++)
		l->txns_of[w->txn[i].level]++;
	const enum way_level level = w->txn[w->last].level;
	struct latency_line *line = line_of(l, w, module);
	line->by_level[level]++;
	count(&l->all, w->end - w->issued, hop);
	count(&l->level[level], w->end - w->issued, hop);
	count(&line->of, w->end - w->issued, hop);
}

u64 latency_percentile(const struct latency_of *o, double percent)
{
	const u64 wanted = (u64)ceil((double)o->loads * percent / 100);
	u64 seen = 0;
	for (u64 c = 0; c < o->size; c++) {
		seen += o->with[c];
		if (seen && seen >= wanted)
			return c;
	}
	return 0;
}

static int more_cycles(const void *a, const void *b)
{
	const struct latency_line *x = a, *y = b;
	if (x->of.cycles != y->of.cycles)
		return x->of.cycles < y->of.cycles ? 1 : -1;
	if (x->kernel != y->kernel)
		return x->kernel < y->kernel ? -1 : 1;
	return (x->pc > y->pc) - (x->pc < y->pc);
}

void latency_sort(struct latency *l)
{
	if (l->nlines)
		qsort(l->line, l->nlines, sizeof *l->line, more_cycles);
}
