#include "commands/report/chart.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/words.h"
#include "commands/report/html.h"
#include "scr/canvas.h"
#include "views/view.h"

#define HIGH 1000 /* units of a picture's height */

double chart_step(double range, int n)
{
	const double raw = MAX(range, 1e-9) / n, ten = pow(10, floor(log10(raw)));
	return raw <= ten ? ten : raw <= 2 * ten ? 2 * ten : raw <= 5 * ten ? 5 * ten : 10 * ten;
}

double chart_x(const struct chart_axis *a, double cycle)
{
	const double len = (double)(a->to - a->from);
	return len > 0 ? MIN(MAX((cycle - (double)a->from) / len, 0.0), 1.0) * 1000 : 0;
}

static double column_edge(const struct curves *c, u32 column)
{
	return (double)MIN(c->from + column * c->width, c->to);
}

/* --- lines -------------------------------------------------------------------------------------------------------- */

static double largest(const struct chart *c)
{
	double most = 0;
	for (u32 l = 0; l < c->nlines; l++)
		for (u32 i = 0; i < c->line[l].c->n; i++)
			if (isfinite(c->line[l].y[i]))
				most = MAX(most, c->line[l].y[i]);
	if (most <= 0)
		return c->share ? 1 : 0.1;
	const double step = chart_step(most, 4);
	return MAX(ceil(most / step - 1e-9), 1.0) * step;
}

static u32 y_of(double v, double most)
{
	return (u32)lround(HIGH * (1 - MIN(MAX(v / most, 0.0), 1.0)));
}

/* A step for each column: a column is a mean. What is missing leaves a gap. */
static void step_path(struct strbuf *out, const struct chart_axis *a, const struct chart_line *l, double most)
{
	bool pen = false;
	u32 last = 0;
	for (u32 i = 0; i < l->c->n; i++) {
		if (!isfinite(l->y[i])) {
			pen = false;
			continue;
		}
		const u32 y = y_of(l->y[i], most);
		if (!pen)
			strbuf_addf(out, "M%.1f %u", chart_x(a, column_edge(l->c, i)), y);
		else if (y != last)
			strbuf_addf(out, "V%u", y);
		strbuf_addf(out, "H%.1f", chart_x(a, column_edge(l->c, i + 1)));
		pen = true;
		last = y;
	}
}

/* The same, filled down to the foot. */
static void area_path(struct strbuf *out, const struct chart_axis *a, const struct chart_line *l, double most)
{
	for (u32 i = 0; i < l->c->n; i++) {
		u32 end = i;
		while (end < l->c->n && isfinite(l->y[end]))
			end++;
		if (end == i)
			continue;
		strbuf_addf(out, "M%.1f %d", chart_x(a, column_edge(l->c, i)), HIGH);
		for (u32 last = HIGH; i < end; i++) {
			const u32 y = y_of(l->y[i], most);
			if (y != last)
				strbuf_addf(out, "V%u", y);
			strbuf_addf(out, "H%.1f", chart_x(a, column_edge(l->c, i + 1)));
			last = y;
		}
		strbuf_addf(out, "V%dZ", HIGH);
	}
}

static void y_labels(struct strbuf *out, double most, bool share)
{
	char text[FIGURE_MAX];
	for (u32 i = 0; i <= 2; i++) {
		const double v = most * i / 2;
		if (share)
			snprintf(text, sizeof text, "%g %%", round(1000 * v) / 10);
		else
			snprintf(text, sizeof text, "%g", v);
		strbuf_addf(out, "<span class=\"y\" style=\"bottom:%u%%\">%s</span>", 50 * i, text);
	}
}

/* Of its columns for who hovers; four digits are enough. */
static void values(struct strbuf *out, const struct curves *c, const double *y, double scale)
{
	strbuf_addf(out, " data-from=\"%llu\" data-width=\"%llu\" data-to=\"%llu\" data-y=\"", (unsigned long long)c->from,
	            (unsigned long long)c->width, (unsigned long long)c->to);
	for (u32 i = 0; i < c->n; i++)
		if (isfinite(y[i]))
			strbuf_addf(out, "%s%.4g", i ? " " : "", y[i] * scale);
		else
			strbuf_adds(out, i ? " -" : "-");
	strbuf_adds(out, "\"");
}

static void caption(struct strbuf *out, const struct chart *c)
{
	char text[FIGURE_MAX];
	strbuf_adds(out, "<figcaption><b title=\"");
	html_text(out, c->help);
	strbuf_adds(out, "\">");
	html_text(out, c->title);
	strbuf_adds(out, "</b>");
	if (*c->unit)
		html_textf(out, " %s", c->unit);
	for (u32 l = 0; l < c->nlines; l++) {
		strbuf_addf(out, "<span class=\"l%u read\"", l);
		values(out, c->line[l].c, c->line[l].y, c->share ? 100 : 1);
		strbuf_adds(out, "><span>");
		if (c->line[l].name)
			html_textf(out, "%s ", c->line[l].name);
		strbuf_addf(out, "mean </span><output>%s</output></span>", real_text(c->line[l].mean, c->share, text));
	}
	strbuf_adds(out, "</figcaption>\n");
}

