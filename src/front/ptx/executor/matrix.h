/* matrix: what matrix instructions share, and those of them that do no arithmetic. */
#ifndef FRONT_PTX_EXECUTOR_MATRIX_H
#define FRONT_PTX_EXECUTOR_MATRIX_H
#include "front/ptx/executor/fragment.h"
#include "front/ptx/runtime/state.h"

/* All lanes of the warp execute the instruction, as .aligned promises; else false, and a fault. */
bool matrix_converged(struct exec *x);
/* mma.sp: the column of the dense A that stored column c of a row stands in. meta: the metadata register. */
u32 sparse_column(const struct mma_shape *m, const u32 *meta, u32 row, u32 c);
/* c += a x b with one rounding each step, n steps; b's elements are `step` apart. */
double matrix_dot(const double *a, const double *b, u32 step, u32 n, double c, enum rounding round);
#endif
