/* Running the machine, and going back, from Lua: dbg.step, run_until, continue, goto_cycle, snapshot, execute. */
#include <stdio.h>

#include "dbg/goal.h"
#include "dbg/debugger.h"
#include "script/dbg_internal.h"

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
	lua_budget(L, LUA_BUDGET_HOST);
	strbuf_add(&d->s->output, strbuf_str(&out), before);
	d->log.output = d->s->output.len;
	lua_pushlstring(L, strbuf_str(&out) + before, out.len - before);
	strbuf_release(&out);
	return ok ? 1 : luaL_error(L, "%s", e.msg);
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
