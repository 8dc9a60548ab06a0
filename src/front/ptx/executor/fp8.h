/* fp8: conversions of e4m3 and e5m2, see fp8.c. */
#ifndef FRONT_PTX_EXECUTOR_FP8_H
#define FRONT_PTX_EXECUTOR_FP8_H
#include "front/ptx/runtime/state.h"

exec_fn exec_fp8(const struct inst *in);
#endif
