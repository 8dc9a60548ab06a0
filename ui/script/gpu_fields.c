/* The fields of the objects under `gpu`, one row each. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "session/host/answers.h"
#include "session/state.h"
#include "script/gpu.h"
#include "gpu/launch_slots.h"
#include "gpu/query_mbarrier.h"
#include "lua/lua.h"
#include "obs/energy/energy.h"
#include "obs/name/names.h"
#include "obs/name/probe_path.h"
#include "obs/stats/slowdown.h"
#include "sim.h"

const char *const gpu_kind_names[H_COUNT] = {
    "gpu",        "gpu.sm",     "an SM",    "the list of warps",     "a warp",     "the list of CTAs",
    "a CTA slot", "gpu.kernel", "a kernel", "the list of registers", "a register", "a group of counters"};

static void push_u(lua_State *L, u64 v)
{
	lua_pushinteger(L, (lua_Integer)v);
}

static void set_u(lua_State *L, const char *name, u64 v)
{
	push_u(L, v);
	lua_setfield(L, -2, name);
}

static struct warp_info warp_of(lua_State *L, const struct handle *h)
{
	struct warp_info w;
	gpu_warp_info(gpu_of(L), h->a, h->b, &w);
	return w;
}

static struct cta_info cta_of(lua_State *L, const struct handle *h)
{
	struct cta_info c;
	gpu_cta_info(gpu_of(L), h->a, h->b, &c);
	return c;
}

static struct sm_info sm_of(lua_State *L, const struct handle *h)
{
	struct sm_info s;
	gpu_sm_info(gpu_of(L), h->a, &s);
	return s;
}

static struct kernel_info kernel_of(lua_State *L, const struct handle *h)
{
	struct kernel_info k;
	if (h->a >= gpu_num_kernels(gpu_of(L)))
		luaL_error(L, "kernel %d does not exist (any more)", (int)h->a);
	gpu_kernel_info(gpu_of(L), h->a, &k);
	return k;
}

/* --- stalls(taxonomy): of the machine, an SM or a launch --- */

static int read_stalls(lua_State *L)
{
	const s32 of = (s32)lua_tointeger(L, lua_upvalueindex(1));
	const bool launch = lua_toboolean(L, lua_upvalueindex(2));
	const char *name = luaL_optstring(L, lua_isstring(L, 1) ? 1 : 2, "base");
	u64 base[ST_COUNT];
	struct stall_class c[TAX_MAX_CLASSES];
	for (u32 t = 0; t < TAX_COUNT; t++) {
		if (strcmp(taxonomy_names[t], name))
			continue;
		if (launch && (u32)of >= gpu_num_kernels(gpu_of(L)))
			return luaL_error(L, "kernel %d does not exist (any more)", (int)of);
		if (launch)
			gpu_launch_slots(gpu_of(L), (u32)of, base);
		else
			gpu_stalls_sum(gpu_of(L), of, base);
		u32 n = stall_map((enum taxonomy)t, base, c);
		lua_createtable(L, 0, (int)n);
		for (u32 i = 0; i < n; i++)
			set_u(L, c[i].name, c[i].slots);
		return 1;
	}
	return luaL_error(L, "there is no taxonomy '%s': %s", name, taxonomy_list());
}

static int stalls(lua_State *L)
{
	return answer_look(L, read_stalls, 1);
}

/* Of SM `of`, of the machine (-1), or of a launch. */
static void push_stalls(lua_State *L, s32 of, bool launch)
{
	lua_pushinteger(L, of);
	lua_pushboolean(L, launch);
	lua_pushcclosure(L, stalls, 2);
}

/* --- energy: of the machine, an SM or a launch --- */

static void push_energy(lua_State *L, const struct handle *h)
{
	struct gpu *g = gpu_of(L);
	struct energy e;
	if (h->kind == H_KERNEL) {
		u32 n = gpu_num_kernels(g);
		kernel_of(L, h);
		struct energy *all = lua_newuserdatauv(L, (n + 1) * sizeof *all, 0); /* an error frees it, too */
		energy_of_kernels(g, all, &all[n]);
		e = all[h->a];
		lua_pop(L, 1);
	} else if (h->kind == H_SM) {
		energy_of_sm(g, h->a, &e);
	} else {
		energy_of_machine(g, &e);
	}
	const struct energy_amount sum = energy_sum(&e);
	lua_createtable(L, 0, EP_COUNT + 4);
	set_u(L, "total", sum.dynamic + sum.leakage);
	set_u(L, "dynamic", sum.dynamic);
	set_u(L, "leakage", sum.leakage);
	set_u(L, "gated", sum.gated);
	for (u32 i = 0; i < EP_COUNT; i++)
		set_u(L, energy_parts[i].name, e.part[i].dynamic + e.part[i].leakage);
}

/* --- lists made on demand --- */

static void push_dim(lua_State *L, struct dim3 v)
{
	lua_createtable(L, 0, 3);
	set_u(L, "x", v.x);
	set_u(L, "y", v.y);
	set_u(L, "z", v.z);
}

