#include "views/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "scr/draw.h"
#include "views/cursor.h"
#include "views/legend.h"

#define COLUMNS_MAX 1024
#define CHART_SPIKE_TEXT "▲"
#define CHART_FREE R_FREE

struct time_axis chart_time(const struct view_ctx *v, int w)
{
	u32 from, to;
	view_span(v, &from, &to);
	if (from == to)
		return (struct time_axis){0};
	u64 span = timeline_span(v->tl), start = timeline_start(v->tl);
	return (struct time_axis){start + from * span, start + to * span, w};
}

double chart_last(const struct view_ctx *v, const struct chart *c, s32 sm)
{
	const struct sample *now = recent_get(v->recent, sm);
	if (!now->cycles || (sm >= 0 && !series_of_sms(c->series)))
		return NAN;
	return sample_value(now, c->series, gpu_conf(v->g));
}

static const char *value_text(char buf[NUM_MAX], const struct chart *c, double x)
{
	if (!isfinite(x))
		snprintf(buf, NUM_MAX, "-");
	else if (c->unit[0] == '%')
		snprintf(buf, NUM_MAX, "%.0f%%", 100 * x);
	else if (c->unit[0] == 'n')
		snprintf(buf, NUM_MAX, "%.0f", x);
	else
		snprintf(buf, NUM_MAX, x < 9.995 ? "%.2f" : "%.1f", x);
	return buf;
}

static float largest(const float *v, int n)
{
	float max = 0;
	for (int i = 0; i < n; i++)
		if (isfinite(v[i]) && v[i] > max)
			max = v[i];
	return max;
}

/* --- scale -------------------------------------------------------------------------------------------------------- */

/* What is drawn: a value a column, NAN = none, and of those over the part that belongs at the foot. */
struct curve {
	float val[COLUMNS_MAX], foot[COLUMNS_MAX];
	int n;
	float peak, full; /* the largest value; what fills the height */
	bool split;       /* foot is known: the rest above it looks different */
};

#define SPIKE_COLUMNS 16 /* fewer are drawn to their largest value, whatever it is */
#define SPIKE_OVER 1.5f  /* so much higher than nine tenths of the columns */
#define SPIKE_ROOM 1.2f  /* over these nine tenths, then */

static int ascending(const void *a, const void *b)
{
	const float x = *(const float *)a, y = *(const float *)b;
	return (x > y) - (x < y);
}

/* A few high columns would press all the others to the foot: those run out of the picture, with a mark. */
float chart_top(const float *v, int n)
{
	float known[COLUMNS_MAX], peak = largest(v, n);
	int k = 0;
	for (int i = 0; i < MIN(n, COLUMNS_MAX); i++)
		if (isfinite(v[i]) && v[i] > 0)
			known[k++] = v[i];
	if (k < SPIKE_COLUMNS)
		return peak;
	qsort(known, (size_t)k, sizeof *known, ascending);
	const float most = known[k * 9 / 10];
	return peak > SPIKE_OVER * most ? SPIKE_ROOM * most : peak;
}

void chart_spikes(struct pane p, int y, int x, const float *v, int n, float top)
{
	for (int i = 0; i < n; i++)
		if (isfinite(v[i]) && v[i] > top)
			legend_draw(p, y, x + i, LG_SPIKE);
}

/* Instructions without a slot are told from those that took one. */
static void split_issued(const struct view_ctx *v, s32 sm, struct curve *c)
{
	u32 from, to;
	view_span(v, &from, &to);
	for (int i = 0; i < c->n; i++) {
		u32 a, b;
		view_column(from, to - from, i, c->n, &a, &b);
		struct sample s = timeline_sum(v->tl, sm, a, b);
		c->split |= s.issued_free != 0;
		c->foot[i] = s.cycles ? (float)(s.issued - s.issued_free) / (float)s.cycles : NAN;
	}
}

static void gather(const struct view_ctx *v, const struct chart *k, s32 sm, int w, struct curve *c)
{
	c->n = view_series(v, sm, k->series, c->val, MIN(w, COLUMNS_MAX));
	c->peak = largest(c->val, c->n);
	c->full = k->max > 0 ? (float)k->max : chart_top(c->val, c->n);
	c->split = false;
	if (k->series == TS_IPC)
		split_issued(v, sm, c);
}

/* The part above the foot, as what is drawn of all of it stands on the ground of the rest. */
static void draw_split(struct pane p, int left, const struct curve *c, enum role role)
{
	const bool plain = p.c->ascii || p.c->mono;
	const float scale = c->full > 0 ? (float)p.h * 8 / c->full : 0;
	for (int i = 0; i < c->n; i++) {
		if (!isfinite(c->val[i]) || !(c->foot[i] < c->val[i]))
			continue;
		int foot = (int)lroundf(c->foot[i] * scale), all = MIN((int)lroundf(c->val[i] * scale), p.h * 8);
		for (int r = foot / 8; r < p.h && 8 * r < all; r++) {
			const int low = MAX(foot - 8 * r, 0), high = MIN(all - 8 * r, 8), y = p.h - 1 - r;
			if (plain && 2 * low <= high)
				pane_glyph(p, y, left + i, STYLE(CHART_FREE), p.c->ascii ? ':' : 0x2592);
			else if (!plain && low == 0)
				pane_glyph(p, y, left + i, STYLE(CHART_FREE), 0x2580u + (u32)high);
			else if (!plain && high == 8)
				pane_glyph_on(p, y, left + i, STYLE(role), 0x2580u + (u32)low, CHART_FREE);
		}
	}
}

