/* progress: the one line that `run` shows on a terminal. */
#ifndef UI_SESSION_PROGRESS_H
#define UI_SESSION_PROGRESS_H
#include "session/session.h"

struct progress {
	bool on;                   /* standard error is a terminal */
	u64 slice;                 /* cycles until the line is drawn again: about a tenth of a second */
	u64 drawn_ns, drawn_cycle; /* host time and cycle of the last drawing */
};
void progress_start(struct progress *p, const struct session *s);
/* The cycle to run to before progress_draw is due again; NEVER when there is no terminal. */
u64 progress_until(const struct progress *p, const struct session *s);
void progress_draw(struct progress *p, struct session *s);
/* Takes the line away. */
void progress_end(struct progress *p);
/* Monotonic host time. */
u64 host_ns(void);
#endif
