/* gpu.*: the machine as Lua objects. An object is a handle - a kind and indices - that is looked up anew at each
 * access, so that it stays right as the machine runs, and after `run` has rebuilt it. */
#include "script/gpu.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/host/answers.h"
#include "obs/name/names.h"
#include "obs/name/probe_path.h"
#include "sim.h"

void gpu_push(lua_State *L, enum handle_kind kind, u32 a, u32 b, u32 c)
{
	struct handle *h = lua_newuserdatauv(L, sizeof(*h), 0);
	*h = (struct handle){kind, a, b, c};
	luaL_setmetatable(L, HANDLE_META);
}

struct gpu *gpu_of(lua_State *L)
{
	return lua_check_gpu(L);
}

/* --- lists: gpu.sm[3] --- */

static const struct {
	const char *what; /* for messages */
	enum handle_kind element;
} lists[H_COUNT] = {
    [H_SMS] = {"SM", H_SM},         [H_WARPS] = {"warp slot", H_WARP},
    [H_CTAS] = {"CTA slot", H_CTA}, [H_KERNELS] = {"kernel", H_KERNEL},
    [H_REG] = {"lane", H_REG},      [H_REGS] = {"register", H_REG},
};

static u32 list_length(lua_State *L, const struct handle *h)
{
	struct gpu *g = gpu_of(L);
	struct sm_info s;
	switch (h->kind) {
	case H_SMS: return gpu_conf(g)->num_sms;
	case H_WARPS: return gpu_warps_per_sm(g);
	case H_CTAS: gpu_sm_info(g, h->a, &s); return s.max_ctas;
	case H_KERNELS: return gpu_num_kernels(g);
	case H_REG: return WARP_SIZE;
	case H_GROUP: return gpu_counter_instances(g, (enum counter_group)h->a);
	default: return 0;
	}
}

/* gpu.sm.issued: a name where a list's index is missing. */
static void check_no_name(lua_State *L, const struct handle *h)
{
	const char *list = h->kind == H_SMS ? "gpu.sm" : h->kind == H_KERNELS ? "gpu.kernel" : NULL;
	const char *name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : NULL;
	if (!name || lua_isinteger(L, 2))
		return;
	if (h->kind == H_SMS && probe_find_counter(CG_sm, name, strlen(name)) >= 0)
		luaL_error(L, "gpu.sm is a list: gpu.sm[S].%s is an SM's, gpu.%s the sum over all", name, name);
	if (list)
		luaL_error(L, "%s is a list: %s[%s].%s", list, list, h->kind == H_SMS ? "S" : "K", name);
	if (h->kind == H_WARPS || h->kind == H_CTAS)
		luaL_error(L, "gpu.sm[%d].%s is a list: gpu.sm[%d].%s[I].%s", (int)h->a, h->kind == H_WARPS ? "warp" : "cta",
		           (int)h->a, h->kind == H_WARPS ? "warp" : "cta", name);
	if (h->kind == H_REG)
		luaL_error(L, "a register is a list of 32 lanes: reg[\"%%r1\"][LANE], not .%s", name);
}

static u32 check_index(lua_State *L, const struct handle *h, const char *what)
{
	check_no_name(L, h);
	lua_Integer i = luaL_checkinteger(L, 2);
	u32 n = list_length(L, h);
	if (!n)
		luaL_error(L, "%s %I does not exist: there is none yet", what, i);
	if (i < 0 || i >= (lua_Integer)n)
		luaL_error(L, "%s %I does not exist (0..%I)", what, i, (lua_Integer)n - 1);
	return (u32)i;
}

static int list_index(lua_State *L, const struct handle *h)
{
	u32 i = check_index(L, h, lists[h->kind].what);
	if (h->kind == H_SMS || h->kind == H_KERNELS)
		gpu_push(L, lists[h->kind].element, i, 0, 0);
	else
		gpu_push(L, lists[h->kind].element, h->a, i, 0);
	return 1;
}

/* --- registers: warp.reg["%r1"][lane] --- */

static const struct regname *check_reg(lua_State *L, u32 sm, u32 warp, const char *name)
{
	struct gpu *g = gpu_of(L);
	struct warp_info w;
	gpu_warp_info(g, sm, warp, &w);
	const struct module *m = w.state == WS_NONE ? NULL : module_of_launch(g, w.launch);
	if (!m || w.pc == PC_DONE)
		luaL_error(L, "SM %d warp %d is empty or has exited: no registers", (int)sm, (int)warp);
	const struct regname *r = reg_find(m, w.pc, name);
	if (!r)
		luaL_error(L, "SM %d warp %d runs no function with a register '%s'", (int)sm, (int)warp, name);
	return r;
}

