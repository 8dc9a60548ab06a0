/* denovo_rig: accesses to words, for the tests of coherence=denovo that drive the memory system directly. */
#ifndef TESTS_RIG_DENOVO_RIG_H
#define TESTS_RIG_DENOVO_RIG_H
#include "tests/rig/mem_rig.h"

#include "mem/coherence/denovo.h"

#define DENOVO(r, ...) RIG(r, "coherence=denovo", "num_sms=3", ##__VA_ARGS__)
#define ALL 0xffffffffu

static inline enum mem_result access_words(struct rig *r, u32 sm, enum mem_op op, u64 addr, u32 words, u32 token)
{
	struct mem_txn t = {.addr = addr, .sectors = sectors_with(words), .words = words};
	t.bytes = (u16)(4 * bit_count32(words));
	return mem_access(r->m, sm, MC_L1D, op, &t, token, r->now);
}
static inline enum mem_result quiet_access(struct rig *r, u32 sm, enum mem_op op, u64 addr, u32 words)
{
	enum mem_result mr = access_words(r, sm, op, addr, words, 1);
	rig_drain(r);
	rig_check(r);
	return mr;
}
static inline void start_kernel(struct rig *r)
{
	for (u32 sm = 0; sm < r->c.num_sms; sm++)
		mem_kernel_start(r->m, sm, true);
}
static inline struct cache_counters *l1d(struct rig *r, u32 sm)
{
	return mem_cache_counters(r->m, MC_L1D, sm);
}
static inline u64 l2_sum(struct rig *r, size_t field)
{
	u64 n = 0;
	for (u32 i = 0; i < mem_num_endpoints(r->m) - r->c.num_sms; i++)
		n += *(const u64 *)(const void *)((const char *)mem_l2_counters(r->m, i) + field);
	return n;
}
#define L2(r, field) l2_sum(r, offsetof(struct cache_counters, field))
#endif
