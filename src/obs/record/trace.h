/* trace: the run as Chrome trace events, for Perfetto or chrome://tracing; written as the run goes on.
 *
 *   process "GPU":   one track per stream with a slice per kernel (first CTA to last), counters IPC, warps, DRAM
 *   process "SM n":  one track per CTA slot with a slice per CTA; from TRACE_WARPS on one track per warp slot with
 *                    a slice per warp, or (TRACE_STATES) with the warp's life cut into "ready" and what it waited for;
 *                    then also a track per tensor unit with a slice per mma, as long as it takes the unit, and marks
 *                    for copies that have landed and phases of mbarriers that have ended
 *
 * Timestamps are microseconds of simulated time, in whole nanoseconds; cycles are in the arguments. A slice is written
 * when it ends, so those of a track are in order. A slice takes about 160 bytes, a counter's point 80. There is a slice
 * per CTA, per warp, or two per stall of a warp. */
#ifndef OBS_RECORD_TRACE_H
#define OBS_RECORD_TRACE_H
#include "gpu/query.h"
#include "obs/record/tape.h"

enum trace_detail { TRACE_CTAS, TRACE_WARPS, TRACE_STATES };
extern const char *const trace_details[3]; /* "ctas", "warps", "states" */
extern const char trace_tail[];            /* the tape's */
extern const size_t trace_record;          /* the tape's, unless it is TAPE_NO_CUT */

struct trace;
/* Events a trace wants: the mask for sim_subscribe. */
event_set trace_events(enum trace_detail d);
/* Writes the head to the tape, which stays the caller's. */
struct trace *trace_create(struct gpu *g, enum trace_detail d, struct tape *to);
/* An event_fn; never stops the run. */
bool trace_event(void *ctx, const struct event *e);
/* A sample_fn for the counter tracks. */
void trace_sample(void *ctx, u64 cycle);
/* Time travel, for sim_on_snapshot, _leave and _fork of that sampler: what was written before going back stays until
 * history forks before it. */
void *trace_keep(void *ctx);
void trace_recall(void *ctx, const void *kept, u64 cycle);
void trace_leave(void *ctx, u64 cycle);
void trace_fork(void *ctx, u64 cycle);
/* Writes to another file what has been recorded so far, complete: slices still open end at the farthest cycle. The tape
 * must be readable. False when something could not be written. */
bool trace_export(const struct trace *t, FILE *to);
/* Closes slices still open at the farthest cycle and frees. NULL is fine. */
void trace_free(struct trace *t);
#endif
