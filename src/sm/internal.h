/* What the files of sm share among themselves; see sm.h for the picture. */
#ifndef SM_INTERNAL_H
#define SM_INTERNAL_H
#include "sm/sched/sched.h"
#include "sm/sm.h"
#include "sm/unit_results.h"

/* A warp of an SM's slots, not one that has been taken off. */
static inline bool has_slot(u32 place)
{
	return likely(place < WARP_SLOTS);
}

/* The places of a resident CTA's warps. */
static inline struct warp_set warps_of(const struct cta *c)
{
	struct warp_set s = {{0}};
	s.of[c->inactive ? 1 + c->word : 0] = c->warps;
	return s;
}

/* The unit of an instruction's leading slots: that of integers for an integer instruction, SP for the others. */
static inline enum unit lead_unit(const struct issue_info *in)
{
	return in->unit == UNIT_INT ? UNIT_INT : UNIT_SP;
}
static inline enum warp_state ready_state(const struct warp *wp, const struct issue_info *in)
{
	return (enum warp_state)(WS_READY_SP + (wp->extra ? lead_unit(in) : in->unit));
}

/* --- warp.c: states and scoreboard ------------------------------------------------------------------------------ */
/* Finds the state a warp is in now and sets the masks; executes instructions without an issue slot on the way. */
void warp_refresh(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
void warp_set_state(struct sm_ctx *x, struct sm *s, u32 w, enum warp_state to, u64 now);
/* A result arrived: the ids that the instruction at pc writes are no longer pending. */
void warp_writeback(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now);
void scoreboard_reserve(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, bool from_memory);
/* Marks the pending results of the instruction at pc as coming from memory. */
void scoreboard_to_memory(struct sm_ctx *x, struct sm *s, u32 w, u32 pc, u64 now);
/* Lets a warp at a fence go on once everything it accessed before has been performed. */
void warp_check_fence(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
/* A memory transaction of the warp was answered. */
void warp_answered(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
/* An exited warp whose last access came back leaves; the CTA with it when it was the last. */
void warp_try_retire(struct sm_ctx *x, struct sm *s, u32 w, u64 now);

/* --- issue.c ------------------------------------------------------------------------------------------------------ */
/* Executes the instruction at the warp's pc with all effects on the pipeline; slot = false for those that take no issue
 * slot. */
void issue_one(struct sm_ctx *x, struct sm *s, u32 w, u32 sched, bool slot, u64 now);
/* One scheduler's cycle: picks, issues, charges the slot. Returns whether it issued. */
bool issue_cycle(struct sm_ctx *x, struct sm *s, u32 sched, u64 now);
bool unit_available(const struct sm_ctx *x, const struct sm *s, enum unit u, u32 sched, u64 now);

/* --- lines.c; the rest is in lines.h ------------------------------------------------------------------------------ */
/* While lines are counted: n more cycles in which every scheduler lost its slot for the reason that it has. */
void lines_lost_again(struct sm_ctx *x, const struct sm *s, u64 n);

/* --- collect.c: sm.collector_sets=scheduler ------------------------------------------------------------------------ */
/* sm.unit_results=one: those of a unit of a class. */
static inline struct unit_results *unit_results_of(const struct sm_ctx *x, u32 class, u32 number)
{
	return &x->results[class * SM_MAX_UNITS + number];
}

/* May the scheduler issue an instruction of the kind? */
static inline bool collect_room(const struct sm *s, enum unit u, u32 sched, u64 now)
{
	return s->collect[sched].reg[u] <= now;
}
/* Which of these warps, whose next instruction goes to the unit, may it issue? */
u64 collect_warps(const struct sm_ctx *x, const struct sm *s, enum unit u, u32 sched, u64 ready, u64 now);
/* Books an instruction's way to its unit, which it occupies for ii cycles. How long it waits on it; of a memory
 * instruction: until its operands can be read. */
u64 collect_book(const struct sm_ctx *x, struct sm *s, const struct issue_info *info, const struct inst *in, u32 w,
                 u32 ii, u64 now);

/* --- timer.c ------------------------------------------------------------------------------------------------------ */
/* For context `who`, in cycle `at`, which is less than SM_WHEEL away. In place where it happens once an instruction: */
static inline void timer_put(struct sm_ctx *x, struct sm *s, u64 now, u64 at, u32 kind, u16 who, u32 pc)
{
	if (unlikely(at <= now))
		at = now + 1;
	BUG_ON(at - now >= SM_WHEEL || !s->node_free);
	const u32 slot = at % SM_WHEEL, n = s->node_free;
	struct timer_node *node = &x->node[n - 1];
	s->node_free = node->next;
	*node = (struct timer_node){.what = kind << TIMER_PC_BITS | pc, .next = s->wheel[slot], .who = who};
	s->wheel[slot] = (u16)n;
	s->wheel_busy[slot / 64] |= BIT(slot % 64);
	s->wheel_words |= 1u << slot / 64;
}
void timer_add(struct sm_ctx *x, struct sm *s, u64 now, u64 at, u32 kind, u32 warp, u32 pc);
/* The same `cycles` from now, which may be more than the wheel reaches: WK_WAKE, WK_RESUME. */
void timer_wait(struct sm_ctx *x, struct sm *s, u32 kind, u32 w, u64 cycles, u64 now);
/* Takes out what there is of these kinds (bits) for contexts; returns how many fetches were among it. */
u32 timer_take_out(struct sm_ctx *x, struct sm *s, u64 contexts[SM_CONTEXTS / 64], u32 kinds);
void timer_run(struct sm_ctx *x, struct sm *s, u64 now);
u64 timer_next(const struct sm *s, u64 now); /* first busy cycle > now, or NEVER */

/* --- mbarrier.c, copies.c, griddep.c: what the SM's cycle needs of them; the rest: mbarrier.h, copies.h, griddep.h -- */
/* Waits of these warps end; they leave their slots, or begin anew. */
void mbarrier_leave(struct sm *s, u64 warps);
/* Of these slots, the warps that wait at griddepcontrol.wait. */
u64 griddep_waiting(const struct sm *s, u64 warps);
/* Wakes warps whose time in mbarrier.try_wait is over. */
void mbarrier_expire(struct sm_ctx *x, struct sm *s, u64 now);
/* The next cycle in which one's time is over. */
static inline u64 mbarrier_next(const struct sm *s)
{
	return unlikely(s->awaiting) ? s->await_due : NEVER;
}
/* A phase has ended in the CTA of a warp, through its instruction at pc; the mbarrier is at an offset in shared memory.
 */
void mbarrier_phase(struct sm_ctx *x, struct sm *s, u32 w, u64 addr, u32 pc, u64 now);
struct copies *copies_create(struct arena *a);
struct l0i *l0i_create(const struct conf *c, struct arena *a); /* l0i.h; NULL: there is none */
struct deps *deps_create(struct arena *a);                     /* deps.h */

/* --- verbs.c, residency.c ---------------------------------------------------------------------------------------- */
/* A halted CTA's time has come. */
void cta_goes_on(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);
u16 context_take(struct sm *s, u32 place);
void context_give(struct sm *s, u32 place);
struct event *cta_event(struct sm_ctx *x, const struct sm *s, enum event_type t, u32 slot, u64 now);
/* The schedulers' policies hear of warps that have come or go. */
void tell_started(struct sm_ctx *x, struct sm *s, u64 warps, u64 now);
void tell_gone(struct sm_ctx *x, struct sm *s, u64 warps, u64 now);
/* The CTA in a slot, which has its resources and warps, begins with its first instruction. */
void cta_begin(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);
/* A slot, warps and the rest of the resources for one more CTA; its masks are of these warps. */
u32 cta_place(struct sm_ctx *x, struct sm *s, u32 launch, u64 id, u64 now);
/* Counts its stay so far. */
void cta_stayed(struct cta *c, u64 now);
/* Gives back all that the CTA in a slot has. */
/* The same of slots only: the CTA keeps registers and shared memory. */
void cta_leave_slot(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);
/* Its masks go from slots to the numbers of its warps, and back. */
void cta_masks_by_number(struct cta *c, u64 slots);
void cta_masks_by_slot(struct cta *c, u64 slots);
/* A warp goes from one place to another, with all it has under way. */
void warp_move(struct sm_ctx *x, struct sm *s, u32 from, u32 to, u32 cta);
void cta_give_back(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);

/* --- fetch.c, ldst.c, barrier.c ----------------------------------------------------------------------------------- */
void fetch_cycle(struct sm_ctx *x, struct sm *s, u64 now);
void fetch_done(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
/* The line of a fetch that had missed is there. */
void fetch_arrived(struct sm_ctx *x, struct sm *s, u32 w, u64 now);
/* The warp's instruction at pc did not go on at pc + 1. */
void fetch_jump(struct sm_ctx *x, struct sm *s, u32 w, u32 pc);
/* The scheduler finds that the instruction buffers of these warps hold the path not taken. */
void fetch_flush(struct sm *s, u64 warps);
/* Count the cycles before `now` that a refused access has waited without asking again. */
void lsu_sync(struct sm_ctx *x, struct sm *s, u64 now);
void fetch_sync(struct sm_ctx *x, struct sm *s, u64 now);
/* A refused fetch lets others go first. */
static inline bool fetch_passes(const struct sm_ctx *x)
{
	return x->conf->sm_fetch_refused == FETCH_REFUSED_NEXT && !x->sched->fetch;
}
/* The next cycle may bring a fetch: one that L1I has not refused as it is now, or that found the stage taken by lines
 * that arrived. */
static inline bool fetch_wanted(const struct sm_ctx *x, const struct sm *s, u64 now)
{
	if (!s->fetch_refused || s->fetch_slots > now * x->conf->sm_fetches)
		return s->need_fetch;
	return fetch_passes(x) && (s->need_fetch & ~s->fetch_barred);
}
/* With an instruction in the LSU, or a re-execution queue. */
void lsu_cycle(struct sm_ctx *x, struct sm *s, u64 now);
static inline bool lsu_has_room(const struct sm_ctx *x, const struct sm *s)
{
	return s->lsu_q.n <= x->conf->lsu_queue && s->nloads < x->conf->lsu_loads;
}
/* The LSU's head was refused by L1D, past its pipeline, and L1D has taken something since. */
bool lsu_asks_again(const struct sm_ctx *x, const struct sm *s);
/* The cycle from which the LSU's head may be served, if there is one. */
static inline u64 lsu_ready(const struct sm *s)
{
	const struct lsu_entry *e = &s->lsu[s->lsu_q.head];
	return e->next ? e->ready : MAX(e->ready, s->lsu_next);
}
/* The LSU's head, once its operands are there; else NULL. */
static inline struct lsu_entry *lsu_first(struct sm *s, u64 now)
{
	return s->lsu_q.n && lsu_ready(s) <= now ? &s->lsu[s->lsu_q.head] : NULL;
}
void lsu_issue(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now);
/* A transaction of an instruction at the LSU or in the re-execution queue. */
struct lsu_request {
	u32 pc;
	u16 load;
	u8 warp, cache, op;
};
static inline struct lsu_request lsu_request_of(const struct lsu_entry *e)
{
	return (struct lsu_request){.pc = e->pc, .load = e->load, .warp = e->warp, .cache = e->cache, .op = e->op};
}
/* Presents a transaction to its cache; */
enum mem_result lsu_present(struct sm_ctx *x, struct sm *s, const struct lsu_request *q, const struct mem_txn *t,
                            u64 now);
/* books that the cache took it; */
void lsu_accepted(struct sm_ctx *x, struct sm *s, const struct lsu_request *q, enum mem_result r, u64 now);
/* tells of a refusal, unless the last one told of that transaction was of the same kind; */
struct lsu_refused {
	u8 warp;
	u32 pc;
	u64 addr;
};
void lsu_refusal_event(struct sm_ctx *x, struct sm *s, const struct lsu_refused *t, u8 *reported, enum mem_result r,
                       u64 now);
/* books cycles of a refusal of a warp's instruction; */
void lsu_blocked(struct sm_ctx *x, struct sm *s, u32 warp, u32 pc, u64 cycles);
/* books that the cache refused the head's; */
void lsu_refusal(struct sm_ctx *x, struct sm *s, const struct lsu_entry *e, enum mem_result r, u64 now);
/* the head's transaction has left the LSU: the next one, or the next instruction. */
void lsu_advance(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now);
/* The head's cycle: at shared memory; at a cache that blocks the LSU when it refuses. */
void lsu_shared_cycle(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now);
void lsu_head_cycle(struct sm_ctx *x, struct sm *s, struct lsu_entry *e, u64 now);
/* mem_access() for a warp; tells a policy that watches the cache. */
enum mem_result lsu_access_told(struct sm_ctx *x, struct sm *s, u32 warp, enum mem_op op, const struct mem_txn *t,
                                u32 token, u64 now);
static inline enum mem_result lsu_access(struct sm_ctx *x, struct sm *s, u32 warp, enum mem_cache c, enum mem_op op,
                                         const struct mem_txn *t, u32 token, u64 now)
{
	if (unlikely(x->sched->l1_access != NULL) && c == MC_L1D && has_slot(warp))
		return lsu_access_told(x, s, warp, op, t, token, now);
	return mem_access(x->mem, s->id, c, op, t, token, now);
}
void lsu_reply(struct sm_ctx *x, struct sm *s, const struct mem_reply *r, u64 now);
/* What the LSU has of these warps is given up; what it has of a warp is of one in another place now. The same for the
 * pipeline of L1D and the re-execution queue: l1_pipe.h, replay.h. */
void lsu_give_up(struct sm_ctx *x, struct sm *s, const struct warp_set *warps);
void lsu_rename(struct sm *s, u32 from, u32 to);
/* The next fetch asks L1I anew. Everything is counted up to now. */
void fetch_forget(struct sm *s);
void barrier_arrive(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now);
void barrier_warp_exited(struct sm_ctx *x, struct sm *s, u32 slot, u64 now);

static inline const struct issue_info *info_at(const struct sm_ctx *x, const struct warp *w, u32 pc)
{
	return &x->prog[w->launch].info[pc];
}
static inline const struct inst *inst_at(const struct sm_ctx *x, const struct warp *w, u32 pc)
{
	return &x->prog[w->launch].launch->mod->code[pc];
}

/* Tokens handed to the memory system: for a load, its place in the table and that one's generation; for an
 * acknowledgement or a fetch, whose it is; for a line of a context, nothing more. */
enum { TOKEN_LOAD = 0, TOKEN_ACK = 1 << 22, TOKEN_FETCH = 1 << 23, TOKEN_CONTEXT = TOKEN_ACK | TOKEN_FETCH };
#define LOAD_BITS 10
_Static_assert(SM_MAX_LOADS == 1 << LOAD_BITS && SM_CONTEXTS == 1 << CONTEXT_BITS && TOKEN_BITS == 24,
               "a token holds every index");
static inline u32 token_of_load(const struct sm *s, u32 load)
{
	return (u32)s->load[load].gen << LOAD_BITS | load;
}
static inline bool is_of_context(u32 token)
{
	return (token & TOKEN_CONTEXT) == TOKEN_CONTEXT;
}
static inline u32 token_load(u32 token)
{
	return token & (SM_MAX_LOADS - 1);
}
/* The place of a warp that is there: those on the wheel and in the load table are, for who goes takes his entries
 * along. */
static inline u32 place_now(const struct sm *s, u32 who)
{
	return s->context[sm_context_of(who)].place;
}
/* The place of a warp; NO_PLACE: it has gone. */
static inline u32 place_of(const struct sm *s, u32 who)
{
	const struct sm_context *c = &s->context[sm_context_of(who)];
	return likely(c->who == who) ? c->place : NO_PLACE;
}

/* split_events.c: what an instruction does to the splits of its warp; isa.threads=splits. */
void split_events(struct sm_ctx *x, struct sm *s, u32 w, const struct dyninst *d, u64 now);

/* An event of this SM and warp (-1: none), already subscribed. */
static inline struct event *sm_event(struct sm_ctx *x, const struct sm *s, enum event_type t, s32 w, u64 now)
{
	struct event *e = event_add(x->ev, t, now);
	e->sm = (s32)s->id;
	if (w >= 0) {
		const struct warp *wp = &s->warp[w];
		e->warp = w;
		e->kernel = (s32)wp->launch;
		e->cta = (s32)s->cta[wp->cta_slot].id;
		e->pc = wp->pc;
	}
	return e;
}
#endif
