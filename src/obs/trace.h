/* trace: the run as Chrome trace events, for Perfetto or chrome://tracing; written as the run goes on.
 *
 *   process "GPU":   one track per stream with a slice per kernel (first CTA to last), counters IPC, warps, DRAM
 *   process "SM n":  one track per CTA slot with a slice per CTA
 *
 * Timestamps are microseconds of simulated time; cycles are in the arguments. */
#ifndef OBS_TRACE_H
#define OBS_TRACE_H
#include <stdio.h>
#include "gpu/query.h"

struct trace;
/* Events a trace wants: the mask for sim_subscribe. */
u64 trace_events(void);
/* Writes the head to f, which stays the caller's. */
struct trace *trace_create(struct gpu *g, FILE *f);
/* An event_fn; never stops the run. */
bool trace_event(void *ctx, const struct event *e);
/* A sample_fn for the counter tracks. */
void trace_sample(void *ctx, u64 cycle);
/* Writes to another file what has been recorded so far, complete: `so_far` are the n bytes written to f until now
 * (flushed by the caller), slices still open end at the present cycle. False when something could not be written. */
bool trace_export(const struct trace *t, const char *so_far, size_t n, FILE *to);
/* Closes slices still open at the machine's present cycle, writes the tail and frees. False when something could not be
 * written. */
bool trace_free(struct trace *t);
#endif
