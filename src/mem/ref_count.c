#include "mem/ref_count.h"

u32 ref_look_sectors(u8 sectors, u8 valid, u8 pending, bool present)
{
	u32 misses = sector_count(sectors & (u8) ~(valid | pending));
	u32 of_sector = misses - (misses && !present);
	return REF_SECTORS | sector_count(sectors & valid) | sector_count(sectors & (u8)~valid & pending) << 4 |
	       misses << 8 | of_sector << 12;
}

void ref_count_sectors(struct cache_counters *cc, enum ref_kind k, u32 look)
{
	u64 *c = ref_counters(cc, k);
	u32 hits = look & 15, pending = look >> 4 & 15, misses = look >> 8 & 15;
	c[REF_ALL] += hits + pending + misses;
	c[REF_HIT] += hits;
	c[REF_PENDING] += pending;
	c[REF_MISS] += misses;
	cc->ref_sector_misses += look >> 12 & 15;
}
