#include "mem/impl.h"

static u32 take(struct pool_state *p, u32 size, u32 next_free)
{
	u32 i = p->free ? p->free - 1 : p->fresh++;
	BUG_ON(i >= size);
	if (p->free)
		p->free = next_free;
	p->used++;
	return i;
}

u32 packet_alloc(struct mem *m)
{
	u32 head = m->pool->free;
	return take(m->pool, m->npackets, head ? m->packet[head - 1].next : 0);
}

void packet_free(struct mem *m, u32 p)
{
	m->packet[p] = (struct packet){.next = m->pool->free};
	m->pool->free = p + 1;
	m->pool->used--;
}

u32 dram_req_alloc(struct mem *m)
{
	u32 head = m->dram_pool->free;
	return take(m->dram_pool, m->ndram, head ? m->dreq[head - 1].next : 0);
}

void dram_req_free(struct mem *m, u32 r)
{
	m->dreq[r] = (struct dram_req){.next = m->dram_pool->free};
	m->dram_pool->free = r + 1;
	m->dram_pool->used--;
}
