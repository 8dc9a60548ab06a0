#include "dbg/hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dbg/lua_side.h"
#include "dbg/state.h"

enum hook_kind { HOOK_END, HOOK_START, HOOK_SAMPLE };
static const char *const hook_names[] = {"dbg.at_end", "dbg.at_start", "dbg.sample"};
#define HOOKS_MAX 1000
struct hook {
	u32 id; /* 0 = off */
	enum hook_kind kind;
	u64 period;
	int ref; /* of the function, in the registry */
};
struct lua_hooks {
	struct hook *h;
	u32 n;
	struct sim *sim; /* the machine that `sampler` belongs to... */
	u64 generation;  /* ...and which of the debugger's it is: an address may come again */
	int sampler;
	u64 period;  /* of the sampler: the greatest common divisor of the hooks' */
	u64 sampled; /* the latest cycle sampled */
	bool stop;
	struct strbuf stop_text;
};

static struct lua_hooks *hooks_of(struct debugger *d)
{
	if (!d->script.hooks) {
		d->script.hooks = xcalloc(1, sizeof(*d->script.hooks));
		d->script.hooks->sampler = -1;
	}
	return d->script.hooks;
}

/* --- calling --- */

/* One function; an error turns it off, an interrupt does not. Reports of a whole run may take longer than callbacks
 * within it. */
static void call(struct debugger *d, u32 i, u64 cycle)
{
	struct hook h = d->script.hooks->h[i];
	lua_State *L = d->s->L;
	struct err e = {0};
	char what[64];
	if (!h.id)
		return;
	lua_rawgeti(L, LUA_REGISTRYINDEX, h.ref);
	lua_pushinteger(L, (lua_Integer)cycle);
	lua_dbg_callback_begins(d);
	lua_budget(L, h.kind == HOOK_SAMPLE ? LUA_BUDGET_CALLBACK : LUA_BUDGET_HOST);
	bool ok = lua_call_traced(L, 1, 0, &e);
	lua_dbg_callback_ends(d);
	if (ok)
		return;
	snprintf(what, sizeof(what), "%s function %u", hook_names[h.kind], h.id);
	if (e.interrupted) {
		lua_dbg_keep_cut(d, what);
		return;
	}
	char failed[96];
	d->script.hooks->h[i].id = 0;
	snprintf(failed, sizeof(failed), "%s failed and is off", what);
	lua_dbg_keep_error(d, failed, &e);
	if (h.kind == HOOK_SAMPLE) {
		d->run.other_asked = true;
		sim_request_stop(d->s->sim);
	}
}

static void call_all(struct debugger *d, enum hook_kind kind)
{
	for (u32 i = 0; d->script.hooks && i < d->script.hooks->n; i++)
		if (d->script.hooks->h[i].kind == kind)
			call(d, i, d->s->sim ? sim_cycle(d->s->sim) : 0);
}

void lua_hooks_start(struct debugger *d)
{
	if (d->script.hooks)
		d->script.hooks->sampled = 0;
	call_all(d, HOOK_START);
}

void lua_hooks_end(struct debugger *d)
{
	call_all(d, HOOK_END);
}

bool lua_hooks_seen_before(const struct session *s)
{
	struct sim_history_info h;
	if (s->replaying)
		return true;
	sim_history_info(s->sim, &h);
	return h.on && h.frontier > sim_cycle(s->sim);
}

/* --- sampling --- */

static u64 common(u64 a, u64 b)
{
	while (b) {
		u64 r = a % b;
		a = b;
		b = r;
	}
	return a;
}

/* In a history that was forked, cycles before the farthest one sampled are new. The first one after a fork is taken for
 * seen when the fork lay within the period before it: one sample less. */
static bool sampled_before(const struct debugger *d, u64 cycle)
{
	struct sim_history_info h;
	sim_history_info(d->s->sim, &h);
	return d->s->replaying || (cycle <= d->script.hooks->sampled && h.frontier >= d->script.hooks->sampled);
}

static void on_sample(void *ctx, u64 cycle)
{
	struct debugger *d = ctx;
	if (sampled_before(d, cycle))
		return;
	d->script.hooks->sampled = cycle;
	for (u32 i = 0; i < d->script.hooks->n; i++)
		if (d->script.hooks->h[i].kind == HOOK_SAMPLE && cycle % d->script.hooks->h[i].period == 0)
			call(d, i, cycle);
	if (d->script.hooks->stop) {
		d->run.other_asked = true;
		sim_request_stop(d->s->sim);
	}
}

