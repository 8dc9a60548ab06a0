/* requests: SMs that a kernel gives away (task/preempt/preempt.h). On an SM's time axis: the technique of its CTAs, for
 * as long as they took to leave. For the last request: the SM's estimate beside the measured time, and the request
 * itself. */
#ifndef UI_VIEWS_REQUESTS_H
#define UI_VIEWS_REQUESTS_H
#include "views/view.h"

#define REQUESTS_W 20      /* columns of a row: technique, microseconds estimated and measured */
#define REQUESTS_WIDE_W 38 /* and warp instructions lost */

struct request_info;
/* The last request, as long as its kernel has not ended or an SM is to come; else false. */
bool requests_newest(const struct view_ctx *v, struct request_info *out);
bool requests_any(const struct view_ctx *v); /* is there such a one? */
/* Its line. */
void requests_line(const struct view_ctx *v, struct pane p);
/* An SM's part of it, and what stands above those. */
void requests_row(const struct view_ctx *v, struct pane p, u32 sm);
void requests_head(struct pane p);
/* On an SM's time axis, which is the pane: all that are remembered. */
void requests_mark(const struct view_ctx *v, struct pane p, u32 sm, struct time_axis a);
#endif
