#include "obs/compare/delta.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

static struct delta *add(struct deltas *o, const char *unit)
{
	if (o->n == o->cap) {
		o->cap = MAX(o->cap * 2, 256u);
		o->d = xrealloc(o->d, o->cap * sizeof *o->d);
	}
	struct delta *d = &o->d[o->n++];
	*d = (struct delta){.unit = unit, .a = NAN, .b = NAN};
	return d;
}

static void set_whole(struct delta *d, u64 a, u64 b)
{
	d->whole = true;
	d->whole_a = a;
	d->whole_b = b;
	d->a = (double)a;
	d->b = (double)b;
}

static void add_whole(struct deltas *o, const char *name, const char *unit, u64 a, u64 b)
{
	struct delta *d = add(o, unit);
	snprintf(d->name, sizeof d->name, "%s", name);
	set_whole(d, a, b);
}

static void add_real(struct deltas *o, const char *name, const char *unit, double a, double b)
{
	struct delta *d = add(o, unit);
	snprintf(d->name, sizeof d->name, "%s", name);
	d->a = a;
	d->b = b;
}

static double per(u64 n, u64 cycles)
{
	return cycles ? (double)n / (double)cycles : NAN;
}

static void gather_run(struct deltas *o, const struct stats *a, const struct stats *b)
{
	add_whole(o, "run.cycles", "cycles", a->cycles, b->cycles);
	add_real(o, "run.sim_time_us", "us", a->sim_us, b->sim_us);
	add_whole(o, "run.warp_insts", "warp insts", a->warp_insts, b->warp_insts);
	add_whole(o, "run.thread_insts", "thread insts", a->thread_insts, b->thread_insts);
	add_real(o, "run.ipc", "warp insts/cycle", per(a->warp_insts, a->cycles), per(b->warp_insts, b->cycles));
}

/* Counters and rates of one instance of each run; NULL = this run does not have it. prefix: "l1d", "kernel.2". */
static void gather_figures(struct deltas *o, enum counter_group g, const char *prefix, const struct instance_stats *a,
                           const struct instance_stats *b)
{
	for (u32 i = 0; i < counter_group_size(g); i++) {
		const struct counter_desc *c = stats_counter(g, i);
		struct delta *d = add(o, c->unit);
		snprintf(d->name, sizeof d->name, "%s.%s", prefix, c->name);
		if (a && b) {
			set_whole(d, a->counters[i], b->counters[i]);
			continue;
		}
		d->a = a ? (double)a->counters[i] : NAN;
		d->b = b ? (double)b->counters[i] : NAN;
	}
	for (u32 i = 0; i < rate_ndescs; i++) {
		const struct rate_desc *r = &rate_descs[i];
		if (r->group != g)
			continue;
		struct delta *d = add(o, r->unit);
		snprintf(d->name, sizeof d->name, "%s.%s", prefix, r->name);
		d->a = a ? r->value(a->counters, &a->env) : NAN;
		d->b = b ? r->value(b->counters, &b->env) : NAN;
	}
}

static void gather_taxonomy(struct deltas *o, enum taxonomy t, const struct stats *a, const struct stats *b)
{
	struct stall_class ca[TAX_MAX_CLASSES], cb[TAX_MAX_CLASSES];
	u32 n = stall_map(t, a->stalls, ca);
	stall_map(t, b->stalls, cb); /* the same classes in the same order: they depend on the table alone */
	for (u32 i = 0; i < n; i++) {
		struct delta *d = add(o, "slots");
		snprintf(d->name, sizeof d->name, "stalls.%s.%s", taxonomy_names[t], ca[i].name);
		set_whole(d, ca[i].slots, cb[i].slots);
	}
}

static void gather_energy(struct deltas *o, const struct stats *a, const struct stats *b)
{
	char name[48];
	add_whole(o, "energy.total", "fJ", energy_total(&a->energy), energy_total(&b->energy));
	add_real(o, "energy.power_w", "W", energy_watts(a->conf, energy_total(&a->energy), a->cycles),
	         energy_watts(b->conf, energy_total(&b->energy), b->cycles));
	for (u32 i = 0; i < EP_COUNT; i++) {
		const struct energy_amount *x = &a->energy.part[i], *y = &b->energy.part[i];
		snprintf(name, sizeof name, "energy.%s.dynamic", energy_parts[i].name);
		add_whole(o, name, "fJ", x->dynamic, y->dynamic);
		snprintf(name, sizeof name, "energy.%s.leakage", energy_parts[i].name);
		add_whole(o, name, "fJ", x->leakage, y->leakage);
		snprintf(name, sizeof name, "energy.%s.gated", energy_parts[i].name);
		add_whole(o, name, "fJ", x->gated, y->gated);
	}
}

static void gather_kernels(struct deltas *o, const struct stats *a, const struct stats *b)
{
	const struct group_stats *ga = &a->group[CG_kernel], *gb = &b->group[CG_kernel];
	for (u32 i = 0; i < MAX(ga->n, gb->n); i++) {
		char prefix[32];
		u32 from = o->n;
		snprintf(prefix, sizeof prefix, "kernel.%u", i);
		gather_figures(o, CG_kernel, prefix, i < ga->n ? &ga->instance[i] : NULL, i < gb->n ? &gb->instance[i] : NULL);
		for (u32 k = from; k < o->n; k++)
			o->d[k].text = i < ga->n ? a->kernels[i].name : b->kernels[i].name;
	}
}

void deltas_gather(struct deltas *o, const struct stats *a, const struct stats *b)
{
	*o = (struct deltas){0};
	gather_run(o, a, b);
	for (u32 g = 0; g < CG_COUNT; g++)
		if (g != CG_kernel)
			gather_figures(o, g, counter_group_names[g], &a->group[g].sum, &b->group[g].sum);
	for (u32 t = 0; t < TAX_COUNT; t++)
		gather_taxonomy(o, t, a, b);
	gather_energy(o, a, b);
	gather_kernels(o, a, b);
}

void deltas_release(struct deltas *d)
{
	free(d->d);
	*d = (struct deltas){0};
}

const struct delta *deltas_find(const struct deltas *d, const char *name)
{
	for (u32 i = 0; i < d->n; i++)
		if (!strcmp(d->d[i].name, name))
			return &d->d[i];
	BUG("no statistic %s", name);
}

double delta_value(const struct delta *d)
{
	return d->b - d->a;
}

double delta_ratio(const struct delta *d)
{
	double r = (d->b - d->a) / d->a;
	return isfinite(r) ? r : NAN;
}
