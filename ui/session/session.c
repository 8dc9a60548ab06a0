#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "session/catalog.h"
#include "session/host/host.h"
#include "session/host/launch_log.h"
#include "lua/lua.h"
#include "session/policy/lua_policy.h"
#include "obs/record/phase_track.h"
#include "obs/record/timeline.h"
#include "obs/stats/heat.h"
#include "session/inspections.h"
#include "session/outputs.h"
#include "base/plain.h"

#define DEMO "hotspot"
/* While other streams run, a host program that waits for one stream looks at it whenever the clock is at a multiple of
 * this: a fixed grid of cycles, so that stops by a debugger in between change nothing. */
#define POLL_CYCLES 64
#define TIMELINE_PERIOD 16    /* cycles of a sample at first: short kernels have curves too */
#define TIMELINE_SAMPLES 1024 /* then they are merged */

/* --- open and close --- */

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), k = strlen(end);
	return n >= k && !strcmp(s + n - k, end);
}

/* "dir/hotspot.lua" -> "hotspot" */
static char *title_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	const char *dot = strrchr(from, '.');
	return xstrndup(from, dot && dot != from ? (size_t)(dot - from) : strlen(from));
}

static bool open_host(struct session *s, struct err *e)
{
	const char *w = s->opt->workload ? s->opt->workload : DEMO;
	if (ends_with(w, ".ptx")) {
		s->host = host_ptx_new(s, w, e);
		return s->host;
	}
	char *path = catalog_path(s->data_dir, "scripts/workloads", w, "workload", e);
	if (path)
		s->host = host_lua_new(s, path, e);
	free(path);
	return s->host;
}

/* Is there a policy of this kind and name? */
static bool check_policy(enum policy_kind k, const char *name, struct err *e)
{
	const char *kind = policy_kinds[k].name, *names[64];
	const struct policy *p;
	u32 n = 0;
	if (policy_is_lua(name))
		return policy_lua_kind(k) || err_set(e, "a %s policy cannot be written in Lua", kind);
	struct strbuf all = STRBUF_INIT;
	bool ok = false;
	while (n < ARRAY_LEN(names) && (p = sim_policy(k, n))) {
		strbuf_addf(&all, "%s%s", n ? " " : "", p->name);
		ok |= !strcmp(p->name, name);
		names[n++] = p->name;
	}
	const char *near = ok ? NULL : conf_nearest(name, names, n);
	if (near)
		err_set(e, "no such %s policy '%s' (did you mean '%s'?); there are: %s", kind, name, near, all.buf);
	else if (!ok)
		err_set(e, "no such %s policy '%s'; there are: %s", kind, name, strbuf_str(&all));
	strbuf_release(&all);
	return ok;
}

bool session_policy_known(const char *key, const char *value, struct err *e)
{
	enum policy_kind k = policy_kind_of(key);
	return k == POLICY_KINDS || check_policy(k, value, e);
}

static bool check_policies(const struct conf *c, struct err *e)
{
	bool ok = true;
	for (u32 k = 0; k < POLICY_KINDS && ok; k++)
		ok = check_policy(k, policy_named(c, k), e);
	return ok;
}

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

