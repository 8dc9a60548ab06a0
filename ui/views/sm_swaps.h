/* sm_swaps: lines of the SM view about virtual threads: the swap, and the CTAs without a slot. */
#ifndef UI_VIEWS_SM_SWAPS_H
#define UI_VIEWS_SM_SWAPS_H
#include "views/view.h"

/* Lines in a view of so many rows: 0 without virtual threads. */
int sm_swaps_rows(const struct view_ctx *v, int rows);
void sm_swaps_draw(struct view_ctx *v, struct pane p);
#endif
