/* outputs: the files that a run writes as it goes (--timeline, --trace) and at its end (--phases, --stats, --out).
 * Until a file is complete, an earlier one of its name stays (base/outfile.h). */
#ifndef UI_SESSION_OUTPUTS_H
#define UI_SESSION_OUTPUTS_H
#include <stdio.h>
#include "session/state.h"

struct outputs;
/* Opens the files of the session's options and attaches writers to its machine. Unwritable: NULL with *e. */
struct outputs *outputs_open(struct session *s, struct err *e);
/* Completes and closes them while the machine still exists, or (keep = false) leaves what was there; NULL is fine.
 * False with *e when something could not be written. */
bool outputs_close(struct outputs *o, bool keep, struct err *e);
/* How many files --out names for a program. */
u32 outputs_outs(const struct session *s, const struct session_program *p);
/* The n bytes of the i-th --out of the program whose step it is. */
bool outputs_write_out(struct session *s, u32 i, const void *data, u64 n, struct err *e);

/* What --trace has recorded so far, complete, to another file. Ready: a trace is recorded, to a file that can be read
 * back (under the debugger: to any). */
bool outputs_trace_ready(const struct session *s, struct err *e);
bool outputs_export_trace(struct session *s, FILE *to, struct err *e);

/* The format of the statistics: --format, else by the file's ending, else "text". */
const char *outputs_format(const struct options *o);
/* The report goes to standard output in a format for programs: everything else has to keep off it. */
bool outputs_claim_stdout(const struct options *o);
/* Writes --stats FILE; true when there is none (or it is "-"). */
bool outputs_write_stats(struct session *s, const char *stop, u64 total_ns, struct err *e);
#endif
