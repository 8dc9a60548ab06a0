/* dbg.findings: what checks have found. */
#include "lua/lua.h"
#include "obs/name/findings.h"
#include "obs/name/names.h"
#include "script/dbg_internal.h"
#include "sim.h"

static void side(lua_State *L, const struct gpu *g, const struct check_side *s, const char *name)
{
	const struct module *m = gpu_launched(g, s->launch)->mod;
	struct strbuf place = STRBUF_INIT, cuda = STRBUF_INIT;
	line_place(m, s->pc, &place);
	finding_cuda_line(m, s->pc, &cuda);
	lua_newtable(L);
	lua_dbg_set_word(L, "access", finding_access_text(s));
	lua_dbg_set_int(L, "cycle", s->cycle);
	lua_dbg_set_int(L, "kernel", s->launch);
	lua_dbg_set_int(L, "cta", s->cta);
	lua_dbg_set_int(L, "thread", s->thread);
	lua_dbg_set_int(L, "pc", s->pc);
	lua_dbg_set_word(L, "place", strbuf_str(&place));
	if (cuda.len)
		lua_dbg_set_word(L, "cuda", cuda.buf);
	lua_setfield(L, -2, name);
	strbuf_release(&place);
	strbuf_release(&cuda);
}

int lua_dbg_findings(lua_State *L)
{
	const struct gpu *g = sim_gpu(lua_check_sim(L));
	u32 n;
	u64 lost;
	const struct check_finding *f = checks_findings(gpu_checks(g), &n, &lost);
	if (!gpu_checks(g)) {
		lua_pushnil(L);
		return 1;
	}
	lua_newtable(L);
	for (u32 i = 0; i < n; i++) {
		lua_newtable(L);
		lua_dbg_set_word(L, "kind", check_kind_names[f[i].kind]);
		lua_dbg_set_word(L, "space", space_names[f[i].space]);
		lua_dbg_set_flag(L, "benign", f[i].same);
		lua_dbg_set_flag(L, "fence", f[i].fence);
		lua_dbg_set_int(L, "address", f[i].addr);
		lua_dbg_set_int(L, "bytes", f[i].bytes);
		lua_dbg_set_int(L, "times", f[i].times);
		if (f[i].kind != CHECK_UNINIT)
			side(L, g, &f[i].first, "first");
		side(L, g, &f[i].second, "second");
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}
