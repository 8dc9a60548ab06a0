/* cuda.bind_texture, cuda.texture and cuda.surface: a Lua table to struct texture. */
#include "session/host/cuda.h"

#include <string.h>

#include "session/host/launch_log.h"

static lua_Integer int_field(lua_State *L, int at, const char *name, lua_Integer def, lua_Integer max)
{
	int ok;
	lua_Integer v = def;
	if (lua_getfield(L, at, name) != LUA_TNIL) {
		v = lua_tointegerx(L, -1, &ok);
		if (!ok || v < 0 || v > max)
			luaL_error(L, "texture field %s: %s is not a whole number within 0..%I", name, luaL_tolstring(L, -1, NULL),
			           max);
	} else if (def < 0) {
		luaL_error(L, "texture field %s is missing", name);
	}
	lua_pop(L, 1);
	return v;
}

static bool bool_field(lua_State *L, int at, const char *name)
{
	lua_getfield(L, at, name);
	bool v = lua_toboolean(L, -1);
	lua_pop(L, 1);
	return v;
}

/* address = "clamp" for all dimensions or a table of one to three. A short table repeats its last entry. */
static void address_field(lua_State *L, int at, u8 out[3])
{
	static const char *const names[] = {"wrap", "clamp", "mirror", "border", NULL};
	int type = lua_getfield(L, at, "address"), here = lua_gettop(L);
	if (type == LUA_TNIL) {
		memset(out, TEXA_CLAMP, 3);
	} else if (type == LUA_TSTRING) {
		memset(out, luaL_checkoption(L, here, NULL, names), 3);
	} else {
		luaL_checktype(L, here, LUA_TTABLE);
		u8 last = TEXA_CLAMP;
		for (int i = 0; i < 3; i++) {
			if (lua_rawgeti(L, here, i + 1) != LUA_TNIL)
				last = (u8)luaL_checkoption(L, -1, NULL, names);
			out[i] = last;
			lua_pop(L, 1);
		}
	}
	lua_settop(L, here - 1);
}

/* surface: what says how to fetch is none of its fields. */
static void check_fields(lua_State *L, int at, bool surface)
{
	static const char *const names[] = {"addr",     "width",  "height",     "depth",           "pitch",  "type",
	                                    "channels", "linear", "normalised", "read_normalised", "address"};
	const u32 n = surface ? 7 : ARRAY_LEN(names);
	luaL_checktype(L, at, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, at)) {
		lua_pop(L, 1);
		const char *key = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "(not a string)";
		u32 i = 0;
		while (i < n && strcmp(key, names[i]))
			i++;
		if (i == n) {
			const char *near = conf_nearest(key, names, n), *what = surface ? "surface" : "texture";
			luaL_error(L, near ? "unknown %s field '%s' (did you mean '%s'?)" : "unknown %s field '%s'", what, key,
			           near);
		}
	}
}

static struct texture check_texture(lua_State *L, int at, bool surface)
{
	check_fields(L, at, surface);
	struct texture t = {.addr = (u64)int_field(L, at, "addr", -1, INT64_MAX),
	                    .width = (u32)int_field(L, at, "width", -1, 1 << 27),
	                    .height = (u32)int_field(L, at, "height", 0, 1 << 17),
	                    .depth = (u32)int_field(L, at, "depth", 0, 1 << 14),
	                    .channels = (u8)int_field(L, at, "channels", 1, 4),
	                    .linear = bool_field(L, at, "linear"),
	                    .normalised_coords = bool_field(L, at, "normalised"),
	                    .read_normalised = bool_field(L, at, "read_normalised")};
	if (lua_getfield(L, at, "type") == LUA_TNIL) {
		t.type = T_F32;
	} else {
		const char *name = luaL_checkstring(L, -1);
		t.type = (u8)(strcmp(name, "f16") ? array_check_type(L, -1) : T_F16);
	}
	lua_pop(L, 1);
	if (t.channels == 0 || t.channels == 3)
		luaL_error(L, "texture field channels: %d is not 1, 2 or 4", t.channels);
	t.pitch =
	    (u64)int_field(L, at, "pitch", (lua_Integer)t.width * t.channels * ptype_bytes((enum ptype)t.type), INT64_MAX);
	address_field(L, at, t.address);
	return t;
}

int host_bind_texture(lua_State *L)
{
	struct session *s = host_session(L);
	struct module *m = host_check_module(L, 1);
	const char *name = luaL_checkstring(L, 2);
	struct texture t = check_texture(L, 3, false);
	struct err e = {0};
	if (answer_fed(L, host_answers(L), ANSWER_TEXTURE))
		return 0;
	launch_log_leave_out(s->launch_log, "textures");
	if (!front_bind_texture(sim_front(s->sim), m, name, &t, &e))
		return host_raise(L, &e);
	answer_add(host_answers(L), ANSWER_TEXTURE, 0, NULL, 0);
	return 0;
}

static int new_object(lua_State *L, bool surface)
{
	struct session *s = host_session(L);
	struct texture t = check_texture(L, 1, surface);
	struct err e = {0};
	const struct answer *fed = answer_fed(L, host_answers(L), ANSWER_TEXTURE);
	u64 handle = fed       ? fed->value
	             : surface ? front_surface_object(sim_front(s->sim), &t, &e)
	                       : front_texture_object(sim_front(s->sim), &t, &e);
	if (!handle)
		return host_raise(L, &e);
	launch_log_leave_out(s->launch_log, "textures");
	if (!fed)
		answer_add(host_answers(L), ANSWER_TEXTURE, handle, NULL, 0);
	lua_pushinteger(L, (lua_Integer)handle);
	return 1;
}

int host_texture(lua_State *L)
{
	return new_object(L, false);
}

int host_surface(lua_State *L)
{
	return new_object(L, true);
}
