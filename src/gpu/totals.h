/* totals: all that a machine has counted so far, for a scope that begins or ends there (gpu/scope.h). */
#ifndef GPU_TOTALS_H
#define GPU_TOTALS_H
#include "gpu/scope.h"

/* Of the whole run, whatever the scope. Between cycles. */
struct gpu_totals *gpu_totals_take(struct gpu *g);
void gpu_totals_free(struct gpu_totals *t); /* NULL is fine */
#endif
