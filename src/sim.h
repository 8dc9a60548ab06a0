/* sim: the only door to the simulator. Create a machine, load modules, launch kernels, run, look, destroy.
 *
 *   struct sim *s = sim_create(&conf, &e);
 *   struct module *m = sim_load(s, "k.ptx", &e);
 *   int id = sim_launch(s, &(struct launch_spec){.mod = m, .fn = module_func(m, "k", true), ...}, &e);
 *   while (sim_run(s, NEVER, &stop) == ...) ...
 *
 * Everything here returns errors; nothing prints or exits. To be called from one thread. Pointers handed out live until
 * sim_destroy. */
#ifndef SIM_H
#define SIM_H
#include "conf/conf.h"
#include "gpu/query.h"
#include "ir/devmem.h"
#include "ir/ir.h"
#include "cta/sched/external.h"
#include "sm/sched/external.h"
#include "task/partition/external.h"

struct sim;
/* A machine at cycle 0. conf is copied; policies are looked up by name (unknown: error listing what there is). */
struct sim *sim_create(const struct conf *c, struct err *e);
/* The same with a front end that the caller has, whatever the key `front` says. */
struct sim *sim_create_front(const struct conf *c, const struct front_ops *front, struct err *e);
void sim_destroy(struct sim *s);

/* --- programs and memory ------------------------------------------------------------------------------------------ */
struct module *sim_load(struct sim *s, const char *path, struct err *e);
/* Several PTX files linked into one module. */
struct module *sim_load_linked(struct sim *s, const char *const *paths, u32 n, struct err *e);
struct module *sim_load_text(struct sim *s, const char *name, const char *text, size_t len, struct err *e);
/* Several texts linked into one module, as sim_load_linked() links files. */
struct module *sim_load_linked_text(struct sim *s, const struct source_text *parts, u32 n, struct err *e);
u32 sim_num_modules(const struct sim *s);
struct module *sim_module(const struct sim *s, u32 i);
struct devmem *sim_devmem(struct sim *s);
struct front *sim_front(struct sim *s);

struct launch_spec {
	struct module *mod;
	const struct func *fn;
	struct dim3 grid, block;  /* 0 in y or z counts as 1 */
	u32 dynamic_shared;       /* B */
	u32 regs;                 /* registers per thread; 0 = the module's estimate */
	enum regs_from regs_from; /* who says so; without regs of no meaning */
	u32 stream;        /* launches of one stream run in order; different streams may overlap. Programs have their own */
	bool cooperative;  /* the grid may synchronise: refused when not all CTAs fit at once; nothing else runs
	                      beside it until they are there */
	bool programmatic; /* programmatic stream serialization, as CUDA calls it: it may start before the launch before it
	                      in its stream has ended, as soon as each CTA of that one has executed
	                      griddepcontrol.launch_dependents or has ended; griddepcontrol.wait waits for its end */
	s8 priority;       /* PRIORITY_FIRST to PRIORITY_LAST; 0 is usual, less comes first: see task/queue.h */
	u64 start_at;      /* core cycle before which it does not start: a task's release; 0 = as soon as it may */
	const char *call;  /* of the host program, for people: "cudaLaunchKernel from main+0x1f2 in app"; outlives the
	                      machine; NULL: not known */
	const void *params; /* fn->param_bytes bytes */
	size_t param_bytes;
};
/* The host has copied n bytes to device memory (devmem_write() has put them there), and `following` more of the same
 * copy come: they may be in L2 then. */
void sim_copied(struct sim *s, u64 addr, u64 n, u64 following);
/* Queues a launch; its id (0, 1, ...) or -1 with *e ("block of 2048 threads exceeds ...", "needs 70 KB of shared
 * memory, an SM has 48 KB"). */
int sim_launch(struct sim *s, const struct launch_spec *l, struct err *e);
/* Would sim_launch() take it? False with *e. Parameters need not be there. Nothing changes. */
bool sim_may_launch(const struct sim *s, const struct launch_spec *l, struct err *e);
/* CTAs of such a launch that an empty SM holds; 0: none, or it would be refused. */
u32 sim_ctas_per_sm(const struct sim *s, const struct launch_spec *l);
bool sim_idle(const struct sim *s); /* no launch queued or running */
/* Several host programs share a machine: what is loaded, allocated and launched from now on is this one's run's. */
void sim_act_for(struct sim *s, u32 program, u32 run);
/* A run of a program is over: what it has allocated is freed. */
void sim_free_owned(struct sim *s, u32 program, u32 run);
bool sim_program_idle(const struct sim *s, u32 program);
bool sim_stream_idle(const struct sim *s, u32 program, u32 stream);
/* sim_run stops with STOP_IDLE as well when one of these programs (bits) has nothing queued or running, unless what it
 * did then is on record; 0 = none. */
