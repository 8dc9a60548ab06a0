/* deps: issue by control words instead of a scoreboard (sm.dependences=counters): the stall behind a warp's last
 * instruction, six dependence counters a warp, the register file's read ports with their reuse cache.
 *
 * passes/control.h has the words. The scoreboard is kept beside, for what it tells observers, and a warp never issues
 * what it would refuse: sm.hazard_holds counts how often the words alone would have. They never do while the lanes of a
 * warp are together; while they are apart, registers that other lanes are about to write look pending to it. */
#ifndef SM_DEPS_H
#define SM_DEPS_H
#include "passes/control.h"
#include "sm/sm.h"

struct deps_warp {
	u64 ready_at;           /* the stall of its last instruction ends */
	u64 held_at;            /* only the scoreboard holds it, since this cycle + 1; 0: it does not */
	u8 n[CONTROL_COUNTERS]; /* instructions that have raised the counter */
	u8 stalls;              /* it is of more than the cycle that follows an issue anyway... */
	u8 timed;               /* ...and the wheel has its end */
	u32 last;               /* pc of that instruction */
	u32 pad;
};
struct deps_port { /* of a scheduler */
	u64 free[2];   /* the bank's read port is taken before this cycle */
	u64 blocked;   /* a reading window was longer than it should be: nothing issues before this cycle */
	u32 last;      /* whose operands the reuse cache has: warp + 1; 0: nobody's */
	u32 pad;
};
struct deps { /* arena, one an SM */
	struct deps_warp warp[SM_PLACES];
	struct deps_port port[SM_MAX_SCHEDS];
};

/* Its stall or a counter holds the warp at its pc; changes nothing. */
bool deps_holds(const struct sm_ctx *x, const struct warp *wp, u32 w);
/* Those of the counters for which it waits at its pc that are not 0, a bit each; or a full one that it would raise. */
u8 deps_awaited(const struct sm_ctx *x, const struct warp *wp, u32 w);
/* The counters that the instruction at pc raises until its result is written, or its registers are read; a bit each. */
u8 deps_raises(const struct sm_ctx *x, const struct warp *wp, u32 pc, bool written, bool read);
/* The state in which the warp waits for them; WS_NONE: for neither. The end of a stall goes onto the wheel. */
enum warp_state deps_state(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
/* An instruction with an issue slot has been issued: its stall, and its counters unless no lane executes it. Returns
 * the cycles that it waits for its operands. */
u32 deps_issued(struct sm_ctx *x, struct sm *s, u32 w, u32 sched, const struct dyninst *d, u64 now);
/* The result of the instruction at pc is there. */
void deps_written(struct sm_ctx *x, u32 w, u32 pc, const struct warp *wp);
/* The memory instruction at pc has left the LSU: its registers will have been read lsu.release_... cycles later. */
void deps_leaves_lsu(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now);
/* They have been read. */
void deps_read(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now);
/* Does the instruction raise a counter until its registers are read? */
bool deps_reads_late(const struct sm_ctx *x, const struct warp *wp, u32 pc);
/* Stall and counters let the warp issue, and the scoreboard says this. */
void deps_scoreboard(struct sm_ctx *x, struct sm *s, u32 w, enum warp_state says, u64 now);
void deps_stall_over(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
void deps_start(struct sm_ctx *x, u32 w);
/* Timings of a module's instructions for passes/control.h, from its issue table; NULL: the machine has a scoreboard. */
struct control_word *deps_words(const struct conf *c, const struct module *m, const struct issue_info *info);
#endif
