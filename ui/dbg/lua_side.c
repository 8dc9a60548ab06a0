/* The debugger of a Lua state: whose it is, what may be done when, what callbacks have failed of. */
#include "dbg/lua_side.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/state.h"

#define DEBUGGER_KEY "warpdbg.debugger" /* registry: box of the state's debugger */
struct box {
	struct debugger *d;
	bool owned; /* made for a script: goes with the state */
	struct debugger_maker maker;
};

static struct box *box_of(lua_State *L)
{
	lua_getfield(L, LUA_REGISTRYINDEX, DEBUGGER_KEY);
	struct box *b = lua_touserdata(L, -1);
	lua_pop(L, 1);
	return b;
}

struct debugger *lua_dbg_of(lua_State *L)
{
	struct box *b = box_of(L);
	struct session *s = lua_session(L);
	if (!s || !s->sim || !b)
		luaL_error(L, "there is no machine here");
	if (!b->d) {
		b->maker.make(s, b->maker.words); /* attaches itself */
		b->owned = true;
	}
	return b->d;
}

static int box_gc(lua_State *L)
{
	struct box *b = lua_touserdata(L, 1);
	struct debugger *d = b->d;
	b->d = NULL;
	if (d && b->owned) {
		d->bound.subscribed_to = NULL; /* the machine may be gone already */
		d->script.lua->n = 0;          /* and the registry is going */
		b->maker.unmake(d);
	}
	return 0;
}

struct debugger *lua_dbg_present(struct session *s)
{
	struct box *b = s->L ? box_of(s->L) : NULL;
	return b ? b->d : NULL;
}

struct debugger *lua_dbg_adopted(struct session *s)
{
	struct box *b = box_of(s->L);
	if (!b || !b->d)
		return NULL;
	b->owned = false;
	return b->d;
}

void lua_dbg_attach(struct debugger *d)
{
	struct box *b = box_of(d->s->L);
	d->script.lua = xcalloc(1, sizeof(*d->script.lua));
	d->script.lua->next_id = 1;
	if (b) {
		b->d = d;
		b->owned = false;
	}
}

void lua_dbg_release(struct debugger *d)
{
	struct box *b = d->s->L ? box_of(d->s->L) : NULL;
	if (b && b->d == d)
		b->d = NULL;
	strbuf_release(&d->script.lua->error);
	free(d->script.lua->subs);
	free(d->script.lua);
	d->script.lua = NULL;
}

void lua_dbg_unref(struct debugger *d, int ref)
{
	if (ref >= 0 && d->s->L)
		luaL_unref(d->s->L, LUA_REGISTRYINDEX, ref);
}

bool lua_dbg_in_callback(const struct debugger *d)
{
	return d->script.lua && (d->script.lua->in_callback || d->script.lua->looking);
}

void lua_dbg_look_begins(struct debugger *d)
{
	d->script.lua->looking++;
}

void lua_dbg_look_ends(struct debugger *d)
{
	d->script.lua->looking--;
}

bool lua_dbg_looking(const struct debugger *d)
{
	return d->script.lua->looking;
}

void lua_dbg_callback_begins(struct debugger *d)
{
	d->script.lua->in_callback++;
}

void lua_dbg_callback_ends(struct debugger *d)
{
	d->script.lua->in_callback--;
}

u32 lua_dbg_new_id(struct debugger *d)
{
	return d->script.lua->next_id++;
}

struct sim *lua_check_sim(lua_State *L)
{
	struct session *s = lua_session(L);
	if (!s || !s->sim)
		luaL_error(L, "there is no machine here");
	return s->sim;
}

struct gpu *lua_check_gpu(lua_State *L)
{
	return sim_gpu(lua_check_sim(L));
}

void lua_check_may_subscribe(lua_State *L, const char *what)
{
	struct session *s = lua_session(L);
	struct box *b = box_of(L);
	if (s && s->replaying)
		luaL_error(L, "%s: not while searching back: breakpoints, subscriptions and the machine stay as they are",
		           what);
	if (b && b->d && lua_dbg_looking(b->d))
		luaL_error(L,
		           "%s: expressions that are watched, displayed or waited for may look at the machine, not change it",
		           what);
}

void lua_check_may_change(lua_State *L, const char *what)
{
	struct box *b = box_of(L);
	lua_check_may_subscribe(L, what);
	if (b && b->d && lua_dbg_in_callback(b->d))
		luaL_error(L, "%s: callbacks and conditions may look at the machine, not change it", what);
}

/* Coroutines are host programs: they run inside the machine's run. */
void lua_check_main_thread(lua_State *L, const char *what)
{
	if (!lua_pushthread(L))
		luaL_error(L, "%s cannot be called from a host program or coroutine: it runs the machine that runs them", what);
	lua_pop(L, 1);
}

void lua_dbg_keep_error(struct debugger *d, const char *what, const struct err *e)
{
	if (!d->script.lua->error.len)
		strbuf_addf(&d->script.lua->error, "%s: %s", what, e->msg);
}

void lua_dbg_keep_cut(struct debugger *d, const char *what)
{
	char *cut = d->script.lua->cut;
	if (!*cut)
		snprintf(cut, sizeof d->script.lua->cut, "%s", what);
}

bool lua_dbg_take_cut(struct debugger *d, char what[64])
{
	char *cut = d->script.lua->cut;
	const bool any = *cut;
	memcpy(what, cut, sizeof d->script.lua->cut);
	*cut = 0;
	return any;
}

bool lua_dbg_take_error(struct debugger *d, struct strbuf *out)
{
	if (!d->script.lua->error.len)
		return false;
	strbuf_adds(out, d->script.lua->error.buf);
	strbuf_clear(&d->script.lua->error);
	return true;
}

void lua_dbg_make_room(lua_State *L, const struct debugger_maker *maker)
{
	struct box *b = lua_newuserdatauv(L, sizeof(*b), 0);
	*b = (struct box){.maker = *maker};
	lua_createtable(L, 0, 1);
	lua_pushcfunction(L, box_gc);
	lua_setfield(L, -2, "__gc");
	lua_setmetatable(L, -2);
	lua_setfield(L, LUA_REGISTRYINDEX, DEBUGGER_KEY);
}
