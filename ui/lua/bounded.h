/* bounded: the common part of bounded.c, coroutines.c and patterns.c: functions of Lua's library in a bounded form. */
#ifndef UI_LUA_BOUNDED_H
#define UI_LUA_BOUNDED_H
#include "lua/lua.h"

/* Replaces field `name` of the table on top by f, whose upvalue 1 is what was there. */
void bounded_replace(lua_State *L, const char *name, lua_CFunction f);
/* Calls the library's function, upvalue 1, with the arguments that are there. */
int bounded_call_library(lua_State *L);
/* xpcall of the globals, which are on top. */
void bounded_protection(lua_State *L);
/* create, wrap, resume and close of the table coroutine, which is on top. */
void bounded_coroutines(lua_State *L);
/* find, match, gmatch and gsub of the table string, which is on top. */
void bounded_patterns(lua_State *L);
/* io and os of the globals: in a fork they change no file (lua_forked()). */
void bounded_files(lua_State *L);
#endif
