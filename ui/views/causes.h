/* causes: why L1D and L2 missed, in a line and over time; and which CTAs' lines an L1D holds. Parts of the view of the
 * caches. */
#ifndef UI_VIEWS_CAUSES_H
#define UI_VIEWS_CAUSES_H
#include "views/view.h"

/* "L1D misses  cold 4.9%  capacity 54.3% ...": shares of the cache's accesses, each with its letter and colour of the
 * chart where that is shown (legend). Causes that never came are left out. */
void causes_line(struct pane p, const char *name, const struct cache_counters *c, bool letters);
/* A cache's misses by cause over the columns from `left` on, a column's height the share of its accesses; first:
 * TS_L1D_MISS or TS_L2_MISS. */
void causes_chart(struct view_ctx *v, struct pane p, int left, enum series first, const char *label);
/* Tells the cursor's line of the causes at the cursor on curves of w columns. */
void causes_note(struct view_ctx *v, int w, enum series first, const char *label);
/* The focused SM's lines of L1D by the CTA that brought them in, on as many rows as p has. */
void causes_lines(struct view_ctx *v, struct pane p);
#endif
