/* kernel_code: the results of the compiler's analyses for a kernel, in a few figures, for reports and tables. */
#ifndef OBS_STATS_KERNEL_CODE_H
#define OBS_STATS_KERNEL_CODE_H
#include "gpu/query.h"

struct kernel_code {
	u32 instructions;
	u32 phases, longest_phase, shortest_phase; /* lengths in cycles of the machine (passes/phases.h) */
	u32 data_phases;                           /* phases when basic blocks begin none */
	u32 points_found, points;                  /* ELF's program points before and after merging to elf.max_points */
	bool idempotence_known;                    /* false: the analysis would have needed too much memory */
	bool idempotent;
	double restartable; /* share of the kernel's instructions before anything that forbids a restart; 1 = idempotent */
};
/* The kernel of a launch on this machine. */
void kernel_code_of(struct kernel_code *k, const struct conf *c, const struct launch *l);
/* first[0 .. return value): of the launches, the first one of each kernel function. To be freed. */
u32 kernel_code_firsts(const struct kernel_info *launched, u32 n, u32 **first);
#endif
