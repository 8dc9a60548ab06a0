/* sm: one streaming multiprocessor: warps, instruction buffers, scoreboard, issue, units, LSU, barriers, resident CTAs.
 *
 *   fetch -> instruction buffer -> scoreboard -> issue -> SP | SFU | DP -> write-back (wheel)
 *     |                                            `----> LSU -> shared | l1d l1c l1t -> write-back (replies)
 *    l1i
 *
 * Readiness is kept in masks: in[state] has one bit a warp slot, and a warp is in exactly one state. So "which warps
 * may issue" is an AND, and "why did none issue" is the first non-empty mask. An SM that can do nothing until cycle t
 * says so (sm_tick's return value), and is not ticked again before t or before the memory system answers. Its stall
 * accounting is added in bulk when it wakes.
 *
 * struct sm is state (arena: no pointers); struct sm_ctx is the constant wiring that every function gets beside it. */
#ifndef SM_SM_H
#define SM_SM_H
#include "base/bits.h"
#include "base/fifo.h"
#include "conf/conf.h"
#include "front/front.h"
#include "ir/wide.h"
#include "mem/mem.h"
#include "passes/control.h"
#include "passes/hints.h"
#include "probe/line_counters.h"
#include "probe/probe.h"
#include "sm/blocks.h"
#include "sm/warp_state.h"

#define SM_MAX_CTAS 32
/* Places for the warps and CTAs of an SM: those below WARP_SLOTS and SM_MAX_CTAS are its slots, whose warps the masks
 * name; in the others are those that have been taken off and have something under way, and those that are inactive
 * (virtual.h), the warps of a CTA in one word of WARP_SLOTS places. */
#define SM_PLACES MEM_PLACES
#define SM_AWAY_WORDS (SM_PLACES / WARP_SLOTS - 1)
#define SM_CTA_PLACES FRONT_CTA_PLACES
static inline u32 sm_away_place(u32 word, u32 i)
{
	return WARP_SLOTS * (1 + word) + i;
}
#define SM_MAX_SCHEDS 4
#define SM_MAX_BARRIERS 16
#define SM_NODES (SM_PLACES * 4) /* on the wheel, beside what issues put there */
#define SM_WHEEL 2048            /* cycles; more than any latency the configuration allows plus conflicts */
#define SM_WHEEL_WORDS (SM_WHEEL / 64)
#define SM_MAX_LOADS 1024
#define SM_MAX_LSU 33 /* lsu.queue at most + the head */

/* UNIT_INT: what sm.int_units has units of its own for; else these instructions are SP's. */
enum unit { UNIT_SP, UNIT_INT, UNIT_SFU, UNIT_DP, UNIT_TENSOR, UNIT_LSU, UNIT_COUNT };
#define SM_MAX_UNITS 8 /* of one kind */
#define SM_MAX_COLLECTORS 16
#define SM_MAX_READ_BANKS 16 /* register banks of a scheduler */
#define SM_BUS_RING 512      /* cycles ahead of which results are booked */
#define SM_BUS_BITS 4

/* What issue needs to know of an instruction, compact: made once per launch from the IR and the configuration. */
struct issue_info {
	u64 use[2];  /* scoreboard ids 0..127 read or written */
	u64 dst[2];  /* ids 0..127 written */
	u16 lat, ii; /* cycles: unit latency with operand read; issue port occupancy */
	u8 unit, cls, cost;
	u8 fetch_n; /* instructions one fetch at this pc brings */
	u8 flags;
};
enum {
	II_WAIT_ALL = 1 << 0, /* nothing may be pending (calls and returns change the meaning of ids) */
	II_BIG = 1 << 1,      /* names ids >= 128: look at the lists of struct inst */
	II_ALONE = 1 << 2,    /* never the first of a dual issue (control) */
	II_LOAD = 1 << 3,     /* goes through the LSU and brings a result */
	II_WORDS = 1 << 4,    /* of every instruction with sm.dependences=counters */
};

