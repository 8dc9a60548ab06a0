/* debugger: a session under the control of commands. The plain console, batch mode and the screen are three front ends
 * of this.
 *
 *   struct debugger *d = debugger_new(session);
 *   debugger_execute(d, "break cta-dispatch sm=1", &out, &e);   // commands answer into out, or fail with e
 *   debugger_execute(d, "continue", &out, &e);                  // only sets a goal...
 *   while (debugger_run_slice(d, 100000, &out) == DBG_RUNNING)  // ...which the front end pursues in slices
 *       redraw();
 *
 * Text for the user goes to the strbuf handed in, never to a stream. Errors of a command leave the debugger as it was.
 */
#ifndef UI_DBG_DEBUGGER_H
#define UI_DBG_DEBUGGER_H
#include "dbg/events.h"
#include "dbg/focus.h"
#include "dbg/interrupt.h"
#include "dbg/log.h"
#include "dbg/queue.h"
#include "dbg/state.h"

/* A debugger for the session (one per session; the session must outlive it). Subscribes to the machine's events. */
struct debugger *debugger_new(struct session *s, const struct debugger_words *words);
/* f is told from now on. */
void debugger_follow(struct debugger *d, const struct debugger_follower *f);
void debugger_free(struct debugger *d);

/* Executes one line. Text for the user is appended to *out. False with *e set: the command failed (and did nothing more
 * than *out says). Commands that run the machine set a goal and return at once; the caller drives debugger_run_slice().
 * An empty line repeats the last step, x or list when there was one. */
bool debugger_execute(struct debugger *d, const char *line, struct strbuf *out, struct err *e);
/* Pursues the goal for at most max_cycles cycles (or some 64k cycles of Lua-checked expressions), then queued commands
 * (breakpoint commands, `source`), appending reports to *out. DBG_RUNNING: call again. */
enum run_state debugger_run_slice(struct debugger *d, u64 max_cycles, struct strbuf *out);
/* Leaves multi-line input (`commands`, `lua`) without using it; true when there was one. */
bool debugger_drop_collect(struct debugger *d);
/* "(wd) ", or "> " while a multi-line command is being typed. */
const char *debugger_prompt(const struct debugger *d);
/* Is something left to do: a goal, queued lines, a machine beside this one that is behind? */
bool debugger_busy(const struct debugger *d);

#endif
