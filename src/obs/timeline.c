#include "obs/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct timeline {
	struct sampler *sampler;
	u32 scopes, capacity;
	u64 period;           /* cycles between timeline_sample calls, at least; divides span */
	u64 start;            /* cycle at creation */
	u64 span;             /* cycles of a stored sample: period << n */
	double peak_bytes;    /* DRAM bytes per cycle at peak */
	u32 len;              /* complete samples */
	u64 filled;           /* cycles of the sample being filled that have passed */
	struct sample *store; /* [capacity][scopes] */
	struct sample *open;  /* [scopes]: the sample being filled */
	struct sample *fresh; /* [scopes]: scratch */
};

static struct sample *row(const struct timeline *t, u32 i)
{
	return t->store + (size_t)i * t->scopes;
}

struct timeline *timeline_create(struct gpu *g, u64 period, u32 capacity)
{
	BUG_ON(!period || capacity < 4 || capacity % 2);
	struct timeline *t = xcalloc(1, sizeof *t);
	t->sampler = sampler_create(g);
	t->scopes = sampler_scopes(t->sampler);
	t->capacity = capacity;
	t->period = t->span = period;
	t->start = gpu_cycle(g);
	t->peak_bytes = dram_peak_bytes(gpu_conf(g));
	t->store = xcalloc((size_t)capacity * t->scopes, sizeof *t->store);
	t->open = xcalloc(t->scopes, sizeof *t->open);
	t->fresh = xcalloc(t->scopes, sizeof *t->fresh);
	return t;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	sampler_free(t->sampler);
	free(t->store);
	free(t->open);
	free(t->fresh);
	free(t);
}

/* Merges neighbours: half as many samples, each twice as long. */
static void halve(struct timeline *t)
{
	for (u32 i = 0; i < t->len / 2; i++)
		for (u32 s = 0; s < t->scopes; s++) {
			struct sample sum = row(t, 2 * i)[s];
			sample_add(&sum, &row(t, 2 * i + 1)[s]);
			row(t, i)[s] = sum;
		}
	t->len /= 2;
	t->span *= 2;
}

/* A full store is halved at once, so that what is recorded ends with a whole sample and the next may be as long. */
static void close_open(struct timeline *t)
{
	t->filled = 0;
	for (u32 s = 0; s < t->scopes; s++) {
		row(t, t->len)[s] = t->open[s];
		t->open[s] = (struct sample){0};
	}
	t->len++;
	if (t->len == t->capacity)
		halve(t);
}

/* Up to where the run has been recorded. */
static u64 end_of(const struct timeline *t)
{
	return t->start + t->len * t->span + t->filled;
}

void timeline_sample(void *ctx, u64 cycle)
{
	struct timeline *t = ctx;
	u64 end = end_of(t);
	sampler_take(t->sampler, t->fresh);
	if (cycle <= end)
		return; /* gone through again after going back */
	t->filled += cycle - end;
	for (u32 s = 0; s < t->scopes; s++)
		sample_add(&t->open[s], &t->fresh[s]);
	if (t->filled >= t->span)
		close_open(t);
}

bool timeline_coarser(struct timeline *t, u64 *period)
{
	if (t->filled || t->period == t->span)
		return false;
	*period = t->period = t->span;
	return true;
}

u32 timeline_len(const struct timeline *t)
{
	return t->len;
}
u64 timeline_span(const struct timeline *t)
{
	return t->span;
}
u64 timeline_start(const struct timeline *t)
{
	return t->start;
}

const struct sample *timeline_raw(const struct timeline *t, s32 sm, u32 i)
{
	BUG_ON(i >= t->len || sm < -1 || sm + 1 >= (s32)t->scopes);
	return &row(t, i)[sm + 1];
}

static bool kept(s32 sm, enum series which)
{
	return sm < 0 || (which != TS_L2_HIT && which != TS_DRAM_BW);
}

double timeline_get(const struct timeline *t, s32 sm, enum series which, u32 i)
{
	return kept(sm, which) ? sample_value(timeline_raw(t, sm, i), which, t->peak_bytes) : NAN;
}

double timeline_mean(const struct timeline *t, s32 sm, enum series which, u32 from, u32 to)
{
	struct sample sum = {0};
	if (!kept(sm, which))
		return NAN;
	for (u32 i = from; i < to && i < t->len; i++)
		sample_add(&sum, timeline_raw(t, sm, i));
	return sample_value(&sum, which, t->peak_bytes);
}

void *timeline_keep(void *ctx)
{
	struct timeline *t = ctx;
	return sampler_keep(t->sampler);
}

void timeline_recall(void *ctx, const void *kept, u64 cycle)
{
	struct timeline *t = ctx;
	sampler_recall(t->sampler, kept);
}

void timeline_fork(struct timeline *t, u64 cycle)
{
	u64 last = MAX(cycle / t->period * t->period, t->start); /* the sampler's last call up to here */
	if (end_of(t) <= last)
		return;
	t->len = (u32)((last - t->start) / t->span);
	t->filled = last - t->start - t->len * t->span;
	memset(t->open, 0, t->scopes * sizeof *t->open);
}
