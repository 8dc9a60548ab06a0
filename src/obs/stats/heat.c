#include "obs/stats/heat.h"

#include "gpu/lines.h"

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

static struct heat_module *module_slot(struct heat *h, const struct module *m)
{
	for (u32 i = 0; i < h->nmods; i++)
		if (h->mods[i].mod == m)
			return &h->mods[i];
	h->mods = xrealloc(h->mods, (h->nmods + 1) * sizeof *h->mods);
	h->mods[h->nmods] = (struct heat_module){.mod = m,
	                                         .at = xcalloc(MAX(m->ncode, 1u), sizeof(u32[HEAT_STATES])),
	                                         .caused = xcalloc(MAX(m->ncode, 1u), sizeof(u32[HEAT_STATES]))};
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

/* kept NULL: the snapshot is of before this was attached. */
void heat_recall(void *ctx, const void *kept, u64 cycle)
{
	struct heat *h = ctx;
	const struct kept *k = kept;
	for (u32 i = 0; i < h->nmods; i++) {
		memset(h->mods[i].at, 0, h->mods[i].mod->ncode * sizeof *h->mods[i].at);
		memset(h->mods[i].caused, 0, h->mods[i].mod->ncode * sizeof *h->mods[i].caused);
		h->mods[i].samples = h->mods[i].waiting = 0;
	}
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

void heat_free(struct heat *h)
{
	for (u32 i = 0; h && i < h->nmods; i++) {
		free(h->mods[i].at);
		free(h->mods[i].caused);
	}
	if (h)
		free(h->mods);
	free(h);
}

const struct heat_module *heat_of(const struct heat *h, const struct module *m)
{
	for (u32 i = 0; h && i < h->nmods; i++)
		if (h->mods[i].mod == m)
			return &h->mods[i];
	return NULL;
}
