/* phase_track: the phase graph (Awatramani 2015, figures 6, 7 and 13): for each SM, over the run, how many warps are in
 * which phase of their kernel, how many have exited, and how many ALU and memory instructions are in flight.
 *
 * Every `period` cycles each SM is sampled once. A warp is in the phase of its next instruction (passes/phases.h); in a
 * device function, in that function's phase. A function with more than PHASE_FN_BANDS phases has neighbours merged into
 * bands, always the two with the least sum of lengths, so long phases stay alone. Functions come in the order in which
 * warps were first seen in them. Warps of functions for which no band is left are in band 0.
 *
 * What was in flight is not sampled: the SMs count it in each cycle (struct sm_load), and a sample takes what has come
 * since the sample before. The first sample behind a fork within a period is exact as well, as long as the sample
 * before the fork is among the last ones, which are kept one by one; else it covers only the cycles from the fork on.
 *
 * Memory is bounded: the whole run is kept as samples of a power of two of looks, halved in number when they are full.
 * The last looks are kept one by one as well, for short spans. Looking uses queries only.
 *
 *   struct phase_track *t = phase_track_create(sim_gpu(s), 64);
 *   int id = sim_add_sampler(s, 64, phase_track_look, t);          (the same period)
 *   sim_hear_again(s, id); sim_on_fork(s, id, phase_track_fork);
 *   phase_track_get(t, sm, from, to, &sum);                         (mean of a figure: sum.mem / sum.looks) */
#ifndef OBS_RECORD_PHASE_TRACK_H
#define OBS_RECORD_PHASE_TRACK_H
#include "gpu/query.h"

#define PHASE_FN_BANDS 12
#define PHASE_BANDS 64 /* of all functions; band 0 = other functions */

struct phase_track;
struct phase_band {
	u32 first, last; /* phases [first, last] of its function */
	u32 length;      /* cycles: sum of their lengths */
};
struct phase_fn {
	const struct module *mod;
	const struct func *fn;
	u32 nphases;
	u32 band, nbands; /* bands [band, band + nbands); nbands 0: none was left */
};
/* Sums over looks. Every warp counted in `active` is in exactly one band; active + exited = resident warps. */
struct phase_sum {
	u32 looks;
	u32 active, exited; /* warps */
	u32 alu, mem;       /* instructions in flight (struct sm_load) */
	u32 alu_peak, mem_peak;
	u32 warps[PHASE_BANDS];
	u64 cycles[FLIGHT_COUNT]; /* by what was in flight, not only at the looks: SM cycles (FLIGHT_NONE: idle) */
};

struct phase_track *phase_track_create(struct gpu *g, u32 period);
void phase_track_free(struct phase_track *t);
/* A sample_fn, and a rewind_fn: ctx is the track. Looks repeated after going back change nothing. */
void phase_track_look(void *ctx, u64 cycle);
void phase_track_fork(void *ctx, u64 cycle);

/* What has been recorded: cycles [phase_track_start, phase_track_end); a look stands for the period before it. */
u64 phase_track_start(const struct phase_track *t);
u64 phase_track_end(const struct phase_track *t);
u32 phase_track_period(const struct phase_track *t);
/* Cycles of a sample of the whole run: period times a power of two; and of the finest there is from cycle `from` on. */
u64 phase_track_span(const struct phase_track *t);
u64 phase_track_resolution(const struct phase_track *t, u64 from);
/* The looks of cycles [from, to), at the finest resolution kept of `from`; at least one sample. sm -1 = sum over all
 * SMs. looks = 0: nothing was recorded there. */
void phase_track_get(const struct phase_track *t, s32 sm, u64 from, u64 to, struct phase_sum *out);

u32 phase_track_fns(const struct phase_track *t);
const struct phase_fn *phase_track_fn(const struct phase_track *t, u32 i);
/* band >= 1. */
const struct phase_band *phase_track_band(const struct phase_track *t, u32 band);
#endif
