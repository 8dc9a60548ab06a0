/* sample: what happened since the last sample, per SM and for the machine, as integers that can be added up.
 *
 * The one place that turns counters into samples: the timeline store of the screens, the --timeline file and the
 * trace's counter tracks all build on it. Sampling reads queries only and never changes what is simulated. */
#ifndef OBS_STATS_SAMPLE_H
#define OBS_STATS_SAMPLE_H
#include "gpu/query.h"
#include "obs/energy/energy.h"

/* Sums over a span of cycles. Adding two neighbouring spans gives the span of both. */
struct sample {
	u64 cycles;                /* length of the span */
	u64 issued;                /* warp instructions */
	u64 issued_free;           /* of these: without an issue slot */
	u64 warp_cycles;           /* sum over cycles of resident warps */
	u64 l1d_hits, l1d_lookups; /* lookups = hits + misses + merges */
	u64 l1d_miss[MISS_CAUSES]; /* of the lookups: read misses by cause */
	u64 l2_hits, l2_lookups;   /* machine only: 0 in an SM's sample */
	u64 l2_miss[MISS_CAUSES];  /* likewise */
	u64 dram_bytes;            /* machine only, and so are the following */
	u64 dram_row_hits, dram_bursts;
	u64 dram_queue_cycles, dram_requests;
	u64 reply_flits;
	u64 energy[EG_COUNT]; /* fJ by group, dynamic + leakage; of an SM what is in it */
	u64 stalls[ST_COUNT]; /* issue slots by base reason */
};
void sample_add(struct sample *into, const struct sample *s);
void sample_sub(struct sample *out, const struct sample *a, const struct sample *b); /* a - b; out may be one of them */

/* Reads counters and remembers them, so that the next reading can be subtracted. */
struct sampler;
struct sampler *sampler_create(struct gpu *g); /* starts at the machine's present cycle; free with sampler_free */
struct sampler *sampler_create_machine(struct gpu *g); /* of the machine alone: one scope */
void sampler_free(struct sampler *s);
u32 sampler_scopes(const struct sampler *s); /* number of SMs + 1; scope 0 = the machine, scope n + 1 = SM n */
/* What happened since the last call (or creation): out[sampler_scopes]. */
void sampler_take(struct sampler *s, struct sample *out);
/* The same, but the next sample begins where this one did. */
void sampler_peek(struct sampler *s, struct sample *out);
/* The counters themselves, since the machine was built (cycles: the present one): the same whichever way the machine
 * has come to this cycle. */
void sampler_read(struct sampler *s, struct sample *out);
/* What has been counted in the machine's scope (gpu/scope.h). */
void sampler_read_scope(struct sampler *s, struct sample *out);
/* Forgets what was before: the next sample starts at the machine's present cycle. */
void sampler_reset(struct sampler *s);
/* For time travel (sim_on_snapshot): where the next sample begins, as an array of sampler_scopes() that free() frees;
 * and going back to it. NULL = from the machine's present cycle on. */
struct sample *sampler_keep(const struct sampler *s);
void sampler_recall(struct sampler *s, const struct sample *kept);

/* --- figures a sample becomes --- */
enum series {
	TS_IPC,      /* warp instructions per cycle */
	TS_WARPS,    /* mean resident warps */
	TS_L1D_HIT,  /* 0..1; NAN when there was no access */
	TS_L2_HIT,   /* 0..1, machine only; NAN for an SM or when there was no access */
	TS_DRAM_BW,  /* 0..1 of the peak bandwidth, machine only; NAN for an SM */
	TS_L1D_MISS, /* TS_L1D_MISS + c: share 0..1 of L1D's lookups that missed for cause c (enum miss_cause); NAN when
	              * there was no access */
	TS_L2_MISS = TS_L1D_MISS + MISS_CAUSES,     /* the same of L2's lookups, machine only; NAN for an SM */
	TS_DRAM_ROW_HIT = TS_L2_MISS + MISS_CAUSES, /* 0..1, machine only; NAN for an SM or when there was no burst */
	TS_DRAM_LATENCY, /* core cycles from a request's arrival to its data, machine only; NAN for an SM or without one */
	TS_REPLY_FLITS,  /* flits a cycle from L2 to SMs, machine only; NAN for an SM */
	TS_POWER,        /* W: an SM's own, or the machine's with L2, interconnect, DRAM and board */
	TS_POWER_PART,   /* TS_POWER_PART + p: W of a group of it (enum energy_group); NAN for an SM and what is outside */
	TS_STALL = TS_POWER_PART + EG_COUNT,
	/* TS_STALL + r: share 0..1 of the issue slots charged to base reason r (enum stall) */
	TS_COUNT = TS_STALL + ST_COUNT
};
struct series_desc {
	const char *name, *unit, *help;
};
/* Name, unit and definition of a series; valid for every value below TS_COUNT. */
struct series_desc series_desc(enum series s);
/* The figure, on a machine of this configuration. */
double sample_value(const struct sample *s, enum series which, const struct conf *c);
/* Is the series of an SM, too? Else there is only the machine's, and an SM's is NAN. */
bool series_of_sms(enum series which);
#endif
