#include "session/programs.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "base/plain.h"
#include "lua/lua.h"
#include "session/program_runs.h"
#include "session/policy/lua_policy.h"

/* While other streams run, a host program that waits for one stream looks at it whenever the clock is at a multiple of
 * this: a fixed grid of cycles, so that stops by a debugger in between change nothing. */
#define POLL_CYCLES 64
#define GONE_CYCLES 65536 /* after so many it is seen whether a program that waits is still there */
#define HELP_MS 10000     /* so long a machine that hangs waits for a thread of a program that may help */
#define HELP_SLICE_MS 10

/* --- open and close --- */

/* "dir/hotspot.lua" -> "hotspot" */
static char *title_of(const char *path)
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	const char *dot = strrchr(from, '.');
	return xstrndup(from, dot && dot != from ? (size_t)(dot - from) : strlen(from));
}

static void add_program(struct session *s, const struct options *o)
{
	struct session_program *p = &s->programs[s->nprograms];
	*p = (struct session_program){.opt = o, .index = s->nprograms++};
	p->name = title_of(program_workload(p));
	plain_name(p->name);
}

/* "bfs", and where it is there twice, "bfs#2". */
static void tell_apart(struct session *s, struct session_program *p)
{
	struct strbuf name = STRBUF_INIT;
	u32 before = 0;
	for (u32 i = 0; i < p->index; i++)
		before += !strcmp(program_workload(&s->programs[i]), program_workload(p));
	if (!before)
		return;
	strbuf_addf(&name, "%s#%u", p->name, before + 1);
	free(p->name);
	p->name = name.buf;
}

void programs_release(struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++) {
		strbuf_release(&s->programs[i].check_message);
		program_alone_free(&s->programs[i].alone);
		free(s->programs[i].name);
	}
	s->nprograms = 0;
	free(s->name);
	s->name = NULL;
}

void programs_name(struct session *s)
{
	struct strbuf all = STRBUF_INIT;
	programs_release(s);
	add_program(s, s->opt);
	for (u32 i = 0; i < s->opt->nmore; i++)
		add_program(s, &s->opt->more[i]);
	for (u32 i = s->nprograms; i-- > 0;)
		tell_apart(s, &s->programs[i]);
	for (u32 i = 0; i < s->nprograms; i++)
		strbuf_addf(&all, "%s%s", i ? "+" : "", s->programs[i].name);
	s->name = all.buf;
	s->now = s->programs;
}

bool programs_open(struct session *s, struct err *e)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (!program_open(s, &s->programs[i], e))
			return false;
	program_act_for(s, s->programs);
	return true;
}

void programs_close(struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		program_close(&s->programs[i]);
}

/* --- whose turn it is --- */

static bool ready(struct session *s, const struct session_program *p)
{
	if (p->ended)
		return program_goes_on(s, p) && sim_program_idle(s->sim, p->index);
	if (!p->started || p->called || sim_program_idle(s->sim, p->index))
		return true;
	if (sim_cycle(s->sim) % GONE_CYCLES == 0 && p->host->ops->calls && p->host->ops->calls(p->host))
		return true;
	if (p->host->stream == HOST_ALL_STREAMS)
		return false;
	if (p->host->stream == HOST_ASKED)
		return sim_cycle(s->sim) >= p->host->wake ||
		       (sim_cycle(s->sim) % POLL_CYCLES == 0 && p->host->ops->ready(s, p->host));
	return sim_cycle(s->sim) % POLL_CYCLES == 0 && sim_stream_idle(s->sim, p->index, (u32)p->host->stream);
}

/* 1: one of them does, 0: one may, -1: there is none that could. */
static int who_helps(struct session *s)
{
	int some = -1;
	for (u32 i = 0; i < s->nprograms; i++) {
		struct session_program *p = &s->programs[i];
		if (!p->started || p->ended || !p->host->ops->may_call || !p->host->ops->may_call(p->host))
			continue;
		some = MAX(some, 0);
		p->called = p->host->ops->calls(p->host);
		if (p->called)
			return 1;
	}
	return some;
}

bool programs_help(struct session *s)
{
	for (u32 ms = 0; ms < HELP_MS && !lua_interrupted(); ms += HELP_SLICE_MS) {
		const int help = who_helps(s);
		if (help)
			return help > 0;
		poll(NULL, 0, HELP_SLICE_MS);
	}
	return false;
}

