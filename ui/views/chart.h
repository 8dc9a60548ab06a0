/* chart: a labelled curve of a timeline series, one row (sparkline) or several rows high. */
#ifndef UI_VIEWS_CHART_H
#define UI_VIEWS_CHART_H
#include "views/view.h"

struct chart {
	const char *label;
	enum series series;
	enum role role;
	double max;       /* full height; 0 = the largest value shown */
	const char *unit; /* "%": values are shares, shown in percent; "n": numbers of things, whole; "": as they are */
};
/* Draws into p (its height is the curve's): label and present value at the left, the curve right of column `left`. sm
 * -1 = machine. */
void chart_draw(const struct view_ctx *v, struct pane p, const struct chart *c, s32 sm, int left);
/* What a curve of w columns comes to, a row each as far as there are rows: now, mean, peak. */
void chart_summary(const struct view_ctx *v, struct pane p, const struct chart *c, s32 sm, int w);
/* The value of the last samples shown, NAN when there is none. */
double chart_last(const struct view_ctx *v, const struct chart *c, s32 sm);
/* The cycles that curves of w columns show; w 0 = nothing recorded yet. */
struct time_axis chart_time(const struct view_ctx *v, int w);
/* "cycles 0 ... 48,213, 512 a column": the time axis under charts that begin at column left. */
void chart_axis(const struct view_ctx *v, struct pane p, int y, int left);
#endif
