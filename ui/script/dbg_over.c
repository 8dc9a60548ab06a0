/* dbg.over: figures of windows, for expressions. */
#include "dbg/debugger.h"
#include "dbg/windows.h"
#include "script/dbg_internal.h"
#include "lua/lua.h"

int lua_dbg_over(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	const char *probe = luaL_checkstring(L, 1);
	lua_Integer span = luaL_checkinteger(L, 2);
	struct err e = {0};
	double value;
	lua_check_main_thread(L, "dbg.over");
	bool at_rest = !d->run.in_run && !d->script.lua->in_callback;
	if (!window_over(d, probe, span < 0 ? 0 : (u64)span, at_rest, &value, &e))
		return luaL_error(L, "dbg.over: %s", e.msg);
	lua_pushnumber(L, value);
	return 1;
}
