/* query_tensor: what tensor units do and have done, for observers. */
#ifndef GPU_QUERY_TENSOR_H
#define GPU_QUERY_TENSOR_H
#include "gpu/query.h"
#include "sm/tensor.h"

/* Of a sub-core (a warp scheduler and what is its own). */
struct tensor_view {
	const struct tensor_subcore *has; /* mma issued so far, by shape and types */
	u64 ready;   /* warp slots whose next instruction is an mma, with its operands there: they wait for the unit or for
	                their turn */
	bool taken;  /* its unit takes an mma now; of units that the sub-cores share: all do */
	u64 free_at; /* cycle from which a unit takes the next one */
	u32 in_flight; /* mma that have been issued, and whose results are not there */
};
void gpu_tensor(const struct gpu *g, u32 sm, u32 sched, struct tensor_view *out);
#endif
