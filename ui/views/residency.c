#include "views/residency.h"

#include <stdlib.h>
#include <string.h>

#define CTAS_MAX 64 /* more than sm.ctas allows */

/* CTAs of the launch in slot i, counted over the slots behind it. */
static u32 count_launch(const struct cta_info *c, u32 n, u32 i)
{
	u32 same = 0;
	for (u32 k = i; k < n; k++)
		same += c[k].launch == c[i].launch;
	return same;
}

struct resident residency_now(struct gpu *g, u32 sm, u32 *insts)
{
	struct cta_info c[CTAS_MAX];
	u32 n = 0, slots = MIN(gpu_conf(g)->sm_ctas, (u32)CTAS_MAX);
	struct resident r = {0};
	for (u32 s = 0; s < slots; s++) {
		gpu_cta_info(g, sm, s, &c[n]);
		if (insts)
			insts[s] = c[n].used ? (u32)MIN(c[n].insts + 1, (u64)UINT32_MAX) : 0;
		n += c[n].used;
	}
	for (u32 i = 0; i < n; i++) {
		if (i && c[i].launch == r.launch)
			continue;
		u32 same = count_launch(c, n, i);
		if (same > r.most) {
			r.most = (u16)same;
			r.launch = c[i].launch;
		}
	}
	r.ctas = (u16)n;
	r.limit = (u16)(n ? gpu_cta_limit(g, r.launch, sm) : 0);
	return r;
}

/* Keeps the samples at multiples of twice the span. */
static void thin_out(struct residency *r)
{
	u32 from = r->first % (2 * r->span) ? 1 : 0, kept = 0;
	r->first += from * r->span;
	const size_t sms = r->sms, all = sms * r->slots;
	for (u32 i = from; i < r->n; i += 2, kept++) {
		memmove(&r->at[kept * sms], &r->at[i * sms], sms * sizeof *r->at);
		memmove(&r->insts[kept * all], &r->insts[i * all], all * sizeof *r->insts);
	}
	r->n = kept;
	r->span *= 2;
	sim_set_sampler(r->sim, r->id, r->span);
}

static void on_sample(void *ctx, u64 cycle)
{
	struct residency *r = ctx;
	if (r->n == RESIDENCY_SAMPLES)
		thin_out(r);
	if (cycle % r->span) /* the first call after thinning out */
		return;
	if (r->n && cycle < r->first + r->n * r->span) /* again, after going back */
		return;
	if (!r->n)
		r->first = cycle;
	for (u32 sm = 0; sm < r->sms; sm++) {
		const size_t i = (size_t)r->n * r->sms + sm;
		r->at[i] = residency_now(sim_gpu(r->sim), sm, &r->insts[i * r->slots]);
	}
	r->n++;
}

/* What came after may come differently. */
static void on_fork(void *ctx, u64 cycle)
{
	struct residency *r = ctx;
	if (r->n && cycle < r->first + r->n * r->span)
		r->n = cycle < r->first ? 0 : (u32)((cycle - r->first) / r->span) + 1;
}

void residency_attach(struct residency *r, struct sim *s)
{
	*r = (struct residency){.sim = s, .span = RESIDENCY_CYCLES, .sms = gpu_conf(sim_gpu(s))->num_sms};
	r->slots = MIN(gpu_conf(sim_gpu(s))->sm_ctas, (u32)CTAS_MAX);
	r->insts = xcalloc((size_t)RESIDENCY_SAMPLES * r->sms * r->slots, sizeof *r->insts); /* touched as they come */
	r->at = xcalloc((size_t)RESIDENCY_SAMPLES * r->sms, sizeof *r->at);
	r->id = sim_add_sampler(s, RESIDENCY_CYCLES, on_sample, r);
	sim_hear_again(s, r->id); /* on_sample() knows what it has had */
	sim_on_fork(s, r->id, on_fork);
}

void residency_forget(struct residency *r)
{
	free(r->at);
	free(r->insts);
	*r = (struct residency){0};
}

void residency_detach(struct residency *r)
{
	if (r->sim)
		sim_set_sampler(r->sim, r->id, 0);
	residency_forget(r);
}

/* The index of the sample nearest to a cycle; -1 = none within a span of it. */
static s64 nearest(const struct residency *r, u64 cycle)
{
	u64 last = r->n ? r->first + (r->n - 1) * r->span : 0;
	if (!r->n || cycle + r->span < r->first || cycle > last + r->span)
		return -1;
	u64 i = cycle <= r->first ? 0 : (cycle - r->first + r->span / 2) / r->span;
	return (s64)MIN(i, (u64)r->n - 1);
}

const struct resident *residency_at(const struct residency *r, u32 sm, u64 cycle)
{
	const s64 i = nearest(r, cycle);
	return i < 0 ? NULL : &r->at[(u64)i * r->sms + sm];
}

const u32 *residency_insts(const struct residency *r, u32 sm, u64 cycle)
{
	const s64 i = nearest(r, cycle);
	return i < 0 ? NULL : &r->insts[((u64)i * r->sms + sm) * r->slots];
}
