/* launch: a launch as a description, for graphs. */
#ifndef UI_CUDART_LAUNCH_H
#define UI_CUDART_LAUNCH_H
#include "cudart/streams.h"
int launch_op(const void *host, struct dim3 grid, struct dim3 block, void **args, uint64_t shared, uint32_t flags,
              struct op *op);
#endif
