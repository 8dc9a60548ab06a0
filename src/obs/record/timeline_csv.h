/* timeline_csv: one row of figures per sample period, written as the run goes on; the whole run at full resolution. */
#ifndef OBS_RECORD_TIMELINE_CSV_H
#define OBS_RECORD_TIMELINE_CSV_H
#include "base/strbuf.h"
#include "obs/record/tape.h"
#include "obs/record/timeline.h"

struct timeline_csv;
/* Writes to a tape without a tail (record: TIMELINE_CSV_RECORD or TAPE_NO_CUT), which stays the caller's. Columns:
 * cycle (end of the row's span), cycles (its length), the series of obs/stats/sample.h; figures that do not exist for a
 * row are empty. */
#define TIMELINE_CSV_RECORD sizeof(u64)
struct timeline_csv *timeline_csv_create(struct gpu *g, struct tape *to);
/* A sample_fn: ctx is the writer. */
void timeline_csv_sample(void *ctx, u64 cycle);
/* Time travel, for sim_on_snapshot, _leave and _fork: rows written before going back stay until history forks before
 * them. */
void *timeline_csv_keep(void *ctx);
void timeline_csv_recall(void *ctx, const void *kept, u64 cycle);
void timeline_csv_leave(void *ctx, u64 cycle);
void timeline_csv_fork(void *ctx, u64 cycle);
/* Writes the last, shorter row - up to the farthest cycle, should the machine stand at an earlier one - and frees. */
void timeline_csv_free(struct timeline_csv *t);
/* Appends the same columns of a timeline's samples, the machine's: what `export csv` writes. */
void timeline_csv_text(const struct timeline *t, const struct conf *c, struct strbuf *out);
#endif
