/* fcfs: first come, first served. CTAs go to the kernel launched first that has any left; what room it leaves goes to
 * the next. */
#include <string.h>

#include "task/partition/partition.h"

static u64 plan(void *state, const struct partition_view *v, struct partition_plan *p)
{
	for (u32 i = 0; i < v->num_sms; i++)
		memset(p->quota[i], QUOTA_ANY, sizeof p->quota[i]);
	return NEVER;
}

static void explain(const void *state, const struct partition_view *v, u32 slot, struct strbuf *out)
{
	u32 place = 0;
	while (v->d->order[place] != slot)
		place++;
	strbuf_addf(out, "any SM; served %s", place ? "when the kernels launched before it leave room" : "first");
}

extern const struct partition_ops partition_fcfs;
const struct partition_ops partition_fcfs = {
    .name = "fcfs",
    .help = "kernels in the order of their launch; the room that a kernel leaves on an SM goes to the next",
    .source = "the non-preemptive baseline of Park 2016, section 4.4",
    .plan = plan,
    .explain = explain,
};
