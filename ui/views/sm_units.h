/* SM view: the line of MSHRs, LSU, re-execution queue and units of the focused SM; a part of views/view_sm.c. */
#ifndef UI_VIEWS_SM_UNITS_H
#define UI_VIEWS_SM_UNITS_H
#include "views/view.h"

/* In the first row of the pane, as short as need be for all of it to be there. */
void sm_units_draw(struct view_ctx *v, struct pane p, const struct sm_info *i);
#endif
