/* paths: the paths of a diverged warp on the SIMT stack, and which of them is at the top.
 *
 * The stack is a forest: an entry's children are the entries above it with a part of its lanes, and siblings, whose
 * lanes are disjoint, may change places. A path is an entry without children, or the top; the lanes of an entry that
 * are in none of its children wait there, at a join or for the others of a call to return. A path goes to the top by
 * moving, level by level from the bottom, the block of entries that holds it behind its siblings' blocks. */
#ifndef FRONT_PTX_EXECUTOR_PATHS_H
#define FRONT_PTX_EXECUTOR_PATHS_H
#include "front/ptx/runtime/state.h"

/* Is there room for so many entries more? */
bool path_has_room(const struct exec *x, u32 entries);
/* The path at the top becomes the last entry; the warp has no active lanes until path_pull(). */
void path_stow(struct exec *x, u32 pc);
void path_pull(struct exec *x);
/* The path of these lanes goes to the top, all paths being on the stack. */
void path_raise(struct exec *x, u32 lanes);
/* The highest path that can run, of these lanes if there is one; -1: every path waits, for others or at a join. */
s32 path_runnable(const struct exec *x, u32 wanted);
/* Lanes that wait at one join, or for the others of one call to return, some of `wanted` among them: at the highest
 * such entry; 0: there are none. */
u32 path_joined(const struct exec *x, u32 wanted);
/* Some of these lanes, which wait at a join (or for the others of a call to return), go on from there alone. All paths
 * are on the stack. */
bool path_run_ahead(struct exec *x, u32 lanes);
/* The paths of these lanes, which have met, and the top become one where they are at one place of one call and go on to
 * the same join. */
void path_merge(struct exec *x, u32 lanes);

/* The top is another one: its lanes have their turn (splits.h). */
static inline void path_runs(struct exec *x)
{
	if (unlikely(x->w->uneasy))
		x->f->splits[x->sm * x->f->nwarps + x->warp].idle &= ~x->w->mask;
}

/* simt.c, for paths.c, meet.c and splits.c */
struct simt *simt_entry(const struct exec *x, u32 d);
bool simt_has_room(struct exec *x, u32 entries); /* or a fault */
u32 simt_func_at(const struct exec *x, u32 pc);
/* Lanes that have returned to the call entry at level d need not wait for the others: their results move to the caller,
 * whose path below has them alone from now on. */
void simt_return(struct exec *x, u32 d, u32 lanes);
#endif
