/* Events as Lua sees them: names, filters and tables; who is told of them (dbg.on, dbg.off). */
#include <stdio.h>
#include <string.h>

#include "dbg/debugger.h"
#include "script/dbg_internal.h"
#include "dbg/hooks.h"

#define SUBSCRIPTIONS_MAX 1000

/* --- names and filters --- */

enum event_type lua_dbg_check_event(lua_State *L, int at)
{
	const char *name = luaL_gsub(L, luaL_checkstring(L, at), "_", "-");
	int t = event_find(name);
	if (t < 0) {
		const char *names[EV_COUNT];
		for (u32 i = 0; i < EV_COUNT; i++)
			names[i] = event_descs[i].name;
		const char *near = conf_nearest(name, names, EV_COUNT);
		luaL_error(L, "there is no event '%s'%s%s%s (dbg.events() lists them)", name, near ? "; did you mean '" : "",
		           near ? near : "", near ? "'?" : "");
	}
	lua_pop(L, 1);
	return (enum event_type)t;
}

static bool is_place(const char *key)
{
	return !strcmp(key, "cta") || !strcmp(key, "thread");
}

/* The list on top, {20, 15, 0}, as a filter has it. */
static void coordinates_of(lua_State *L, char *text, size_t size)
{
	size_t at = 0;
	const lua_Unsigned n = lua_rawlen(L, -1);
	text[0] = 0;
	for (lua_Unsigned i = 1; i <= n && at < size; i++) {
		lua_rawgeti(L, -1, (lua_Integer)i);
		if (!lua_isinteger(L, -1))
			luaL_error(L, "filter: coordinates are whole numbers, {x, y, z}");
		at += (size_t)snprintf(text + at, size - at, "%s%lld", i > 1 ? "," : "", (long long)lua_tointeger(L, -1));
		lua_pop(L, 1);
	}
}

void lua_dbg_check_filter(lua_State *L, int at, enum event_type t, struct event_filter *f)
{
	event_filter_any(f);
	if (lua_isnoneornil(L, at))
		return;
	luaL_checktype(L, at, LUA_TTABLE);
	lua_pushnil(L);
	while (lua_next(L, at)) {
		struct err e = {0};
		char text[128];
		if (lua_type(L, -2) != LUA_TSTRING)
			luaL_error(L, "filter: keys are names (sm, kernel, cta, thread, warp or the event's arguments)");
		if (lua_isinteger(L, -1))
			snprintf(text, sizeof(text), "%llu", (unsigned long long)lua_tointeger(L, -1));
		else if (lua_type(L, -1) == LUA_TSTRING)
			snprintf(text, sizeof(text), "%s", lua_tostring(L, -1));
		else if (lua_istable(L, -1) && is_place(lua_tostring(L, -2)))
			coordinates_of(L, text, sizeof text);
		else
			luaL_error(L, "filter: %s = %s: a whole number or name is expected", lua_tostring(L, -2),
			           luaL_typename(L, -1));
		if (!event_filter_add(f, t, lua_tostring(L, -2), text, &e))
			luaL_error(L, "filter: %s", e.msg);
		lua_pop(L, 1);
	}
}

int lua_dbg_events(lua_State *L)
{
	lua_createtable(L, EV_COUNT, 0);
	for (u32 i = 0; i < EV_COUNT; i++) {
		lua_pushstring(L, event_descs[i].name);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

/* --- subscriptions --- */

static void update_mask(struct debugger *d)
{
	d->script.lua->mask = 0;
	for (u32 i = 0; i < d->script.lua->n; i++)
		if (d->script.lua->subs[i].enabled)
			d->script.lua->mask |= EVENT(d->script.lua->subs[i].type);
	debugger_resubscribe(d);
}

int lua_dbg_on(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct subscription s = {.enabled = true, .type = lua_dbg_check_event(L, 1)};
	int fn = lua_isfunction(L, 2) ? 2 : 3;
	lua_check_may_subscribe(L, "dbg.on");
	lua_dbg_check_filter(L, fn == 2 ? 4 : 2, s.type, &s.filter);
	luaL_checktype(L, fn, LUA_TFUNCTION);
	if (d->script.lua->n >= SUBSCRIPTIONS_MAX)
		luaL_error(L, "dbg.on: there are %d subscriptions already (dbg.off ends one)", SUBSCRIPTIONS_MAX);
	lua_pushvalue(L, fn);
	s.ref = luaL_ref(L, LUA_REGISTRYINDEX);
	s.id = d->script.lua->next_id++;
	d->script.lua->subs = xrealloc(d->script.lua->subs, (d->script.lua->n + 1) * sizeof(s));
	d->script.lua->subs[d->script.lua->n++] = s;
	update_mask(d);
	lua_pushinteger(L, s.id);
	return 1;
}

int lua_dbg_off(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	lua_Integer id = luaL_checkinteger(L, 1);
	lua_check_may_subscribe(L, "dbg.off");
	if (lua_hooks_off(d, id))
		return 0;
	for (u32 i = 0; i < d->script.lua->n; i++)
		if (d->script.lua->subs[i].id == id) {
			luaL_unref(L, LUA_REGISTRYINDEX, d->script.lua->subs[i].ref);
			/* within a callback the array is being walked: the entry stays, deaf */
			if (d->script.lua->in_callback) {
				d->script.lua->subs[i].enabled = false;
				d->script.lua->subs[i].ref = LUA_NOREF;
				d->script.lua->subs[i].id = 0;
				d->script.lua->holes = true;
			} else {
				memmove(&d->script.lua->subs[i], &d->script.lua->subs[i + 1],
				        (d->script.lua->n - i - 1) * sizeof(*d->script.lua->subs));
				d->script.lua->n--;
			}
			update_mask(d);
			return 0;
		}
	return luaL_error(L, "dbg.off: there is no subscription %I", id);
}
