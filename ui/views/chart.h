/* chart: a labelled curve of a timeline series, one row (sparkline) or several rows high. */
#ifndef UI_VIEWS_CHART_H
#define UI_VIEWS_CHART_H
#include "views/stack.h"
#include "views/view.h"

struct chart {
	const char *label;
	enum series series;
	enum role role;
	double max; /* full height; 0 = the largest value shown, but for spikes (a few columns far above the others) */
	const char *unit; /* "%": values are shares, shown in percent; "n": numbers of things, whole; "": as they are */
};
/* Draws into p (its height is the curve's): label and the value of the last RECENT_CYCLES at the left, the curve right
 * of column `left`. sm -1 = machine. IPC has the instructions that took no issue slot on top, in another look. */
void chart_draw(const struct view_ctx *v, struct pane p, const struct chart *c, s32 sm, int left);
/* What fills the height of a curve of these columns, NAN = none: the largest value, but where a few columns are far
 * above all the others something less: those run out of the picture, and chart_spikes() marks them (▲) in row y. */
float chart_top(const float *v, int n);
void chart_spikes(struct pane p, int y, int x, const float *v, int n, float top);
/* Parts of samples [from, to), one on the other: at most CHART_PARTS, from the foot. */
#define CHART_PARTS 16
typedef u32 chart_parts_fn(const struct view_ctx *v, const void *ctx, u32 from, u32 to, int rows,
                           struct stack_part out[CHART_PARTS]);
/* A column of parts for every column from `left` on; scale: what its full height stands for. */
void chart_stack(const struct view_ctx *v, struct pane p, int left, const char *scale, chart_parts_fn *parts,
                 const void *ctx);
/* What a curve of w columns comes to, a row each as far as there are rows: now, mean, peak. */
void chart_summary(const struct view_ctx *v, struct pane p, const struct chart *c, s32 sm, int w);
/* The value of the last complete window of RECENT_CYCLES cycles, as in the title (recent.h); NAN when there is none. */
double chart_last(const struct view_ctx *v, const struct chart *c, s32 sm);
/* The cycles that curves of w columns show; w 0 = nothing recorded yet. */
struct time_axis chart_time(const struct view_ctx *v, int w);
/* The time axis under charts that begin at column left, and the window of the values beside them. */
void chart_axis(const struct view_ctx *v, struct pane p, int y, int left);
#endif
