/* phase_svg: a recorded phase graph as a picture for papers and pages: warps in each phase stacked over time, and below
 * them the ALU and memory instructions in flight, with axes and a legend. It is standalone SVG on white ground. */
#ifndef UI_SESSION_PHASE_SVG_H
#define UI_SESSION_PHASE_SVG_H
#include "base/strbuf.h"
#include "obs/record/phase_track.h"

/* sm -1 = the sum over all SMs. title: the first line of text. */
void phase_svg(const struct phase_track *t, s32 sm, const char *title, struct strbuf *out);
#endif
