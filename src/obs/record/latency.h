/* latency: how long loads took, from their issue until their registers were free, split by hop (probe/hops.h): of all
 * loads together, by what answered them, and by the instruction. A load counts for what its last transaction did, so
 * the hops of each load sum to its latency, and so do all sums here. */
#ifndef OBS_RECORD_LATENCY_H
#define OBS_RECORD_LATENCY_H
#include "obs/record/ways.h"

struct latency_of {
	u64 loads, cycles, max;
	u64 hop[HOP_COUNT]; /* cycles; their sum is `cycles` */
	u32 size;
	u32 *with; /* loads by latency, up to max */
};
struct latency_line {
	u32 kernel, pc; /* kernel: the first launch seen of its module */
	const void *module;
	struct latency_of of;
	u64 by_level[WAY_LEVELS]; /* loads */
};
struct latency {
	u64 from, to;         /* loads whose registers became free in cycles [from, to) count */
	u64 dropped, pending; /* loads whose CTA was dropped; that are under way at the end */
	u64 txns;             /* transactions of those that ended */
	u64 txns_of[WAY_LEVELS];
	u64 unordered; /* loads whose hops were not in order: a law of tests, 0 */
	struct latency_of all, level[WAY_LEVELS];
	struct latency_line *line;
	u32 nlines, lines_size;
};
void latency_init(struct latency *l, u64 from, u64 to);
void latency_release(struct latency *l);
/* A load that has ended, was dropped, or (end is NEVER) is under way. module: of its code. The end of a load is known
 * some cycles before: one that lies behind `to` is under way. */
void latency_add(struct latency *l, const struct way *w, const void *module);
/* The least latency that at least `percent` of 100 of the loads do not exceed; 0: there are none. */
u64 latency_percentile(const struct latency_of *of, double percent);
/* Lines with most cycles first; equal ones in the order of kernels and code. */
void latency_sort(struct latency *l);
#endif
