#include "lua/pack.h"

#include <string.h>

enum tag { NIL, BOOLEAN, INTEGER, NUMBER, STRING, USERDATA, FUNCTION, TABLE, TABLE_END };

/* --- to bytes --- */

static void put(struct strbuf *out, const void *data, size_t n)
{
	strbuf_add(out, data, n);
}

static void put_tag(struct strbuf *out, enum tag t)
{
	put(out, &(char){(char)t}, 1);
}

static void put_bytes(struct strbuf *out, const void *data, size_t n)
{
	put(out, &n, sizeof n);
	put(out, data, n);
}

/* The name under which the value's metatable is registered; "" = it has none. */
static void put_meta(lua_State *L, int at, struct strbuf *out)
{
	size_t n = 0;
	const char *name = "";
	bool has = luaL_getmetafield(L, at, "__name") != LUA_TNIL;
	if (has)
		name = lua_tolstring(L, -1, &n);
	put_bytes(out, name, n);
	if (has)
		lua_pop(L, 1);
}

static void put_function(lua_State *L, int at, struct strbuf *out)
{
	lua_CFunction f = lua_tocfunction(L, at);
	lua_Integer up = 0;
	u8 n = lua_getupvalue(L, at, 1) != NULL;
	if (n) {
		up = lua_tointeger(L, -1);
		lua_pop(L, 1);
	}
	put(out, &f, sizeof f);
	put(out, &n, sizeof n);
	put(out, &up, sizeof up);
}

static void put_table(lua_State *L, int at, struct strbuf *out)
{
	put_meta(L, at, out);
	lua_pushnil(L);
	while (lua_next(L, at)) {
		lua_pack(L, -2, out);
		lua_pack(L, -1, out);
		lua_pop(L, 1);
	}
	put_tag(out, TABLE_END);
}

static void put_number(lua_State *L, int at, struct strbuf *out)
{
	lua_Integer i = lua_tointeger(L, at);
	lua_Number d = lua_tonumber(L, at);
	bool whole = lua_isinteger(L, at);
	put_tag(out, whole ? INTEGER : NUMBER);
	put(out, whole ? (void *)&i : (void *)&d, whole ? sizeof i : sizeof d);
}

void lua_pack(lua_State *L, int at, struct strbuf *out)
{
	size_t n;
	at = lua_absindex(L, at);
	luaL_checkstack(L, 8, "a table nested too deeply");
	switch (lua_type(L, at)) {
	case LUA_TBOOLEAN:
		put_tag(out, BOOLEAN);
		put(out, &(char){(char)lua_toboolean(L, at)}, 1);
		break;
	case LUA_TNUMBER: put_number(L, at, out); break;
	case LUA_TSTRING:
		put_tag(out, STRING);
		const char *s = lua_tolstring(L, at, &n);
		put_bytes(out, s, n);
		break;
	case LUA_TUSERDATA:
		put_tag(out, USERDATA);
		put_bytes(out, lua_touserdata(L, at), lua_rawlen(L, at));
		put_meta(L, at, out);
		break;
	case LUA_TFUNCTION:
		put_tag(out, FUNCTION);
		put_function(L, at, out);
		break;
	case LUA_TTABLE:
		put_tag(out, TABLE);
		put_table(L, at, out);
		break;
	default: put_tag(out, NIL);
	}
}

/* --- and back --- */

struct reader {
	const char *at, *end;
};

static void get(struct reader *r, void *to, size_t n)
{
	BUG_ON(n > (size_t)(r->end - r->at));
	memcpy(to, r->at, n);
	r->at += n;
}

static enum tag get_tag(struct reader *r)
{
	char t;
	get(r, &t, 1);
	return (enum tag)t;
}

static const char *get_bytes(struct reader *r, size_t *n)
{
	get(r, n, sizeof *n);
	BUG_ON(*n > (size_t)(r->end - r->at));
	r->at += *n;
	return r->at - *n;
}

/* Gives the value on top its metatable. */
static void get_meta(lua_State *L, struct reader *r)
{
	size_t n;
	const char *name = get_bytes(r, &n);
	if (!n)
		return;
	lua_pushlstring(L, name, n);
	lua_rawget(L, LUA_REGISTRYINDEX);
	lua_setmetatable(L, -2);
}

static void get_function(lua_State *L, struct reader *r)
{
	lua_CFunction f;
	lua_Integer up;
	u8 n;
	get(r, &f, sizeof f);
	get(r, &n, sizeof n);
	get(r, &up, sizeof up);
	if (n)
		lua_pushinteger(L, up);
	lua_pushcclosure(L, f, n);
}

static bool push_value(lua_State *L, struct reader *r);

static void get_table(lua_State *L, struct reader *r)
{
	lua_newtable(L);
	struct reader meta = *r;
	size_t n;
	get_bytes(r, &n);
	while (push_value(L, r)) {
		push_value(L, r);
		lua_rawset(L, -3);
	}
	get_meta(L, &meta);
}

static void get_userdata(lua_State *L, struct reader *r)
{
	size_t n;
	const char *bytes = get_bytes(r, &n);
	memcpy(lua_newuserdatauv(L, n, 0), bytes, n);
	get_meta(L, r);
}

/* False at the end of a table: nothing pushed. */
static bool push_value(lua_State *L, struct reader *r)
{
	char b;
	size_t n;
	lua_Integer i;
	lua_Number d;
	const char *s;
	luaL_checkstack(L, 8, "a table nested too deeply");
	switch (get_tag(r)) {
	case NIL: lua_pushnil(L); break;
	case BOOLEAN:
		get(r, &b, 1);
		lua_pushboolean(L, b);
		break;
	case INTEGER:
		get(r, &i, sizeof i);
		lua_pushinteger(L, i);
		break;
	case NUMBER:
		get(r, &d, sizeof d);
		lua_pushnumber(L, d);
		break;
	case STRING:
		s = get_bytes(r, &n);
		lua_pushlstring(L, s, n);
		break;
	case USERDATA: get_userdata(L, r); break;
	case FUNCTION: get_function(L, r); break;
	case TABLE: get_table(L, r); break;
	case TABLE_END: return false;
	}
	return true;
}

void lua_unpack(lua_State *L, const void *data, size_t n)
{
	struct reader r = {data, (const char *)data + n};
	push_value(L, &r);
}
