/* dbg.whatif: the present cycle under several settings, as a list of rows. */
#include <math.h>

#include "dbg/whatif.h"
#include "lua/lua.h"
#include "script/dbg_internal.h"

static void count(lua_State *L, const char *name, u64 v)
{
	lua_pushinteger(L, (lua_Integer)v);
	lua_setfield(L, -2, name);
}

/* What is not known is nil. */
static void value(lua_State *L, const char *name, double v)
{
	if (!isfinite(v))
		return;
	lua_pushnumber(L, v);
	lua_setfield(L, -2, name);
}

static void flag(lua_State *L, const char *name, bool v)
{
	lua_pushboolean(L, v);
	lua_setfield(L, -2, name);
}

static void word(lua_State *L, const char *name, const char *v)
{
	lua_pushstring(L, v);
	lua_setfield(L, -2, name);
}

static void push_figures(lua_State *L, const struct whatif *w, const struct whatif_row *r)
{
	lua_newtable(L);
	for (u32 i = 0; i < w->nfigures; i++)
		if (r->news.value[i].real)
			value(L, w->figure[i].name, r->news.value[i].d);
		else
			count(L, w->figure[i].name, r->news.value[i].u);
	lua_setfield(L, -2, "figures");
}

static void push_row(lua_State *L, const struct whatif *w, u32 row)
{
	const struct whatif_row *r = &w->row[row];
	char hash[17];
	lua_newtable(L);
	lua_newtable(L);
	for (u32 k = 0; k < w->nkeys; k++)
		word(L, w->key[k]->key, r->value[k]);
	lua_setfield(L, -2, "settings");
	flag(L, "as_it_is", !row);
	flag(L, "from_zero", r->from_zero);
	flag(L, "best", (s32)row == whatif_best(w));
	flag(L, "ok", r->state == ROW_DONE);
	if (r->state != ROW_DONE)
		word(L, "why", r->why);
	if (!r->news.final || r->news.stop == SS_HOST_ERROR)
		return;
	word(L, "stop", whatif_word(r));
	if (w->hashes)
		word(L, "hash", whatif_hash(r, hash));
	count(L, "cycle", r->news.cycle);
	count(L, "warp_insts", r->news.insts);
	value(L, "ipc", whatif_ipc(r));
	value(L, "speed", whatif_speed(w, row, false));
	value(L, "speed_from_here", whatif_speed(w, row, true));
	push_figures(L, w, r);
}

int lua_dbg_whatif(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct err e = {0};
	const char *text = luaL_checkstring(L, 1);
	lua_check_may_change(L, "dbg.whatif");
	lua_check_main_thread(L, "dbg.whatif");
	if (d->run.goal.kind != GOAL_NONE)
		return luaL_error(L, "dbg.whatif: a run is under way");
	struct whatif *w = whatif_open(d, text, &e);
	if (!w)
		return luaL_error(L, "dbg.%s", e.msg);
	whatif_free(d->whatif);
	d->whatif = w;
	while (!d->run.interrupt && whatif_wait(w, d, 100))
		;
	whatif_stop(w); /* only what an interrupt has left */
	lua_budget(L, LUA_BUDGET_HOST);
	if (w->interrupted)
		return luaL_error(L, "dbg.whatif: interrupted");
	lua_newtable(L);
	for (u32 i = 0; i < w->nrows; i++) {
		push_row(L, w, i);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}
