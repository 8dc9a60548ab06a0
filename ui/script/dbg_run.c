/* Running the machine, and going back, from Lua: dbg.step, run_until, continue, goto_cycle, snapshot, execute. */
#include <stdio.h>
#include <string.h>

#include "dbg/goal.h"
#include "dbg/slices.h"
#include "dbg/debugger.h"
#include "dbg/whatif.h"
#include "gpu/verbs.h"
#include "session/inspections.h"
#include "script/dbg_internal.h"
#include "gpu/query_preempt.h"

static struct debugger *check_runnable(lua_State *L, const char *what)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	lua_check_main_thread(L, what);
	if (!can_run(d, &e) || d->run.goal.kind != GOAL_NONE)
		luaL_error(L, "%s: %s", what, e.set ? e.msg : "a run is under way");
	return d;
}

/* What a stop says goes to the output, behind what was printed before; returns the reason: "" = the goal was reached.
 */
static int drive(lua_State *L, struct debugger *d)
{
	struct strbuf out = STRBUF_INIT;
	take_output(d, &out);
	d->run.stop_reason[0] = 0;
	d->run.quiet = true;
	goal_drive(d, &out);
	d->run.quiet = false;
	lua_budget(L, LUA_BUDGET_HOST);
	strbuf_add(&d->s->output, strbuf_str(&out), out.len);
	d->log.output = d->s->output.len;
	strbuf_release(&out);
	lua_pushstring(L, d->run.stop_reason);
	return 1;
}

int lua_dbg_step(lua_State *L)
{
	struct debugger *d = check_runnable(L, "dbg.step");
	lua_Integer n = luaL_optinteger(L, 1, 1);
	luaL_argcheck(L, n >= 1, 1, "at least 1 cycle");
	set_goal(d, GOAL_CYCLE, sim_cycle(d->s->sim) + (u64)n);
	return drive(L, d);
}

int lua_dbg_continue(lua_State *L)
{
	struct debugger *d = check_runnable(L, "dbg.continue");
	set_goal(d, GOAL_CONTINUE, NEVER);
	return drive(L, d);
}

static int until_event(lua_State *L, struct debugger *d, enum event_type t)
{
	struct event_filter f;
	lua_dbg_check_filter(L, 2, t, &f);
	set_goal(d, GOAL_EVENT, NEVER);
	struct breakpoint *b = break_new_event(&d->breaks, t, event_descs[t].name);
	break_make_internal(&d->breaks, b);
	b->filter = f;
	d->run.goal.breakpoint = b->id;
	debugger_resubscribe(d);
	return drive(L, d);
}

int lua_dbg_run_until(lua_State *L)
{
	struct debugger *d = check_runnable(L, "dbg.run_until");
	if (lua_isinteger(L, 1)) {
		lua_Integer c = lua_tointeger(L, 1);
		luaL_argcheck(L, c > (lua_Integer)sim_cycle(d->s->sim), 1, "that cycle has passed");
		set_goal(d, GOAL_CYCLE, (u64)c);
		return drive(L, d);
	}
	if (lua_type(L, 1) == LUA_TSTRING)
		return until_event(L, d, lua_dbg_check_event(L, 1));
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_pushvalue(L, 1);
	int ref = luaL_ref(L, LUA_REGISTRYINDEX);
	set_goal(d, GOAL_EXPR, NEVER);
	d->run.goal.fn = ref;
	return drive(L, d);
}

int lua_dbg_execute(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	const char *line = luaL_checkstring(L, 1);
	lua_check_may_change(L, "dbg.execute");
	lua_check_main_thread(L, "dbg.execute");
	take_output(d, &out); /* printed before: keeps its place */
	size_t before = out.len;
	d->script.scripted++;
	bool ok = debugger_execute(d, line, &out, &e);
	d->script.scripted--;
	if (ok && d->run.goal.kind != GOAL_NONE)
		goal_drive(d, &out);
	whatif_drive(d, &out);
	lua_budget(L, LUA_BUDGET_HOST);
	strbuf_add(&d->s->output, strbuf_str(&out), before);
	d->log.output = d->s->output.len;
	lua_pushlstring(L, strbuf_str(&out) + before, out.len - before);
	strbuf_release(&out);
	return ok ? 1 : luaL_error(L, "%s", e.msg);
}

/* Adds " sm 3,5" to the line on the top, of a list at an index. Errors leave nothing behind: the line is Lua's. */
static void add_sms(lua_State *L, int list)
{
	const lua_Integer n = luaL_len(L, list);
	for (lua_Integer i = 1; i <= n; i++) {
		lua_geti(L, list, i);
		lua_pushfstring(L, "%s%I", i > 1 ? "," : " sm ", (LUAI_UACINT)luaL_checkinteger(L, -1));
		lua_replace(L, -2);
		lua_concat(L, 2);
	}
}

