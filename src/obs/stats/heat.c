#include "obs/stats/heat.h"

#include "gpu/lines.h"
#include "gpu/scope.h"

#include <stdlib.h>
#include <string.h>

#define WARPS_MAX 256

bool heat_is_waiting(u32 s)
{
	return s != WS_NONE && s != WS_DONE && !warp_state_is_ready(s);
}

const char *heat_state_name(u32 s)
{
	return s == HEAT_REFUSED ? "refused" : warp_state_descs[s].name;
}

static struct heat_module empty_module(const struct module *m)
{
	return (struct heat_module){.mod = m,
	                            .at = xcalloc(MAX(m->ncode, 1u), sizeof(u32[HEAT_STATES])),
	                            .caused = xcalloc(MAX(m->ncode, 1u), sizeof(u32[HEAT_STATES]))};
}

static struct heat_module *module_slot(struct heat *h, const struct module *m)
{
	for (u32 i = 0; i < h->nmods; i++)
		if (h->mods[i].mod == m)
			return &h->mods[i];
	h->mods = xrealloc(h->mods, (h->nmods + 1) * sizeof *h->mods);
	h->mods[h->nmods] = empty_module(m);
	return &h->mods[h->nmods++];
}

/* It is of another launch perhaps. */
static void charge_refusal(struct heat *h, struct gpu *g, u32 sm, u32 warp)
{
	u32 launch;
	const u32 pc = gpu_in_the_way(g, sm, warp, &launch);
	module_slot(h, gpu_launched(g, launch)->mod)->caused[pc][HEAT_REFUSED]++;
}

static void sample_cta(struct heat *h, struct gpu *g, u32 sm, const struct cta_info *c, const u8 *states, const u32 *by,
                       u64 refused)
{
	const struct module *mod = gpu_launched(g, c->launch)->mod;
	for (u64 left = c->warps & ~c->warps_done; left; left &= left - 1) {
		u32 w = (u32)__builtin_ctzll(left), pc = front_pc(gpu_front(g), sm, w);
		if (pc >= mod->ncode)
			continue;
		struct heat_module *m = module_slot(h, mod);
		u32 state = refused >> w & 1 ? HEAT_REFUSED : states[w];
		m->samples++;
		m->at[pc][state]++;
		m->waiting += heat_is_waiting(state);
		if (state == HEAT_REFUSED)
			charge_refusal(h, g, sm, w);
		else
			m->caused[by[w] < mod->ncode && heat_is_waiting(state) ? by[w] : pc][state]++;
	}
}

void heat_look(void *ctx, u64 cycle)
{
	struct heat *h = ctx;
	struct gpu *g = h->gpu;
	const struct conf *conf = gpu_conf(g);
	u8 states[WARPS_MAX];
	u32 by[WARPS_MAX];
	u64 issued, refused;
	for (u32 sm = 0; sm < conf->num_sms; sm++) {
		gpu_warp_states(g, sm, states, &issued, &refused);
		gpu_producers(g, sm, by);
		for (u32 slot = 0; slot < conf->sm_ctas; slot++) {
			struct cta_info c;
			gpu_cta_info(g, sm, slot, &c);
			if (c.used)
				sample_cta(h, g, sm, &c, states, by, refused);
		}
	}
}

/* --- time travel --- */

/* What goes with a snapshot: the counts that are not 0. */
struct count {
	u32 module, pc, state, n, caused;
};
struct kept {
	u32 n;
	struct count at[];
};

static u32 list_counts(const struct heat *h, struct count *out)
{
	u32 n = 0;
	for (u32 i = 0; i < h->nmods; i++)
		for (u32 pc = 0; pc < h->mods[i].mod->ncode; pc++)
			for (u32 s = 0; s < HEAT_STATES; s++)
				if (h->mods[i].at[pc][s] || h->mods[i].caused[pc][s]) {
					if (out)
						out[n] = (struct count){i, pc, s, h->mods[i].at[pc][s], h->mods[i].caused[pc][s]};
					n++;
				}
	return n;
}

