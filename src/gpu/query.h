/* query: everything that an observer may see of the machine, as plain copies. It is the only way in which obs and ui
 * look at models.
 *
 * All queries are cheap enough to call at 20 frames a second, change nothing, and are valid between cycles. */
#ifndef GPU_QUERY_H
#define GPU_QUERY_H
#include "cta/sched/cta_share.h"
#include "front/front.h"
#include "mem/mem.h"
#include "passes/control.h"
#include "probe/probe.h"
#include "sm/blocks.h"
#include "sm/cta_state.h"
#include "sm/checks.h"
#include "sm/restartable.h"
#include "sm/warp_state.h"
#include "task/preempt/cost.h"

struct warp_info {
	enum warp_state state;
	bool issued_last; /* issued in the last simulated cycle (glyph of its own) */
	bool refused;     /* ready, but its unit or the LSU refused it in the last cycle */
	u32 scheduler;
	u32 pc;     /* PC_DONE when all lanes exited */
	u32 active; /* lane mask */
	s32 launch; /* launch id, -1 = empty slot */
	u64 cta;    /* linear CTA id */
	u32 cta_slot, warp_in_cta;
	u64 since;          /* cycle of the last change of state */
	u64 started_at;     /* cycle of dispatch */
	u64 insts;          /* warp instructions executed */
	u32 pending_loads;  /* load instructions in flight */
	s64 priority;       /* rank the scheduler gives it now: 0 = first */
	bool by_policy;     /* its next step is the warp scheduler's to give: ready, or in line for a fetch it orders */
	s32 phase;          /* of its next instruction, numbered within the function from 0; -1 = exited or empty */
	u32 phases;         /* of that function */
	u32 phase_distance; /* cycles from its next instruction to the end of the phase (passes/phases.h) */
	char waits[96];     /* what it waits for: "%f3 (v4): L1D miss, DRAM channel 2", "barrier 0: 5 of 8 arrived", "" */
};
struct away_info {      /* a CTA that has been taken off its SM, or is leaving it */
	u32 launch, sm, to; /* sm: that it was on; to: that it is to go on on, UINT32_MAX: any */
	u64 cta;
	u64 since;     /* cycle: it is in this state */
	u64 left_at;   /* cycle in which it was taken off */
	bool restarts; /* it was dropped: it goes on with its first instruction */
	enum cta_state state;
};
struct cta_tally {
	u32 on, paused;       /* CTAs in slots of SMs; of them paused or halted, ... */
	u32 moving;           /* ... or halted while a context is moved: preemption ends that */
	u32 lowered;          /* ... or behind all others by their CTA scheduler, and not paused */
	u32 saved;            /* taken off; of them: */
	u32 queued, restarts; /* that wait for room on an SM; that were dropped, and begin again */
	u32 inactive;         /* on SMs without a slot (cta-virtual=vt) */
};
static inline bool cta_tally_kept(const struct cta_tally *t)
{
	return t->paused || t->moving || t->lowered || t->saved || t->inactive;
}
struct cta_info {
	bool used;
	struct cta_standing is;
	u32 launch, slot;
	u64 cta;
	struct dim3 id;
	u64 warps, warps_done; /* masks of warp slots */
	u64 started_at, insts;
	u32 reg_first, reg_size;       /* contiguous block of the register file (32-bit registers) */
	u32 shared_first, shared_size; /* of shared memory (B) */
};
struct unit_info {
	const char *name; /* "SP0" */
	u64 busy_until;   /* issue port taken up to and excluding this cycle */
};
struct sm_info {
	u32 warps, max_warps, ctas, max_ctas;
	u32 lowered, inactive; /* CTAs behind all others by their CTA scheduler; without a slot */
	u32 regs_used, regs, shared_used, shared;
	u64 awake;                 /* 0 = asleep */
	u64 issued;                /* = counters->issued */
	u32 issued_last;           /* instructions issued in the last simulated cycle */
	enum stall last_reason[4]; /* per scheduler, of the last accounted cycle */
	u32 nunits;
	struct unit_info unit[20];
	u32 lsu_queued;              /* instructions at the LSU, its head included */
	s32 lsu_warp;                /* warp of the head instruction, -1 = LSU empty; WARP_SLOTS: one without a slot */
	u32 lsu_left;                /* transactions (or conflict cycles) the head has left */
	enum mem_result lsu_refused; /* MR_HIT = not refused, else the reservation failure the head waits on */
	bool lsu_held; /* the head waits for the re-execution queue; lsu_refused is then the refusal the queue waits on */
	u32 replay_used, replay_size; /* entries of the re-execution queue; size 0: there is none */
	u32 loads_in_flight;
};
/* A transaction in an SM's re-execution queue (sm/replay.h). */
struct replay_info {
	u64 addr, since; /* cycle it came */
	u32 warp, pc, tries;
	enum mem_cache cache;
	enum mem_op op;
	enum mem_result refused; /* the last time; MR_HIT: not tried yet, it may not pass an older one */
};
enum kernel_state { KS_QUEUED, KS_RUNNING, KS_DONE };
struct kernel_info {
	const struct launch *launch;
	u32 program;       /* the host program that launched it, from 0 */
	u32 run;           /* which of its runs, from 0 (ir/devmem.h, OWNER_RUN) */
	const char *name;  /* as PTX has it */
	const char *label; /* for people: func_label() */
	enum kernel_state state;
	u64 ready_at;        /* the launch latency is over; NEVER while it waits for another launch of its stream */
	u64 dispatched;      /* CTAs */
	u64 done;            /* CTAs that have ended, in whatever scope */
	u32 resident;        /* CTAs on SMs now */
	u32 ctas_per_sm;     /* occupancy: the most CTAs of this kernel one SM can hold */
	const char *limiter; /* of struct sm_limits (sm/sm.h) */
	s32 overlaps;        /* a programmatic launch that began while this one of its stream had not ended; -1: none */
	bool programmatic;   /* struct launch_spec */
	const struct kernel_counters *counters;
};
/* The run time of a launch within cycles [from, to): its run is from the first CTA's dispatch to the last CTA's end. 0:
 * it has not begun. (One that began in cycle 0 is known by what it has done.) */
