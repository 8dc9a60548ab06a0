/* mbarrier_wait: mbarriers, as what warps wait for. */
#ifndef OBS_WHY_MBARRIER_WAIT_H
#define OBS_WHY_MBARRIER_WAIT_H
#include "base/strbuf.h"
#include "gpu/query_mbarrier.h"

/* A warp that sleeps in try_wait: at which mbarrier, and whether anybody could end its phase. */
void mbarrier_tell_wait(const struct gpu *g, u32 sm, u32 warp, const struct warp_info *w, struct strbuf *out,
                        u32 depth);
/* The mbarrier at an offset in a CTA's shared memory. Nothing if there is none. */
void mbarrier_tell_at(const struct gpu *g, u32 sm, u32 slot, u64 addr, struct strbuf *out, u32 depth);
#endif
