/* rival: a second machine, B, beside the debugger's own, A. B has the same workload and options except for some, its
 * own host program, and its own history. It follows A in lock step, forward and back.
 *
 * B follows wherever A goes: debugger_run_slice() runs it after A, or in turns with it. As long as B is behind, the
 * debugger counts as running. By cycles, B stands at A's cycle. By instructions or CTAs, it stands behind the first
 * cycle in which it has executed, or finished, as many as A. When A's program has finished, B runs to its own end.
 *
 * The output of B's host program and kernels is not shown; the result of its check is.
 *
 * Cost: B takes as much time as A, and its history takes as much memory. When going back, B restores a snapshot of its
 * own as A does; if it has none that is old enough, it is built again and runs from the beginning. Until the first
 * different decision is found, two hidden machines run as well (dbg/divergence.c): four times the time, in most cases
 * for a few thousand cycles. Without a second machine the cost is one test of a pointer a slice. */
#ifndef UI_DBG_RIVAL_H
#define UI_DBG_RIVAL_H
#include "obs/compare/diverge.h"
#include "obs/stats/stats.h"
#include "session/lockstep.h"

struct debugger;
struct rival {
	struct options common, opt; /* what both machines have; B's */
	char *text;                 /* B's options, as they were given */
	enum lockstep_by by;
	struct session *s;     /* B; NULL: it could not be built again, `err` says why */
	u64 step;              /* the position of A that B has followed to; NEVER: to its own end */
	u64 refused;           /* A's cycle to which it does not follow, since it was interrupted; NEVER = none */
	bool ended;            /* it does not go on: */
	enum session_stop why; /* why it stopped last */
	struct err err;
	/* What debugger_run_slice() runs while both have somewhere to go; a front end that looks at other things in between
	 * takes them in turns (scr/pace.h). When A has arrived B follows, whichever it is. */
	enum { RIVAL_BOTH, RIVAL_WAITS, RIVAL_ALONE } turn;
	u32 breakpoint; /* of the first different decision; 0 = none could be set */
	/* A copy of what that found: it outlives the breakpoint. */
	struct divergence first;
	char *reason[2];
	/* When not by cycles: where B has been, in rising order. */
	struct waypoint {
		u64 cycle, at;
	} * way;
	u32 nway;
	u64 counted, wanted; /* what the present run of B counts, and where it ends */
	/* What figures of B are of, while A has a scope: cycles [begin, end); from NULL: the whole run. */
	struct {
		struct gpu_totals *from, *to;
		u64 begin, end;
	} scope;
};

/* Sets B beside the debugger's machine and a breakpoint on the first different decision; replaces the one there was.
 * False with *e: bad options (names them), a machine that cannot be built, A was changed by hand. */
bool rival_open(struct debugger *d, const char *options, enum lockstep_by by, struct strbuf *out, struct err *e);
/* Ends it, with its breakpoint. */
void rival_close(struct debugger *d);
/* Is B not where A's position wants it? */
bool rival_behind(const struct debugger *d);
/* Brings it nearer, by at most max_cycles cycles of B. Reports what happened to it to *out. */
void rival_slice(struct debugger *d, u64 max_cycles, struct strbuf *out);
/* A is about to be changed by hand: a different decision that lies ahead is none any more. */
void rival_void(struct debugger *d);
/* A starts again from cycle 0: so does B. */
void rival_restart(struct debugger *d);
/* When both stand: B gets A's scope (scope.h), where it has a history. And: B's machine is another one, or goes. */
void rival_scope(struct debugger *d);
void rival_scope_void(struct rival *r);
/* For displays: all that is counted of a machine at its present cycle, in the scope if both have it, without a hash of
 * its memory, to be freed (stats_free); a line on the first different decision, or why there is none; once there is
 * one, what machine 0 = A or 1 = B has decided. */
struct stats *rival_stats(struct debugger *d, bool b);
void rival_divergence_line(struct debugger *d, struct strbuf *out);
void rival_decision_line(struct debugger *d, u32 side, struct strbuf *out);
/* From a signal handler. */
void rival_interrupt(struct rival *r);
#endif