static inline u64 kernel_run_cycles(const struct kernel_counters *c, u64 from, u64 to)
{
	const bool begun = c->started_at || c->warp_insts || c->warp_cycles || c->ctas_done;
	const u64 start = c->started_at > from ? c->started_at : from;
	const u64 end = c->ended_at && c->ended_at < to ? c->ended_at : to;
	return begun && end > start ? end - start : 0;
}
/* Why an SM has no room for one more CTA of a running launch, in the order in which it is asked. */
enum room_lack {
	ROOM_IS_THERE,
	ROOM_ALL_DISPATCHED, /* it has no CTAs to come */
	ROOM_TAKEN_AWAY,     /* the SM has been taken from it by preemption */
	ROOM_QUOTA,          /* it has as many as the partition policy lets it have */
	ROOM_OCCUPANCY,      /* as many as an empty SM holds, or max_ctas_per_sm */
	ROOM_SCHED_LIMIT,    /* as many as its CTA scheduler lets it have */
	ROOM_CTA_SLOTS,
	ROOM_WARPS,
	ROOM_REGS,
	ROOM_SHARED,
	ROOM_HOLES,   /* registers and shared memory would do, but not in one piece */
	ROOM_CONTEXT, /* virtual threads: no shared memory behind the last CTA's for one more context, ... */
	ROOM_VIRTUAL, /* ... or no virtual warps and their places */
	ROOM_LACKS
};
struct room_info {
	enum room_lack lack;
	u32 resident, most;    /* its CTAs there; by quota, occupancy or limit, as `lack` says */
	u32 regs, shared;      /* of a CTA */
	struct holes reg, shm; /* of the SM; what contexts of virtual threads have, and one more would, is not free */
	u32 fragmented;        /* CTAs that would have room if what is free were in one piece, beyond those that have */
};
/* What the kernel control block has of a launch that nothing else tells (Park 2016, section 3.1; task/preempt/cost.h
 * says what is made of it). */
