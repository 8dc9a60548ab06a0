/* launch_slots: the issue slots of the machine in the time of a launch, by what they went to. All schedulers of all SMs
 * are counted: slots that an SM without its CTAs lost are the launch's loss as well, and while several launches run,
 * each has the slots of them all. The sum is the launch's cycles times the machine's schedulers. */
#ifndef GPU_LAUNCH_SLOTS_H
#define GPU_LAUNCH_SLOTS_H
#include "probe/probe.h"

struct gpu;
/* Of a launch's run so far, as far as it lies in the scope (gpu/scope.h); all 0 for one that has not begun. Returns the
 * sum. */
u64 gpu_launch_slots(struct gpu *g, u32 launch, u64 out[ST_COUNT]);
/* For gpu.c: all slots so far, whatever the scope. */
void launch_slots_note(struct gpu *g, u64 out[ST_COUNT]);
#endif
