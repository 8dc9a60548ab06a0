/* points: the program points of ELF (Park 2016, section 3.3.1, algorithms 1 and 2): the instructions from which the
 * hardware computes how many instructions lie between a warp and its next load.
 *
 * Instructions are counted along program order, as the paper's hardware does by subtracting pcs. The paper leaves these
 * points open:
 *
 *   loads      ld, ldu of global, local and generic space; texture fetches; atomics that return a value
 *   branches   bra and brx whose target (brx: any) is not behind them; a brx takes the nearest of its targets
 *   next       an unguarded ret, exit, trap, brx or backward bra has no next instruction: no path continues there.
 *              Forward branches are walked over, guarded or not, since they are no program points
 *   call       is walked over; the callee's loads are not seen
 *   merge      algorithm 2 adds the score of a load that has merged before (getScore's line 40), as published. It finds
 *              nothing to merge if every load is max_score or more behind its predecessor, or all points are branches:
 *              then `fits` is false and n stays above max_points
 *
 * Distances are those of the code as executed: list-scheduled, or with schedule=none that of the PTX text. */
#ifndef PASSES_POINTS_H
#define PASSES_POINTS_H
#include "passes/fn.h"

struct point_params {
	u32 max_points; /* slots of the hardware */
	u32 max_score;  /* what its score field can hold; also the distance "no load ahead" */
};
#define POINT_PARAMS_PAPER                                                                                             \
	(struct point_params)                                                                                              \
	{                                                                                                                  \
		.max_points = 32, .max_score = 256                                                                             \
	}

struct point {
	u32 pc;
	/* Branch: instructions from it to the nearest load, over either way. Load: what algorithm 2 left when it merged
	 * points into this one, 0 without. */
	u32 score;
	bool branch;
	u32 merged; /* points that were merged into this one */
};
/* Any bra or brx, backward or not: its recalculation bit. Set: a warp that takes it computes its priority anew; clear:
 * one that falls through does. Set when the taken way is the shorter one, and when there is no other. From the scores
 * before merging. */
struct point_branch {
	u32 pc, taken, next; /* instructions behind the branch to a load, either way, at most max_score */
	bool recalculate;
};
struct points {
	struct point *list; /* in pc order */
	u32 n, found;       /* after and before merging; meaningless branches are in neither */
	u32 meaningless;    /* branches that algorithm 1 removed */
	bool fits;          /* n <= max_points */
	u32 max_score;
	struct point_branch *branches; /* in pc order */
	u32 nbranches;
};
/* f must have code; both parameters at least 1. Release with points_release. */
void points_find(struct points *p, const struct module *m, const struct func *f, const struct point_params *par);
void points_release(struct points *p);
/* The priority calculator (section 3.3.2) for a warp at pc: instructions to the next load, 0 = at one, at most
 * max_score. The closest point behind pc decides. */
u32 points_distance(const struct points *p, u32 pc);
#endif