/* What a module's instructions need beside the IR, by pc; constant. */
struct code_tables {
	struct issue_info *info;
	struct code_hint *hint;
	struct control_word *word;   /* NULL: the machine has a scoreboard */
	struct line_counters *count; /* not constant; NULL: nobody has asked (lines.h) */
};
/* The unit that executes an instruction. */
enum unit issue_unit(const struct conf *c, const struct inst *in);
struct code_tables code_tables_make(const struct conf *c, const struct module *m);
void code_tables_free(struct code_tables *t);

/* A launch as the SMs see it; constant. */
struct program {
	const struct launch *launch;
	const struct issue_info *info;   /* by pc */
	const struct code_hint *hint;    /* by pc */
	const struct control_word *word; /* by pc; NULL without sm.dependences=counters */
	/* Where the compiler's check (passes/idempotence.h) has the CTA give notice that it cannot be flushed any more:
	 * 1 by pc. NULL: not asked for, or not known. Only with idempotence.track. */
	const u8 *notice;
	bool idempotent;             /* there is no such place */
	struct line_counters *count; /* by pc; NULL: nobody has asked (lines.h) */
};

struct warp {
	u32 pc, ib_end;  /* [pc, ib_end) is in the instruction buffer */
	u32 fallthrough; /* where fetch goes on behind a taken branch, + 1; 0 = at pc */
	u8 state;        /* enum warp_state */
	u8 extra;        /* issue slots the next instruction still needs before its own */
	u8 extra_set;    /* extra has been charged for the instruction at pc */
	u8 cta_slot;
	union {
		struct {
			u8 barrier; /* waits at barrier - 1; 0 = none */
			u8 fence;   /* enum fence: waits for accesses under way, or for other grids */
			u8 sleeping;
			u8 done;   /* all lanes exited */
			u8 paused; /* with its CTA */
			u8 awaits; /* sleeps in mbarrier.try_wait (mbarrier.h) */
			u8 pad[2];
		};
		u64 held; /* not 0: it does not issue, whatever its next instruction is */
	};
	u8 fetching; /* a fetch is under way */
	u8 warp_in_cta;
	u16 who;         /* wherever its place: see struct sm_context */
	u16 inflight;    /* results on the wheel or in the load table */
	u16 copies_left; /* fence = FENCE_COPIES: loads that may be under way */
	u32 outstanding; /* memory transactions in flight, acknowledgements of stores included */
	u32 launch;
	u32 loads; /* load instructions in flight */
	u32 pad3;
	u64 pend[2], pendm[2]; /* scoreboard: ids with a result under way; of those, from memory */
	u64 age;               /* dispatch order: smaller = older */
	u64 since;             /* cycle of the last state change */
	u64 started_at;
	u64 insts;
	u64 await_until; /* awaits: when its time is over */
	u64 pad4;
};
enum fence { FENCE_NONE, FENCE_ALL, FENCE_COPIES, FENCE_GRIDS /* griddep.h */ };
static inline bool fence_holds(const struct warp *wp)
{
	if (unlikely(wp->fence == FENCE_GRIDS))
		return true; /* until griddep_open() */
	return wp->fence == FENCE_COPIES ? wp->loads > wp->copies_left : wp->outstanding || wp->loads;
}
/* Warps are reached by number all over the SM's cycle: a shift instead of a product. */
_Static_assert(sizeof(struct warp) == 128, "a power of two");

