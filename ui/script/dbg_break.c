/* Breakpoints with conditions in Lua: dbg.break_on, and `break ... if EXPRESSION` of the console. */
#include <stdio.h>

#include "dbg/debugger.h"
#include "script/dbg_internal.h"

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
	if (cond && !lua_dbg_check_condition(d, cond, &e))
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
