/* dbg.*: subscriptions, breakpoints and running from Lua; and evaluating Lua for the console. */
#include "lua/dbg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "debugger.h"
#include "lua/hooks.h"

struct subscription {
	u32 id;
	bool enabled;
	enum event_type type;
	struct event_filter filter;
	int ref; /* of the function, in the registry */
};
#define SUBSCRIPTIONS_MAX 1000
struct dbg_lua {
	struct subscription *subs;
	u32 n, next_id;
	bool holes; /* some entries have ended (id 0) while the array was walked */
	u64 mask;
	u32 in_callback, looking;
	struct strbuf error; /* of a callback, until reported */
};
#define DEBUGGER_KEY "warpdbg.debugger" /* registry: box of the state's debugger */
struct box {
	struct debugger *d;
	bool owned; /* made for a script: goes with the state */
};

/* --- the state's debugger --------------------------------------------------------------------------------------------
 */

static struct box *box_of(lua_State *L)
{
	lua_getfield(L, LUA_REGISTRYINDEX, DEBUGGER_KEY);
	struct box *b = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return b;
}

struct debugger *lua_dbg_of(lua_State *L)
{
	struct box *b = box_of(L);
	struct session *s = lua_session(L);
	if (!s || !s->sim || !b)
		luaL_error(L, "there is no machine here");
	if (!b->d) {
		debugger_new(s); /* attaches itself */
		b->owned = true;
	}
	return b->d;
}

static int box_gc(lua_State *L)
{
	struct box *b = lua_touserdata(L, 1);
	struct debugger *d = b->d;
	b->d = NULL;
	if (d && b->owned) {
		d->subscribed_to = NULL; /* the machine may be gone already */
		d->lua->n = 0;           /* and the registry is going */
		debugger_free(d);
	}
	return 0;
}

struct debugger *lua_dbg_present(struct session *s)
{
	struct box *b = s->L ? box_of(s->L) : NULL;
	return b ? b->d : NULL;
}

struct debugger *lua_dbg_adopted(struct session *s)
{
	struct box *b = box_of(s->L);
	if (!b || !b->d)
		return NULL;
	b->owned = false;
	return b->d;
}

void lua_dbg_attach(struct debugger *d)
{
	struct box *b = box_of(d->s->L);
	d->lua = xcalloc(1, sizeof(*d->lua));
	d->lua->next_id = 1;
	if (b) {
		b->d = d;
		b->owned = false;
	}
}

void lua_dbg_release(struct debugger *d)
{
	struct box *b = d->s->L ? box_of(d->s->L) : NULL;
	if (b && b->d == d)
		b->d = NULL;
	lua_hooks_release(d);
	strbuf_release(&d->lua->error);
	free(d->lua->subs);
	free(d->lua);
	d->lua = NULL;
}

void lua_dbg_unref(struct debugger *d, int ref)
{
	if (ref >= 0 && d->s->L)
		luaL_unref(d->s->L, LUA_REGISTRYINDEX, ref);
}

bool lua_dbg_in_callback(const struct debugger *d)
{
	return d->lua && (d->lua->in_callback || d->lua->looking);
}

void lua_dbg_look_begins(struct debugger *d)
{
	d->lua->looking++;
}

void lua_dbg_look_ends(struct debugger *d)
{
	d->lua->looking--;
}

bool lua_dbg_looking(const struct debugger *d)
{
	return d->lua->looking;
}

void lua_dbg_callback_begins(struct debugger *d)
{
	d->lua->in_callback++;
}

void lua_dbg_callback_ends(struct debugger *d)
{
	d->lua->in_callback--;
}

u32 lua_dbg_new_id(struct debugger *d)
{
	return d->lua->next_id++;
}

struct sim *lua_check_sim(lua_State *L)
{
	struct session *s = lua_session(L);
	if (!s || !s->sim)
		luaL_error(L, "there is no machine here");
	return s->sim;
}

struct gpu *lua_check_gpu(lua_State *L)
{
	return sim_gpu(lua_check_sim(L));
}

