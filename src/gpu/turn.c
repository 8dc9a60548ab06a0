#include "gpu/turn.h"

struct kept {
	u32 n;
	struct kept_event {
		u32 buf;
		struct event e;
	} event[];
};

void gpu_set_event_mask(struct gpu *g, event_set mask)
{
	g->event_mask = mask;
	for (u32 i = 0; !mask && !g->turn_events && i <= g->conf.num_sms; i++)
		g->ev[i].n = 0; /* launches that nobody wants to hear of any more */
	for (u32 i = 0; i <= g->conf.num_sms; i++)
		g->ev[i].mask = mask;
	for (u32 i = 0; i < g->conf.num_sms && (g->restart || g->lines || g->checks); i++) {
		g->ev[i].mask |= EVENT(EV_ISSUE);
		g->ev[i].quiet_issue = !event_in(mask, EV_ISSUE);
	}
}

void gpu_turn_begins(struct gpu *g)
{
	for (u32 i = 0; i <= g->conf.num_sms; i++) {
		g->ev[i].mask = EVENTS_ALL;
		g->ev[i].quiet_issue = false;
	}
	g->turn_open = true;
}

static u32 events(const struct gpu *g)
{
	u32 n = 0;
	for (u32 i = 0; i <= g->conf.num_sms; i++)
		n += g->ev[i].n;
	return n;
}

void gpu_turn_ends(struct gpu *g)
{
	g->turn_open = false;
	g->turn_events = events(g) != 0;
	gpu_set_event_mask(g, g->event_mask);
}

void *gpu_turn_keep(const struct gpu *g)
{
	struct kept *k = g->turn_events ? xmalloc(sizeof *k + events(g) * sizeof *k->event) : NULL;
	if (!k)
		return NULL;
	k->n = 0;
	for (u32 i = 0; i <= g->conf.num_sms; i++)
		for (u32 j = 0; j < g->ev[i].n; j++)
			k->event[k->n++] = (struct kept_event){i, g->ev[i].e[j]};
	return k;
}

void gpu_turn_put(struct gpu *g, const void *kept)
{
	const struct kept *k = kept;
	for (u32 i = 0; i <= g->conf.num_sms; i++)
		g->ev[i].n = 0;
	for (u32 i = 0; k && i < k->n; i++) {
		struct event_buf *b = &g->ev[k->event[i].buf];
		b->e[b->n++] = k->event[i].e;
	}
	g->turn_events = k != NULL;
	g->turn_open = false;
}
