#include "session/phase_svg.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "scr/phase_look.h"

enum { WIDTH = 1200, HEIGHT = 640, LEFT = 70, RIGHT = 960, STACK_TOP = 50, STACK_BOTTOM = 400 };
enum { LOAD_TOP = 440, LOAD_BOTTOM = 580, COLUMNS = RIGHT - LEFT };
#define ALU_RGB "#009e73"
#define MEM_RGB "#d55e00"
#define EXITED_RGB "#c8c8c8"
#define OTHER_RGB "#8a8a8a"

/* Violet over blue and green to yellow, and plum over red to sand; lightness grows along both, so that they can be told
 * apart without hues as well. */
static const char *const scale[2][R_NSCALE] = {
    {"#48287a", "#433e85", "#38598c", "#2d708e", "#25858e", "#1e9b8a", "#2bb07f", "#51c56a", "#85d54a", "#b5de2b",
     "#dde318", "#fde725"},
    {"#56106e", "#781c6d", "#9a2865", "#bc3754", "#d44842", "#e8602d", "#f57d15", "#fc9f07", "#fac228", "#f6d746",
     "#f3e788", "#fcffa4"},
};

struct plot {
	const struct phase_track *t;
	s32 sm;
	u64 start, end;
	u32 n; /* columns */
	struct phase_sum *col;
	struct phase_sum all;
	double warps, load; /* at full height */
	struct strbuf *out;
};

static double mean(u32 sum, u32 looks)
{
	return looks ? (double)sum / looks : 0;
}

/* 1, 2 or 5 times a power of ten: a step that divides `range` into at most n parts. */
static double nice_step(double range, int n)
{
	double raw = MAX(range, 1e-9) / n, ten = pow(10, floor(log10(raw)));
	return raw <= ten ? ten : raw <= 2 * ten ? 2 * ten : raw <= 5 * ten ? 5 * ten : 10 * ten;
}

static u64 cycle_of(const struct plot *p, u32 column)
{
	return p->start + (u64)((double)(p->end - p->start) * column / p->n);
}

static double x_of(const struct plot *p, u32 column)
{
	return LEFT + (double)COLUMNS * column / MAX(p->n, 1u);
}

static void gather(struct plot *p)
{
	u64 finest = MAX(phase_track_resolution(p->t, p->start), (u64)1);
	p->n = (u32)MIN((p->end - p->start) / finest, (u64)COLUMNS);
	p->col = xcalloc(MAX(p->n, 1u), sizeof *p->col);
	for (u32 i = 0; i < p->n; i++) {
		struct phase_sum *s = &p->col[i];
		phase_track_get(p->t, p->sm, cycle_of(p, i), cycle_of(p, i + 1), s);
		p->warps = MAX(p->warps, mean(s->active + s->exited, s->looks));
		p->load = MAX(p->load, MAX(mean(s->alu, s->looks), mean(s->mem, s->looks)));
	}
	p->warps = MAX(ceil(p->warps), 1.0);
	p->load = MAX(ceil(p->load), 1.0);
	phase_track_get(p->t, p->sm, p->start, p->end, &p->all);
}

/* --- text and axes --- */

static void escaped(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		if (*s == '&' || *s == '<' || *s == '>')
			strbuf_addf(out, "&#%d;", *s);
		else if ((u8)*s >= ' ')
			strbuf_addc(out, *s);
}

static void text(struct strbuf *out, double x, double y, const char *anchor, const char *style, const char *s)
{
	strbuf_addf(out, "<text x='%.1f' y='%.1f' text-anchor='%s' %s>", x, y, anchor, style);
	escaped(out, s);
	strbuf_adds(out, "</text>\n");
}

static void y_axis(const struct plot *p, int top, int bottom, double most, const char *label)
{
	char buf[40];
	double step = MAX(nice_step(most, 6), 1.0);
	for (double v = 0; v <= most * 1.0001; v += step) {
		double y = bottom - (bottom - top) * v / most;
		strbuf_addf(p->out, "<path d='M%d %.1fh-5' stroke='#444'/>\n", LEFT, y);
		snprintf(buf, sizeof buf, "%g", v);
		text(p->out, LEFT - 8, y + 4, "end", "class='tick'", buf);
	}
	strbuf_addf(p->out, "<path d='M%d %dV%d' stroke='#444' fill='none'/>\n", LEFT, top, bottom);
	strbuf_addf(p->out, "<text transform='translate(20 %d) rotate(-90)' text-anchor='middle'>%s</text>\n",
	            (top + bottom) / 2, label);
}

