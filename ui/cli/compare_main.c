#include "cli/compare_main.h"

#include <langinfo.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/outfile.h"
#include "session/cmdline.h"
#include "base/leaving.h"
#include "lua/lua.h"
#include "obs/compare/report_compare.h"
#include "session/outputs.h"
#include "base/plain.h"
#include "session/progress.h"
#include "base/complain.h"

#define EXIT_BROKEN 70         /* a conservation law does not hold: a bug of the simulator, not of the input */
#define SLICE_SLOTS (1u << 17) /* issue slots of a slice while decisions are compared: 5 MB a machine at most */
#define SLICE_FREE 65536       /* cycles of a slice once nothing is compared any more */
#define COMPARE_AT (1u << 16)  /* by order: decisions that are collected before they are compared */
#define STEPS_MAX 16           /* rows of the lock-step table; then every other one goes */

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
	enum { BY_CYCLES, BY_INSTS, BY_CTAS } by;
	bool to_divergence, interrupted, silent;
	bool broken; /* a machine could not be built again: there is nothing to report */
	struct side side[2];
	struct diverge *diverge;
	u64 unit; /* of the lock step: both meet at its multiples */
	struct lockstep step[STEPS_MAX];
	u32 nsteps;
	u64 drawn_ns;
};

/* --- open and close ---------------------------------------------------------------------------------------------- */

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
	x->s = session_open(&x->opt, e);
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
			sim_subscribe(x->s->sim, c->by == BY_INSTS ? BIT(EV_ISSUE) : BIT(EV_CTA_DONE), count, x);
	}
}

struct compare *compare_open(const struct options *o, struct err *e)
{
	struct compare *c = xcalloc(1, sizeof *c);
	static const u64 units[] = {[BY_CYCLES] = 1024, [BY_INSTS] = 16384, [BY_CTAS] = 16};
	c->opt = o;
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
	x.stats = x.timeline = x.trace = x.phases = x.script = x.compare = NULL;
	x.outs = x.prints = NULL;
	x.nouts = x.nprints = 0;
	x.commands = NULL;
	x.ncommands = 0;
	x.batch = x.keep_going = false;
	x.side_text = NULL;
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

/* --- lock step --------------------------------------------------------------------------------------------------- */

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
	if (x->why == SS_HOST_ERROR && lua_interrupted())
		x->why = SS_INTERRUPT;
	x->done = x->why != SS_CYCLE && x->why != SS_REQUEST;
	c->interrupted |= x->why == SS_INTERRUPT;
}

static bool there(const struct compare *c, struct side *x, u64 target)
{
	return x->done || position(c, x) >= target;
}

