/* latencies: of all loads of the scope (scope.h), or of the run so far, by hop (obs/record/latency.h). They are found
 * by going through that part of the run again; the last ones asked for are kept. */
#ifndef UI_DBG_LATENCIES_H
#define UI_DBG_LATENCIES_H
#include "dbg/state.h"
#include "obs/record/latency.h"

/* Of the loads whose registers became free in the part of the run that figures are of. NULL with *e: no history, an
 * interrupt, the machine runs. The debugger's, until it is asked again. */
const struct latency *latencies_get(struct debugger *d, const char *what, struct err *e);
/* History has forked at the present cycle; the machine has been built anew; the debugger goes. */
void latencies_forked(struct debugger *d);
void latencies_release(struct debugger *d);
/* In words: hops, percentiles, a histogram, by what answered. */
void latency_text(const struct latency *l, struct strbuf *out);
/* The n instructions with most cycles. */
void latency_lines_text(const struct latency *l, u32 n, struct strbuf *out);
#endif
