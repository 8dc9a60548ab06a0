/* dbg.series: what the timeline of the run has recorded, of the machine or an SM. */
#include <stdio.h>
#include <string.h>

#include "dbg/debugger.h"
#include "lua/lua.h"
#include "obs/record/timeline.h"
#include "script/dbg_internal.h"
#include "sim.h"

/* As the columns of --timeline are named. */
static void name_of(enum series s, char out[64])
{
	snprintf(out, 64, "%s%s", s < TS_STALL ? "" : "stall ", series_desc(s).name);
}

static enum series check_series(lua_State *L, int at)
{
	const char *want = luaL_checkstring(L, at);
	char name[64];
	for (u32 i = 0; i < TS_COUNT; i++) {
		name_of((enum series)i, name);
		if (!strcmp(name, want))
			return (enum series)i;
	}
	return (enum series)luaL_error(L, "dbg.series: no series '%s' (dbg.series() lists them)", want);
}

static int list_series(lua_State *L)
{
	char name[64];
	lua_createtable(L, TS_COUNT, 0);
	for (u32 i = 0; i < TS_COUNT; i++) {
		name_of((enum series)i, name);
		lua_pushstring(L, name);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

int lua_dbg_series(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	const struct timeline *t = d->s->timeline;
	if (lua_isnoneornil(L, 1))
		return list_series(L);
	const enum series which = check_series(L, 1);
	const lua_Integer sm = luaL_optinteger(L, 2, -1), n = gpu_conf(lua_check_gpu(L))->num_sms;
	if (sm < -1 || sm >= n)
		return luaL_error(L, "dbg.series: there is no SM %d, but 0 to %d", (int)sm, (int)n - 1);
	if (sm >= 0 && !series_of_sms(which))
		return luaL_error(L, "dbg.series: '%s' is of the machine, not of an SM", lua_tostring(L, 1));
	if (!t)
		return 0;
	const u32 len = timeline_len(t);
	lua_createtable(L, (int)len, 2);
	lua_dbg_set_int(L, "start", (lua_Integer)timeline_start(t));
	lua_dbg_set_int(L, "span", (lua_Integer)timeline_span(t));
	for (u32 i = 0; i < len; i++) {
		lua_pushnumber(L, timeline_get(t, (s32)sm, which, i));
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}