void lua_check_may_subscribe(lua_State *L, const char *what)
{
	struct session *s = lua_session(L);
	struct box *b = box_of(L);
	if (s && s->replaying)
		luaL_error(L, "%s: not while searching back: breakpoints, subscriptions and the machine stay as they are",
		           what);
	if (b && b->d && lua_dbg_looking(b->d))
		luaL_error(L,
		           "%s: expressions that are watched, displayed or waited for may look at the machine, not change it",
		           what);
}

void lua_check_may_change(lua_State *L, const char *what)
{
	struct box *b = box_of(L);
	lua_check_may_subscribe(L, what);
	if (b && b->d && lua_dbg_in_callback(b->d))
		luaL_error(L, "%s: callbacks and conditions may look at the machine, not change it", what);
}

/* --- events
 * --------------------------------------------------------------------------------------------------------------- */

static void set_int(lua_State *L, const char *name, lua_Integer v)
{
	lua_pushinteger(L, v);
	lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}

static void push_event(lua_State *L, struct gpu *g, const struct event *ev)
{
	const struct event_desc *x = &event_descs[ev->type];
	lua_createtable(L, 0, 12);
	set_text(L, "event", x->name);
	set_int(L, "cycle", (lua_Integer)ev->cycle);
	if (lua_hooks_seen_before(lua_session(L))) {
		lua_pushboolean(L, true);
		lua_setfield(L, -2, "replay");
	}
	if (ev->sm >= 0)
		set_int(L, "sm", ev->sm);
	if (ev->warp >= 0)
		set_int(L, "warp", ev->warp);
	if (ev->cta >= 0)
		set_int(L, "cta", ev->cta);
	if (ev->kernel >= 0)
		set_int(L, "kernel", ev->kernel);
	if (ev->kernel >= 0 && (u32)ev->kernel < gpu_num_kernels(g))
		set_text(L, "kernel_name", gpu_launched(g, (u32)ev->kernel)->fn->name);
	if (ev->warp >= 0 && ev->kernel >= 0)
		set_int(L, "pc", ev->pc);
	for (u32 i = 0; i < 4; i++)
		if (*x->arg[i])
			set_int(L, x->arg[i], (lua_Integer)ev->arg[i]);
	if ((ev->type == EV_WARP_STALL || ev->type == EV_WARP_READY) && ev->arg[0] < WS_COUNT)
		set_text(L, "state_name", warp_state_descs[ev->arg[0]].name);
	if (ev->type == EV_SCHED_DEMOTE && ev->arg[1] < WS_COUNT)
		set_text(L, "state_name", warp_state_descs[ev->arg[1]].name);
	if (ev->type == EV_STALL && ev->arg[1] < ST_COUNT)
		set_text(L, "reason_name", stall_descs[ev->arg[1]].name[TAX_BASE]);
}

u64 lua_dbg_mask(const struct debugger *d)
{
	return d->lua ? d->lua->mask : 0;
}

static void update_mask(struct debugger *d)
{
	d->lua->mask = 0;
	for (u32 i = 0; i < d->lua->n; i++)
		if (d->lua->subs[i].enabled)
			d->lua->mask |= BIT(d->lua->subs[i].type);
	debugger_resubscribe(d);
}

void lua_dbg_keep_error(struct debugger *d, const char *what, const struct err *e)
{
	if (!d->lua->error.len)
		strbuf_addf(&d->lua->error, "%s: %s", what, e->msg);
}

bool lua_dbg_take_error(struct debugger *d, struct strbuf *out)
{
	if (!d->lua->error.len)
		return false;
	strbuf_adds(out, d->lua->error.buf);
	strbuf_clear(&d->lua->error);
	return true;
}

