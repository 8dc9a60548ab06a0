/* mbarrier: see mbarrier.c. */
#ifndef FRONT_PTX_EXECUTOR_MBARRIER_H
#define FRONT_PTX_EXECUTOR_MBARRIER_H
#include "front/ptx/runtime/state.h"

exec_fn exec_mbarrier(const struct inst *in);
#endif