static void add_name(void *ctx, const char *name, const char *says)
{
	struct strbuf *all = ctx;
	strbuf_adds(all, name);
	strbuf_addc(all, '\n');
}

/* A list of the lines of a text: the text is Lua's, an error leaves nothing behind. */
static void push_lines(lua_State *L, const char *text)
{
	lua_newtable(L);
	for (lua_Integer i = 1; *text; i++) {
		const size_t n = strcspn(text, "\n");
		lua_pushlstring(L, text, n);
		lua_rawseti(L, -2, i);
		text += n + (text[n] == '\n');
	}
}

int lua_dbg_inspect(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	char names[2048] = "";
	if (lua_isnoneornil(L, 1)) {
		struct strbuf all = STRBUF_INIT;
		inspections_each(d->s->data_dir, add_name, &all);
		snprintf(names, sizeof names, "%s", strbuf_str(&all));
		strbuf_release(&all);
		push_lines(L, names);
		return 1;
	}
	struct err e = {0};
	const char *name = luaL_checkstring(L, 1);
	if (!inspection_known(d->s->data_dir, name, &e))
		return luaL_error(L, "dbg.inspect: %s", e.msg);
	lua_settop(L, 1);
	lua_pushfstring(L, "inspect %s", name);
	lua_replace(L, 1);
	return lua_dbg_execute(L);
}

/* Executes the line on the top; what it says is not shown. */
static void execute_made(lua_State *L)
{
	lua_pushcfunction(L, lua_dbg_execute);
	lua_insert(L, -2);
	lua_call(L, 1, 0);
}

int lua_dbg_preempt(lua_State *L)
{
	enum { TABLE = 1, KERNEL, WITHIN, BY, SMS };
	luaL_checktype(L, TABLE, LUA_TTABLE);
	lua_settop(L, TABLE);
	lua_getfield(L, TABLE, "kernel");
	lua_getfield(L, TABLE, "within");
	lua_getfield(L, TABLE, "by");
	lua_getfield(L, TABLE, "sms");
	lua_pushliteral(L, "preempt");
	if (!lua_isnil(L, KERNEL)) {
		lua_pushfstring(L, " kernel %I", (LUAI_UACINT)luaL_checkinteger(L, KERNEL));
		lua_concat(L, 2);
	}
	if (lua_istable(L, SMS)) {
		add_sms(L, SMS);
	} else {
		lua_pushfstring(L, " sms %I", (LUAI_UACINT)luaL_checkinteger(L, SMS));
		lua_concat(L, 2);
	}
	lua_pushfstring(L, " within %f", (LUAI_UACNUMBER)luaL_checknumber(L, WITHIN));
	lua_concat(L, 2);
	if (!lua_isnil(L, BY)) {
		lua_pushfstring(L, " by %s", luaL_checkstring(L, BY));
		lua_concat(L, 2);
	}
	execute_made(L);
	lua_pushinteger(L, gpu_requests(dbg_gpu(lua_dbg_of(L))));
	return 1;
}

int lua_dbg_give_back(lua_State *L)
{
	lua_settop(L, 1);
	lua_pushliteral(L, "release");
	if (lua_isnil(L, 1)) {
		lua_pushliteral(L, " sms");
		lua_concat(L, 2);
	} else {
		luaL_checktype(L, 1, LUA_TTABLE);
		add_sms(L, 1);
	}
	execute_made(L);
	return 0;
}

/* By the way of the command, so that `undo`, breakpoints and displays know of it. */
int lua_dbg_goto_cycle(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct strbuf out = STRBUF_INIT;
	struct err e = {0};
	char line[40];
	lua_Integer cycle = luaL_checkinteger(L, 1);
	luaL_argcheck(L, cycle >= 0, 1, "a cycle is expected");
	lua_check_may_change(L, "dbg.goto_cycle");
	lua_check_main_thread(L, "dbg.goto_cycle");
	snprintf(line, sizeof(line), "goto %lld", (long long)cycle);
	bool ok = debugger_execute(d, line, &out, &e);
	strbuf_release(&out);
	return ok ? 0 : luaL_error(L, "dbg.goto_cycle: %s", e.msg);
}

int lua_dbg_snapshot(lua_State *L)
{
	struct err e = {0};
	struct sim *s = lua_check_sim(L);
	lua_check_may_change(L, "dbg.snapshot");
	lua_check_main_thread(L, "dbg.snapshot");
	if (!sim_snapshot(s, &e)) {
		lua_pushnil(L);
		lua_pushstring(L, e.msg);
		return 2;
	}
	lua_pushinteger(L, (lua_Integer)sim_cycle(s));
	return 1;
}