static bool call_subscriber(struct debugger *d, struct subscription *s, const struct event *ev)
{
	lua_State *L = d->s->L;
	struct err e = {0};
	char what[64];
	u32 id = s->id;
	lua_rawgeti(L, LUA_REGISTRYINDEX, s->ref);
	push_event(L, dbg_gpu(d), ev);
	d->lua->in_callback++;
	bool ok = lua_dbg_call(d, 1, 0, &e);
	d->lua->in_callback--;
	if (ok)
		return lua_hooks_stop_asked(d);
	for (u32 i = 0; i < d->lua->n && !d->s->replaying; i++) /* the callback may have moved the array */
		if (d->lua->subs[i].id == id)
			d->lua->subs[i].enabled = false;
	snprintf(what, sizeof(what), "dbg.on callback %u (%s) failed%s", id, event_descs[ev->type].name,
	         d->s->replaying ? "" : " and is off");
	lua_dbg_keep_error(d, what, &e);
	return true;
}

static void close_holes(struct dbg_lua *l)
{
	u32 n = 0;
	for (u32 i = 0; i < l->n; i++)
		if (l->subs[i].id)
			l->subs[n++] = l->subs[i];
	l->n = n;
	l->holes = false;
}

bool lua_dbg_event(struct debugger *d, const struct event *ev)
{
	bool stop = false;
	const u32 n = d->lua->n; /* what a callback subscribes to now it hears from the next event on */
	if (!(d->lua->mask >> ev->type & 1))
		return false;
	for (u32 i = 0; i < n; i++) {
		struct subscription *s = &d->lua->subs[i];
		if (s->enabled && s->type == ev->type && event_filter_match(&s->filter, dbg_gpu(d), ev))
			stop |= call_subscriber(d, s, ev);
	}
	if (d->lua->holes)
		close_holes(d->lua);
	return stop;
}

/* Compiled at its first use: the function takes the event as e. */
static bool compile_condition(struct debugger *d, struct breakpoint *b, struct err *e)
{
	lua_State *L = d->s->L;
	struct strbuf code = STRBUF_INIT;
	strbuf_addf(&code, "local e = ...; return %s", b->cond);
	bool ok = luaL_loadbufferx(L, code.buf, code.len, "=condition", "t") == LUA_OK;
	strbuf_release(&code);
	if (!ok) {
		err_set(e, "%s", lua_tostring(L, -1));
		lua_pop(L, 1);
		return false;
	}
	b->cond_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	return true;
}

static bool run_condition(struct debugger *d, struct breakpoint *b, const struct event *ev, bool *truth, struct err *e)
{
	lua_State *L = d->s->L;
	if (b->cond_ref < 0 && !compile_condition(d, b, e))
		return false;
	lua_rawgeti(L, LUA_REGISTRYINDEX, b->cond_ref);
	push_event(L, dbg_gpu(d), ev);
	d->lua->in_callback++;
	bool ok = lua_dbg_call(d, 1, 1, e);
	d->lua->in_callback--;
	if (!ok)
		return false;
	*truth = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return true;
}

/* A condition that fails stops there, as gdb does: silence would hide the mistake. */
bool lua_dbg_condition(void *ctx, struct breakpoint *b, const struct event *ev)
{
	struct debugger *d = ctx;
	struct err e = {0};
	bool truth = false;
	char what[64];
	if (run_condition(d, b, ev, &truth, &e))
		return truth;
	lua_dbg_first_line(&e);
	if (b->internal) /* `until stat`'s: it has no number */
		snprintf(what, sizeof(what), "the condition failed");
	else
		snprintf(what, sizeof(what), "the condition of %s %u failed", b->kind == BK_WATCH ? "watchpoint" : "breakpoint",
		         b->id);
	lua_dbg_keep_error(d, what, &e);
	return true;
}

/* --- the module
 * ------------------------------------------------------------------------------------------------------------ */

static enum event_type check_event(lua_State *L, int at)
{
	const char *name = luaL_gsub(L, luaL_checkstring(L, at), "_", "-");
	int t = event_find(name);
	if (t < 0) {
		const char *names[EV_COUNT];
		for (u32 i = 0; i < EV_COUNT; i++)
			names[i] = event_descs[i].name;
		const char *near = conf_nearest(name, names, EV_COUNT);
		luaL_error(L, "there is no event '%s'%s%s%s (dbg.events() lists them)", name, near ? "; did you mean '" : "",
		           near ? near : "", near ? "'?" : "");
	}
	lua_pop(L, 1);
	return (enum event_type)t;
}

