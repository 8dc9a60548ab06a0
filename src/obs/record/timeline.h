/* timeline: the whole run as a bounded number of samples, for sparklines and stacked charts.
 *
 * A store holds up to `capacity` samples of equal length for the machine and each SM. When it is full, neighbours are
 * merged and the length of a sample doubles: the whole run stays, at half the resolution. It costs one reading of the
 * counters per sample while the machine runs (capacity / 2 for each time the run's length doubles), and a call per base
 * period, or only per sample if its owner asks timeline_coarser() after each.
 *
 *   struct timeline *t = timeline_create(sim_gpu(s), 16, 1024);
 *   int id = sim_add_sampler(s, 16, timeline_sample, t);       (the same period; period 0 switches it off)
 *   sim_hear_again(s, id);                                     (what was recorded of later cycles stays on going back)
 *   for (u32 i = 0; i < timeline_len(t); i++)
 *       draw(timeline_get(t, -1, TS_IPC, i));                  (oldest first; -1 = machine, else the SM)
 *
 * A session has one already, attached: session->timeline (ui/session/session.h). */
#ifndef OBS_RECORD_TIMELINE_H
#define OBS_RECORD_TIMELINE_H
#include "obs/stats/sample.h"

struct timeline;
/* period: cycles between calls of timeline_sample; capacity: an even number of samples >= 4. */
struct timeline *timeline_create(struct gpu *g, u64 period, u32 capacity);
void timeline_free(struct timeline *t);
/* A sample_fn for sim_add_sampler(): ctx is the timeline. */
void timeline_sample(void *ctx, u64 cycle);
/* Has the length of a sample grown, so that no more than every *period cycles need be sampled from here on? */
bool timeline_coarser(struct timeline *t, u64 *period);
/* Complete samples stored, and the cycles each one covers now (base period times a power of two). Sample i covers
 * [start + i * span, start + (i + 1) * span) with start = the cycle at creation. */
u32 timeline_len(const struct timeline *t);
u64 timeline_span(const struct timeline *t);
u64 timeline_start(const struct timeline *t);
/* The figure of sample i; sm -1 = machine. NAN when it does not exist (no access, series not kept per SM). */
double timeline_get(const struct timeline *t, s32 sm, enum series which, u32 i);
/* The same over samples [from, to) together: what a column of a narrow chart shows. */
double timeline_mean(const struct timeline *t, s32 sm, enum series which, u32 from, u32 to);
/* What samples [from, to) have counted. */
struct sample timeline_sum(const struct timeline *t, s32 sm, u32 from, u32 to);
/* History forks at this cycle, the machine's present one: what was recorded of later cycles goes. The sample in which
 * the fork lies goes on with what it had up to there. */
void timeline_fork(struct timeline *t, u64 cycle);
#endif
