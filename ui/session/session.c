#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/app/app_copy.h"
#include "session/app/chip.h"
#include "session/call_texts.h"
#include "session/catalog.h"
#include "session/machine.h"
#include "session/host/launch_log.h"
#include "lua/lua.h"
#include "session/policy/lua_policy.h"
#include "obs/record/phase_track.h"
#include "obs/record/timeline.h"
#include "gpu/lines.h"
#include "obs/stats/heat.h"
#include "session/inspections.h"
#include "session/outputs.h"
#include "session/policy_names.h"
#include "session/programs.h"

#define TIMELINE_PERIOD 16    /* cycles of a sample at first: short kernels have curves too */
#define TIMELINE_SAMPLES 1024 /* then they are merged */

/* --- open and close --- */

/* The longer the run, the longer the samples, and the more seldom the machine is looked at. */
static void sample_timeline(void *ctx, u64 cycle)
{
	struct session *s = ctx;
	u64 period;
	timeline_sample(s->timeline, cycle);
	if (timeline_coarser(s->timeline, &period))
		sim_set_sampler(s->sim, s->timeline_sampler, period);
}

static void fork_timeline(void *ctx, u64 cycle)
{
	timeline_fork(((struct session *)ctx)->timeline, cycle);
}

static void attach_timeline(struct session *s)
{
	s->timeline = timeline_create(sim_gpu(s->sim), TIMELINE_PERIOD, TIMELINE_SAMPLES);
	s->timeline_sampler = sim_add_sampler(s->sim, TIMELINE_PERIOD, sample_timeline, s);
	sim_hear_again(s->sim, s->timeline_sampler);
	sim_on_fork(s->sim, s->timeline_sampler, fork_timeline);
}

static void attach_phases(struct session *s)
{
	u32 period = s->conf.phases_period;
	if (!period)
		return;
	s->phases = phase_track_create(sim_gpu(s->sim), period);
	int id = sim_add_sampler(s->sim, period, phase_track_look, s->phases);
	sim_hear_again(s->sim, id);
	sim_on_fork(s->sim, id, phase_track_fork);
}

static void attach_heat(struct session *s)
{
	s->heat = heat_create(sim_gpu(s->sim));
	int id = sim_add_sampler(s->sim, HEAT_CYCLES, heat_look, s->heat);
	sim_on_snapshot(s->sim, id, heat_keep, heat_recall);
}

static void *keep_lines(void *gpu)
{
	return gpu_lines_keep(gpu);
}

static void recall_lines(void *gpu, const void *kept, u64 cycle)
{
	gpu_lines_recall(gpu, kept);
}

void session_count_lines(struct session *s)
{
	if (s->counts_lines)
		return;
	s->counts_lines = true;
	gpu_count_lines(sim_gpu(s->sim));
	int id = sim_add_sampler(s->sim, NEVER, NULL, sim_gpu(s->sim)); /* for its snapshots */
	sim_on_snapshot(s->sim, id, keep_lines, recall_lines);
}

static void start_counts(struct session *s)
{
	attach_heat(s);
	session_count_lines(s);
}

static bool open_machine(struct session *s, struct err *e)
{
	if (!policy_names_known(&s->conf, e))
		return false;
	s->sim = sim_create(&s->conf, e);
	if (!s->sim || !policy_open(s, e))
		return false;
	s->outputs = outputs_open(s, e);
	if (!s->outputs)
		return false;
	if (s->opt->record_launches && s->nprograms > 1)
		return err_set(e, "--record-launches: of one host program alone, not of several that share a machine");
	if (s->opt->record_launches)
		s->launch_log = launch_log_open(s->opt, s->opt->workload ? s->opt->workload : s->name, s->sim, s->conf.seed, e);
	if (s->opt->record_launches && !s->launch_log)
		return false;
	bool debug = !strcmp(s->opt->command, "debug");
	if (debug || s->opt->phases)
		attach_phases(s);
	if (debug || s->opt->diagnose || s->opt->report || !strcmp(outputs_format(s->opt), "json"))
		start_counts(s);
	if (debug || s->opt->report)
		attach_timeline(s);
	return !debug || sim_history(s->sim, s->conf.history_mb, e);
}

static int open_modules(lua_State *L, void *ctx)
{
	struct session *s = ctx;
	s->modules(L, s);
	return 0;
}

static bool open_lua(struct session *s, struct err *e)
{
	s->L = lua_sandbox_new(&(struct lua_owner){s, &s->output, s->conf.seed}, s->data_dir, s->opt->allow_io);
	if (!s->L)
		return err_set(e, "out of memory");
	return lua_guarded(s->L, open_modules, s, 0, 0, e);
}

static bool inspections_known(const struct session *s, struct err *e)
{
	struct err why = {0};
	for (u32 i = 0; i < s->opt->ninspects; i++)
		if (!inspection_known(s->data_dir, s->opt->inspects[i], &why))
			return err_set(e, "--inspect: %s", why.msg);
	return true;
}

