/* scope: a part of a run. While a machine has one, the queries of counters (gpu_counters(), gpu_stalls(),
 * gpu_line_counters(), gpu_kernel_info()) and gpu_counted_cycles() tell what was counted in that part instead of since
 * the start of the run. So whoever shows figures shows those of the scope, and need not know of it.
 *
 *   struct gpu_totals *a = gpu_totals_take(g);       (at the cycle at which the scope begins)
 *   ...                                              (the machine goes elsewhere)
 *   gpu_scope_set(g, a, NULL);                       (what has been counted since then)
 *
 * Whoever records, or looks while the machine runs (samplers, events, conditions, policies), gets the totals of the
 * run: sim.c takes the scope away while it lets the machine run, and what reads between two cycles for a record does
 * the same itself (gpu_scope_off()). A scope is no state of the machine. */
#ifndef GPU_SCOPE_H
#define GPU_SCOPE_H
#include "probe/line_counters.h"
#include "probe/probe.h"

struct gpu;
struct gpu_scope;

/* All that a machine had counted up to a cycle: gpu/totals.h. */
struct gpu_totals {
	u64 cycle;
	u32 n[CG_COUNT]; /* instances */
	u64 *group[CG_COUNT];
	u64 (*stalls)[ST_COUNT]; /* by SM and scheduler */
	u32 nmodules;
	struct line_counters **lines; /* by module; NULL: nobody counts */
};

/* From now on the queries tell what was counted between the two; to NULL: up to where the machine is, nothing while
 * that is before `from`. from NULL: the scope ends. Both belong to the run that the machine is in, and outlive the
 * scope. */
void gpu_scope_set(struct gpu *g, const struct gpu_totals *from, const struct gpu_totals *to);
bool gpu_scope_is_set(const struct gpu *g);
/* Takes the scope away for a while, and gives it back. */
struct gpu_scope *gpu_scope_off(struct gpu *g);
void gpu_scope_on(struct gpu *g, struct gpu_scope *s);

/* All issue slots up to the scope's begin and end, by what they went to; UINT64_MAX where it ends where the machine is.
 */
void gpu_scope_slots(const struct gpu *g, u64 from[ST_COUNT], u64 to[ST_COUNT]);

/* For query.c and lines.c, while there is a scope: its cycles; what it has of an instance, of which `now` is the total;
 * of a scheduler, likewise in place; of a module. */
void gpu_scope_range(const struct gpu *g, u64 *from, u64 *to);
const u64 *gpu_scope_counters(const struct gpu *g, enum counter_group group, u32 instance, const u64 *now);
void gpu_scope_stalls(const struct gpu *g, u32 sm, u32 scheduler, u64 slots[ST_COUNT]);
const struct line_counters *gpu_scope_lines(const struct gpu *g, u32 module, const struct line_counters *now);
#endif