static void check_filter(lua_State *L, int at, enum event_type t, struct event_filter *f)
{
	event_filter_any(f);
	if (lua_isnoneornil(L, at))
		return;
	luaL_checktype(L, at, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, at)) {
		struct err e = {0};
		char text[128];
		if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "filter: keys are names (sm, kernel, cta, warp or the event's arguments)");
		if (lua_isinteger(L, -1))
			snprintf(text, sizeof(text), "%llu", (unsigned long long)lua_tointeger(L, -1));
		else if (lua_type(L, -1) == LUA_TSTRING)
			snprintf(text, sizeof(text), "%s", lua_tostring(L, -1));
		else
			luaL_error(L, "filter: %s = %s: a whole number or name is expected", lua_tostring(L, -2),
			           luaL_typename(L, -1));
		if (!event_filter_add(f, t, lua_tostring(L, -2), text, &e))
			luaL_error(L, "filter: %s", e.msg);
		lua_pop(L, 1);
	}
}

static int dbg_on(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct subscription s = {.enabled = true, .type = check_event(L, 1)};
	int fn = lua_isfunction(L, 2) ? 2 : 3;
	lua_check_may_subscribe(L, "dbg.on");
	check_filter(L, fn == 2 ? 4 : 2, s.type, &s.filter);
	luaL_checktype(L, fn, LUA_TFUNCTION);
	if (d->lua->n >= SUBSCRIPTIONS_MAX)
		luaL_error(L, "dbg.on: there are %d subscriptions already (dbg.off ends one)", SUBSCRIPTIONS_MAX);
	lua_pushvalue(L, fn);
	s.ref = luaL_ref(L, LUA_REGISTRYINDEX);
	s.id = d->lua->next_id++;
	d->lua->subs = xrealloc(d->lua->subs, (d->lua->n + 1) * sizeof(s));
	d->lua->subs[d->lua->n++] = s;
	update_mask(d);
	lua_pushinteger(L, s.id);
	return 1;
}

static int dbg_off(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	lua_Integer id = luaL_checkinteger(L, 1);
	lua_check_may_subscribe(L, "dbg.off");
	if (lua_hooks_off(d, id))
		return 0;
	for (u32 i = 0; i < d->lua->n; i++)
		if (d->lua->subs[i].id == id) {
			luaL_unref(L, LUA_REGISTRYINDEX, d->lua->subs[i].ref);
			/* within a callback the array is being walked: the entry stays, deaf */
			if (d->lua->in_callback) {
				d->lua->subs[i].enabled = false;
				d->lua->subs[i].ref = LUA_NOREF;
				d->lua->subs[i].id = 0;
				d->lua->holes = true;
			} else {
				memmove(&d->lua->subs[i], &d->lua->subs[i + 1], (d->lua->n - i - 1) * sizeof(*d->lua->subs));
				d->lua->n--;
			}
			update_mask(d);
			return 0;
		}
	return luaL_error(L, "dbg.off: there is no subscription %I", id);
}

static int dbg_break_on(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	enum event_type t = check_event(L, 1);
	struct event_filter f;
	struct err e = {0};
	check_filter(L, 2, t, &f);
	const char *cond = lua_type(L, 3) == LUA_TSTRING ? lua_tostring(L, 3) : NULL;
	if (!cond && !lua_isnoneornil(L, 3))
		luaL_checktype(L, 3, LUA_TFUNCTION);
	if (cond && !lua_dbg_check_expr(d, cond, &e))
		return luaL_error(L, "%s", e.msg);
	lua_check_may_change(L, "dbg.break_on");
	struct breakpoint *b = break_new_event(&d->breaks, t, event_descs[t].name);
	b->filter = f;
	if (cond)
		b->cond = xstrdup(cond);
	if (lua_isfunction(L, 3)) {
		b->cond = xstrdup("(Lua function)");
		lua_pushvalue(L, 3);
		b->cond_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	}
	debugger_resubscribe(d);
	lua_pushinteger(L, b->id);
	return 1;
}

