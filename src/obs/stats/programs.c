#include "obs/stats/programs.h"

#include <math.h>
#include <stdlib.h>

#include "gpu/query.h"
#include "ir/devmem.h"

static void add_kernel(struct program_stats *p, const struct gpu *g, const struct kernel_info *k)
{
	const struct kernel_counters *c = k->counters;
	u64 from, to;
	gpu_counted_range(g, &from, &to);
	const u64 begin = MAX(c->launched_at, from), end = c->ended_at && c->ended_at < to ? c->ended_at : to;
	p->begin = p->kernels++ ? MIN(p->begin, begin) : begin;
	p->end = MAX(p->end, MAX(begin, end));
	p->done &= k->state == KS_DONE;
	p->ctas += c->ctas_done;
	p->warp_insts += c->warp_insts;
	p->thread_insts += c->thread_insts;
	p->insts_dropped += c->insts_dropped;
	p->deadlines_met += c->deadlines_met;
	p->deadlines_missed += c->deadlines_missed;
}

void program_counters_of(const struct gpu *g, u32 program, struct program_stats *p)
{
	*p = (struct program_stats){.done = true};
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		if (k.program == program && !k.run)
			add_kernel(p, g, &k);
	}
}

void program_stats_of(struct gpu *g, u32 program, struct program_stats *p)
{
	program_counters_of(g, program, p);
	p->result_hash = devmem_owner_hash(gpu_devmem(g), OWNER(program, 0));
}

double program_cpi(const struct program_stats *p)
{
	const u64 insts = p->warp_insts - p->insts_dropped;
	return insts ? (double)(p->end - p->begin) / (double)insts : NAN;
}

double program_effective_ipc(const struct program_stats *p)
{
	return p->end > p->begin ? (double)(p->warp_insts - p->insts_dropped) / (double)(p->end - p->begin) : NAN;
}

void program_requests_text(const struct program_stats *p, struct strbuf *out)
{
	const u64 all = p->deadlines_met + p->deadlines_missed;
	if (all)
		strbuf_addf(out, "SMs in time for %llu of %llu request%s, effective IPC %.2f",
		            (unsigned long long)p->deadlines_met, (unsigned long long)all, all == 1 ? "" : "s",
		            program_effective_ipc(p));
}

double program_slowdown(const struct program_stats *p)
{
	const double cpi = program_cpi(p);
	return metric_antt(&cpi, &p->of.alone_cpi, 1);
}

static bool known(double v)
{
	return isfinite(v) && v > 0;
}

double metric_antt(const double *together, const double *alone, u32 n)
{
	double sum = 0;
	for (u32 i = 0; i < n; i++) {
		if (!known(together[i]) || !known(alone[i]))
			return NAN;
		sum += together[i] / alone[i];
	}
	return n ? sum / n : NAN;
}

double metric_stp(const double *together, const double *alone, u32 n)
{
	double sum = 0;
	for (u32 i = 0; i < n; i++) {
		if (!known(together[i]) || !known(alone[i]))
			return NAN;
		sum += alone[i] / together[i];
	}
	return n ? sum : NAN;
}

/* Those that have executed anything; how many. */
static u32 speeds(const struct program_stats *p, u32 n, double *together, double *alone)
{
	u32 of = 0;
	for (u32 i = 0; i < n; i++) {
		if (p[i].warp_insts == p[i].insts_dropped)
			continue;
		together[of] = program_cpi(&p[i]);
		alone[of++] = p[i].of.alone_cpi;
	}
	return of;
}

void programs_sharing(const struct program_stats *p, u32 n, double *antt, double *stp)
{
	double *together = xcalloc(n + 1, sizeof *together), *alone = xcalloc(n + 1, sizeof *alone);
	const u32 of = speeds(p, n, together, alone);
	*antt = metric_antt(together, alone, of);
	*stp = metric_stp(together, alone, of);
	free(together);
	free(alone);
}
