#include "gpu/gpu.h"

#include <stdlib.h>
#include <string.h>

#include "conf/carveout.h"
#include "gpu/crossing.h"
#include "gpu/dependents.h"
#include "gpu/launch_slots.h"
#include "gpu/lines.h"
#include "gpu/scope.h"
#include "gpu/turn.h"
#include "sm/l0i.h"
#include "sm/l1_pipe.h"
#include "sm/replay.h"
#include "sm/kernels/kernel_sched.h"
#include "sm/copies.h"
#include "sm/deps.h"
#include "sm/checks.h"
#include "sm/restartable.h"
#include "sm/tensor.h"
#include "sm/virtual.h"

/* --- build -------------------------------------------------------------------------------------------------------- */

/* Room for everything the modules carve. Address space only: memory is committed when touched. */
static bool state_bytes(const struct conf *c, const struct front_ops *front, size_t *bytes, struct err *e)
{
	size_t mem, sm = sizeof(struct sm) + sm_nodes(c) * sizeof(struct timer_node) +
	                 SM_PLACES * sizeof(u64[2][SB_IDS_MAX / 64]) + 65536 + sizeof(struct copies) +
	                 sizeof(struct tensor_work);
	sm += c->sm_dependences == DEPENDENCES_COUNTERS ? sizeof(struct deps) : 0;
	sm += c->lsu_replay ? sizeof(struct replay) : 0;
	sm += l1_pipe_bytes(c) + l0i_bytes(c) + kernels_bytes(c);
	sm += conf_is_vt(c) ? sizeof(struct vt) + sizeof(struct front_map) + 128 : 0;
	if (!mem_state_bytes(c, &mem, e))
		return false;
	*bytes = mem + front_state_bytes(front, c) + c->num_sms * sm + sizeof(struct task) +
	         sizeof(struct partition_state) + sizeof(struct gpu_state) + c->num_sms * sizeof(u64[SM_MAX_CTAS]) +
	         livelock_state_bytes(c) + resume_state_bytes(c) + preempt_state_bytes() + starve_state_bytes(c) +
	         restart_state_bytes(c, TASK_MAX_LAUNCHES) + dependents_state_bytes() +
	         checks_state_bytes(c, TASK_MAX_LAUNCHES) + 65536;
	return true;
}

static void create_sms(struct gpu *g)
{
	const struct policy *p = policy_find(POLICY_WARP, g->conf.warp_sched);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		g->sm[i] = sm_create(&g->ctx[i], i, &g->conf, &g->arena, g->front, g->mem, g->prog, &g->ev[i],
		                     (const struct warp_sched_ops *)p);
		g->ctx[i].turns = arena_alloc(&g->arena, kernels_bytes(&g->conf), 64);
	}
}

#define OVERRUN_GAP (64u << 10)