/* Without --gpu an application has a machine that its code was built for. */
static void choose_machine(struct options *o)
{
	for (u32 i = 0; !o->gpu && i <= o->nmore; i++) {
		const struct options *p = i ? &o->more[i - 1] : o;
		if (p->app)
			o->gpu = chip_machine(chip_of_file(p->app[0]));
	}
}

static bool compile_programs(struct session *s, struct options *o, struct err *e)
{
	for (u32 i = 0; i <= o->nmore; i++) {
		struct options *p = i ? &o->more[i - 1] : o;
		if (!compile_wanted(p))
			continue;
		compiled_release(&s->compiled[i]); /* of the program before it, in the debugger */
		if (!compile_program(&s->compiled[i], p, o->nvcc_flags, e))
			return false;
	}
	return true;
}

struct session *session_open(struct options *o, session_modules *modules, struct err *e)
{
	struct session *s = xcalloc(1, sizeof *s);
	s->calls = call_texts_new();
	s->opt = o;
	s->modules = modules;
	s->app_apart = strcmp(o->command, "run") || o->beside; /* two machines: two processes, one terminal */
	programs_name(s);
	bool ok = compile_programs(s, o, e);
	choose_machine(o);
	s->data_dir = ok ? catalog_data_dir(e) : NULL;
	ok = s->data_dir && inspections_known(s, e) && machine_conf(&s->conf, s->data_dir, o->gpu, o->sets, o->nsets, e);
	if (ok && open_machine(s, e) && open_lua(s, e) && programs_open(s, e))
		return s;
	session_close(s);
	return NULL;
}

/* Of a run that did not begin nothing is written. */
static bool has_run(const struct session *s)
{
	return s->started && (s->finished || sim_cycle(s->sim) || !strcmp(s->opt->command, "debug"));
}

bool session_close_outputs(struct session *s, struct err *e)
{
	bool keep = has_run(s), ok = outputs_close(s->outputs, keep, e);
	ok = launch_log_close(s->launch_log, s->finished, keep, e) && ok;
	ok = app_copy_close(s->app_copy, e) && ok;
	s->app_copy = NULL;
	s->outputs = NULL;
	s->launch_log = NULL;
	return ok;
}

static void close_machine(struct session *s)
{
	session_close_outputs(s, NULL);
	timeline_free(s->timeline);
	phase_track_free(s->phases);
	heat_free(s->heat);
	struct sim *sim = s->sim;
	s->sim = NULL; /* a signal's handler may look for it */
	if (sim)
		sim_destroy(sim);
	s->timeline = NULL;
	s->phases = NULL;
	s->heat = NULL;
	s->counts_lines = false;
	policy_close(s);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	/* The machine last: finalisers of Lua's handles may look at it. */
	programs_close(s);
	lua_sandbox_free(s->L);
	s->L = NULL;
	close_machine(s);
	call_texts_free(s->calls);
	strbuf_release(&s->check_message);
	figures_clear(&s->figures);
	strbuf_release(&s->output);
	free(s->turn_of);
	programs_release(s);
	for (u32 i = 0; i < OPTIONS_PROGRAMS; i++)
		compiled_release(&s->compiled[i]);
	free(s->diagnosis);
	free(s->data_dir);
	free(s);
}

bool session_restart(struct session *s, struct err *e)
{
	programs_close(s);
	close_machine(s);
	s->generation++;
	programs_name(s);
	s->finished = s->started = s->change_open = s->host_torn = s->app_gone = false;
	s->check = CHECK_NONE;
	s->sim_ns = 0;
	strbuf_clear(&s->check_message);
	figures_clear(&s->figures);
	return compile_programs(s, s->opt, e) && open_machine(s, e) && programs_open(s, e);
}

static bool run_file(struct session *s, const char *path, struct err *e)
{
	lua_budget(s->L, LUA_BUDGET_HOST);
	return lua_load_path(s->L, path, e) && lua_call_traced(s->L, 0, 0, e);
}

/* Behind the script, which may have set what they are to show. */
bool session_run_script(struct session *s, struct err *e)
{
	if (s->script_done)
		return true;
	s->script_done = true;
	bool ok = !s->opt->script || run_file(s, s->opt->script, e);
	for (u32 i = 0; ok && i < s->opt->ninspects; i++) {
		char *path = inspection_path(s->data_dir, s->opt->inspects[i]);
		ok = run_file(s, path, e);
		free(path);
	}
	return ok;
}

/* --- running --- */

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

static enum stop_why run_machine(struct session *s, u64 until)
{
	struct stop stop;
	u64 from = now_ns();
	sim_await_programs(s->sim, programs_awaited(s));
	enum stop_why why = sim_run(s->sim, programs_look_at(s, MIN(until, s->opt->max_cycles)), &stop);
	s->sim_ns += now_ns() - from;
	programs_take_kernel_text(s);
	return why;
}

