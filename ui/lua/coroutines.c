/* xpcall and coroutines in a form in which every instruction of a script's is under its budget.
 *
 * The error by which a budget ends comes out of a hook, and until something has caught it no hook is called. Lua calls
 * the handler of xpcall before that, at the place of the error; and where nothing catches it within a coroutine, that
 * one's __close functions run so when it is closed. Here a handler is called with what xpcall has caught, and the body
 * of a coroutine is caught as a whole. */
#include "lua/bounded.h"
#include "lua/env.h"
#include "lua/lua.h"

/* --- xpcall --- */

/* The stack is the handler and the results, or the error; an error for want of memory has no handler. */
static int xpcall_done(lua_State *L, int status, lua_KContext ctx)
{
	bool ok = status == LUA_OK || status == LUA_YIELD;
	lua_pushboolean(L, ok);
	if (!ok && status != LUA_ERRMEM) {
		lua_insert(L, 1);
		lua_pcall(L, 1, 1, 0); /* its value or, if it fails, its own error */
		return 2;
	}
	lua_replace(L, 1);
	return lua_gettop(L);
}

static int bounded_xpcall(lua_State *L)
{
	int n = lua_gettop(L);
	luaL_checktype(L, 2, LUA_TFUNCTION);
	lua_pushvalue(L, 2);
	lua_remove(L, 2);
	lua_insert(L, 1); /* the handler, the function, its arguments */
	return xpcall_done(L, lua_pcallk(L, n - 2, LUA_MULTRET, 0, 0, xpcall_done), 0);
}

/* --- coroutines --- */

static int body_done(lua_State *L, int status, lua_KContext ctx)
{
	return status == LUA_OK || status == LUA_YIELD ? lua_gettop(L) : lua_error(L);
}

/* Upvalue 1 is the script's function. */
static int body(lua_State *L)
{
	int n = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	return body_done(L, lua_pcallk(L, n, LUA_MULTRET, 0, 0, body_done), 0);
}

static int bounded_create(lua_State *L)
{
	luaL_checktype(L, 1, LUA_TFUNCTION);
	lua_State *co = lua_newthread(L);
	lua_pushvalue(L, 1);
	lua_pushcclosure(L, body, 1);
	lua_xmove(L, co, 1);
	return 1;
}

/* resume and close: calls the library's function, upvalue 1, while the coroutine, its first argument, is what runs. */
static int bounded_switch(lua_State *L)
{
	lua_State *co = lua_tothread(L, 1);
	if (!co)
		return bounded_call_library(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	lua_State *before = lua_now_runs(co);
	int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
	lua_now_runs(before);
	if (lua_gethookcount(co) == 1) /* its budget has ended: ours, too */
		lua_sethook(L, lua_gethook(co), LUA_MASKCOUNT, 1);
	return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

/* Upvalue 1 is resume, 2 the coroutine. */
static int call_wrapped(lua_State *L)
{
	int n = lua_gettop(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_pushvalue(L, lua_upvalueindex(2));
	lua_rotate(L, 1, 2);
	lua_call(L, n + 1, LUA_MULTRET);
	if (lua_toboolean(L, 1))
		return lua_gettop(L) - 1;
	if (lua_type(L, 2) == LUA_TSTRING) {
		luaL_where(L, 1);
		lua_insert(L, 2);
		lua_concat(L, 2);
	}
	return lua_error(L);
}

static int bounded_wrap(lua_State *L)
{
	bounded_create(L);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, -2);
	lua_pushcclosure(L, call_wrapped, 2);
	return 1;
}

void bounded_protection(lua_State *L)
{
	lua_pushcfunction(L, bounded_xpcall);
	lua_setfield(L, -2, "xpcall");
}

void bounded_coroutines(lua_State *L)
{
	bounded_replace(L, "resume", bounded_switch);
	bounded_replace(L, "close", bounded_switch);
	lua_pushcfunction(L, bounded_create);
	lua_setfield(L, -2, "create");
	lua_getfield(L, -1, "resume");
	lua_pushcclosure(L, bounded_wrap, 1);
	lua_setfield(L, -2, "wrap");
}