void sim_await_programs(struct sim *s, u64 programs);

/* --- running ------------------------------------------------------------------------------------------------------ */
enum stop_why {
	STOP_IDLE,      /* nothing queued or running (of a program that is awaited): the host program's turn */
	STOP_CYCLE,     /* reached `until` */
	STOP_REQUEST,   /* an event consumer asked */
	STOP_FAULT,     /* the simulated program faulted; sim_fault_text() */
	STOP_DEADLOCK,  /* no progress for deadlock_cycles */
	STOP_INTERRUPT, /* sim_interrupt() was called */
	STOP_POLICY,    /* an external policy failed or is missing; sim_policy_error() */
};
struct stop {
	enum stop_why why;
	u64 cycle;
};
/* Simulates until one of the reasons holds; stops between cycles, cycle counts those completed. `until` is an absolute
 * cycle (NEVER allowed). A turn on record is taken when the machine goes on from its cycle. After a fault, a deadlock
 * or a failed policy further calls return the same reason at once. */
enum stop_why sim_run(struct sim *s, u64 until, struct stop *out);
/* Would sim_run() go on from such a stop, with nothing done outside? In the past a turn on record may be due. */
bool sim_goes_on(const struct sim *s, const struct stop *stop);
/* Asks a running sim_run to stop at the next cycle boundary: safe from a signal handler. */
void sim_interrupt(struct sim *s);
/* Forgets a request that no sim_run has answered: it came while nothing ran, and is not meant for the next run. */
void sim_clear_interrupt(struct sim *s);
u64 sim_cycle(const struct sim *s);
bool sim_faulted(const struct sim *s);
void sim_fault_text(const struct sim *s, struct strbuf *out);
/* Text that kernels have printed since the last call: those of one host program; what all have left. */
void sim_take_printf_of(struct sim *s, u32 program, struct strbuf *out);
void sim_take_printf(struct sim *s, struct strbuf *out);
/* Host actions change the machine between cycles; sim_set changes what may change in a built machine, the keys of
 * sim_live_key(0, 1, ...; NULL behind the last); other keys are an error that says so. sim_may_set: would it work? */
bool sim_set(struct sim *s, const char *key, const char *value, struct err *e);
bool sim_may_set(const struct sim *s, const char *key, const char *value, struct err *e);
const char *sim_live_key(u32 i);
bool sim_is_live(const char *key); /* is it one of those? */

/* --- time travel ---
 *
 * With a history, the machine takes snapshots while it runs, and sim_go() brings back any place since its beginning,
 * bit for bit. What happens to the machine from outside between two cycles (the host program, the user) is a *turn*:
 * sim_fork() before it, sim_turn() after it. So a place is a cycle and the turns there have been: the same place has
 * the same state, however it is come to.
 *
 * The host's turns belong to the step that leaves a cycle: sim_run() stops at a cycle before them, and where it goes on
 * from there it takes, in the past, the state that each turn left; nothing is done again outside. Where the machine
 * stood behind a turn - the user has changed something - that turn is marked by sim_rests(): who asks for the cycle
 * comes to behind it. What has happened in turns is told when their cycle is over, to whoever comes by. */
struct sim_place {
	u64 cycle;
	u32 turn; /* turns so far */
};
static inline int sim_place_order(struct sim_place a, struct sim_place b)
{
	const bool same = a.cycle == b.cycle;
	return same ? (a.turn > b.turn) - (a.turn < b.turn) : a.cycle < b.cycle ? -1 : 1;
}
struct sim_place sim_place(const struct sim *s); /* where the machine is */
/* Starts a history of at most `mb` MiB at the present cycle (0: ends it). */
bool sim_history(struct sim *s, u64 mb, struct err *e);
/* Something outside is about to change the machine at the present cycle: in the past this forks history - what came
 * after is forgotten. */
