/* Results of runs as Lua values: what a figure's table() works on. */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/papers/paper.h"

#define DEPTH_MAX 32 /* of JSON: ours is 5 deep */

static void push_json(lua_State *L, const json_t *v, u32 depth);

static void push_object(lua_State *L, const json_t *v, u32 depth)
{
	const char *key;
	json_t *value;
	lua_newtable(L);
	json_object_foreach((json_t *)v, key, value)
	{
		push_json(L, value, depth + 1);
		lua_setfield(L, -2, key);
	}
}

static void push_array(lua_State *L, const json_t *v, u32 depth)
{
	lua_createtable(L, (int)json_array_size(v), 0);
	for (size_t i = 0; i < json_array_size(v); i++) {
		push_json(L, json_array_get(v, i), depth + 1);
		lua_seti(L, -2, (lua_Integer)i + 1);
	}
}

static void push_json(lua_State *L, const json_t *v, u32 depth)
{
	if (depth > DEPTH_MAX || !lua_checkstack(L, 4))
		luaL_error(L, "a result is nested too deeply");
	switch (json_typeof(v)) {
	case JSON_OBJECT: push_object(L, v, depth); return;
	case JSON_ARRAY: push_array(L, v, depth); return;
	case JSON_STRING: lua_pushstring(L, json_string_value(v)); return;
	case JSON_INTEGER: lua_pushinteger(L, json_integer_value(v)); return;
	case JSON_REAL: lua_pushnumber(L, json_real_value(v)); return;
	case JSON_TRUE: lua_pushboolean(L, true); return;
	case JSON_FALSE: lua_pushboolean(L, false); return;
	case JSON_NULL: lua_pushnil(L); return;
	}
}

void json_push(lua_State *L, const struct json_t *v)
{
	push_json(L, v, 0);
}

static void push_files(lua_State *L, const struct plan *p, const struct paper_run *r)
{
	lua_newtable(L);
	for (u32 i = 0; i < r->nfiles; i++) {
		struct strbuf name = STRBUF_INIT;
		strbuf_addf(&name, "%s.%s", r->files[i].option, r->files[i].ending);
		char *path = run_path(p, r, name.buf, false);
		lua_pushstring(L, path);
		lua_setfield(L, -2, r->files[i].option);
		free(path);
		strbuf_release(&name);
	}
}

/* Reads a done run's statistics and keeps them as a Lua table. False with *e. */
static bool load_result(lua_State *L, const struct plan *p, struct paper_run *r, struct err *e)
{
	char *path = run_path(p, r, "json", false);
	json_error_t at = {0};
	json_t *o = json_load_file(path, 0, &at);
	bool ok = json_is_object(o) || err_set(e, "%s: no result of a run: %s", path, o ? "no object" : at.text);
	if (ok) {
		json_push(L, o);
		push_files(L, p, r);
		lua_setfield(L, -2, "files");
		r->lua_ref = luaL_ref(L, LUA_REGISTRYINDEX);
	}
	json_decref(o);
	free(path);
	return ok;
}

/* result(run) */
static int result_call(lua_State *L)
{
	struct plan *p = lua_touserdata(L, lua_upvalueindex(1));
	struct err e = {0};
	lua_settop(L, 2); /* the object itself, the run */
	struct paper_run *r = plan_find(p, L, &e);
	if (!r)
		return luaL_error(L, "%s", e.msg);
	if (r->state == JOB_DONE || r->state == JOB_REUSED) {
		if (r->lua_ref == LUA_NOREF && !load_result(L, p, r, &e))
			return luaL_error(L, "%s", e.msg);
		lua_rawgeti(L, LUA_REGISTRYINDEX, r->lua_ref);
		return 1;
	}
	lua_pushnil(L);
	lua_pushstring(L, r->error ? r->error : "not executed");
	return 2;
}

/* --- CSV --- */

/* Pushes the next cell of a line: a number where it is one. Quotes are not known: our files have none. */
static const char *push_cell(lua_State *L, const char *s, bool number)
{
	size_t n = strcspn(s, ",\r\n");
	char *text = xstrndup(s, n), *end;
	double v = strtod(text, &end);
	if (number && n && !*end)
		lua_pushnumber(L, v);
	else
		lua_pushlstring(L, text, n);
	free(text);
	return s + n;
}

