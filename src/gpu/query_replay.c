/* The re-execution queues as an observer sees them, and the list of all bounded queues. */
#include <stdio.h>

#include "gpu/state.h"
#include "gpu/query.h"
#include "sm/replay.h"

u32 gpu_replay(const struct gpu *g, u32 sm, struct replay_info *out, u32 max)
{
	const struct replay *r = g->ctx[sm].replay;
	u32 n = r ? MIN(r->n, max) : 0;
	for (u32 i = 0; i < n; i++) {
		const struct replay_entry *e = &r->e[r->order[i]];
		out[i] = (struct replay_info){.addr = e->txn.addr,
		                              .since = e->since,
		                              .warp = e->warp,
		                              .pc = e->pc,
		                              .tries = e->tries,
		                              .cache = e->cache,
		                              .op = e->op,
		                              .refused = e->reason};
	}
	return n;
}

u32 gpu_queues(const struct gpu *g, struct queue_info *out, u32 max)
{
	u32 n = 0;
	for (u32 sm = 0; sm < g->conf.num_sms && g->conf.lsu_replay && n < max; sm++) {
		struct queue_info *q = &out[n++];
		snprintf(q->name, sizeof q->name, "SM %u re-execution queue", sm);
		*q->holds = 0;
		q->used = g->ctx[sm].replay->n;
		q->size = g->conf.lsu_replay_entries;
	}
	return n + mem_queues(g->mem, out + n, max - n);
}