static bool build(struct gpu *g, const struct front_ops *front, struct err *e)
{
	const struct conf *c = &g->conf;
	size_t bytes;
	if (!state_bytes(c, front, &bytes, e) || !arena_init(&g->arena, bytes, e) ||
	    !devmem_init(&g->mem_values, (u64)c->heap_mb << 20, e))
		return false;
	if (!c->check_bounds) /* an overrun that goes on must not reach what the machine keeps beside: code, parameters */
		g->mem_values.gap = OVERRUN_GAP;
	g->st = ARENA_NEW(&g->arena, struct gpu_state, 1);
	g->st->next_wake = NEVER;
	memset(g->st->wake_at, 0xff, sizeof g->st->wake_at);
	g->task = ARENA_NEW(&g->arena, struct task, 1);
	g->launch = xcalloc(TASK_MAX_LAUNCHES, sizeof *g->launch);
	g->task->next_start = NEVER;
	g->dispatch = (struct dispatch_ctx){
	    .conf = &g->conf, .d = &g->task->dispatcher, .sm = g->sm, .ctx = g->ctx, .launch = g->launch};
	g->resume.sm = g->sm;
	g->resume.ctx = g->ctx;
	g->resume.launch = g->launch;
	g->dispatch.resume = &g->resume;
	g->partition =
	    (struct partition_ctx){.st = ARENA_NEW(&g->arena, struct partition_state, 1), .dispatch = &g->dispatch};
	g->partition.st->call_at = NEVER;
	g->ev = xcalloc(c->num_sms + 1, sizeof *g->ev);
	g->dispatch.ev = gpu_events(g);
	g->prog = xcalloc(TASK_MAX_LAUNCHES, sizeof *g->prog);
	g->live = xcalloc(TASK_MAX_LAUNCHES, sizeof *g->live);
	g->front = front_create(front, c, &g->arena, &g->mem_values, e);
	if (!g->front)
		return false;
	if (conf_is_vt(c))
		g->front->map = ARENA_NEW(&g->arena, struct front_map, c->num_sms);
	g->mem = mem_create(c, &g->arena, g->ev, gpu_events(g), e);
	if (!g->mem)
		return false;
	create_sms(g);
	if (c->commit_delay)
		g->done_at = arena_alloc(&g->arena, c->num_sms * sizeof(*g->done_at), 64);
	arena_end_hashed(&g->arena);
	g->timed = ARENA_NEW(&g->arena, u64, CONF_SM_WORDS);
	struct tensor_work *tensor = ARENA_NEW(&g->arena, struct tensor_work, c->num_sms);
	for (u32 i = 0; i < c->num_sms; i++)
		g->ctx[i].tensor = &tensor[i];
	policies_create(g);
	dependents_create(g);
	g->hang = ARENA_NEW(&g->arena, struct hang_watch, 1);
	livelock_create(g);
	starve_create(g);
	resume_create(&g->resume, c, g->mem, &g->arena);
	g->preempt = (struct preempt_ctx){
	    .task = g->task, .dispatch = &g->dispatch, .front = g->front, .ev = gpu_events(g), .ops = g->preempt.ops};
	preempt_create(&g->preempt, &g->arena);
	g->partition.preempt = &g->preempt;
	g->resume.moved = partition_moved;
	g->resume.moved_ctx = &g->partition;
	g->resume.brought = preempt_brought;
	g->resume.brought_ctx = &g->preempt;
	g->restart = restart_create(c, TASK_MAX_LAUNCHES, &g->arena, &g->mem_values, g->front);
	g->checks = checks_create(c, TASK_MAX_LAUNCHES, &g->arena, &g->mem_values);
	for (u32 i = 0; i < c->num_sms; i++) {
		g->ctx[i].restart = g->restart;
		g->ctx[i].checks = g->checks;
	}
	gpu_set_event_mask(g, 0);
	return true;
}

struct gpu *gpu_create(const struct conf *c, const struct front_ops *front, struct err *e)
{
	if (!conf_check(c, e) || !policies_check(c, e))
		return NULL;
	struct gpu *g = xcalloc(1, sizeof *g);
	g->conf = *c;
	g->sm_words = (c->num_sms + 63) / 64;
	if (!build(g, front, e)) {
		gpu_destroy(g);
		return NULL;
	}
	return g;
}

void gpu_destroy(struct gpu *g)
{
	if (!g)
		return;
	restart_free(g->restart);
	checks_free(g->checks);
	preempt_free(&g->preempt);
	notice_free(g);
	policies_destroy(g);
	if (g->mem)
		mem_destroy(g->mem);
	if (g->front)
		front_destroy(g->front);
	for (u32 i = 0; g->launch && i < TASK_MAX_LAUNCHES; i++) /* those that a return to the past has hidden, too */
		free(g->launch[i]);
	for (u32 i = 0; i < g->nmodules; i++) {
		module_free(g->module[i]);
		code_tables_free(&g->table[i]);
	}
	free(g->module);
	free(g->table);
	gpu_lines_free(g);
	free(g->launch);
	free(g->prog);
	gpu_scope_set(g, NULL, NULL);
	free(g->live);
	free(g->ev);
	free(g->consumer);
	devmem_release(&g->mem_values);
	arena_release(&g->arena);
	free(g);
}

bool gpu_add_module(struct gpu *g, struct module *m, struct err *e)
{
	if (!front_place(g->front, m, e)) {
		module_free(m);
		return false;
	}
	u32 n = g->nmodules++;
	g->modules_ever = g->nmodules;
	g->module = xrealloc(g->module, g->nmodules * sizeof *g->module);
	g->table = xrealloc(g->table, g->nmodules * sizeof *g->table);
	g->module[n] = m;
	g->table[n] = code_tables_make(&g->conf, m);
	gpu_lines_module(g, m, &g->table[n]);
	return true;
}

