/* sm_tensor: the tensor units of an SM's sub-cores, in one row. */
#ifndef UI_VIEWS_SM_TENSOR_H
#define UI_VIEWS_SM_TENSOR_H
#include "views/view.h"

/* Rows that sm_tensor_draw() wants: 1 on an SM that has executed an mma, else 0. */
int sm_tensor_rows(const struct view_ctx *v, u32 sm);
void sm_tensor_draw(const struct view_ctx *v, struct pane p, u32 sm);
#endif