/* Coroutines are host programs: they run inside the machine's run. */
static void check_main_thread(lua_State *L, const char *what)
{
	if (!lua_pushthread(L))
		luaL_error(L, "%s cannot be called from a host program or coroutine: it runs the machine that runs them", what);
	lua_pop(L, 1);
}

static struct debugger *check_runnable(lua_State *L, const char *what)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	check_main_thread(L, what);
	if (!can_run(d, &e) || d->goal.kind != GOAL_NONE)
		luaL_error(L, "%s: %s", what, e.set ? e.msg : "a run is under way");
	return d;
}

/* What a stop says goes to the output, behind what was printed before; returns the reason: "" = the goal was reached.
 */
static int drive(lua_State *L, struct debugger *d)
{
	struct strbuf out = STRBUF_INIT;
	take_output(d, &out);
	d->stop_reason[0] = 0;
	d->quiet = true;
	goal_drive(d, &out);
	d->quiet = false;
	lua_budget(L, LUA_BUDGET_HOST);
	strbuf_add(&d->s->output, strbuf_str(&out), out.len);
	d->output_logged = d->s->output.len;
	strbuf_release(&out);
	lua_pushstring(L, d->stop_reason);
	return 1;
}

static int dbg_step(lua_State *L)
{
	struct debugger *d = check_runnable(L, "dbg.step");
	lua_Integer n = luaL_optinteger(L, 1, 1);
	luaL_argcheck(L, n >= 1, 1, "at least 1 cycle");
	set_goal(d, GOAL_CYCLE, sim_cycle(d->s->sim) + (u64)n);
	return drive(L, d);
}

static int dbg_continue(lua_State *L)
{
	struct debugger *d = check_runnable(L, "dbg.continue");
	set_goal(d, GOAL_CONTINUE, NEVER);
	return drive(L, d);
}

static int until_event(lua_State *L, struct debugger *d, enum event_type t)
{
	struct event_filter f;
	check_filter(L, 2, t, &f);
	set_goal(d, GOAL_EVENT, NEVER);
	struct breakpoint *b = break_new_event(&d->breaks, t, event_descs[t].name);
	break_make_internal(&d->breaks, b);
	b->filter = f;
	d->goal.breakpoint = b->id;
	debugger_resubscribe(d);
	return drive(L, d);
}

static int dbg_run_until(lua_State *L)
{
	struct debugger *d = check_runnable(L, "dbg.run_until");
	if (lua_isinteger(L, 1)) {
		lua_Integer c = lua_tointeger(L, 1);
		luaL_argcheck(L, c > (lua_Integer)sim_cycle(d->s->sim), 1, "that cycle has passed");
		set_goal(d, GOAL_CYCLE, (u64)c);
		return drive(L, d);
	}
	if (lua_type(L, 1) == LUA_TSTRING)
		return until_event(L, d, check_event(L, 1));
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_pushvalue(L, 1);
	int ref = luaL_ref(L, LUA_REGISTRYINDEX);
	set_goal(d, GOAL_EXPR, NEVER);
	d->goal.fn = ref;
	return drive(L, d);
}

static int dbg_execute(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	const char *line = luaL_checkstring(L, 1);
	lua_check_may_change(L, "dbg.execute");
	check_main_thread(L, "dbg.execute");
	take_output(d, &out); /* printed before: keeps its place */
	size_t before = out.len;
	d->scripted++;
	bool ok = debugger_execute(d, line, &out, &e);
	d->scripted--;
	if (ok && d->goal.kind != GOAL_NONE)
		goal_drive(d, &out);
	lua_budget(L, LUA_BUDGET_HOST);
	strbuf_add(&d->s->output, strbuf_str(&out), before);
	d->output_logged = d->s->output.len;
	lua_pushlstring(L, strbuf_str(&out) + before, out.len - before);
	strbuf_release(&out);
	return ok ? 1 : luaL_error(L, "%s", e.msg);
}

