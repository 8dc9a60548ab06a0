#include "views/chart.h"

#include <math.h>
#include <stdio.h>

#include "scr/draw.h"

#define COLUMNS_MAX 1024

double chart_last(const struct view_ctx *v, const struct chart *c, s32 sm)
{
	u32 n = v->tl ? timeline_len(v->tl) : 0;
	return n ? timeline_mean(v->tl, sm, c->series, n - 1, n) : NAN;
}

static const char *value_text(char buf[NUM_MAX], const struct chart *c, double x)
{
	if (!isfinite(x))
		snprintf(buf, NUM_MAX, "-");
	else if (c->unit[0] == '%')
		snprintf(buf, NUM_MAX, "%.0f%%", 100 * x);
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
	if (p.h > 1) {
		pane_right(p, 0, left - 1, STYLE(R_FAINT), "%s", value_text(buf, c, max));
		for (int r = 0; r < p.h; r++)
			pane_glyph(p, r, left - 1, STYLE(R_FAINT), r == 0 ? 0x250c : 0x2502);
	}
	draw_columns(p, 0, left, p.h, w, STYLE(c->role), val, n, max);
}

void chart_axis(const struct view_ctx *v, struct pane p, int y, int left)
{
	char a[NUM_MAX], b[NUM_MAX];
	u32 from, to;
	view_span(v, &from, &to);
	if (to == from)
		return;
	u64 span = timeline_span(v->tl), start = timeline_start(v->tl);
	int w = p.w - left - 1;
	int x = pane_printf(p, y, left, STYLE(R_DIM), "%s", fmt_thousands(a, start + from * span));
	fmt_thousands(b, start + to * span);
	int end = left + w, wide = utf8_width(b);
	if (end - wide > x + 3) {
		for (int i = x + 1; i < end - wide - 1; i++)
			pane_glyph(p, y, i, STYLE(R_FAINT), 0x2500);
		pane_text(p, y, end - wide, STYLE(R_DIM), b);
	} else {
		pane_printf(p, y, x, STYLE(R_DIM), "–%s", b);
	}
}