static const struct module *module_of_warp(struct gpu *g, u32 sm, u32 warp)
{
	struct warp_info w;
	gpu_warp_info(g, sm, warp, &w);
	return w.state == WS_NONE ? NULL : module_of_launch(g, w.launch);
}

static int regs_index(lua_State *L, const struct handle *h)
{
	const struct regname *r = check_reg(L, h->a, h->b, luaL_checkstring(L, 2));
	gpu_push(L, H_REG, h->a, h->b, (u32)(r - module_of_warp(gpu_of(L), h->a, h->b)->regnames));
	return 1;
}

void gpu_push_bits(lua_State *L, enum ptype t, u64 bits)
{
	if (t == T_PRED)
		lua_pushboolean(L, bits & 1);
	else if (ptype_is_float(t) && t != T_F16X2 && t != T_BF16X2)
		lua_pushnumber(L, value_real(t, bits));
	else
		lua_pushinteger(L, (lua_Integer)value_int(t, bits));
}

static int reg_index(lua_State *L, const struct handle *h)
{
	struct gpu *g = gpu_of(L);
	const struct module *m = module_of_warp(g, h->a, h->b);
	u32 lane = check_index(L, h, "lane");
	if (!m || h->c >= m->nregnames)
		return luaL_error(L, "SM %d warp %d runs something else now: ask for the register again", (int)h->a, (int)h->b);
	/* by name: the slot that carries it may be another one at another pc */
	const struct regname *r = check_reg(L, h->a, h->b, m->regnames[h->c].name);
	gpu_push_bits(L, r->type, front_read_reg(gpu_front(g), h->a, h->b, lane, r->at, r->type));
	return 1;
}

/* --- counters --- */

/* Pushes a counter or rate of a group; false when there is none of that name. */
static bool push_counter(lua_State *L, enum counter_group group, u32 instance, const char *name)
{
	struct gpu *g = gpu_of(L);
	int i = probe_find_counter(group, name, strlen(name));
	if (i >= 0) {
		lua_pushinteger(L, (lua_Integer)probe_counter(g, group, instance, (u32)i));
		return true;
	}
	i = probe_find_rate(group, name, strlen(name));
	if (i >= 0)
		lua_pushnumber(L, probe_rate(g, (u32)i, instance));
	return i >= 0;
}

static int sub_group(const char *name, int from, int to)
{
	for (int i = from; i <= to; i++)
		if (!strcmp(counter_group_names[i], name))
			return i;
	return -1;
}

static int group_index(lua_State *L, const struct handle *h)
{
	enum counter_group group = (enum counter_group)h->a;
	bool indexed = group == CG_l2 || group == CG_dram;
	if (lua_isinteger(L, 2) && indexed && h->b == PROBE_ALL) {
		u32 i = check_index(L, h, group == CG_l2 ? "L2 slice" : "DRAM channel");
		gpu_push(L, H_GROUP, group, i, 0);
		return 1;
	}
	const char *name = luaL_checkstring(L, 2);
	if (push_counter(L, group, h->b, name))
		return 1;
	return luaL_error(L, "%s has no '%s'%s", counter_group_names[group], name,
	                  indexed ? " (an index chooses one: [0])" : " (`explain` and tab completion know its counters)");
}

/* --- objects with fields --- */

static const struct gpu_field *find_field(enum handle_kind kind, const char *name)
{
	for (const struct gpu_field *f = gpu_fields; f->name; f++)
		if (f->kind == kind && !strcmp(f->name, name))
			return f;
	return NULL;
}

static int fail_field(lua_State *L, const struct handle *h, const char *name)
{
	const char *names[64];
	u32 n = 0;
	for (const struct gpu_field *f = gpu_fields; f->name; f++)
		if (f->kind == h->kind && n < ARRAY_LEN(names))
			names[n++] = f->name;
	const char *near = conf_nearest(name, names, n);
	return luaL_error(L, "%s has no field '%s'%s%s%s", gpu_kind_names[h->kind], name, near ? " (did you mean '" : "",
	                  near ? near : "", near ? "'?)" : " (`help lua` lists them)");
}

/* Counters stand beside the fields: those of the SM, of the kernel, and on gpu itself the sums over the SMs. */
static int object_index(lua_State *L, const struct handle *h)
{
	const char *name = luaL_checkstring(L, 2);
	const struct gpu_field *f = find_field(h->kind, name);
	if (f) {
		f->push(L, h);
		return 1;
	}
	int group = -1;
	if (h->kind == H_SM)
		group = sub_group(name, CG_l1i, CG_SM_LAST);
	else if (h->kind == H_GPU)
		group = sub_group(name, CG_l1i, CG_dram);
	if (group >= 0) {
		gpu_push(L, H_GROUP, (u32)group, h->kind == H_SM ? h->a : PROBE_ALL, 0);
		return 1;
	}
	if ((h->kind == H_SM && push_counter(L, CG_sm, h->a, name)) ||
	    (h->kind == H_GPU && push_counter(L, CG_sm, PROBE_ALL, name)) ||
	    (h->kind == H_KERNEL && push_counter(L, CG_kernel, h->a, name)))
		return 1;
	return fail_field(L, h, name);
}

