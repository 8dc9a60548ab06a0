/* Reuse distances in words. */
#include <stdio.h>
#include <string.h>

#include "base/bits.h"
#include "base/words.h"
#include "dbg/reuses.h"
#include "obs/name/names.h"

#define BAR 24u

static const char *number(u64 v)
{
	static char text[8][GROUPED_MAX];
	static u32 turn;
	return grouped(v, text[turn = (turn + 1) % 8]);
}

static double share(u64 n, u64 of)
{
	return of ? 100 * (double)n / (double)of : 0;
}

static void bar(u64 n, u64 most, struct strbuf *out)
{
	if (n)
		strbuf_adds(out, "  ");
	for (u64 k = 0; most && k < (n * BAR + most - 1) / most; k++)
		strbuf_addc(out, '#');
	strbuf_addc(out, '\n');
}

static u64 sum(const u64 *bin)
{
	u64 n = 0;
	for (u32 i = 0; i < REUSE_BINS; i++)
		n += bin[i];
	return n;
}

/* Kinds that there are any of. */
static u32 kinds_of(const struct reuse_hist *h)
{
	u32 mask = 0;
	for (u32 k = 0; k < REUSE_KINDS; k++)
		mask |= sum(h->kind[k]) ? 1u << k : 0;
	return mask;
}

static void heading(const struct reuse *r, const struct reuse_hist *h, enum reuse_level level, s32 unit,
                    struct strbuf *out)
{
	const u32 lines = r->lines[level];
	const char *const one = level == REUSE_L1D ? "L1D of SM" : "L2 slice";
	if (unit >= 0)
		strbuf_addf(out, "%s %d: %s lines", one, unit, number(lines));
	else
		strbuf_addf(out, "%s, %u with %s lines each", level == REUSE_L1D ? "L1D of all SMs" : "L2, all slices",
		            r->n[level], number(lines));
	strbuf_addf(out, "\n  %s accesses: %s use a line, ", number(h->accesses), number(h->lookups));
	strbuf_addf(out, "%s pass (writes through, atomics, reads past it)\n", number(h->passed));
	if (h->lookups)
		strbuf_addf(out, "  %.1f %% hit or merged, as measured", share(h->hits, h->lookups));
	if (h->lookups && lines == 1u << log2_floor(lines))
		strbuf_addf(out, "; fully associative LRU of as many lines: %.1f %%",
		            share(reuse_hits(h, log2_floor(lines)), h->lookups));
	strbuf_adds(out, h->lookups ? "\n" : "");
}

static void range(u32 bin, char text[40])
{
	const u64 from = reuse_bin_from(bin), to = bin ? 2 * from - 1 : 0;
	if (from == to)
		snprintf(text, 40, "%s", number(from));
	else
		snprintf(text, 40, "%s - %s", number(from), number(to));
}

static void row(const char *name, u64 n, const struct reuse_hist *h, struct strbuf *out)
{
	strbuf_addf(out, "  %-19s %12s %6.1f", name, number(n), share(n, h->lookups));
}

void reuse_text(const struct reuse *r, enum reuse_level level, s32 unit, struct strbuf *out)
{
	const struct reuse_hist *h = unit < 0 ? &r->all[level] : &r->of[level][unit];
	const u32 kinds = kinds_of(h);
	u64 most = MAX(h->cold, h->removed);
	u32 last = 0;
	heading(r, h, level, unit, out);
	if (!h->lookups)
		return;
	for (u32 i = 0; i < REUSE_BINS; i++) {
		most = MAX(most, h->bin[i]);
		last = h->bin[i] ? i : last;
	}
	strbuf_addf(out, "\n  %-19s %12s %6s %12s %6s", "distance (lines)", "accesses", "%", "LRU of lines", "hits %");
	for (u32 k = 0; k < REUSE_KINDS; k++)
		if (kinds >> k & 1)
			strbuf_addf(out, "  %s", reuse_names[k]);
	strbuf_addc(out, '\n');
	for (u32 i = 0; i <= last; i++) {
		char text[40];
		range(i, text);
		row(text, h->bin[i], h, out);
		strbuf_addf(out, " %12s %6.1f", number(BIT(i)), share(reuse_hits(h, i), h->lookups));
		for (u32 k = 0; k < REUSE_KINDS; k++)
			if (kinds >> k & 1)
				strbuf_addf(out, "  %*s", (int)strlen(reuse_names[k]), number(h->kind[k][i]));
		bar(h->bin[i], most, out);
	}
	if (h->removed) {
		row("removed since", h->removed, h, out);
		strbuf_adds(out, "\n");
	}
	row("cold", h->cold, h, out);
	strbuf_adds(out, "\n");
}

/* The least power of two of lines with which an LRU cache would hit at least nine tenths of what any size hits. */
static u32 enough(const struct reuse_hist *h)
{
	const u64 all = sum(h->bin);
	u32 k = 0;
	while (k + 1 < REUSE_BINS && (double)reuse_hits(h, k) < 0.9 * (double)all)
		k++;
	return k;
}

void reuse_lines_text(const struct reuse *r, u32 n, struct strbuf *out)
{
	const u32 lines = log2_floor(r->lines[REUSE_L1D]);
	strbuf_addf(out, "%-24s %12s %6s %6s %8s %6s %6s %6s %6s %12s\n", "line", "L1D accesses", "%", "hit %", "LRU hit %",
	            "cold %", "warp %", "CTA %", "SM %", "90 % within");
	for (u32 i = 0; i < MIN(n, r->nlines); i++) {
		const struct reuse_line *x = &r->line[i];
		const struct reuse_hist *h = &x->of[REUSE_L1D];
		struct strbuf place = STRBUF_INIT;
		line_place(x->module, x->pc, &place);
		strbuf_addf(out, "%-24s %12s %6.1f ", strbuf_str(&place), number(h->accesses),
		            share(h->accesses, r->all[REUSE_L1D].accesses));
		if (h->lookups)
			strbuf_addf(out, "%6.1f %8.1f  %6.1f %6.1f %6.1f %6.1f %12s\n", share(h->hits, h->lookups),
			            share(reuse_hits(h, lines), h->lookups), share(h->cold, h->lookups),
			            share(sum(h->kind[REUSE_WARP]), h->lookups), share(sum(h->kind[REUSE_CTA]), h->lookups),
			            share(sum(h->kind[REUSE_SM]), h->lookups), sum(h->bin) ? number(BIT(enough(h))) : "-");
		else
			strbuf_adds(out, "passes L1D\n");
		strbuf_release(&place);
	}
	if (n < r->nlines)
		strbuf_addf(out, "... and %u more\n", r->nlines - n);
	strbuf_addf(
	    out,
	    "hit: hits and merges, of what uses a line of L1D. LRU: fully associative, %s lines. warp, CTA, SM: reused "
	    "from the same warp, another warp of the CTA, another CTA. 90 %% within: lines that hit nine tenths of all "
	    "reuse.\n",
	    number(BIT(lines)));
}
