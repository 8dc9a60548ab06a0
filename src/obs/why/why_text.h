/* why_text: the words that the parts of `why` share. */
#ifndef OBS_WHY_WHY_TEXT_H
#define OBS_WHY_WHY_TEXT_H
#include "base/strbuf.h"
#include "gpu/query.h"

/* Two blanks for each level. */
void why_indent(struct strbuf *out, u32 depth);
/* The name of a launch's kernel; *k is filled with the rest. "?": there is no such launch. */
const char *why_kernel(const struct gpu *g, s32 launch, struct kernel_info *k);
/* "SM 3 warp 5 (warp 5 of CTA 17 of bfs#2)" */
void why_place(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out);
#endif
