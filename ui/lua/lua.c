#include "lua/lua.h"

#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"
#include "lua/env.h"

#define MOST_TEXT (16u << 20) /* of load: a second */
#define OWN_BYTES (64u << 20)
#define MOST_BLOCK ((size_t)512 << 20) /* but for userdata: what one call of the library can work through */

struct session *lua_session(lua_State *L)
{
	return lua_env_of(L)->s;
}

static u64 allocations_left = LUA_NO_LIMIT;

void lua_limit_allocations(u64 n)
{
	allocations_left = n;
}

u64 lua_allocations_left(void)
{
	return allocations_left;
}

static bool may_allocate(void)
{
	if (allocations_left == LUA_NO_LIMIT)
		return true;
	return allocations_left && allocations_left--;
}

static void *limited_alloc(void *ud, void *p, size_t old, size_t n)
{
	struct lua_env *env = ud;
	bool userdata = !p && old == LUA_TUSERDATA;
	if (!p)
		old = 0; /* it was a type */
	if (!n) {
		free(p);
		env->bytes -= old;
		return NULL;
	}
	if ((n > MOST_BLOCK && !userdata) || (n > old && unlikely(!may_allocate())))
		return NULL;
	/* A script that has used up all of it must leave some for what the debugger makes outside scripts' calls: there, a
	 * failure ends the program. */
	if (n > old && env->bytes + (n - old) > LUA_MAX_BYTES + (env->scripts ? 0 : OWN_BYTES))
		return NULL;
	void *q = realloc(p, n);
	if (q)
		env->bytes += n - old;
	return q;
}

/* --- loading --- */

bool lua_load_path(lua_State *L, const char *path, struct err *e)
{
	struct strbuf text = STRBUF_INIT, name = STRBUF_INIT;
	bool ok = strbuf_read_file(&text, path, e);
	if (ok) {
		strbuf_addf(&name, "@%s", path);
		ok = luaL_loadbufferx(L, strbuf_str(&text), text.len, name.buf, "t") == LUA_OK;
		if (!ok) {
			err_set(e, "%s", lua_tostring(L, -1));
			lua_pop(L, 1);
		}
	}
	strbuf_release(&text);
	strbuf_release(&name);
	return ok;
}

/* load(chunk, name, mode, env) for text only: binary chunks could break out of the sandbox. */
static int safe_load(lua_State *L)
{
	luaL_checkany(L, 1);
	lua_settop(L, 4);
	bool has_env = !lua_isnil(L, 4);
	if (lua_rawlen(L, 1) > MOST_TEXT)
		return luaL_error(L, "load: the text is too long");
	lua_pushliteral(L, "t");
	lua_replace(L, 3);
	lua_pushvalue(L, lua_upvalueindex(1));
	lua_insert(L, 1);
	if (!has_env)
		lua_settop(L, 4); /* a nil environment is not the same as none */
	lua_call(L, has_env ? 4 : 3, LUA_MULTRET);
	return lua_gettop(L);
}

static bool module_name_ok(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.");
	return *name && !name[n] && name[0] != '.' && !strstr(name, "..");
}

/* Pushes the module's chunk when dir/name.lua exists; raises an error when it is there and wrong. */
static bool try_module(lua_State *L, const char *dir, const char *name)
{
	char *path = xstrdup(lua_pushfstring(L, "%s/%s.lua", dir, luaL_gsub(L, name, ".", "/")));
	struct err e = {0};
	FILE *f = fopen(path, "r");
	lua_pop(L, 2);
	if (f)
		fclose(f);
	bool ok = f && lua_load_path(L, path, &e);
	free(path);
	if (f && !ok)
		luaL_error(L, "%s", e.msg);
	return ok;
}

/* Pushes the directory of the script that called require. */
static const char *push_caller_dir(lua_State *L)
{
	lua_Debug ar;
	if (!lua_getstack(L, 1, &ar) || !lua_getinfo(L, "S", &ar) || ar.source[0] != '@')
		return lua_pushliteral(L, ".");
	const char *slash = strrchr(ar.source, '/');
	return slash ? lua_pushlstring(L, ar.source + 1, (size_t)(slash - ar.source - 1)) : lua_pushliteral(L, ".");
}

static int safe_require(lua_State *L)
{
	const char *name = luaL_checkstring(L, 1), *data_dir = lua_env_of(L)->data_dir;
	luaL_argcheck(L, module_name_ok(name), 1, "a module name like \"lib.graph\" expected");
	lua_settop(L, 1);
	luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_REQUIRED);
	if (lua_getfield(L, 2, name) != LUA_TNIL)
		return 1;
	lua_settop(L, 2);
	const char *dir = push_caller_dir(L);
	bool found = try_module(L, dir, name);
	if (!found && data_dir)
		found = try_module(L, lua_pushfstring(L, "%s/scripts/workloads", data_dir), name) ||
		        try_module(L, lua_pushfstring(L, "%s/scripts", data_dir), name);
	if (!found)
		return luaL_error(L, "module '%s' not found (looked in %s and in scripts)", name, dir);
	lua_pushvalue(L, 1);
	lua_call(L, 1, 1);
	if (lua_isnil(L, -1)) {
		lua_pop(L, 1);
		lua_pushboolean(L, true);
	}
	lua_pushvalue(L, -1);
	lua_setfield(L, 2, name);
	return 1;
}

