/* dbg.programs: who shares the machine, and what each has come to. */
#include <math.h>

#include "lua/lua.h"
#include "script/dbg_internal.h"
#include "session/programs.h"

static void field(lua_State *L, const char *name, double v)
{
	if (!isfinite(v))
		return; /* not known: nil */
	lua_pushnumber(L, v);
	lua_setfield(L, -2, name);
}

int lua_dbg_programs(lua_State *L)
{
	const struct session *s = lua_session(L);
	struct program_stats p[OPTIONS_PROGRAMS];
	programs_stats(s, p);
	lua_newtable(L);
	for (u32 i = 0; i < s->nprograms; i++) {
		lua_newtable(L);
		lua_pushstring(L, p[i].of.name);
		lua_setfield(L, -2, "name");
		lua_pushboolean(L, p[i].done);
		lua_setfield(L, -2, "done");
		lua_dbg_set_int(L, "runs", p[i].of.runs);
		lua_dbg_set_int(L, "kernels", p[i].kernels);
		lua_dbg_set_int(L, "cycles", p[i].end - p[i].begin);
		lua_dbg_set_int(L, "warp_insts", p[i].warp_insts);
		field(L, "cpi", program_cpi(&p[i]));
		field(L, "alone_cpi", p[i].of.alone_cpi > 0 ? p[i].of.alone_cpi : NAN);
		field(L, "slowdown", program_slowdown(&p[i]));
		lua_dbg_set_int(L, "insts_dropped", p[i].insts_dropped);
		field(L, "effective_ipc", program_effective_ipc(&p[i]));
		lua_dbg_set_int(L, "deadlines_met", p[i].deadlines_met);
		lua_dbg_set_int(L, "deadlines_missed", p[i].deadlines_missed);
		lua_rawseti(L, -2, i + 1);
	}
	double antt, stp;
	programs_sharing(p, s->nprograms, &antt, &stp);
	field(L, "antt", antt);
	field(L, "stp", stp);
	return 1;
}