static void x_axis(const struct plot *p, int y, bool numbers)
{
	char buf[40];
	double len = (double)(p->end - p->start), step = nice_step(len, 8);
	strbuf_addf(p->out, "<path d='M%d %dH%d' stroke='#444' fill='none'/>\n", LEFT, y, RIGHT);
	for (double c = ceil((double)p->start / step) * step; c <= (double)p->end && p->end > p->start; c += step) {
		double x = LEFT + (c - (double)p->start) / len * COLUMNS;
		strbuf_addf(p->out, "<path d='M%.1f %dv5' stroke='#444'/>\n", x, y);
		snprintf(buf, sizeof buf, "%.0f", c);
		if (numbers)
			text(p->out, x, y + 20, "middle", "class='tick'", buf);
	}
	if (numbers)
		text(p->out, (LEFT + RIGHT) / 2.0, y + 42, "middle", "", "cycle");
}

/* --- areas and curves --- */

/* The area between two edges, a value a column each (warps); steps, since a column is a mean. */
static void area(const struct plot *p, const double *low, const double *high, const char *fill)
{
	const double unit = (STACK_BOTTOM - STACK_TOP) / p->warps;
	strbuf_addf(p->out, "<path fill='%s' d='M%d %.1f", fill, LEFT, STACK_BOTTOM - low[0] * unit);
	for (u32 i = 0; i < p->n; i++)
		strbuf_addf(p->out, "V%.1fH%.1f", STACK_BOTTOM - high[i] * unit, x_of(p, i + 1));
	for (u32 i = p->n; i-- > 0;)
		strbuf_addf(p->out, "V%.1fH%.1f", STACK_BOTTOM - low[i] * unit, x_of(p, i));
	strbuf_adds(p->out, "Z'/>\n");
}

/* Puts one figure of all columns on the stack. */
static void layer(const struct plot *p, double *edge, double *next, u32 band, bool exited, const char *fill)
{
	for (u32 i = 0; i < p->n; i++) {
		const struct phase_sum *s = &p->col[i];
		next[i] = edge[i] + mean(exited ? s->exited : s->warps[band], s->looks);
	}
	area(p, edge, next, fill);
	for (u32 i = 0; i < p->n; i++)
		edge[i] = next[i];
}

static const char *band_rgb(u32 fn, u32 band, u32 nbands)
{
	struct phase_look l = phase_look(fn, band, nbands);
	bool second = l.role >= R_SCALE1;
	return scale[second][l.role - (second ? R_SCALE1 : R_SCALE0)];
}

static void stack(const struct plot *p)
{
	double *edge = xcalloc(MAX(p->n, 1u), sizeof *edge), *next = xcalloc(MAX(p->n, 1u), sizeof *next);
	for (u32 i = 0; i < phase_track_fns(p->t) && p->n; i++) {
		const struct phase_fn *f = phase_track_fn(p->t, i);
		for (u32 b = 0; b < f->nbands; b++)
			if (p->all.warps[f->band + b])
				layer(p, edge, next, f->band + b, false, band_rgb(i, b, f->nbands));
	}
	if (p->all.warps[0])
		layer(p, edge, next, 0, false, OTHER_RGB);
	if (p->all.exited)
		layer(p, edge, next, 0, true, EXITED_RGB);
	free(edge);
	free(next);
}

static void load_curve(const struct plot *p, bool memory, const char *rgb)
{
	const double unit = (LOAD_BOTTOM - LOAD_TOP) / p->load;
	strbuf_addf(p->out, "<path fill='none' stroke='%s' stroke-width='1.3' d='M%d %d", rgb, LEFT, LOAD_BOTTOM);
	for (u32 i = 0; i < p->n; i++) {
		const struct phase_sum *s = &p->col[i];
		strbuf_addf(p->out, "L%.1f %.1f", (x_of(p, i) + x_of(p, i + 1)) / 2,
		            LOAD_BOTTOM - mean(memory ? s->mem : s->alu, s->looks) * unit);
	}
	strbuf_adds(p->out, "'/>\n");
}

