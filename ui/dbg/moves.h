/* moves: where CTAs have been. While the machine runs forward, the debugger notes each time that a CTA begins, gives
 * its slots to another (virtual threads), is ready for slots again, gets them, is dropped, gets a technique of
 * preemption, is taken off its SM, goes on, and ends. So a CTA's way is known at once, however long ago it was.
 *
 * What has been noted of cycles ahead of the machine, when it has gone back, stays and is not shown; it goes when
 * history forks. Of both kinds - moves, and the beginnings and ends of CTAs - the last MOVES_MAX are kept. */
#ifndef UI_DBG_MOVES_H
#define UI_DBG_MOVES_H
#include "dbg/state.h"

#define MOVES_MAX 65536u

struct moves;
struct moves *moves_new(void);
void moves_free(struct moves *m);
/* The events that are noted. */
event_set moves_mask(void);
void moves_event(struct moves *m, const struct event *ev);
/* As record.h has them. */
void moves_forked(struct moves *m, u64 now);
void moves_moved(struct moves *m);
void moves_restarted(struct moves *m);

/* Calls fn for all that has been noted of cycles before `now`, in order. */
void moves_walk(const struct moves *m, u64 now, void (*fn)(void *ctx, const struct event *ev), void *ctx);
/* The last swap that has begun on an SM, as its cta-swap-out; NULL: none is known. Until the machine runs. */
const struct event *moves_last_swap(const struct moves *m, u64 now, u32 sm);
/* Has anything been forgotten? */
bool moves_forgotten(const struct moves *m);
#endif
