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

void bounded_files(lua_State *L)
{
	lua_getglobal(L, LUA_IOLIBNAME);
	bounded_replace(L, "open", open_file);
	bounded_replace(L, "output", output);
	bounded_replace(L, "popen", change);
	bounded_replace(L, "tmpfile", change);
	lua_pop(L, 1);
	lua_getglobal(L, LUA_OSLIBNAME);
	bounded_replace(L, "remove", change);
	bounded_replace(L, "rename", change);
	bounded_replace(L, "execute", change);
	bounded_replace(L, "tmpname", change);
	lua_pop(L, 1);
}
