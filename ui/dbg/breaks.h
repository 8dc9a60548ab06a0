/* breaks: what happens to breakpoints when a module is loaded, and when the machine is replaced. */
#ifndef UI_DBG_BREAKS_H
#define UI_DBG_BREAKS_H
#include "dbg/state.h"

/* Tries to find the code of breakpoints that had none when they were set (their module was not loaded yet). */
void resolve_pending(struct debugger *d);
/* The machine is another one: statistics are looked up in it, and go when it has not got them. */
void breaks_rebind(struct debugger *d, struct strbuf *out);
/* On a machine that looks for races a breakpoint on event `finding` is set, if there is none: a first finding stops.
 * True: there is a new one. */
bool breaks_of_checks(struct debugger *d, struct strbuf *out);
/* The modules go with the machine: code breakpoints look for their code again, counts begin anew. */
void breaks_unresolve(struct debugger *d);
/* Another program is there: says which breakpoints find nothing in it, as pending ones do until a module has it. */
void breaks_tell_pending(struct debugger *d, struct strbuf *out);
#endif
