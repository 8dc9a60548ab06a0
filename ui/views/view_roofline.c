/* The roofline: a picture with two logarithmic axes, operations for each byte to the right, operations a second
 * upwards; the machine's ceilings, where the program is under them for the bytes of each level, and its way there. */
#include <math.h>

#include "dbg/roofs.h"
#include "scr/draw.h"
#include "scr/term.h"
#include "views/view.h"

#define TEXT_W 46 /* columns for the figures beside the picture */

struct plot {
	struct pane p;
	int h;                 /* rows of it; below them is the scale */
	double x0, x1, y0, y1; /* log10 of what the edges stand for */
};

static double unit(const struct roofline *r, double a_cycle)
{
	return a_cycle * r->clock / 1e3; /* 10^9 a second */
}

static int at_x(const struct plot *q, double intensity)
{
	return (int)lround((log10(intensity) - q->x0) / (q->x1 - q->x0) * (q->p.w - 1));
}

static int at_y(const struct plot *q, double speed)
{
	return (int)lround((q->y1 - log10(speed)) / (q->y1 - q->y0) * (q->h - 1));
}

static double x_of(const struct plot *q, int column)
{
	return pow(10, q->x0 + (q->x1 - q->x0) * column / MAX(q->p.w - 1, 1));
}

/* From a quarter of the least intensity to four times the farthest ridge; from a thousandth of the peak, or less. */
static void span(struct plot *q, const struct roofline *r, enum roof_work w)
{
	double least = INFINITY, most = 0;
	for (u32 l = 0; l < ROOF_LEVELS; l++) {
		const double i = roofline_intensity(r, w, (enum roof_level)l), ridge = r->peak[w] / r->width[l];
		if (isfinite(i) && i > 0) {
			least = MIN(least, i);
			most = MAX(most, i);
		}
		least = MIN(least, ridge);
		most = MAX(most, ridge);
	}
	const double speed = r->cycles > 0 ? r->ops[w] / r->cycles : 0;
	q->x0 = floor(log10(least / 4));
	q->x1 = ceil(log10(most * 4));
	q->y1 = log10(unit(r, r->peak[w]) * 2);
	q->y0 = MIN(q->y1 - 3, speed > 0 ? log10(unit(r, speed)) - .3 : q->y1 - 3);
}

static void axes(const struct plot *q)
{
	for (int d = (int)q->x0; d <= (int)q->x1; d++) {
		const int x = at_x(q, pow(10, d));
		if (x >= 0 && x + 5 < q->p.w)
			pane_printf(q->p, q->h, x, STYLE(R_DIM), "%g", pow(10, d));
	}
	for (int d = (int)ceil(q->y0); d <= (int)floor(q->y1); d++) {
		const int y = at_y(q, pow(10, d));
		pane_printf(q->p, y, 0, STYLE(R_FAINT), "%g", pow(10, d));
	}
}

static void ceilings(const struct plot *q, const struct roofline *r, enum roof_work w)
{
	static const enum role role[ROOF_LEVELS] = {R_DIM, R_TEXT, R_WARN};
	for (int x = 0; x < q->p.w; x++)
		for (u32 l = 0; l < ROOF_LEVELS; l++) {
			const double i = x_of(q, x), slope = i * r->width[l];
			const bool flat = slope >= r->peak[w];
			const int y = at_y(q, unit(r, flat ? r->peak[w] : slope));
			if (y >= 0 && y < q->h)
				pane_glyph(q->p, y, x, STYLE(flat ? R_TEXT : role[l]), flat ? '-' : '/');
		}
	for (u32 l = 0; l < ROOF_LEVELS; l++) { /* named where they come into the picture */
		const double low = pow(10, q->y0) * 1e3 / r->clock / r->width[l], left = pow(10, q->x0);
		const int x = MAX(at_x(q, MAX(low, left)) + 2, 0), y = at_y(q, unit(r, x_of(q, x) * r->width[l])) + 1;
		if (y < q->h)
			pane_printf(q->p, MAX(y, 0), x + 1, STYLE(role[l]), "%s", roof_level_names[l]);
	}
	pane_right(q->p, MAX(at_y(q, unit(r, r->peak[w])) - 1, 0), q->p.w - 1, STYLE(R_TEXT), "%s peak %.0f G/s",
	           roof_work_names[w], unit(r, r->peak[w]));
}

/* True: it is in the picture. */
static bool place(const struct plot *q, const struct roofline *r, enum roof_work w, enum roof_level l, int *y, int *x)
{
	const double i = roofline_intensity(r, w, l), speed = r->cycles > 0 ? r->ops[w] / r->cycles : 0;
	if (!isfinite(i) || i <= 0 || speed <= 0)
		return false;
	*x = at_x(q, i);
	*y = at_y(q, unit(r, speed));
	return *x >= 0 && *x < q->p.w && *y >= 0 && *y < q->h;
}

/* The columns of the run, for the bytes of one level: digits from 0, its beginning, to 9, its end. */
static void way(const struct plot *q, const struct roofs *k, enum roof_work w, enum roof_level l)
{
	int x, y;
	for (u32 i = 0; i < k->n; i++)
		if (place(q, &k->column[i], w, l, &y, &x))
			pane_glyph(q->p, y, x, STYLE(i * 2 < k->n ? R_DIM : R_TEXT), '0' + i * 10 / k->n);
}

static void points(const struct plot *q, const struct roofline *r, enum roof_work w)
{
	static const char mark[ROOF_LEVELS] = {'L', '2', 'D'};
	int x, y;
	for (u32 l = 0; l < ROOF_LEVELS; l++)
		if (place(q, r, w, (enum roof_level)l, &y, &x))
			pane_glyph(q->p, y, x, (struct style){R_ACCENT, ATTR_BOLD | ATTR_REVERSE}, (u32)mark[l]);
}

