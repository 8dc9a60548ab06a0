/* cursor: time axes, and a cursor on them, the same in every view that draws curves over time.
 *
 * Drawing: every curve dims with cursor_dim_future() the part that is later than now, says with cursor_axis() which
 * cycles its columns show, and then draws the cursor over itself with cursor_mark(). It adds its value at the cursor to
 * the cursor's line with cursor_note(). screen.c passes the keys in: left, right, Home and End move the cursor, Enter
 * goes to its cycle, Esc hides it, < and > move the span. */
#ifndef UI_VIEWS_CURSOR_H
#define UI_VIEWS_CURSOR_H
#include "views/view.h"

/* Before a view is drawn. */
void cursor_begin(struct view_state *st);
/* The part of cycles [start, end), or of the scope in them, that zoom and `until` choose, at least `least` long where
 * there is as much. */
struct time_axis cursor_window(const struct view_ctx *v, u64 start, u64 end, u64 least);
/* Curves with these cycles on these columns are about to be drawn. Returns the cursor's column, -1 = none on them. */
int cursor_axis(const struct view_ctx *v, struct time_axis a);
/* The column of a cycle, 0..w-1, -1 = not on the axis; and the first cycle of a column. */
int cursor_column(struct time_axis a, u64 cycle);
u64 cursor_cycle(struct time_axis a, int column);
/* Draws the cursor over column x of rows [y, y + h). */
void cursor_mark(struct pane p, int y, int h, int x);
/* After going back: what curves with these cycles on the columns from x on have of later ones stands back. */
void cursor_dim_future(const struct view_ctx *v, struct pane p, int y, int h, int x, struct time_axis a);
/* Adds to the cursor's line, when there is room. */
void cursor_note(const struct view_ctx *v, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The axis under the curves, from column x on: first and last cycle, the cursor, and now when it is in the past. */
void cursor_axis_row(const struct view_ctx *v, struct pane p, int y, int x, struct time_axis a);

/* The farthest cycle that has been simulated: behind now after going back. */
u64 cursor_run_end(const struct view_ctx *v);
/* Shows the cursor: at the present cycle when that is on the axis. False: the view has no time axis. */
bool cursor_show(struct view_ctx *v);
/* A key while the cursor is shown (but Enter); and < or >. False: not one of them. */
bool cursor_key(struct view_ctx *v, int key);
bool cursor_pan(struct view_ctx *v, int key);
#endif
