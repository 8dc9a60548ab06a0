/* draw: the elements of views: bars, sparklines, rules, numbers. */
#ifndef UI_SCR_DRAW_H
#define UI_SCR_DRAW_H
#include "base/words.h"
#include "scr/canvas.h"

#define NUM_MAX 40 /* of a number as text, that of grouped() too */
/* Four significant places with a unit letter: "950", "12.3k", "1.92M". */
const char *fmt_short(char buf[NUM_MAX], double v);
/* n of d in percent; 0 when d is 0. */
double percent(double n, double d);

/* Text on at most w columns; longer text loses its middle: the beginnings and ends of mangled names tell most. */
void draw_clipped(struct pane p, int y, int x, int w, struct style s, const char *text);
/* Text on at most w columns; longer text loses its end to an ellipsis. */
void draw_cut(struct pane p, int y, int x, int w, struct style s, const char *text);
/* The same, but only whole words are left, unless not even one fits. */
void draw_words(struct pane p, int y, int x, int w, struct style s, const char *text);
/* "12 more" at the end of the last row, over what was there. */
void draw_more(struct pane p, int n);
/* A horizontal line over the whole pane. */
void draw_rule(struct pane p, int y);
/* A bar of w columns, `fraction` (clipped to 0..1) filled with a precision of an eighth column; the rest shows a faint
 * track when track is set. */
void draw_bar(struct pane p, int y, int x, int w, struct style s, double fraction, bool track);
/* A share of a whole as a heavy line on a faint one: lists of meters stay apart where bars would run together. */
void draw_meter(struct pane p, int y, int x, int w, struct style s, double fraction);
/* n values as a row of w columns (n > w: neighbours are averaged; n < w: drawn at the left); max is the full height, a
 * value that is not finite leaves a gap. */
void draw_spark(struct pane p, int y, int x, int w, struct style s, const float *v, int n, float max);
/* The same, rows high: tall columns for larger screens. y is the top row. */
void draw_columns(struct pane p, int y, int x, int rows, int w, struct style s, const float *v, int n, float max);
/* Average of the n values that fall on column i of w. NAN when none is finite. */
float resample(const float *v, int n, int w, int i);
/* A piece of a contiguous block diagram: the columns of [from, to) out of `total` on w columns, with a label inside
 * where it fits. */
void draw_block(struct pane p, int y, int x, int w, struct style s, u64 from, u64 to, u64 total, const char *label);
#endif
