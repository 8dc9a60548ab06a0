/* Which of hundreds of differences tell most, and how a row's figures read. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/words.h"
#include "obs/compare/delta.h"

#define SMALL_COUNT 1000.0 /* a change of a count this small weighs half */
#define COUNT_WEIGHT 0.25  /* most counts follow from the work that was done */
#define SHARE_WEIGHT 2.0   /* ten points of a share weigh as much as a fifth of a figure */

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

static bool is_share(const struct delta *d)
{
	return !d->whole && !*d->unit;
}

/* Said already by another row. */
static bool repeats(const struct delta *d)
{
	bool by_group = begins(d->name, "stalls.") && !begins(d->name, "stalls.base.");
	return by_group || begins(d->name, "kernel.") || !strcmp(d->name, "sm.ipc") ||
	       !strcmp(d->name, "run.sim_time_us") || strstr(d->name, ".miss_rate");
}

/* What both runs have done altogether, that counts are measured by. */
struct measure {
	double slots; /* of both */
	double insts_a, insts_b;
};

/* How much more often it happens per instruction, 0..1. */
static double count_relevance(const struct delta *d, const struct measure *m)
{
	double a = d->a, b = d->b, most = MAX(a, b), per_a = a / MAX(m->insts_a, 1), per_b = b / MAX(m->insts_b, 1);
	return COUNT_WEIGHT * fabs(per_b - per_a) / MAX(per_a, per_b) * most / (most + SMALL_COUNT);
}

static double relevance(const struct delta *d, const struct measure *m)
{
	double change = fabs(delta_value(d)), most = MAX(fabs(d->a), fabs(d->b));
	if (!strcmp(d->name, "run.ipc"))
		return 1e6;
	if (!strcmp(d->name, "run.cycles"))
		return 1e5;
	if (is_share(d))
		return SHARE_WEIGHT * change;
	if (begins(d->name, "stalls."))
		return m->slots > 0 ? 2 * SHARE_WEIGHT * change / m->slots : 0;
	return d->whole ? count_relevance(d, m) : change / most;
}

static struct measure measure_of(const struct deltas *d)
{
	const struct delta *insts = deltas_find(d, "run.warp_insts");
	struct measure m = {.insts_a = insts->a, .insts_b = insts->b};
	for (u32 i = 0; i < d->n; i++)
		if (begins(d->d[i].name, "stalls.base."))
			m.slots += d->d[i].a + d->d[i].b;
	return m;
}

struct ranked {
	const struct delta *d;
	double weight;
};

static int by_weight(const void *pa, const void *pb)
{
	const struct ranked *a = pa, *b = pb;
	if (a->weight != b->weight)
		return a->weight > b->weight ? -1 : 1;
	return strcmp(a->d->name, b->d->name);
}

u32 deltas_by_relevance(const struct deltas *d, const struct delta **out)
{
	struct ranked *r = xcalloc(d->n + 1, sizeof *r);
	struct measure m = measure_of(d);
	u32 n = 0;
	for (u32 i = 0; i < d->n; i++) {
		const struct delta *x = &d->d[i];
		double change = delta_value(x);
		if (!repeats(x) && isfinite(change) && change != 0)
			r[n++] = (struct ranked){x, relevance(x, &m)};
	}
	qsort(r, n, sizeof *r, by_weight);
	for (u32 i = 0; i < n; i++)
		out[i] = r[i].d;
	free(r);
	return n;
}

const char *delta_text(const struct delta *d, u32 side, char out[32])
{
	double v = side == 0 ? d->a : side == 1 ? d->b : delta_value(d);
	const char *sign = side < 2 ? "" : v > 0 ? "+" : v < 0 ? "-" : "";
	char digits[GROUPED_MAX];
	if (!isfinite(v)) {
		snprintf(out, 32, "-");
		return out;
	}
	double size = side < 2 ? v : fabs(v);
	if (d->whole) {
		u64 change = d->whole_b > d->whole_a ? d->whole_b - d->whole_a : d->whole_a - d->whole_b;
		grouped(side == 0 ? d->whole_a : side == 1 ? d->whole_b : change, digits);
		snprintf(out, 32, "%s%s", sign, digits);
	} else if (is_share(d)) {
		snprintf(out, 32, side < 2 ? "%s%.1f %%" : "%s%.1f pt", sign, 100 * size);
	} else {
		snprintf(out, 32, fabs(v) >= 1000 ? "%s%.0f" : fabs(v) >= 100 ? "%s%.1f" : "%s%.3f", sign, size);
	}
	return out;
}
