#include "session/lockstep.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "gpu/scope.h"
#include "lua/lua.h"
#include "obs/compare/report_compare.h"
#include "session/cmdline.h"

#define SLICE_SLOTS (1u << 17) /* issue slots of a slice while decisions are compared: 5 MB a machine at most */
#define SLICE_FREE 65536       /* cycles of a slice once nothing is compared any more */
#define COMPARE_AT (1u << 16)  /* by order: decisions that are collected before they are compared */
#define STEPS_MAX 16           /* rows of the lock-step table; then every other one goes */

const char *const lockstep_names[LOCKSTEP_COUNT] = {"cycles", "insts", "ctas"};

u64 lockstep_position(struct sim *s, enum lockstep_by by)
{
	struct gpu *g = sim_gpu(s);
	u64 sum = 0;
	if (by == LOCKSTEP_CYCLES)
		return sim_cycle(s);
	struct gpu_scope *scope = gpu_scope_off(g);
	for (u32 i = 0; i < gpu_counter_instances(g, CG_sm); i++) {
		const struct sm_counters *k = (const void *)gpu_counters(g, CG_sm, i);
		sum += by == LOCKSTEP_INSTS ? k->issued : k->ctas_done;
	}
	gpu_scope_on(g, scope);
	return sum;
}

struct side {
	struct options opt;
	struct session *s;
	enum session_stop why;
	struct err err;
	bool done; /* nothing more to simulate: finished, faulted, ... */
	int listener;
	u64 counted, wanted; /* by insts and ctas: issues or finished CTAs so far; ask to stop there */
	struct stats *stats;
};
struct compare {
	const struct options *opt;
	session_modules *modules;
	enum { BY_CYCLES, BY_INSTS, BY_CTAS } by;
	bool to_divergence, interrupted;
	void (*progress)(struct compare *c); /* called now and then while it runs; NULL = nobody */
	bool broken;                         /* a machine could not be built again: there is nothing to report */
	struct side side[2];
	struct diverge *diverge;
	u64 unit; /* of the lock step: both meet at its multiples */
	struct lockstep step[STEPS_MAX];
	u32 nsteps;
};

/* Stops the machine behind the cycle in which it reaches the next point of the lock step. */
static bool count(void *ctx, const struct event *e)
{
	struct side *x = ctx;
	return ++x->counted == x->wanted;
}

static bool open_side(struct compare *c, u32 i, struct err *e)
{
	struct side *x = &c->side[i];
	x->why = SS_CYCLE;
	x->s = session_open(&x->opt, c->modules, e);
	if (!x->s)
		err_prefix(e, "%c: ", i ? 'B' : 'A');
	return x->s;
}

static void listen(struct compare *c)
{
	enum diverge_by by = c->by == BY_CYCLES ? DIVERGE_BY_CYCLE : DIVERGE_BY_ORDER;
	c->diverge = diverge_new(sim_gpu(c->side[0].s->sim), sim_gpu(c->side[1].s->sim), by);
	for (u32 i = 0; i < 2; i++) {
		struct side *x = &c->side[i];
		x->listener = sim_subscribe(x->s->sim, diverge_events(c->diverge), diverge_event, diverge_side(c->diverge, i));
		if (c->by != BY_CYCLES)
			sim_subscribe(x->s->sim, c->by == BY_INSTS ? EVENT(EV_ISSUE) : EVENT(EV_CTA_DONE), count, x);
	}
}

struct compare *compare_open(const struct options *o, session_modules *modules, struct err *e)
{
	struct compare *c = xcalloc(1, sizeof *c);
	static const u64 units[] = {[BY_CYCLES] = 1024, [BY_INSTS] = 16384, [BY_CTAS] = 16};
	c->opt = o;
	c->modules = modules;
	c->by = !o->by || !strcmp(o->by, "cycles") ? BY_CYCLES : !strcmp(o->by, "insts") ? BY_INSTS : BY_CTAS;
	c->to_divergence = o->until && !strcmp(o->until, "first-divergence");
	c->unit = units[c->by];
	bool ok =
	    cmdline_side(&c->side[0].opt, o, 0, e) == CMDLINE_OK && cmdline_side(&c->side[1].opt, o, 1, e) == CMDLINE_OK;
	if (ok && open_side(c, 0, e) && open_side(c, 1, e)) {
		listen(c);
		return c;
	}
	compare_close(c);
	return NULL;
}

struct options compare_beside(const struct options *o)
{
	struct options x = *o;
	x.stats = x.timeline = x.trace = x.phases = x.report = x.script = x.compare = x.app_output = NULL;
	x.outs = x.prints = NULL;
	x.nouts = x.nprints = 0;
	x.commands = NULL;
	x.ncommands = 0;
	x.batch = x.keep_going = false;
	x.side_text = NULL;
	x.beside = true;
	return x;
}

void compare_close(struct compare *c)
{
	diverge_free(c->diverge);
	for (u32 i = 0; i < 2; i++) {
		stats_free(c->side[i].stats);
		session_close(c->side[i].s);
		cmdline_free(&c->side[i].opt);
	}
	free(c);
}

