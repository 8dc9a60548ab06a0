/* The scatter plot: a point on the diagonal is a figure that the model has right. */
#include "cli/correlate/correlate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 61, LINES = 25 };
enum { SIZE = 640, MARGIN = 70 };

static bool shown(const struct corr_row *r)
{
	return !r->why_not && r->measured > 0 && r->modelled > 0;
}

/* Powers of ten that hold all points; false: there are none. */
static bool range(const struct correlation *c, double *low, double *high)
{
	double lo = INFINITY, hi = -INFINITY;
	for (u32 i = 0; i < c->nrows; i++)
		if (shown(&c->rows[i])) {
			lo = fmin(lo, log10(fmin(c->rows[i].measured, c->rows[i].modelled)));
			hi = fmax(hi, log10(fmax(c->rows[i].measured, c->rows[i].modelled)));
		}
	*low = floor(lo);
	*high = fmax(ceil(hi), *low + 1);
	return isfinite(lo);
}

static u32 place(double value, double low, double high, u32 n)
{
	return (u32)lround((log10(value) - low) / (high - low) * (n - 1));
}

void corr_plot_text(const struct correlation *c, bool ascii, struct strbuf *out)
{
	double low, high;
	char cell[LINES][COLUMNS + 1];
	if (!range(c, &low, &high))
		return;
	memset(cell, ' ', sizeof cell);
	for (u32 x = 0; x < COLUMNS; x++)
		cell[x * (LINES - 1) / (COLUMNS - 1)][x] = '.';
	for (u32 i = 0; i < c->nrows; i++) {
		const struct corr_row *r = &c->rows[i];
		if (!shown(r))
			continue;
		char *at = &cell[place(r->modelled, low, high, LINES)][place(r->measured, low, high, COLUMNS)];
		char mark = r->kind == CORR_MICRO ? 'o' : 'x';
		*at = *at == ' ' || *at == '.' || *at == mark ? mark : '*';
	}
	strbuf_adds(out, "modelled, cycles\n");
	for (u32 line = LINES; line-- > 0;) {
		cell[line][COLUMNS] = 0;
		for (u32 x = COLUMNS; x-- > 0 && cell[line][x] == ' ';)
			cell[line][x] = 0;
		if (line == LINES - 1 || line == 0)
			strbuf_addf(out, "%8.0e ", pow(10, line ? high : low));
		else
			strbuf_adds(out, "         ");
		strbuf_addf(out, "%s%s\n", ascii ? "|" : "│", cell[line]);
	}
	strbuf_addf(out, "         %s", ascii ? "+" : "└");
	for (u32 x = 0; x < COLUMNS; x++)
		strbuf_adds(out, ascii ? "-" : "─");
	strbuf_addf(out, "\n          %-*.0e%8.0e  measured, cycles\n", COLUMNS - 8, pow(10, low), pow(10, high));
	strbuf_adds(out, "          o microbenchmark   x kernel of a workload   * both   . equal\n");
}

/* --- SVG --- */

static void escaped(struct strbuf *out, const char *s)
{
	for (; *s; s++)
		if (*s == '<' || *s == '>' || *s == '&')
			strbuf_adds(out, *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : "&amp;");
		else if ((unsigned char)*s >= 32)
			strbuf_addc(out, *s);
}

static double x_of(double log_value, double low, double high)
{
	return MARGIN + (log_value - low) / (high - low) * (SIZE - 2 * MARGIN);
}

static void add_axes(struct strbuf *out, double low, double high)
{
	for (double p = low; p <= high; p++) {
		double x = x_of(p, low, high), y = SIZE - x;
		strbuf_addf(out, "<path d='M%.1f %d V%d M%d %.1f H%d' stroke='#dddddd'/>\n", x, MARGIN, SIZE - MARGIN, MARGIN,
		            y, SIZE - MARGIN);
		strbuf_addf(out, "<text x='%.1f' y='%d' text-anchor='middle'>1e%.0f</text>\n", x, SIZE - MARGIN + 18, p);
		strbuf_addf(out, "<text x='%d' y='%.1f' text-anchor='end'>1e%.0f</text>\n", MARGIN - 6, y + 4, p);
	}
	strbuf_addf(out, "<path d='M%d %d L%d %d' stroke='#888888'/>\n", MARGIN, SIZE - MARGIN, SIZE - MARGIN, MARGIN);
}

void corr_plot_svg(const struct correlation *c, struct strbuf *out)
{
	double low = 0, high = 1;
	range(c, &low, &high);
	if (!isfinite(low))
		low = 0, high = 1;
	strbuf_addf(out,
	            "<svg xmlns='http://www.w3.org/2000/svg' width='%d' height='%d' viewBox='0 0 %d %d' "
	            "font-family='sans-serif' font-size='12'>\n<rect width='100%%' height='100%%' fill='white'/>\n",
	            SIZE, SIZE, SIZE, SIZE);
	add_axes(out, low, high);
	strbuf_addf(out, "<text x='%d' y='24' text-anchor='middle' font-size='15'>", SIZE / 2);
	escaped(out, c->conf.machine);
	strbuf_adds(out, " beside ");
	escaped(out, c->chip);
	strbuf_addf(out,
	            "</text>\n<text x='%d' y='%d' text-anchor='middle'>measured, cycles</text>\n<text x='18' y='%d' "
	            "text-anchor='middle' transform='rotate(-90 18 %d)'>modelled, cycles</text>\n",
	            SIZE / 2, SIZE - 20, SIZE / 2, SIZE / 2);
	for (u32 i = 0; i < c->nrows; i++) {
		const struct corr_row *r = &c->rows[i];
		if (!shown(r))
			continue;
		double x = x_of(log10(r->measured), low, high), y = SIZE - x_of(log10(r->modelled), low, high);
		strbuf_addf(out, "<circle cx='%.1f' cy='%.1f' r='4' fill='%s' fill-opacity='0.7'><title>", x, y,
		            r->kind == CORR_MICRO ? "#0072b2" : "#d55e00");
		escaped(out, r->group);
		strbuf_adds(out, ": ");
		escaped(out, r->name);
		strbuf_addf(out, ": measured %.6g, modelled %.6g, ratio %.3f</title></circle>\n", r->measured, r->modelled,
		            r->modelled / r->measured);
	}
	strbuf_addf(
	    out,
	    "<circle cx='%d' cy='44' r='4' fill='#0072b2'/><text x='%d' y='48'>microbenchmark</text>\n"
	    "<circle cx='%d' cy='44' r='4' fill='#d55e00'/><text x='%d' y='48'>kernel of a workload</text>\n</svg>\n",
	    MARGIN + 60, MARGIN + 70, MARGIN + 220, MARGIN + 230);
}
