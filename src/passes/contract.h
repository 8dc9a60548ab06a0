/* contract: a product and the sum that it goes into become one fused multiply-add, as ptxas makes of PTX that does not
 * ask for a rounding: `mul.f32` and `add.f32`, not `mul.rn.f32` and `add.rn.f32`. Results then differ in their last
 * bit.
 *
 * ptxas (CUDA 13.0, sm_80, -O3; by the machine code of small kernels) does so if
 *   - mul and add or sub are f32 or f64, have no rounding, and .ftz both or neither; add and sub may have .sat
 *   - the product is computed without a guard, in the same basic block
 *   - every use of the product is such a sum, and no sum has it twice
 * Of two products that are added, the first operand is fused; the second one, if that is not possible. Products that
 * are negated first are fused by ptxas, and not here. */
#ifndef PASSES_CONTRACT_H
#define PASSES_CONTRACT_H
#include "passes/cfg.h"

enum { FMA_PLAIN, FMA_NEG_PRODUCT, FMA_NEG_ADDEND }; /* inst.mode of an fma */
/* Sums become fma, products that have become part of them nop without an issue slot. */
void contract_run(const struct fn *f, const struct cfg *g);
#endif
