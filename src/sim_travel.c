/* Time travel: what a machine has outside its arena and device memory, when snapshots are taken, and how a cycle is
 * reached again. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpu/scope.h"
#include "sim_internal.h"

/* Taking snapshots may cost one part in so many of the host's time. What they do to the caches comes on top. Where
 * one takes long it is one part in as few as LEAST_SHARE, so that going a step back, which replays from the last one,
 * takes no longer than STEP_NS if possible. */
#define COST_SHARE 34
#define LEAST_SHARE 28
#define STEP_NS 40000000
#define FIRST_LOOK 512 /* cycles */
#define MAX_LOOK 4096  /* idle cycles fly by: what comes next may be slow */
#define NEAR 64        /* a snapshot this close before a target far from any: the next steps back start there */

/* --- what is not in pages ----------------------------------------------------------------------------------------- */

struct outside {
	struct conf conf;
	u64 top;
	u32 nallocs, made, nmodules;
	void *front;
	void *events;             /* of a turn, to be told: gpu/turn.h */
	void *kept[MAX_SAMPLERS]; /* by samplers: see sim_on_snapshot() */
	struct alloc allocs[];
};

static void outside_free(void *p)
{
	struct outside *o = p;
	for (u32 i = 0; i < MAX_SAMPLERS; i++)
		free(o->kept[i]);
	free(o->front);
	free(o->events);
	free(o);
}

static struct outside *outside_save(const struct sim *s)
{
	const struct gpu *g = s->gpu;
	const struct devmem *d = &g->mem_values;
	struct outside *o = xmalloc(sizeof *o + d->nallocs * sizeof *d->allocs);
	*o = (struct outside){.conf = g->conf,
	                      .top = d->top,
	                      .nallocs = d->nallocs,
	                      .made = d->made,
	                      .nmodules = g->nmodules,
	                      .front = front_host_save(g->front),
	                      .events = gpu_turn_keep(g)};
	if (d->nallocs)
		memcpy(o->allocs, d->allocs, d->nallocs * sizeof *d->allocs);
	for (u32 i = 0; i < s->nsamplers; i++)
		if (s->sampler[i].keep && s->sampler[i].period)
			o->kept[i] = s->sampler[i].keep(s->sampler[i].ctx);
	return o;
}

/* What of history.mb it takes. Samplers and front end hand out blocks of malloc() and do not say how large they are. */
static u64 outside_bytes(struct outside *o)
{
	u64 sum = malloc_usable_size(o) + malloc_usable_size(o->front) + malloc_usable_size(o->events);
	for (u32 i = 0; i < MAX_SAMPLERS; i++)
		sum += malloc_usable_size(o->kept[i]);
	return sum;
}

static void outside_restore(struct gpu *g, const struct outside *o)
{
	struct devmem *d = &g->mem_values;
	g->conf = o->conf;
	policies_bind(g);
	g->nmodules = o->nmodules;
	d->top = o->top;
	if (d->cap < o->nallocs) {
		d->cap = o->nallocs;
		d->allocs = xrealloc(d->allocs, d->cap * sizeof *d->allocs);
	}
	d->nallocs = o->nallocs;
	d->made = o->made;
	if (d->nallocs)
		memcpy(d->allocs, o->allocs, d->nallocs * sizeof *d->allocs);
	d->epoch++;
	front_host_restore(g->front, o->front);
	gpu_turn_put(g, o->events);
	gpu_set_event_mask(g, g->event_mask); /* a turn that was under way is none */
}

/* --- snapshots ---------------------------------------------------------------------------------------------------- */

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static void look_after(struct sim *s, u64 now, u64 cycles)
{
	s->look_ns = now;
	s->look_at = sim_cycle(s);
	s->next_look = sim_cycle(s) + cycles;
}

static bool take(struct sim *s, enum snapshot_kind k)
{
	if (s->forked && k == SNAP_AUTO) {
		look_after(s, now_ns(), MAX_LOOK);
		return true;
	}
	gpu_sync(s->gpu);
	struct outside *o = outside_save(s);
	bool again = sim_cycle(s) < s->frontier;
	bool ok = history_take(s->history, k, sim_cycle(s), again, o, outside_bytes(o), outside_free);
	if (!ok) { /* not even this one fits: go on without a past */
		history_free(s->history);
		s->history = NULL;
	}
	look_after(s, now_ns(), FIRST_LOOK);
	return ok;
}

