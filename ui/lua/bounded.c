/* Functions of Lua's own library that scripts get in a bounded form: what loops in C hears neither the budget nor
 * Ctrl-C, and finalisers run whenever the collector does, in the middle of the machine's run and after its end. */
#include "lua/bounded.h"

#include <lualib.h>

#include "base/base.h"

#define MOST_ELEMENTS (1ll << 28) /* more than these do not fit into LUA_MAX_BYTES */
#define MOST_PRETENDED (1 << 20)  /* by a metatable */
#define MOST_AT_ONCE (1 << 18)    /* numbers to be sorted: a tenth of a second */

int bounded_call_library(lua_State *L)
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
	return bounded_call_library(L);
}

/* Nothing, a billion times, is nothing. */
static int bounded_rep(lua_State *L)
{
	size_t text = 0, between = 0;
	luaL_checklstring(L, 1, &text);
	luaL_checkinteger(L, 2);
	luaL_optlstring(L, 3, "", &between);
	if (text || between)
		return bounded_call_library(L);
	lua_pushliteral(L, "");
	return 1;
}

static bool has_metatable(lua_State *L, int at)
{
	return lua_getmetatable(L, at) && (lua_pop(L, 1), true);
}

static bool too_many(lua_Integer first, lua_Integer last, lua_Unsigned most)
{
	return last >= first && (lua_Unsigned)last - (lua_Unsigned)first >= most;
}

static int bounded_move(lua_State *L)
{
	lua_Integer first = luaL_checkinteger(L, 2), last = luaL_checkinteger(L, 3);
	bool pretends = has_metatable(L, 1) || (lua_gettop(L) >= 5 && has_metatable(L, 5));
	if (too_many(first, last, pretends ? MOST_PRETENDED : MOST_ELEMENTS))
		return luaL_error(L, "table.move: too many elements");
	return bounded_call_library(L);
}

/* What is no element ends it, unless a metatable has an answer to every index. */
static int bounded_concat(lua_State *L)
{
	luaL_checkany(L, 1);
	if (has_metatable(L, 1)) {
		lua_Integer first = luaL_optinteger(L, 3, 1);
		lua_Integer last = lua_isnoneornil(L, 4) ? luaL_len(L, 1) : luaL_checkinteger(L, 4);
		if (too_many(first, last, MOST_PRETENDED))
			return luaL_error(L, "table.concat: too many elements");
	}
	return bounded_call_library(L);
}

/* insert and remove, and sort: a table's length is what its __len says, and its elements may come from a function of
 * the library. */
static int bounded_length(lua_State *L)
{
	luaL_checkany(L, 1);
	if (luaL_getmetafield(L, 1, "__len") != LUA_TNIL) {
		lua_pop(L, 1);
		if (luaL_len(L, 1) > MOST_PRETENDED)
			return luaL_error(L, "the table says it has too many elements");
	}
	return bounded_call_library(L);
}

/* Upvalue 2 is a comparison in Lua, where the library's loop hears the budget. Some numbers are sorted at once: where
 * the first element is one, all must be. */
static int bounded_sort(lua_State *L)
{
	bool plain = lua_istable(L, 1) && !has_metatable(L, 1) && lua_rawlen(L, 1) <= MOST_AT_ONCE;
	if (plain)
		plain = lua_rawgeti(L, 1, 1) == LUA_TNUMBER, lua_pop(L, 1);
	if (!plain && lua_isnoneornil(L, 2)) {
		lua_settop(L, 1);
		lua_pushvalue(L, lua_upvalueindex(2));
	}
	return bounded_length(L);
}

static void replace_sort(lua_State *L)
{
	lua_getfield(L, -1, "sort");
	if (luaL_loadstring(L, "local a, b = ... return a < b") != LUA_OK)
		lua_error(L);
	lua_pushcclosure(L, bounded_sort, 2);
	lua_setfield(L, -2, "sort");
}

void bounded_replace(lua_State *L, const char *name, lua_CFunction f)
{
	lua_getfield(L, -1, name);
	lua_pushcclosure(L, f, 1);
	lua_setfield(L, -2, name);
}

void lua_bound_libraries(lua_State *L)
{
	lua_pushglobaltable(L);
	bounded_replace(L, "setmetatable", bounded_setmetatable);
	bounded_protection(L);
	lua_getfield(L, -1, LUA_STRLIBNAME);
	bounded_replace(L, "rep", bounded_rep);
	bounded_patterns(L);
	lua_pop(L, 1);
	lua_getfield(L, -1, LUA_COLIBNAME);
	bounded_coroutines(L);
	lua_pop(L, 1);
	lua_getfield(L, -1, LUA_TABLIBNAME);
	bounded_replace(L, "move", bounded_move);
	bounded_replace(L, "insert", bounded_length);
	bounded_replace(L, "remove", bounded_length);
	replace_sort(L);
	bounded_replace(L, "concat", bounded_concat);
	lua_pop(L, 2);
	bounded_files(L);
}
