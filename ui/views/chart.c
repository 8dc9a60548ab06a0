#include "views/chart.h"

#include <math.h>
#include <stdio.h>

#include "scr/draw.h"
#include "views/cursor.h"

#define COLUMNS_MAX 1024
#define NOW_CYCLES 256 /* "now" is a mean over so many, where samples are shorter */

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
	u32 n = v->tl ? timeline_len(v->tl) : 0, last = 1;
	if (n) /* after going back, the run has samples of later cycles */
		n = (u32)MIN((u64)n, MAX((gpu_cycle(v->g) - timeline_start(v->tl)) / timeline_span(v->tl), (u64)1));
	if (n)
		last = (u32)MAX(NOW_CYCLES / timeline_span(v->tl), (u64)1);
	return n ? timeline_mean(v->tl, sm, c->series, n - MIN(n, last), n) : NAN;
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

void chart_draw(const struct view_ctx *v, struct pane p, const struct chart *c, s32 sm, int left)
{
	float val[COLUMNS_MAX];
	char buf[NUM_MAX];
	int w = MIN(p.w - left - 1, COLUMNS_MAX);
	if (p.h < 1 || w < 1)
		return;
	int n = view_series(v, sm, c->series, val, w);
	float max = c->max > 0 ? (float)c->max : largest(val, n);
	int x = pane_text(p, p.h - 1, 1, STYLE(R_DIM), c->label);
	value_text(buf, c, chart_last(v, c, sm));
	pane_text(p, p.h - 1, MAX(left - 1 - utf8_width(buf), x + 1), STYLE(R_TEXT), buf);
	if (!n) {
		pane_text(p, p.h - 1, left + 1, STYLE(R_FAINT), p.h > 1 ? "no sample yet" : "");
		return;
	}
	if (p.h > 1) {
		pane_right(p, 0, left - 1, STYLE(R_FAINT), "%s", value_text(buf, c, max));
		for (int r = 0; r < p.h; r++)
			pane_glyph(p, r, left - 1, STYLE(R_FAINT), r == 0 ? 0x250c : 0x2502);
	}
	draw_columns(p, 0, left, p.h, w, STYLE(c->role), val, n, max);
	int at = cursor_axis(v, chart_time(v, w));
	if (at < 0 || at >= n)
		return;
	cursor_mark(p, 0, p.h, left + at);
	cursor_note(v, "%s %s", c->label, value_text(buf, c, val[at]));
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
	cursor_axis_row(v, p, y, left, chart_time(v, MIN(p.w - left - 1, COLUMNS_MAX)));
}
