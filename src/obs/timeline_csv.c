#include "obs/timeline_csv.h"

#include <math.h>
#include <stdlib.h>

#include "obs/sample.h"

struct timeline_csv {
	struct gpu *g;
	FILE *f;
	struct sampler *sampler;
	struct sample *now; /* per scope; scope 0, the machine, is written */
	double peak_bytes;
	u64 written; /* cycle of the last row */
	struct strbuf text;
};

static void put_head(struct strbuf *out)
{
	strbuf_adds(out, "cycle,cycles");
	for (u32 i = 0; i < TS_COUNT; i++)
		strbuf_addf(out, i < TS_STALL ? ",%s" : ",stall %s", series_desc((enum series)i).name);
	strbuf_addc(out, '\n');
}

static void put_row(struct strbuf *out, u64 cycle, const struct sample *s, double peak_bytes)
{
	strbuf_addf(out, "%llu,%llu", (unsigned long long)cycle, (unsigned long long)s->cycles);
	for (u32 i = 0; i < TS_COUNT; i++) {
		double v = sample_value(s, (enum series)i, peak_bytes);
		if (isfinite(v))
			strbuf_addf(out, ",%.6g", v);
		else
			strbuf_addc(out, ',');
	}
	strbuf_addc(out, '\n');
}

void timeline_csv_text(const struct timeline *t, double peak_bytes, struct strbuf *out)
{
	put_head(out);
	for (u32 i = 0; i < timeline_len(t); i++)
		put_row(out, timeline_start(t) + (i + 1) * timeline_span(t), timeline_raw(t, -1, i), peak_bytes);
}

static void flush_text(struct timeline_csv *t)
{
	fwrite(strbuf_str(&t->text), 1, t->text.len, t->f);
	strbuf_clear(&t->text);
}

struct timeline_csv *timeline_csv_create(struct gpu *g, FILE *f)
{
	struct timeline_csv *t = xcalloc(1, sizeof *t);
	t->g = g;
	t->f = f;
	t->sampler = sampler_create(g);
	t->now = xcalloc(sampler_scopes(t->sampler), sizeof *t->now);
	t->peak_bytes = dram_peak_bytes(gpu_conf(g));
	t->written = gpu_cycle(g);
	put_head(&t->text);
	flush_text(t);
	return t;
}

void timeline_csv_sample(void *ctx, u64 cycle)
{
	struct timeline_csv *t = ctx;
	sampler_take(t->sampler, t->now);
	t->written = cycle;
	put_row(&t->text, cycle, &t->now[0], t->peak_bytes);
	flush_text(t);
}

bool timeline_csv_free(struct timeline_csv *t)
{
	if (gpu_cycle(t->g) > t->written)
		timeline_csv_sample(t, gpu_cycle(t->g));
	bool ok = fflush(t->f) == 0 && !ferror(t->f);
	sampler_free(t->sampler);
	strbuf_release(&t->text);
	free(t->now);
	free(t);
	return ok;
}