void sim_fork(struct sim *s);
/* It has changed it. */
void sim_turn(struct sim *s);
/* Before sim_turn(): it will act again in that cycle, or earlier. So warps that wait for it until then do not hang. */
void sim_expect_turn(struct sim *s, u64 cycle);
/* Warps go round in circles (STOP_DEADLOCK), but who they wait for is about to have a turn: the machine may go on. */
void sim_helped(struct sim *s);
/* The machine stands behind the last turn, for the user to see. */
void sim_rests(struct sim *s);
/* The next thing to happen is a turn that is on record. */
bool sim_turn_due(const struct sim *s);
/* For a change that may be undone: keeps the state right before it (after sim_fork, before the change); and takes the
 * last turn back, with all that came after it. */
void sim_before_change(struct sim *s);
bool sim_undo_turn(struct sim *s, struct err *e);
/* Takes back what has been done to the machine since sim_fork() and is no turn yet. False: there is no history. */
bool sim_take_back(struct sim *s);
/* This process is a fork of the one that the machine was built in. Nobody hears of it any more: subscribers and
 * samplers are gone, so nothing that they write is written twice. The machine and its past are as they were; the past
 * gets no more snapshots than it needs. */
void sim_forked(struct sim *s);
/* Brings the machine to a place between the beginning of history and the frontier. False with *e otherwise. Event
 * consumers hear nothing of it; samplers may (sim_hear_again). What kernels have printed should have been taken before
 * (sim_take_printf): what they print on the way is not kept. */
bool sim_go(struct sim *s, struct sim_place to, struct err *e);
bool sim_reaches(const struct sim *s, struct sim_place p);
/* The same for the place at which the machine stands at a cycle: behind the last turn marked by sim_rests(), else
 * before all of them. */
bool sim_goto(struct sim *s, u64 cycle, struct err *e);
/* Having come to a cycle by sim_run(): stands there as after sim_goto(). */
void sim_stand(struct sim *s);
/* Goes forward to a place seen before cycle by cycle, from no snapshot nearer to it: for who listens on the way
 * (sim_hear()). Otherwise as sim_go(): event consumers hear nothing. False with *e: it lies behind, or was not reached
 * (an interrupt). */
bool sim_walk(struct sim *s, struct sim_place to, struct err *e);
struct sim_place sim_rest(const struct sim *s, u64 cycle);
/* Takes a snapshot here, so that coming back to this cycle takes no replay. False with *e when there is none: no
 * history, or no room in it. */
bool sim_snapshot(struct sim *s, struct err *e);
struct sim_history_info {
	bool on;
	u64 begin, frontier; /* cycles that sim_goto() reaches */
	u32 snapshots, at;   /* at: the snapshot last passed */
	u64 bytes;
	const char *off; /* why there is none; NULL while on */
	u32 turns;       /* that have happened at the present position */
	bool turn_ahead; /* a recorded turn lies ahead: the host program is not to be asked */
};
void sim_history_info(const struct sim *s, struct sim_history_info *out);
/* Place of snapshot i (0 .. snapshots-1). */
struct sim_place sim_snapshot_place(const struct sim *s, u32 i);
/* A cycle before its turns, as far as history reaches. */
struct sim_place sim_before_turns(const struct sim *s, u64 cycle);

/* --- observing ---------------------------------------------------------------------------------------------------- */
/* Event consumers run at the end of each cycle in which a wanted event happened, in subscription order; events in SM
 * order. Returning true stops sim_run after that cycle. Consumers observe; they may call queries, never host actions.
 * Returns an id. */
typedef bool event_fn(void *ctx, const struct event *e);
int sim_subscribe(struct sim *s, event_set mask, event_fn *fn, void *ctx);
void sim_resubscribe(struct sim *s, int id, event_set mask); /* 0 = deaf */
void sim_unsubscribe(struct sim *s, int id);
/* Called whenever the clock reaches a multiple of `period` (0 = off). One sampler per id. */
typedef void sample_fn(void *ctx, u64 cycle);
int sim_add_sampler(struct sim *s, u64 period, sample_fn *fn, void *ctx);
void sim_set_sampler(struct sim *s, int id, u64 period);
/* When the machine has gone to another cycle of the run, in the past or back from it, this sampler is called for what
 * comes next, again where it has seen it before; others are not. What it remembers of later cycles will come just so,
 * unless history forks. */
