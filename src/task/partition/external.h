/* external: a partition policy from outside the library, the counterpart of cta/sched/external.h. Its names have a
 * colon. */
#ifndef TASK_PARTITION_EXTERNAL_H
#define TASK_PARTITION_EXTERNAL_H
#include "task/partition/partition.h"

#define EXTERNAL_PARTITION_WORDS 16
struct external_partition_state {
	s64 word[EXTERNAL_PARTITION_WORDS]; /* the policy's own */
};

struct external_partition {
	POLICY_USER_HEAD; /* stateless: choices depend on view and external_partition_state alone */
	/* As in struct partition_ops; asked too whenever a CTA has ended. With *e set the machine stops after this cycle.
	 */
	u64 (*plan)(void *ctx, struct external_partition_state *st, const struct partition_view *v,
	            struct partition_plan *p, struct err *e);
	/* Optional, for display: as in struct partition_ops. An error is told in *out and stops nothing. */
	void (*explain)(void *ctx, const struct external_partition_state *st, const struct partition_view *v, u32 slot,
	                struct strbuf *out);
};

extern const struct partition_ops partition_external;
#endif
