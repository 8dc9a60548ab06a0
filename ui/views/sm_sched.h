/* sm_sched: the state of an SM's warp schedulers, in their policy's own words. */
#ifndef UI_VIEWS_SM_SCHED_H
#define UI_VIEWS_SM_SCHED_H
#include "views/view.h"

/* Rows that sm_sched_draw() wants on w columns: one a scheduler, or one for all when their words are short; 0 when the
 * policy has nothing to say. */
int sm_sched_rows(const struct view_ctx *v, u32 sm, int w);
void sm_sched_draw(const struct view_ctx *v, struct pane p, u32 sm);
#endif
