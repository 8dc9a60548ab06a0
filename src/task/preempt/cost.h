/* cost: what it costs to have the CTAs of a kernel leave an SM, by each technique, and which SMs of a kernel should be
 * taken (Park 2016, sections 4.3.2 and 4.3.3, algorithm 3). Numbers in, numbers out: no machine.
 *
 *   technique   what is done to a CTA               latency                          overhead
 *   switch      its context is saved, and brought   bytes / bandwidth of an SM       twice the latency x IPC
 *               back when it goes on elsewhere
 *   drain       it runs to its end                  instructions left x CPI          instructions behind the CTA of the
 *                                                                                    SM that is farthest
 *   flush       it is dropped, and begins again     0                                instructions it has executed
 *               elsewhere
 *
 * Latencies are in cycles, overheads in warp instructions that are lost or executed again. The bandwidth of an SM is
 * its even share of DRAM's peak, or preempt.bandwidth. A cost that is not known (nothing has been counted yet) or not
 * possible is COST_MAX.
 *
 * With virtual threads CTAs without a slot leave an SM, too. Their contexts are on the SM like all others, and they are
 * switched and flushed like these. Of a drain they have their own instructions left; as the CPI is that of CTAs with
 * and without slots, it contains the time for which CTAs wait for slots. A swap that is under way ends first.
 *
 * The thesis gives the latency of a switch for a whole SM, and asks of each CTA whether it keeps the limit. Here this
 * question is asked for the bytes of all CTAs that may have to leave the SM, so the limit is kept if all are switched.
 * The overhead is counted for the CTA's own bytes. An SM's latency is that of all bytes of its switched CTAs, or of the
 * last CTA that drains, whichever is later. With preempt.halt=sm, CTAs that drain stand still while contexts move, and
 * the latencies add up. */
#ifndef TASK_PREEMPT_COST_H
#define TASK_PREEMPT_COST_H
#include "conf/conf.h"

enum technique { BY_SWITCH, BY_DRAIN, BY_FLUSH, TECHNIQUES };
extern const char *const technique_names[TECHNIQUES + 1]; /* the last: "mixed" */
/* Why a cost is not known, or a flush not possible. */
enum cost_bar {
	COST_KNOWN,
	DRAIN_NONE_ENDED, /* no CTA of the kernel has: nobody knows how long one takes */
	FLUSH_NO_RECORD,  /* nothing is recorded */
	FLUSH_NO_NOTICE,  /* the compiler's check does not know where the kernel would give notice */
	FLUSH_LOST,       /* its reads fill the record: nobody could say whether it was right */
	FLUSH_STRICT,     /* preempt.idempotence=strict, and the kernel has such a place */
	FLUSH_NOTICED,    /* it has come to such a place */
	COST_BARS
};
extern const char *const cost_bar_names[COST_BARS];
#define COST_MAX (UINT64_MAX >> 8)
#define PREEMPT_MAX_CTAS 160 /* of an SM, those without a slot included */

struct preempt_cost {
	u64 latency, overhead;
};
/* What has been counted of a kernel, over its CTAs that have ended and those on SMs. */
struct preempt_stats {
	u64 ended, ended_insts; /* CTAs, and the warp instructions that took them from start to end */
	u64 insts, cycles;      /* warp instructions, and the cycles in which CTAs were on SMs and not halted for a context;
	                         * virtual threads: with a slot or without */
};
struct preempt_cta {
	u64 id;
	u64 insts; /* executed since its beginning */
	u64 bytes; /* of its context */
	u64 wait;  /* cycles before it can be saved or dropped: virtual threads, it is in a swap */
	struct preempt_cost by[TECHNIQUES];
	u32 place;
	u8 may_flush;
	u8 technique; /* enum technique: chosen */
	u8 no_flush;  /* enum cost_bar: COST_KNOWN, or why may_flush is 0 */
	u8 inactive;  /* virtual threads: it had no slot when the request was made */
};
/* An SM and the CTAs of the kernel that would have to leave it. */
struct preempt_sm {
	u32 sm, n;
	struct preempt_cost cost; /* as chosen */
	struct preempt_cta cta[PREEMPT_MAX_CTAS];
};

/* Cycles in which an SM moves so many bytes of context. */
u64 preempt_switch_cycles(const struct conf *c, u64 bytes);
/* Fills in by[] of every CTA. */
void preempt_estimate(const struct conf *c, const struct preempt_stats *k, struct preempt_sm *s);
/* The SM's cost if its CTAs were treated so: by their own technique, or (t < TECHNIQUES) all by that one. */
struct preempt_cost preempt_sm_cost(const struct conf *c, const struct preempt_sm *s, enum technique t);
/* Why that cost is COST_MAX: of the first CTA for which it is. */
enum cost_bar preempt_sm_bar(const struct preempt_sm *s, enum technique t);
enum cost_bar preempt_cta_bar(const struct preempt_cta *a, enum technique t);
/* Lines 7 to 16 of algorithm 3, with a choice of techniques (bits): of those with which the CTA keeps the limit, the
 * one of the least overhead; if there is none: `otherwise`. */
void preempt_choose(struct preempt_sm *s, u64 limit, u32 techniques, enum technique otherwise);
/* Lines 19 to 28: of n candidates, with their costs, the `want` (<= n) with the least overhead that keep the limit. As
 * a request is served even if it comes too late, SMs that do not keep it follow, the fastest first. Ties: the lower SM.
 * Their indices in out[]. */
void preempt_select(const struct preempt_sm *s, u32 n, u32 want, u64 limit, u32 *out);
#endif
