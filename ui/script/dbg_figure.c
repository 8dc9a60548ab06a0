/* dbg.figure: what a script has measured itself goes into the run's statistics. */
#include <ctype.h>
#include <stdlib.h>

#include "dbg/debugger.h"
#include "lua/lua.h"
#include "obs/stats/figures.h"
#include "script/dbg_internal.h"

#define VALUES_MAX 1000000

/* Before anything is allocated: an error of Lua's leaves nothing behind. */
static u32 check_list(lua_State *L)
{
	const lua_Unsigned n = lua_rawlen(L, 2);
	if (n > VALUES_MAX)
		luaL_error(L, "dbg.figure: %d values, more than %d", (int)MIN(n, (lua_Unsigned)INT32_MAX), VALUES_MAX);
	for (lua_Unsigned i = 1; i <= n; i++, lua_pop(L, 1))
		if (lua_rawgeti(L, 2, (lua_Integer)i) != LUA_TNUMBER)
			luaL_error(L, "dbg.figure: value %d of the list is %s, not a number", (int)i, luaL_typename(L, -1));
	return (u32)n;
}

static bool plain_name(const char *s)
{
	size_t n = 0;
	while (isalnum((unsigned char)s[n]) || s[n] == '_')
		n++;
	return n && n < 64 && !s[n];
}

int lua_dbg_figure(lua_State *L)
{
	struct session *s = lua_session(L);
	const char *name = luaL_checkstring(L, 1);
	const bool list = lua_istable(L, 2);
	luaL_argcheck(L, plain_name(name), 1, "letters, digits and _, at most 63");
	if (!list)
		luaL_checktype(L, 2, LUA_TNUMBER);
	const u32 n = list ? check_list(L) : 1;
	double *values = xcalloc(MAX(n, 1u), sizeof *values);
	for (u32 i = 0; i < n; i++) {
		if (list)
			lua_rawgeti(L, 2, i + 1);
		values[i] = lua_tonumber(L, -1);
		if (list)
			lua_pop(L, 1);
	}
	if (figures_set(&s->figures, name, values, n, list))
		return 0;
	free(values);
	return luaL_error(L, "dbg.figure: %d figures are all that a run has", FIGURES_MAX);
}
