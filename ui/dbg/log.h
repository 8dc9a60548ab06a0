/* log: stops, events, output and errors; the oldest are dropped. */
#ifndef UI_DBG_LOG_H
#define UI_DBG_LOG_H
#include "dbg/state.h"

/* Adds a line to the log. */
void debugger_log(struct debugger *d, enum log_kind k, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
/* Moves program output to out. */
void take_output(struct debugger *d, struct strbuf *out);
#endif
