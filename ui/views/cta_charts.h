/* cta_charts: over time, how many CTAs SMs hold against the limit that the CTA scheduler has set, and how far each CTA
 * of an SM has come. This is the right half of the kernels view on wide terminals. */
#ifndef UI_VIEWS_CTA_CHARTS_H
#define UI_VIEWS_CTA_CHARTS_H
#include "views/view.h"

#define CTA_CHARTS_LEAST_H 12 /* rows under which neither has a curve worth looking at */
/* The cycles of `time` on the whole pane; its w is not used. `launch` is the kernel whose CTAs are counted. */
void cta_charts_draw(const struct view_ctx *v, struct pane p, struct time_axis time, u32 launch);
#endif