/* The programs have ended, and nothing runs any more. */
static bool all_done(const struct session *s)
{
	struct sim_history_info h;
	if (!programs_ended(s) || !sim_idle(s->sim) || sim_faulted(s->sim))
		return false;
	sim_history_info(s->sim, &h);
	return !h.turn_ahead;
}

/* The machine hangs. Does somebody come who may end that, or came the first time? */
static bool helped(struct session *s)
{
	if (sim_turn_due(s->sim))
		return true;
	if (!gpu_livelocked(sim_gpu(s->sim)) || !programs_help(s))
		return false;
	sim_helped(s->sim);
	return true;
}

enum session_stop session_run(struct session *s, u64 until, struct err *e)
{
	if (!session_run_script(s, e))
		return SS_HOST_ERROR;
	session_change_ends(s);
	for (;;) {
		if (s->finished)
			return SS_FINISHED;
		const u64 now = sim_cycle(s->sim);
		if (now && now >= until && now < s->opt->max_cycles) /* what programs do belongs to what leaves the cycle */
			return SS_CYCLE;
		struct session_program *p = sim_faulted(s->sim) ? NULL : programs_ready(s);
		if (p) {
			if (!programs_step(s, p, e))
				return s->host_torn ? SS_INTERRUPT : SS_HOST_ERROR;
			if (p->mid_step)
				return lua_interrupted() ? SS_INTERRUPT : SS_BUSY;
			continue;
		}
		if (s->app_gone && programs_ended(s)) { /* with a GPU its kernels would have ended with it */
			s->app_gone = false;
			return err_set(e,
			               "the application ended while it waited for the GPU, whose kernels stand where they stood"),
			       SS_HOST_ERROR;
		}
		if (all_done(s)) {
			s->finished = true;
			continue;
		}
		if (sim_cycle(s->sim) >= s->opt->max_cycles)
			return SS_MAX_CYCLES;
		if (sim_cycle(s->sim) >= until)
			return SS_CYCLE;
		switch (run_machine(s, until)) {
		case STOP_IDLE:
		case STOP_CYCLE: break;
		case STOP_REQUEST: return SS_REQUEST;
		case STOP_FAULT: return SS_FAULT;
		case STOP_DEADLOCK:
			if (helped(s))
				break;
			return gpu_livelocked(sim_gpu(s->sim)) ? SS_LIVELOCK : SS_DEADLOCK;
		case STOP_INTERRUPT: return SS_INTERRUPT;
		case STOP_POLICY: return err_set(e, "%s", sim_policy_error(s->sim)), SS_HOST_ERROR;
		}
	}
}

/* --- time travel --- */

bool session_goto(struct session *s, u64 cycle, struct err *e)
{
	session_change_ends(s);
	return session_go(s, sim_rest(s->sim, cycle), e);
}

bool session_go(struct session *s, struct sim_place to, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(s);
	programs_pause(s);
	if (!policy_may_replay(s, to.cycle, e) || !sim_go(s->sim, to, e))
		return false;
	sim_history_info(s->sim, &h);
	s->finished = programs_ended(s) && !h.turn_ahead && sim_idle(s->sim);
	return true;
}

bool session_change_begins(struct session *s, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(s);
	programs_pause(s);
	sim_history_info(s->sim, &h);
	if (!h.on)
		return true; /* this is the present */
	if (!programs_reach(s, h.turns, e))
		return false;
	sim_fork(s->sim);
	sim_before_change(s->sim);
	return programs_bring_back(s, h.turns, e);
}

bool session_undo(struct session *s, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(s);
	programs_pause(s);
	sim_history_info(s->sim, &h);
	if (!programs_reach(s, h.turns ? h.turns - 1 : 0, e) || !sim_undo_turn(s->sim, e))
		return false;
	sim_history_info(s->sim, &h);
	s->finished = false;
	return programs_bring_back(s, h.turns, e);
}

bool session_changed_by_hand(const struct session *s)
{
	struct sim_history_info h;
	sim_history_info(s->sim, &h);
	for (u32 i = 0; i < h.turns; i++)
		if (s->turn_of[i] == TURN_OF_USER)
			return true;
	return false;
}

void session_changed(struct session *s)
{
	s->change_open = false;
	programs_record_turn(s, NULL);
	sim_rests(s->sim);
}

void session_change_stays_open(struct session *s)
{
	s->change_open = true;
}

void session_change_ends(struct session *s)
{
	if (s->change_open)
		session_changed(s);
}

void session_forked(struct session *s)
{
	s->opt->beside = true;
	s->app_slices = false;
	sim_forked(s->sim);
	lua_forked(s->L);
	strbuf_clear(&s->output);
}
