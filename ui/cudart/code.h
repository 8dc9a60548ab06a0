/* code: sends a module's code to warpdbg, in pieces as large as the shared memory. The caller has the mutex. */
#ifndef UI_CUDART_CODE_H
#define UI_CUDART_CODE_H
#include "cudart/abi.h"
#include "cudart/wire.h"
/* Errors of CUDA; number: WIRE_MODULE's answer. */
int code_send_wrapper(const struct fat_wrapper *w, uint64_t *number);
int code_send(enum wire_code kind, const void *code, uint64_t bytes, uint64_t *number);
#endif
