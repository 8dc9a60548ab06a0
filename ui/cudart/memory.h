/* memory: device memory, for other files of the library. The caller has the mutex. */
#ifndef UI_CUDART_MEMORY_H
#define UI_CUDART_MEMORY_H
#include <stdint.h>
int memory_allocate(uint64_t bytes, uint64_t alignment, uint64_t *address);
int memory_free(uint64_t address);
#endif
