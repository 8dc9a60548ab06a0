#include "obs/stats/slowdown.h"

#include <math.h>
#include <stdlib.h>

#include "gpu/query.h"
#include "ir/devmem.h"

/* From where it could have started to its end, or now; none while it waits for its stream. */
struct span {
	u64 from, to;
};

static struct span span_of(const struct gpu *g, const struct kernel_info *k)
{
	const u64 to = k->state == KS_DONE ? k->counters->ended_at : gpu_cycle(g);
	return (struct span){MIN(k->ready_at, to), to};
}

static bool overlap(struct span a, struct span b)
{
	return a.from < b.to && b.from < a.to;
}

static u64 what(const struct kernel_info *k)
{
	u64 h = 14695981039346656037u ^ k->launch->ctas;
	for (const char *c = k->name; *c; c++)
		h = (h ^ (u8)*c) * 1099511628211u;
	return h;
}

/* Warp instructions that nobody has made void. */
static u64 work_of(const struct kernel_info *k)
{
	return k->counters->warp_insts - k->counters->insts_dropped;
}

static u32 launches_before(const struct gpu *g, u32 launch, u32 program)
{
	u32 n = 0;
	for (u32 i = 0; i < launch; i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		n += k.program == program && !k.run;
	}
	return n;
}

void program_alone_of(const struct gpu *g, u32 program, struct program_alone *out)
{
	const u32 all = gpu_num_kernels(g);
	*out = (struct program_alone){.launch = xcalloc(launches_before(g, all, program) + 1, sizeof *out->launch)};
	for (u32 i = 0; i < all; i++) {
		struct kernel_info k;
		gpu_kernel_info(g, i, &k);
		if (k.program != program || k.run)
			continue;
		const struct span s = span_of(g, &k);
		out->launch[out->n++] = (struct launch_alone){what(&k), s.to - s.from, work_of(&k)};
	}
}

void program_alone_free(struct program_alone *a)
{
	free(a->launch);
	*a = (struct program_alone){0};
}

/* The number-th launch of its program's first run. */
static double slowdown(const struct gpu *g, const struct kernel_info *k, u32 number, const struct program_alone *alone)
{
	const struct program_alone *p = &alone[k->program];
	if (k->run || number >= p->n || !work_of(k))
		return NAN;
	const struct launch_alone *a = &p->launch[number];
	const struct span s = span_of(g, k);
	if (a->what != what(k) || !a->cycles || !a->warp_insts || s.to == s.from)
		return NAN;
	return (double)(s.to - s.from) / (double)work_of(k) / ((double)a->cycles / (double)a->warp_insts);
}

double launch_slowdown(const struct gpu *g, u32 launch, const struct program_alone *alone)
{
	struct kernel_info k;
	gpu_kernel_info(g, launch, &k);
	return slowdown(g, &k, launches_before(g, launch, k.program), alone);
}

double launch_antt(const struct gpu *g, u32 launch, const struct program_alone *alone)
{
	u32 number[OWNER_PROGRAMS] = {0}, n = 0;
	struct kernel_info of, k;
	double sum = 0;
	gpu_kernel_info(g, launch, &of);
	if (of.run || !work_of(&of))
		return NAN;
	const struct span s = span_of(g, &of);
	for (u32 i = 0; i < gpu_num_kernels(g); i++) {
		gpu_kernel_info(g, i, &k);
		if (k.run)
			continue;
		const u32 at = number[k.program]++;
		if (!work_of(&k) || !overlap(s, span_of(g, &k)))
			continue;
		sum += slowdown(g, &k, at, alone);
		n++;
	}
	return n ? sum / n : NAN;
}
