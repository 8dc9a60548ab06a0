#include <string.h>

#include "sm/sched/external.h"

#define SCHED(v) extern const struct warp_sched_ops v;
#include "sm/sched/all.def"
#undef SCHED
const struct warp_sched_ops *const warp_scheds[] = {
#define SCHED(v) &v,
#include "sm/sched/all.def"
#undef SCHED
};
const u32 warp_nscheds = ARRAY_LEN(warp_scheds);

const struct warp_sched_ops *warp_sched_find(const char *name)
{
	for (u32 i = 0; i < warp_nscheds; i++)
		if (!strcmp(warp_scheds[i]->name, name))
			return warp_scheds[i];
	return sched_name_external(name) ? &sched_external : NULL;
}