/* The numbers left of a high curve: its full height - the peak, or what nine tenths of the columns stay under -, and
 * then the peak below it. */
static void scale_text(struct pane p, const struct chart *k, const struct curve *c, int left)
{
	char buf[NUM_MAX];
	const bool named = !(k->max > 0) && left >= 13; /* "peak 1234567" */
	const bool spike = c->full < c->peak;
	pane_right(p, 0, left - 1, STYLE(R_DIM), "%s%s", named && !spike ? "peak " : "", value_text(buf, k, c->full));
	if (spike && p.h > 2)
		pane_right(p, 1, left - 1, STYLE(R_DIM), named ? "%speak %s" : "%s%s", named ? "" : CHART_SPIKE_TEXT,
		           value_text(buf, k, c->peak));
	for (int r = 0; r < p.h; r++)
		pane_glyph(p, r, left - 1, STYLE(R_FAINT), r == 0 ? 0x250c : 0x2502);
}

void chart_draw(const struct view_ctx *v, struct pane p, const struct chart *k, s32 sm, int left)
{
	struct curve c;
	char buf[NUM_MAX];
	int w = MIN(p.w - left - 1, COLUMNS_MAX);
	if (p.h < 1 || w < 1)
		return;
	gather(v, k, sm, w, &c);
	int x = pane_text(p, p.h - 1, 1, STYLE(R_DIM), k->label);
	value_text(buf, k, chart_last(v, k, sm));
	pane_text(p, p.h - 1, MAX(left - 1 - utf8_width(buf), x + 1), STYLE(R_TEXT), buf);
	if (!c.n) {
		pane_text(p, p.h - 1, left + 1, STYLE(R_FAINT), p.h > 1 ? "no sample yet" : "");
		return;
	}
	if (p.h > 1)
		scale_text(p, k, &c, left);
	draw_columns(p, 0, left, p.h, w, STYLE(k->role), c.val, c.n, c.full);
	if (c.split)
		draw_split(p, left, &c, k->role);
	const struct time_axis time = chart_time(v, w);
	cursor_dim_future(v, p, 0, p.h, left, time);
	chart_spikes(p, 0, left, c.val, c.n, c.full * 1.001f);
	int at = cursor_axis(v, time);
	if (at < 0 || at >= c.n)
		return;
	cursor_mark(p, 0, p.h, left + at);
	cursor_note(v, "%s %s", k->label, value_text(buf, k, c.val[at]));
	if (c.split && c.val[at] > c.foot[at])
		cursor_note(v, "(%.2f free)", (double)(c.val[at] - c.foot[at]));
}

void chart_stack(const struct view_ctx *v, struct pane p, int left, const char *scale, chart_parts_fn *parts,
                 const void *ctx)
{
	u32 from, to;
	int w = p.w - left - 1;
	view_span(v, &from, &to);
	if (w < 1 || from == to)
		return;
	pane_right(p, 0, left - 1, STYLE(R_FAINT), "%s", scale);
	for (int r = 0; r < p.h; r++)
		pane_glyph(p, r, left - 1, STYLE(R_FAINT), r == 0 ? 0x250c : 0x2502);
	struct pane q = pane_sub(p, 0, left, p.h, w);
	for (int x = 0; x < w; x++) {
		struct stack_part part[CHART_PARTS];
		u32 a, b;
		view_column(from, to - from, x, w, &a, &b);
		u32 n = parts(v, ctx, a, b, q.h, part);
		stack_draw(q, x, part, n, x % 16 == 8, false);
	}
	cursor_dim_future(v, q, 0, q.h, 0, chart_time(v, w));
	int at = cursor_axis(v, chart_time(v, w));
	if (at >= 0)
		cursor_mark(q, 0, q.h, at);
}

void chart_summary(const struct view_ctx *v, struct pane p, const struct chart *c, s32 sm, int w)
{
	static const char *const name[] = {"now", "mean", "peak"};
	float val[COLUMNS_MAX];
	char buf[NUM_MAX];
	double sum = 0;
	int known = 0, n = view_series(v, sm, c->series, val, MIN(w, COLUMNS_MAX));
	for (int i = 0; i < n; i++) {
		if (!isfinite(val[i]))
			continue;
		sum += (double)val[i];
		known++;
	}
	if (!known)
		return;
	const double value[] = {chart_last(v, c, sm), sum / known, (double)largest(val, n)};
	for (int i = 0; i < (int)ARRAY_LEN(name) && i < p.h; i++) {
		pane_text(p, i, 0, STYLE(R_DIM), name[i]);
		pane_right(p, i, 12, STYLE(R_TEXT), "%s", value_text(buf, c, value[i]));
	}
}

void chart_axis(const struct view_ctx *v, struct pane p, int y, int left)
{
	if (left >= 12 && chart_time(v, 1).w) /* what stands beside the curves, under their labels */
		pane_right(p, y, left - 1, STYLE(R_DIM), v->recent->scope ? "in %s" : "last %s", recent_span(v->recent, true));
	cursor_axis_row(v, p, y, left, chart_time(v, MIN(p.w - left - 1, COLUMNS_MAX)));
}