/* By the way of the command, so that `undo`, breakpoints and displays know of it. */
static int dbg_goto_cycle(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	char line[40];
	lua_Integer cycle = luaL_checkinteger(L, 1);
	luaL_argcheck(L, cycle >= 0, 1, "a cycle is expected");
	lua_check_may_change(L, "dbg.goto_cycle");
	check_main_thread(L, "dbg.goto_cycle");
	snprintf(line, sizeof(line), "goto %lld", (long long)cycle);
	bool ok = debugger_execute(d, line, &out, &e);
	strbuf_release(&out);
	return ok ? 0 : luaL_error(L, "dbg.goto_cycle: %s", e.msg);
}

static int dbg_snapshot(lua_State *L)
{
	struct err e = {0};
	struct sim *s = lua_check_sim(L);
	lua_check_may_change(L, "dbg.snapshot");
	check_main_thread(L, "dbg.snapshot");
	if (!sim_snapshot(s, &e))
		return luaL_error(L, "dbg.snapshot: %s", e.msg);
	lua_pushinteger(L, (lua_Integer)sim_cycle(s));
	return 1;
}

static int dbg_export(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	u32 sms = gpu_conf(lua_check_gpu(L))->num_sms;
	const char *format = luaL_checkstring(L, 1), *file = luaL_checkstring(L, 2);
	lua_Integer sm = luaL_optinteger(L, 3, -1);
	luaL_argcheck(L, sm >= -1 && sm < (lua_Integer)sms, 3, "no such SM");
	d->scripted++;
	bool ok = export_now(d, format, file, (s32)sm, &e);
	d->scripted--;
	return ok ? 0 : luaL_error(L, "dbg.export: %s", e.msg);
}

