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
};

struct timeline_csv *timeline_csv_create(struct gpu *g, FILE *f)
{
	struct timeline_csv *t = xcalloc(1, sizeof *t);
	t->g = g;
	t->f = f;
	t->sampler = sampler_create(g);
	t->now = xcalloc(sampler_scopes(t->sampler), sizeof *t->now);
	t->peak_bytes = dram_peak_bytes(gpu_conf(g));
	t->written = gpu_cycle(g);
	fputs("cycle,cycles", f);
	for (u32 i = 0; i < TS_COUNT; i++)
		fprintf(f, i < TS_STALL ? ",%s" : ",stall %s", series_desc((enum series)i).name);
	fputc('\n', f);
	return t;
}

void timeline_csv_sample(void *ctx, u64 cycle)
{
	struct timeline_csv *t = ctx;
	sampler_take(t->sampler, t->now);
	t->written = cycle;
	fprintf(t->f, "%llu,%llu", (unsigned long long)cycle, (unsigned long long)t->now[0].cycles);
	for (u32 i = 0; i < TS_COUNT; i++) {
		double v = sample_value(&t->now[0], (enum series)i, t->peak_bytes);
		if (isfinite(v))
			fprintf(t->f, ",%.6g", v);
		else
			fputc(',', t->f);
	}
	fputc('\n', t->f);
}

bool timeline_csv_free(struct timeline_csv *t)
{
	if (gpu_cycle(t->g) > t->written)
		timeline_csv_sample(t, gpu_cycle(t->g));
	bool ok = fflush(t->f) == 0 && !ferror(t->f);
	sampler_free(t->sampler);
	free(t->now);
	free(t);
	return ok;
}
