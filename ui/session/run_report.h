/* run_report: the result of a run, with all its statistics, in one of several formats. */
#ifndef UI_SESSION_RUN_REPORT_H
#define UI_SESSION_RUN_REPORT_H
#include "session/state.h"

/* Appends the run's report in a format ("json", "csv", "text"). stop: "finished", "fault", ... */
void run_report(struct session *s, const char *format, const char *stop, u64 total_ns, bool color, bool ascii,
                struct strbuf *out);
#endif
