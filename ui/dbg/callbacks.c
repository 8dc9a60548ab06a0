/* Telling scripts of events: subscriptions, and breakpoints' conditions. */
#include <stdio.h>
#include <string.h>

#include "dbg/state.h"
#include "dbg/hooks.h"
#include "dbg/lua_side.h"

void lua_dbg_set_int(lua_State *L, const char *name, lua_Integer v)
{
	lua_pushinteger(L, v);
	lua_setfield(L, -2, name);
}

void lua_dbg_set_word(lua_State *L, const char *name, const char *v)
{
	lua_pushstring(L, v);
	lua_setfield(L, -2, name);
}

void lua_dbg_set_flag(lua_State *L, const char *name, bool v)
{
	lua_pushboolean(L, v);
	lua_setfield(L, -2, name);
}

static void set_text(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}

/* state_name, reason_name and their like: an argument that stands for a word. */
static void set_word(lua_State *L, enum event_type t, u32 i, u64 v)
{
	const char *word = *event_descs[t].arg[i] ? event_arg_name(t, i, v) : NULL;
	char key[64];
	if (!word)
		return;
	snprintf(key, sizeof key, "%s_name", event_descs[t].arg[i]);
	set_text(L, key, word);
}

static void push_event(lua_State *L, struct gpu *g, const struct event *ev)
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
	for (u32 i = 0; i < EVENT_ARGS; i++)
		if (*x->arg[i])
			lua_dbg_set_int(L, x->arg[i], (lua_Integer)ev->arg[i]);
	for (u32 i = 0; i < EVENT_ARGS; i++)
		set_word(L, (enum event_type)ev->type, i, ev->arg[i]);
}

event_set lua_dbg_mask(const struct debugger *d)
{
	return d->script.lua ? d->script.lua->mask : 0;
}

struct told {
	struct gpu *g;
	const struct event *ev;
};

static int push_told(lua_State *L, void *ctx)
{
	const struct told *t = ctx;
	push_event(L, t->g, t->ev);
	return 1;
}

bool lua_dbg_push_event(struct debugger *d, const struct event *ev, struct err *e)
{
	struct told t = {dbg_gpu(d), ev};
	return lua_guarded(d->s->L, push_told, &t, 0, 1, e);
}

bool lua_dbg_call_with_event(struct debugger *d, int ref, const struct event *ev, int nresults, struct err *e)
{
	lua_State *L = d->s->L;
	if (!lua_checkstack(L, 2))
		return err_set(e, "not enough memory");
	lua_rawgeti(L, LUA_REGISTRYINDEX, ref);
	if (lua_dbg_push_event(d, ev, e))
		return lua_dbg_call(d, 1, nresults, e);
	lua_pop(L, 1);
	return false;
}

static bool call_subscriber(struct debugger *d, struct subscription *s, const struct event *ev)
{
	struct err e = {0};
	char what[64];
	u32 id = s->id;
	d->script.lua->in_callback++;
	bool ok = lua_dbg_call_with_event(d, s->ref, ev, 0, &e);
	d->script.lua->in_callback--;
	snprintf(what, sizeof(what), "dbg.on callback %u (%s)", id, event_descs[ev->type].name);
	if (!ok && e.interrupted)
		lua_dbg_keep_cut(d, what);
	if (ok || e.interrupted)
		return lua_hooks_stop_asked(d);
	for (u32 i = 0; i < d->script.lua->n && !d->s->replaying; i++) /* the callback may have moved the array */
		if (d->script.lua->subs[i].id == id)
			d->script.lua->subs[i].enabled = false;
	char failed[96];
	snprintf(failed, sizeof(failed), "%s failed%s", what, d->s->replaying ? "" : " and is off");
	lua_dbg_keep_error(d, failed, &e);
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
	const u32 n = d->script.lua->n; /* what a callback subscribes to now it hears from the next event on */
	if (!event_in(d->script.lua->mask, ev->type))
		return false;
	for (u32 i = 0; i < n; i++) {
		struct subscription *s = &d->script.lua->subs[i];
		if (s->enabled && s->type == ev->type && event_filter_match(&s->filter, dbg_gpu(d), ev))
			stop |= call_subscriber(d, s, ev);
	}
	if (d->script.lua->holes)
		close_holes(d->script.lua);
	return stop;
}
