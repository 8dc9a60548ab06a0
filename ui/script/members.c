/* What an object under `gpu` holds, for the prompt: every field, counter and rate with its value, one a line. */
#include <stdio.h>
#include <string.h>

#include "script/gpu.h"
#include "lua/lua.h"
#include "obs/stats/stats.h"

struct members {
	char fmt;
	struct strbuf *out;
};

/* The group whose counters stand beside an object's fields; CG_COUNT = none. */
static enum counter_group counters_of(const struct handle *h)
{
	switch (h->kind) {
	case H_GPU:
	case H_SM: return CG_sm;
	case H_KERNEL: return CG_kernel;
	case H_GROUP: return (enum counter_group)h->a;
	default: return CG_COUNT;
	}
}

/* Named fields of the table on top. */
static u32 named_fields(lua_State *L)
{
	u32 n = 0;
	for (lua_pushnil(L); lua_next(L, -2); lua_pop(L, 1))
		n++;
	return n;
}

#define SHORT_TABLE 8 /* longer ones are only told of */

/* The value of field `name` of the object at index 1; what fails says why. */
static void member(lua_State *L, const char *name, const struct members *m)
{
	strbuf_addf(m->out, "%s%-24s ", m->out->len ? "\n" : "", name);
	lua_getfield(L, 1, name);
	bool from_0;
	if (lua_isfunction(L, -1))
		strbuf_adds(m->out, "(a function)");
	else if (lua_istable(L, -1) && lua_dbg_list(L, -1, &from_0))
		strbuf_addf(m->out, "(a list of %u)", lua_dbg_list(L, -1, &from_0));
	else if (lua_istable(L, -1) && named_fields(L) > SHORT_TABLE)
		strbuf_addf(m->out, "(a table of %u)", named_fields(L));
	else
		lua_dbg_text(L, -1, lua_isinteger(L, -1) ? m->fmt : 0, m->out);
	lua_pop(L, 1);
}

/* Runs under pcall: a field may be an error, of an object that is gone. */
static int protected_members(lua_State *L)
{
	const struct members *m = lua_touserdata(L, 2);
	const struct handle *h = lua_touserdata(L, 1);
	enum counter_group group = counters_of(h);
	luaL_checkstack(L, 8, "members");
	for (const struct gpu_field *f = gpu_fields; f->name; f++)
		if (f->kind == h->kind)
			member(L, f->name, m);
	u32 last = h->kind == H_SM ? CG_SM_LAST : CG_dram; /* the groups that hang on it, as gpu.c has them */
	for (u32 i = CG_l1i; (h->kind == H_SM || h->kind == H_GPU) && i <= last; i++)
		member(L, counter_group_names[i], m);
	for (u32 i = 0; i < counter_ndescs; i++)
		if (counter_descs[i].group == group)
			member(L, counter_descs[i].name, m);
	for (u32 i = 0; i < rate_ndescs; i++)
		if (rate_descs[i].group == group)
			member(L, rate_descs[i].name, m);
	return 0;
}

bool lua_dbg_members(lua_State *L, int at, char fmt, struct strbuf *out)
{
	const struct handle *h = luaL_testudata(L, at, HANDLE_META);
	struct members m = {fmt, out};
	if (!h || h->kind == H_SMS || h->kind == H_WARPS || h->kind == H_CTAS || h->kind == H_KERNELS ||
	    h->kind == H_REGS || h->kind == H_REG)
		return false;
	lua_pushvalue(L, at);
	lua_pushcfunction(L, protected_members);
	lua_insert(L, -2);
	lua_pushlightuserdata(L, &m);
	if (lua_pcall(L, 2, 0, 0) != LUA_OK) {
		strbuf_addf(out, "<%s>", lua_tostring(L, -1));
		lua_pop(L, 1);
	}
	return true;
}