/* --- legend --- */

enum { ROW = 17, LEGEND_ROWS = (HEIGHT - STACK_TOP) / ROW };

static void entry(const struct plot *p, int *row, const char *rgb, const char *label)
{
	int x = RIGHT + 24, y = STACK_TOP + 6 + ROW * (*row)++;
	if (*row > LEGEND_ROWS)
		return;
	if (rgb)
		strbuf_addf(p->out, "<rect x='%d' y='%d' width='12' height='12' fill='%s' stroke='#666' stroke-width='.5'/>\n",
		            x, y - 10, rgb);
	text(p->out, rgb ? x + 18 : x, y, "start", rgb ? "" : "font-weight='bold'", label);
}

static void legend_of(const struct plot *p, int *row, u32 fn)
{
	const struct phase_fn *f = phase_track_fn(p->t, fn);
	char label[80];
	snprintf(label, sizeof label, "phases of %.24s", func_label(f->fn));
	entry(p, row, NULL, label);
	for (u32 b = f->nbands; b-- > 0;) { /* from the top, as in the stack */
		const struct phase_band *x = phase_track_band(p->t, f->band + b);
		if (!p->all.warps[f->band + b])
			continue;
		if (x->last > x->first)
			snprintf(label, sizeof label, "%u\u2013%u: %u cycle%s", x->first, x->last, x->length, plural(x->length));
		else
			snprintf(label, sizeof label, "%u: %u cycle%s", x->first, x->length, plural(x->length));
		entry(p, row, band_rgb(fn, b, f->nbands), label);
	}
}

static bool seen(const struct plot *p, const struct phase_fn *f)
{
	for (u32 i = 0; i < f->nbands; i++)
		if (p->all.warps[f->band + i])
			return true;
	return false;
}

static void legend(const struct plot *p)
{
	int row = 0;
	char label[80];
	if (p->all.exited)
		entry(p, &row, EXITED_RGB, "exited, CTA not done");
	if (p->all.warps[0])
		entry(p, &row, OTHER_RGB, "other functions");
	for (u32 i = phase_track_fns(p->t); i-- > 0;)
		if (seen(p, phase_track_fn(p->t, i)))
			legend_of(p, &row, i);
	row = MAX(row + 1, (LOAD_TOP - STACK_TOP) / ROW + 1);
	snprintf(label, sizeof label, "ALU, peak %u", p->all.alu_peak);
	entry(p, &row, ALU_RGB, label);
	snprintf(label, sizeof label, "memory, peak %u", p->all.mem_peak);
	entry(p, &row, MEM_RGB, label);
}

void phase_svg(const struct phase_track *t, s32 sm, const char *title, struct strbuf *out)
{
	struct plot p = {.t = t, .sm = sm, .start = phase_track_start(t), .end = phase_track_end(t), .out = out};
	char line[80];
	gather(&p);
	strbuf_addf(out,
	            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
	            "font-family='DejaVu Sans, Helvetica, Arial, sans-serif' font-size='13' fill='#222'>\n"
	            "<style>.tick{font-size:11px}</style>\n<rect width='%d' height='%d' fill='#fff'/>\n",
	            WIDTH, HEIGHT, WIDTH, HEIGHT, WIDTH, HEIGHT);
	text(out, LEFT, 24, "start", "font-size='16' font-weight='bold'", title);
	if (sm < 0)
		snprintf(line, sizeof line, "warps in each phase, all SMs");
	else
		snprintf(line, sizeof line, "warps in each phase, SM %d", sm);
	text(out, LEFT, 42, "start", "fill='#666'", line);
	stack(&p);
	y_axis(&p, STACK_TOP, STACK_BOTTOM, p.warps, "resident warps");
	x_axis(&p, STACK_BOTTOM, false);
	if (p.n) {
		load_curve(&p, false, ALU_RGB);
		load_curve(&p, true, MEM_RGB);
	}
	y_axis(&p, LOAD_TOP, LOAD_BOTTOM, p.load, "instructions in flight");
	x_axis(&p, LOAD_BOTTOM, true);
	legend(&p);
	strbuf_adds(out, "</svg>\n");
	free(p.col);
}
