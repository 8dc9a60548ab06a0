/* A figure's picture: bars of text, or SVG. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/papers/paper.h"

/* --- what is drawn --- */

static void widen(double v, double *least, double *most)
{
	if (!isfinite(v))
		return;
	*least = MIN(*least, v);
	*most = MAX(*most, v);
}

/* Of all drawn numbers, the base (0) included. */
static void range(const struct table *t, double *least, double *most)
{
	double base = isnan(t->base) ? 0 : t->base;
	*least = *most = base;
	for (u32 r = 0; r < t->nrows; r++)
		for (u32 i = 1; i < t->ncolumns; i++) {
			if (!t->columns[i].drawn)
				continue;
			widen(table_cell(t, r, i)->value, least, most);
			widen(table_cell(t, r, i)->published, least, most);
		}
}

static u32 ndrawn(const struct table *t)
{
	u32 n = 0;
	for (u32 i = 0; i < t->ncolumns; i++)
		n += t->columns[i].drawn;
	return n;
}

/* A row's name: its first cell. */
static void row_name(const struct table *t, u32 row, struct strbuf *out)
{
	const struct table_cell *x = table_cell(t, row, 0);
	if (x->text)
		strbuf_adds(out, x->text);
	else if (isfinite(x->value))
		strbuf_addf(out, "%g", x->value);
}

/* --- text --- */

#define BAR_WIDTH 40

static void text_bar(const struct table *t, u32 row, u32 i, const char *block, struct strbuf *out)
{
	const struct table_cell *x = table_cell(t, row, i);
	double least, most;
	struct strbuf name = STRBUF_INIT;
	range(t, &least, &most);
	row_name(t, row, &name);
	strbuf_addf(out, "%-12.12s %-10.10s ", strbuf_str(&name), t->columns[i].name);
	strbuf_release(&name);
	if (!isfinite(x->value)) {
		strbuf_addf(out, "%8s\n", "-");
		return;
	}
	strbuf_addf(out, "%8.*f ", (int)t->columns[i].digits, x->value);
	u32 n = most > least ? (u32)lround((x->value - least) / (most - least) * BAR_WIDTH) : 0;
	for (u32 k = 0; k < n; k++)
		strbuf_adds(out, block);
	strbuf_addc(out, '\n');
}

void table_bars(const struct table *t, bool ascii, struct strbuf *out)
{
	double least, most;
	range(t, &least, &most);
	for (u32 r = 0; r < t->nrows; r++)
		for (u32 i = 1; i < t->ncolumns; i++)
			if (t->columns[i].drawn)
				text_bar(t, r, i, ascii ? "#" : "█", out);
	strbuf_addf(out, "bars from %g to %g\n", least, most);
}

/* --- SVG --- */

enum { LEFT = 60, TOP = 50, HEIGHT = 260, LABELS = 90, BAR = 11, GAP = 12, LEGEND = 110 };
/* Okabe and Ito's palette: told apart by colour-blind eyes as well. */
static const char *const colors[] = {"#0072b2", "#e69f00", "#009e73", "#cc79a7",
                                     "#56b4e9", "#d55e00", "#f0e442", "#000000"};

struct axes {
	double least, most, step;
	u32 width; /* of the field */
};

/* A step of 1, 2 or 5 times a power of ten: four to ten of them over the range. */
static double nice_step(double span)
{
	if (span <= 0)
		return 1;
	double p = pow(10, floor(log10(span)));
	return span / p < 2 ? p / 5 : span / p < 5 ? p / 2 : p;
}

static double y_of(const struct axes *a, double v)
{
	return TOP + HEIGHT - (v - a->least) / (a->most - a->least) * HEIGHT;
}

static void svg_text(const char *s, struct strbuf *out)
{
	for (; *s; s++)
		switch (*s) {
		case '<': strbuf_adds(out, "&lt;"); break;
		case '>': strbuf_adds(out, "&gt;"); break;
		case '&': strbuf_adds(out, "&amp;"); break;
		default: strbuf_addc(out, *s);
		}
}

static void svg_label(double x, double y, const char *more, const char *text, struct strbuf *out)
{
	strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, more);
	svg_text(text, out);
	strbuf_adds(out, "</text>\n");
}

static void svg_axes(const struct axes *a, struct strbuf *out)
{
	for (double v = ceil(a->least / a->step) * a->step; v <= a->most + a->step / 100; v += a->step) {
		char text[32];
		snprintf(text, sizeof(text), "%g", fabs(v) < a->step / 100 ? 0 : v);
		strbuf_addf(out, "<line x1=\"%d\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>\n", LEFT, LEFT + a->width,
		            y_of(a, v), y_of(a, v));
		svg_label(LEFT - 6, y_of(a, v) + 4, "text-anchor=\"end\"", text, out);
	}
}

static bool has_published(const struct table *t)
{
	for (u32 i = 1; i < t->ncolumns; i++)
		if (t->columns[i].drawn && t->columns[i].published)
			return true;
	return false;
}

