/* programs: the host programs that shared a machine, each with all its kernels; and the metrics of sharing.
 *
 * If a program began again, its first run counts (Park 2016, section 4.4.4). A program's time is from its first launch
 * to the end of its last kernel. Its CPI is that time divided by its warp instructions, without those of CTAs that
 * began again, so a slowdown is what the user sees: the time that the same work takes. ANTT and STP are those of Park
 * 2016, equations 4.1 and 4.2. */
#ifndef OBS_STATS_PROGRAMS_H
#define OBS_STATS_PROGRAMS_H
#include "base/strbuf.h"

struct gpu;
/* What the machine does not know of a program. */
struct program_name {
	const char *name, *check, *check_message;
	u32 runs;         /* begun: with --again perhaps more than the one that the figures are of */
	double alone_cpi; /* on the same machine without the others; 0: not measured */
};
struct program_stats {
	struct program_name of;
	u64 result_hash; /* devmem_owner_hash(): the one it gives alone; 0: not asked for */
	u32 kernels;     /* launches */
	u64 begin, end;  /* cycles: first launched, last ended (now, while one is not done) */
	u64 ctas, warp_insts, thread_insts;
	u64 insts_dropped;                   /* of warp_insts: executed before their CTA began again */
	u64 deadlines_met, deadlines_missed; /* requests for SMs of its kernels: in time, late */
	bool done;
};
/* The figures of the first run of one program; of.* is for the caller to fill in. */
void program_stats_of(struct gpu *g, u32 program, struct program_stats *out);
/* The same without result_hash, which reads all its memory: for a display that is drawn again and again. */
void program_counters_of(const struct gpu *g, u32 program, struct program_stats *out);
double program_cpi(const struct program_stats *p); /* NAN without an instruction */
/* Warp instructions a cycle, without those that a flush has made void (Park 2016, section 4.4.2: effective throughput;
 * without the periods whose deadline was missed only concurrent/realtime can tell it). NAN before the first cycle. */
double program_effective_ipc(const struct program_stats *p);
/* "SMs in time for 3 of 4 requests, effective IPC 12.10"; nothing where no SMs were asked for. */
void program_requests_text(const struct program_stats *p, struct strbuf *out);
/* How much slower than alone; NAN when one of the two is not known. */
double program_slowdown(const struct program_stats *p);

/* Average normalised turnaround time: the mean of CPI in company over CPI alone; lower is better. System throughput:
 * the sum of the inverses; higher is better. NAN when there is none, or one is not known. */
double metric_antt(const double *together, const double *alone, u32 n);
double metric_stp(const double *together, const double *alone, u32 n);
/* Both of the programs that have executed anything; one that only looks does not count. */
void programs_sharing(const struct program_stats *p, u32 n, double *antt, double *stp);
#endif