struct kcb_info {
	u64 context;        /* bytes of a CTA's context: its registers and shared memory */
	u64 switch_cycles;  /* in which an SM moves that */
	u64 ended;          /* CTAs */
	double cta_insts;   /* warp instructions of one that has ended, in the mean; NAN: none has */
	double cta_cycles;  /* cycles that it takes, in the mean: these by the CPI; NAN: not known */
	double cta_cpi;     /* cycles of CTAs per warp instruction of theirs, over all that have begun; NAN: none has */
	u64 by[TECHNIQUES]; /* CTAs that preemption took off by each technique (enum technique) */
	u32 waiting, restarting; /* in the queue of preempted CTAs; of them, those that begin again */
};
/* An SM's line of the SM status table: each CTA slot is in one of the states, and the rest is what is left. */
struct smst_info {
	u32 free, running;          /* CTA slots */
	u32 preempting[TECHNIQUES]; /* CTAs that are to leave it, by technique (enum technique) */
	u32 paused, moving;         /* others, that are not; moving: halted while contexts of the SM are moved */
	u32 leaving;                /* CTAs that are taken off when what they have under way has come */
	u32 inactive, asked;        /* CTAs without a slot (cta-virtual=vt); of them, those that are to leave it */
	u32 request;                /* of preemption, that is under way there; 0: none */
	u32 regs, shared, threads;  /* left: 32-bit registers, bytes, threads in whole warps */
	const char *role;           /* gpu_sm_role() */
};
struct barrier_info {
	u32 id, arrived, expected; /* warps */
	u64 waiting;               /* mask of warp slots; of a CTA without a slot: of its warps' numbers */
};

struct gpu;
const struct conf *gpu_conf(const struct gpu *g);
u64 gpu_cycle(const struct gpu *g);
/* The cycles [*from, *to) in which counters have counted: all so far, or those of the scope (gpu/scope.h); how many. */
void gpu_counted_range(const struct gpu *g, u64 *from, u64 *to);
u64 gpu_counted_cycles(const struct gpu *g);
/* Has the machine been stopped because its warps go round in circles for ever? See gpu/livelock.h. */
bool gpu_livelocked(const struct gpu *g);
/* There is work left, but nothing is under way that could ever wake anybody: the clock has no cycle to go on to. */
bool gpu_stands_still(const struct gpu *g);
/* The next cycle in which a result of an SM or something in the memory system is due; NEVER: nothing is on its way. */
u64 gpu_next_due(struct gpu *g);
/* Has the memory system nothing under way, not even an answer that its SM has not seen? */
bool gpu_is_drained(const struct gpu *g);
u32 gpu_num_l2(const struct gpu *g); /* slices */
u32 gpu_num_channels(const struct gpu *g);
u32 gpu_warps_per_sm(const struct gpu *g);
/* The control words of a module's instructions by pc, to free(); NULL: the machine has a scoreboard. */
struct control_word *gpu_control_words(const struct gpu *g, const struct module *m);
void gpu_sm_info(const struct gpu *g, u32 sm, struct sm_info *out);
/* The re-execution queue of an SM, oldest first; returns how many were written. */
u32 gpu_replay(const struct gpu *g, u32 sm, struct replay_info *out, u32 max);
/* The network's ports (mem_port()): warps, as masks of slots, that wait for what a port holds - an answer, the
 * acknowledgement of a store, instructions - (added to by_sm[num_sms]), or for the packet at its head; and those that
 * cannot send because the miss queue, or the SM's port, is full. */
void gpu_port_warps(const struct gpu *g, u32 port, u64 *by_sm);
u64 gpu_head_warps(const struct gpu *g, const struct port_head *h);
u64 gpu_unsent_warps(const struct gpu *g, u32 sm);
/* All bounded queues: the re-execution queues, then mem_queues(). */
u32 gpu_queues(const struct gpu *g, struct queue_info *out, u32 max);
/* The warps of an SM that issued in a cycle, if that is the last one in which any did. */
u64 gpu_issued_in(const struct gpu *g, u32 sm, u64 cycle);
/* Which warp of its CTA is, or was last, in a slot. */
u32 gpu_warp_in_cta(const struct gpu *g, u32 sm, u32 warp);
/* Does the warp wait at a barrier of its CTA, whatever else keeps it? */
bool gpu_warp_at_barrier(const struct gpu *g, u32 sm, u32 warp);
void gpu_warp_info(const struct gpu *g, u32 sm, u32 warp, struct warp_info *out);
/* State only, for drawing rows of cells: one enum warp_state per slot in out[gpu_warps_per_sm]; *issued = mask of warps
 * that issued in the last cycle, *refused likewise. */