/* Takes one that the run has to pay for; those for somebody who goes back are on him. No debt is more than an AUTO one
 * takes as a rule: a slow one (a busy host) or turns in a row must not leave a long stretch without any. */
static bool take_on_the_way(struct sim *s, enum snapshot_kind k)
{
	u64 start = now_ns();
	bool ok = take(s, k);
	u64 cost = now_ns() - start;
	if (k == SNAP_AUTO && cost < s->take_avg)
		s->take_avg = (s->take_avg + cost) / 2; /* a slow one is soon forgotten */
	else if (k == SNAP_AUTO)
		s->take_avg = s->take_avg ? (7 * s->take_avg + MIN(cost, 4 * s->take_avg)) / 8 : cost;
	s->debt_ns = MIN(s->debt_ns + cost, MAX(s->take_avg, STEP_NS / LEAST_SHARE));
	return ok;
}

static u64 cost_share(const struct sim *s)
{
	u64 share = STEP_NS / MAX(s->take_avg, 1);
	return MIN(MAX(share, LEAST_SHARE), COST_SHARE);
}

/* Takes an AUTO snapshot when simulating has paid for the one before: cost_share() times the CPU time that it has cost
 * has passed. Else says when to look again: half way to where the rate of the last cycles leads, for it changes from
 * kernel to kernel. Host time decides only where snapshots lie, never what the machine does. */
static void look(struct sim *s)
{
	u64 now = now_ns(), since = MAX(now - s->look_ns, 1), cycles = MAX(sim_cycle(s) - s->look_at, 1);
	u64 share = cost_share(s), paid = since / share;
	s->debt_ns -= MIN(s->debt_ns, paid);
	if (!s->debt_ns) {
		take_on_the_way(s, SNAP_AUTO);
		return;
	}
	double left = (double)(s->debt_ns * share), ahead = left * (double)cycles / (double)since;
	ahead = left > (double)s->take_avg ? ahead / 2 : ahead;
	look_after(s, now, (u64)MIN(MAX(ahead, 32.0), (double)MIN(2 * cycles, (u64)MAX_LOOK)));
}

static bool has_next(const struct sim *s)
{
	return history_at(s->history) + 1 < history_count(s->history);
}
static u64 next_cycle(const struct sim *s)
{
	return history_cycle(s->history, history_at(s->history) + 1);
}
static enum snapshot_kind next_kind(const struct sim *s)
{
	return history_kind(s->history, history_at(s->history) + 1);
}

static const struct outside *restore(struct sim *s, u32 i)
{
	const struct outside *o = history_restore(s->history, i);
	outside_restore(s->gpu, o);
	s->awaited_ended = NEVER;
	look_after(s, now_ns(), FIRST_LOOK);
	return o;
}

/* The machine has gone to the snapshot whose outside this is, and goes on from there. */
static void rewind_samplers(struct sim *s, const struct outside *o)
{
	u64 now = sim_cycle(s);
	for (u32 i = 0; i < s->nsamplers; i++) {
		struct sampler *p = &s->sampler[i];
		if ((!p->hears_again && !p->recall) || !p->period)
			continue;
		p->next = (now / p->period + 1) * p->period;
		if (p->recall)
			p->recall(p->ctx, o->kept[i], now);
	}
	sim_find_next_sample(s);
}

static void leave_frontier(struct sim *s)
{
	for (u32 i = 0; i < s->nsamplers; i++)
		if (s->sampler[i].leave && s->sampler[i].period)
			s->sampler[i].leave(s->sampler[i].ctx, sim_cycle(s));
}

static void pass(struct sim *s)
{
	s->frontier = MAX(s->frontier, sim_cycle(s));
	while (has_next(s) && next_cycle(s) <= sim_cycle(s) && next_kind(s) == SNAP_AUTO)
		history_pass(s->history);
}

bool sim_turn_due(const struct sim *s)
{
	return s->history && has_next(s) && next_kind(s) == SNAP_TURN && next_cycle(s) == sim_cycle(s);
}

void travel_take_turn(struct sim *s)
{
	restore(s, history_at(s->history) + 1);
}