struct cta {
	u8 used;
	u8 nwarps, ndone; /* ndone: warps whose lanes exited and whose accesses came back */
	u8 paused;        /* none of its warps issues */
	u32 launch;
	u64 exited; /* slots of warps whose lanes exited */
	u64 id;     /* linear */
	u64 warps;
	u64 halted_until; /* paused: when it goes on by itself; NEVER: when somebody says so */
	u64 started_at, insts, transactions;
	u64 warp_cycles, came_at; /* on SMs before it came to this one; when that was */
	struct lane_counters lanes;
	u64 insts_dropped; /* of insts: executed before it was dropped and began again */
	u64 away;          /* cycles since started_at in which it was saved, or halted for a context to be moved */
	u64 moving_until;  /* halted for that until this cycle; 0: it is not */
	u32 reg_first, reg_size, shared_first, shared_size;
	u8 inactive; /* it has resources, but no slot (virtual.h) */
	u8 word;     /* without a slot: its warps are in this word of places, its masks by number of the warp but `warps` */
	u8 from_top; /* 2-way allocation: its kernel allocates from the top down here */
	u8 leaves;   /* preemption drains it: its warps are in `leaving` whenever they have slots */
	u8 let_go;   /* it has executed griddepcontrol.launch_dependents (griddep.h) */
	u8 pad[3];   /* named so that it is zero: state is hashed */
	struct barrier {
		u64 waiting, came;     /* warp slots; came: arrived, waiting or not */
		u32 arrived, expected; /* warps */
	} bar[SM_MAX_BARRIERS];
};

/* A set of CTAs of an SM, by place. */
struct cta_set {
	u64 of[(SM_CTA_PLACES + 63) / 64];
};
static inline bool cta_in(const struct cta_set *s, u32 place)
{
	return s->of[place / 64] >> place % 64 & 1;
}
static inline void cta_add(struct cta_set *s, u32 place)
{
	s->of[place / 64] |= BIT(place % 64);
}
static inline struct cta_set cta_alone(u32 place)
{
	struct cta_set s = {{0}};
	cta_add(&s, place);
	return s;
}
static inline bool cta_any(const struct cta_set *s)
{
	u64 any = 0;
	for (u32 i = 0; i < ARRAY_LEN(s->of); i++)
		any |= s->of[i];
	return any != 0;
}

/* A set of warps of an SM, by place. */
struct warp_set {
	u64 of[SM_PLACES / 64];
};
static inline bool warp_in(const struct warp_set *s, u32 place)
{
	return s->of[place / 64] >> place % 64 & 1;
}

/* Who a warp is, for what outlives its stay in a slot: answers of the memory system, the load table, the timing wheel.
 * A context goes with its warp from start to end. When a warp is given up with answers under way, the next one that has
 * its context is of another generation, so that a late answer is known for what it is.
 *
 *   15        8 7       0
 *   [ generation | context ]      struct warp, `who`
 */
#define SM_CONTEXTS SM_PLACES
#define CONTEXT_BITS 8
struct sm_context {
	u16 who;  /* of the warp that has it, or will have it next */
	u8 place; /* index into sm.warp */
	u8 used;
};
static inline u32 sm_context_of(u32 who)
{
	return who & (SM_CONTEXTS - 1);
}

struct timer_node {
	u32 what; /* pc, of WK_WAKE and WK_RESUME cycles left to wait after this one; in the 3 bits on top the kind */
	u16 next, who;
};
#define TIMER_PC_BITS 29
static inline u32 timer_pc(const struct timer_node *n)
{
	return n->what & ((1u << TIMER_PC_BITS) - 1);
}
static inline u32 timer_kind(const struct timer_node *n)
{
	return n->what >> TIMER_PC_BITS;
}
enum {
	WK_WRITEBACK,
	WK_LOADED,
	WK_FETCHED,
	WK_WAKE,
	WK_RESUME,
	WK_STALL, /* deps.h: a stall is over */
	WK_READ   /* the same: a memory instruction has read its registers */
};            /* WK_LOADED: the write-back of a memory instruction */

struct load {
	u64 ready_at; /* when the last hit's data is there */
	u32 pc;
	u16 who;
	u8 left;  /* transactions not answered; 0: the place is free */
	u8 turns; /* of lsu.path */
	u8 gen;   /* of the place: a load that was given up may still be answered */
};

struct lsu_entry {
	u64 ready; /* cycle from which its operands are there */
	u32 pc;
	u16 ntxn, next; /* transactions; shared memory: conflict degree and cycles done */
	u16 load;       /* index into loads; NO_LOAD for stores and reductions */
	u8 warp, cache, op, shared;
	u8 ordered; /* a barrier opened since it came (replay.h) */
	u8 turns;   /* shared memory: cycles that its data take without a conflict */
	struct mem_txn txn[MEM_TXN_MAX];
};
#define NO_LOAD 0xffff

