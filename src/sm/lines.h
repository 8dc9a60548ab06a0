/* lines: counts what single instructions do and cost (probe/line_counters.def), when somebody has asked for it. Nothing
 * of it is machine state: nothing of the machine depends on it, and it is in no hash.
 *
 * An issue slot is lost to a unit or to the LSU when a warp is ready and its unit is not. Two instructions are charged:
 * that of the first such warp, and the one that is in its way: the last that took the unit; of the LSU what is first
 * there, or in the pipeline of L1D or the re-execution queue if the LSU waits for those. */
#ifndef SM_LINES_H
#define SM_LINES_H
#include "probe/line_counters.h"
#include "sm/sm.h"

#define LINE_NOBODY UINT32_MAX
struct line_place {
	u32 launch, pc; /* launch: LINE_NOBODY = none */
};
/* Of one SM, what the next charge depends on. Plain data: it is kept and brought back with snapshots. */
struct sm_lines {
	struct line_place cause[SM_MAX_SCHEDS], sufferer[SM_MAX_SCHEDS]; /* of the reason that a scheduler has now */
	struct line_place took[UNIT_COUNT][SM_MAX_SCHEDS];               /* the last that took a unit; of a unit that is */
	struct line_place last[SM_MAX_SCHEDS];                           /* no scheduler's own in [0]; last of each one */
	struct l1_loss loss;                                             /* of the access that is presented to L1D */
};
void lines_forget(struct sm_lines *l);

/* The reasons whose slots are charged to instructions. */
#define LINES_REFUSALS                                                                                                 \
	(1u << ST_LSU | 1u << ST_RF_LINE | 1u << ST_RF_MSHR | 1u << ST_RF_MERGE | 1u << ST_RF_QUEUE | 1u << ST_PIPE)

static inline struct line_counters *line_at(const struct sm_ctx *x, u32 launch, u32 pc)
{
	return &x->prog[launch].count[pc];
}
static inline struct line_counters *line_of(const struct sm_ctx *x, const struct sm *s, u32 warp, u32 pc)
{
	return line_at(x, s->warp[warp].launch, pc);
}

/* A scheduler loses this cycle's slot for the reason `why`, one of LINES_REFUSALS; */
void lines_lost(struct sm_ctx *x, const struct sm *s, u32 sched, enum stall why, u64 now);
/* What is in the way of a warp that is ready. */
struct line_place lines_in_the_way(const struct sm_ctx *x, const struct sm *s, u32 warp, u64 now);
/* A warp has executed an instruction; slot: with an issue slot. Events of issue are on while lines are counted, so that
 * issue makes one test for all that look on. */
void lines_issued(struct sm_ctx *x, const struct sm *s, u32 warp, u32 sched, const struct issue_info *in, bool slot,
                  const struct dyninst *d);
/* A leading slot of the warp's next instruction has been used. */
void lines_led(struct sm_ctx *x, const struct sm *s, u32 warp, u32 sched);
/* L1D has been asked for a warp's instruction: has another line made room? */
static inline bool lines_any_loss(const struct sm_ctx *x)
{
	return x->lines && x->lines->loss.launch != LINE_NOBODY;
}
void lines_evicted(struct sm_ctx *x, const struct sm *s, u32 warp, u32 pc);
/* An instruction is at the LSU: what its access became. */
void lines_request(struct sm_ctx *x, const struct sm *s, const struct lsu_entry *e);
#endif
