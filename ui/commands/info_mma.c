/* info mma: what an SM's tensor units do and have done. */
#include <stdio.h>

#include "base/words.h"
#include "commands/commands.h"
#include "gpu/query_tensor.h"
#include "obs/name/names.h"
#include "passes/timing.h"

static double share(double a, double b)
{
	return b > 0 ? 100 * a / b : 0;
}

/* Cycles that multiply-adds of a kind take at the peak rate of its types. */
static double peak_cycles(const struct conf *c, const struct tensor_kind *k)
{
	const struct mma_shape m = tensor_shape(k->key);
	return k->key ? (double)k->macs / tensor_rate(c, tensor_class_of(&m)) : (double)k->busy;
}

static double peak_of(const struct conf *c, const struct tensor_subcore *o)
{
	double sum = 0;
	for (u32 i = 0; i < TENSOR_KINDS; i++)
		sum += peak_cycles(c, &o->kind[i]);
	return sum;
}

static void subcore_row(const struct gpu *g, u32 sched, const struct tensor_view *t, struct strbuf *out)
{
	const struct conf *c = gpu_conf(g);
	const double cycles = (double)gpu_cycle(g) * c->sm_tensor_units / c->sm_schedulers;
	strbuf_addf(out, "%8u  %12llu  %14llu  %12llu  %5.1f%%   %5.1f%%  %9u  %7llu ", sched,
	            (unsigned long long)t->has->mma, (unsigned long long)t->has->macs, (unsigned long long)t->has->busy,
	            share((double)t->has->busy, cycles), share(peak_of(c, t->has), cycles), t->in_flight,
	            (unsigned long long)(t->taken ? t->free_at - gpu_cycle(g) : 0));
	FOR_EACH_BIT(w, t->ready) strbuf_addf(out, " %u", (u32)w);
	strbuf_adds(out, t->ready ? "\n" : " -\n");
}

static void kind_row(const struct conf *c, const struct tensor_kind *k, struct strbuf *out)
{
	const struct mma_shape m = tensor_shape(k->key);
	char shape[40], types[40];
	snprintf(shape, sizeof shape, "%sm%un%uk%u%s", m.wmma ? "wmma." : "", m.m, m.n, m.k, m.sparse ? " sparse" : "");
	snprintf(types, sizeof types, "%s x %s + %s", mma_type_names[m.a], mma_type_names[m.b], mma_type_names[m.c]);
	strbuf_addf(out, "%-20s %-18s  %12llu  %14llu  %12llu  %6.1f of %u\n", k->key ? shape : "others",
	            k->key ? types : "", (unsigned long long)k->mma, (unsigned long long)k->macs,
	            (unsigned long long)k->busy, k->busy ? (double)k->macs / (double)k->busy : 0,
	            k->key ? tensor_rate(c, tensor_class_of(&m)) : 0);
}

/* A kind of one sub-core, added to the same of the others. Returns the number of kinds. */
static u32 add_kind(struct tensor_kind *all, u32 n, const struct tensor_kind *k)
{
	u32 i = 0;
	while (i < n && all[i].key != k->key)
		i++;
	if (i == n)
		all[n++] = (struct tensor_kind){.key = k->key};
	all[i].mma += k->mma;
	all[i].macs += k->macs;
	all[i].busy += k->busy;
	return n;
}

bool info_mma(struct debugger *d, const char *args, struct strbuf *out, struct err *e)
{
	struct gpu *g = dbg_gpu(d);
	const struct conf *c = gpu_conf(g);
	struct tensor_kind kind[TENSOR_SCHEDS * TENSOR_KINDS];
	u32 sm, kinds = 0;
	if (!arg_sm(d, args, &sm, e))
		return false;
	if (!c->sm_tensor_units) {
		strbuf_adds(out, "This machine's SMs have no tensor units (sm.tensor_units).\n");
		return true;
	}
	strbuf_addf(out, "SM %u: %u tensor unit%s, %u sub-core%s\n", sm, c->sm_tensor_units, plural(c->sm_tensor_units),
	            c->sm_schedulers, plural(c->sm_schedulers));
	strbuf_adds(out, "sub-core           mma   multiply-adds   unit cycles    busy  of peak  in flight  free in  ready "
	                 "warps\n");
	for (u32 i = 0; i < c->sm_schedulers; i++) {
		struct tensor_view t;
		gpu_tensor(g, sm, i, &t);
		subcore_row(g, i, &t, out);
		for (u32 k = 0; k < TENSOR_KINDS; k++)
			if (t.has->kind[k].mma)
				kinds = add_kind(kind, kinds, &t.has->kind[k]);
	}
	if (kinds)
		strbuf_adds(out,
		            "shape                types                       mma   multiply-adds   unit cycles  a cycle, of "
		            "at most\n");
	for (u32 i = 0; i < kinds; i++)
		kind_row(c, &kind[i], out);
	return true;
}
