#include "obs/stats/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/scope.h"
#include "obs/stats/sample.h"

#define STRUCT_sm struct sm_counters
#define STRUCT_l1i struct l1i_counters
#define STRUCT_l1d struct cache_counters
#define STRUCT_l1c struct cache_counters
#define STRUCT_l1t struct cache_counters
#define STRUCT_tensor struct tensor_counters
#define STRUCT_l2 struct cache_counters
#define STRUCT_noc struct noc_counters
#define STRUCT_dram struct dram_counters
#define STRUCT_kernel struct kernel_counters

static double quotient(double a, double b)
{
	return b != 0 ? a / b : NAN;
}

static double tensor_all_macs(const struct tensor_counters *c)
{
	double sum = 0;
	for (u32 t = 0; t < TC_COUNT; t++)
		sum += (double)tensor_macs(c)[t];
	return sum;
}
static double tensor_peak_cycles(const struct tensor_counters *c, const struct rate_env *x)
{
	double sum = 0;
	for (u32 t = 0; t < TC_COUNT; t++)
		sum += (double)tensor_macs(c)[t] / x->tensor_rate[t];
	return sum;
}

#define R(g, n, u, num, den, h)                                                                                        \
	static void parts_##g##_##n(const u64 *counters, const struct rate_env *x, double *over, double *under)            \
	{                                                                                                                  \
		const STRUCT_##g *c = (const STRUCT_##g *)counters;                                                            \
		(void)x;                                                                                                       \
		*over = (double)(num);                                                                                         \
		*under = (double)(den);                                                                                        \
	}                                                                                                                  \
	static double rate_##g##_##n(const u64 *counters, const struct rate_env *x)                                        \
	{                                                                                                                  \
		double over, under;                                                                                            \
		parts_##g##_##n(counters, x, &over, &under);                                                                   \
		return quotient(over, under);                                                                                  \
	}
#include "obs/stats/derived.def"
#undef R

const struct rate_desc rate_descs[] = {
#define R(g, n, u, num, den, h) {CG_##g, #n, u, h, parts_##g##_##n, rate_##g##_##n},
#include "obs/stats/derived.def"
#undef R
};
const u32 rate_ndescs = ARRAY_LEN(rate_descs);

const struct counter_desc *stats_counter(enum counter_group g, u32 index)
{
	return counter_group_first(g) + index;
}

/* How many of the machine's instances a group's sum covers scales slots and peak bandwidth. */
struct rate_env rate_environment(const struct gpu *gpu, enum counter_group g, u32 covered, u32 all)
{
	const struct conf *c = gpu_conf(gpu);
	const u64 cycles = gpu_counted_cycles(gpu);
	double share = g == CG_dram && all ? (double)covered / all : 1;
	struct rate_env env = {.cycles = cycles,
	                       .slots = cycles * c->sm_schedulers * covered,
	                       .instances = covered,
	                       .sim_us = (double)cycles / c->core_clock,
	                       .peak_bytes = dram_peak_bytes(c) * share,
	                       .tensor_units = (double)c->sm_tensor_units * covered};
	gpu_counted_range(gpu, &env.from, &env.to);
	for (u32 t = 0; t < TC_COUNT; t++)
		env.tensor_rate[t] = tensor_rate(c, (enum tensor_class)t);
	return env;
}

static void gather_group(struct stats *s, struct gpu *g, enum counter_group group)
{
	struct group_stats *gs = &s->group[group];
	gs->n = gpu_counter_instances(g, group);
	gs->ncounters = counter_group_size(group);
	gs->instance = xcalloc(MAX(gs->n, 1u), sizeof *gs->instance);
	gs->sum.counters = xcalloc(gs->ncounters, sizeof(u64));
	gs->sum.env = rate_environment(g, group, gs->n, gs->n);
	for (u32 i = 0; i < gs->n; i++) {
		struct instance_stats *in = &gs->instance[i];
		in->counters = xcalloc(gs->ncounters, sizeof(u64));
		in->env = rate_environment(g, group, 1, gs->n);
		memcpy(in->counters, gpu_counters(g, group, i), gs->ncounters * sizeof(u64));
		for (u32 k = 0; k < gs->ncounters; k++)
			gs->sum.counters[k] += in->counters[k];
	}
}

static void gather_stalls(struct stats *s, struct gpu *g)
{
	u32 schedulers = s->conf->sm_schedulers, n = s->conf->num_sms * schedulers;
	s->sched_stalls = xcalloc(n, sizeof *s->sched_stalls);
	for (u32 i = 0; i < n; i++) {
		gpu_stalls(g, i / schedulers, i % schedulers, s->sched_stalls[i]);
		for (u32 r = 0; r < ST_COUNT; r++)
			s->stalls[r] += s->sched_stalls[i][r];
	}
}