void *heat_keep(void *ctx)
{
	const struct heat *h = ctx;
	u32 n = list_counts(h, NULL);
	struct kept *k = xmalloc(sizeof *k + n * sizeof *k->at);
	k->n = list_counts(h, k->at);
	return k;
}

static void clear(struct heat_module *m)
{
	memset(m->at, 0, m->mod->ncode * sizeof *m->at);
	memset(m->caused, 0, m->mod->ncode * sizeof *m->caused);
	m->samples = m->waiting = 0;
}

/* kept NULL: the snapshot is of before this was attached. */
void heat_recall(void *ctx, const void *kept, u64 cycle)
{
	struct heat *h = ctx;
	const struct kept *k = kept;
	for (u32 i = 0; i < h->nmods; i++)
		clear(&h->mods[i]);
	for (u32 i = 0; k && i < k->n; i++) {
		const struct count *c = &k->at[i];
		h->mods[c->module].at[c->pc][c->state] = c->n;
		h->mods[c->module].caused[c->pc][c->state] = c->caused;
		h->mods[c->module].samples += c->n;
		h->mods[c->module].waiting += heat_is_waiting(c->state) ? c->n : 0;
	}
}

struct heat *heat_create(struct gpu *g)
{
	struct heat *h = xcalloc(1, sizeof *h);
	h->gpu = g;
	return h;
}

static void free_modules(struct heat_module *mods, u32 n)
{
	for (u32 i = 0; i < n; i++) {
		free(mods[i].at);
		free(mods[i].caused);
	}
	free(mods);
}

void heat_free(struct heat *h)
{
	if (!h)
		return;
	free_modules(h->seen, h->nseen);
	free_modules(h->mods, h->nmods);
	free(h);
}

/* --- a scope --- */

void heat_scope(struct heat *h, const void *from, const void *to)
{
	h->from = from;
	h->to = to;
}

/* Adds what was kept of module i, or takes it away. */
static void count_kept(struct heat_module *m, u32 i, const struct kept *k, bool add)
{
	const u32 sign = add ? 1 : UINT32_MAX; /* sums wrap */
	for (u32 j = 0; j < k->n; j++) {
		const struct count *c = &k->at[j];
		if (c->module != i)
			continue;
		m->at[c->pc][c->state] += sign * c->n;
		m->caused[c->pc][c->state] += sign * c->caused;
		m->samples += add ? c->n : -(u64)c->n;
		if (heat_is_waiting(c->state))
			m->waiting += add ? c->n : -(u64)c->n;
	}
}

static void count_all(struct heat_module *m, const struct heat_module *all)
{
	memcpy(m->at, all->at, all->mod->ncode * sizeof *m->at);
	memcpy(m->caused, all->caused, all->mod->ncode * sizeof *m->caused);
	m->samples = all->samples;
	m->waiting = all->waiting;
}

static const struct heat_module *in_scope(struct heat *h, u32 i)
{
	if (h->nseen < h->nmods) {
		h->seen = xrealloc(h->seen, h->nmods * sizeof *h->seen);
		for (; h->nseen < h->nmods; h->nseen++)
			h->seen[h->nseen] = empty_module(h->mods[h->nseen].mod);
	}
	struct heat_module *m = &h->seen[i];
	clear(m);
	if (!gpu_counted_cycles(h->gpu)) /* the machine is before the scope */
		return m;
	if (h->to)
		count_kept(m, i, h->to, true);
	else
		count_all(m, &h->mods[i]);
	count_kept(m, i, h->from, false);
	return m;
}

const struct heat_module *heat_of(struct heat *h, const struct module *m)
{
	for (u32 i = 0; h && i < h->nmods; i++)
		if (h->mods[i].mod == m)
			return h->from && gpu_scope_is_set(h->gpu) ? in_scope(h, i) : &h->mods[i];
	return NULL;
}
