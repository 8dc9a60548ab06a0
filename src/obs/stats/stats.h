/* stats: everything that a run reports, gathered once. The JSON, CSV and text reports only format it.
 *
 *   struct stats *st = stats_gather(gpu, &run);      (brings all counters up to date; between cycles)
 *   report_json(st, &out); report_csv(st, &out); report_text(st, &style, &out);
 *   stats_free(st); */
#ifndef OBS_STATS_STATS_H
#define OBS_STATS_STATS_H
#include "gpu/query.h"
#include "obs/energy/energy.h"
#include "obs/stats/figures.h"
#include "obs/stats/programs.h"
#include "passes/timing.h"
#include "sm/tensor.h"

/* What the machine does not know about the run. Strings must outlive the stats. */
struct run_info {
	const char *workload;      /* name */
	const char *check;         /* "pass", "fail", "none" */
	const char *check_message; /* "" = none */
	const char *stop;          /* "finished", "fault", "deadlock", "livelock", "max-cycles", "interrupted" */
	bool host_clocks;          /* applications were told simulated time by their host clocks (--app-clock) */
	u64 sim_ns;                /* host time spent simulating; the only figures that differ between two runs: */
	u64 total_ns;              /* host time in all */
	u64 peak_rss;              /* B */
	const struct program_name *programs; /* the host programs, where there are several */
	u32 nprograms;                       /* else 0 */
	const struct measured_list *figures; /* what scripts have measured; NULL: nothing */
	const char *diagnosis;               /* JSON text: why it was slow (ui/dbg/diagnose.h); NULL: nobody has asked */
	struct heat *heat;                   /* which instructions cause waits (heat.h); NULL: nobody has looked */
};

/* What rates are computed with, beside counters. */
struct rate_env {
	u64 from, to;                 /* core cycles that are counted, of the run or of the scope (gpu/scope.h) */
	u64 cycles;                   /* so many */
	u64 slots;                    /* issue slots: schedulers x cycles, of the instances summed over */
	u64 instances;                /* how many instances the counters are the sum of */
	double sim_us;                /* simulated time */
	double peak_bytes;            /* DRAM bytes per core cycle at peak, of the instances summed over */
	double tensor_units;          /* of the instances summed over */
	double tensor_rate[TC_COUNT]; /* multiply-adds per cycle of a tensor unit */
};
struct rate_desc {
	enum counter_group group;
	const char *name, *unit, *help;
	/* Both sides of the fraction. All but those of kernels grow with the counters and cycles alone, so that the figure
	 * over a span is the quotient of what they have grown by. */
	void (*parts)(const u64 *counters, const struct rate_env *env, double *num, double *den);
	/* The figure; NAN when its denominator is 0. counters: the group's struct. */
	double (*value)(const u64 *counters, const struct rate_env *env);
};
extern const struct rate_desc rate_descs[];
extern const u32 rate_ndescs;
/* What rates are computed with in a machine as it is. covered: of how many of the group's `all` instances the counters
 * are the sum. */
struct rate_env rate_environment(const struct gpu *gpu, enum counter_group g, u32 covered, u32 all);

struct instance_stats {
	u64 *counters; /* in the order of the group's rows */
	struct rate_env env;
};
struct group_stats {
	u32 n; /* instances */
	u32 ncounters;
	struct instance_stats sum; /* over all instances; meaningless for kernels */
	struct instance_stats *instance;
};
struct stats {
	struct gpu *gpu;
	struct run_info run;
	const struct conf *conf;
	bool scoped;          /* counters are of a part of the run (gpu/scope.h): */
	u64 from, to, cycles; /* cycles [from, to), so many */
	double sim_us;
	u64 warp_insts, thread_insts;
	u64 result_hash; /* devmem_result_hash() */
	struct group_stats group[CG_COUNT];
	u64 stalls[ST_COUNT];                       /* all SMs */
	u64 (*sched_stalls)[ST_COUNT];              /* [sm * sm_schedulers + scheduler] */
	struct kernel_info *kernels;                /* group[CG_kernel].n */
	struct energy energy, energy_uncore;        /* of the machine; of it, outside of SMs */
	struct energy *energy_sms, *energy_kernels; /* each; [n] of kernels: what belongs to none */
	struct program_stats *programs;             /* run.nprograms */
	double antt, stp;                           /* over them; NAN: the figures alone are not known */
	struct heap_info heap;                      /* of malloc() in kernels; bytes 0: there is none */
};
struct stats *stats_gather(struct gpu *g, const struct run_info *run);
/* The same without result_hash, which reads all of device memory: for a display that is drawn again and again. */
struct stats *stats_gather_counters(struct gpu *g, const struct run_info *run);
void stats_free(struct stats *s);
/* A rate of a sum by its name in derived.def; NAN when its denominator is 0. */
double stats_rate(const struct stats *s, enum counter_group g, const char *name);
/* A counter of a sum by its name in counters.def. */
u64 stats_sum(const struct stats *s, enum counter_group g, const char *name);
/* The row of a group's counter. */
const struct counter_desc *stats_counter(enum counter_group g, u32 index);
/* What the tensor units of the machine did with types of one class, beside what they can do at most. */
struct tensor_figures {
	u64 macs;
	double tflops, peak_tflops; /* multiplications and additions, in 10^12 a second of simulated time; NAN: none */
};
struct tensor_figures stats_tensor(const struct stats *s, enum tensor_class t);
#endif