void lua_hooks_bind(struct debugger *d)
{
	struct lua_hooks *k = d->script.hooks;
	u64 period = 0;
	if (!k)
		return;
	for (u32 i = 0; i < k->n; i++)
		if (k->h[i].id && k->h[i].kind == HOOK_SAMPLE)
			period = common(k->h[i].period, period);
	if (k->sim != d->s->sim || k->generation != d->bound.generation) {
		k->sim = d->s->sim;
		k->generation = d->bound.generation;
		k->sampler = -1;
		k->period = 0;
	}
	if (k->period == period)
		return;
	k->period = period;
	if (k->sampler < 0) {
		k->sampler = sim_add_sampler(k->sim, period, on_sample, d);
		sim_hear_again(k->sim, k->sampler); /* on_sample() knows what it has had */
	} else {
		sim_set_sampler(k->sim, k->sampler, period);
	}
}

/* --- the functions --- */

static int add(lua_State *L, enum hook_kind kind, u64 period, int fn)
{
	struct debugger *d = lua_dbg_of(L);
	struct lua_hooks *k = hooks_of(d);
	luaL_checktype(L, fn, LUA_TFUNCTION);
	lua_check_may_subscribe(L, hook_names[kind]);
	if (lua_dbg_in_callback(d))
		return luaL_error(L, "%s: not within a callback", hook_names[kind]);
	u32 on = 0;
	for (u32 i = 0; i < k->n; i++)
		on += k->h[i].id != 0;
	if (on >= HOOKS_MAX)
		return luaL_error(L, "%s: there are %d such functions already (dbg.off ends one)", hook_names[kind], HOOKS_MAX);
	lua_pushvalue(L, fn);
	struct hook h = {.id = lua_dbg_new_id(d), .kind = kind, .period = period, .ref = luaL_ref(L, LUA_REGISTRYINDEX)};
	u32 at = 0; /* nothing is being walked now: what is off makes room */
	while (at < k->n && k->h[at].id)
		at++;
	if (at == k->n)
		k->h = xrealloc(k->h, ++k->n * sizeof(h));
	k->h[at] = h;
	lua_hooks_bind(d);
	lua_pushinteger(L, h.id);
	return 1;
}

int lua_hooks_at_end(lua_State *L)
{
	return add(L, HOOK_END, 0, 1);
}

int lua_hooks_at_start(lua_State *L)
{
	return add(L, HOOK_START, 0, 1);
}

int lua_hooks_sample(lua_State *L)
{
	lua_Integer period = luaL_checkinteger(L, 1);
	luaL_argcheck(L, period >= 1, 1, "at least 1 cycle");
	return add(L, HOOK_SAMPLE, (u64)period, 2);
}

int lua_hooks_stop(lua_State *L)
{
	struct debugger *d = lua_dbg_of(L);
	const char *text = luaL_checkstring(L, 1);
	if (!lua_dbg_in_callback(d) || lua_dbg_looking(d))
		return luaL_error(L, "dbg.stop: there is nothing to stop outside a callback");
	struct lua_hooks *k = hooks_of(d);
	if (!k->stop && !d->s->replaying)
		strbuf_addf(&k->stop_text, "%s", text);
	k->stop |= !d->s->replaying;
	return 0;
}

bool lua_hooks_stop_asked(const struct debugger *d)
{
	return d->script.hooks && d->script.hooks->stop;
}

bool lua_hooks_take_stop(struct debugger *d, struct strbuf *out)
{
	if (!lua_hooks_stop_asked(d))
		return false;
	strbuf_adds(out, strbuf_str(&d->script.hooks->stop_text));
	strbuf_clear(&d->script.hooks->stop_text);
	d->script.hooks->stop = false;
	return true;
}

/* Off hooks stay in the array, which may be being walked; there are few. */
bool lua_hooks_off(struct debugger *d, s64 id)
{
	for (u32 i = 0; id > 0 && d->script.hooks && i < d->script.hooks->n; i++)
		if (d->script.hooks->h[i].id == id) {
			d->script.hooks->h[i].id = 0;
			luaL_unref(d->s->L, LUA_REGISTRYINDEX, d->script.hooks->h[i].ref);
			lua_hooks_bind(d);
			return true;
		}
	return false;
}

/* While the machine is there, as at the end of a debugger's session, its sampler must fall silent. */
void lua_hooks_release(struct debugger *d)
{
	if (!d->script.hooks)
		return;
	if (d->script.hooks->sampler >= 0 && d->bound.subscribed_to && d->bound.subscribed_to == d->script.hooks->sim)
		sim_set_sampler(d->script.hooks->sim, d->script.hooks->sampler, 0);
	strbuf_release(&d->script.hooks->stop_text);
	free(d->script.hooks->h);
	free(d->script.hooks);
	d->script.hooks = NULL;
}