/* Pushes the names of the first line as an array; returns the text behind the line. */
static const char *push_names(lua_State *L, const char *s)
{
	lua_newtable(L);
	for (lua_Integer i = 1; *s && *s != '\n' && *s != '\r'; i++) {
		s = push_cell(L, s, false);
		lua_seti(L, -2, i);
		s += *s == ',';
	}
	return s + strspn(s, "\r\n");
}

/* Replaces the names in the array at index `names` that are not in the array at index `wanted` by false. */
static void keep_names(lua_State *L, int names, int wanted)
{
	for (lua_Integer i = 1; i <= luaL_len(L, names); i++) {
		bool keep = false;
		lua_geti(L, names, i);
		for (lua_Integer k = 1; k <= luaL_len(L, wanted) && !keep; k++) {
			lua_geti(L, wanted, k);
			keep = lua_rawequal(L, -1, -2);
			lua_pop(L, 1);
		}
		lua_pop(L, 1);
		if (!keep) {
			lua_pushboolean(L, false);
			lua_seti(L, names, i);
		}
	}
}

/* Pushes a row by column name; the names are at index `names`. Cells without a name are left out. */
static const char *push_row(lua_State *L, const char *s, int names)
{
	lua_newtable(L);
	for (lua_Integer i = 1; *s && *s != '\n' && *s != '\r'; i++) {
		if (lua_geti(L, names, i) == LUA_TSTRING) {
			s = push_cell(L, s, true);
			lua_settable(L, -3);
		} else {
			s += strcspn(s, ",\r\n");
			lua_pop(L, 1);
		}
		s += *s == ',';
	}
	return s + strspn(s, "\r\n");
}

/* result.csv(path[, names of columns]) */
static int result_csv(lua_State *L)
{
	const struct plan *p = lua_touserdata(L, lua_upvalueindex(1));
	const char *path = luaL_checkstring(L, 1);
	struct strbuf text = STRBUF_INIT;
	struct err e = {0};
	size_t n = strlen(p->dir);
	if (strncmp(path, p->dir, n) || strstr(path, "..")) /* scripts read results, not the user's files */
		return luaL_error(L, "csv: %s is no file of a run", path);
	lua_settop(L, 2);
	if (!lua_isnil(L, 2))
		luaL_checktype(L, 2, LUA_TTABLE);
	if (!strbuf_read_file(&text, path, &e))
		return luaL_error(L, "csv: %s", e.msg);
	const char *s = push_names(L, strbuf_str(&text));
	if (!lua_isnil(L, 2))
		keep_names(L, 3, 2);
	lua_newtable(L);
	for (lua_Integer i = 1; *s; i++) {
		s = push_row(L, s, 3);
		lua_seti(L, 4, i);
	}
	strbuf_release(&text);
	lua_pushvalue(L, 3);
	return 2;
}

/* --- files that people look at --- */

/* result.keep(path, name): the new path. A second name of the same file, which goes with the next results. */
static int result_keep(lua_State *L)
{
	const struct plan *p = lua_touserdata(L, lua_upvalueindex(1));
	const char *path = luaL_checkstring(L, 1), *name = luaL_checkstring(L, 2);
	const char *ending = strrchr(path, '.');
	if (strncmp(path, p->dir, strlen(p->dir)) || strstr(path, "..") || !ending)
		return luaL_error(L, "keep: %s is no file of a run", path);
	if (!*name || *name == '.' || strchr(name, '/'))
		return luaL_error(L, "keep: '%s' is no name for a file", name);
	const char *kept = lua_pushfstring(L, "%s/%s%s", p->dir, name, ending);
	unlink(kept);
	if (link(path, kept))
		return luaL_error(L, "keep: %s: %s", kept, strerror(errno));
	return 1;
}

void results_push(lua_State *L, struct plan *p)
{
	lua_newtable(L);
	lua_pushlightuserdata(L, p);
	lua_pushcclosure(L, result_csv, 1);
	lua_setfield(L, -2, "csv");
	lua_pushlightuserdata(L, p);
	lua_pushcclosure(L, result_keep, 1);
	lua_setfield(L, -2, "keep");
	lua_newtable(L);
	lua_pushlightuserdata(L, p);
	lua_pushcclosure(L, result_call, 1);
	lua_setfield(L, -2, "__call");
	lua_setmetatable(L, -2);
}
