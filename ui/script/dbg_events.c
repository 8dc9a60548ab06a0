/* Events as Lua sees them: names, filters and tables; who is told of them (dbg.on, dbg.off). */
#include <stdio.h>
#include <string.h>

#include "commands/commands.h"
#include "dbg/debugger.h"
#include "script/dbg_internal.h"
#include "dbg/hooks.h"

#define SUBSCRIPTIONS_MAX 1000

/* --- an event as a table ------------------------------------------------------------------------------------------ */

void lua_dbg_set_int(lua_State *L, const char *name, lua_Integer v)
{
	lua_pushinteger(L, v);
	lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}

void lua_dbg_push_event(lua_State *L, struct gpu *g, const struct event *ev)
{
	const struct event_desc *x = &event_descs[ev->type];
	lua_createtable(L, 0, 12);
	set_text(L, "event", x->name);
	lua_dbg_set_int(L, "cycle", (lua_Integer)ev->cycle);
	if (lua_hooks_seen_before(lua_session(L))) {
		lua_pushboolean(L, true);
		lua_setfield(L, -2, "replay");
	}
	if (ev->sm >= 0)
		lua_dbg_set_int(L, "sm", ev->sm);
	if (ev->warp >= 0)
		lua_dbg_set_int(L, "warp", ev->warp);
	if (ev->cta >= 0)
		lua_dbg_set_int(L, "cta", ev->cta);
	if (ev->kernel >= 0)
		lua_dbg_set_int(L, "kernel", ev->kernel);
	if (ev->kernel >= 0 && (u32)ev->kernel < gpu_num_kernels(g))
		set_text(L, "kernel_name", gpu_launched(g, (u32)ev->kernel)->fn->name);
	if (ev->warp >= 0 && ev->kernel >= 0)
		lua_dbg_set_int(L, "pc", ev->pc);
	for (u32 i = 0; i < 4; i++)
		if (*x->arg[i])
			lua_dbg_set_int(L, x->arg[i], (lua_Integer)ev->arg[i]);
	if ((ev->type == EV_WARP_STALL || ev->type == EV_WARP_READY) && ev->arg[0] < WS_COUNT)
		set_text(L, "state_name", warp_state_descs[ev->arg[0]].name);
	if (ev->type == EV_SCHED_DEMOTE && ev->arg[1] < WS_COUNT)
		set_text(L, "state_name", warp_state_descs[ev->arg[1]].name);
	if (ev->type == EV_STALL && ev->arg[1] < ST_COUNT)
		set_text(L, "reason_name", stall_descs[ev->arg[1]].name[TAX_BASE]);
}

/* --- names and filters -------------------------------------------------------------------------------------------- */

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
			luaL_error(L, "filter: keys are names (sm, kernel, cta, warp or the event's arguments)");
		if (lua_isinteger(L, -1))
			snprintf(text, sizeof(text), "%llu", (unsigned long long)lua_tointeger(L, -1));
		else if (lua_type(L, -1) == LUA_TSTRING)
			snprintf(text, sizeof(text), "%s", lua_tostring(L, -1));
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

/* --- subscriptions ------------------------------------------------------------------------------------------------ */

u64 lua_dbg_mask(const struct debugger *d)
{
	return d->lua ? d->lua->mask : 0;
}

static void update_mask(struct debugger *d)
{
	d->lua->mask = 0;
	for (u32 i = 0; i < d->lua->n; i++)
		if (d->lua->subs[i].enabled)
			d->lua->mask |= BIT(d->lua->subs[i].type);
	debugger_resubscribe(d);
}

struct told {
	struct gpu *g;
	const struct event *ev;
};

static int push_told(lua_State *L, void *ctx)
{
	const struct told *t = ctx;
	lua_dbg_push_event(L, t->g, t->ev);
	return 1;
}

