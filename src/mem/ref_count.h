/* ref_count: accesses counted as GPGPU-Sim 4.x counts them (cache_stats), beside the caches' own counters.
 *
 *   - A sectored cache counts a lookup for each 32 B sector that an access touches; another cache counts one for its
 *     line. The sectors of an access are looked up one after the other there: if the line is absent, the first sector
 *     misses, and the others miss their sector.
 *   - A lookup is a hit, pending (the sector is on its way; here such a load is a merge, and such a store a hit or a
 *     miss) or a miss. All three count as accesses. A refused access counts once, when it is accepted.
 *   - A dirty sector that was written in part is a hit for a store and a miss for a load.
 *   - Accesses that pass a cache are not looked up in it: atomics, and loads that are not cached in L1D. */
#ifndef MEM_REF_COUNT_H
#define MEM_REF_COUNT_H
#include "mem/tags.h"
#include "probe/probe.h"

/* What an access finds: taken before it changes the line, added when it was accepted. One lookup: its enum ref_result.
 * Of sectors how many hit, are pending, miss, and of these the sector misses, four bits each. */
#define REF_SECTORS 0x80000000u

/* Not inlined: the caches without sectors, which most machines of papers have, ought not to pay for it. */
u32 ref_look_sectors(u8 sectors, u8 valid, u8 pending, bool present);
void ref_count_sectors(struct cache_counters *cc, enum ref_kind k, u32 look);

static inline u32 ref_look(const struct tags *t, u32 i, u8 sectors, bool write, bool sectored)
{
	if (i == TAGS_NONE)
		return sectored ? ref_look_sectors(sectors, 0, 0, false) : REF_MISS;
	const struct line *v = &t->line[i];
	u8 valid = v->valid | (write ? v->dirty : 0);
	if (sectored)
		return ref_look_sectors(sectors, valid, v->pending, true);
	if (!(sectors & ~valid))
		return REF_HIT;
	return sectors & ~(valid | v->pending) ? REF_MISS : REF_PENDING;
}

static inline void ref_count(struct cache_counters *cc, enum ref_kind k, u32 look)
{
	u64 *c = ref_counters(cc, k);
	if (look >= REF_RESULTS) {
		ref_count_sectors(cc, k, look);
		return;
	}
	c[REF_ALL]++;
	c[look]++;
}

/* The same when all the sectors are there. */
static inline void ref_hit(struct cache_counters *cc, enum ref_kind k, u8 sectors, bool sectored)
{
	u64 *c = ref_counters(cc, k);
	u32 n = sectored ? sector_count(sectors) : 1;
	c[REF_ALL] += n;
	c[REF_HIT] += n;
}
#endif
