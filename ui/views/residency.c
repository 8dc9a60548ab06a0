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

struct resident residency_now(struct gpu *g, u32 sm)
{
	struct cta_info c[CTAS_MAX];
	u32 n = 0, slots = MIN(gpu_conf(g)->sm_ctas, (u32)CTAS_MAX);
	struct resident r = {0};
	for (u32 s = 0; s < slots; s++) {
		gpu_cta_info(g, sm, s, &c[n]);
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
	return r;
}

/* Keeps the samples at multiples of twice the span. */
static void thin_out(struct residency *r)
{
	u32 from = r->first % (2 * r->span) ? 1 : 0, kept = 0;
	r->first += from * r->span;
	for (u32 i = from; i < r->n; i += 2)
		memmove(&r->at[kept++ * r->sms], &r->at[i * r->sms], r->sms * sizeof *r->at);
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
	for (u32 sm = 0; sm < r->sms; sm++)
		r->at[r->n * r->sms + sm] = residency_now(sim_gpu(r->sim), sm);
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
	r->at = xcalloc((size_t)RESIDENCY_SAMPLES * r->sms, sizeof *r->at);
	r->id = sim_add_sampler(s, RESIDENCY_CYCLES, on_sample, r);
	sim_hear_again(s, r->id); /* on_sample() knows what it has had */
	sim_on_fork(s, r->id, on_fork);
}

void residency_forget(struct residency *r)
{
	free(r->at);
	*r = (struct residency){0};
}

void residency_detach(struct residency *r)
{
	if (r->sim)
		sim_set_sampler(r->sim, r->id, 0);
	residency_forget(r);
}

const struct resident *residency_at(const struct residency *r, u32 sm, u64 cycle)
{
	u64 last = r->n ? r->first + (r->n - 1) * r->span : 0;
	if (!r->n || cycle + r->span < r->first || cycle > last + r->span)
		return NULL;
	u64 i = cycle <= r->first ? 0 : (cycle - r->first + r->span / 2) / r->span;
	return &r->at[MIN(i, (u64)r->n - 1) * r->sms + sm];
}