static void push_barriers(lua_State *L, const struct handle *h)
{
	struct barrier_info b[16];
	u32 n = cta_of(L, h).used ? MIN(gpu_barriers(gpu_of(L), h->a, h->b, b, ARRAY_LEN(b)), (u32)ARRAY_LEN(b)) : 0;
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_createtable(L, 0, 4);
		set_u(L, "id", b[i].id);
		set_u(L, "arrived", b[i].arrived);
		set_u(L, "expected", b[i].expected);
		set_u(L, "waiting", b[i].waiting);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void push_mbarriers(lua_State *L, const struct handle *h)
{
	struct mbarrier_view b[256];
	u32 n = MIN(gpu_mbarriers(gpu_of(L), h->a, h->b, b, ARRAY_LEN(b)), (u32)ARRAY_LEN(b));
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_createtable(L, 0, 6);
		set_u(L, "addr", b[i].is.addr);
		set_u(L, "phase", b[i].is.phase);
		set_u(L, "pending", b[i].is.pending);
		set_u(L, "expected", b[i].is.expected);
		lua_pushinteger(L, b[i].is.tx);
		lua_setfield(L, -2, "bytes");
		set_u(L, "waiting", b[i].waiting);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void push_lines(lua_State *L, const struct handle *h)
{
	const struct conf *c = gpu_conf(gpu_of(L));
	u32 max = c->l1d_sets * c->l1d_ways, lines; /* every line may be another CTA's */
	struct cta_lines *list = lua_newuserdatauv(L, (max + 1) * sizeof *list, 0);
	u32 n = mem_lines_by_cta(gpu_mem(gpu_of(L)), h->a, list, max, &lines);
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_createtable(L, 0, 3);
		set_u(L, "kernel", list[i].launch);
		set_u(L, "cta", list[i].cta);
		set_u(L, "lines", list[i].lines);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_remove(L, -2);
}

static void push_mshrs(lua_State *L, const struct handle *h)
{
	struct mshr_info m[512];
	u32 n = MIN(mem_mshrs(gpu_mem(gpu_of(L)), h->a, MC_L1D, m, ARRAY_LEN(m)), (u32)ARRAY_LEN(m));
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_createtable(L, 0, 4);
		set_u(L, "addr", m[i].addr);
		set_u(L, "merged", m[i].merged);
		set_u(L, "since", m[i].since);
		lua_pushstring(L, m[i].where);
		lua_setfield(L, -2, "where");
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void push_stack(lua_State *L, const struct handle *h)
{
	struct simt_entry st[64];
	u32 n = 0;
	if (warp_of(L, h).state != WS_NONE)
		n = MIN(front_stack(gpu_front(gpu_of(L)), h->a, h->b, st, ARRAY_LEN(st)), (u32)ARRAY_LEN(st));
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_createtable(L, 0, 3);
		set_u(L, "pc", st[i].pc);
		set_u(L, "mask", st[i].mask);
		set_u(L, "reconv", st[i].reconv);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
}

static void push_splits(lua_State *L, const struct handle *h)
{
	struct simt_entry st[64];
	u32 n = 0, k = 0;
	if (warp_of(L, h).state != WS_NONE)
		n = MIN(front_stack(gpu_front(gpu_of(L)), h->a, h->b, st, ARRAY_LEN(st)), (u32)ARRAY_LEN(st));
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		if (!st[i].lanes)
			continue;
		lua_createtable(L, 0, 4);
		set_u(L, "pc", st[i].pc);
		set_u(L, "lanes", st[i].lanes);
		lua_pushstring(L, lanes_do_names[st[i].does]);
		lua_setfield(L, -2, "does");
		set_u(L, "wakes", st[i].until);
		lua_rawseti(L, -2, (lua_Integer)++k);
	}
}

/* __index of that table: reached with keys that it has not. */
static int no_such_key(lua_State *L)
{
	const char *key = luaL_checkstring(L, 2), **names = lua_newuserdatauv(L, conf_nkeys * sizeof *names, 0);
	for (u32 i = 0; i < conf_nkeys; i++)
		names[i] = conf_keys[i].key;
	const char *near = conf_nearest(key, names, conf_nkeys);
	if (near)
		return luaL_error(L, "gpu.conf has no '%s' (did you mean '%s'?)", key, near);
	return luaL_error(L, "gpu.conf has no '%s' (`list config` names the keys)", key);
}

static void push_conf(lua_State *L, const struct handle *h)
{
	const struct conf *c = gpu_conf(gpu_of(L));
	lua_createtable(L, 0, (int)conf_nkeys);
	for (u32 i = 0; i < conf_nkeys; i++) {
		struct strbuf t = STRBUF_INIT;
		conf_get(c, &conf_keys[i], &t);
		lua_pushstring(L, strbuf_str(&t));
		if ((conf_keys[i].kind == CONF_INT || conf_keys[i].kind == CONF_REAL) && lua_stringtonumber(L, strbuf_str(&t)))
			lua_remove(L, -2);
		else if (conf_keys[i].kind == CONF_BOOL) {
			lua_pushboolean(L, !strcmp(strbuf_str(&t), "true"));
			lua_remove(L, -2);
		}
		lua_setfield(L, -2, conf_keys[i].key);
		strbuf_release(&t);
	}
	if (luaL_newmetatable(L, "warpdbg.conf")) {
		lua_pushcfunction(L, no_such_key);
		lua_setfield(L, -2, "__index");
	}
	lua_setmetatable(L, -2);
}

/* Place in the code; nil for empty slots and finished warps. */
static const struct inst *next_inst(lua_State *L, const struct handle *h, const struct module **m)
{
	struct warp_info w = warp_of(L, h);
	*m = w.state == WS_NONE ? NULL : module_of_launch(gpu_of(L), w.launch);
	return *m && w.pc < (*m)->ncode ? &(*m)->code[w.pc] : NULL;
}

static void push_source(lua_State *L, const struct handle *h)
{
	const struct module *m;
	const struct inst *in = next_inst(L, h, &m);
	struct strbuf t = STRBUF_INIT;
	if (in) {
		line_text(m, (u32)(in - m->code), &t);
		lua_pushstring(L, strbuf_str(&t));
	} else {
		lua_pushnil(L);
	}
	strbuf_release(&t);
}

static void push_line(lua_State *L, const struct handle *h)
{
	const struct module *m;
	const struct inst *in = next_inst(L, h, &m);
	if (in)
		push_u(L, module_line_in_file(m, in->line));
	else
		lua_pushnil(L);
}

static void push_pc(lua_State *L, const struct handle *h)
{
	const struct module *m;
	const struct inst *in = next_inst(L, h, &m);
	if (in)
		push_u(L, (u64)(in - m->code));
	else
		lua_pushnil(L);
}

static void set_text(lua_State *L, const char *name, const char *text)
{
	lua_pushstring(L, text);
	lua_setfield(L, -2, name);
}

static void push_inst(lua_State *L, const struct module *m, u32 pc)
{
	const struct inst *in = &m->code[pc];
	const struct func *f = func_of_pc(m, pc);
	struct strbuf t = STRBUF_INIT;
	bool ptx = gpu_conf(gpu_of(L))->isa_issue_cost == ISSUE_COST_PTX;
	const char *path = module_part_of(m, in->line)->path, *slash = strrchr(path, '/');
	lua_createtable(L, 0, 10);
	set_u(L, "line", module_line_in_file(m, in->line));
	set_u(L, "slots", ptx ? 1 : in->cost);
	set_text(L, "op", opcode_descs[in->op].name);
	set_text(L, "file", slash ? slash + 1 : path);
	set_text(L, "func", f ? f->name : "?");
	line_text(m, pc, &t);
	set_text(L, "text", strbuf_str(&t));
	lua_pushboolean(L, in->guard != OPND_NONE);
	lua_setfield(L, -2, "guarded");
	lua_pushboolean(L, f && f->is_kernel);
	lua_setfield(L, -2, "kernel"); /* not in a device function */
	if (in->reconv >= 0)
		set_u(L, "reconv", (u64)in->reconv);
	if (in->target >= 0 && in->op == OP_BRA)
		set_u(L, "target", (u64)in->target);
	if (in->src_line && in->src_file < m->nfiles && m->files[in->src_file]) {
		set_u(L, "src_line", in->src_line);
		set_text(L, "src_file", m->files[in->src_file]);
	}
	strbuf_release(&t);
}

/* kernel.code(pc), also kernel:code(pc). */
static int read_code(lua_State *L)
{
	lua_Integer pc = luaL_checkinteger(L, lua_isuserdata(L, 1) ? 2 : 1);
	const struct module *m = module_of_launch(gpu_of(L), (s32)lua_tointeger(L, lua_upvalueindex(1)));
	if (!m || pc < 0 || pc >= (lua_Integer)m->ncode)
		return luaL_error(L, "there is no instruction %I", pc);
	push_inst(L, m, (u32)pc);
	return 1;
}

static int code(lua_State *L)
{
	return answer_look(L, read_code, 1);
}

static void push_code(lua_State *L, const struct handle *h)
{
	kernel_of(L, h);
	lua_pushinteger(L, h->a);
	lua_pushcclosure(L, code, 1);
}

static void push_kept(lua_State *L, u32 launch)
{
	const struct cta_tally t = gpu_cta_tally(gpu_of(L), (s32)launch);
	lua_createtable(L, 0, 7);
	set_u(L, "paused", t.paused);
	set_u(L, "moving", t.moving);
	set_u(L, "lowered", t.lowered);
	set_u(L, "inactive", t.inactive);
	set_u(L, "saved", t.saved);
	set_u(L, "queued", t.queued);
	set_u(L, "restarts", t.restarts);
}

static void push_saved(lua_State *L, u32 launch)
{
	const u32 n = gpu_ctas_away(gpu_of(L), (s32)launch, NULL, 0);
	struct away_info *a = lua_newuserdatauv(L, (n + 1) * sizeof *a, 0);
	gpu_ctas_away(gpu_of(L), (s32)launch, a, n);
	lua_createtable(L, (int)n, 0);
	for (u32 i = 0; i < n; i++) {
		lua_createtable(L, 0, 7);
		set_u(L, "cta", a[i].cta);
		set_u(L, "since", a[i].since);
		set_u(L, "left_at", a[i].left_at);
		set_u(L, "sm", a[i].sm);
		if (a[i].to != UINT32_MAX)
			set_u(L, "to", a[i].to);
		lua_pushboolean(L, a[i].restarts);
		lua_setfield(L, -2, "restarts");
		set_text(L, "state", cta_state_descs[a[i].state].name);
		lua_rawseti(L, -2, (lua_Integer)i + 1);
	}
	lua_remove(L, -2);
}

static void push_limits(lua_State *L, u32 launch)
{
	const u32 n = gpu_conf(gpu_of(L))->num_sms;
	lua_createtable(L, (int)n, 0);
	for (u32 sm = 0; sm < n; sm++) {
		lua_pushinteger(L, gpu_cta_limit(gpu_of(L), launch, sm));
		lua_rawseti(L, -2, sm);
	}
}

/* What the CTA scheduler keeps for each SM; nil: nothing. */
static void push_chunks(lua_State *L, u32 launch)
{
	struct cta_share c;
	if (!gpu_cta_share(gpu_of(L), launch, 0, &c)) {
		lua_pushnil(L);
		return;
	}
	lua_newtable(L);
	for (u32 sm = 0; sm < gpu_conf(gpu_of(L))->num_sms; sm++) {
		gpu_cta_share(gpu_of(L), launch, sm, &c);
		lua_createtable(L, 0, 8);
		set_u(L, "first", c.lo);
		set_u(L, "count", c.hi - c.lo);
		set_u(L, "left_first", c.from);
		set_u(L, "left", c.to - c.from);
		if (c.next != NO_CTA)
			set_u(L, "next", c.next);
		lua_pushboolean(L, c.backward);
		lua_setfield(L, -2, "backward");
		set_u(L, "queue_left", c.qto - c.qfrom);
		lua_createtable(L, (int)c.queued, 0);
		for (u32 i = 0; i < c.queued; i++) {
			lua_pushinteger(L, (lua_Integer)c.queue[i]);
			lua_rawseti(L, -2, (lua_Integer)i + 1);
		}
		lua_setfield(L, -2, "queue");
		lua_rawseti(L, -2, sm);
	}
}

static void set_known(lua_State *L, const char *name, double v)
{
	if (isnan(v))
		return; /* nil */
	lua_pushnumber(L, v);
	lua_setfield(L, -2, name);
}

static void push_kcb(lua_State *L, u32 launch)
{
	struct kcb_info k;
	gpu_kcb(gpu_of(L), launch, &k);
	lua_createtable(L, 0, 11);
	set_u(L, "context", k.context);
	set_u(L, "switch_cycles", k.switch_cycles);
	set_u(L, "ended", k.ended);
	set_known(L, "cta_insts", k.cta_insts);
	set_known(L, "cta_cycles", k.cta_cycles);
	set_known(L, "cta_cpi", k.cta_cpi);
	for (u32 t = 0; t < TECHNIQUES; t++)
		set_u(L, technique_names[t], k.by[t]);
	set_u(L, "waiting", k.waiting);
	set_u(L, "restarting", k.restarting);
}

/* A figure that compares a launch with runs of each program alone; nil: not known. */
static void push_sharing(lua_State *L, const struct handle *h,
                         double (*figure)(const struct gpu *g, u32 launch, const struct program_alone *alone))
{
	const struct session *s = lua_session(L);
	struct program_alone alone[OPTIONS_PROGRAMS] = {0};
	for (u32 i = 0; i < s->nprograms; i++)
		alone[i] = s->programs[i].alone;
	kernel_of(L, h); /* is it there? */
	const double v = figure(gpu_of(L), h->a, alone);
	if (isnan(v))
		lua_pushnil(L);
	else
		lua_pushnumber(L, v);
}

static void push_smst(lua_State *L, u32 sm)
{
	struct smst_info s;
	gpu_smst(gpu_of(L), sm, &s);
	lua_createtable(L, 0, 16);
	set_u(L, "free", s.free);
	set_u(L, "running", s.running);
	for (u32 t = 0; t < TECHNIQUES; t++)
		set_u(L, technique_names[t], s.preempting[t]);
	set_u(L, "paused", s.paused);
	set_u(L, "moving", s.moving);
	set_u(L, "leaving", s.leaving);
	set_u(L, "inactive", s.inactive);
	set_u(L, "asked", s.asked);
	set_u(L, "regs_left", s.regs);
	set_u(L, "shared_left", s.shared);
	set_u(L, "threads_left", s.threads);
	set_text(L, "role", s.role);
	if (s.request)
		set_u(L, "request", s.request);
	lua_newtable(L);
	for (u32 k = 0; k < gpu_num_kernels(gpu_of(L)); k++) {
		const u32 n = gpu_resident(gpu_of(L), sm, k);
		if (!n)
			continue;
		lua_pushinteger(L, n);
		lua_rawseti(L, -2, k);
	}
	lua_setfield(L, -2, "kernels");
}

static void push_room(lua_State *L, u32 launch)
{
	struct room_info o;
	if (!gpu_room(gpu_of(L), launch, 0, &o)) {
		lua_pushnil(L);
		return;
	}
	lua_newtable(L);
	for (u32 sm = 0; sm < gpu_conf(gpu_of(L))->num_sms; sm++) {
		gpu_room(gpu_of(L), launch, sm, &o);
		lua_createtable(L, 0, 10);
		lua_pushstring(L, room_lack_names[o.lack]);
		lua_setfield(L, -2, "lacks");
		set_u(L, "ctas", o.resident);
		set_u(L, "most", o.most);
		set_u(L, "fragmented", o.fragmented);
		set_u(L, "regs_of_cta", o.regs);
		set_u(L, "regs_free", o.reg.free);
		set_u(L, "regs_piece", o.reg.largest);
		set_u(L, "shared_of_cta", o.shared);
		set_u(L, "shared_free", o.shm.free);
		set_u(L, "shared_piece", o.shm.largest);
		lua_rawseti(L, -2, sm);
	}
}

/* Where all warps of the SM stand, in one go: for sampling. */
static void push_resident(lua_State *L, const struct handle *h)
{
	u32 n = gpu_warps_per_sm(gpu_of(L)), k = 0, by[WARP_SLOTS];
	gpu_producers(gpu_of(L), h->a, by);
	lua_newtable(L);
	for (u32 i = 0; i < n; i++) {
		struct warp_info w;
		gpu_warp_info(gpu_of(L), h->a, i, &w);
		if (w.state == WS_NONE)
			continue;
		lua_createtable(L, 0, 9);
		set_u(L, "slot", i);
		set_u(L, "kernel", (u64)w.launch);
		set_u(L, "cta", w.cta);
		set_u(L, "since", w.since);
		if (w.pc != PC_DONE)
			set_u(L, "pc", w.pc);
		if (by[i] != PC_DONE && warp_state_waits(w.state))
			set_u(L, "producer", by[i]);
		set_text(L, "state", w.issued_last ? "issued" : w.refused ? "refused" : warp_state_descs[w.state].name);
		set_text(L, "waits", w.waits);
		lua_rawseti(L, -2, ++k);
	}
}

/* Nothing where there is no such thing. */
static void push_id(lua_State *L, bool there, u64 v)
{
	if (there)
		push_u(L, v);
	else
		lua_pushnil(L);
}

/* The instruction that the warp's wait is charged to, or its line. */
static void push_producer(lua_State *L, const struct handle *h, bool line)
{
	const struct warp_info w = warp_of(L, h);
	const struct module *m = module_of_launch(gpu_of(L), w.launch);
	const u32 pc = warp_state_waits(w.state) ? gpu_producer(gpu_of(L), h->a, h->b) : PC_DONE;
	const bool there = m && pc < m->ncode;
	push_id(L, there, there && line ? module_pc_line(m, pc) : pc);
}

/* What the warp scheduler says of itself or, warp given, of a warp. */
static void push_sched_text(lua_State *L, u32 sm, u32 scheduler, u32 warp)
{
	struct strbuf t = STRBUF_INIT;
	gpu_sched_text(gpu_of(L), sm, scheduler, warp, &t);
	lua_pushstring(L, strbuf_str(&t));
	strbuf_release(&t);
}

static u32 schedulers(lua_State *L)
{
	return gpu_conf(gpu_of(L))->sm_schedulers;
}

/* What the CTA scheduler says of a launch. */
static void push_cta_sched_text(lua_State *L, u32 launch)
{
	struct strbuf t = STRBUF_INIT;
	gpu_cta_sched_text(gpu_of(L), launch, &t);
	lua_pushstring(L, strbuf_str(&t));
	strbuf_release(&t);
}

/* Numbered from 0, as everything that has a number in the machine. */
static void push_scheds(lua_State *L, u32 sm)
{
	lua_createtable(L, 0, (int)schedulers(L));
	for (u32 i = 0; i < schedulers(L); i++) {
		lua_createtable(L, 0, 1);
		push_sched_text(L, sm, i, UINT32_MAX);
		lua_setfield(L, -2, "text");
		lua_rawseti(L, -2, (lua_Integer)i);
	}
}

/* --- the rows --- */

#define GPU_ROWS                                                                                                       \
	F(H_GPU, cycle, "integer, cycles", "cycles completed", push_u(L, gpu_cycle(gpu_of(L))))                            \
	F(H_GPU, counted, "integer, cycles",                                                                               \
	  "the cycles that counters, rates, stalls and energy are of: gpu.cycle, or (`scope`) those of the scope",         \
	  push_u(L, gpu_counted_cycles(gpu_of(L))))                                                                        \
	F(H_GPU, turn, "integer",                                                                                          \
	  "turns of the host programs and changes by hand so far; with the cycle it names a place in the run: the same "   \
	  "place has the same hash (0 without a history)",                                                                 \
	  push_u(L, sim_place(lua_check_sim(L)).turn))                                                                     \
	F(H_GPU, hash, "string", "XXH3 of the whole simulated state, 16 hex digits",                                       \
	  lua_pushfstring(L, "%s", hash_text(L)))                                                                          \
	F(H_GPU, num_sms, "integer", "SMs", push_u(L, gpu_conf(gpu_of(L))->num_sms))                                       \
	F(H_GPU, num_l2, "integer", "L2 slices", push_u(L, gpu_num_l2(gpu_of(L))))                                         \
	F(H_GPU, num_channels, "integer", "DRAM channels", push_u(L, gpu_num_channels(gpu_of(L))))                         \
	F(H_GPU, warps_per_sm, "integer", "warp slots of an SM", push_u(L, gpu_warps_per_sm(gpu_of(L))))                   \
	F(H_GPU, num_kernels, "integer", "launches so far", push_u(L, gpu_num_kernels(gpu_of(L))))                         \
	F(H_GPU, time_us, "number, microseconds", "simulated time (us)",                                                   \
	  lua_pushnumber(L, (double)gpu_cycle(gpu_of(L)) / gpu_conf(gpu_of(L))->core_clock))                               \
	F(H_GPU, sm, "object, a list from 0",                                                                              \
	  "gpu.sm[0..num_sms-1]: the SMs; `for i, s in pairs(gpu.sm)` goes over them from 0, as pairs does over "          \
	  "each such list",                                                                                                \
	  gpu_push(L, H_SMS, 0, 0, 0))                                                                                     \
	F(H_GPU, kernel, "object, a list from 0", "gpu.kernel[0..num_kernels-1]: the launches",                            \
	  gpu_push(L, H_KERNELS, 0, 0, 0))                                                                                 \
	F(H_GPU, conf, "table: key = integer, number, boolean or string, in the key's unit",                               \
	  "the effective configuration: gpu.conf[\"l1d.ways\"]", push_conf(L, h))                                          \
	F(H_GPU, stalls, "function; table: class = integer, issue slots",                                                  \
	  "gpu.stalls([taxonomy]): issue slots by class, over all SMs", push_stalls(L, -1, false))                         \
	F(H_GPU, energy, "table: name = integer, fJ",                                                                      \
	  "energy so far: total = dynamic + leakage, gated (not leaked), and each part by its name in `info energy`",      \
	  push_energy(L, h))
#define SM_ROWS                                                                                                        \
	F(H_SM, id, "integer, from 0", "its number", push_u(L, h->a))                                                      \
	F(H_SM, warp, "object, a list from 0", "sm.warp[slot]: the warp slots", gpu_push(L, H_WARPS, h->a, 0, 0))          \
	F(H_SM, cta, "object, a list from 0", "sm.cta[slot]: the CTA slots", gpu_push(L, H_CTAS, h->a, 0, 0))              \
	F(H_SM, warps, "integer", "resident warps", push_u(L, sm_of(L, h).warps))                                          \
	F(H_SM, max_warps, "integer", "warp slots", push_u(L, sm_of(L, h).max_warps))                                      \
	F(H_SM, ctas, "integer", "resident CTAs", push_u(L, sm_of(L, h).ctas))                                             \
	F(H_SM, max_ctas, "integer", "CTA slots", push_u(L, sm_of(L, h).max_ctas))                                         \
	F(H_SM, lowered, "integer", "CTAs that their CTA scheduler has lowered behind all others",                         \
	  push_u(L, sm_of(L, h).lowered))                                                                                  \
	F(H_SM, inactive, "integer", "CTAs without a slot (cta-virtual=vt)", push_u(L, sm_of(L, h).inactive))              \
	F(H_SM, smst, "table; left: registers, bytes, threads",                                                            \
	  "its line of the SM status table, as `info smst` shows it: {free, running, switch, drain, flush, paused, "       \
	  "moving, leaving, inactive, asked, regs_left, shared_left, threads_left, role, request, kernels}. free to "      \
	  "leaving: CTA slots by state (switch, drain, flush: preempted by that technique); inactive: CTAs without a "     \
	  "slot; asked: of these, those that a preemption takes; *_left: resources left; role: the SM's role; request: "   \
	  "the request under way or nil; kernels: by launch, its number of CTAs there",                                    \
	  push_smst(L, h->a))                                                                                              \
	F(H_SM, regs_used, "integer, registers", "32-bit registers in use", push_u(L, sm_of(L, h).regs_used))              \
	F(H_SM, regs, "integer, registers", "32-bit registers there are", push_u(L, sm_of(L, h).regs))                     \
	F(H_SM, shared_used, "integer, bytes", "shared memory in use (B)", push_u(L, sm_of(L, h).shared_used))             \
	F(H_SM, shared, "integer, bytes", "shared memory there is (B)", push_u(L, sm_of(L, h).shared))                     \
	F(H_SM, awake, "boolean", "false while the SM sleeps until something happens",                                     \
	  lua_pushboolean(L, sm_of(L, h).awake != 0))                                                                      \
	F(H_SM, issued_last, "integer", "instructions issued in the last cycle", push_u(L, sm_of(L, h).issued_last))       \
	F(H_SM, lsu_queued, "integer", "instructions at the LSU", push_u(L, sm_of(L, h).lsu_queued))                       \
	F(H_SM, lsu_warp, "integer or nil", "warp of the LSU's head instruction, nil = none or one without a slot",        \
	  push_id(L, sm_of(L, h).lsu_warp >= 0 && sm_of(L, h).lsu_warp < WARP_SLOTS, (u64)sm_of(L, h).lsu_warp))           \
	F(H_SM, replay_used, "integer", "transactions in the re-execution queue (lsu.replay)",                             \
	  push_u(L, sm_of(L, h).replay_used))                                                                              \
	F(H_SM, replay_size, "integer", "entries of the re-execution queue, 0 = there is none",                            \
	  push_u(L, sm_of(L, h).replay_size))                                                                              \
	F(H_SM, loads_in_flight, "integer", "load instructions in flight", push_u(L, sm_of(L, h).loads_in_flight))         \
	F(H_SM, resident, "table, a list from 1; since in cycles",                                                         \
	  "resident warps, in one go: list of {slot, kernel, cta, pc, producer, state, since, waits}; state is also "      \
	  "\"issued\" and \"refused\" (in the last cycle)",                                                                \
	  push_resident(L, h))                                                                                             \
	F(H_SM, sched, "table, a list from 0",                                                                             \
	  "sm.sched[0..schedulers-1]: the warp schedulers: list of {text}, the policy's state in words",                   \
	  push_scheds(L, h->a))                                                                                            \
	F(H_SM, mshrs, "table, a list from 1; addr a device address, since a cycle, where a string",                       \
	  "L1D MSHRs in use: list of {addr, merged, since, where}", push_mshrs(L, h))                                      \
	F(H_SM, lines, "table, a list from 1; integers",                                                                   \
	  "lines alive in L1D by the CTA that brought them in, most lines first: list of {kernel, cta, lines}",            \
	  push_lines(L, h))                                                                                                \
	F(H_SM, stalls, "function; table: class = integer, issue slots",                                                   \
	  "sm.stalls([taxonomy]): its issue slots by class", push_stalls(L, (s32)h->a, false))                             \
	F(H_SM, energy, "table: name = integer, fJ", "its energy so far, as gpu.energy", push_energy(L, h))
#define WARP_ROWS                                                                                                      \
	F(H_WARP, id, "integer, from 0", "its slot", push_u(L, h->b))                                                      \
	F(H_WARP, pc, "integer or nil", "next instruction (index), nil = empty or exited", push_pc(L, h))                  \
	F(H_WARP, line, "integer or nil", "PTX line of the next instruction, nil likewise", push_line(L, h))               \
	F(H_WARP, source, "string or nil", "text of that line", push_source(L, h))                                         \
	F(H_WARP, state, "string", "name of its state (`explain` knows them)",                                             \
	  lua_pushstring(L, warp_state_descs[warp_of(L, h).state].name))                                                   \
	F(H_WARP, waits, "string", "what it waits for, in words", lua_pushstring(L, warp_of(L, h).waits))                  \
	F(H_WARP, producer, "integer or nil",                                                                              \
	  "instruction (index) that its wait is charged to: the load whose result it needs, the barrier that holds it; "   \
	  "nil = it does not wait",                                                                                        \
	  push_producer(L, h, false))                                                                                      \
	F(H_WARP, producer_line, "integer or nil", "PTX line of that instruction, nil likewise",                           \
	  push_producer(L, h, true))                                                                                       \
	F(H_WARP, mask, "integer, bit l = lane l", "active lanes", push_u(L, warp_of(L, h).active))                        \
	F(H_WARP, kernel, "integer or nil", "launch, nil = empty slot",                                                    \
	  push_id(L, warp_of(L, h).launch >= 0, (u64)warp_of(L, h).launch))                                                \
	F(H_WARP, cta, "integer or nil", "linear CTA id, nil = empty slot",                                                \
	  push_id(L, warp_of(L, h).launch >= 0, warp_of(L, h).cta))                                                        \
	F(H_WARP, cta_slot, "integer or nil", "CTA slot, nil = empty slot",                                                \
	  push_id(L, warp_of(L, h).launch >= 0, warp_of(L, h).cta_slot))                                                   \
	F(H_WARP, warp_in_cta, "integer", "number within the CTA", push_u(L, warp_of(L, h).warp_in_cta))                   \
	F(H_WARP, scheduler, "integer, from 0", "its scheduler", push_u(L, warp_of(L, h).scheduler))                       \
	F(H_WARP, since, "integer, cycles", "cycle of the last change of state", push_u(L, warp_of(L, h).since))           \
	F(H_WARP, started_at, "integer, cycles", "cycle of dispatch", push_u(L, warp_of(L, h).started_at))                 \
	F(H_WARP, insts, "integer", "warp instructions executed", push_u(L, warp_of(L, h).insts))                          \
	F(H_WARP, pending_loads, "integer", "load instructions in flight", push_u(L, warp_of(L, h).pending_loads))         \
	F(H_WARP, priority, "integer", "rank the scheduler gives it now, 0 = first",                                       \
	  lua_pushinteger(L, warp_of(L, h).priority))                                                                      \
	F(H_WARP, policy, "string", "what the warp scheduler says of it, in words",                                        \
	  push_sched_text(L, h->a, h->b % schedulers(L), h->b))                                                            \
	F(H_WARP, phase, "integer or nil",                                                                                 \
	  "phase of its next instruction, as `info phases` numbers them; nil = empty or exited",                           \
	  push_id(L, warp_of(L, h).phase >= 0, (u64)warp_of(L, h).phase))                                                  \
	F(H_WARP, phases, "integer or nil", "phases of that function, nil likewise",                                       \
	  push_id(L, warp_of(L, h).phase >= 0, warp_of(L, h).phases))                                                      \
	F(H_WARP, phase_distance, "integer or nil, cycles",                                                                \
	  "cycles from its next instruction to the phase's end, nil likewise",                                             \
	  push_id(L, warp_of(L, h).phase >= 0, warp_of(L, h).phase_distance))                                              \
	F(H_WARP, issued_last, "boolean", "issued in the last cycle", lua_pushboolean(L, warp_of(L, h).issued_last))       \
	F(H_WARP, refused, "boolean", "ready, but refused by its unit", lua_pushboolean(L, warp_of(L, h).refused))         \
	F(H_WARP, reg, "object; integer, number (f16, f32, f64) or boolean (predicates)",                                  \
	  "warp.reg[\"%r1\"][lane]: PTX registers", gpu_push(L, H_REGS, h->a, h->b, 0))                                    \
	F(H_WARP, stack, "table, a list from 1; integers", "SIMT stack, top first: list of {pc, mask, reconv}",            \
	  push_stack(L, h))                                                                                                \
	F(H_WARP, splits, "table, a list from 1; integers, text",                                                          \
	  "lanes that are at one place, those that run first: list of {pc, lanes, does, wakes}; lanes = mask, does = as "  \
	  "`info splits` has it, wakes = the cycle until which they sleep or slept, 0 = never",                            \
	  push_splits(L, h))
#define CTA_ROWS                                                                                                        \
	F(H_CTA, slot, "integer, from 0", "its slot", push_u(L, h->b))                                                      \
	F(H_CTA, used, "boolean", "is there a CTA in the slot?", lua_pushboolean(L, cta_of(L, h).used))                     \
	F(H_CTA, cta, "integer or nil", "linear CTA id, nil = empty slot",                                                  \
	  push_id(L, cta_of(L, h).used, cta_of(L, h).cta))                                                                  \
	F(H_CTA, id, "table of integers", "{x, y, z}", push_dim(L, cta_of(L, h).id))                                        \
	F(H_CTA, kernel, "integer or nil", "launch, nil = empty slot", push_id(L, cta_of(L, h).used, cta_of(L, h).launch))  \
	F(H_CTA, warps, "integer, bit w = warp slot w", "mask of its warp slots", push_u(L, cta_of(L, h).warps))            \
	F(H_CTA, warps_done, "integer, bit w = warp slot w", "mask of those that have exited",                              \
	  push_u(L, cta_of(L, h).warps_done))                                                                               \
	F(H_CTA, state, "string", "how it stands, as in `info ctas`",                                                       \
	  lua_pushstring(L, cta_state_descs[cta_of(L, h).is.state].name))                                                   \
	F(H_CTA, state_since, "integer, cycles", "since when it stands so; if nobody has stopped it, its dispatch",         \
	  push_u(L, cta_of(L, h).is.since))                                                                                 \
	F(H_CTA, started_at, "integer, cycles", "cycle of dispatch", push_u(L, cta_of(L, h).started_at))                    \
	F(H_CTA, insts, "integer", "warp instructions executed", push_u(L, cta_of(L, h).insts))                             \
	F(H_CTA, reg_first, "integer, registers", "start of its block of registers", push_u(L, cta_of(L, h).reg_first))     \
	F(H_CTA, reg_size, "integer, registers", "32-bit registers", push_u(L, cta_of(L, h).reg_size))                      \
	F(H_CTA, shared_first, "integer, bytes", "start of its block of shared memory (B)",                                 \
	  push_u(L, cta_of(L, h).shared_first))                                                                             \
	F(H_CTA, shared_size, "integer, bytes", "shared memory (B)", push_u(L, cta_of(L, h).shared_size))                   \
	F(H_CTA, barriers, "table, a list from 1; arrived, expected in warps, waiting a mask of warp slots",                \
	  "barriers with waiting warps: list of {id, arrived, expected, waiting}", push_barriers(L, h))                     \
	F(H_CTA, mbarriers,                                                                                                 \
	  "table, a list from 1; addr an offset in shared memory, phase modulo 8, pending and expected in arrivals, bytes " \
	  "to come, waiting a mask of warp slots",                                                                          \
	  "mbarriers: list of {addr, phase, pending, expected, bytes, waiting}", push_mbarriers(L, h))
#define KERNEL_ROWS                                                                                                    \
	F(H_KERNEL, id, "integer, from 0", "launch number", push_u(L, h->a))                                               \
	F(H_KERNEL, name, "string", "the kernel's name, as PTX has it", lua_pushstring(L, kernel_of(L, h).name))           \
	F(H_KERNEL, label, "string", "its name as the source has it, where that means this kernel alone",                  \
	  lua_pushstring(L, kernel_of(L, h).label))                                                                        \
	F(H_KERNEL, state, "string", "\"queued\", \"running\" or \"done\"",                                                \
	  lua_pushstring(L, kernel_states[kernel_of(L, h).state]))                                                         \
	F(H_KERNEL, ctas, "integer", "CTAs of the grid", push_u(L, kernel_of(L, h).launch->ctas))                          \
	F(H_KERNEL, dispatched, "integer", "CTAs dispatched", push_u(L, kernel_of(L, h).dispatched))                       \
	F(H_KERNEL, resident, "integer", "CTAs on SMs now", push_u(L, kernel_of(L, h).resident))                           \
	F(H_KERNEL, kept, "table of integers, CTAs",                                                                       \
	  "{paused, moving, lowered, inactive, saved, queued, restarts}. paused: CTAs that are paused or halted; "         \
	  "moving: halted while preemption moves a context; lowered: behind all others, by their CTA scheduler; "          \
	  "inactive: on an SM without a slot; saved: taken off their SM; queued: of the saved, those that wait for "       \
	  "room; restarts: of the saved, those that begin again",                                                          \
	  push_kept(L, h->a))                                                                                              \
	F(H_KERNEL, saved, "table, a list from 1; since, left_at cycles; to nil: any SM",                                  \
	  "CTAs taken off their SM: list of {cta, state, since, left_at, sm, to, restarts}. since: when it entered "       \
	  "this state; left_at: when it was taken off; sm: the SM that it left; to: the SM to which it goes; restarts: "   \
	  "it begins again",                                                                                               \
	  push_saved(L, h->a))                                                                                             \
	F(H_KERNEL, chunks, "table, a list from 0, one for each SM, or nil",                                               \
	  "while it runs under chunk, reset, flip or steal: list of {first, count, left_first, left, next, backward, "     \
	  "queue, queue_left}. first, count: the SM's chunk; left_first, left: the part that is still to be dispatched "   \
	  "(places: they are ids, unless ikra.affine_a is set); next: the CTA that comes next or nil; backward: the "      \
	  "chunk is taken from its end; queue: CTAs in its steal queue; queue_left: those that are still to be "           \
	  "dispatched",                                                                                                    \
	  push_chunks(L, h->a))                                                                                            \
	F(H_KERNEL, room, "table, a list from 0, one for each SM, or nil",                                                 \
	  "while it runs, the room on each SM for one more CTA of it: list of {lacks, ctas, most, fragmented, "            \
	  "regs_of_cta, regs_free, regs_piece, shared_of_cta, shared_free, shared_piece}. lacks: the resource that is "    \
	  "lacking, a word as in `info room`; ctas, most: its CTAs there and how many it may have; fragmented: "           \
	  "additional CTAs that would fit if the free space were in one piece; *_of_cta, *_free, *_piece: the size of "    \
	  "a CTA, the free space and its largest piece, of registers (32-bit) and shared memory (B)",                      \
	  push_room(L, h->a))                                                                                              \
	F(H_KERNEL, kcb, "table; context in bytes, nil: not known yet",                                                    \
	  "its control block, as `info kcb` shows it: {context, switch_cycles, ended, cta_insts, cta_cycles, cta_cpi, "    \
	  "switch, drain, flush, waiting, restarting}. context, switch_cycles: a CTA's context, and the cycles in "        \
	  "which an SM moves it; ended: CTAs that have ended; cta_insts, cta_cycles, cta_cpi: warp instructions, "         \
	  "cycles, and cycles per warp instruction of a CTA, in the mean (nil: not known yet); switch, drain, flush: "     \
	  "CTAs preempted by each technique; waiting: CTAs in the queue; restarting: those of them that begin again",      \
	  push_kcb(L, h->a))                                                                                               \
	F(H_KERNEL, limits, "table of integers, a list from 0, one for each SM",                                           \
	  "the most CTAs of it that its CTA scheduler allows each SM now (lcs: T_new); 0: it has set no limit",            \
	  push_limits(L, h->a))                                                                                            \
	F(H_KERNEL, ctas_per_sm, "integer", "the most CTAs an SM can hold", push_u(L, kernel_of(L, h).ctas_per_sm))        \
	F(H_KERNEL, limiter, "string", "what limits that", lua_pushstring(L, kernel_of(L, h).limiter))                     \
	F(H_KERNEL, cta_sched, "string", "what the CTA scheduler says of it while it runs (\"T_new 3\"), else \"\"",       \
	  push_cta_sched_text(L, h->a))                                                                                    \
	F(H_KERNEL, grid, "table of integers, CTAs", "{x, y, z}", push_dim(L, kernel_of(L, h).launch->grid))               \
	F(H_KERNEL, block, "table of integers, threads", "{x, y, z}", push_dim(L, kernel_of(L, h).launch->block))          \
	F(H_KERNEL, regs, "integer, registers", "registers per thread", push_u(L, kernel_of(L, h).launch->regs))           \
	F(H_KERNEL, regs_from, "string",                                                                                   \
	  "where that number comes from: \"estimate\", \"cubin\" (machine code beside the PTX), \"--regs\", \"host\" "     \
	  "(the host program)",                                                                                            \
	  lua_pushstring(L, regs_from_names[kernel_of(L, h).launch->regs_from]))                                           \
	F(H_KERNEL, call, "string, or nil",                                                                                \
	  "the call of the host program that launched it (\"cuda.launch from saxpy.lua:12\"), nil: not known",             \
	  lua_pushstring(L, kernel_of(L, h).launch->call))                                                                 \
	F(H_KERNEL, shared_bytes, "integer, bytes", "shared memory per CTA (B)",                                           \
	  push_u(L, kernel_of(L, h).launch->shared_bytes))                                                                 \
	F(H_KERNEL, warps, "integer", "warps of a CTA", push_u(L, kernel_of(L, h).launch->warps))                          \
	F(H_KERNEL, code, "function; table of integers, strings and booleans",                                             \
	  "kernel.code(pc): an instruction: {line, text, file, func, kernel, op, slots, guarded, reconv, target, "         \
	  "src_line, src_file}",                                                                                           \
	  push_code(L, h))                                                                                                 \
	F(H_KERNEL, priority, "integer, -5 to 5", "its stream's priority: the least comes first",                          \
	  lua_pushinteger(L, kernel_of(L, h).launch->priority))                                                            \
	F(H_KERNEL, stream, "integer, from 0", "stream", push_u(L, kernel_of(L, h).launch->stream))                        \
	F(H_KERNEL, program, "integer, from 0", "host program that launched it, in the order of the command line",         \
	  push_u(L, kernel_of(L, h).program))                                                                              \
	F(H_KERNEL, slowdown, "number, times, or nil",                                                                     \
	  "how many times slower it is than in a run of its program alone: its CPI divided by that of the same launch "    \
	  "there (Park 2016, sections 4.4.4 and 5.2.1). Its CPI is the cycles from where it could have started (its "      \
	  "stream's turn) to its end or now, divided by its warp instructions without insts_dropped. nil: it is not "      \
	  "measured (this takes several programs and --alone), it has no instruction yet, it is a launch of a later "      \
	  "run (--again), or the program's launch of that number is another one when it runs alone",                       \
	  push_sharing(L, h, launch_slowdown))                                                                             \
	F(H_KERNEL, antt, "number, times, or nil",                                                                         \
	  "average normalized turnaround time (Park 2016, equations 4.1 and 5.1): the mean of the slowdowns of this "      \
	  "launch and of all launches of any program whose time overlaps its own; a launch without an instruction does "   \
	  "not count. nil: one of these slowdowns is not known. dbg.programs() has ANTT of programs",                      \
	  push_sharing(L, h, launch_antt))                                                                                 \
	F(H_KERNEL, stalls, "function; table: class = integer, issue slots",                                               \
	  "kernel.stalls([taxonomy]): all issue slots of the machine in its time so far, by class; launches that run at "  \
	  "the same time have the same slots",                                                                             \
	  push_stalls(L, (s32)h->a, true))                                                                                 \
	F(H_KERNEL, energy, "table: name = integer, fJ", "its energy so far, as gpu.energy", push_energy(L, h))

static const char *const kernel_states[] = {"queued", "running", "done"};

static const char *hash_text(lua_State *L)
{
	char t[20];
	snprintf(t, sizeof(t), "%016llx", (unsigned long long)sim_hash(lua_check_sim(L)));
	return lua_pushstring(L, t);
}

#define F(kind, field, shape, doc, push)                                                                               \
	static void push_##kind##_##field(lua_State *L, const struct handle *h)                                            \
	{                                                                                                                  \
		push;                                                                                                          \
	}
GPU_ROWS SM_ROWS WARP_ROWS CTA_ROWS KERNEL_ROWS
#undef F

#define F(kind, field, shape, doc, push) {kind, #field, doc, push_##kind##_##field},
    const struct gpu_field gpu_fields[] = {GPU_ROWS SM_ROWS WARP_ROWS CTA_ROWS KERNEL_ROWS{0, NULL, NULL, NULL}};
#undef F

/* `list stats` names them with their units. */
#define COUNTER_SHAPE "integer (counters), number (rates; nan while the denominator is 0)"
#define PATH_H_GPU "gpu."
#define PATH_H_SM "gpu.sm[S]."
#define PATH_H_WARP "gpu.sm[S].warp[W]."
#define PATH_H_CTA "gpu.sm[S].cta[C]."
#define PATH_H_KERNEL "gpu.kernel[K]."
#define F(kind, field, shape, doc, push) {PATH_##kind #field, PATH_##kind #field, shape, doc, ""},
const struct lua_doc lua_gpu_docs[] = {
    GPU_ROWS SM_ROWS WARP_ROWS CTA_ROWS KERNEL_ROWS{"gpu.COUNTER", "gpu.COUNTER, gpu.sm[S].COUNTER", COUNTER_SHAPE,
                                                    "counters and rates of group sm: the sum, or one SM's", ""},
    {"gpu.l1d", "gpu.l1d.COUNTER, gpu.sm[S].l1d.COUNTER", COUNTER_SHAPE,
     "caches l1i, l1d, l1c, l1t: the sum, or one SM's", ""},
    {"gpu.l2", "gpu.l2.COUNTER, gpu.l2[I].COUNTER", COUNTER_SHAPE, "L2: the sum, or one slice's", ""},
    {"gpu.dram", "gpu.dram.COUNTER, gpu.dram[I].COUNTER", COUNTER_SHAPE, "DRAM: the sum, or one channel's", ""},
    {"gpu.noc", "gpu.noc.COUNTER", COUNTER_SHAPE, "interconnect", ""},
    {"gpu.kernel.COUNTER", "gpu.kernel[K].COUNTER", COUNTER_SHAPE, "counters and rates of a launch", ""},
    {NULL, NULL, NULL, NULL, NULL}};
#undef F
