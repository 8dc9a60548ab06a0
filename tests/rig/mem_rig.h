/* mem_rig: a memory system without SMs, for the tests that drive it directly. */
#ifndef TESTS_RIG_MEM_RIG_H
#define TESTS_RIG_MEM_RIG_H
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "base/bits.h"
#include "base/rng.h"
#include "mem/mem.h"

#define BASE 0x100000000ull

struct rig {
	struct conf c;
	struct arena a;
	struct mem *m;
	u64 now;
};

/* sets: "key=value" strings, NULL-terminated. */
static inline void rig_start(struct rig *r, const char *const *sets)
{
	struct err e = {0};
	size_t bytes = 0;
	memset(r, 0, sizeof(*r));
	conf_defaults(&r->c);
	for (; sets && *sets; sets++)
		if (!conf_set_pair(&r->c, *sets, &e))
			fail_msg("%s", e.msg);
	if (!conf_check(&r->c, &e) || !mem_state_bytes(&r->c, &bytes, &e) || !arena_init(&r->a, bytes, &e))
		fail_msg("%s", e.msg);
	r->m = mem_create(&r->c, &r->a, NULL, NULL, &e);
	if (!r->m)
		fail_msg("%s", e.msg);
	assert_int_equal(r->a.used, bytes);
}
#define RIG(r, ...)                                                                                                    \
	struct rig r;                                                                                                      \
	rig_start(&r, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

static inline void rig_stop(struct rig *r)
{
	mem_destroy(r->m);
	arena_release(&r->a);
}

static inline struct mem_txn txn(u64 addr, u8 sectors)
{
	return (struct mem_txn){.addr = addr, .bytes = (u16)(32 * bit_count32(sectors)), .sectors = sectors};
}

static inline enum mem_result rig_access(struct rig *r, u32 sm, enum mem_op op, u64 addr, u8 sectors, u32 token)
{
	struct mem_txn t = txn(addr, sectors);
	return mem_access(r->m, sm, op == MO_FETCH ? MC_L1I : MC_L1D, op, &t, token, r->now);
}

/* One cycle: the shared part moves, the clock goes on. */
static inline void rig_step(struct rig *r)
{
	mem_tick(r->m, r->now++);
}

/* Runs until nothing is in flight, popping every answer; the cycle of the last answer. */
static inline u64 rig_drain(struct rig *r)
{
	struct mem_reply a;
	u64 last = r->now;
	for (;;) {
		mem_tick(r->m, r->now);
		for (u32 sm = 0; sm < r->c.num_sms; sm++)
			while (mem_pop(r->m, sm, r->now, &a))
				last = r->now;
		u64 next = mem_next(r->m);
		if (next == NEVER)
			return last;
		assert_true(next > r->now);
		r->now = next;
	}
}

static inline void rig_check(struct rig *r)
{
	struct err e = {0};
	mem_sync_counters(r->m, r->now);
	if (!mem_check(r->m, &e))
		fail_msg("%s", e.msg);
}

/* Cycles from an access of SM 0 at a quiet moment to its answer. */
static inline u64 rig_latency(struct rig *r, enum mem_op op, u64 addr, u8 sectors)
{
	u64 t0 = r->now;
	enum mem_result mr = rig_access(r, 0, op, addr, sectors, 1);
	assert_true(mr == MR_PENDING || mr == MR_SENT);
	u64 t = rig_drain(r) - t0;
	r->now += 200; /* past every DRAM recovery time */
	return t;
}
#endif
