/* pace: when the screen draws while the machine runs, how long a slice of the run is, and to which of two machines it
 * belongs. It knows no clock and no terminal: it is told how long things took.
 *
 * Wall time and CPU time decide when to draw and where a run is split into slices, never what is simulated.
 *
 * Two machines of a few MB each push one another's state out of the host's caches: taking them in turn every few
 * milliseconds costs 5 to 10 % of the run. So this machine leads by up to LEAD_SECONDS, in slices between which keys
 * are looked at. Then the other one follows until it stands beside it. A view that shows both is drawn when it does. */
#ifndef UI_SCR_PACE_H
#define UI_SCR_PACE_H
#include "base/base.h"

#define SLICE_SECONDS 0.012 /* of simulation between two looks at the keyboard */
#define FRAME_SECONDS 0.05  /* at most 20 frames a second while running */
#define DRAW_SHARE 0.0125   /* of the time spent simulating may go into frames while running */
#define DEBT_SECONDS 0.1    /* of drawing, at most, is owed: after 8 s of simulating there is a frame anyway */
#define LEAD_SECONDS 0.1    /* of running that one machine is ahead of the other, where only one is shown */
#define APART_SECONDS 0.25  /* a view of both is not kept waiting longer for the slower one */

enum machine_turn { TURN_A, TURN_B }; /* the debugger's own machine, the one beside it */

struct pace {
	u64 slice[2];      /* cycles a slice of each machine is given */
	double frame_due;  /* wall time before which no frame is drawn while running */
	double frame_debt; /* CPU time of frames drawn that simulating has not yet earned */
	double lead;       /* wall time A has run since B stood beside it */
	bool following;    /* B's turn, until it stands beside A */
	bool hurry;        /* an answer to a key is waiting to be shown */
};
void pace_init(struct pace *p);

/* Whose slice is next. behind: B is not where A is. both: both are shown; stopped: A runs no further by itself. */
enum machine_turn pace_turn(struct pace *p, bool behind, bool both, bool stopped);
/* A slice of that machine has come so far and has taken so much; behind as above, afterwards. */
void pace_sliced(struct pace *p, enum machine_turn t, u64 cycles, double wall, double cpu, bool behind);
/* May a frame be drawn now, while running? apart: both machines are shown and one is behind. */
bool pace_may_draw(const struct pace *p, double now, bool apart);
/* A frame has been drawn at the cost of so much CPU time. */
void pace_drawn(struct pace *p, double now, double cpu);
/* What a key has changed is shown as soon as it can be. */
void pace_hurry(struct pace *p);
/* The machine has stopped: drawing delays nobody. */
void pace_stopped(struct pace *p);
#endif
