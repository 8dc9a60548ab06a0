/* fault: the signal of a touch of managed memory. */
#ifndef UI_CUDART_FAULT_H
#define UI_CUDART_FAULT_H
#include <stdbool.h>
#include <stdint.h>

enum fault_answer { FAULT_OF_OTHERS, FAULT_SERVED, FAULT_FATAL };
bool fault_begin(void); /* the handler is there from now on; the program's own is called for what is not ours */
enum fault_answer region_fault(uint64_t address, int write); /* managed.c; the caller has the mutex */
#endif
