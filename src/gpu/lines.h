/* lines: counters of single instructions (probe/line_counters.def), for who has asked for them. They are no part of the
 * machine's state: whoever goes back keeps them with each snapshot and brings them back. */
#ifndef GPU_LINES_H
#define GPU_LINES_H
#include "gpu/state.h"
#include "probe/line_counters.h"

/* From this cycle on, for good. Costs some percent of the run's time. */
void gpu_count_lines(struct gpu *g);
/* [ncode] counters of a module as of now, by pc; NULL: nobody counts. */
const struct line_counters *gpu_line_counters(struct gpu *g, const struct module *m);
u32 gpu_num_modules(const struct gpu *g);
const struct module *gpu_module(const struct gpu *g, u32 i);
/* What is in a warp's way that was refused in the latest cycle: the LSU's first instruction; of a unit, the last that
 * took it (while lines are counted), else the warp's own. Returns its pc, *launch whose it is. */
u32 gpu_in_the_way(const struct gpu *g, u32 sm, u32 warp, u32 *launch);
/* What is counted as one block of memory that free() frees; back to that. kept NULL: to nothing. */
void *gpu_lines_keep(struct gpu *g);
void gpu_lines_recall(struct gpu *g, const void *kept);

/* For gpu.c: a module that is new gets its counters; they go with the machine. */
void gpu_lines_module(const struct gpu *g, const struct module *m, struct code_tables *t);
void gpu_lines_free(struct gpu *g);
#endif
