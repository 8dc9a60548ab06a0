/* meter: what the kernels of an SM execute in a span of time, for policies that measure: warp instructions of up to two
 * kernels an SM. Those of CTAs that leave or come within the span are counted rightly. It is part of a policy's state:
 * no holes. */
#ifndef TASK_PARTITION_METER_H
#define TASK_PARTITION_METER_H
#include "task/partition/partition.h"

struct meter {
	struct meter_sm {
		u32 launch[2]; /* + 1; 0: none */
		u64 gone[2];   /* of CTAs that have left since, less what those had that came back */
		u64 base[2];   /* of those that were there */
	} of[CONF_MAX_SMS];
};
/* From now on these launches (+ 1; 0: none). */
void meter_begin(struct meter *m, const struct partition_view *v, u32 sm, u32 a, u32 b);
void meter_moved(struct meter *m, u32 sm, u32 launch, u64 insts, bool came);
/* Since then, of the first (0) or the second (1). */
u64 meter_read(const struct meter *m, const struct partition_view *v, u32 sm, u32 which);
#endif
