#include "views/recent.h"

#include <stdlib.h>
#include <string.h>

#include "gpu/scope.h"

static void on_window(void *ctx, u64 cycle)
{
	struct recent *r = ctx;
	sampler_take(r->sampler, r->last);
	r->filled = true;
}

/* What goes with a snapshot: where the window under way began, and the last complete one. */
struct kept {
	bool filled;
	struct sample at[]; /* [2 * scopes] */
};

static void *on_keep(void *ctx)
{
	struct recent *r = ctx;
	size_t bytes = r->scopes * sizeof(struct sample);
	struct kept *k = xmalloc(sizeof *k + 2 * bytes);
	struct sample *began = sampler_keep(r->sampler);
	k->filled = r->filled;
	memcpy(k->at, began, bytes);
	memcpy(k->at + r->scopes, r->last, bytes);
	free(began);
	return k;
}

/* kept NULL: the snapshot is older than this; from there on it is as if just attached. */
static void on_recall(void *ctx, const void *kept, u64 cycle)
{
	struct recent *r = ctx;
	const struct kept *k = kept;
	sampler_recall(r->sampler, k ? k->at : NULL);
	r->filled = k && k->filled;
	if (r->filled)
		memcpy(r->last, k->at + r->scopes, r->scopes * sizeof *r->last);
	else
		sampler_recall(r->start, k ? k->at : NULL);
}

void recent_attach(struct recent *r, struct sim *s)
{
	*r = (struct recent){.sim = s};
	r->sampler = sampler_create(sim_gpu(s));
	r->start = sampler_create(sim_gpu(s));
	r->scopes = sampler_scopes(r->sampler);
	r->last = xcalloc(r->scopes, sizeof *r->last);
	r->id = sim_add_sampler(s, RECENT_CYCLES, on_window, r);
	sim_on_snapshot(s, r->id, on_keep, on_recall);
	r->links = links_create(sim_gpu(s));
	if (!r->links)
		return;
	r->links_id = sim_add_sampler(s, RECENT_CYCLES, links_look, r->links);
	sim_on_snapshot(s, r->links_id, links_keep, links_recall);
}

void recent_forget(struct recent *r)
{
	if (r->sampler) {
		sampler_free(r->sampler);
		sampler_free(r->start);
	}
	links_free(r->links);
	free(r->last);
	free(r->scope);
	*r = (struct recent){0};
}

void recent_detach(struct recent *r)
{
	if (r->sim)
		sim_set_sampler(r->sim, r->id, 0);
	if (r->links)
		sim_set_sampler(r->sim, r->links_id, 0);
	recent_forget(r);
}

void recent_update(struct recent *r)
{
	const bool scoped = gpu_scope_is_set(sim_gpu(r->sim));
	if (!scoped) {
		free(r->scope);
		r->scope = NULL;
	} else {
		if (!r->scope)
			r->scope = xcalloc(r->scopes, sizeof *r->scope);
		sampler_read_scope(r->sampler, r->scope);
	}
	if (r->filled)
		return;
	sampler_peek(r->start, r->last);
}

const struct sample *recent_get(const struct recent *r, s32 sm)
{
	return r->scope ? &r->scope[sm + 1] : &r->last[sm + 1];
}

const char *recent_span(const struct recent *r, bool brief)
{
	if (r->scope)
		return brief ? "scope" : "the scope";
	return brief ? RECENT_TEXT : RECENT_TEXT " cycles";
}
