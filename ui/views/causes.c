#include "views/causes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scr/draw.h"
#include "views/chart.h"
#include "views/cursor.h"
#include "views/legend.h"
#include "views/stack.h"

/* In the order in which they are stacked: what a better cache could have had comes last. */
static const enum miss_cause causes[] = {MISS_COLD, MISS_SECTOR, MISS_CAPACITY, MISS_INVALIDATED, MISS_CONFLICT};
_Static_assert(ARRAY_LEN(causes) == MISS_CAUSES, "each cause once");

void causes_line(struct pane p, const char *name, const struct cache_counters *c, bool letters)
{
	double all = (double)(c->hits + c->misses + c->merges);
	int x = pane_printf(p, 0, 1, STYLE_BOLD(all > 0 ? R_TEXT : R_FAINT), "%-3s", name);
	x = pane_text(p, 0, x + 1, STYLE(R_DIM), "reads miss");
	for (u32 i = 0; i < ARRAY_LEN(causes); i++) {
		const struct legend *k = &legend[legend_of_cause(causes[i])];
		char part[40];
		u64 n = miss_count(c, causes[i]);
		snprintf(part, sizeof part, "%s %.1f%%", k->name, percent((double)n, all));
		if (!n || x + 2 + 2 * letters + utf8_width(part) >= p.w)
			continue;
		x += 2;
		if (letters) {
			pane_glyph(p, 0, x, (struct style){k->role, ATTR_REVERSE}, k->ch);
			x += 2;
		}
		x = pane_text(p, 0, x, STYLE(R_TEXT), part);
	}
	const char *of = c->misses > c->write_misses ? "  of its accesses" : "  never";
	if (x + utf8_width(of) < p.w)
		pane_text(p, 0, x, STYLE(R_DIM), all > 0 ? of : "");
}

static double share(const struct view_ctx *v, enum series first, enum miss_cause why, u32 from, u32 to)
{
	double x = timeline_mean(v->tl, -1, first + why, from, to);
	return isfinite(x) ? x : 0;
}

/* The causes that have a share of samples [from, to), from the bottom. */
static u32 parts(const struct view_ctx *v, const void *first, u32 from, u32 to, int rows, struct stack_part *out)
{
	double sum = 0;
	u32 n = 0;
	for (u32 i = 0; i < MISS_CAUSES; i++) {
		const struct legend *k = &legend[legend_of_cause(causes[i])];
		sum += share(v, *(const enum series *)first, causes[i], from, to);
		n = stack_add(out, n, k->role, k->ch, sum, rows);
	}
	return n;
}

void causes_chart(struct view_ctx *v, struct pane p, int left, enum series first, const char *label)
{
	pane_text(p, p.h - 1, 1, STYLE(R_DIM), label);
	chart_stack(v, p, left, "100%", parts, &first);
}

void causes_note(struct view_ctx *v, int w, enum series first, const char *label)
{
	u32 from, to, a, b;
	view_span(v, &from, &to);
	int at = from == to || w < 1 ? -1 : cursor_axis(v, chart_time(v, w));
	if (at < 0)
		return;
	view_column(from, to - from, at, w, &a, &b);
	for (u32 i = 0, n = 0; i < MISS_CAUSES; i++) {
		double x = share(v, first, causes[i], a, b);
		if (x >= 0.005)
			cursor_note(v, "%s%s%s %.0f%%", n ? "" : label, n ? "" : " ", legend[legend_of_cause(causes[i])].name,
			            100 * x);
		n += x >= 0.005;
	}
}

/* --- whose the lines are --- */
#define CTAS_MAX 256

/* "412", of one launch among several "1:412"; in brackets when the CTA has ended. */
static void owner_name(const struct view_ctx *v, const struct cta_lines *c, bool launches, char out[40])
{
	bool ended = !gpu_cta_resident(v->g, v->d->focus.sm, c->launch, c->cta);
	char launch[16] = "";
	if (launches)
		snprintf(launch, sizeof launch, "%u:", c->launch);
	snprintf(out, 40, "%s%s%llu%s", ended ? "(" : "", launch, (unsigned long long)c->cta, ended ? ")" : "");
}

/* How many of them fit with a bar of a column at least; the columns that are left for longer bars in *spare. */
static u32 fitting(const struct view_ctx *v, const struct cta_lines *c, u32 n, bool launches, int w, int *spare)
{
	u32 i = 0;
	for (*spare = w; i < n; i++) {
		char name[40];
		owner_name(v, &c[i], launches, name);
		int need = utf8_width(name) + 4; /* a space, the bar, two columns to the next */
		if (*spare < need + (i + 1 < n ? 8 : 0))
			break; /* 8: "123 more" */
		*spare -= need;
	}
	return i;
}

/* One row of owners; returns how many it has. */
static u32 owners_row(const struct view_ctx *v, struct pane p, const struct cta_lines *c, u32 n, bool launches)
{
	int spare, x = 0;
	u32 shown = fitting(v, c, n, launches, p.w, &spare), lines = 0;
	for (u32 i = 0; i < shown; i++)
		lines += c[i].lines;
	spare = MIN(spare - (shown < n ? 8 : 0), 60 + 4 * (int)shown); /* bars that long tell no more */
	for (u32 i = 0; i < shown; i++) {
		char name[40];
		int bar = 1 + (int)((u64)c[i].lines * (u64)MAX(spare, 0) / lines);
		owner_name(v, &c[i], launches, name);
		bool ended = name[0] == '(';
		x = pane_text(p, 0, x, STYLE(ended ? R_DIM : R_TEXT), name) + 1;
		draw_bar(p, 0, x, bar, STYLE(R_SER0 + c[i].launch % R_NSERIES), 1, false);
		x += bar + 2;
	}
	return shown;
}

void causes_lines(struct view_ctx *v, struct pane p)
{
	struct cta_lines c[CTAS_MAX];
	u32 alive, sm = v->d->focus.sm, n = mem_lines_by_cta(gpu_mem(v->g), sm, c, CTAS_MAX, &alive);
	if (p.h < 1)
		return;
	int x = pane_printf(p, 0, 1, STYLE(R_ACCENT), "SM %u", sm);
	x = pane_printf(p, 0, x, STYLE(R_DIM), " lines alive by CTA, %u of %u", alive, mem_l1d_lines(gpu_mem(v->g), sm)) +
	    2;
	bool launches = false;
	for (u32 i = 1; i < n; i++)
		launches |= c[i].launch != c[0].launch;
	u32 at = 0;
	for (int r = 0; r < p.h && at < n; r++)
		at += owners_row(v, pane_sub(p, r, x, 1, p.w - x - 1), &c[at], n - at, launches);
	if (at < n)
		draw_more(p, (int)(n - at));
}
