/* power: watts by group of the energy model, over time and of each SM. A part of the overview. */
#ifndef UI_VIEWS_POWER_H
#define UI_VIEWS_POWER_H
#include "views/view.h"

/* Over all of p: what each group takes now, the stack of them over the run, a meter for each SM. */
void power_draw(struct view_ctx *v, struct pane p);
#endif