static int lua_print(lua_State *L)
{
	struct strbuf *out = lua_env_of(L)->printed;
	int n = lua_gettop(L);
	for (int i = 1; i <= n; i++) {
		size_t len;
		const char *text = luaL_tolstring(L, i, &len);
		if (out) {
			strbuf_add(out, i > 1 ? "\t" : "", i > 1);
			strbuf_add(out, text, len);
		}
		lua_pop(L, 1);
	}
	if (out)
		strbuf_addc(out, '\n');
	return 0;
}

/* --- the sandbox --- */

static void forget(lua_State *L, const char *global)
{
	lua_pushnil(L);
	lua_setglobal(L, global);
}

static int no_library(lua_State *L)
{
	return luaL_error(L,
	                  "there is no '%s' here: scripts and host programs get io and os with --allow-io, policies never",
	                  lua_tostring(L, lua_upvalueindex(1)));
}

/* Whoever uses a library that is not there is told how to get it; asked for as a value it is a table without fields. */
static void refuse_library(lua_State *L, const char *name)
{
	lua_newtable(L);
	lua_createtable(L, 0, 3);
	lua_pushstring(L, name);
	lua_pushcclosure(L, no_library, 1);
	lua_pushvalue(L, -1);
	lua_setfield(L, -3, "__index");
	lua_setfield(L, -2, "__newindex");
	lua_pushboolean(L, false);
	lua_setfield(L, -2, "__metatable");
	lua_setmetatable(L, -2);
	lua_setglobal(L, name);
}

static int open_libraries(lua_State *L)
{
	bool allow_io = lua_toboolean(L, 1);
	static const luaL_Reg libs[] = {{LUA_GNAME, luaopen_base},        {LUA_TABLIBNAME, luaopen_table},
	                                {LUA_STRLIBNAME, luaopen_string}, {LUA_MATHLIBNAME, luaopen_math},
	                                {LUA_UTF8LIBNAME, luaopen_utf8},  {LUA_COLIBNAME, luaopen_coroutine}};
	for (u32 i = 0; i < ARRAY_LEN(libs); i++)
		luaL_requiref(L, libs[i].name, libs[i].func, 1);
	if (allow_io) {
		luaL_requiref(L, LUA_IOLIBNAME, luaopen_io, 1);
		luaL_requiref(L, LUA_OSLIBNAME, luaopen_os, 1);
	} else {
		refuse_library(L, LUA_IOLIBNAME);
		refuse_library(L, LUA_OSLIBNAME);
	}
	lua_settop(L, 0);
	lua_getglobal(L, "load");
	lua_pushcclosure(L, safe_load, 1);
	lua_setglobal(L, "load");
	forget(L, "dofile");
	forget(L, "loadfile");
	forget(L, "collectgarbage"); /* its answers depend on the host */
	lua_bound_libraries(L);
	lua_register(L, "print", lua_print);
	lua_register(L, "require", safe_require);
	/* math.random: seeded, or two runs would differ. */
	lua_getglobal(L, "math");
	lua_getfield(L, -1, "randomseed");
	lua_pushinteger(L, (lua_Integer)lua_env_of(L)->seed);
	lua_call(L, 1, 0);
	return 0;
}

lua_State *lua_sandbox_new(const struct lua_owner *owner, const char *data_dir, bool allow_io)
{
	struct lua_env *env = xcalloc(1, sizeof *env);
	env->s = owner ? owner->s : NULL;
	env->printed = owner ? owner->printed : NULL;
	env->seed = owner ? owner->seed : 1;
	env->data_dir = data_dir ? xstrdup(data_dir) : NULL;
	lua_State *L = lua_newstate(limited_alloc, env);
	if (!L) {
		free(env->data_dir);
		free(env);
		return NULL;
	}
	*(struct lua_env **)lua_getextraspace(L) = env;
	lua_budget(L, LUA_BUDGET_HOST);
	lua_pushcfunction(L, open_libraries);
	lua_pushboolean(L, allow_io);
	if (lua_pcall(L, 1, 0, 0) == LUA_OK) {
		lua_bound(L);
		return L;
	}
	lua_sandbox_free(L);
	return NULL;
}

void lua_sandbox_free(lua_State *L)
{
	if (!L)
		return;
	struct lua_env *env = lua_env_of(L);
	lua_close(L);
	free(env->data_dir);
	free(env);
}
