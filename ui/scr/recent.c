#include "scr/recent.h"

#include <stdlib.h>
#include <string.h>

static void on_window(void *ctx, u64 cycle)
{
	struct recent *r = ctx;
	sampler_take(r->sampler, r->last);
	r->filled = true;
}

static void on_rewind(void *ctx, u64 cycle)
{
	struct recent *r = ctx;
	sampler_reset(r->sampler);
	sampler_reset(r->start);
	memset(r->last, 0, r->scopes * sizeof *r->last);
	r->filled = false;
}

void recent_attach(struct recent *r, struct sim *s)
{
	*r = (struct recent){.sim = s};
	r->sampler = sampler_create(sim_gpu(s));
	r->start = sampler_create(sim_gpu(s));
	r->scopes = sampler_scopes(r->sampler);
	r->last = xcalloc(r->scopes, sizeof *r->last);
	r->part = xcalloc(r->scopes, sizeof *r->part);
	r->id = sim_add_sampler(s, RECENT_CYCLES, on_window, r);
	sim_on_rewind(s, r->id, on_rewind);
}

void recent_forget(struct recent *r)
{
	if (r->sampler) {
		sampler_free(r->sampler);
		sampler_free(r->start);
	}
	free(r->last);
	free(r->part);
	*r = (struct recent){0};
}

void recent_detach(struct recent *r)
{
	if (r->sim)
		sim_set_sampler(r->sim, r->id, 0);
	recent_forget(r);
}

void recent_update(struct recent *r)
{
	if (r->filled)
		return;
	sampler_take(r->start, r->part);
	for (u32 i = 0; i < r->scopes; i++)
		sample_add(&r->last[i], &r->part[i]);
}

const struct sample *recent_get(const struct recent *r, s32 sm)
{
	return &r->last[sm + 1];
}