static void draw_progress(struct compare *c)
{
	u64 now = host_ns();
	if (c->silent || !isatty(STDERR_FILENO) || now - c->drawn_ns < 100000000ull)
		return;
	c->drawn_ns = now;
	fprintf(stderr, "\r\033[K%s  A cycle %llu  B cycle %llu", c->side[0].s->name,
	        (unsigned long long)sim_cycle(c->side[0].s->sim), (unsigned long long)sim_cycle(c->side[1].s->sim));
	fflush(stderr);
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
		draw_progress(c);
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
	if (ok)
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

/* --- Ctrl-C and other wishes to stop ------------------------------------------------------------------------------ */

static struct compare *running; /* for the signal handlers */

static void stop(void)
{
	if (!running) /* the report is being written */
		return;
	lua_interrupt();
	for (u32 i = 0; i < 2; i++)
		sim_interrupt(running->side[i].s->sim);
}

static void on_interrupt(int sig)
{
	stop();
}

bool compare_run(struct compare *c)
{
	struct side *a = &c->side[0], *b = &c->side[1];
	u64 target = 0;
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
	if (isatty(STDERR_FILENO))
		fputs("\r\033[K", stderr);
	return !c->interrupted;
}

bool compare_advance(struct compare *c, u64 at)
{
	c->silent = true;
	c->interrupted = false;
	run_both(c, at);
	return !c->interrupted;
}

bool compare_ended(const struct compare *c)
{
	return c->side[0].done && c->side[1].done;
}

/* --- results ----------------------------------------------------------------------------------------------------- */

static const char *stop_word(const struct compare *c, const struct side *x)
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
	                       .stop = stop_word(c, x),
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

/* What host programs and kernels have printed: once when both said the same. */
static void print_output(struct compare *c, FILE *to)
{
	struct strbuf *a = &c->side[0].s->output, *b = &c->side[1].s->output;
	bool same = a->len == b->len && !memcmp(strbuf_str(a), strbuf_str(b), a->len);
	if (!same && a->len)
		fputs("--- printed by A\n", to);
	plain_write(a, to);
	if (!same && b->len) {
		fputs("--- printed by B\n", to);
		plain_write(b, to);
	}
	if (!same)
		fputs("---\n", to);
	fflush(to);
}

static void explain_stops(struct compare *c)
{
	for (u32 i = 0; i < 2; i++) {
		struct side *x = &c->side[i];
		struct strbuf text = STRBUF_INIT;
		if (x->why != SS_INTERRUPT)
			session_stop_reason(x->s, x->why, &x->err, &text);
		if (text.len)
			complain_of(i ? "B: " : "A: ", text.buf);
		if (outputs_claim_stdout(c->opt) && x->s->check == CHECK_FAIL)
			complain_of(i ? "B: check failed: " : "A: check failed: ", strbuf_str(&x->s->check_message));
		strbuf_release(&text);
	}
	if (c->interrupted)
		fputs("warpdbg: interrupted\n", stderr);
}

int compare_status(struct compare *c)
{
	int status = c->interrupted ? 130 : 0;
	for (u32 i = 0; i < 2; i++)
		status = MAX(status, session_exit_status(c->side[i].s, c->side[i].why));
	return status;
}

/* What must hold at the end of every run that came to its end. After the report: the last write-backs are no kernel's.
 */
static bool laws_hold(struct compare *c)
{
	bool ok = true;
	for (u32 i = 0; i < 2; i++) {
		struct side *x = &c->side[i];
		struct err e = {0};
		if (x->why != SS_FINISHED)
			continue;
		sim_drain(x->s->sim);
		if (sim_check(x->s->sim, &e))
			continue;
		fprintf(stderr, "warpdbg: internal: %c: conservation law broken: %s\n", i ? 'B' : 'A', e.msg);
		ok = false;
	}
	return ok;
}

static bool report(struct compare *c, struct outfile *stats, struct err *e)
{
	const struct options *o = c->opt;
	bool color = plain_colors(o->no_color, STDOUT_FILENO);
	bool ascii = o->ascii || strcmp(nl_langinfo(CODESET), "UTF-8"), ok = true;
	struct strbuf text = STRBUF_INIT;
	print_output(c, outputs_claim_stdout(o) ? stderr : stdout);
	for (u32 i = 0; i < 2; i++)
		plain_defuse(c->side[i].s->check_message.buf, c->side[i].s->check_message.len, STDOUT_FILENO);
	compare_report(c, stats ? "text" : outputs_format(o), color, ascii, &text);
	fwrite(strbuf_str(&text), 1, text.len, stdout);
	if (stats) {
		struct err why = {0};
		strbuf_clear(&text);
		compare_report(c, outputs_format(o), false, ascii, &text);
		ok = outfile_put(stats, strbuf_str(&text), text.len, &why);
		if (ok)
			ok = outfile_commit(stats, &why);
		else
			outfile_drop(stats);
		if (!ok)
			err_set(e, "--stats: %s", why.msg);
	}
	strbuf_release(&text);
	return ok;
}

/* That --stats FILE cannot be written is better known before an hour of simulation. */
static bool open_stats(const struct options *o, struct outfile **f, struct err *e)
{
	struct err why = {0};
	*f = NULL;
	if (!o->stats || !strcmp(o->stats, "-"))
		return true;
	*f = outfile_open(o->stats, "--stats", &why);
	return *f || err_set(e, "--stats: %s", why.msg);
}

int compare_main(const struct options *o)
{
	struct err e = {0};
	struct outfile *stats;
	struct compare *c = open_stats(o, &stats, &e) ? compare_open(o, &e) : NULL;
	if (!c) {
		outfile_drop(stats);
		complain(&e);
		return 2;
	}
	struct sigaction sa = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}; /* a second Ctrl-C kills */
	running = c;
	sigaction(SIGINT, &sa, NULL);
	leaving_catch(stop);
	compare_run(c);
	signal(SIGINT, SIG_DFL);
	running = NULL;
	leaving_heard();
	explain_stops(c);
	if (c->broken) {
		outfile_drop(stats);
		compare_close(c);
		return 2;
	}
	bool written = report(c, stats, &e);
	written = stdout_written(&e) && written;
	if (!written)
		complain(&e);
	int status = compare_status(c);
	if (!laws_hold(c))
		status = EXIT_BROKEN;
	compare_close(c);
	return status ? status : written ? 0 : 2;
}