struct session *compare_session(struct compare *c, u32 side)
{
	return c->side[side].s;
}
const struct diverge *compare_divergence(const struct compare *c)
{
	return c->diverge;
}

static u64 sum_sms(struct side *x, size_t offset)
{
	u64 sum = 0;
	for (u32 i = 0; i < x->s->conf.num_sms; i++)
		sum += gpu_counters(sim_gpu(x->s->sim), CG_sm, i)[offset / sizeof(u64)];
	return sum;
}

/* How far a machine has come, in the unit of the lock step. */
static u64 position(const struct compare *c, struct side *x)
{
	return c->by == BY_CYCLES ? sim_cycle(x->s->sim) : x->counted;
}

static bool comparing(const struct compare *c)
{
	return !diverge_first(c->diverge)->found && !diverge_gave_up(c->diverge);
}

static u64 slice_of(const struct compare *c)
{
	u64 slots = 1;
	for (u32 i = 0; i < 2; i++)
		slots = MAX(slots, (u64)c->side[i].s->conf.num_sms * c->side[i].s->conf.sm_schedulers);
	return comparing(c) ? MAX(SLICE_SLOTS / slots, 64u) : SLICE_FREE;
}

static void run_side(struct compare *c, struct side *x, u64 target)
{
	if (x->done || position(c, x) >= target)
		return;
	u64 now = sim_cycle(x->s->sim), slice = slice_of(c);
	x->wanted = target;
	x->why = session_run(x->s, c->by == BY_CYCLES ? MIN(now + slice, target) : now + slice, &x->err);
	x->why = session_last_stop(x->why, false, &x->err);
	x->done = x->why != SS_CYCLE && x->why != SS_REQUEST;
	c->interrupted |= x->why == SS_INTERRUPT;
}

static bool there(const struct compare *c, struct side *x, u64 target)
{
	return x->done || position(c, x) >= target;
}

/* Compares what has been heard; once there is an answer nobody listens any more. */
static void compare_decisions(struct compare *c, bool ended)
{
	if (!comparing(c))
		return;
	diverge_compare(c->diverge, ended);
	for (u32 i = 0; i < 2 && !comparing(c); i++)
		sim_resubscribe(c->side[i].s->sim, c->side[i].listener, 0);
}

/* Both to `target`, a slice at a time. */
static void run_both(struct compare *c, u64 target)
{
	struct side *a = &c->side[0], *b = &c->side[1];
	bool arrived;
	do {
		run_side(c, a, target);
		if (!c->interrupted)
			run_side(c, b, target);
		arrived = there(c, a, target) && there(c, b, target);
		if (c->interrupted && c->by == BY_CYCLES) /* one may stand behind: what it has not told is no difference */
			break;
		if (arrived || c->by == BY_CYCLES || diverge_waiting(c->diverge) > COMPARE_AT)
			compare_decisions(c, a->done && b->done && !c->interrupted);
		if (c->progress)
			c->progress(c);
	} while (!arrived && !c->interrupted && !(c->to_divergence && !comparing(c)));
}

static void note_step(struct compare *c, u64 target)
{
	struct lockstep *s = &c->step[c->nsteps++];
	s->at = target;
	for (u32 i = 0; i < 2; i++) {
		struct side *x = &c->side[i];
		s->side[i].cycle = sim_cycle(x->s->sim);
		s->side[i].insts = sum_sms(x, offsetof(struct sm_counters, issued));
		s->side[i].ctas = sum_sms(x, offsetof(struct sm_counters, ctas_done));
	}
	if (c->nsteps < STEPS_MAX)
		return;
	c->nsteps /= 2;
	c->unit *= 2;
	for (u32 i = 0; i < c->nsteps; i++)
		c->step[i] = c->step[2 * i + 1];
}

/* Drops the rows of the lock step that a machine has not reached. */
static void drop_steps(struct compare *c)
{
	u32 n = 0;
	while (n < c->nsteps && c->step[n].side[0].cycle <= sim_cycle(c->side[0].s->sim) &&
	       c->step[n].side[1].cycle <= sim_cycle(c->side[1].s->sim))
		n++;
	c->nsteps = n;
}

/* Without Ctrl-C and the like in between, whose handler looks for the machine. */
static bool restart(struct side *x)
{
	sigset_t stops, before;
	sigemptyset(&stops);
	sigaddset(&stops, SIGINT);
	sigaddset(&stops, SIGTERM);
	sigaddset(&stops, SIGHUP);
	sigprocmask(SIG_BLOCK, &stops, &before);
	strbuf_clear(&x->s->output);
	x->done = false;
	bool ok = session_restart(x->s, &x->err);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return ok;
}

/* Stops both machines right behind the decisions that differed: both have run on since, so they start again. */
static void stop_at_divergence(struct compare *c)
{
	for (u32 i = 0; i < 2 && !c->interrupted; i++) {
		struct side *x = &c->side[i];
		const struct decision *d = &diverge_first(c->diverge)->side[i];
		if (!restart(x)) {
			x->why = SS_HOST_ERROR;
			c->broken = true;
			return;
		}
		x->why = session_run(x->s, d->cycle + 1, &x->err);
		x->done = x->why != SS_CYCLE;
		c->interrupted |= x->why == SS_INTERRUPT;
	}
}

