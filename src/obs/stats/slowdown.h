/* slowdown: how much slower a launch is beside others than in a run of its program alone, and the mean of this and of
 * the launches beside it. obs/stats/programs.h has the same for whole programs.
 *
 * A launch's time is from where it could have started (its stream's turn, and the launch latency over) to its end, or
 * to now. Waiting for SMs that others have counts; waiting for its own stream does not. Its CPI is that time divided by
 * its warp instructions, without those of CTAs that began again (Park 2016, section 4.4.4, equations 4.1 and 5.1). */
#ifndef OBS_STATS_SLOWDOWN_H
#define OBS_STATS_SLOWDOWN_H
#include "base/base.h"

struct gpu;
/* What a launch came to while its program had the machine to itself. */
struct launch_alone {
	u64 what; /* its kernel's name and CTAs, as a hash: the same launch? */
	u64 cycles, warp_insts;
};
struct program_alone {
	double cpi; /* of the whole program; 0: not measured */
	u32 n;      /* launches of its first run, in their order; owned */
	struct launch_alone *launch;
};
/* The launches of a program's first run; cpi is for the caller to fill in. */
void program_alone_of(const struct gpu *g, u32 program, struct program_alone *out);
void program_alone_free(struct program_alone *a);

/* Times slower than alone. NAN: its program has not been measured alone (alone: by program; cpi 0), it has executed
 * nothing yet, it is none of the first run's, or alone the program's launch of that number was another one. */
double launch_slowdown(const struct gpu *g, u32 launch, const struct program_alone *alone);
/* The mean of the slowdowns of the launch and of all of first runs whose time overlaps its own, but for those that have
 * executed nothing; NAN when one is not known. */
double launch_antt(const struct gpu *g, u32 launch, const struct program_alone *alone);
#endif