u64 travel_step(struct sim *s)
{
	pass(s);
	if (sim_turn_due(s))
		return 0; /* it comes first */
	if (sim_cycle(s) >= s->next_look && !task_idle(s->gpu->task))
		look(s);
	if (!s->history)
		return NEVER;
	return MIN(MAX(s->next_look, sim_cycle(s) + 1), has_next(s) ? next_cycle(s) : NEVER);
}

/* --- forks -------------------------------------------------------------------------------------------------------- */

/* Modules and launches of a past that is given up: out of the tables, but alive until the end, since handles may point
 * to them. */
static void bury(struct sim *s)
{
	struct gpu *g = s->gpu;
	for (u32 i = g->nmodules; i < g->modules_ever; i++) {
		u32 n = s->ndead_modules++;
		s->dead_module = xrealloc(s->dead_module, s->ndead_modules * sizeof *s->dead_module);
		s->dead_table = xrealloc(s->dead_table, s->ndead_modules * sizeof *s->dead_table);
		s->dead_module[n] = g->module[i];
		s->dead_table[n] = g->table[i];
	}
	g->modules_ever = g->nmodules;
	for (u32 i = g->task->nlaunches; i < TASK_MAX_LAUNCHES && g->launch[i]; i++) {
		s->dead_launch = xrealloc(s->dead_launch, (s->ndead_launches + 1) * sizeof *s->dead_launch);
		s->dead_launch[s->ndead_launches++] = g->launch[i];
		g->launch[i] = NULL;
	}
}

void sim_turn(struct sim *s)
{
	gpu_turn_ends(s->gpu);
	livelock_turn(s->gpu);
	if (s->history)
		take_on_the_way(s, SNAP_TURN);
}

void sim_expect_turn(struct sim *s, u64 cycle)
{
	livelock_expect(s->gpu, cycle);
}

void sim_helped(struct sim *s)
{
	struct hang_watch *w = s->gpu->hang;
	w->deadlocked = w->livelocked = 0;
	w->progress_at = sim_cycle(s);
	livelock_helped(s->gpu);
}

void sim_rests(struct sim *s)
{
	if (s->history)
		history_rests(s->history);
}

static void fork_samplers(struct sim *s)
{
	for (u32 i = 0; i < s->nsamplers; i++)
		if (s->sampler[i].fork && s->sampler[i].period)
			s->sampler[i].fork(s->sampler[i].ctx, sim_cycle(s));
}

void sim_fork(struct sim *s)
{
	gpu_turn_begins(s->gpu);
	if (!s->history)
		return;
	history_fork(s->history);
	s->frontier = sim_cycle(s);
	fork_samplers(s);
	bury(s);
}

/* --- the door ----------------------------------------------------------------------------------------------------- */

bool sim_history(struct sim *s, u64 mb, struct err *e)
{
	history_free(s->history);
	s->history = NULL;
	if (!mb || sim_policy_blind(s))
		return true;
	s->history = history_create(&s->gpu->arena, &s->gpu->mem_values, mb << 20, e);
	if (!s->history)
		return false;
	s->frontier = sim_cycle(s);
	s->take_avg = s->debt_ns = 0;
	bool ok = take_on_the_way(s, SNAP_AUTO);
	s->debt_ns = 0; /* fresh memory makes the first one slow: it says little */
	return ok || err_set(e, "%llu MiB are too little for a history", (unsigned long long)mb);
}

/* Takes the turns that there are up to a place of the present cycle. */
static void take_turns(struct sim *s, struct sim_place to)
{
	if (!s->history)
		return;
	for (pass(s); sim_place(s).turn < to.turn && sim_cycle(s) == to.cycle && sim_turn_due(s); pass(s))
		travel_take_turn(s);
}

/* Runs forward to a place where the machine has been before; samplers hear it, event consumers do not, and what kernels
 * print on the way has been printed before. heard: the listener to loads hears it. Only an interrupt stops it earlier:
 * where it stood still, a turn let it go on. */
