/* Verbs on a CTA from Lua: dbg.pause_cta{cta=3, kernel=0} and its like. By the way of the commands, so that `undo`,
 * errors and displays are theirs. */
#include <stdio.h>
#include <string.h>

#include "dbg/debugger.h"
#include "script/dbg_internal.h"

/* A count by its name in the table at 1; false: it is not there. */
static bool count_of(lua_State *L, const char *what, const char *name, bool needed, u64 *out)
{
	lua_pushstring(L, name);
	const int type = lua_rawget(L, 1); /* no metamethod runs */
	int is = 0;
	const lua_Integer v = lua_tointegerx(L, -1, &is);
	if (type == LUA_TNIL && needed)
		luaL_error(L, "dbg.%s_cta: %s= is missing", what, name);
	if (type != LUA_TNIL && (type != LUA_TNUMBER || !is || v < 0))
		luaL_error(L, "dbg.%s_cta: %s: an integer from 0 on is expected", what, name);
	*out = (u64)v;
	lua_pop(L, 1);
	return type != LUA_TNIL;
}

static void only_known(lua_State *L, const char *what, const char *own)
{
	for (lua_pushnil(L); lua_next(L, 1); lua_pop(L, 1)) {
		const char *key = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : "";
		if (strcmp(key, "cta") != 0 && strcmp(key, "kernel") != 0 && (!*own || strcmp(key, own) != 0))
			luaL_error(L, "dbg.%s_cta: '%s' is not one of cta, kernel%s%s", what, *key ? key : luaL_typename(L, -2),
			           *own ? ", " : "", own);
	}
}

/* own: what the verb takes beside cta and kernel; it is put behind `word`. */
static int order(lua_State *L, const char *what, const char *own, const char *word, bool needed)
{
	struct debugger *d = lua_dbg_of(L);
	struct strbuf line = STRBUF_INIT, out = STRBUF_INIT;
	struct err e = {0};
	u64 cta = 0, kernel = 0, n = 0;
	luaL_checktype(L, 1, LUA_TTABLE);
	only_known(L, what, own);
	count_of(L, what, "cta", true, &cta);
	const bool of_kernel = count_of(L, what, "kernel", false, &kernel);
	const bool has = *own && count_of(L, what, own, needed, &n);
	char name[24];
	snprintf(name, sizeof name, "dbg.%s_cta", what);
	lua_check_may_change(L, name);
	lua_check_main_thread(L, name);
	strbuf_addf(&line, "%s cta %llu", what, (unsigned long long)cta);
	if (of_kernel)
		strbuf_addf(&line, " kernel=%llu", (unsigned long long)kernel);
	if (has)
		strbuf_addf(&line, " %s%llu", word, (unsigned long long)n);
	const bool ok = debugger_execute(d, strbuf_str(&line), &out, &e);
	strbuf_release(&line);
	strbuf_release(&out);
	return ok ? 0 : luaL_error(L, "%s", e.msg);
}

int lua_dbg_pause_cta(lua_State *L)
{
	return order(L, "pause", "", "", false);
}
int lua_dbg_resume_cta(lua_State *L)
{
	return order(L, "resume", "", "", false);
}
int lua_dbg_halt_cta(lua_State *L)
{
	return order(L, "halt", "cycles", "for ", true);
}
int lua_dbg_drop_cta(lua_State *L)
{
	return order(L, "drop", "", "", false);
}
int lua_dbg_save_cta(lua_State *L)
{
	return order(L, "save", "", "", false);
}
int lua_dbg_restore_cta(lua_State *L)
{
	return order(L, "restore", "sm", "sm=", false);
}