static void gather_kernels(struct stats *s, struct gpu *g)
{
	u32 n = s->group[CG_kernel].n;
	s->kernels = xcalloc(MAX(n, 1u), sizeof *s->kernels);
	for (u32 i = 0; i < n; i++)
		gpu_kernel_info(g, i, &s->kernels[i]);
}

static void gather_energy(struct stats *s, struct gpu *g)
{
	const u32 kernels = s->group[CG_kernel].n;
	s->energy_sms = xcalloc(s->conf->num_sms, sizeof *s->energy_sms);
	s->energy_kernels = xcalloc(kernels + 1, sizeof *s->energy_kernels);
	for (u32 i = 0; i < s->conf->num_sms; i++)
		energy_of_sm(g, i, &s->energy_sms[i]);
	energy_of_uncore(g, &s->energy_uncore);
	energy_of_machine(g, &s->energy);
	energy_of_kernels(g, s->energy_kernels, &s->energy_kernels[kernels]);
}

struct stats *stats_gather_counters(struct gpu *g, const struct run_info *run)
{
	struct stats *s = xcalloc(1, sizeof *s);
	s->run = *run;
	s->gpu = g;
	s->conf = gpu_conf(g);
	s->scoped = gpu_scope_is_set(g);
	gpu_counted_range(g, &s->from, &s->to);
	s->cycles = s->to - s->from;
	s->sim_us = (double)s->cycles / s->conf->core_clock;
	for (u32 i = 0; i < CG_COUNT; i++)
		gather_group(s, g, (enum counter_group)i);
	gather_stalls(s, g);
	gather_kernels(s, g);
	gather_energy(s, g);
	front_heap(gpu_front(g), &s->heap);
	s->warp_insts = stats_sum(s, CG_sm, "issued");
	s->thread_insts = stats_sum(s, CG_sm, "thread_insts");
	return s;
}

static void gather_programs(struct stats *s, struct gpu *g)
{
	const u32 n = s->run.nprograms;
	s->programs = xcalloc(n + 1, sizeof *s->programs);
	for (u32 i = 0; i < n; i++) {
		program_stats_of(g, i, &s->programs[i]);
		s->programs[i].of = s->run.programs[i];
	}
	programs_sharing(s->programs, n, &s->antt, &s->stp);
}

struct stats *stats_gather(struct gpu *g, const struct run_info *run)
{
	struct stats *s = stats_gather_counters(g, run);
	s->result_hash = devmem_result_hash(gpu_devmem(g));
	gather_programs(s, g);
	return s;
}

void stats_free(struct stats *s)
{
	if (!s)
		return;
	for (u32 g = 0; g < CG_COUNT; g++) {
		for (u32 i = 0; i < s->group[g].n; i++)
			free(s->group[g].instance[i].counters);
		free(s->group[g].instance);
		free(s->group[g].sum.counters);
	}
	free(s->energy_sms);
	free(s->energy_kernels);
	free(s->sched_stalls);
	free(s->kernels);
	free(s->programs);
	free(s);
}

double stats_rate(const struct stats *s, enum counter_group g, const char *name)
{
	for (u32 i = 0; i < rate_ndescs; i++)
		if (rate_descs[i].group == g && !strcmp(rate_descs[i].name, name))
			return rate_descs[i].value(s->group[g].sum.counters, &s->group[g].sum.env);
	BUG("no rate %s.%s", counter_group_names[g], name);
}

u64 stats_sum(const struct stats *s, enum counter_group g, const char *name)
{
	for (u32 i = 0; i < s->group[g].ncounters; i++)
		if (!strcmp(stats_counter(g, i)->name, name))
			return s->group[g].sum.counters[i];
	BUG("no counter %s.%s", counter_group_names[g], name);
}

struct tensor_figures stats_tensor(const struct stats *s, enum tensor_class t)
{
	const struct conf *c = s->conf;
	const struct tensor_counters *k = (const struct tensor_counters *)s->group[CG_tensor].sum.counters;
	const u64 macs = tensor_macs(k)[t];
	return (struct tensor_figures){.macs = macs,
	                               .tflops = quotient(2e-6 * (double)macs, s->sim_us),
	                               .peak_tflops =
	                                   2e-6 * tensor_rate(c, t) * c->sm_tensor_units * c->num_sms * c->core_clock};
}