static bool replay(struct sim *s, struct sim_place to, bool heard)
{
	event_set mask = s->gpu->event_mask;
	struct stop stop = {.why = STOP_CYCLE};
	struct strbuf again = STRBUF_INIT;
	gpu_set_event_mask(s->gpu, 0);
	gpu_hear(s->gpu, heard ? s->ear : NULL);
	while (sim_cycle(s) < to.cycle && sim_goes_on(s, &stop))
		sim_run(s, to.cycle, &stop);
	take_turns(s, to);
	gpu_set_event_mask(s->gpu, mask);
	gpu_hear(s->gpu, s->ear);
	sim_take_printf(s, &again);
	strbuf_release(&again);
	return stop.why != STOP_INTERRUPT;
}

/* Replays to a place seen before. */
static bool approach(struct sim *s, struct sim_place to)
{
	bool far = to.cycle > sim_cycle(s) + 16 * NEAR;
	if (far && !replay(s, (struct sim_place){to.cycle - NEAR, 0}, false))
		return false;
	if (far && s->history)
		take(s, SNAP_AUTO);
	return replay(s, to, false);
}

struct sim_place sim_place(const struct sim *s)
{
	return (struct sim_place){sim_cycle(s), s->history ? history_turns(s->history, history_at(s->history)) : 0};
}

void sim_stand(struct sim *s)
{
	take_turns(s, sim_rest(s, sim_cycle(s)));
}

struct sim_place sim_rest(const struct sim *s, u64 cycle)
{
	return (struct sim_place){cycle, s->history ? history_turns_at_rest(s->history, cycle) : 0};
}

/* Can sim_go() reach it? False with *e. */
static bool reachable(const struct sim *s, struct sim_place p, struct err *e)
{
	struct sim_history_info h;
	sim_history_info(s, &h);
	if (!h.on)
		return err_set(e, "%s", h.off);
	if (p.cycle > h.frontier)
		return err_set(e, "cycle %llu has not been simulated yet; the farthest is %llu", (unsigned long long)p.cycle,
		               (unsigned long long)h.frontier);
	if (p.cycle < h.begin)
		return err_set(e, "history begins at cycle %llu", (unsigned long long)h.begin);
	if (p.turn < history_turns_before(s->history, p.cycle) || p.turn > history_turns_with(s->history, p.cycle))
		return err_set(e, "cycle %llu has no turn %u", (unsigned long long)p.cycle, p.turn);
	return true;
}

bool sim_reaches(const struct sim *s, struct sim_place p)
{
	return reachable(s, p, NULL);
}

bool sim_goto(struct sim *s, u64 cycle, struct err *e)
{
	return sim_go(s, sim_rest(s, cycle), e);
}

bool sim_go(struct sim *s, struct sim_place to, struct err *e)
{
	const u64 cycle = to.cycle;
	if (!reachable(s, to, e))
		return false;
	s->frontier = MAX(s->frontier, sim_cycle(s));
	u32 i = history_before(s->history, cycle, to.turn);
	bool back = sim_place_order(to, sim_place(s)) < 0, ahead = !back && i == history_at(s->history);
	if (back && sim_cycle(s) == s->frontier)
		leave_frontier(s);
	if (!ahead)
		rewind_samplers(s, restore(s, i));
	sim_clear_policy_errors(s);
	if (!approach(s, to))
		return err_set(e, "interrupted at cycle %llu on the way to %llu", (unsigned long long)sim_cycle(s),
		               (unsigned long long)cycle);
	const char *policy = sim_cycle(s) < cycle ? sim_policy_error(s) : NULL;
	if (policy)
		return err_set(e, "the way to cycle %llu ended at %llu: %s", (unsigned long long)cycle,
		               (unsigned long long)sim_cycle(s), policy);
	return true;
}

bool sim_walk(struct sim *s, struct sim_place to, struct err *e)
{
	if (!reachable(s, to, e))
		return false;
	if (sim_place_order(to, sim_place(s)) < 0)
		return err_set(e, "cycle %llu lies behind", (unsigned long long)to.cycle);
	s->frontier = MAX(s->frontier, sim_cycle(s));
	if (!replay(s, to, true) || sim_cycle(s) < to.cycle)
		return err_set(e, "interrupted at cycle %llu on the way to %llu", (unsigned long long)sim_cycle(s),
		               (unsigned long long)to.cycle);
	return true;
}