static const struct code_tables *table_of(const struct gpu *g, const struct module *m)
{
	for (u32 i = 0; i < g->nmodules; i++)
		if (g->module[i] == m)
			return &g->table[i];
	BUG("launch of a module that was not added");
}

static struct event *machine_event(struct gpu *g, enum event_type t, u32 launch)
{
	struct event *e = event_add(gpu_events(g), t, g->st->cycle);
	e->kernel = (s32)launch;
	return e;
}

int gpu_launch(struct gpu *g, const struct launch *l, struct err *e)
{
	if (!task_add(g->task, l, g->grids, g->st->cycle, g->conf.launch_latency, e))
		return -1;
	u32 id = g->task->nlaunches - 1;
	g->launch[id] = xmalloc(launch_bytes(l->fn));
	memcpy(g->launch[id], l, launch_bytes(l->fn));
	g->launch[id]->id = id;
	const struct code_tables *t = table_of(g, l->mod);
	g->prog[id] =
	    (struct program){.launch = g->launch[id], .info = t->info, .hint = t->hint, .word = t->word, .count = t->count};
	if (g->restart)
		notice_find(g, id);
	if (event_wanted(gpu_events(g), EV_KERNEL_LAUNCH)) {
		struct event *ev = machine_event(g, EV_KERNEL_LAUNCH, id);
		ev->arg[0] = l->stream;
		ev->arg[1] = l->ctas;
	}
	return (int)id;
}

/* --- kernels and CTAs --------------------------------------------------------------------------------------------- */

/* What of L1D shared memory has while these kernels run. It gives back only what no kernel may be using. */
static void carve_l1d(struct gpu *g)
{
	u64 shared = 0;
	for (u32 r = 0; r < g->dispatch.d->n; r++)
		shared += sm_shared_demand(&g->conf, g->launch[g->dispatch.d->k[g->dispatch.d->order[r]].launch]);
	u32 ways = carveout_ways(&g->conf, carveout_for(&g->conf, shared));
	for (u32 i = 0; i < g->conf.num_sms; i++)
		mem_carve(g->mem, i, ways);
}

static void start_kernels(struct gpu *g)
{
	s32 id;
	while ((id = task_start(g->task, g->st->cycle)) >= 0) {
		launch_slots_note(g, g->task->kcb[id].slots_before);
		dispatch_kernel_start(&g->dispatch, (u32)id, g->st->cycle);
		front_kernel_start(g->front, g->launch[id], (u32)dispatch_slot(g->dispatch.d, (u32)id));
		if (g->checks)
			checks_launch_starts(g->checks, (u32)id, g->st->cycle);
		if (*g->conf.sm_carveouts)
			carve_l1d(g);
		g->task->kcb[id].k.l1d_bytes = (u64)mem_l1d_lines(g->mem, 0) * g->conf.l1d_line;
		for (u32 i = 0; i < g->conf.num_sms; i++)
			mem_kernel_start(g->mem, i, g->dispatch.d->n == 1);
		partition_ask(&g->partition, g->st->cycle);
		if (event_wanted(gpu_events(g), EV_KERNEL_START))
			machine_event(g, EV_KERNEL_START, (u32)id);
	}
}

static void kernel_done(struct gpu *g, u32 launch, u32 sm)
{
	g->kernels_ended++;
	if (g->checks)
		checks_launch_ends(g->checks, launch, g->st->cycle);
	if (event_wanted(gpu_events(g), EV_KERNEL_DONE))
		machine_event(g, EV_KERNEL_DONE, launch)->arg[0] = g->st->cycle - g->task->kcb[launch].k.started_at;
	g->task->kcb[launch].k.cta_limit = dispatch_limit(&g->dispatch, launch, g->st->cycle);
	dispatch_kernel_end(&g->dispatch, launch, sm);
	preempt_kernel_done(&g->preempt, g->st->cycle);
	mem_kernel_end(g->mem, !g->dispatch.d->n);
	partition_ask(&g->partition, g->st->cycle);
	launch_slots_note(g, g->task->kcb[launch].slots_after);
	task_finish(g->task, launch, g->st->cycle, g->conf.launch_latency);
	const s32 with_it = dependents_kernel_done(g, launch);
	if (with_it >= 0)
		kernel_done(g, (u32)with_it, sm);
}

