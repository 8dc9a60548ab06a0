/* Machine files: Lua that returns a table of configuration keys.
 *
 *   return { base = "gtx480", help = "one line", ["core_clock"] = 1400, ["l1d.sets"] = 64, ["warp-sched"] = "lrr" }
 *
 * A policy that implies other keys (elf++) sets them unless the same file does. */
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "lua/lua.h"
#include "places.h"
#include "sim.h"

#define MAX_BASES 8 /* depth of `base`: more is taken for a cycle */

/* The value on top of the stack as the text conf_set takes. */
static const char *value_text(lua_State *L)
{
	switch (lua_type(L, -1)) {
	case LUA_TBOOLEAN: return lua_toboolean(L, -1) ? "true" : "false";
	case LUA_TNUMBER:
	case LUA_TSTRING: return lua_tostring(L, -1); /* an integer-valued float reads "700.0", which is a number too */
	default: return NULL;
	}
}

static bool set_field(lua_State *L, struct conf *c, struct places *from, const char *path, const char *key,
                      struct err *e)
{
	if (!strcmp(key, "base") || !strcmp(key, "help") || !strcmp(key, "name"))
		return true;
	lua_pushvalue(L, -1); /* lua_tostring changes its slot: keep the table's value */
	const char *text = value_text(L);
	bool ok =
	    text ? conf_set(c, key, text, e)
	         : err_set(e, "%s: a %s is not a value; number, string or boolean expected", key, luaL_typename(L, -1));
	lua_pop(L, 1);
	if (ok && from)
		places_note(from, key, path);
	if (!ok)
		places_in_file(e, path, key);
	return ok;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What the policies named in the table on top bring with them; the table's other keys win. */
static bool apply_implied(lua_State *L, struct conf *c, const char *path, struct err *e)
{
	bool ok = true;
	for (u32 k = 0; k < POLICY_KINDS && ok; k++) {
		const char *key = policy_kinds[k].key;
		bool named = lua_getfield(L, -1, key) == LUA_TSTRING;
		ok = !named || sim_imply(c, key, lua_tostring(L, -1), e);
		lua_pop(L, 1);
		if (!ok)
			places_in_file(e, path, key);
	}
	return ok;
}

/* Applies all fields of the table on top, in the order of their names: which error comes first is then always the same.
 */
static bool apply_table(lua_State *L, struct conf *c, struct places *from, const char *path, struct err *e)
{
	char **keys = NULL;
	u32 n = 0;
	bool ok = true;
	lua_pushnil(L);
	while (lua_next(L, -2)) {
		lua_pop(L, 1);
		if (lua_type(L, -1) != LUA_TSTRING) {
			lua_pop(L, 1);
			ok = err_set(e, "%s: a key is a %s, not a string", path, luaL_typename(L, -1));
			break;
		}
		keys = xrealloc(keys, (n + 1) * sizeof *keys);
		keys[n++] = xstrdup(lua_tostring(L, -1));
	}
	if (n)
		qsort(keys, n, sizeof *keys, by_text);
	for (u32 i = 0; i < n; i++) {
		lua_getfield(L, -1, keys[i]);
		ok = ok && set_field(L, c, from, path, keys[i], e);
		lua_pop(L, 1);
		free(keys[i]);
	}
	free(keys);
	return ok;
}

static bool load_machine(lua_State *L, struct conf *c, struct places *from, const char *data_dir, const char *gpu,
                         u32 depth, struct strbuf *about, struct err *e);

/* Applies the base of the table on top, when it has one. */
static bool apply_base(lua_State *L, struct conf *c, struct places *from, const char *data_dir, const char *path,
                       u32 depth, struct err *e)
{
	bool ok = true;
	if (lua_getfield(L, -1, "base") == LUA_TSTRING) {
		ok = depth < MAX_BASES ? load_machine(L, c, from, data_dir, lua_tostring(L, -1), depth + 1, NULL, e)
		                       : err_set(e, "more than %d bases deep (a circle?)", MAX_BASES);
		if (!ok)
			places_in_file(e, path, "base");
	} else if (!lua_isnil(L, -1)) {
		ok = err_set(e, "%s: base is not the name of a machine", path);
	}
	lua_pop(L, 1);
	return ok;
}

/* A machine named by its file describes itself; conf.machine is what titles and reports show. */
static bool set_name(struct conf *c, const char *path, struct err *e)
{
	const char *slash = strrchr(path, '/'), *from = slash ? slash + 1 : path;
	const char *dot = strrchr(from, '.');
	char *name = xstrndup(from, dot ? (size_t)(dot - from) : strlen(from));
	bool ok = conf_set(c, "machine", name, e);
	free(name);
	return ok;
}

static bool load_machine(lua_State *L, struct conf *c, struct places *from, const char *data_dir, const char *gpu,
                         u32 depth, struct strbuf *about, struct err *e)
{
	char *path = catalog_path(data_dir, "configs/gpus", gpu, "machine", e);
	int top = lua_gettop(L);
	bool ok = path && lua_load_path(L, path, e) && lua_call_traced(L, 0, 1, e);
	if (ok && !lua_istable(L, -1))
		ok = err_set(e, "%s: a machine file returns a table of configuration keys", path);
	ok = ok && apply_base(L, c, from, data_dir, path, depth, e) && set_name(c, path, e) &&
	     apply_implied(L, c, path, e) && apply_table(L, c, from, path, e);
	if (ok && about) {
		lua_getfield(L, -1, "help");
		if (lua_type(L, -1) == LUA_TSTRING)
			strbuf_adds(about, lua_tostring(L, -1));
	}
	lua_settop(L, top);
	free(path);
	return ok;
}

bool catalog_machine(struct conf *c, struct places *from, const char *data_dir, const char *gpu, struct strbuf *about,
                     struct err *e)
{
	lua_State *L = lua_sandbox_new(NULL, data_dir, false);
	if (!L)
		return err_set(e, "out of memory");
	lua_budget(L, LUA_BUDGET_CALLBACK);
	bool ok = load_machine(L, c, from, data_dir, gpu, 0, about, e);
	lua_sandbox_free(L);
	return ok;
}