static void svg_legend(const struct table *t, u32 width, struct strbuf *out)
{
	u32 k = 0;
	for (u32 i = 0; i < t->ncolumns; i++) {
		if (!t->columns[i].drawn)
			continue;
		double x = LEFT + (double)(k * LEGEND % MAX(width, (u32)LEGEND));
		strbuf_addf(out, "<rect x=\"%.1f\" y=\"30\" width=\"10\" height=\"10\" fill=\"%s\"/>\n", x,
		            colors[k % ARRAY_LEN(colors)]);
		svg_label(x + 14, 39, "", t->columns[i].name, out);
		k++;
	}
	if (t->plot == PLOT_BARS && has_published(t)) {
		double x = LEFT + (double)(k * LEGEND % MAX(width, (u32)LEGEND));
		strbuf_addf(out, "<rect x=\"%.1f\" y=\"34\" width=\"10\" height=\"2\"/>\n", x);
		svg_label(x + 14, 39, "", "published", out);
	}
}

/* One bar, and the published value as a black mark across it. */
static void svg_bar(const struct axes *a, const struct table_cell *x, double base, double left, const char *color,
                    struct strbuf *out)
{
	if (isfinite(x->value)) {
		double y = y_of(a, x->value), zero = y_of(a, base);
		strbuf_addf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", left, MIN(y, zero),
		            BAR - 1, fabs(zero - y), color);
	}
	if (isfinite(x->published))
		strbuf_addf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#000\" stroke-width=\"2\"/>\n",
		            left - 1, left + BAR, y_of(a, x->published), y_of(a, x->published));
}

static void svg_bars(const struct table *t, const struct axes *a, struct strbuf *out)
{
	u32 group = ndrawn(t) * BAR + GAP;
	for (u32 r = 0; r < t->nrows; r++) {
		double left = LEFT + GAP / 2.0 + r * group;
		struct strbuf name = STRBUF_INIT, turn = STRBUF_INIT;
		u32 k = 0;
		for (u32 i = 1; i < t->ncolumns; i++) {
			if (!t->columns[i].drawn)
				continue;
			svg_bar(a, table_cell(t, r, i), isnan(t->base) ? 0 : t->base, left + k * BAR, colors[k % ARRAY_LEN(colors)],
			        out);
			k++;
		}
		row_name(t, r, &name);
		double x = left + k * BAR / 2.0, y = TOP + HEIGHT + 12;
		strbuf_addf(&turn, "text-anchor=\"end\" transform=\"rotate(-45 %.1f %.1f)\"", x, y);
		svg_label(x, y, turn.buf, strbuf_str(&name), out);
		strbuf_release(&name);
		strbuf_release(&turn);
	}
}

static void x_range(const struct table *t, double *least, double *most)
{
	*least = INFINITY;
	*most = -INFINITY;
	for (u32 r = 0; r < t->nrows; r++) {
		double v = table_cell(t, r, 0)->value;
		if (isfinite(v)) {
			*least = MIN(*least, v);
			*most = MAX(*most, v);
		}
	}
}

static void svg_line(const struct table *t, const struct axes *a, u32 column, const char *color, struct strbuf *out)
{
	double least, most;
	x_range(t, &least, &most);
	strbuf_addf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"", color);
	for (u32 r = 0; r < t->nrows; r++) {
		double x = table_cell(t, r, 0)->value, y = table_cell(t, r, column)->value;
		if (isfinite(x) && isfinite(y))
			strbuf_addf(out, "%.1f,%.1f ", LEFT + (most > least ? (x - least) / (most - least) : 0) * a->width,
			            y_of(a, y));
	}
	strbuf_adds(out, "\"/>\n");
}

static void svg_lines(const struct table *t, const struct axes *a, struct strbuf *out)
{
	double least, most;
	char text[32];
	u32 k = 0;
	for (u32 i = 1; i < t->ncolumns; i++)
		if (t->columns[i].drawn)
			svg_line(t, a, i, colors[k++ % ARRAY_LEN(colors)], out);
	x_range(t, &least, &most);
	snprintf(text, sizeof(text), "%g", least);
	svg_label(LEFT, TOP + HEIGHT + 16, "", text, out);
	snprintf(text, sizeof(text), "%g", most);
	svg_label(LEFT + (double)a->width, TOP + HEIGHT + 16, "text-anchor=\"end\"", text, out);
	svg_label(LEFT + a->width / 2.0, TOP + HEIGHT + 32, "text-anchor=\"middle\"", t->columns[0].name, out);
}

void table_svg(const struct table *t, const char *title, struct strbuf *out)
{
	struct axes a;
	u32 natural = t->plot == PLOT_LINES ? 640 : t->nrows * (ndrawn(t) * BAR + GAP);
	range(t, &a.least, &a.most);
	a.step = nice_step(a.most - a.least);
	a.least = floor(a.least / a.step) * a.step;
	a.most = MAX(ceil(a.most / a.step) * a.step, a.least + a.step);
	a.width = MAX(natural, 320u);
	strbuf_addf(out,
	            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%d\" font-family=\"sans-serif\" "
	            "font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
	            a.width + LEFT + 20, TOP + HEIGHT + LABELS);
	svg_label(LEFT, 18, "font-size=\"13\" font-weight=\"bold\"", title, out);
	svg_legend(t, a.width, out);
	svg_axes(&a, out);
	double base = y_of(&a, isnan(t->base) ? 0 : t->base);
	strbuf_addf(out, "<line x1=\"%d\" x2=\"%u\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#666\"/>\n", LEFT, LEFT + a.width,
	            base, base);
	if (t->plot == PLOT_LINES)
		svg_lines(t, &a, out);
	else
		svg_bars(t, &a, out);
	strbuf_adds(out, "</svg>\n");
}