/* Which work is shown: that which is nearest to its peak, or as chosen by w. */
static enum roof_work shown_work(const struct view_ctx *v, const struct roofline *r)
{
	enum roof_work w = roofline_main(r);
	for (u32 i = 0; i < v->st->mode % ROOF_WORKS; i++)
		do
			w = (w + 1) % ROOF_WORKS;
		while (r->ops[w] <= 0 || r->peak[w] <= 0);
	return w;
}

static void figures(struct view_ctx *v, struct pane p, const struct roofline *r, enum roof_work w, bool roomy)
{
	enum roof_level level;
	const double least = roofline_lowest(r, w, &level), speed = r->ops[w] / r->cycles;
	int y = 0;
	pane_printf(p, y++, 0, STYLE_BOLD(R_TEXT), "%s: %.1f G/s, %.1f %% of peak", roof_work_names[w], unit(r, speed),
	            100 * speed / r->peak[w]);
	pane_printf(p, y++, 0, STYLE(R_TEXT), "%.1f %% of its lowest ceiling: %s", least > 0 ? 100 * speed / least : 0,
	            level == ROOF_LEVELS ? "the units" : roof_level_names[level]);
	y += roomy;
	pane_printf(p, y, 0, STYLE(R_DIM), "%-13s %8s %9s %6s", "", w == ROOF_ISSUE ? "insts/B" : "op/B", "GB/s", "share");
	for (u32 l = 0; l < ROOF_LEVELS; l++)
		pane_printf(p, ++y, 0, STYLE(R_TEXT), "%-13s %8.3f %9.1f %5.1f%%", roof_level_names[l],
		            roofline_intensity(r, w, (enum roof_level)l), unit(r, r->bytes[l] / r->cycles),
		            100 * r->bytes[l] / r->cycles / r->width[l]);
	y += 1 + roomy;
	pane_printf(p, y++, 0, STYLE(R_TEXT), "places for warps taken %5.1f %%",
	            100 * r->warp_cycles / r->cycles / r->warps);
	const struct roofs *k = roofs_known(v->d);
	if (!k) {
		pane_text(p, y, 0, STYLE(R_DIM), "t: its way there, and the warps over time");
		return;
	}
	float taken[ROOF_COLUMNS];
	for (u32 i = 0; i < k->n; i++)
		taken[i] = (float)(k->column[i].warp_cycles / k->column[i].cycles / r->warps);
	draw_spark(p, roomy ? y++ : y - 1, roomy ? 0 : 32, MIN(p.w - (roomy ? 0 : 32), (int)k->n), STYLE(R_TEXT), taken,
	           (int)k->n, 1);
	pane_printf(p, y, 0, STYLE(R_DIM), "0..9: way for %s, %llu cycles each", roof_level_names[v->st->column],
	            (unsigned long long)k->width);
}

static void draw(struct view_ctx *v, struct pane p)
{
	struct roofline r;
	if (!roofline_read(v->g, &r) || r.cycles <= 0 || r.ops[ROOF_ISSUE] <= 0) {
		pane_text(p, 0, 1, STYLE(R_DIM), "No instruction has been executed yet.");
		return;
	}
	const enum roof_work w = shown_work(v, &r);
	const bool beside = p.w >= 2 * TEXT_W;
	const bool roomy = beside || p.h >= 26;
	const int below = beside ? 0 : roomy ? 11 : 8;
	struct plot q = {.p = pane_sub(p, 1, 1, p.h - 1 - below, p.w - 2 - (beside ? TEXT_W : 0))};
	q.h = q.p.h - 1;
	if (q.h >= 4) {
		pane_printf(p, 0, 1, STYLE(R_DIM), "G/s over %s; L, 2, D: here, for the bytes of L1, L2, DRAM",
		            w == ROOF_ISSUE ? "warp instructions a byte" : "operations a byte");
		span(&q, &r, w);
		ceilings(&q, &r, w);
		axes(&q);
		const struct roofs *k = roofs_known(v->d);
		if (k)
			way(&q, k, w, (enum roof_level)v->st->column);
		points(&q, &r, w);
	}
	const struct pane text =
	    beside ? pane_sub(p, 1, p.w - TEXT_W, p.h - 1, TEXT_W) : pane_sub(p, MAX(p.h - below, 0), 1, below, p.w - 2);
	figures(v, text, &r, w, roomy);
}

static bool on_key(struct view_ctx *v, int key)
{
	struct err e = {0};
	switch (key) {
	case 'w': v->st->mode++; return true;
	case 'l': v->st->column = (v->st->column + 1) % ROOF_LEVELS; return true;
	case 't': return roofs_get(v->d, &e) || true;
	default: return false;
	}
}

const struct view view_roofline = {
    .key = '^',
    .name = "roof",
    .title = "roofline",
    .shows = "operations and bytes under the machine's ceilings",
    .keys = "t over time  l level  w other work",
    .help =
        "Operations a second (upwards) over operations for each byte, on logarithmic axes. The level line is the peak "
        "of the units; the slopes are what the bytes of L1 and shared memory, of L2 and of DRAM allow. L, 2 and D are "
        "where the program is for the bytes of each, in the run so far or the scope. The lowest ceiling above them is "
        "what it could reach at most as it is.\n"
        "t goes through the run again, in a process of its own, and shows the way there: digits from 0, the beginning, "
        "to 9, the end, for the bytes of the level that l chooses. w shows other work: f16, f32, f64, tensor units; "
        "issue: warp instructions. `explain roofline` says what counts as an operation, `info roofline` has the "
        "figures as text.",
    .draw = draw,
    .on_key = on_key,
};
