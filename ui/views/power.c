#include "views/power.h"

#include <math.h>
#include <stdio.h>

#include "gpu/scope.h"
#include "scr/draw.h"
#include "views/chart.h"
#include "views/cursor.h"

#define LEFT 14
#define SM_WIDTH 26 /* columns of an SM's meter, at least */
#define COLUMNS_MAX 1024

/* From the foot: what is always there first. */
static const struct {
	enum energy_group group;
	enum role role;
	u32 letter;
	const char *name;
} stack[] = {{EG_board, R_DIM, 'B', "board"},   {EG_dram, R_SER2, 'D', "DRAM"}, {EG_network, R_SER1, 'N', "network"},
             {EG_l2, R_SER4, '2', "L2"},        {EG_l1, R_SER3, '1', "L1"},     {EG_shared, R_SER5, 'S', "shared"},
             {EG_core, R_SER0, 'C', "SM cores"}};
_Static_assert(ARRAY_LEN(stack) == EG_COUNT, "each group once");
_Static_assert(EG_COUNT <= CHART_PARTS, "they fit a column");

static double watts_now(const struct view_ctx *v, enum series which, s32 sm)
{
	const double w = chart_last(v, &(struct chart){.series = which}, sm);
	return isfinite(w) ? w : 0;
}

static double known(double x)
{
	return isfinite(x) ? x : 0;
}

/* The groups with their letters, as far as rows go; returns the rows taken. */
static int groups_now(const struct view_ctx *v, struct pane p)
{
	const double all = watts_now(v, TS_POWER, -1);
	int x = 1, y = 0;
	for (u32 i = 0; i < EG_COUNT; i++) {
		char part[64];
		const double w = watts_now(v, TS_POWER_PART + stack[i].group, -1);
		snprintf(part, sizeof part, "%s %.1f W %.0f%%", stack[i].name, w, percent(w, all));
		if (x + 2 + utf8_width(part) >= p.w) {
			x = 1;
			y++;
		}
		if (y >= p.h)
			return p.h;
		pane_glyph(p, y, x, (struct style){stack[i].role, ATTR_REVERSE}, stack[i].letter);
		x = pane_text(p, y, x + 2, STYLE(R_TEXT), part) + 2;
	}
	return y + 1;
}

static u32 parts(const struct view_ctx *v, const void *full, u32 from, u32 to, int rows, struct stack_part *out)
{
	double sum = 0;
	u32 n = 0;
	for (u32 i = 0; i < EG_COUNT; i++) {
		sum += known(timeline_mean(v->tl, -1, TS_POWER_PART + stack[i].group, from, to));
		n = stack_add(out, n, stack[i].role, stack[i].letter, sum / *(const double *)full, rows);
	}
	return n;
}

/* What the cursor is on. */
static void note(struct view_ctx *v, int w)
{
	u32 from, to, a, b;
	view_span(v, &from, &to);
	int at = from == to || w < 1 ? -1 : cursor_axis(v, chart_time(v, w));
	if (at < 0)
		return;
	view_column(from, to - from, at, w, &a, &b);
	cursor_note(v, "power %.1f W", known(timeline_mean(v->tl, -1, TS_POWER, a, b)));
	for (u32 i = EG_COUNT; i-- > 0;)
		cursor_note(v, "%s %.1f", stack[i].name, known(timeline_mean(v->tl, -1, TS_POWER_PART + stack[i].group, a, b)));
}

static void over_time(struct view_ctx *v, struct pane p)
{
	char scale[32];
	float val[COLUMNS_MAX];
	const int w = MIN(p.w - LEFT - 1, COLUMNS_MAX), n = w < 1 ? 0 : view_series(v, -1, TS_POWER, val, w);
	double full = 0;
	for (int i = 0; i < n; i++)
		full = fmax(full, known((double)val[i]));
	pane_text(p, p.h - 1, 1, STYLE(R_DIM), "power");
	if (!(full > 0)) {
		pane_text(p, p.h - 1, LEFT + 1, STYLE(R_FAINT), "no sample yet");
		return;
	}
	snprintf(scale, sizeof scale, "peak %.0f W", full);
	chart_stack(v, p, LEFT, scale, parts, &full);
	note(v, w);
}

/* A meter for each SM, as long as the most any takes; on w columns side by side. */
static void of_sms(struct view_ctx *v, struct pane p, int across)
{
	const int n = (int)gpu_conf(v->g)->num_sms, rows = (n + across - 1) / across, w = p.w / across;
	double most = 0;
	for (int i = 0; i < n; i++)
		most = fmax(most, watts_now(v, TS_POWER, i));
	for (int i = 0; i < n && i % rows < p.h; i++) {
		struct pane q = pane_sub(p, i % rows, i / rows * w, 1, w);
		const double watts = watts_now(v, TS_POWER, i);
		pane_right(q, 0, 4, (u32)i == v->d->focus.sm ? STYLE(R_ACCENT) : STYLE(R_DIM), "%d", i);
		draw_meter(q, 0, 6, w - 16, STYLE(R_SER0), most > 0 ? watts / most : 0);
		pane_right(q, 0, w - 2, STYLE(R_TEXT), "%.2f W", watts);
	}
	if (rows > p.h)
		draw_more(p, n - p.h * across);
}

void power_draw(struct view_ctx *v, struct pane p)
{
	const int n = (int)gpu_conf(v->g)->num_sms, across = MAX(MIN(p.w / SM_WIDTH, n), 1),
	          rows = (n + across - 1) / across;
	struct energy e;
	energy_of_machine(v->g, &e);
	int x = pane_text(p, 0, 1, STYLE_BOLD(R_TEXT), "Power");
	x = pane_printf(p, 0, x + 1, STYLE(R_TEXT), "%.1f W", watts_now(v, TS_POWER, -1));
	x = pane_printf(p, 0, x, STYLE(R_DIM), " in %s", recent_span(v->recent, false));
	const double joules = (double)energy_total(&e) * 1e-15;
	pane_printf(p, 0, x + 3, STYLE(R_DIM), "%.4g %s %s", joules * (joules < 1e-3 ? 1e6 : 1e3),
	            joules < 1e-3 ? "uJ" : "mJ", gpu_scope_is_set(v->g) ? "in the scope" : "since the start");
	int y = 1;
	y += groups_now(v, pane_sub(p, y, 0, p.h - y, p.w));
	const int list = MIN(rows, MAX((p.h - y) / 2, 1)), gap = p.h >= 24, curve = p.h - y - list - 1 - 2 * gap;
	if (curve > 0) {
		over_time(v, pane_sub(p, y + gap, 0, curve, p.w));
		y += gap + curve;
		chart_axis(v, p, y++, LEFT);
		y += gap;
	}
	if (y < p.h)
		of_sms(v, pane_sub(p, y, 0, p.h - y, p.w), across);
}
