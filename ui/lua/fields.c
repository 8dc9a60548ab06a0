#include "lua/fields.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/strbuf.h"

void text_list_add(struct text_list *l, const char *text)
{
	l->text = xrealloc(l->text, (l->n + 1) * sizeof *l->text);
	l->text[l->n++] = xstrdup(text);
}

void text_list_release(struct text_list *l)
{
	for (u32 i = 0; i < l->n; i++)
		free(l->text[i]);
	free(l->text);
	*l = (struct text_list){0};
}

static int own_globals(lua_State *L, void *ctx)
{
	lua_newtable(L);
	lua_createtable(L, 0, 1);
	lua_pushglobaltable(L);
	lua_setfield(L, -2, "__index");
	lua_setmetatable(L, -2);
	lua_setupvalue(L, 1, 1);
	return 1;
}

bool lua_load_alone(lua_State *L, const char *path, struct err *e)
{
	return lua_load_path(L, path, e) && lua_guarded(L, own_globals, NULL, 1, 1, e);
}

static void list_names(const char *const *known, struct strbuf *out)
{
	for (u32 i = 0; known[i]; i++)
		strbuf_addf(out, " %s", known[i]);
}

bool lua_fields_known(lua_State *L, int at, const char *const *known, struct err *e)
{
	for (lua_pushnil(L); lua_next(L, at); lua_pop(L, 1)) {
		const char *name = lua_type(L, -2) == LUA_TSTRING ? lua_tostring(L, -2) : NULL;
		u32 i = 0;
		while (name && known[i] && strcmp(name, known[i]) != 0)
			i++;
		if (name && known[i])
			continue;
		struct strbuf all = STRBUF_INIT;
		list_names(known, &all);
		err_set(e, "has a field '%.60s'; there are:%s", name ? name : luaL_typename(L, -2), strbuf_str(&all));
		strbuf_release(&all);
		return false;
	}
	return true;
}

bool lua_field_text(lua_State *L, int at, const char *field, bool needed, char **out, struct err *e)
{
	const int type = lua_getfield(L, at, field);
	if (type == LUA_TNIL && !needed) {
		lua_pop(L, 1);
		return true;
	}
	if (type != LUA_TSTRING)
		return err_set(e, type == LUA_TNIL ? "has no '%s', a string" : "has a '%s' that is no string", field);
	*out = xstrdup(lua_tostring(L, -1));
	lua_pop(L, 1);
	return true;
}

bool lua_field_list(lua_State *L, int at, const char *field, bool needed, struct text_list *out, struct err *e)
{
	const int type = lua_getfield(L, at, field);
	if (type == LUA_TNIL && !needed) {
		lua_pop(L, 1);
		return true;
	}
	if (type != LUA_TTABLE || (needed && !lua_rawlen(L, -1)))
		return err_set(e,
		               type == LUA_TNIL ? "has no '%s', a list of strings"
		                                : "has a '%s' that is no list of strings, or an empty one",
		               field);
	for (lua_Unsigned i = 1; i <= lua_rawlen(L, -1); i++, lua_pop(L, 1)) {
		if (lua_rawgeti(L, -1, (lua_Integer)i) != LUA_TSTRING)
			return err_set(e, "has a '%s' with a %s in it; strings are expected", field, luaL_typename(L, -1));
		text_list_add(out, lua_tostring(L, -1));
	}
	lua_pop(L, 1);
	return true;
}

bool lua_field_number(lua_State *L, int at, const char *field, double least, double *out, struct err *e)
{
	const int type = lua_getfield(L, at, field);
	if (type == LUA_TNIL) {
		lua_pop(L, 1);
		return true;
	}
	if (type != LUA_TNUMBER)
		return err_set(e, "has a '%s' that is no number", field);
	const double v = lua_tonumber(L, -1);
	if (!isfinite(v) || v < least)
		return err_set(e, "has a '%s' of %g; a number from %g on is expected", field, v, least);
	*out = v;
	lua_pop(L, 1);
	return true;
}