struct sm {
	u32 id;
	struct fifo lsu_q; /* of lsu[] */
	u8 lsu_refused;    /* enum mem_result of the head's refusal, MR_HIT = none */
	u8 fetch_refused;
	u16 context_due; /* lines of contexts under way (cta/traffic.h) */
	u64 lsu_next;    /* lsu.interval: the LSU's next instruction is taken up from this cycle on */
	struct {
		u64 until;
		u8 warp;
	} mma_gap[SM_MAX_SCHEDS];     /* tensor.warp_gap: the warp of the last mma issues none before `until` */
	u64 path_free[SM_MAX_SCHEDS]; /* lsu.path: when all data booked on a scheduler's path have passed */
	u64 lsu_tried, fetch_tried;   /* while refused: refusals are counted up to this cycle, else 0 */
	u64 in[WS_COUNT];             /* the masks: bit w set = warp w in that state */
	u64 need_fetch;               /* instruction buffer empty, no fetch under way */
	u64 astray;                   /* the instruction buffer holds the path not taken, to be flushed */
	u64 fetch_barred;             /* sm.fetch_refused=next: refused by L1I as it is now */
	u64 fetch_slots;              /* sm.fetches a cycle from cycle 0: arrived lines have taken all below this */
	u64 used;                     /* occupied warp slots */
	u64 awaiting, await_due;      /* warps that sleep in mbarrier.try_wait; when the first one's time is over */
	u64 low;                      /* of those, warps that issue only in slots which no other warp takes */
	u64 leaving;                  /* of CTAs that are drained: first, with a kernel-aware scheduler, and... */
	u64 last;                     /* ...of boundary CTAs of kernels without CTAs to come (kernels/kernel_sched.h) */
	u64 away[SM_AWAY_WORDS];      /* and occupied places behind them */
	u64 ctas_away[(SM_CTA_PLACES - SM_MAX_CTAS + 63) / 64]; /* the same of CTAs */
	u64 unit_free[UNIT_COUNT][SM_MAX_UNITS];                /* issue port free from this cycle on */
	u64 began[UNIT_COUNT]
	         [SM_MAX_COLLECTORS];    /* sm.collectors: when the last so many instructions (will) begin, a ring */
	u8 began_at[UNIT_COUNT];         /* the oldest of them */
	struct collectors {              /* sm.collector_sets=scheduler: a scheduler's */
		u64 free[SM_MAX_COLLECTORS]; /* units: free from this step on */
		u64 bank[SM_MAX_READ_BANKS]; /* register banks: the same */
		u64 reg[UNIT_COUNT];         /* the register of each class in front of the units: free from this cycle on */
		u64 out[UNIT_COUNT];         /* the one behind them: the last instruction (will) begin */
	} collect[SM_MAX_SCHEDS];
	u64 collect_taken[UNIT_COUNT]; /* steps in which the last instruction of each class has taken a unit */
	u64 bus[SM_BUS_RING];          /* sm.result_buses: by cycle, the cycle and how many results leave then */
	u64 issued_mask, issued_cycle;
	u64 acct_from;            /* first cycle not yet charged to a stall reason */
	u64 resid_from;           /* first cycle not yet in occupancy and active_cycles */
	u64 ages;                 /* next warp age */
	u8 reason[SM_MAX_SCHEDS]; /* enum stall the scheduler is charged with until something changes */
	u8 fetch_rr, nctas;
	u8 order[SM_MAX_SCHEDS]; /* sm.sched_order=rotate: schedulers, the one longest without a shared unit first */
	u8 lsu_reported;         /* enum mem_result of the refusals of the head's transaction last reported as an event */
	u8 flight;               /* enum flight of every cycle since flight_from */
	u8 leading;              /* warps between the first slot and the last of an instruction that takes several */
	u8 settled;              /* see settled() in sm.c; 0 = no */
	u16 alu_flying, mem_flying; /* instructions in flight, as in struct sm_load */
	union {
		struct {
			u32 done_slots; /* mask of CTA slots that ended and wait to be collected */
			u8 stored;      /* it has stores that take effect at the cycle's end */
			u8 faulted;
			u8 let_go; /* CTAs have let their dependents go, which takes effect with its stores */
			u8 pad5;
		};
		u64 news; /* not 0: the machine is to hear something */
	};
	u32 regs_used, shared_used;
	u32 late;        /* answers under way for warps that have gone */
	u32 wheel_words; /* which words of wheel_busy are not 0 */
	u16 free_load, nloads;
	u16 load_free[SM_MAX_LOADS];
	u64 flight_from;           /* first cycle not yet in... */
	u64 flights[FLIGHT_COUNT]; /* ...cycles by what was in flight */
	u64 stall[SM_MAX_SCHEDS][ST_COUNT];
	struct sm_counters k;
	struct sm_context context[SM_CONTEXTS];
	u64 contexts[SM_CONTEXTS / 64]; /* those that are taken */
	struct warp warp[SM_PLACES];
	struct cta cta[SM_CTA_PLACES];
	u64 wheel_busy[SM_WHEEL_WORDS];
	u16 wheel[SM_WHEEL]; /* head of each slot's list, index + 1 */
	u16 node_free;       /* free list, index + 1 */
	struct load load[SM_MAX_LOADS];
	struct lsu_entry lsu[SM_MAX_LSU];
	/* Behind it in the arena: struct timer_node nodes, policy states, big scoreboards. */
};

