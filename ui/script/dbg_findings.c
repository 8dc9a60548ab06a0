/* dbg.findings: what checks have found. */
#include "lua/lua.h"
#include "obs/name/findings.h"
#include "obs/name/names.h"
#include "script/dbg_internal.h"
#include "sim.h"

static void count(lua_State *L, const char *name, u64 v)
{
	lua_pushinteger(L, (lua_Integer)v);
	lua_setfield(L, -2, name);
}

static void word(lua_State *L, const char *name, const char *v)
{
	lua_pushstring(L, v);
	lua_setfield(L, -2, name);
}

static void flag(lua_State *L, const char *name, bool v)
{
	lua_pushboolean(L, v);
	lua_setfield(L, -2, name);
}

static void side(lua_State *L, const struct gpu *g, const struct check_side *s, const char *name)
{
	const struct module *m = gpu_launched(g, s->launch)->mod;
	struct strbuf place = STRBUF_INIT, cuda = STRBUF_INIT;
	line_place(m, s->pc, &place);
	finding_cuda_line(m, s->pc, &cuda);
	lua_newtable(L);
	word(L, "access", finding_access_text(s));
	count(L, "cycle", s->cycle);
	count(L, "kernel", s->launch);
	count(L, "cta", s->cta);
	count(L, "thread", s->thread);
	count(L, "pc", s->pc);
	word(L, "place", strbuf_str(&place));
	if (cuda.len)
		word(L, "cuda", cuda.buf);
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
		word(L, "kind", check_kind_names[f[i].kind]);
		word(L, "space", space_names[f[i].space]);
		flag(L, "benign", f[i].same);
		flag(L, "fence", f[i].fence);
		count(L, "address", f[i].addr);
		count(L, "bytes", f[i].bytes);
		count(L, "times", f[i].times);
		if (f[i].kind != CHECK_UNINIT)
			side(L, g, &f[i].first, "first");
		side(L, g, &f[i].second, "second");
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}
