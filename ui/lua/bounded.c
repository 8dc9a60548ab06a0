/* Functions of Lua's own library that scripts get in a bounded form: what loops in C hears neither the budget nor
 * Ctrl-C, and finalisers run whenever the collector does, in the middle of the machine's run and after its end. */
#include "lua/lua.h"

#include <lualib.h>

#include "base/base.h"

#define MOST_ELEMENTS (1ll << 28) /* more than these do not fit into LUA_MAX_BYTES */

/* Calls the library's function, upvalue 1, with the arguments that are there. */
static int call_library(lua_State *L)
{
	int n = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_call(L, n, LUA_MULTRET);
	return lua_gettop(L);
}

static int bounded_setmetatable(lua_State *L)
{
	if (lua_istable(L, 2)) {
		lua_pushliteral(L, "__gc");
		if (lua_rawget(L, 2) != LUA_TNIL)
			return luaL_error(L, "setmetatable: no __gc: when it would be called depends on the host's memory");
		lua_pop(L, 1);
	}
	return call_library(L);
}

/* Nothing, a billion times, is nothing. */
static int bounded_rep(lua_State *L)
{
	size_t text = 0, between = 0;
	luaL_checklstring(L, 1, &text);
	luaL_checkinteger(L, 2);
	luaL_optlstring(L, 3, "", &between);
	if (text || between)
		return call_library(L);
	lua_pushliteral(L, "");
	return 1;
}

static int bounded_move(lua_State *L)
{
	lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
	if (last >= first && (lua_Unsigned)last - (lua_Unsigned)first >= MOST_ELEMENTS)
		return luaL_error(L, "table.move: too many elements");
	return call_library(L);
}

/* insert and remove: a table's length is what its __len says. */
static int bounded_shift(lua_State *L)
{
	luaL_checkany(L, 1);
	if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL) {
		lua_pop(L, 1);
		if (luaL_len(L, 1) > MOST_ELEMENTS)
			return luaL_error(L, "the table says it has too many elements");
	}
	return call_library(L);
}

/* Replaces field `name` of the table on top by f, which knows what was there. */
static void replace(lua_State *L, const char *name, lua_CFunction f)
{
	lua_getfield(L, -1, name);
	lua_pushcclosure(L, f, 1);
	lua_setfield(L, -2, name);
}

void lua_bound_libraries(lua_State *L)
{
	lua_pushglobaltable(L);
	replace(L, "setmetatable", bounded_setmetatable);
	lua_getfield(L, -1, LUA_STRLIBNAME);
	replace(L, "rep", bounded_rep);
	lua_pop(L, 1);
	lua_getfield(L, -1, LUA_TABLIBNAME);
	replace(L, "move", bounded_move);
	replace(L, "insert", bounded_shift);
	replace(L, "remove", bounded_shift);
	lua_pop(L, 2);
}