void sim_hear_again(struct sim *s, int sampler);
typedef void rewind_fn(void *ctx, u64 cycle);
/* History has forked at this cycle: what the sampler remembers of later ones is void. */
void sim_on_fork(struct sim *s, int sampler, rewind_fn *fn);
/* For a sampler that needs to know more than the machine's state to go on from a cycle: `keep` returns it as a block of
 * memory that free() frees, with each snapshot; `recall` gets it back when the machine returns to that snapshot, at
 * `cycle`, and takes the place of sim_hear_again(). The sampler then hears all of the way from there to where the
 * machine is to go. NULL: the sampler was not there when the snapshot was taken. */
typedef void *keep_fn(void *ctx);
typedef void recall_fn(void *ctx, const void *kept, u64 cycle);
void sim_on_snapshot(struct sim *s, int sampler, keep_fn *keep, recall_fn *recall);
/* The machine is about to leave the farthest cycle it has reached for an earlier one. */
void sim_on_leave(struct sim *s, int sampler, rewind_fn *fn);
/* For a sampler, while it is called: sim_run stops with STOP_REQUEST at this cycle. */
void sim_request_stop(struct sim *s);

/* Who hears of the ways of loads from here on; one at a time. NULL: nobody. What sim_go() goes through again is not
 * heard. */
void sim_hear(struct sim *s, const struct hop_ear *ear);

struct gpu *sim_gpu(struct sim *s); /* for the queries of gpu/query.h */
/* XXH3 of the whole simulated state: arena and device memory. Equal states have equal hashes, on any host. */
u64 sim_hash(struct sim *s);
/* Conservation laws: stall reasons = schedulers x cycles per SM and in total and in every taxonomy; CTAs and
 * instructions of SMs = those of kernels; and, when nothing is under way in the memory system any more (sim_drain),
 * cache, packet and DRAM sums; and sim_check_state(). False with *e naming the sum and both sides. */
bool sim_check(struct sim *s, struct err *e);
/* Invariants of the whole state between two cycles (gpu/gpu.h, gpu_check_state). Changes nothing. A checking build
 * (make CHECK=1) looks every SIM_CHECK cycles by itself and stops with a BUG() that names what does not hold. */
bool sim_check_state(const struct sim *s, struct err *e);
/* With no kernel left: lets the clock run until the last write-back has reached DRAM. For the end of a run, after its
 * report. */
void sim_drain(struct sim *s);

/* --- policies from outside the library ---
 *
 * A value of warp-sched, cta-sched or partition with a colon in it, "lua:mine.lua", names an external policy: a struct
 * external_warp_sched, external_cta_sched or external_partition (external.h of sm/sched, cta/sched, task/partition), of
 * which &x.user is registered. A machine
 * may be created with such a name; it runs once the policy is registered (until then: STOP_POLICY). Registering under
 * the name that is in use binds the policy when none is bound; else it comes into use with sim_set(). p lives until
 * sim_destroy(): the past may refer to it.
 *
 * A policy that is not `stateless` cannot be brought back by snapshots: while one is in use there is no history -
 * sim_history() starts none, sim_set() ends the one there is, for the rest of the machine's life. */
void sim_register_policy(struct sim *s, enum policy_kind k, const char *name, struct policy_user *p);
/* What is wrong with the external policies in use, with the place; NULL = nothing. */
const char *sim_policy_error(const struct sim *s);

/* --- what there is ------------------------------------------------------------------------------------------------ */
/* The i-th policy of a kind (conf/policy_kinds.def) in the library, NULL behind the last. */
const struct policy *sim_policy(enum policy_kind k, u32 i);
/* Sets what the policy that a key names implies. Whoever reads a configuration calls it where the name is chosen,
 * before the keys chosen together with it: those win. A key of no policy, and a name that implies nothing or that there
 * is not, set nothing. */
bool sim_imply(struct conf *c, const char *key, const char *name, struct err *e);
/* The structures that a policy adds to an SM of this configuration, with bits, entries and KiB, one a line, and the
 * total. Appends nothing for one that says nothing of them. */
void sim_policy_storage(const struct conf *c, const struct policy *p, struct strbuf *out);
#endif
