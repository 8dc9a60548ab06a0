/* kept: CTAs that have been stopped (paused, halted, taken off their SM), as what others wait for. */
#ifndef OBS_WHY_KEPT_H
#define OBS_WHY_KEPT_H
#include "base/strbuf.h"
#include "gpu/query.h"

/* Why a warp of a paused CTA does not issue: since when, until when, what ends it. */
void kept_tell_warp(const struct gpu *g, u32 sm, const struct warp_info *w, struct strbuf *out, u32 depth);
/* All CTAs of a launch (-1: of the machine) that are kept, a line each. */
void kept_tell(const struct gpu *g, s32 launch, struct strbuf *out, u32 depth);
/* Are there CTAs that go on only when somebody says so? */
bool kept_any(const struct gpu *g);
#endif
