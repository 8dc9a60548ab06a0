/* alloca. */
#ifndef FRONT_PTX_EXECUTOR_STACK_H
#define FRONT_PTX_EXECUTOR_STACK_H
#include "ir/ir.h"
#include "front/ptx/runtime/state.h"
/* Looks up the execution function of alloca; NULL of anything else. */
exec_fn exec_stack(const struct inst *in);
#endif