bool compare_run(struct compare *c, void (*progress)(struct compare *c))
{
	struct side *a = &c->side[0], *b = &c->side[1];
	u64 target = 0;
	c->progress = progress;
	while (!(a->done && b->done) && !c->interrupted && !(c->to_divergence && !comparing(c))) {
		target = target + c->unit - target % c->unit;
		run_both(c, target);
		if (!a->done && !b->done && there(c, a, target) && there(c, b, target))
			note_step(c, target);
	}
	if (c->to_divergence && diverge_first(c->diverge)->found && !c->interrupted)
		stop_at_divergence(c);
	if (!c->broken)
		drop_steps(c);
	return !c->interrupted;
}

bool compare_advance(struct compare *c, u64 at)
{
	c->interrupted = false;
	run_both(c, at);
	return !c->interrupted;
}

bool compare_ended(const struct compare *c)
{
	return c->side[0].done && c->side[1].done;
}

static const char *side_stop_word(const struct compare *c, const struct side *x)
{
	if (x->why == SS_CYCLE || x->why == SS_REQUEST)
		return c->interrupted ? "interrupted" : "stopped at the difference";
	return session_stop_word(x->why);
}

static void gather(struct compare *c, struct side *x)
{
	static const char *const checks[] = {[CHECK_NONE] = "none", [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail"};
	if (x->stats)
		return;
	struct run_info run = {.workload = x->s->name,
	                       .check = checks[x->s->check],
	                       .check_message = strbuf_str(&x->s->check_message),
	                       .stop = side_stop_word(c, x),
	                       .sim_ns = x->s->sim_ns};
	x->stats = stats_gather(sim_gpu(x->s->sim), &run);
}

void compare_divergence_text(struct compare *c, struct strbuf *out)
{
	struct comparison r = {.gpu = {sim_gpu(c->side[0].s->sim), sim_gpu(c->side[1].s->sim)}, .diverge = c->diverge};
	report_divergence_text(&r, &(struct text_style){0}, out);
}

/* From its beginning to `cycle`. */
static bool run_again(struct side *x, u64 cycle, const volatile bool *interrupt)
{
	x->why = SS_CYCLE;
	strbuf_clear(&x->s->output);
	if (!session_restart(x->s, &x->err))
		return false;
	while (x->why == SS_CYCLE && sim_cycle(x->s->sim) < cycle && !*interrupt)
		x->why = session_run(x->s, MIN(sim_cycle(x->s->sim) + SLICE_FREE, cycle), &x->err);
	return x->why == SS_CYCLE && sim_cycle(x->s->sim) == cycle;
}

bool compare_explain(struct compare *c, const volatile bool *interrupt, struct strbuf out[2])
{
	const struct divergence *f = diverge_first(c->diverge);
	for (u32 i = 0; i < 2 && f->found; i++) {
		c->side[i].done = true; /* the comparison is over */
		if (!run_again(&c->side[i], f->side[i].cycle, interrupt))
			return false;
		decision_reason(sim_gpu(c->side[i].s->sim), &f->side[i], &f->side[!i], &out[i]);
	}
	return true;
}

void compare_report(struct compare *c, const char *format, bool color, bool ascii, struct strbuf *out)
{
	static const char *const bys[] = {[BY_CYCLES] = "cycles", [BY_INSTS] = "insts", [BY_CTAS] = "ctas"};
	gather(c, &c->side[0]);
	gather(c, &c->side[1]);
	struct comparison r = {.side = {c->side[0].stats, c->side[1].stats},
	                       .gpu = {sim_gpu(c->side[0].s->sim), sim_gpu(c->side[1].s->sim)},
	                       .by = bys[c->by],
	                       .until = c->to_divergence ? "first-divergence" : "end",
	                       .diverge = c->diverge,
	                       .steps = c->step,
	                       .nsteps = c->nsteps};
	if (!strcmp(format, "json"))
		report_compare_json(&r, out);
	else if (!strcmp(format, "csv"))
		report_compare_csv(&r, out);
	else
		report_compare_text(&r, &(struct text_style){color, ascii}, out);
}

int compare_status(struct compare *c)
{
	int status = c->interrupted ? 130 : 0;
	for (u32 i = 0; i < 2; i++)
		status = MAX(status, session_exit_status(c->side[i].s, c->side[i].why));
	return status;
}

void compare_interrupt(struct compare *c)
{
	for (u32 i = 0; i < 2; i++)
		if (c->side[i].s->sim)
			sim_interrupt(c->side[i].s->sim);
}

bool compare_interrupted(const struct compare *c)
{
	return c->interrupted;
}

bool compare_broken(const struct compare *c)
{
	return c->broken;
}

enum session_stop compare_stopped(const struct compare *c, u32 side, const struct err **e)
{
	*e = &c->side[side].err;
	return c->side[side].why;
}