/* Warps whose next instruction has its operands; and of these, those that go to any unit but the LSU. */
static inline u64 warps_ready_for_units(const struct sm *s)
{
	const u64 *in = s->in;
	return in[WS_READY_SP] | in[WS_READY_INT] | in[WS_READY_SFU] | in[WS_READY_DP] | in[WS_READY_TENSOR];
}
static inline u64 warps_ready(const struct sm *s)
{
	return warps_ready_for_units(s) | s->in[WS_READY_LSU];
}

struct l1_pipe;
struct unit_results;
struct vt;
struct sm_lines;
struct replay;
struct copies;
struct deps;
struct l0i;
struct restart;
struct grid_order;
struct checks;
struct warp_sched_ops;
struct kernel_sched_ops;
struct kernel_turns;
struct external_warp_sched;
struct tensor_work;
struct sm_ctx {
	const struct conf *conf;
	struct front *front;
	struct mem *mem;
	struct program *prog; /* by launch id */
	struct event_buf *ev; /* of this SM */
	const struct warp_sched_ops *sched;
	const struct kernel_sched_ops *kernels; /* a kernel-aware policy; NULL: none */
	struct kernel_turns *turns;             /* its state, by scheduler, in the arena */
	struct external_warp_sched *external;   /* whom sched_external asks; NULL = none */
	void *sched_state[SM_MAX_SCHEDS];       /* in the arena */
	size_t sched_bytes[SM_MAX_SCHEDS];      /* room of each */
	struct timer_node *node;                /* pool, in the arena */
	const struct grid_order *grids;         /* griddep.h, by launch id; NULL: no launch depends on another */
	struct restart *restart;                /* a record of which CTAs are restartable; NULL: none is kept */
	struct checks *checks;                  /* who looks for races (checks.h); NULL: nobody */
	struct l1_pipe *pipe;                   /* in front of L1D's tags, in the arena; NULL: there is none */
	struct copies *copies;                  /* cp.async under way, in the arena */
	struct l0i *l0i;                        /* by scheduler, in the arena; NULL: there is none */
	struct deps *deps;                      /* sm.dependences=counters, in the arena; NULL: a scoreboard */
	struct tensor_work *tensor;             /* what tensor units have done, in the arena; NULL: nobody counts */
	struct sm_lines *lines;                 /* no machine state (lines.h); NULL: nobody has asked */
	struct sm_waits *waits;                 /* the same (waits.h) */
	const struct hop_ear *ear;              /* no machine state (probe/hops.h); NULL: nobody listens */
	struct pick_look *look;                 /* no machine state (pick_look.h); NULL: nobody has asked */
	struct vt *vt;                          /* virtual threads, in the arena; NULL: there are none */
	struct unit_results *results;           /* unit_results.h, in the arena; NULL: as many as come */
	struct replay *replay;                  /* the re-execution queue, in the arena; NULL: there is none */
	u64 (*big)[2][SB_IDS_MAX / 64]; /* by place: pend, pendm of all ids; used by programs that name ids >= 128 */
	u32 nwarps, nctas, nscheds, nunits[UNIT_COUNT];
	bool collect;     /* sm.collector_sets=scheduler */
	bool past_pipe;   /* l1d.pipe_atomics=false */
	u32 shared_units; /* bit per enum unit: fewer of them than schedulers */
	u32 own_units;    /* the same: sm.unit_sets=scheduler, and each scheduler has one */
	bool f32_on_int;  /* sm.f32_on_int */
	u64 sched_mask[SM_MAX_SCHEDS];
	u64 code_base;
};

