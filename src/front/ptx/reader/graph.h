/* graph: who calls whom in a module, after everything has been read. Internal to front/ptx. */
#ifndef FRONT_PTX_READER_GRAPH_H
#define FRONT_PTX_READER_GRAPH_H
#include "front/ptx/reader/loader.h"

struct graph {
	u32 n; /* functions */
	struct arc {
		u32 callee, live; /* live: counted registers live at the call (largest, for a pair of functions) */
	} * arcs;
	u32 narcs;
	u32 *first;         /* arcs of f: arcs[first[f] .. first[f + 1]) */
	bool *looping;      /* reaches a cycle of calls */
	bool *in_cycle;     /* on a cycle, or on a path between two */
	u32 *use_first;     /* ld->uses of f: [use_first[f] .. use_first[f + 1]) */
	u32 *stamp, *stack; /* for graph_reach */
	u32 now;
};
/* Resolves aliases and expands calls through registers to every function whose address is taken and whose parameters
 * have the same sizes. Errors: a call of a function that is not defined. */
bool graph_build(struct graph *g, struct loader *ld);
void graph_release(struct graph *g);
/* Functions reachable from f, itself included: written to out (g->n entries); returns how many. */
u32 graph_reach(struct graph *g, u32 f, u32 *out);
#endif
