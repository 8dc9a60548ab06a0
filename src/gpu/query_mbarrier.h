/* query_mbarrier: mbarriers of CTAs, warps that wait at them, and copies by cp.async under way, for observers. */
#ifndef GPU_QUERY_MBARRIER_H
#define GPU_QUERY_MBARRIER_H
#include "gpu/query.h"

struct mbarrier_view {
	struct mbarrier_info is;
	u64 waiting; /* warp slots that try_wait lets sleep until its phase ends */
};
/* Nobody has arrived, and nobody has expected bytes, since mbarrier.init. */
static inline bool mbarrier_untouched(const struct mbarrier_info *b)
{
	return !b->phase && b->pending == b->expected && !b->tx;
}
/* Those of a CTA's place (gpu_ctas()), in order of their offsets; `max` at most are written; returns how many there
 * are. */
u32 gpu_mbarriers(const struct gpu *g, u32 sm, u32 place, struct mbarrier_view *out, u32 max);
/* Does the warp in a slot sleep in try_wait? Where and for what. */
bool gpu_mbarrier_wait(const struct gpu *g, u32 sm, u32 warp, struct mbarrier_wait *out);
/* Copies of one warp between two commits or arrivals (sm/copies.h), oldest first. */
struct copies_view {
	u32 warp;        /* place on the SM; slots come first */
	u32 cta_place;   /* of its CTA */
	u32 group;       /* number among the warp's groups under way, 0: the oldest */
	u32 left, bytes; /* instructions under way; bytes of all its copies */
	u32 pc;          /* of its first copy */
	u32 arrivals;    /* threads that arrive at an mbarrier when it is done */
	bool open;       /* no commit so far */
	u64 since;
};
u32 gpu_copies(const struct gpu *g, u32 sm, struct copies_view *out, u32 max);
#endif
