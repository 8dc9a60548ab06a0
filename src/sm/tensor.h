/* tensor: what the tensor units of an SM have done, by sub-core, shape and types. It lies in the arena and not in the
 * hash: nothing of the machine depends on it. */
#ifndef SM_TENSOR_H
#define SM_TENSOR_H
#include "base/err.h"
#include "ir/wide.h"
#include "probe/probe.h"

#define TENSOR_SCHEDS 4
#define TENSOR_KINDS 16 /* shapes and types of a sub-core; further ones are counted together in the last */

struct tensor_kind {
	u64 key; /* of shape and types: tensor_key(); 0: the last one, of several */
	u64 mma, macs, busy;
};
struct tensor_work {
	struct tensor_counters k;
	struct tensor_subcore {
		u64 mma, macs, busy;
		struct tensor_kind kind[TENSOR_KINDS]; /* in the order in which they came */
	} of[TENSOR_SCHEDS];
};
_Static_assert(offsetof(struct tensor_counters, macs_b1) - offsetof(struct tensor_counters, macs_f16) ==
                   (TC_COUNT - 1) * sizeof(u64),
               "counters.def lists the classes in the order of enum tensor_class");
static inline const u64 *tensor_macs(const struct tensor_counters *k)
{
	return &k->macs_f16;
}
/* Never 0. */
u64 tensor_key(const struct mma_shape *m);
/* Of a key: m, n, k, types, sparse, wmma. */
struct mma_shape tensor_shape(u64 key);

/* A scheduler has issued an mma that takes its unit for so many cycles. */
void tensor_count(struct tensor_work *t, u32 sched, const struct mma_shape *m, u32 cycles);
/* Are the sums the same by sub-core, by kind and by class, and as many mma as the SM has counted? */
bool tensor_check(const struct tensor_work *t, u64 mma, struct err *e);
#endif