struct session_program *programs_ready(struct session *s)
{
	struct sim_history_info h;
	sim_history_info(s->sim, &h);
	if (h.turn_ahead)
		return NULL; /* in the past: what they did is on record */
	for (u32 i = 0; i < s->nprograms; i++)
		if (ready(s, &s->programs[i]))
			return &s->programs[i];
	return NULL;
}

bool programs_ended(const struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (!s->programs[i].ended)
			return false;
	return true;
}

u64 programs_look_at(const struct session *s, u64 until)
{
	for (u32 i = 0; i < s->nprograms; i++) {
		const struct session_program *p = &s->programs[i];
		if (p->ended)
			continue;
		if (p->host->ops->calls)
			until = MIN(until, (sim_cycle(s->sim) / GONE_CYCLES + 1) * GONE_CYCLES);
		if (p->host->stream == HOST_ALL_STREAMS)
			continue;
		until = MIN(until, (sim_cycle(s->sim) / POLL_CYCLES + 1) * POLL_CYCLES);
		if (p->host->stream == HOST_ASKED && p->host->wake > sim_cycle(s->sim))
			until = MIN(until, p->host->wake);
	}
	return until;
}

u64 programs_awaited(const struct session *s)
{
	u64 set = 0;
	for (u32 i = 0; s->nprograms > 1 && i < s->nprograms; i++)
		if (!s->programs[i].ended || program_goes_on(s, &s->programs[i]))
			set |= BIT(i);
	return set;
}

const char *programs_blame(const struct session *s, u32 program)
{
	return s->nprograms > 1 && program < s->nprograms ? s->programs[program].name : NULL;
}

/* --- checks --- */

/* The check of the whole: failed when one failed, passed when all that have one did. */
static void sum_checks(struct session *s)
{
	s->check = CHECK_NONE;
	strbuf_clear(&s->check_message);
	for (u32 i = 0; i < s->nprograms; i++) {
		const struct session_program *p = &s->programs[i];
		const char *name = programs_blame(s, i);
		s->check = MAX(s->check, p->check);
		if (p->check_message.len)
			strbuf_addf(&s->check_message, "%s%s%s%s", s->check_message.len ? "\n" : "", name ? name : "",
			            name ? ": " : "", p->check_message.buf);
	}
}

/* --- a step --- */

void programs_record_turn(struct session *s, const struct session_program *p)
{
	struct sim_history_info h;
	sim_turn(s->sim);
	sim_history_info(s->sim, &h);
	if (!h.on)
		return;
	if (h.turns > s->turns_cap) {
		s->turns_cap = MAX(h.turns * 2, 64u);
		s->turn_of = xrealloc(s->turn_of, s->turns_cap);
	}
	s->turn_of[h.turns - 1] = p ? (u8)(p->index + 1) : TURN_OF_USER;
}

/* Brings the host program to where it stood after `turns` steps. False with *e; interrupted, it is still to be done. */
static bool rebuild(struct session *s, struct session_program *p, u32 turns, struct err *e)
{
	const u32 of_run = program_rewind(s, p, turns);
	p->turns = turns;
	p->torn = false;
	const enum host_state state = p->host->ops->rebuild(s, p->host, of_run, e);
	sum_checks(s);
	p->ended = state == HOST_ENDED;
	p->torn = state == HOST_FAILED && e->interrupted;
	s->host_torn |= p->torn;
	return state != HOST_FAILED;
}

/* Ctrl-C in a step of the host program has ended it for good: the machine forgets what the step did, and the program
 * is built anew when it is to go on. False: without a history, or with a policy that cannot be replayed, there is no
 * way back. */
static bool take_step_back(struct session *s, struct session_program *p, s64 stream, size_t printed)
{
	struct err e = {0};
	if (!policy_may_replay(s, sim_cycle(s->sim), &e) || !sim_take_back(s->sim))
		return false;
	s->host_torn = p->torn = true;
	p->started = p->turns > 0;
	p->host->stream = stream;
	sum_checks(s);
	if (s->output.len > printed) {
		s->output.len = printed;
		s->output.buf[printed] = 0;
	}
	return true;
}

static void blame(const struct session *s, const struct session_program *p, struct err *e)
{
	if (programs_blame(s, p->index))
		err_prefix(e, "host program %s: ", p->name);
}

