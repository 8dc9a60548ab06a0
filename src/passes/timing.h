/* timing: latency and initiation interval of an instruction class that executes in a pipeline of the SM, from the
 * configuration. Issue, phases and scheduling share this table. */
#ifndef PASSES_TIMING_H
#define PASSES_TIMING_H
#include "conf/conf.h"
#include "ir/ir.h"
#include "ir/wide.h"

struct class_timing {
	u32 lat, ii; /* cycles; operand read is not included */
};
/* Shared memory and constants: the latency of a hit without conflicts. Control, global, atomic and texture: 1 and 1,
 * since their time is not the pipeline's. */
struct class_timing class_timing(const struct conf *c, enum iclass cls);
/* A conversion between f16, bf16 or f32 and another type: what sm.convert_unit is about. */
bool inst_converts(const struct inst *in);
/* Of an instruction: by its class, of an mma by its shape and types. */
struct class_timing inst_timing(const struct conf *c, const struct inst *in);
/* Multiply-adds a cycle of a tensor unit. */
u32 tensor_rate(const struct conf *c, enum tensor_class t);
#endif
