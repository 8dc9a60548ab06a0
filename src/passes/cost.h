/* cost: issue slots per PTX instruction (inst.cost): as many as the machine code made from it would need, measured
 * against nvcc 13 for sm_75. If there is a long and rarely run path (division, square root), the cost is that of the
 * usual path. Anything not in the table of cost.c costs 1. Also marks fused multiply-address pairs (IF_FOLDED). */
#ifndef PASSES_COST_H
#define PASSES_COST_H
#include "passes/fn.h"

void cost_run(const struct fn *f);
#endif