/* --- the metatable --- */

static int read_index(lua_State *L)
{
	const struct handle *h = luaL_checkudata(L, 1, HANDLE_META);
	switch (h->kind) {
	case H_SMS:
	case H_WARPS:
	case H_CTAS:
	case H_KERNELS: return list_index(L, h);
	case H_REGS: return regs_index(L, h);
	case H_REG: return reg_index(L, h);
	case H_GROUP: return group_index(L, h);
	default: return object_index(L, h);
	}
}

static int handle_index(lua_State *L)
{
	return answer_look(L, read_index, 0);
}

static int handle_newindex(lua_State *L)
{
	const struct handle *h = luaL_checkudata(L, 1, HANDLE_META);
	return luaL_error(L, "%s is read-only (mem.write_* and `set` change the machine)", gpu_kind_names[h->kind]);
}

static int read_len(lua_State *L)
{
	const struct handle *h = luaL_checkudata(L, 1, HANDLE_META);
	u32 n = list_length(L, h);
	if (!n && !lists[h->kind].what && h->kind != H_GROUP)
		return luaL_error(L, "%s is no list", gpu_kind_names[h->kind]);
	lua_pushinteger(L, n);
	return 1;
}

static int handle_len(lua_State *L)
{
	return answer_look(L, read_len, 0);
}

static bool is_list(const struct handle *h)
{
	return lists[h->kind].what || (h->kind == H_GROUP && h->b == PROBE_ALL && (h->a == CG_l2 || h->a == CG_dram));
}

/* By the metamethods: a host program's looks are theirs. */
static int handle_next(lua_State *L)
{
	const lua_Integer i = luaL_checkinteger(L, 2) + 1;
	if (i >= luaL_len(L, 1)) /* kernels may have come, or all be gone */
		return 0;
	lua_pushinteger(L, i);
	lua_geti(L, 1, i);
	return 2;
}

/* for i, v in pairs(LIST): from 0 on. (ipairs begins at 1.) */
static int handle_pairs(lua_State *L)
{
	const struct handle *h = luaL_checkudata(L, 1, HANDLE_META);
	if (!is_list(h) || h->kind == H_REGS)
		return luaL_error(L, "%s is no list (`print` shows all that it holds)", gpu_kind_names[h->kind]);
	lua_pushcfunction(L, handle_next);
	lua_pushvalue(L, 1);
	lua_pushinteger(L, -1);
	return 3;
}

static int handle_tostring(lua_State *L)
{
	const struct handle *h = luaL_checkudata(L, 1, HANDLE_META);
	switch (h->kind) {
	case H_SM: lua_pushfstring(L, "gpu.sm[%d]", (int)h->a); break;
	case H_WARP: lua_pushfstring(L, "gpu.sm[%d].warp[%d]", (int)h->a, (int)h->b); break;
	case H_CTA: lua_pushfstring(L, "gpu.sm[%d].cta[%d]", (int)h->a, (int)h->b); break;
	case H_KERNEL: lua_pushfstring(L, "gpu.kernel[%d]", (int)h->a); break;
	case H_GROUP:
		if (h->b == PROBE_ALL)
			lua_pushfstring(L, "gpu.%s", counter_group_names[h->a]);
		else
			lua_pushfstring(L, "%s %d", counter_group_names[h->a], (int)h->b);
		break;
	default: lua_pushstring(L, gpu_kind_names[h->kind]); break;
	}
	return 1;
}

void lua_open_gpu(struct lua_State *L)
{
	static const luaL_Reg meta[] = {{"__index", handle_index}, {"__newindex", handle_newindex}, {"__len", handle_len},
	                                {"__pairs", handle_pairs}, {"__tostring", handle_tostring}, {NULL, NULL}};
	luaL_newmetatable(L, HANDLE_META);
	luaL_setfuncs(L, meta, 0);
	lua_pushliteral(L, "warpdbg"); /* getmetatable() gives this: scripts cannot reach the functions */
	lua_setfield(L, -2, "__metatable");
	lua_pop(L, 1);
	gpu_push(L, H_GPU, 0, 0, 0);
	lua_setglobal(L, "gpu");
}