bool sim_undo_turn(struct sim *s, struct err *e)
{
	u32 i = s->history ? history_at(s->history) : 0;
	while (i && history_kind(s->history, i) != SNAP_TURN)
		i--;
	if (!i)
		return err_set(e, "history does not reach back to the change");
	const struct sim_place before = {history_cycle(s->history, i), 0};
	rewind_samplers(s, restore(s, i - 1));
	sim_clear_policy_errors(s);
	history_fork(s->history);
	bool there = replay(s, before, false);
	s->frontier = sim_cycle(s);
	fork_samplers(s);
	return there;
}

bool sim_take_back(struct sim *s)
{
	if (!s->history)
		return false;
	const struct sim_place now = sim_place(s);
	bool interrupted = s->interrupted; /* not meant for the few cycles since the snapshot */
	sim_clear_interrupt(s);
	rewind_samplers(s, restore(s, history_at(s->history)));
	replay(s, now, false); /* interrupted again it stands a little earlier, in the same history */
	if (interrupted)
		sim_interrupt(s);
	return true;
}

void sim_before_change(struct sim *s)
{
	if (s->history)
		take(s, SNAP_AUTO);
}

void sim_history_info(const struct sim *s, struct sim_history_info *o)
{
	*o = (struct sim_history_info){.on = s->history, .frontier = MAX(s->frontier, sim_cycle(s)), .begin = sim_cycle(s)};
	if (sim_policy_blind(s))
		o->off = "there is no going back: a policy in use keeps a state of its own that no snapshot has (one with "
		         "stateless = true does not)";
	else if (!s->history)
		o->off = "there is no history to go back in (--set history.mb=512 keeps one; a policy with a state of its own "
		         "ends it)";
	if (!s->history)
		return;
	const struct history *h = s->history;
	o->begin = history_cycle(h, 0);
	o->snapshots = history_count(h);
	o->at = history_at(h);
	o->bytes = history_bytes(h);
	o->turns = history_turns(h, o->at);
	for (u32 i = o->at + 1; i < o->snapshots && !o->turn_ahead; i++)
		o->turn_ahead = history_kind(h, i) == SNAP_TURN;
}

bool sim_snapshot(struct sim *s, struct err *e)
{
	struct sim_history_info h;
	sim_history_info(s, &h);
	if (!h.on)
		return err_set(e, "%s", h.off);
	if (history_cycle(s->history, h.at) == sim_cycle(s))
		return true; /* there is one */
	if (!take(s, SNAP_AUTO))
		return err_set(e, "history.mb does not hold even one snapshot: history ends");
	if (history_cycle(s->history, history_at(s->history)) == sim_cycle(s))
		return true;
	const char *past = sim_cycle(s) < s->frontier ? " that would not cost the beginning of the past" : "";
	return err_set(e, "history is full: history.mb=%u leaves no room for a snapshot of cycle %llu%s",
	               s->gpu->conf.history_mb, (unsigned long long)sim_cycle(s), past);
}

struct sim_place sim_snapshot_place(const struct sim *s, u32 i)
{
	return (struct sim_place){history_cycle(s->history, i), history_turns(s->history, i)};
}

struct sim_place sim_before_turns(const struct sim *s, u64 cycle)
{
	return (struct sim_place){cycle, s->history ? history_turns_before(s->history, cycle) : 0};
}

void sim_forked(struct sim *s)
{
	for (u32 i = 0; i < s->nsamplers; i++)
		sim_set_sampler(s, (int)i, 0);
	for (u32 i = 0; i < s->gpu->nconsumers; i++)
		sim_unsubscribe(s, (int)i);
	s->forked = true;
	sim_hear(s, NULL);
	gpu_scope_set(s->gpu, NULL, NULL);
	if (s->history)
		history_forked(s->history);
}

void travel_free(struct sim *s)
{
	history_free(s->history);
	s->history = NULL;
	/* What history had reverted is freed with the rest. */
	s->gpu->nmodules = s->gpu->modules_ever;
	for (u32 i = 0; i < s->ndead_modules; i++) {
		module_free(s->dead_module[i]);
		code_tables_free(&s->dead_table[i]);
	}
	for (u32 i = 0; i < s->ndead_launches; i++)
		free(s->dead_launch[i]);
	free(s->dead_module);
	free(s->dead_table);
	free(s->dead_launch);
}
