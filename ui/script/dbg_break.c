/* Breakpoints with conditions in Lua: dbg.break_on, and `break ... if EXPRESSION` of the console. */
#include <stdio.h>

#include "commands/commands.h"
#include "dbg/debugger.h"
#include "script/dbg_internal.h"

static int keep_function(lua_State *L, void *ctx)
{
	*(int *)ctx = luaL_ref(L, LUA_REGISTRYINDEX);
	return 0;
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
	struct err none = {0};
	ok = lua_guarded(L, keep_function, &b->cond_ref, 1, 0, &none);
	return ok || err_set(e, "%s", none.msg);
}

static bool run_condition(struct debugger *d, struct breakpoint *b, const struct event *ev, bool *truth, struct err *e)
{
	lua_State *L = d->s->L;
	if (b->cond_ref < 0 && !compile_condition(d, b, e))
		return false;
	d->lua->in_callback++;
	bool ok = lua_dbg_call_with_event(d, b->cond_ref, ev, 1, e);
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

int lua_dbg_break_on(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	enum event_type t = lua_dbg_check_event(L, 1);
	struct event_filter f;
	struct err e = {0};
	lua_dbg_check_filter(L, 2, t, &f);
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
