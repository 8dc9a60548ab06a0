/* peaks: what the units of an SM could do at most, from the configuration. */
#ifndef GPU_PEAKS_H
#define GPU_PEAKS_H
#include "gpu/gpu.h"
#include "ir/ir.h"

/* Lanes of instructions of a class and type that an SM may begin in a cycle: units by initiation interval, and no more
 * than its schedulers issue. 0: there is no such unit. Not of tensor units (passes/timing.h: tensor_rate()). */
double gpu_lanes_peak(const struct gpu *g, enum iclass cls, enum ptype type);
#endif
