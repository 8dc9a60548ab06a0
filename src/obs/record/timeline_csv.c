#include "obs/record/timeline_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "obs/stats/sample.h"

struct timeline_csv {
	struct gpu *g;
	struct tape *to;
	struct sampler *sampler;
	u64 written;        /* where the last row ended */
	u64 farthest;       /* the cycle left for the past; 0 = none */
	struct sample rest; /* from the last row to there */
	struct strbuf text;
};

static void put_head(struct strbuf *out)
{
	strbuf_adds(out, "cycle,cycles");
	for (u32 i = 0; i < TS_COUNT; i++)
		strbuf_addf(out, i < TS_STALL ? ",%s" : ",stall %s", series_desc((enum series)i).name);
	strbuf_addc(out, '\n');
}

static void put_row(struct strbuf *out, u64 cycle, const struct sample *s, const struct conf *c)
{
	strbuf_addf(out, "%llu,%llu", (unsigned long long)cycle, (unsigned long long)s->cycles);
	for (u32 i = 0; i < TS_COUNT; i++) {
		double v = sample_value(s, (enum series)i, c);
		if (isfinite(v))
			strbuf_addf(out, ",%.6g", v);
		else
			strbuf_addc(out, ',');
	}
	strbuf_addc(out, '\n');
}

void timeline_csv_text(const struct timeline *t, const struct conf *c, struct strbuf *out)
{
	put_head(out);
	for (u32 i = 0; i < timeline_len(t); i++) {
		struct sample s = timeline_sum(t, -1, i, i + 1);
		put_row(out, timeline_start(t) + (i + 1) * timeline_span(t), &s, c);
	}
}

/* An entry's record is where the row before it ended. */
static void put_text(struct timeline_csv *t, u64 clock)
{
	tape_add(t->to, clock, &t->text, &t->written);
	strbuf_clear(&t->text);
}

static void write_row(struct timeline_csv *t, u64 cycle, const struct sample *s)
{
	put_row(&t->text, cycle, s, gpu_conf(t->g));
	put_text(t, cycle);
	t->written = cycle;
}

struct timeline_csv *timeline_csv_create(struct gpu *g, struct tape *to)
{
	struct timeline_csv *t = xcalloc(1, sizeof *t);
	t->g = g;
	t->to = to;
	t->sampler = sampler_create_machine(g);
	t->written = gpu_cycle(g);
	put_head(&t->text);
	put_text(t, t->written);
	return t;
}

void timeline_csv_sample(void *ctx, u64 cycle)
{
	struct timeline_csv *t = ctx;
	struct sample now;
	sampler_take(t->sampler, &now);
	if (cycle > t->written) /* else gone through again after going back */
		write_row(t, cycle, &now);
}

void *timeline_csv_keep(void *ctx)
{
	struct timeline_csv *t = ctx;
	return sampler_keep(t->sampler);
}

void timeline_csv_recall(void *ctx, const void *kept, u64 cycle)
{
	struct timeline_csv *t = ctx;
	sampler_recall(t->sampler, kept);
}

void timeline_csv_leave(void *ctx, u64 cycle)
{
	struct timeline_csv *t = ctx;
	t->farthest = cycle;
	sampler_peek(t->sampler, &t->rest);
}

static void undone(void *ctx, const void *record, u64 began)
{
	struct timeline_csv *t = ctx;
	memcpy(&t->written, record, sizeof t->written);
}

void timeline_csv_fork(void *ctx, u64 cycle)
{
	struct timeline_csv *t = ctx;
	tape_cut(t->to, cycle, undone, t);
	t->farthest = 0;
}

void timeline_csv_free(struct timeline_csv *t)
{
	if (!t)
		return;
	u64 now = gpu_cycle(t->g);
	if (t->farthest > now && t->farthest > t->written)
		write_row(t, t->farthest, &t->rest);
	else if (now > t->written)
		timeline_csv_sample(t, now);
	sampler_free(t->sampler);
	strbuf_release(&t->text);
	free(t);
}