/* Places on the wheel: what issues put there; with dependence counters the ends of stalls and of reads, too. */
static inline u32 sm_nodes(const struct conf *c)
{
	const u32 deps = c->sm_dependences == DEPENDENCES_COUNTERS ? 2 * SM_PLACES : 0;
	return SM_NODES + deps + c->sm_schedulers * c->sm_issue_width * SM_WHEEL;
}
/* Carves an SM out of the arena and wires its context. */
struct sm *sm_create(struct sm_ctx *x, u32 id, const struct conf *c, struct arena *a, struct front *f, struct mem *m,
                     struct program *prog, struct event_buf *ev, const struct warp_sched_ops *sched);
/* Gives the SM another warp scheduler between two cycles; its state begins anew. */
void sm_set_sched(struct sm_ctx *x, struct sm *s, const struct warp_sched_ops *sched);

/* One cycle. Returns the next cycle at which ticking makes sense (now + 1: stay awake; NEVER: only the memory system
 * can wake it). */
u64 sm_tick(struct sm_ctx *x, struct sm *s, u64 now);
/* Takes the memory system's answers due, as many as the SM can in a cycle; call before sm_tick when the SM's wake bit
 * is set. False: some are left. */
bool sm_replies(struct sm_ctx *x, struct sm *s, u64 now);
/* The place of the warp that a token of mem_pop() is for; NO_PLACE: it has gone. */
#define NO_PLACE UINT32_MAX
u32 sm_token_warp(const struct sm *s, u32 token);
/* The next cycle in which a result of the SM's own units or of its L1D is due; NEVER: none is on its way. */
u64 sm_next_due(struct sm_ctx *x, struct sm *s, u64 now);
/* Brings stall and residency accounting up to `now` (cycles < now are charged). */
void sm_sync(struct sm_ctx *x, struct sm *s, u64 now);

/* Slots of all schedulers in the cycles before `now` that were lost to one of these reasons (bits by enum stall). */
u64 sm_lost_slots(const struct sm *s, u32 nscheds, u32 reasons, u64 now);

/* The k-th instruction at the LSU, the head first. */
static inline const struct lsu_entry *sm_lsu_at(const struct sm *s, u32 k)
{
	return &s->lsu[fifo_at(&s->lsu_q, SM_MAX_LSU, k)];
}

/* What the memory system still owes an SM, by whom it is for: see sm_due(). */
struct sm_dues {
	u16 fetches[SM_PLACES];  /* instruction lines */
	u32 answers[SM_PLACES];  /* acknowledgements */
	u16 loads[SM_MAX_LOADS]; /* data, by place in the load table */
	u32 late;                /* for warps that have gone */
	u32 contexts;            /* lines of contexts */
};
/* The token of a line of a context that is moved for the warp in a place, which says whose it is: for mem_context(). */
u32 sm_context_token(u32 place);
/* Adds the answer that a token of mem_each_due() announces. */
void sm_due(const struct sm *s, struct sm_dues *d, u32 token);
/* Between two cycles: each warp is in the one state that its flags, its buffer and the scoreboard give it; what is in
 * flight is on the wheel, in the load table or at the LSU, and the scoreboard holds just its results; barriers are
 * closed for a reason; CTAs lie in registers and shared memory without overlap; every slot is charged. False with *e
 * naming what does not hold. Changes nothing. */
