/* lockstep: two machines with the same workload in one process, in lock step. */
#ifndef UI_SESSION_LOCKSTEP_H
#define UI_SESSION_LOCKSTEP_H
#include "session/session.h"

enum lockstep_by { LOCKSTEP_CYCLES, LOCKSTEP_INSTS, LOCKSTEP_CTAS, LOCKSTEP_COUNT };
extern const char *const lockstep_names[LOCKSTEP_COUNT]; /* as in --by */
/* How far a machine has come. */
u64 lockstep_position(struct sim *s, enum lockstep_by by);

struct compare;
/* Opens both machines. NULL with *e. *o must outlive it. */
struct compare *compare_open(const struct options *o, session_modules *modules, struct err *e);
/* Runs to the end or to the first different decision. progress: called now and then, may be NULL. False: Ctrl-C. */
bool compare_run(struct compare *c, void (*progress)(struct compare *c));
/* From a signal handler: both machines stop. */
void compare_interrupt(struct compare *c);
bool compare_interrupted(const struct compare *c);
/* A machine could not be built again: there is nothing to report. */
bool compare_broken(const struct compare *c);
/* Why a side has stopped, with *e as session_run() has set it. */
enum session_stop compare_stopped(const struct compare *c, u32 side, const struct err **e);
/* For a caller that goes on step by step: both machines to `at`, in the unit of the lock step (cycles, instructions,
 * CTAs), or less far when a different decision was found on the way. Says nothing to the terminal. False: interrupted.
 */
bool compare_advance(struct compare *c, u64 at);
/* The options of a machine that runs beside the debugger's with the session's options *o: a copy without what writes
 * files or belongs to one debugger alone. Its strings and lists stay o's. */
struct options compare_beside(const struct options *o);
/* Once a different decision is found: starts both machines again, takes each to right before its own and appends what
 * its scheduler has to say of its state then, and of both warps: "gto: greedy warp 9; warp 9: rank 0; warp 3: rank 4".
 * The machines stay there: nothing more can be compared. False: *interrupt was set meanwhile, or a machine could not be
 * built. */
bool compare_explain(struct compare *c, const volatile bool *interrupt, struct strbuf out[2]);
/* Neither machine goes on: finished, faulted... */
bool compare_ended(const struct compare *c);
/* Appends the first different decision of both machines. */
void compare_divergence_text(struct compare *c, struct strbuf *out);
/* Appends the report: "text", "json" or "csv". */
void compare_report(struct compare *c, const char *format, bool color, bool ascii, struct strbuf *out);
struct session *compare_session(struct compare *c, u32 side);
const struct diverge *compare_divergence(const struct compare *c);
/* The worse of the two sides' exit statuses. */
int compare_status(struct compare *c);
void compare_close(struct compare *c);
#endif
