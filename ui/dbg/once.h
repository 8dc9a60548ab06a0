/* once: which events are new to somebody who notes them while the machine runs forward: after going back it runs over
 * cycles that have been noted. */
#ifndef UI_DBG_ONCE_H
#define UI_DBG_ONCE_H
#include "base/base.h"

struct once {
	u64 upto; /* earlier cycles are not noted again */
	u64 next; /* behind the cycle of the last event noted */
};
/* Is an event of this cycle to be noted? It then is. */
static inline bool once_take(struct once *o, u64 cycle)
{
	if (cycle < o->upto)
		return false;
	o->next = MAX(o->next, cycle + 1);
	return true;
}
/* History has forked at a cycle. */
static inline void once_forked(struct once *o, u64 now)
{
	o->upto = MIN(o->upto, now);
	o->next = MIN(o->next, now);
}
/* The machine has been put somewhere else in its history. */
static inline void once_moved(struct once *o)
{
	o->upto = MAX(o->upto, o->next);
}
#endif
