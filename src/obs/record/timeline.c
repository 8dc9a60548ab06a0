#include "obs/record/timeline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct timeline {
	struct sampler *sampler;
	u32 scopes, capacity;
	u64 period; /* cycles between timeline_sample calls, at least; divides span */
	u64 start;  /* cycle at creation */
	u64 span;   /* cycles of a stored sample: period << n */
	const struct conf *conf;
	u32 len;              /* complete samples */
	u64 filled;           /* cycles of the sample being filled that have passed */
	struct sample *marks; /* [capacity + 1][scopes]: the counters at the start of sample i, the one being filled too */
};

/* The counters themselves are kept, not what a sample has counted: the figures of any number of samples are one
 * subtraction away. */
static struct sample *mark(const struct timeline *t, u32 i)
{
	return t->marks + (size_t)i * t->scopes;
}

/* Nothing is recorded yet. */
static void begin(struct timeline *t)
{
	sampler_read(t->sampler, mark(t, 0));
	t->start = mark(t, 0)->cycles;
	t->filled = t->len = 0;
}

struct timeline *timeline_create(struct gpu *g, u64 period, u32 capacity)
{
	BUG_ON(!period || capacity < 4 || capacity % 2);
	struct timeline *t = xcalloc(1, sizeof *t);
	t->sampler = sampler_create(g);
	t->scopes = sampler_scopes(t->sampler);
	t->capacity = capacity;
	t->period = t->span = period;
	t->conf = gpu_conf(g);
	t->marks = xcalloc(((size_t)capacity + 1) * t->scopes, sizeof *t->marks);
	begin(t);
	return t;
}

void timeline_free(struct timeline *t)
{
	if (!t)
		return;
	sampler_free(t->sampler);
	free(t->marks);
	free(t);
}

/* Merges neighbours: half as many samples, each twice as long. */
static void halve(struct timeline *t)
{
	t->len /= 2;
	t->span *= 2;
	for (u32 i = 1; i <= t->len; i++)
		memcpy(mark(t, i), mark(t, 2 * i), t->scopes * sizeof *t->marks);
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
	if (cycle <= end)
		return; /* gone through again after going back */
	t->filled += cycle - end;
	if (t->filled < t->span)
		return;
	t->filled = 0;
	sampler_read(t->sampler, mark(t, ++t->len));
	if (t->len == t->capacity) /* at once: what is recorded ends with a whole sample, and the next may be as long */
		halve(t);
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

struct sample timeline_sum(const struct timeline *t, s32 sm, u32 from, u32 to)
{
	BUG_ON(sm < -1 || sm + 1 >= (s32)t->scopes);
	struct sample sum;
	to = MIN(to, t->len);
	from = MIN(from, to);
	sample_sub(&sum, &mark(t, to)[sm + 1], &mark(t, from)[sm + 1]);
	return sum;
}

double timeline_get(const struct timeline *t, s32 sm, enum series which, u32 i)
{
	BUG_ON(i >= t->len);
	return timeline_mean(t, sm, which, i, i + 1);
}

double timeline_mean(const struct timeline *t, s32 sm, enum series which, u32 from, u32 to)
{
	if (sm >= 0 && !series_of_sms(which))
		return NAN;
	struct sample sum = timeline_sum(t, sm, from, to);
	return sample_value(&sum, which, t->conf);
}

void timeline_fork(struct timeline *t, u64 cycle)
{
	if (end_of(t) <= cycle)
		return;
	if (cycle < t->start) {
		begin(t);
		return;
	}
	t->len = (u32)((cycle - t->start) / t->span);
	t->filled = cycle - t->start - t->len * t->span;
}