bool sm_check_state(const struct sm_ctx *x, const struct sm *s, const struct sm_dues *due, struct err *e);

/* Resources of a CTA of this launch: registers (allocation units applied) and shared memory. */
u32 sm_cta_regs(const struct conf *c, const struct launch *l);
u32 sm_cta_shared(const struct conf *c, const struct launch *l);
/* How many CTAs of a launch an empty SM holds by each limit (UINT32_MAX: none is set), and by all of them. */
struct sm_limits {
	u32 threads, slots;   /* scheduling: warp slots, CTA slots */
	u32 regs, shared;     /* capacity */
	u32 context, numbers; /* virtual threads: shared memory with contexts in it; virtual warps and their places */
	u32 set;              /* max_ctas_per_sm */
	u32 context_bytes;    /* of a CTA, with virtual threads */
	u32 active;           /* with slots */
	u32 ctas;             /* in all: with virtual threads more than active */
	const char *limiter;  /* of ctas: "threads", "CTAs", "registers", "shared memory", "context space", "virtual warps",
	                       * "max_ctas_per_sm" */
};
void sm_limits(const struct conf *c, const struct launch *l, struct sm_limits *out);
/* Most CTAs of a launch that an empty SM holds, and what limits them; 0 = does not fit at all. */
u32 sm_occupancy(const struct conf *c, const struct launch *l, const char **limiter);
/* Shared memory that the launch's CTAs have on an SM, when they have the machine to themselves and are spread evenly.
 */
u32 sm_shared_demand(const struct conf *c, const struct launch *l);
/* Is there a hole in registers and shared memory for one more CTA? It is noted in *c, unless that is NULL. */
bool sm_find_resources(const struct sm_ctx *x, const struct sm *s, const struct launch *l, struct cta *c);
/* Is there room (slot, warps, a hole in registers and shared memory) for one more CTA? With virtual threads it needs no
 * slot. */
bool sm_has_room(const struct sm_ctx *x, const struct sm *s, const struct launch *l);
/* The holes in its registers and shared memory, and how many of the launch's blocks they have room for. Registers and
 * shared memory of CTAs without a slot (virtual threads) are taken, and so is the shared memory that contexts have and
 * one more CTA would need for its own. */
void sm_holes(const struct sm_ctx *x, const struct sm *s, const struct launch *l, struct holes *regs,
              struct holes *shared);
/* Places CTA `id`; only after sm_has_room(). The SM must be ticked from `now` on. Its slot. */
u32 sm_start_cta(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now);
/* Takes a finished CTA in one of these slots off the SM: fills *out with its last state and frees the slot. False when
 * none is waiting. */
bool sm_collect_cta(struct sm_ctx *x, struct sm *s, u32 slots, u64 now, struct cta *out);
/* CTAs of a launch resident now. */
u32 sm_resident(const struct sm *s, u32 launch);
/* The resident CTAs by place: those in slots, and (virtual threads) behind them those without one. The first at or
 * behind a place; SM_CTA_PLACES: there is none. */
u32 sm_next_cta(const struct sm *s, u32 from);
#define FOR_EACH_CTA(place, s)                                                                                         \
	for (u32 place = sm_next_cta(s, 0); place < SM_CTA_PLACES; place = sm_next_cta(s, place + 1))
/* The place that bit 0 of a resident CTA's `warps` stands for; and that of its first warp. */
static inline u32 sm_warp_base(const struct cta *c)
{
	return c->inactive ? sm_away_place(c->word, 0) : 0;
}
static inline u32 sm_first_warp(const struct cta *c)
{
	return sm_warp_base(c) + bit_first(c->warps);
}
/* Has the CTA in a place ended, and waits to be collected? */
static inline bool sm_has_ended(const struct sm *s, u32 place)
{
	return place < SM_MAX_CTAS && s->done_slots >> place & 1;
}

#endif
