/* view_stalls: the shares of the issue slots over time, as the stalls view draws them, for other views as well. */
#ifndef UI_VIEWS_VIEW_STALLS_H
#define UI_VIEWS_VIEW_STALLS_H
#include "views/view.h"

/* Title, stacked columns and time axis: p.h - 2 rows of columns, nothing below 3 rows. sm -1 = all SMs. */
void stalls_over_time(struct view_ctx *v, struct pane p, s32 sm, const char *title);
#endif
