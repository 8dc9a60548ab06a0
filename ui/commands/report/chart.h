/* chart: curves and areas over time, as HTML and inline SVG. The SVG is stretched to the page's width; numbers and
 * names stand beside it as text, so that they stay readable on a narrow window. All pictures of a page have one axis.
 */
#ifndef UI_COMMANDS_REPORT_CHART_H
#define UI_COMMANDS_REPORT_CHART_H
#include "base/strbuf.h"
#include "dbg/curves.h"

struct chart_axis {
	u64 from, to; /* cycles, from the left edge to the right */
};
struct chart_line {
	const char *name;       /* "A"; NULL: there is but one */
	const struct curves *c; /* its columns; */
	const double *y;        /* of each; NAN: none */
	double mean;            /* of the whole part */
};
struct chart {
	const char *id, *title, *help, *unit;
	bool share;  /* values are shares of 1 */
	double most; /* at the top; 0: the largest value, rounded up */
	const struct chart_line *line;
	u32 nlines; /* 2 at most */
};
/* Thousandths of the width, 0 to 1000. */
double chart_x(const struct chart_axis *a, double cycle);
void chart_lines(struct strbuf *out, const struct chart_axis *a, const struct chart *c);
/* Stall reasons as shares of the issue slots, one on the other, with a legend: a colour, letter and name each, and its
 * share of the whole part. id: its anchor. */
void chart_stalls(struct strbuf *out, const struct chart_axis *a, const char *id, const struct curves *c);
/* The cycles below the pictures. */
void chart_cycles(struct strbuf *out, const struct chart_axis *a);
/* 1, 2 or 5 times a power of ten: a step that divides `range` into at most n parts. */
double chart_step(double range, int n);
/* Appends the chip of a stall reason: its letter on its colour. */
void chart_chip(struct strbuf *out, u32 reason);
#endif
