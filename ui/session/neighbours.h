/* neighbours: names that people bring from other tools - GPGPU-Sim and Accel-Sim, Nsight Compute, nvprof - and what
 * they are called here (neighbours.def). gdb's and cuda-gdb's commands are in commands/habits.def. */
#ifndef UI_SESSION_NEIGHBOURS_H
#define UI_SESSION_NEIGHBOURS_H
#include "base/strbuf.h"

enum neighbour_tool { TOOL_GPGPUSIM, TOOL_NCU, TOOL_NVPROF, TOOL_COUNT };
extern const char *const neighbour_tools[TOOL_COUNT]; /* "GPGPU-Sim", ... */
struct neighbour {
	enum neighbour_tool tool;
	const char *name;
	const char *here;       /* names that `explain` knows, separated by commas; "" = there is none */
	const char *expression; /* for `print`; "" = it cannot be computed */
	const char *text;       /* what it is there, and how that differs */
};
extern const struct neighbour neighbours[];
extern const u32 nneighbours;

#define NEIGHBOUR_NAME 128
/* A word without what its tool may write round a name: Nsight Compute's suffixes and the parts round a stall reason,
 * the number of a cache or lane count and the equals sign of GPGPU-Sim. "smsp__average_warps_issue_stalled_wait_per_
 * issue_active.ratio" is "wait", "L1D_cache_core[3]:" stays as it is. */
void neighbour_base(const char *word, char out[NEIGHBOUR_NAME]);
/* The row of a word; NULL: there is none. *part: the row's name is the beginning of the word's, which is a part of it
 * ("smsp__inst_executed_op_global_ld"). */
const struct neighbour *neighbour_find(const char *word, bool *part);
/* The row whose name is nearest to a word's; NULL: none is near. */
const struct neighbour *neighbour_near(const char *word);
/* Appends what there is to say of a name that has a tool's form, but no row: which tool, and where to look. Nothing for
 * another. */
void neighbour_hint(const char *word, struct strbuf *out);
#endif
