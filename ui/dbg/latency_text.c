/* Latencies of loads in words. */
#include "base/words.h"
#include "dbg/latencies.h"
#include "obs/name/names.h"

#define BAR 40u

static const char *number(u64 v)
{
	static char text[8][GROUPED_MAX];
	static u32 turn;
	return grouped(v, text[turn = (turn + 1) % 8]);
}

static double mean(u64 sum, u64 n)
{
	return n ? (double)sum / (double)n : 0;
}

static void of_text(const char *name, const struct latency_of *o, struct strbuf *out)
{
	strbuf_addf(out, "%-11s %12s %10.1f %8s %8s %8s %8s\n", name, number(o->loads), mean(o->cycles, o->loads),
	            number(latency_percentile(o, 50)), number(latency_percentile(o, 90)), number(latency_percentile(o, 99)),
	            number(o->max));
}

/* Columns by what answered, if loads were answered by several. */
static void hops_text(const struct latency *l, struct strbuf *out)
{
	strbuf_addf(out, "\n%-12s %9s %6s", "mean by hop", "all", "%");
	for (u32 k = 0; k < WAY_LEVELS; k++)
		if (l->level[k].loads)
			strbuf_addf(out, " %10s", way_level_names[k]);
	strbuf_addc(out, '\n');
	for (u32 i = 0; i < HOP_COUNT; i++) {
		if (!l->all.hop[i])
			continue;
		strbuf_addf(out, "%-12s %9.1f %6.1f", hop_descs[i].name, mean(l->all.hop[i], l->all.loads),
		            100 * mean(l->all.hop[i], l->all.cycles));
		for (u32 k = 0; k < WAY_LEVELS; k++)
			if (l->level[k].loads)
				strbuf_addf(out, " %10.1f", mean(l->level[k].hop[i], l->level[k].loads));
		strbuf_addc(out, '\n');
	}
}

/* Powers of two. */
static void histogram_text(const struct latency_of *o, struct strbuf *out)
{
	u64 most = 0, n[65] = {0};
	u32 first = 64, last = 0;
	for (u64 c = 0; c < o->size; c++) {
		const u32 at = c ? 64 - (u32)__builtin_clzll(c) : 0;
		if (!o->with[c])
			continue;
		n[at] += o->with[c];
		most = MAX(most, n[at]);
		first = MIN(first, at);
		last = MAX(last, at);
	}
	strbuf_addf(out, "\n%-19s %12s\n", "cycles", "loads");
	for (u32 i = first; i <= last; i++) {
		const u64 low = i ? 1ull << (i - 1) : 0, high = i ? 2 * low - 1 : 0;
		strbuf_addf(out, "%8s - %8s %12s ", number(low), number(high), number(n[i]));
		for (u32 k = 0; k < (n[i] * BAR + most - 1) / most; k++)
			strbuf_addc(out, '#');
		strbuf_addc(out, '\n');
	}
}

void latency_text(const struct latency *l, struct strbuf *out)
{
	strbuf_addf(out, "%s load%s", number(l->all.loads), plural(l->all.loads));
	if (l->all.loads)
		strbuf_addf(out, " with %s transaction%s", number(l->txns), plural(l->txns));
	if (l->pending)
		strbuf_addf(out, "; %s still under way", number(l->pending));
	if (l->dropped)
		strbuf_addf(out, "; %s dropped with %s CTA", number(l->dropped), l->dropped == 1 ? "its" : "their");
	strbuf_adds(out, ".\n");
	if (!l->all.loads)
		return;
	strbuf_addf(out, "\n%-11s %12s %10s %8s %8s %8s %8s\n", "answered by", "loads", "mean", "p50", "p90", "p99", "max");
	for (u32 k = 0; k < WAY_LEVELS; k++)
		if (l->level[k].loads)
			of_text(way_level_names[k], &l->level[k], out);
	of_text("all", &l->all, out);
	hops_text(l, out);
	histogram_text(&l->all, out);
}

/* The two hops in which a line's loads spent most. */
static void most_text(const struct latency_of *o, struct strbuf *out)
{
	u32 best = HOP_COUNT, second = HOP_COUNT;
	for (u32 i = 0; i < HOP_COUNT; i++)
		if (best == HOP_COUNT || o->hop[i] > o->hop[best]) {
			second = best;
			best = i;
		} else if (second == HOP_COUNT || o->hop[i] > o->hop[second]) {
			second = i;
		}
	strbuf_addf(out, "%s %.0f %%", hop_descs[best].name, 100 * mean(o->hop[best], o->cycles));
	if (o->hop[second])
		strbuf_addf(out, ", %s %.0f %%", hop_descs[second].name, 100 * mean(o->hop[second], o->cycles));
}

void latency_lines_text(const struct latency *l, u32 n, struct strbuf *out)
{
	strbuf_addf(out, "%-24s %14s %6s %10s %9s %7s %7s %5s %5s  %s\n", "line", "load cycles", "%", "loads", "mean",
	            "p99", "max", "L1 %", "DRAM%", "most of it");
	for (u32 i = 0; i < MIN(n, l->nlines); i++) {
		const struct latency_line *x = &l->line[i];
		struct strbuf place = STRBUF_INIT;
		line_place(x->module, x->pc, &place);
		strbuf_addf(out, "%-24s %14s %6.1f %10s %9.1f %7s %7s %5.0f %5.0f  ", strbuf_str(&place), number(x->of.cycles),
		            100 * mean(x->of.cycles, l->all.cycles), number(x->of.loads), mean(x->of.cycles, x->of.loads),
		            number(latency_percentile(&x->of, 99)), number(x->of.max),
		            100 * mean(x->by_level[WAY_L1], x->of.loads), 100 * mean(x->by_level[WAY_DRAM], x->of.loads));
		most_text(&x->of, out);
		strbuf_addc(out, '\n');
		strbuf_release(&place);
	}
	if (l->nlines > n)
		strbuf_addf(out, "%u more line%s.\n", l->nlines - n, plural(l->nlines - n));
}
