/* io and os, where allow_io gives them, in a process that is a fork: what changes files is refused there. What scripts
 * have open already is none of this file's: whoever forks lets go of it. */
#include <string.h>
#include <lualib.h>

#include "lua/bounded.h"
#include "lua/env.h"

static bool forked; /* of the process */

void lua_forked(lua_State *L)
{
	forked = true;
	lua_bound(L);
}

static int refuse(lua_State *L)
{
	return luaL_error(L, "files are not changed here: this is one of several machines that run at the same time");
}

/* Its second argument is the mode. */
static int open_file(lua_State *L)
{
	const char *mode = luaL_optstring(L, 2, "r");
	if (forked && (*mode != 'r' || strchr(mode, '+')))
		return refuse(L);
	return bounded_call_library(L);
}

/* io.output: without an argument it only tells which it is. */
static int output(lua_State *L)
{
	return forked && !lua_isnoneornil(L, 1) ? refuse(L) : bounded_call_library(L);
}

static int change(lua_State *L)
{
	return forked ? refuse(L) : bounded_call_library(L);
}

/* Replaces functions of a library; one that is refused has a metatable instead of them. */
static void guard(lua_State *L, const char *library, const luaL_Reg *functions)
{
	const int top = lua_gettop(L);
	lua_getglobal(L, library);
	const bool there = lua_istable(L, -1) && !lua_getmetatable(L, -1);
	for (; there && functions->name; functions++)
		bounded_replace(L, functions->name, functions->func);
	lua_settop(L, top);
}

void bounded_files(lua_State *L)
{
	static const luaL_Reg io[] = {
	    {"open", open_file}, {"output", output}, {"popen", change}, {"tmpfile", change}, {NULL, NULL}};
	static const luaL_Reg os[] = {
	    {"remove", change}, {"rename", change}, {"execute", change}, {"tmpname", change}, {NULL, NULL}};
	guard(L, LUA_IOLIBNAME, io);
	guard(L, LUA_OSLIBNAME, os);
}