void gpu_warp_states(const struct gpu *g, u32 sm, u8 *out, u64 *issued, u64 *refused);
/* By warp slot the pc of the instruction to which a warp's wait is charged: of a result, the one that produces it (of
 * several the first pending operand's, from memory before all others; of a dependence counter, the first in the code of
 * those that have raised it; of the stall behind an instruction, that instruction); of a barrier, fence or sleep, the
 * one that holds the warp; of a fetch that throws the path not taken away, the branch. Else the warp's own next
 * instruction. PC_DONE: the slot is empty, or all lanes exited. */
void gpu_producers(const struct gpu *g, u32 sm, u32 *out);
u32 gpu_producer(const struct gpu *g, u32 sm, u32 warp); /* of one */
/* Appends what the warp scheduler has to say of its own state: of a warp, or (warp = UINT32_MAX) of a scheduler.
 * Nothing for an empty slot or another scheduler's warp. */
void gpu_sched_text(const struct gpu *g, u32 sm, u32 scheduler, u32 warp, struct strbuf *out);
/* What the CTA scheduler says of a running kernel, in a few words; appends nothing when it has nothing to say. */
void gpu_cta_sched_text(const struct gpu *g, u32 launch, struct strbuf *out);
/* What the partition policy has measured and decided, in lines; and what an SM is there for ("": nothing special). */
void gpu_partition_text(const struct gpu *g, struct strbuf *out);
const char *gpu_sm_role(const struct gpu *g, u32 sm);
/* The load of an SM at this moment (query_load.c). Returns how many warps have not exited, the next instruction of each
 * in place[gpu_warps_per_sm]. */
struct warp_place {
	u32 launch, pc;
};
struct sm_load {
	u32 exited; /* resident warps whose lanes have all exited: they wait for the rest of their CTA */
	u32 alu;    /* instructions issued to SP, SFU and DP units whose result is not there yet */
	u32 mem;    /* memory instructions: loads and atomics until their result is there, stores until the LSU has sent
	             * them */
	/* So far, by what was in flight. ALU: also between the first slot and the last of an instruction that takes several
	 * issue slots; in alu it counts from the last. */
	u64 cycles[FLIGHT_COUNT];
};
u32 gpu_sm_load(const struct gpu *g, u32 sm, struct sm_load *out, struct warp_place *place);
/* Loads from the caches whose last answer has not come, of all SMs. */
u32 gpu_loads_under_way(const struct gpu *g);
void gpu_cta_info(const struct gpu *g, u32 sm, u32 slot, struct cta_info *out);
/* The places of all CTAs on an SM, for the function above and gpu_barriers(): those in slots first, then (virtual
 * threads) those without one, of which the masks of warps are by number within the CTA. At most `max` (GPU_CTAS_MAX are
 * enough) are written; returns how many there are. */
#define GPU_CTAS_MAX FRONT_CTA_PLACES
u32 gpu_ctas(const struct gpu *g, u32 sm, u32 *places, u32 max);
/* Of these, those without a slot. */
u32 gpu_inactive_ctas(const struct gpu *g, u32 sm, u32 *places, u32 max);
/* The slot in which a CTA is; -1: in none of this SM. */
s32 gpu_cta_slot(const struct gpu *g, u32 sm, u32 launch, u64 cta);
/* Both of a launch; -1: of all. How many there are; `max` at most are told. */
u32 gpu_ctas_away(const struct gpu *g, s32 launch, struct away_info *out, u32 max);
struct cta_tally gpu_cta_tally(const struct gpu *g, s32 launch);
/* Is this CTA on the SM now? */
bool gpu_cta_resident(const struct gpu *g, u32 sm, u32 launch, u64 cta);
/* Races and reads of what nobody has written, with check.races, check.init (sm/checks.h); NULL: nobody looks. */
const struct checks *gpu_checks(const struct gpu *g);
/* Idempotence as it is (sm/restartable.h), recorded with idempotence.track. May the CTA in a slot be flushed and
 * started over now? False also for an empty slot, and where it is not known: nothing is recorded, or it has read more
 * than the record holds. It says nothing of what the CTA will do next. (Models below gpu ask restart_possible().) */
