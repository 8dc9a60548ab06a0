/* follow: one request of the user's choice on its way. It is named by a warp (its oldest load under way, or its next
 * one) or by a line of memory (the oldest load of it, or the next). What has become of it is found by going through the
 * run again from its issue (hear.h), so following costs nothing until it is asked for - but for `break follow`: while
 * somebody waits for the event `follow`, the machine runs cycle by cycle and listens. */
#ifndef UI_DBG_FOLLOW_H
#define UI_DBG_FOLLOW_H
#include "dbg/state.h"
#include "obs/record/ways.h"

struct follow_aim {
	enum follow_by { FOLLOW_WARP, FOLLOW_LINE } by;
	u32 sm, warp;
	u64 line;
};
/* What is followed, where the machine stands. */
struct followed {
	bool found; /* else it waits for the next one */
	bool ahead; /* its issue lies ahead */
	u64 from;   /* the cycle in which it was asked for */
	u64 issued; /* cycle */
	u32 sm, txn;
	struct follow_aim aim;
	const struct way *way; /* up to now; NULL while !found or ahead */
};
/* Follows the oldest request there is, or the next one. False with *e: it cannot be looked for (no history). */
bool follow_set(struct debugger *d, const struct follow_aim *aim, struct err *e);
bool follow_is_set(const struct debugger *d);
/* Another transaction of the same load, from 0. */
bool follow_txn(struct debugger *d, u32 txn, struct err *e);
void follow_off(struct debugger *d);
/* Looks where it is now. False with *e: nothing is followed, the past cannot be gone through again. */
bool follow_look(struct debugger *d, struct followed *f, struct err *e);
/* The same in words. */
bool follow_text(struct debugger *d, struct strbuf *out, struct err *e);

/* For who runs the machine. Does somebody wait for its hops? Then the machine is to be run cycle by cycle. */
bool follow_awaited(struct debugger *d);
/* Listens from here on, if somebody waits. */
bool follow_listen(struct debugger *d, struct err *e);
/* A cycle is over: tells of the hops in it. True: somebody wants to stop for one. */
bool follow_cycle_over(struct debugger *d);
/* History has forked at the present cycle; the machine has been built anew; the debugger goes. */
void follow_forked(struct debugger *d);
void follow_restarted(struct debugger *d);
#endif
