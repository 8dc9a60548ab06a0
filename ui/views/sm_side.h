/* sm_side: the right part of the SM view on wide terminals: why slots were lost, the run so far, and the misses under
 * way. */
#ifndef UI_VIEWS_SM_SIDE_H
#define UI_VIEWS_SM_SIDE_H
#include "views/view.h"

#define SM_SIDE_W 56
#define SM_SIDE_FROM_W 170 /* columns of a terminal that has room for it */
void sm_side_draw(struct view_ctx *v, struct pane p, u32 sm);
#endif
