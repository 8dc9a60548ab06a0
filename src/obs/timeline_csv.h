/* timeline_csv: one row of figures per sample period, written as the run goes on; the whole run at full resolution. */
#ifndef OBS_TIMELINE_CSV_H
#define OBS_TIMELINE_CSV_H
#include <stdio.h>
#include "base/strbuf.h"
#include "obs/timeline.h"

struct timeline_csv;
/* Writes the header to f, which stays the caller's (and must live until timeline_csv_free). Columns: cycle (end of the
 * row's span), cycles (its length), the series of obs/sample.h; figures that do not exist for a row are empty. */
struct timeline_csv *timeline_csv_create(struct gpu *g, FILE *f);
/* A sample_fn: ctx is the writer. */
void timeline_csv_sample(void *ctx, u64 cycle);
/* Writes the last, shorter row and frees. False when anything could not be written. */
bool timeline_csv_free(struct timeline_csv *t);
/* Appends the same columns of a timeline's samples, the machine's: what `export csv` writes. peak_bytes:
 * dram_peak_bytes(). */
void timeline_csv_text(const struct timeline *t, double peak_bytes, struct strbuf *out);
#endif
