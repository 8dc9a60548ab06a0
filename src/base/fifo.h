/* fifo: a bounded queue, first in, first out, over an array of the owner's. The two numbers here and the array lie in
 * the state arena. The number of places in the array is constant and is given with each call.
 *
 *   array  [ . . a b c . . ]      head = 2, n = 3; behind the last place comes the first one again
 *
 * A queue that runs empty begins at the first place again, so the part of the array in use stays small. A full queue is
 * back-pressure: the owner asks before it pushes, and pushing to a full queue is a bug. */
#ifndef BASE_FIFO_H
#define BASE_FIFO_H
#include "base/base.h"

struct fifo {
	u32 head, n; /* place of the oldest; how many there are */
};
static inline bool fifo_full(const struct fifo *f, u32 places)
{
	return f->n >= places;
}
/* The place of the k-th oldest, k < places. */
static inline u32 fifo_at(const struct fifo *f, u32 places, u32 k)
{
	u32 at = f->head + k;
	return at < places ? at : at - places;
}
/* Takes the place behind the youngest; the owner writes there. */
static inline u32 fifo_push(struct fifo *f, u32 places)
{
	BUG_ON(f->n >= places);
	u32 at = fifo_at(f, places, f->n);
	f->n++;
	return at;
}
/* Gives the place of the oldest up. What is written there stays until it is taken again. */
static inline u32 fifo_pop(struct fifo *f, u32 places)
{
	BUG_ON(!f->n);
	u32 at = f->head;
	f->head = at + 1 < places ? at + 1 : 0;
	if (!--f->n)
		f->head = 0;
	return at;
}
#endif