bool gpu_idempotent_now(const struct gpu *g, u32 sm, u32 slot);
/* The record of a resident CTA, of a launch's CTAs that have ended, and the table of places with its size (entries with
 * code 0 are free; *lost = how often it had no room). NULL, and 0, when nothing is recorded; NULL for an empty slot. */
const struct restart_cta *gpu_restart_cta(const struct gpu *g, u32 sm, u32 slot);
const struct restart_launch *gpu_restart_launch(const struct gpu *g, u32 launch);
const struct restart_point *gpu_restart_points(const struct gpu *g, u32 *n, u64 *lost);
u32 gpu_barriers(const struct gpu *g, u32 sm, u32 slot, struct barrier_info *out, u32 max);
/* Events lost since the machine was built: more than EVENT_BUF_MAX - 1 of one SM in one cycle. */
u64 gpu_events_dropped(const struct gpu *g);
u32 gpu_num_kernels(const struct gpu *g); /* launches so far */
void gpu_kernel_info(const struct gpu *g, u32 launch, struct kernel_info *out);
/* The launch whose end a warp waits for at griddepcontrol.wait; -1: for none. */
s32 gpu_awaited_kernel(const struct gpu *g, u32 sm, u32 warp);
/* The cycle in which it ended, at least 1; 0: it has not. For who asks often. */
u64 gpu_kernel_ended(const struct gpu *g, u32 launch);
/* The most CTAs of a launch that the CTA scheduler leaves this SM by a decision of its own; 0 = it has made none. */
u32 gpu_cta_limit(const struct gpu *g, u32 launch, u32 sm);
extern const char *const room_lack_names[ROOM_LACKS]; /* in a word or two */
/* Room for one more CTA of a launch on an SM. False: the launch does not run. */
bool gpu_room(const struct gpu *g, u32 launch, u32 sm, struct room_info *out);
void gpu_kcb(const struct gpu *g, u32 launch, struct kcb_info *out);
void gpu_smst(const struct gpu *g, u32 sm, struct smst_info *out);
/* CTAs of a launch in slots of an SM. */
u32 gpu_resident(const struct gpu *g, u32 sm, u32 launch);
/* What the CTA scheduler keeps of a running launch for an SM; false: nothing (only chunk, reset, flip and steal do), or
 * the launch does not run. */
bool gpu_cta_share(const struct gpu *g, u32 launch, u32 sm, struct cta_share *out);
/* What was launched (launch < gpu_num_kernels()), where the rest is not needed: for every event, say. */
const struct launch *gpu_launched(const struct gpu *g, u32 launch);

/* Counters of an instance (SM, slice, channel, launch; 0 for noc) as an array of u64 in the order of the group's rows,
 * brought up to date; all below are of the scope, where there is one (gpu/scope.h). */
const u64 *gpu_counters(struct gpu *g, enum counter_group group, u32 instance);
/* Warps that stayed ready although every ready warp gets its turn under the scheduler (gpu/starve.h). */
struct starve;
const struct starve *gpu_starved(const struct gpu *g);
/* For whoever reads many of them at the same cycle: as the last gpu_counters() brought them up to date. */
const u64 *gpu_counters_again(const struct gpu *g, enum counter_group group, u32 instance);
u32 gpu_counter_instances(const struct gpu *g, enum counter_group group);
/* Issue slots lost per base reason: out[ST_COUNT] of one scheduler; up to date. The sum is the SM's cycles. */
void gpu_stalls(struct gpu *g, u32 sm, u32 scheduler, u64 out[ST_COUNT]);
/* Sum over an SM's schedulers, or over all SMs (sm < 0). */
void gpu_stalls_sum(struct gpu *g, s32 sm, u64 out[ST_COUNT]);

const struct front *gpu_front(const struct gpu *g);
const struct mem *gpu_mem(const struct gpu *g);
const struct devmem *gpu_devmem(const struct gpu *g);
#endif
