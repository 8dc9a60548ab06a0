/* schedule: list scheduling inside each basic block, as the assembler does it before a GPU sees the code: loads move up
 * to where their addresses are ready, and uses move down while something else can be done. It works on virtual
 * registers, before register allocation. The order of passes/depend.h is kept; jumps and blocks stay where they are.
 *
 * An instruction's priority is the longest way from it to the end of the run, in cycles of the machine; global accesses
 * count as misses to DRAM. The block is played through as one warp alone would issue it, in order. A new order is taken
 * only if that warp would be through earlier than with the text's order.
 *
 * Registers. No point of the function needs more counted words (passes/estimate.h) than the larger of
 *   - the most that any point of it needs in the order of the text
 *   - what a thread may have without registers limiting the warps of an SM, minus estimate_fixed(); for kernels only,
 * and not above .maxnreg
 *
 * So occupancy cannot suffer. For kernels the key schedule_spare (4) is added: the estimate's constant stands in part
 * for what an assembler's own scheduling takes, as the figures to which it was fitted include that. The registers per
 * thread that are reported, and that occupancy, preemption and swapping count, stay those of the text's order: the
 * estimate was fitted on it against what an assembler made of the same PTX after *its* scheduling, and published
 * register counts are compared with it. A block that does not fit is tried with less and less room for values in
 * flight, then left as it is.
 *
 * Values that are not counted (parameters, constants) and predicates are bounded in the same way, by SCHEDULE_ROOM
 * words above what the text needs, since they take room in the simulated frame. */
#ifndef PASSES_SCHEDULE_H
#define PASSES_SCHEDULE_H
#include "conf/conf.h"
#include "passes/depend.h"
#include "passes/liveness.h"

#define SCHEDULE_ROOM 16

struct schedule_params {
	bool on;
	bool contract;         /* isa.contract */
	u32 latency[IC_COUNT]; /* issue to the issue of a dependent instruction; loads as unloaded misses */
	bool slot_each;        /* isa.issue_cost=ptx */
	u32 spare;             /* words, see conf key schedule_spare */
	u32 fixed;             /* what the estimate of registers adds, see estimate_fixed() */
	bool narrow;           /* it has addresses of shared and local memory in one word */
	u32 free_regs;         /* registers per thread at which as many threads fit an SM as it can hold */
};
void schedule_params_of(struct schedule_params *p, const struct conf *c);

/* What one function may use. */
struct schedule_limits {
	u32 counted; /* words, as estimate_live counts them */
	u32 all;     /* words, predicates and values that are not counted included */
};
/* From the function in the text's order. kernel: false for a function that kernels call, which gets no more than its
 * text needs, because its callers' registers come on top. */
struct schedule_limits schedule_limits_of(const struct schedule_params *p, const struct fn *f, const struct liveness *l,
                                          bool kernel, u32 maxnreg);
/* Do the function's words stay within, in the order that l was computed for? */
bool schedule_fits(const struct schedule_limits *limits, const struct fn *f, const struct liveness *l);
/* The new order: order[i] = the pc that comes to f->begin + i; NULL when nothing moves. free() it. inst.cost must be
 * final. The code itself is not changed. */
u32 *schedule_order(const struct fn *f, const struct cfg *g, const struct liveness *l,
                    const struct schedule_limits *limits, const struct depend_facts *facts);
#endif