bool lua_dbg_call_with_event(struct debugger *d, int ref, const struct event *ev, int nresults, struct err *e)
{
	lua_State *L = d->s->L;
	struct told t = {dbg_gpu(d), ev};
	if (!lua_checkstack(L, 2))
		return err_set(e, "not enough memory");
	lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
	if (lua_guarded(L, push_told, &t, 0, 1, e))
		return lua_dbg_call(d, 1, nresults, e);
	lua_pop(L, 1);
	return false;
}

static bool call_subscriber(struct debugger *d, struct subscription *s, const struct event *ev)
{
	struct err e = {0};
	char what[64];
	u32 id = s->id;
	d->lua->in_callback++;
	bool ok = lua_dbg_call_with_event(d, s->ref, ev, 0, &e);
	d->lua->in_callback--;
	if (ok)
		return lua_hooks_stop_asked(d);
	for (u32 i = 0; i < d->lua->n && !d->s->replaying; i++) /* the callback may have moved the array */
		if (d->lua->subs[i].id == id)
			d->lua->subs[i].enabled = false;
	snprintf(what, sizeof(what), "dbg.on callback %u (%s) failed%s", id, event_descs[ev->type].name,
	         d->s->replaying ? "" : " and is off");
	lua_dbg_keep_error(d, what, &e);
	return true;
}

static void close_holes(struct dbg_lua *l)
{
	u32 n = 0;
	for (u32 i = 0; i < l->n; i++)
		if (l->subs[i].id)
			l->subs[n++] = l->subs[i];
	l->n = n;
	l->holes = false;
}

bool lua_dbg_event(struct debugger *d, const struct event *ev)
{
	bool stop = false;
	const u32 n = d->lua->n; /* what a callback subscribes to now it hears from the next event on */
	if (!(d->lua->mask >> ev->type & 1))
		return false;
	for (u32 i = 0; i < n; i++) {
		struct subscription *s = &d->lua->subs[i];
		if (s->enabled && s->type == ev->type && event_filter_match(&s->filter, dbg_gpu(d), ev))
			stop |= call_subscriber(d, s, ev);
	}
	if (d->lua->holes)
		close_holes(d->lua);
	return stop;
}

int lua_dbg_on(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct subscription s = {.enabled = true, .type = lua_dbg_check_event(L, 1)};
	int fn = lua_isfunction(L, 2) ? 2 : 3;
	lua_check_may_subscribe(L, "dbg.on");
	lua_dbg_check_filter(L, fn == 2 ? 4 : 2, s.type, &s.filter);
	luaL_checktype(L, fn, LUA_TFUNCTION);
	if (d->lua->n >= SUBSCRIPTIONS_MAX)
		luaL_error(L, "dbg.on: there are %d subscriptions already (dbg.off ends one)", SUBSCRIPTIONS_MAX);
	lua_pushvalue(L, fn);
	s.ref = luaL_ref(L, LUA_REGISTRYINDEX);
	s.id = d->lua->next_id++;
	d->lua->subs = xrealloc(d->lua->subs, (d->lua->n + 1) * sizeof(s));
	d->lua->subs[d->lua->n++] = s;
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
	for (u32 i = 0; i < d->lua->n; i++)
		if (d->lua->subs[i].id == id) {
			luaL_unref(L, LUA_REGISTRYINDEX, d->lua->subs[i].ref);
			/* within a callback the array is being walked: the entry stays, deaf */
			if (d->lua->in_callback) {
				d->lua->subs[i].enabled = false;
				d->lua->subs[i].ref = LUA_NOREF;
				d->lua->subs[i].id = 0;
				d->lua->holes = true;
			} else {
				memmove(&d->lua->subs[i], &d->lua->subs[i + 1], (d->lua->n - i - 1) * sizeof(*d->lua->subs));
				d->lua->n--;
			}
			update_mask(d);
			return 0;
		}
	return luaL_error(L, "dbg.off: there is no subscription %I", id);
}