static void cta_done(struct gpu *g, u32 sm, const struct cta *c)
{
	struct kcb *k = &g->task->kcb[c->launch];
	k->k.ctas_done++;
	k->k.warp_insts += c->insts;
	k->k.insts_dropped += c->insts_dropped;
	k->k.cta_cycles += g->st->cycle - c->started_at - c->away;
	k->k.thread_insts += lanes_sum(&c->lanes);
	lanes_add(kernel_lanes(&k->k), &c->lanes);
	k->k.warp_cycles += c->warp_cycles;
	k->k.transactions += c->transactions;
	dispatch_cta_done(&g->dispatch, sm, c, g->st->cycle);
	partition_moved(&g->partition, sm, c->launch, c->insts, false);
	preempt_cta_done(&g->preempt, sm, g->st->cycle);
	dependents_cta_done(g, c);
	if (k->k.ctas_done == k->ctas && dependents_may_end(g, c->launch))
		kernel_done(g, c->launch, sm);
	else if (g->partition.ops->each_cta)
		partition_ask(&g->partition, g->st->cycle);
}

static void collect(struct gpu *g)
{
	for (u32 word = 0; word < g->sm_words; word++) {
		FOR_EACH_BIT(bit, g->st->finished[word])
		{
			u32 i = word * 64 + (u32)bit;
			struct cta c;
			const u32 ended = crossing_ended(g, i);
			while (sm_collect_cta(&g->ctx[i], g->sm[i], ended, g->st->cycle, &c))
				cta_done(g, i, &c);
			if (!g->sm[i]->done_slots)
				g->st->finished[word] &= ~BIT(bit);
		}
	}
}

/* --- the cycle ---------------------------------------------------------------------------------------------------- */

/* Wakes SMs whose time has come or for whom the memory system has something. */
static void wake(struct gpu *g)
{
	struct gpu_state *st = g->st;
	if (st->cycle >= st->next_wake) {
		st->next_wake = NEVER;
		for (u32 word = 0; word < g->sm_words; word++)
			FOR_EACH_BIT(bit, g->timed[word])
			{
				u32 i = word * 64 + (u32)bit;
				if (st->wake_at[i] <= st->cycle) {
					st->awake[word] |= BIT(bit);
					st->wake_at[i] = NEVER;
					g->timed[word] &= ~BIT(bit);
				}
				st->next_wake = MIN(st->next_wake, st->wake_at[i]);
			}
	}
	const u64 *m = mem_wake(g->mem);
	for (u32 word = 0; word < g->sm_words; word++)
		st->awake[word] |= m[word];
}

void gpu_hear(struct gpu *g, const struct hop_ear *ear)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		g->ctx[i].ear = ear;
	mem_hear(g->mem, ear);
}

static bool consume(struct gpu *g, const struct event *e)
{
	bool stop = false;
	for (u32 c = 0; c < g->nconsumers; c++)
		if (event_in(g->consumer[c].mask, e->type))
			stop |= g->consumer[c].fn(g->consumer[c].ctx, e);
	return stop;
}

/* The machine's own events: a kernel's end comes after the ends of its CTAs, everything else before the SMs' events. */
static bool deliver_shared(struct gpu *g, bool ends)
{
	struct event_buf *b = gpu_events(g);
	bool stop = false;
	for (u32 i = 0; i < b->n; i++)
		if ((b->e[i].type == EV_KERNEL_DONE) == ends)
			stop |= consume(g, &b->e[i]);
	return stop;
}

/* Hands the cycle's events on, SMs in order; true when a consumer asks to stop. */
static bool deliver_all(struct gpu *g)
{
	bool stop = deliver_shared(g, false);
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		for (u32 k = 0; k < g->ev[i].n; k++)
			stop |= consume(g, &g->ev[i].e[k]);
		g->ev[i].n = 0;
	}
	stop |= deliver_shared(g, true);
	gpu_events(g)->n = 0;
	return stop;
}

