/* producer: whose fault a wait is: the instruction that a warp waits for, read from what is under way. Nothing is kept
 * for it while the machine runs: the wheel, the load table and the LSU name the instructions whose results are pending.
 */
#ifndef SM_PRODUCER_H
#define SM_PRODUCER_H
#include "sm/sm.h"

/* What a warp in state WS_MEM or WS_SHORT waits for. */
enum want_kind {
	WANT_ID,       /* the result with this scoreboard id */
	WANT_COUNTERS, /* sm.dependences=counters: that these counters fall; */
	WANT_STALL,    /* the end of its last instruction's stall */
	WANT_ALL,      /* that nothing is under way: calls and returns; */
	WANT_MEMORY,   /* the same, and something from memory is */
};
struct want {
	u8 kind;
	u8 counters; /* a bit each */
	u16 id;
};
/* Of several pending operands the first one's, sources before results, those from memory before all others in WS_MEM.
 */
struct want producer_wanted(const struct sm_ctx *x, const struct sm *s, u32 w);
/* By warp slot, of these warps: the pc to which its wait is charged (gpu_producers() in gpu/query.h has the rules).
 * PC_DONE: the slot is empty, or all lanes exited. */
void sm_producers(const struct sm_ctx *x, const struct sm *s, u64 warps, u32 *out);
/* What holds a warp that is in any other state than these two, or is in no state of waiting. */
u32 producer_at_place(const struct sm_ctx *x, const struct sm *s, u32 w);
static inline u32 producer_of_fetch(const struct warp *wp)
{
	return wp->fallthrough > 1 ? wp->fallthrough - 2 : wp->pc;
}
/* Calls fn for each instruction under way: of which context (sm_context_of()), at which pc, from memory or not. */
enum under_way { AT_LSU, FOR_RESULT, FOR_OPERANDS /* sm.dependences=counters: its registers are being read */ };
typedef void under_way_fn(void *ctx, u32 context, u32 pc, bool memory, enum under_way how);
void sm_under_way(const struct sm_ctx *x, const struct sm *s, under_way_fn *fn, void *ctx);
#endif