static int dbg_events(lua_State *L)
{
	lua_createtable(L, EV_COUNT, 0);
	for (u32 i = 0; i < EV_COUNT; i++) {
		lua_pushstring(L, event_descs[i].name);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

static int dbg_focus(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	debugger_refresh_focus(d);
	lua_createtable(L, 0, 6);
	set_int(L, "sm", d->focus.sm);
	set_int(L, "warp", d->focus.warp);
	set_int(L, "lane", d->focus.lane);
	if (d->focus.kernel >= 0) {
		set_int(L, "kernel", d->focus.kernel);
		set_int(L, "cta", d->focus.cta);
		set_int(L, "cta_slot", d->focus.cta_slot);
	}
	return 1;
}

static int dbg_reason(lua_State *L)
{
	lua_pushstring(L, lua_dbg_of(L)->stop_reason);
	return 1;
}

/* One row a function: the registration and the reference come from it. */
#define DBG_FUNCTIONS                                                                                                  \
	D("on", dbg_on, "dbg.on(event, [filter,] function(e)) -> id",                                                      \
	  "event: string, a name of dbg.events(), - or _ in it; filter: table NAME = integer (kernel: or its "             \
	  "name), sm kernel cta warp or an argument of the event; id: integer, for dbg.off; e: table of "                  \
	  "integers: cycle, sm, warp, cta, kernel, pc and the arguments, as far as the event has them; "                   \
	  "strings: event, kernel_name, state_name, reason_name",                                                          \
	  "calls the function at the end of each cycle for each such event; the filter is decided before Lua "             \
	  "is entered; state_name and reason_name put the arguments state and reason into words; e.replay = "              \
	  "true where it is told again after going back in time",                                                          \
	  "no such event or filter; a filter of another type. An error in the function stops the run, with "               \
	  "its traceback, and ends the subscription. More than 1000 subscriptions")                                        \
	D("off", dbg_off, "dbg.off(id)", "id: integer", "ends what dbg.on, at_end, at_start or sample began",              \
	  "there is none of that id")                                                                                      \
	LUA_HOOK_FUNCTIONS                                                                                                 \
	D("break_on", dbg_break_on, "dbg.break_on(event, [filter, [function(e) | expression]]) -> number",                 \
	  "event, filter, e: as of dbg.on; expression: string, Lua that may use e; number: integer, as in "                \
	  "`info breakpoints`",                                                                                            \
	  "a breakpoint; with a condition it stops only when that is true",                                                \
	  "no such event or filter; the expression is no Lua; within a callback")                                          \
	D("step", dbg_step, "dbg.step([n]) -> reason", "n: integer, cycles, at least 1; reason: string",                   \
	  "simulates n cycles (1); reason is \"\" unless something else stopped it",                                       \
	  "n below 1; the program has finished or cannot go on; within a callback, a host program or a "                   \
	  "coroutine")                                                                                                     \
	D("run_until", dbg_run_until, "dbg.run_until(cycle | event [, filter] | function) -> reason",                      \
	  "cycle: integer, later than now; event, filter: as of dbg.on; function: called without arguments; "              \
	  "reason: string",                                                                                                \
	  "runs to a cycle, an event, or until the function, called after every cycle, returns true; reason "              \
	  "is \"\" unless something else stopped it",                                                                      \
	  "a cycle that has passed; no such event or filter; as dbg.step")                                                 \
	D("continue", dbg_continue, "dbg.continue() -> reason", "reason: string", "runs until something stops it",         \
	  "as dbg.step")                                                                                                   \
	D("goto_cycle", dbg_goto_cycle, "dbg.goto_cycle(cycle)", "cycle: integer",                                         \
	  "brings back any cycle of the run, as the command goto does, without saying where it is then",                   \
	  "a cycle that is not in history; no history; as dbg.step")                                                       \
	D("snapshot", dbg_snapshot, "dbg.snapshot() -> cycle", "cycle: integer, the present one, for dbg.goto_cycle",      \
	  "takes a snapshot of the whole state, so that coming back here takes no replay; it is thinned with age "         \
	  "like the debugger's own",                                                                                       \
	  "no history; as dbg.step")                                                                                       \
	D("execute", dbg_execute, "dbg.execute(command) -> text",                                                          \
	  "command: string, a line of the console; text: string, lines",                                                   \
	  "executes a console command, runs included, and returns what it says",                                           \
	  "the command's own; within a callback, a host program or a coroutine")                                           \
	D("export", dbg_export, "dbg.export(format, file [, sm])",                                                         \
	  "format: string, csv phases-csv phases-svg trace json; file: string, a path; sm: integer, for "                  \
	  "phases-svg (all SMs)",                                                                                          \
	  "writes what has been recorded, as the command `export` does; needs --allow-io",                                 \
	  "no --allow-io; no such format or SM; nothing of that kind is recorded; the file cannot be written")             \
	D("events", dbg_events, "dbg.events() -> list", "list: strings, from 1", "names of all events", "")                \
	D("focus", dbg_focus, "dbg.focus() -> {sm, warp, lane, kernel, cta, cta_slot}",                                    \
	  "integers; kernel, cta and cta_slot are nil on an empty warp slot", "where the focus is", "")                    \
	D("reason", dbg_reason, "dbg.reason() -> text", "text: string, \"\" before the first stop",                        \
	  "what the last stop said", "")

static const luaL_Reg dbg_functions[] = {
#define D(name, fn, signature, values, text, errors) {name, fn},
    DBG_FUNCTIONS
#undef D
    {NULL, NULL}};
const struct lua_doc lua_dbg_docs[] = {
#define D(name, fn, signature, values, text, errors) {"dbg." name, signature, values, text, errors},
    DBG_FUNCTIONS
#undef D
    {NULL, NULL, NULL, NULL, NULL}};

void lua_open_dbg(struct lua_State *L, struct session *s)
{
	struct box *b = lua_newuserdatauv(L, sizeof(*b), 0);
	*b = (struct box){0};
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, box_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	lua_setfield(L, LUA_REGISTRYINDEX, DEBUGGER_KEY);
	luaL_newlib(L, dbg_functions);
	lua_setglobal(L, "dbg");
	lua_open_gpu(L);
	lua_open_mem(L);
}