static bool hand_on(struct gpu *g)
{
	if (g->event_mask) {
		g->turn_events = false;
		return deliver_all(g);
	}
	if (unlikely(g->turn_events))
		gpu_turn_put(g, NULL); /* nobody wants to hear of them */
	return false;
}

static inline bool any_sm(const struct gpu *g, const u64 *set)
{
	u64 any = set[0];
	for (u32 word = 1; word < g->sm_words; word++)
		any |= set[word];
	return any;
}

/* Nothing to do before this cycle: where the clock may jump to. */
static u64 next_event(const struct gpu *g)
{
	const struct gpu_state *st = g->st;
	if (g->dispatch.d->wanted || st->uncommitted || any_sm(g, st->awake) || any_sm(g, st->finished) ||
	    any_sm(g, mem_wake(g->mem)))
		return st->cycle;
	return MIN(MIN(MIN(st->next_wake, mem_next(g->mem)), g->preempt.p->look_at),
	           MIN(MIN(task_next_start(g->task, st->cycle), g->partition.st->call_at),
	               dispatch_next(&g->dispatch, st->cycle)));
}

u64 gpu_next_due(struct gpu *g)
{
	u64 due = mem_next(g->mem);
	for (u32 i = 0; i < g->conf.num_sms; i++)
		due = MIN(due, sm_next_due(&g->ctx[i], g->sm[i], g->st->cycle ? g->st->cycle - 1 : 0));
	return due;
}

bool gpu_stands_still(const struct gpu *g)
{
	return next_event(g) == NEVER && !task_idle(g->task);
}

bool gpu_is_drained(const struct gpu *g)
{
	return mem_next(g->mem) == NEVER && !any_sm(g, mem_wake(g->mem));
}

bool gpu_deadlock(struct gpu *g)
{
	g->hang->deadlocked = 1;
	if (event_wanted(gpu_events(g), EV_DEADLOCK))
		event_add(gpu_events(g), EV_DEADLOCK, g->st->cycle);
	return hand_on(g);
}

bool gpu_livelock(struct gpu *g)
{
	g->hang->livelocked = 1;
	return gpu_deadlock(g);
}

bool gpu_advance(struct gpu *g, u64 limit)
{
	struct gpu_state *st = g->st;
	u64 at = next_event(g);
	bool stop = false;
	if (at > st->cycle) {
		if (at == NEVER && !task_idle(g->task))
			return gpu_deadlock(g);     /* nothing is under way that could ever wake anybody */
		if (unlikely(g->turn_events)) { /* nothing happens in this cycle: they are told now */
			stop = hand_on(g);
			limit = st->cycle + 1;
		}
		st->cycle = MIN(at, limit);
		if (st->cycle == limit)
			return stop;
	}
	if (any_sm(g, st->finished))
		collect(g);
	if (unlikely(st->cycle >= g->task->next_start))
		start_kernels(g);
	if (unlikely(st->cycle >= g->partition.st->call_at))
		partition_ask(&g->partition, st->cycle);
	if (unlikely(st->cycle >= g->preempt.p->look_at) && !preempt_cycle(&g->preempt, st->cycle, st->awake))
		st->faulted = 1;
	if (dispatch_next(&g->dispatch, st->cycle) <= st->cycle)
		dispatch_cycle(&g->dispatch, st->cycle, st->awake);
	wake(g);
	crossing_tick(g);
	mem_tick(g->mem, st->cycle);
	if (unlikely(st->faulted) && event_wanted(gpu_events(g), EV_FAULT)) {
		const struct fault *f = front_fault(g->front);
		struct event *e = machine_event(g, EV_FAULT, f->launch);
		*e = (struct event){.cycle = st->cycle,
		                    .type = EV_FAULT,
		                    .sm = (s32)f->sm,
		                    .kernel = (s32)f->launch,
		                    .cta = (s32)f->cta,
		                    .warp = (s32)f->warp,
		                    .pc = f->pc,
		                    .arg = {f->code, f->addr, f->pc, 0}};
	}
	stop = hand_on(g);
	st->cycle++;
	return stop;
}
