/* dbg.whatif: the present cycle under several settings, as a list of rows. */
#include <math.h>

#include "dbg/whatif.h"
#include "lua/lua.h"
#include "script/dbg_internal.h"

/* What is not known is nil. */
static void value(lua_State *L, const char *name, double v)
{
	if (!isfinite(v))
		return;
	lua_pushnumber(L, v);
	lua_setfield(L, -2, name);
}

static void push_figures(lua_State *L, const struct whatif *w, const struct whatif_row *r)
{
	lua_newtable(L);
	for (u32 i = 0; i < w->nfigures; i++)
		if (r->news.value[i].real)
			value(L, w->figure[i].name, r->news.value[i].d);
		else
			lua_dbg_set_int(L, w->figure[i].name, r->news.value[i].u);
	lua_setfield(L, -2, "figures");
}

static void push_row(lua_State *L, const struct whatif *w, u32 row)
{
	const struct whatif_row *r = &w->row[row];
	char hash[17];
	lua_newtable(L);
	lua_newtable(L);
	for (u32 k = 0; k < w->nkeys; k++)
		lua_dbg_set_word(L, w->key[k]->key, r->value[k]);
	lua_setfield(L, -2, "settings");
	lua_dbg_set_flag(L, "as_it_is", !row);
	lua_dbg_set_flag(L, "from_zero", r->from_zero);
	lua_dbg_set_flag(L, "best", (s32)row == whatif_best(w));
	lua_dbg_set_flag(L, "ok", r->state == ROW_DONE);
	if (r->state != ROW_DONE)
		lua_dbg_set_word(L, "why", r->why);
	if (!r->news.final || r->news.stop == SS_HOST_ERROR)
		return;
	lua_dbg_set_word(L, "stop", whatif_word(r));
	if (w->hashes)
		lua_dbg_set_word(L, "hash", whatif_hash(r, hash));
	lua_dbg_set_int(L, "cycle", r->news.cycle);
	lua_dbg_set_int(L, "warp_insts", r->news.insts);
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
