#include "dbg/curves.h"

#include <stdlib.h>
#include <string.h>

#include "dbg/elsewhen.h"
#include "dbg/scope.h"
#include "obs/record/timeline.h"

static void curves_init(struct curves *c, struct gpu *g, u64 from, u64 to)
{
	*c = (struct curves){.from = from, .to = to, .width = CURVE_FINEST, .sms = gpu_conf(g)->num_sms};
	while ((to - from + c->width - 1) / c->width > CURVE_COLUMNS)
		c->width *= 2;
	c->n = (u32)((to - from + c->width - 1) / c->width);
	c->machine = xcalloc(c->n + 1, sizeof *c->machine);
	c->warp_cycles = xcalloc((size_t)c->n * c->sms + 1, sizeof *c->warp_cycles);
}

void curves_release(struct curves *c)
{
	free(c->machine);
	free(c->warp_cycles);
	*c = (struct curves){0};
}

double curves_middle(const struct curves *c, u32 column)
{
	const u64 begin = c->from + column * c->width;
	return ((double)begin + (double)MIN(begin + c->width, c->to)) / 2;
}

/* --- from the samples of the session ------------------------------------------------------------------------------ */

static bool kept_well(const struct timeline *t, const struct curves *c)
{
	const u64 whole = (c->to - c->from) / c->width; /* columns that are no shorter */
	return t && !c->from && !timeline_start(t) && timeline_span(t) <= c->width &&
	       timeline_len(t) * timeline_span(t) >= whole * c->width;
}

static void put_column(struct curves *c, u32 column, s32 sm, const struct sample *x)
{
	if (sm < 0)
		c->machine[column] = *x;
	else
		c->warp_cycles[(u32)sm * c->n + column] = x->warp_cycles;
}

/* The machine stands at the end of the part: what is behind the last whole column is its counters' rest. */
static void from_timeline(struct curves *c, struct gpu *g, const struct timeline *t)
{
	const u32 each = (u32)(c->width / timeline_span(t)), whole = (u32)((c->to - c->from) / c->width);
	struct sampler *s = sampler_create(g);
	struct sample *now = xcalloc(sampler_scopes(s), sizeof *now);
	sampler_read(s, now);
	for (s32 sm = -1; sm < (s32)c->sms; sm++) {
		struct sample x;
		for (u32 i = 0; i < whole; i++) {
			x = timeline_sum(t, sm, i * each, (i + 1) * each);
			put_column(c, i, sm, &x);
		}
		if (whole == c->n)
			continue;
		x = timeline_sum(t, sm, 0, whole * each);
		sample_sub(&x, &now[sm + 1], &x);
		put_column(c, whole, sm, &x);
	}
	free(now);
	sampler_free(s);
}

void curves_of_run(struct session *s, struct curves *out)
{
	curves_init(out, sim_gpu(s->sim), 0, sim_cycle(s->sim));
	if (kept_well(s->timeline, out))
		from_timeline(out, sim_gpu(s->sim), s->timeline);
	else
		out->n = 0;
}

/* --- by going through it again ------------------------------------------------------------------------------------ */

/* In the copy: the columns one after the other, each the machine's sample and then the warps of its SMs. */
static bool walk(struct debugger *d, void *ctx, struct strbuf *answer, struct err *e)
{
	const struct curves *c = ctx;
	struct sim *sim = d->s->sim;
	const struct sim_place end = sim_place(sim);
	if (!elsewhen_go(d, c->from, e))
		return false;
	struct sampler *s = sampler_create(sim_gpu(sim));
	struct sample *x = xcalloc(sampler_scopes(s), sizeof *x);
	bool ok = true;
	for (u32 i = 0; i < c->n && ok; i++) {
		const u64 cycle = MIN(c->from + (i + 1) * c->width, c->to);
		ok = sim_walk(sim, cycle == end.cycle ? end : sim_before_turns(sim, cycle), e);
		sampler_take(s, x);
		strbuf_add(answer, (const char *)x, sizeof *x);
		for (u32 sm = 0; sm < c->sms; sm++)
			strbuf_add(answer, (const char *)&x[sm + 1].warp_cycles, sizeof x->warp_cycles);
	}
	free(x);
	sampler_free(s);
	return ok;
}

static bool take_columns(struct curves *c, const struct strbuf *answer, struct err *e)
{
	const size_t column = sizeof *c->machine + c->sms * sizeof *c->warp_cycles;
	if (answer->len != c->n * column)
		return err_set(e, "the process that went through the run again has not come to its end");
	for (u32 i = 0; i < c->n; i++) {
		const char *at = answer->buf + i * column;
		memcpy(&c->machine[i], at, sizeof *c->machine);
		at += sizeof *c->machine;
		for (u32 sm = 0; sm < c->sms; sm++, at += sizeof *c->warp_cycles)
			memcpy(&c->warp_cycles[sm * c->n + i], at, sizeof *c->warp_cycles);
	}
	return true;
}

bool curves_gather(struct debugger *d, struct curves *out, struct err *e)
{
	u64 from = 0, to = sim_cycle(d->s->sim);
	const bool scoped = scope_range(d, &from, &to);
	curves_init(out, dbg_gpu(d), from, MAX(from, to));
	if (!scoped && kept_well(d->s->timeline, out)) {
		from_timeline(out, dbg_gpu(d), d->s->timeline);
		return true;
	}
	struct strbuf answer = STRBUF_INIT;
	const bool ok = !out->n || (elsewhen(d, walk, out, &answer, e) && take_columns(out, &answer, e));
	strbuf_release(&answer);
	if (!ok)
		curves_release(out);
	return ok;
}