static bool open_machine(struct session *s, struct err *e)
{
	if (!check_policies(&s->conf, e))
		return false;
	s->sim = sim_create(&s->conf, e);
	if (!s->sim || !policy_open(s, e))
		return false;
	s->outputs = outputs_open(s, e);
	if (!s->outputs)
		return false;
	if (s->opt->record_launches)
		s->launch_log = launch_log_open(s->opt, s->opt->workload ? s->opt->workload : s->name, s->sim, s->conf.seed, e);
	if (s->opt->record_launches && !s->launch_log)
		return false;
	bool debug = !strcmp(s->opt->command, "debug");
	if (debug || s->opt->phases)
		attach_phases(s);
	if (debug || !strcmp(outputs_format(s->opt), "json"))
		attach_heat(s);
	if (!debug)
		return true;
	attach_timeline(s);
	return sim_history(s->sim, s->conf.history_mb, e);
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

static void name_program(struct session *s)
{
	free(s->name);
	s->name = title_of(s->opt->workload ? s->opt->workload : DEMO);
	plain_name(s->name);
}

static bool inspections_known(const struct session *s, struct err *e)
{
	struct err why = {0};
	for (u32 i = 0; i < s->opt->ninspects; i++)
		if (!inspection_known(s->data_dir, s->opt->inspects[i], &why))
			return err_set(e, "--inspect: %s", why.msg);
	return true;
}

struct session *session_open(struct options *o, session_modules *modules, struct err *e)
{
	struct session *s = xcalloc(1, sizeof *s);
	s->opt = o;
	s->modules = modules;
	name_program(s);
	s->data_dir = catalog_data_dir(e);
	bool ok =
	    s->data_dir && inspections_known(s, e) && catalog_conf(&s->conf, s->data_dir, o->gpu, o->sets, o->nsets, e);
	if (ok && open_machine(s, e) && open_lua(s, e) && open_host(s, e))
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
	s->outputs = NULL;
	s->launch_log = NULL;
	return ok;
}

static void close_host(struct session *s)
{
	if (s->host)
		s->host->ops->free(s->host);
	s->host = NULL;
}

static void close_machine(struct session *s)
{
	session_close_outputs(s, NULL);
	timeline_free(s->timeline);
	phase_track_free(s->phases);
	heat_free(s->heat);
	if (s->sim)
		sim_destroy(s->sim);
	s->timeline = NULL;
	s->phases = NULL;
	s->heat = NULL;
	s->sim = NULL;
	policy_close(s);
}

void session_close(struct session *s)
{
	if (!s)
		return;
	/* The machine last: finalisers of Lua's handles may look at it. */
	close_host(s);
	lua_sandbox_free(s->L);
	s->L = NULL;
	close_machine(s);
	strbuf_release(&s->check_message);
	strbuf_release(&s->output);
	free(s->turn_is_host);
	free(s->name);
	free(s->data_dir);
	free(s);
}

bool session_restart(struct session *s, struct err *e)
{
	close_host(s);
	close_machine(s);
	s->generation++;
	name_program(s);
	s->finished = s->host_ended = s->started = s->change_open = s->host_torn = false;
	s->check = CHECK_NONE;
	s->sim_ns = 0;
	s->host_turns = 0;
	strbuf_clear(&s->check_message);
	return open_machine(s, e) && open_host(s, e);
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

/* Is it the host program's turn? */
static bool host_ready(const struct session *s)
{
	struct sim_history_info h;
	sim_history_info(s->sim, &h);
	if (h.turn_ahead)
		return false; /* in the past: what it did is on record */
	if (!s->started || sim_idle(s->sim))
		return true;
	if (s->host->stream == HOST_ALL_STREAMS)
		return false;
	return sim_cycle(s->sim) % POLL_CYCLES == 0 && sim_stream_idle(s->sim, (u32)s->host->stream);
}

/* Tells history that the host program, or the user, has changed the machine. */
static void record_turn(struct session *s, bool host)
{
	struct sim_history_info h;
	sim_turn(s->sim);
	sim_history_info(s->sim, &h);
	if (!h.on)
		return;
	if (h.turns > s->turns_cap) {
		s->turns_cap = MAX(h.turns * 2, 64u);
		s->turn_is_host = xrealloc(s->turn_is_host, s->turns_cap);
	}
	s->turn_is_host[h.turns - 1] = host;
}

static void forget_check(struct session *s)
{
	s->check = CHECK_NONE;
	strbuf_clear(&s->check_message);
}

/* Brings the host program to where it stood after `turns` steps. False with *e; interrupted, it is still to be done. */
static bool rebuild_host(struct session *s, u32 turns, struct err *e)
{
	s->host_turns = turns;
	s->host_torn = false;
	forget_check(s);
	bool ok = s->host->ops->rebuild(s, s->host, turns, e) != HOST_FAILED;
	s->host_torn = !ok && lua_interrupted();
	return ok;
}

/* Ctrl-C in a step of the host program has ended it for good: the machine forgets what the step did, and the program
 * is built anew when it is to go on. False: without a history, or with a policy that cannot be replayed, there is no
 * way back. */
static bool take_step_back(struct session *s, s64 stream, size_t printed)
{
	struct err e = {0};
	if (!lua_interrupted() || !policy_may_replay(s, sim_cycle(s->sim), &e) || !sim_take_back(s->sim))
		return false;
	s->host_torn = true;
	s->started = s->host_turns > 0;
	s->host->stream = stream;
	forget_check(s);
	if (s->output.len > printed) {
		s->output.len = printed;
		s->output.buf[printed] = 0;
	}
	return true;
}

/* False with *e: the host program failed, or was interrupted (host_torn). */
static bool step_host(struct session *s, struct err *e)
{
	if (s->host_ended) { /* and nothing runs any more */
		s->finished = true;
		return true;
	}
	if (s->host_torn && !rebuild_host(s, s->host_turns, e))
		return false;
	const s64 stream = s->host->stream;
	const size_t printed = s->output.len;
	s->started = true;
	s->host->stream = HOST_ALL_STREAMS;
	sim_fork(s->sim);
	enum host_state state = s->host->ops->step(s, s->host, e);
	if (state == HOST_FAILED && take_step_back(s, stream, printed))
		return false;
	s->host_turns++;
	record_turn(s, true);
	if (state == HOST_ENDED)
		s->host_ended = true;
	return state != HOST_FAILED;
}

static u64 now_ns(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (u64)t.tv_sec * 1000000000ull + (u64)t.tv_nsec;
}

/* The cycle to run to before looking again. */
static u64 next_target(const struct session *s, u64 until)
{
	u64 target = MIN(until, s->opt->max_cycles);
	if (s->host->stream != HOST_ALL_STREAMS && !s->host_ended)
		target = MIN(target, (sim_cycle(s->sim) / POLL_CYCLES + 1) * POLL_CYCLES);
	return target;
}

static enum stop_why run_machine(struct session *s, u64 until)
{
	struct stop stop;
	u64 from = now_ns();
	enum stop_why why = sim_run(s->sim, next_target(s, until), &stop);
	s->sim_ns += now_ns() - from;
	sim_take_printf(s->sim, &s->output);
	return why;
}

enum session_stop session_run(struct session *s, u64 until, struct err *e)
{
	if (!session_run_script(s, e))
		return SS_HOST_ERROR;
	session_change_ends(s);
	for (;;) {
		if (s->finished)
			return SS_FINISHED;
		if (!sim_faulted(s->sim) && host_ready(s)) {
			if (!step_host(s, e))
				return s->host_torn ? SS_INTERRUPT : SS_HOST_ERROR;
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
		case STOP_DEADLOCK: return gpu_livelocked(sim_gpu(s->sim)) ? SS_LIVELOCK : SS_DEADLOCK;
		case STOP_INTERRUPT: return SS_INTERRUPT;
		case STOP_POLICY: return err_set(e, "%s", sim_policy_error(s->sim)), SS_HOST_ERROR;
		}
	}
}

/* --- time travel --- */

bool session_goto(struct session *s, u64 cycle, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(s);
	if (!policy_may_replay(s, cycle, e) || !sim_goto(s->sim, cycle, e))
		return false;
	sim_history_info(s->sim, &h);
	s->finished = s->host_ended && !h.turn_ahead && sim_idle(s->sim);
	return true;
}

/* The host program stood elsewhere after the first `all` turns than it does now: brings it there. */
static bool bring_host_back(struct session *s, u32 all, struct err *e)
{
	u32 turns = 0;
	for (u32 i = 0; i < all; i++)
		turns += s->turn_is_host[i];
	if (turns == s->host_turns)
		return true;
	s->host_ended = s->finished = false;
	s->started = turns > 0;
	return rebuild_host(s, turns, e);
}

bool session_change_begins(struct session *s, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(s);
	sim_history_info(s->sim, &h);
	if (!h.on)
		return true; /* this is the present */
	sim_fork(s->sim);
	sim_before_change(s->sim);
	return bring_host_back(s, h.turns, e);
}

bool session_undo(struct session *s, struct err *e)
{
	struct sim_history_info h;
	session_change_ends(s);
	if (!sim_undo_turn(s->sim, e))
		return false;
	sim_history_info(s->sim, &h);
	s->finished = false;
	return bring_host_back(s, h.turns, e);
}

bool session_changed_by_hand(const struct session *s)
{
	struct sim_history_info h;
	sim_history_info(s->sim, &h);
	for (u32 i = 0; i < h.turns; i++)
		if (!s->turn_is_host[i])
			return true;
	return false;
}

void session_changed(struct session *s)
{
	s->change_open = false;
	record_turn(s, false);
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
