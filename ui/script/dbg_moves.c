/* dbg.swaps and dbg.moves: where CTAs have been. */
#include <stdlib.h>

#include "dbg/debugger.h"
#include "dbg/moves.h"
#include "dbg/swaps.h"
#include "lua/lua.h"
#include "obs/break/break.h"
#include "script/dbg_internal.h"

static void set_cycles(lua_State *L, const char *name, u64 n)
{
	if (n != SWAP_UNKNOWN)
		lua_dbg_set_int(L, name, (lua_Integer)n);
}

static void push_swap(lua_State *L, const struct swap *s)
{
	const bool free_slots = s->cause == SWAP_FREE_SLOTS;
	lua_createtable(L, 0, 13);
	lua_dbg_set_int(L, "cycle", (lua_Integer)s->cycle);
	if (s->over)
		lua_dbg_set_int(L, "over", (lua_Integer)s->over);
	lua_dbg_set_int(L, "sm", s->sm);
	lua_dbg_set_int(L, "slot", s->slot);
	lua_pushstring(L, free_slots ? "free-slots" : event_arg_name(EV_CTA_SWAP_OUT, 0, s->cause));
	lua_setfield(L, -2, "cause");
	if (!free_slots) {
		lua_dbg_set_int(L, "out_cta", (lua_Integer)s->out);
		lua_dbg_set_int(L, "out_kernel", s->out_launch);
		set_cycles(L, "held", s->held);
	}
	lua_dbg_set_int(L, "in_cta", (lua_Integer)s->in);
	lua_dbg_set_int(L, "in_kernel", s->in_launch);
	lua_pushboolean(L, s->is_new);
	lua_setfield(L, -2, "new");
	set_cycles(L, "away", s->away);
	set_cycles(L, "ready", s->ready);
}

struct swaps {
	struct swap *swap;
	u32 n;
};
static int push_swaps(lua_State *L, void *ctx)
{
	const struct swaps *s = ctx;
	lua_createtable(L, (int)s->n, 0);
	for (u32 i = 0; i < s->n; i++) {
		push_swap(L, &s->swap[i]);
		lua_rawseti(L, -2, i + 1);
	}
	return 1;
}

int lua_dbg_swaps(lua_State *L)
{
	struct swaps s;
	struct err e = {0};
	s.swap = swaps_known(lua_dbg_of(L), &s.n);
	const bool ok = lua_guarded(L, push_swaps, &s, 0, 1, &e);
	free(s.swap);
	return ok ? 1 : luaL_error(L, "dbg.swaps: %s", e.msg);
}

struct moves_of {
	lua_State *L;
	s64 launch, cta;
	lua_Integer n;
};
static void push_move(void *ctx, const struct event *ev)
{
	struct moves_of *m = ctx;
	const struct event_desc *x = &event_descs[ev->type];
	if (ev->kernel != m->launch || ev->cta != m->cta)
		return;
	lua_createtable(m->L, 0, 8);
	lua_pushstring(m->L, x->name);
	lua_setfield(m->L, -2, "event");
	lua_dbg_set_int(m->L, "cycle", (lua_Integer)ev->cycle);
	lua_dbg_set_int(m->L, "sm", ev->sm);
	for (u32 i = 0; i < EVENT_ARGS; i++) {
		const char *word = *x->arg[i] ? event_arg_name((enum event_type)ev->type, i, ev->arg[i]) : NULL;
		if (word)
			lua_pushstring(m->L, word);
		else
			lua_pushinteger(m->L, (lua_Integer)ev->arg[i]);
		if (*x->arg[i])
			lua_setfield(m->L, -2, x->arg[i]);
		else
			lua_pop(m->L, 1);
	}
	lua_rawseti(m->L, -2, ++m->n);
}

int lua_dbg_moves(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	struct moves_of m = {.L = L, .cta = luaL_checkinteger(L, 1), .launch = luaL_optinteger(L, 2, 0)};
	luaL_argcheck(L, m.launch >= 0 && (u64)m.launch < gpu_num_kernels(dbg_gpu(d)), 2, "no such launch");
	luaL_argcheck(L, m.cta >= 0 && (u64)m.cta < gpu_launched(dbg_gpu(d), (u32)m.launch)->ctas, 1, "no such CTA");
	lua_newtable(L);
	moves_walk(d->moves, sim_cycle(d->s->sim), push_move, &m);
	return 1;
}
