#include "gpu/launch_slots.h"

#include <string.h>

#include "gpu/query.h"
#include "gpu/scope.h"
#include "gpu/state.h"

void launch_slots_note(struct gpu *g, u64 out[ST_COUNT])
{
	struct gpu_scope *scope = gpu_scope_off(g);
	gpu_stalls_sum(g, -1, out);
	gpu_scope_on(g, scope);
}

/* Of the two totals of growing counts the one that is later, or (later false) earlier. */
static void meet(u64 out[ST_COUNT], const u64 other[ST_COUNT], bool later)
{
	for (u32 i = 0; i < ST_COUNT; i++)
		out[i] = later ? MAX(out[i], other[i]) : MIN(out[i], other[i]);
}

u64 gpu_launch_slots(struct gpu *g, u32 launch, u64 out[ST_COUNT])
{
	const struct kcb *k = &g->task->kcb[launch];
	u64 from[ST_COUNT], to[ST_COUNT], sum = 0;
	memset(out, 0, ST_COUNT * sizeof *out);
	if (k->state == KCB_QUEUED)
		return 0;
	memcpy(from, k->slots_before, sizeof from);
	if (k->state == KCB_DONE)
		memcpy(to, k->slots_after, sizeof to);
	else
		launch_slots_note(g, to);
	if (gpu_scope_is_set(g)) {
		u64 begin[ST_COUNT], end[ST_COUNT];
		gpu_scope_slots(g, begin, end);
		meet(from, begin, true);
		meet(to, end, false);
	}
	for (u32 i = 0; i < ST_COUNT; i++) {
		out[i] = to[i] > from[i] ? to[i] - from[i] : 0;
		sum += out[i];
	}
	return sum;
}
