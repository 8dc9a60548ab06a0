#include "gpu/sync.h"

void gpu_sync(struct gpu *g)
{
	for (u32 i = 0; i < g->conf.num_sms; i++)
		sm_sync(&g->ctx[i], g->sm[i], g->st->cycle);
	mem_sync_counters(g->mem, g->st->cycle);
}

u64 gpu_progress(const struct gpu *g)
{
	u64 sum = 0;
	for (u32 i = 0; i < g->conf.num_sms; i++) {
		const struct sm_counters *k = &g->sm[i]->k;
		sum += k->issued + k->issue_slots + k->ctas_started + k->ctas_restored + k->ctas_dropped + k->ctas_done +
		       k->transactions + k->shared_cycles;
		sum += g->sm[i]->in[WS_SLEEP] ? g->st->cycle : 0;
	}
	for (u32 i = 0; i < g->conf.partitions; i++)
		sum += mem_dram_counters(g->mem, i)->reads + mem_dram_counters(g->mem, i)->writes;
	const struct noc_counters *n = mem_noc_counters(g->mem);
	return sum + n->requests + n->replies + n->control_received + n->data_received;
}