void chart_lines(struct strbuf *out, const struct chart_axis *a, const struct chart *c)
{
	const double most = c->most > 0 ? c->most : largest(c);
	strbuf_addf(out, "<figure class=\"chart\" id=\"%s\">", c->id);
	caption(out, c);
	strbuf_adds(out, "<div class=\"plot\">");
	y_labels(out, most, c->share);
	strbuf_adds(out, "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"");
	html_textf(out, "%s over time", c->title);
	strbuf_adds(out, "\"><path class=\"grid\" d=\"M0 0H1000M0 500H1000M0 1000H1000\"/>");
	for (u32 l = 0; l < c->nlines; l++) {
		if (c->nlines == 1) {
			strbuf_adds(out, "<path class=\"area\" d=\"");
			area_path(out, a, &c->line[l], most);
			strbuf_adds(out, "\"/>");
		}
		strbuf_addf(out, "<path class=\"line c%u\" d=\"", l);
		step_path(out, a, &c->line[l], most);
		strbuf_adds(out, "\"/>");
	}
	strbuf_adds(out, "</svg></div></figure>\n");
}

/* --- stall reasons ------------------------------------------------------------------------------------------------ */

void chart_chip(struct strbuf *out, u32 reason)
{
	char glyph[8] = {0};
	utf8_encode(stall_glyph((enum stall)reason), glyph);
	strbuf_addf(out, "<i class=\"chip f%u\">%s</i>", reason, glyph);
}

/* The shares of the reasons [0, reason] of a column, from the foot. */
static u32 stack_top(const struct sample *s, u32 reason)
{
	u64 sum = 0, all = 0;
	for (u32 r = 0; r < ST_COUNT; r++) {
		all += s->stalls[r];
		sum += r <= reason ? s->stalls[r] : 0;
	}
	return all ? y_of((double)sum / (double)all, 1) : HIGH;
}

/* Along the upper edge and back along the lower one. */
static void layer_path(struct strbuf *out, const struct chart_axis *a, const struct curves *c, u32 reason)
{
	u32 last = HIGH + 1;
	for (u32 i = 0; i < c->n; i++) {
		const u32 y = stack_top(&c->machine[i], reason);
		if (!i)
			strbuf_addf(out, "M%.1f %u", chart_x(a, column_edge(c, 0)), y);
		else if (y != last)
			strbuf_addf(out, "H%.1fV%u", chart_x(a, column_edge(c, i)), y);
		last = y;
	}
	strbuf_addf(out, "H%.1f", chart_x(a, column_edge(c, c->n)));
	last = HIGH + 1;
	for (u32 i = c->n; i-- > 0;) {
		const u32 y = reason ? stack_top(&c->machine[i], reason - 1) : HIGH;
		if (y != last)
			strbuf_addf(out, "H%.1fV%u", chart_x(a, column_edge(c, i + 1)), y);
		last = y;
	}
	strbuf_addf(out, "H%.1fZ", chart_x(a, column_edge(c, 0)));
}

static void stall_entry(struct strbuf *out, const struct curves *c, u32 reason, u64 slots, u64 all)
{
	double *y = xcalloc(c->n + 1, sizeof *y);
	for (u32 i = 0; i < c->n; i++) {
		const u64 sum = stall_slots(c->machine[i].stalls);
		y[i] = sum ? (double)c->machine[i].stalls[reason] / (double)sum : (double)NAN;
	}
	strbuf_adds(out, "<li class=\"read\" title=\"");
	html_text(out, stall_descs[reason].help);
	strbuf_adds(out, "\"");
	values(out, c, y, 100);
	strbuf_adds(out, ">");
	chart_chip(out, reason);
	strbuf_adds(out, "<span>");
	html_text(out, stall_descs[reason].name[TAX_BASE]);
	strbuf_addf(out, "</span> <output>%.1f %%</output></li>", 100 * (double)slots / (double)MAX(all, (u64)1));
	free(y);
}

void chart_stalls(struct strbuf *out, const struct chart_axis *a, const char *id, const struct curves *c)
{
	u64 slots[ST_COUNT] = {0}, all = 0;
	for (u32 i = 0; i < c->n; i++)
		for (u32 r = 0; r < ST_COUNT; r++) {
			slots[r] += c->machine[i].stalls[r];
			all += c->machine[i].stalls[r];
		}
	strbuf_addf(out,
	            "<figure class=\"chart tall\" id=\"%s\"><figcaption><b>Issue slots</b> by what they went to"
	            "</figcaption>\n<div class=\"plot\">",
	            id);
	y_labels(out, 1, true);
	strbuf_adds(out, "<svg viewBox=\"0 0 1000 1000\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" "
	                 "role=\"img\" aria-label=\"shares of the issue slots over time\">");
	for (u32 r = 0; r < ST_COUNT; r++) {
		if (!slots[r])
			continue;
		strbuf_addf(out, "<path class=\"f%u\" d=\"", r);
		layer_path(out, a, c, r);
		strbuf_adds(out, "\"><title>");
		html_text(out, stall_descs[r].name[TAX_BASE]);
		strbuf_adds(out, "</title></path>");
	}
	strbuf_adds(out, "</svg></div>\n<ul class=\"legend\">");
	for (u32 r = 0; r < ST_COUNT; r++)
		if (slots[r])
			stall_entry(out, c, r, slots[r], all);
	strbuf_adds(out, "</ul></figure>\n");
}

void chart_cycles(struct strbuf *out, const struct chart_axis *a)
{
	const double len = (double)(a->to - a->from), step = MAX(chart_step(len, 8), 1.0);
	char text[GROUPED_MAX];
	strbuf_adds(out, "<div class=\"x\">");
	for (double c = ceil((double)a->from / step) * step; c <= (double)a->to && len > 0; c += step)
		strbuf_addf(out, "<span style=\"left:%.2f%%\">%s</span>", chart_x(a, c) / 10, grouped((u64)c, text));
	strbuf_adds(out, "<b>cycle</b></div>\n");
}
