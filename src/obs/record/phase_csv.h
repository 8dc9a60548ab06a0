/* phase_csv: a recorded phase graph as a table. Columns:
 *
 *   cycle, cycles  end and length of the row's span      sm  a number, or "all": sum over the SMs
 *   active, exited  warps, means over the span's looks   alu, mem, alu_peak, mem_peak  instructions in flight
 *   alu_only, mem_only, both, idle  of the span's SM cycles, those with such instructions in flight, every one counted
 *
 *   one a band, "KERNEL 3" or "KERNEL 3-5" (phases), and "other" where there were more functions than bands: warps
 *
 * active is the sum of the bands' columns, but for rounding. */
#ifndef OBS_RECORD_PHASE_CSV_H
#define OBS_RECORD_PHASE_CSV_H
#include "base/strbuf.h"
#include "obs/record/phase_track.h"

/* Appends the whole run at the resolution that was kept of it, SM by SM within a span. */
void phase_csv(const struct phase_track *t, u32 num_sms, struct strbuf *out);
#endif