/* The turn that its steps have made ends. */
static void end_turn(struct session *s, struct session_program *p)
{
	p->mid_step = false;
	p->turns++;
	if (p->host->stream == HOST_ASKED && p->host->wake != NEVER)
		sim_expect_turn(s->sim, p->host->wake);
	programs_record_turn(s, p);
	if (p->host->ops->turn_over)
		p->host->ops->turn_over(s, p->host);
	if (!sim_cycle(s->sim)) /* the beginning lies behind the first turns */
		sim_rests(s->sim);
}

bool programs_step(struct session *s, struct session_program *p, struct err *e)
{
	s->host_torn = false;
	if (p->torn && !rebuild(s, p, p->turns, e)) {
		blame(s, p, e);
		return false;
	}
	const s64 stream = p->host->stream;
	const size_t printed = s->output.len;
	s->started = p->started = true;
	p->called = false;
	p->host->stream = HOST_ALL_STREAMS;
	if (!p->mid_step)
		sim_fork(s->sim);
	program_act_for(s, p);
	enum host_state state = p->ended && !program_begin_again(s, p, e) ? HOST_FAILED : p->host->ops->step(s, p->host, e);
	sum_checks(s);
	if (state == HOST_FAILED && e->interrupted && take_step_back(s, p, stream, printed))
		return false;
	p->mid_step = state == HOST_BUSY;
	if (p->mid_step)
		return true;
	end_turn(s, p);
	p->ended |= state == HOST_ENDED;
	if (state == HOST_FAILED)
		blame(s, p, e);
	return state != HOST_FAILED;
}

void programs_pause(struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (s->programs[i].mid_step)
			end_turn(s, &s->programs[i]);
}

void programs_abandon(struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++) {
		struct session_program *p = &s->programs[i];
		if (p->started && !p->ended && p->host->ops->abandon)
			p->host->ops->abandon(s, p->host);
	}
}

void programs_take_kernel_text(struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (s->programs[i].host->kernel_text)
			sim_take_printf_of(s->sim, i, s->programs[i].host->kernel_text);
	sim_take_printf(s->sim, &s->output);
}

bool programs_busy(const struct session *s)
{
	for (u32 i = 0; i < s->nprograms; i++)
		if (s->programs[i].mid_step)
			return true;
	return false;
}

static u32 turns_among(const struct session *s, const struct session_program *p, u32 all)
{
	u32 turns = 0;
	for (u32 i = 0; i < all; i++)
		turns += s->turn_of[i] == p->index + 1;
	return turns;
}

bool programs_reach(const struct session *s, u32 all, struct err *e)
{
	for (u32 k = 0; k < s->nprograms; k++) {
		const struct session_program *p = &s->programs[k];
		const u32 turns = turns_among(s, p, all);
		if (turns != p->turns && !program_reaches(p, turns))
			return err_set(
			    e,
			    "%s cannot be brought here, so the past is only to be looked at: what it was told is on record "
			    "for an earlier part of it (--set history.host_mb=%u keeps more)",
			    p->name, MAX(s->conf.history_host_mb * 4, 64u));
	}
	return true;
}

bool programs_bring_back(struct session *s, u32 all, struct err *e)
{
	s->started = false;
	for (u32 k = 0; k < s->nprograms; k++) {
		struct session_program *p = &s->programs[k];
		const u32 turns = turns_among(s, p, all);
		s->started |= turns > 0;
		if (turns == p->turns)
			continue;
		s->finished = p->ended = false;
		p->started = turns > 0;
		if (!rebuild(s, p, turns, e)) {
			blame(s, p, e);
			return false;
		}
	}
	return true;
}

/* --- figures --- */

void programs_stats(const struct session *s, struct program_stats *out)
{
	static const char *const checks[] = {[CHECK_NONE] = "none", [CHECK_PASS] = "pass", [CHECK_FAIL] = "fail"};
	for (u32 i = 0; i < s->nprograms; i++) {
		const struct session_program *p = &s->programs[i];
		program_counters_of(sim_gpu(s->sim), i, &out[i]);
		out[i].done &= p->ended || p->nruns > 1;
		/* Back before its end, what its end said is not known yet. */
		const bool early = p->check == CHECK_PASS && !out[i].done;
		out[i].of = (struct program_name){.name = p->name,
		                                  .runs = p->nruns,
		                                  .alone_cpi = p->alone.cpi,
		                                  .check = checks[early ? CHECK_NONE : p->check],
		                                  .check_message = strbuf_str(&p->check_message)};
	}
}
