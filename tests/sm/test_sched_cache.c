/* The schedulers that watch the memory system. What L1D tells of a load; then ccws, sca and mascar by hand, on an SM
 * that is nothing but warp states; then on whole machines: no deadlock at barriers, determinism, a change on the way.
 */
#include "gpu/policies.h"
#include "sm/sched/sched.h"
#include "tests/rig/mem_rig.h"
#include "tests/rig/sm_rig.h"

/* --- what an accepted load found in L1D --------------------------------------------------------------------------- */

static enum mem_result watched(struct rig *r, u32 warp, u64 addr, struct l1_watch *w)
{
	struct mem_txn t = txn(addr, 0xf);
	*w = (struct l1_watch){.victim = 77, .merged = true, .evicted = true};
	enum mem_result mr = mem_access_watched(r->m, 0, MC_L1D, MO_LOAD, &t, warp | warp << TOKEN_BITS, r->now, w);
	rig_step(r);
	return mr;
}

static void test_news(void **state)
{
	struct l1_watch w;
	RIG(r, "l1d.sets=1", "l1d.ways=2", "l1d.mshrs=2");
	assert_int_equal(watched(&r, 5, BASE, &w), MR_PENDING);
	assert_false(w.merged || w.evicted);
	assert_int_equal(watched(&r, 9, BASE, &w), MR_PENDING);
	assert_true(w.merged && !w.evicted);
	rig_access(&r, 0, MO_LOAD, BASE + 128, 0xf, 1 | 3 << TOKEN_BITS); /* nobody watches, and it is known all the same */
	rig_drain(&r);
	assert_int_equal(watched(&r, 9, BASE, &w), MR_HIT);
	assert_false(w.merged || w.evicted);
	assert_int_equal(watched(&r, 7, BASE + 256, &w), MR_PENDING); /* in place of the least recently used */
	assert_true(w.evicted && !w.merged && w.victim == BASE + 128 && w.owner == 3);
	assert_int_equal(watched(&r, 7, BASE + 384, &w), MR_PENDING); /* a hit changes nothing: warp 5 brought it in */
	assert_true(w.evicted && w.victim == BASE && w.owner == 5);
	assert_int_equal(watched(&r, 1, BASE + 512, &w), MR_RF_LINE); /* both on their way */
	assert_false(w.merged || w.evicted);
	rig_drain(&r);
	assert_int_equal(watched(&r, 1, BASE, &w), MR_PENDING);
	assert_true(w.evicted && w.victim == BASE + 256 && w.owner == 7);
	rig_drain(&r);
	rig_check(&r);
	rig_stop(&r);
}

/* --- an SM by hand ------------------------------------------------------------------------------------------------ */

enum { PC_LOAD, PC_STORE, PC_ADD, PC_SHARED, PC_COUNT };
struct hand {
	struct conf c;
	struct sm sm;
	struct issue_info info[PC_COUNT];
	struct program prog;
	struct launch launch;
	struct sched_view v;
	struct event_buf ev;
	const struct warp_sched_ops *ops;
	u64 state[4096], other[64]; /* of schedulers 0 and 1 */
};

static void set_state(struct hand *h, u32 w, enum warp_state to)
{
	for (u32 i = 0; i < WS_COUNT; i++)
		h->sm.in[i] &= ~BIT(w);
	h->sm.in[to] |= BIT(w);
	h->sm.warp[w].state = (u8)to;
}

/* Where a warp stands: ready for the unit of the instruction at pc. */
static void at(struct hand *h, u32 w, u32 pc)
{
	h->sm.warp[w].pc = pc;
	set_state(h, w, WS_READY_SP + h->info[pc].unit);
}

/* A CTA in the next slot with warps in slots first..first + n - 1. */
static void start(struct hand *h, u32 slot, u64 id, u32 first, u32 n)
{
	u64 warps = bit_range(n) << first;
	h->sm.cta[slot] = (struct cta){.used = 1, .id = id, .warps = warps, .nwarps = (u8)n};
	for (u32 i = 0; i < n; i++) {
		h->sm.warp[first + i] =
		    (struct warp){.cta_slot = (u8)slot, .warp_in_cta = (u8)i, .age = h->sm.ages++, .pc = PC_ADD};
		at(h, first + i, PC_ADD);
	}
	h->sm.used |= warps;
	if (h->ops->warps_started)
		h->ops->warps_started(h->state, &h->v, warps);
}

static struct hand *hand(const char *sched, const char *const *sets)
{
	static struct hand h;
	struct err e = {0};
	memset(&h, 0, sizeof h);
	conf_defaults(&h.c);
	for (; *sets; sets++)
		if (!conf_set_pair(&h.c, *sets, &e))
			fail_msg("%s", e.msg);
	h.info[PC_LOAD] = (struct issue_info){.unit = UNIT_LSU, .cls = IC_GLOBAL, .flags = II_LOAD};
	h.info[PC_STORE] = (struct issue_info){.unit = UNIT_LSU, .cls = IC_GLOBAL};
	h.info[PC_ADD] = (struct issue_info){.unit = UNIT_SP, .cls = IC_INT_ADD};
	h.info[PC_SHARED] = (struct issue_info){.unit = UNIT_LSU, .cls = IC_SHARED, .flags = II_LOAD};
	h.prog.info = h.info;
	h.launch.grid = (struct dim3){8, 8, 1};
	h.prog.launch = &h.launch;
	h.ops = (const struct warp_sched_ops *)policy_find(POLICY_WARP, sched);
	assert_non_null(h.ops);
	assert_true(MAX(h.ops->first_bytes, h.ops->state_bytes) <= sizeof h.state);
	h.v = (struct sched_view){
	    .conf = &h.c, .sm = &h.sm, .mask = ~0ull, .prog = &h.prog, .first = h.state, .k = &h.sm.k, .ev = &h.ev};
	h.ev.mask = EVENTS_ALL;
	h.sm.in[WS_NONE] = ~0ull;
	if (h.ops->init)
		h.ops->init(h.state, &h.v);
	return &h;
}
#define HAND(sched, ...) hand(sched, (const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* The choice among the ready warps at a cycle; -1: none. */
static int pick(struct hand *h, u64 now)
{
	u64 ready = h->sm.in[WS_READY_SP] | h->sm.in[WS_READY_LSU];
	h->v.now = now;
	u32 w = h->ops->pick(h->state, &h->v, ready);
	assert_true(w == NO_WARP || (ready >> w & 1));
	return w == NO_WARP ? -1 : (int)w;
}

static const char *describe(struct hand *h, u32 warp)
{
	static struct strbuf sb;
	static char text[200];
	strbuf_release(&sb);
	h->ops->describe(h->state, &h->v, warp, &sb);
	snprintf(text, sizeof text, "%s", strbuf_str(&sb));
	return text;
}

static const struct event *last_event(struct hand *h, enum event_type t)
{
	for (u32 i = h->ev.n; i--;)
		if (h->ev.e[i].type == t)
			return &h->ev.e[i];
	fail_msg("no %s", event_descs[t].name);
	return NULL;
}

/* --- ccws --------------------------------------------------------------------------------------------------------- */

#define LINE(n) (0x100000000ull + 128ull * (n))

static void evicted(struct hand *h, u32 by, u64 line, u32 owner)
{
	h->ops->l1_access(
	    h->state, &h->v, by,
	    &(struct l1_news){.line = LINE(9999), .merged = true, .evicted = true, .victim = line, .owner = owner});
}

static void missed(struct hand *h, u32 warp, u64 line)
{
	h->ops->l1_access(h->state, &h->v, warp, &(struct l1_news){.line = line, .owner = NO_WARP});
}

static void lose(struct hand *h, u32 warp, u64 line)
{
	evicted(h, warp, line, warp);
	missed(h, warp, line);
}

/* Which of warps 0..n-1 may load at a cycle. */
static u64 may_load(struct hand *h, u32 n, u64 now)
{
	u64 out = 0;
	u64 in[WS_COUNT];
	memcpy(in, h->sm.in, sizeof in);
	for (u32 w = 0; w < n; w++) {
		for (u32 k = 0; k < n; k++)
			if (h->sm.in[WS_READY_LSU] >> k & 1)
				set_state(h, k, WS_SHORT);
		if (!(in[WS_READY_LSU] >> w & 1))
			continue;
		at(h, w, PC_LOAD);
		h->v.now = now;
		if (h->ops->pick(h->state, &h->v, BIT(w)) == w)
			out |= BIT(w);
	}
	for (u32 w = 0; w < n; w++)
		if (in[WS_READY_LSU] >> w & 1)
			at(h, w, PC_LOAD);
	return out;
}

static struct hand *four_loaders(const char *const *sets)
{
	struct hand *h = hand("ccws", sets);
	start(h, 0, 0, 0, 4);
	for (u32 w = 0; w < 4; w++)
		at(h, w, PC_LOAD);
	return h;
}
#define FOUR(...) four_loaders((const char *const[]){__VA_ARGS__ __VA_OPT__(, ) NULL})

/* Cutoff 4 x 100. One hit in 16 instructions: 1 x 8 x 400 / 16 = 200. In order 1 (200), 0, 2, 3 the sums before each
 * are 0, 200, 300, 400: warp 3 is left out, for one cycle. */
static void test_score(void **state)
{
	struct hand *h = FOUR();
	assert_int_equal(may_load(h, 4, 0), 0xf);
	h->sm.k.issued = 16;
	lose(h, 1, LINE(3));
	assert_string_equal(describe(h, 1), "score 200");
	assert_string_equal(describe(h, 3), "score 100, no loads");
	assert_string_equal(describe(h, NO_WARP), "3 of 4 warps may load, victim tag hits 1");
	assert_int_equal(may_load(h, 4, 0), 0x7);
	const struct event *e = last_event(h, EV_CCWS_THROTTLE);
	assert_int_equal(e->arg[0], 0x7);
	assert_int_equal(e->arg[1], 0x8);
	assert_int_equal(e->arg[2], 1);
	at(h, 3, PC_STORE); /* what is no load of L1D issues */
	assert_int_equal(h->ops->pick(h->state, &h->v, BIT(3)), 3);
	at(h, 3, PC_SHARED);
	assert_int_equal(h->ops->pick(h->state, &h->v, BIT(3)), 3);
	at(h, 3, PC_ADD);
	assert_int_equal(h->ops->pick(h->state, &h->v, BIT(3)), 3);
	at(h, 3, PC_LOAD);
	assert_int_equal(may_load(h, 4, 1), 0xf); /* 199 + 100 + 100 < 400 */
	assert_int_equal(last_event(h, EV_CCWS_THROTTLE)->arg[1], 0);
}

/* Hits add up over the SM: the second one in 16 instructions gives 400, which is the whole cutoff. */
static void test_decay(void **state)
{
	struct hand *h = FOUR();
	h->sm.k.issued = 16;
	lose(h, 1, LINE(3));
	lose(h, 2, LINE(3));
	assert_int_equal(may_load(h, 4, 0), 0x4);
	/* 2: 400 - t, 1: 200 - t until 100, then 0 and 3 by age. Warp 1 joins when 2 is below 400, warp 0 when 600 - 2t <
	 * 400, warp 3 when 100 more is: t = 101, warp 1 is at its base, 299 + 100 (warp 0, older) < 400; and with the order
	 * 2, 0, 1, 3 the last one fits when 400 - t + 200 < 400. */
	static const struct {
		u64 now, may;
	} steps[] = {{0, 0x4},   {1, 0x6},   {100, 0x5}, {101, 0x7}, {200, 0x7},
	             {201, 0xf}, {299, 0xf}, {300, 0xf}, {1000, 0xf}};
	for (u32 i = 0; i < ARRAY_LEN(steps); i++)
		assert_int_equal(may_load(h, 4, steps[i].now), steps[i].may);
	lose(h, 2, LINE(8)); /* at 1000: 3 x 8 x 400 / 16 = 600, at most 400; after a sleep of 250 cycles: 150 */
	assert_string_equal(describe(h, 2), "score 400");
	h->v.now = 1250;
	assert_string_equal(describe(h, 2), "score 150");
	h->v.now = 1300;
	assert_string_equal(describe(h, 2), "score 100");
}

static void test_score_cap(void **state)
{
	struct hand *h = FOUR("ccws.score_cap=0");
	h->sm.k.issued = 1; /* 8 x 400 */
	lose(h, 0, LINE(1));
	assert_string_equal(describe(h, 0), "score 3200");
	assert_int_equal(may_load(h, 4, 2800), 0x1);
	assert_int_equal(may_load(h, 4, 2801), 0x3);
	h = FOUR("ccws.score_cap=50", "ccws.k_throttle=100", "ccws.base_score=10");
	h->sm.k.issued = 1;
	lose(h, 0, LINE(1));
	assert_string_equal(describe(h, 0), "score 20");
	h->sm.k.issued = 1000; /* 2 x 100 x 40 / 1000 = 8: nothing falls below its base */
	lose(h, 1, LINE(1));
	assert_string_equal(describe(h, 1), "score 10");
}

/* 16 tags of 8 ways: two sets, by line number. Each warp its own, and a tag counts once. */
static void test_victim_tags(void **state)
{
	struct hand *h = FOUR();
	for (u32 i = 0; i < 9; i++)
		evicted(h, 3, LINE(2 * i), 1); /* set 0: the first drops out */
	evicted(h, 3, LINE(1), 1);
	missed(h, 1, LINE(0));
	assert_string_equal(describe(h, NO_WARP), "4 of 4 warps may load, victim tag hits 0");
	missed(h, 2, LINE(2));
	missed(h, 3, LINE(2));
	assert_non_null(strstr(describe(h, NO_WARP), "hits 0"));
	for (u32 i = 1; i < 9; i++)
		missed(h, 1, LINE(2 * i));
	assert_non_null(strstr(describe(h, NO_WARP), "hits 8"));
	missed(h, 1, LINE(1));
	missed(h, 1, LINE(1));
	missed(h, 1, LINE(2));
	assert_non_null(strstr(describe(h, NO_WARP), "hits 9"));
	evicted(h, 3, LINE(5), 1);
	h->ops->warps_started(h->state, &h->v, BIT(1)); /* another warp in its slot */
	missed(h, 1, LINE(5));
	assert_non_null(strstr(describe(h, NO_WARP), "hits 9"));
}

/* While those who may load stand at a barrier, the next in order may. */
static void test_barrier_rule(void **state)
{
	struct hand *h = FOUR();
	h->sm.k.issued = 1;
	lose(h, 2, LINE(1));
	assert_int_equal(may_load(h, 4, 0), 0x4);
	set_state(h, 2, WS_BARRIER);
	assert_int_equal(may_load(h, 4, 0), 0x1);
	set_state(h, 0, WS_BARRIER);
	assert_int_equal(may_load(h, 4, 0), 0x2);
	set_state(h, 2, WS_DONE); /* it no longer counts: the others are at their base */
	assert_int_equal(may_load(h, 4, 0), 0xa);
}

static void test_ccws_order(void **state)
{
	struct hand *h = FOUR();
	assert_int_equal(pick(h, 0), 0);
	set_state(h, 0, WS_SHORT);
	assert_int_equal(pick(h, 1), 1);
	at(h, 0, PC_LOAD);
	assert_int_equal(pick(h, 2), 1); /* greedy */
	assert_int_equal(h->ops->rank(h->state, &h->v, 1), 0);
	assert_int_equal(h->ops->rank(h->state, &h->v, 0), 1);
	h->sm.k.issued = 2;
	lose(h, 3, LINE(4));
	assert_int_equal(pick(h, 2), 3); /* the only one that may, in this cycle */
	set_state(h, 3, WS_MEM);
	assert_int_equal(pick(h, 2), -1);
	at(h, 2, PC_ADD);
	assert_int_equal(pick(h, 2), 2);
}

/* --- sca ---------------------------------------------------------------------------------------------------------- */

/* CTAs 4 and 5 are a block, 6 has none of its own here. Groups: {0,3} {1,4} {2,5} {6} {7} {8}. */
static void test_sca(void **state)
{
	struct hand *h = HAND("sca");
	start(h, 0, 4, 0, 3);
	start(h, 1, 5, 3, 3);
	start(h, 2, 6, 6, 3);
	u32 turns[] = {0, 3, 0, 3};
	for (u32 i = 0; i < ARRAY_LEN(turns); i++)
		assert_int_equal(pick(h, i), turns[i]);
	assert_string_equal(describe(h, NO_WARP), "turn of warps 0 3");
	assert_string_equal(describe(h, 4), "with warps 1 4");
	s64 ranks[] = {0, 2, 4, 1, 3, 5, 6, 7, 8};
	for (u32 w = 0; w < 9; w++)
		assert_int_equal(h->ops->rank(h->state, &h->v, w), ranks[w]);
	set_state(h, 0, WS_SHORT); /* waits for the pipeline: the group goes on */
	assert_int_equal(pick(h, 4), 3);
	set_state(h, 3, WS_FETCH); /* both: the slot is the next group's, the turn is not */
	assert_int_equal(pick(h, 5), 4);
	at(h, 0, PC_ADD);
	assert_int_equal(pick(h, 6), 0);
	u32 events = h->ev.n;
	set_state(h, 0, WS_MEM);
	at(h, 3, PC_ADD);
	assert_int_equal(pick(h, 7), 1); /* the next group of the block, although 3 is older than 4 */
	assert_int_equal(pick(h, 8), 4);
	assert_int_equal(h->ev.n, events + 1);
	const struct event *e = last_event(h, EV_SCA_GROUP);
	assert_true(e->arg[1] == (BIT(0) | BIT(3)) && e->arg[2] == (BIT(1) | BIT(4)) && e->arg[3] == BIT(0));
	at(h, 0, PC_ADD);
	assert_int_equal(pick(h, 9), 1); /* keeps its turn */
	set_state(h, 4, WS_BARRIER);
	assert_int_equal(pick(h, 10), 3);
	set_state(h, 3, WS_MEM);
	set_state(h, 5, WS_MEM);
	assert_int_equal(pick(h, 11), 6); /* every group of the block has one that waits */
	set_state(h, 6, WS_MEM);
	set_state(h, 7, WS_MEM);
	set_state(h, 8, WS_MEM);
	assert_int_equal(pick(h, 12), 0); /* nobody is left whose group is whole: the oldest group */
	h->sm.used &= ~0x7ull;
	h->ops->warps_gone(h->state, &h->v, 0x7);
	at(h, 3, PC_ADD);
	assert_int_equal(pick(h, 13), 3);
	assert_string_equal(describe(h, 3), "has its turn: warps 3");
}

static void test_sca_block(void **state)
{
	struct hand *h = HAND("sca", "bcs.block=3");
	for (u32 i = 0; i < 4; i++)
		start(h, i, i, 2 * i, 2);
	assert_int_equal(pick(h, 0), 0);
	assert_string_equal(describe(h, 0), "has its turn: warps 0 2 4");
	assert_string_equal(describe(h, 7), "with warps 7");
	assert_int_equal(pick(h, 1), 2);
	assert_int_equal(pick(h, 2), 4);
	assert_int_equal(pick(h, 3), 0);
}

/* The CTAs of a block arrive one after the other: the second one's warp joins the turn that the first one's has. */
static void test_sca_latecomer(void **state)
{
	struct hand *h = HAND("sca");
	start(h, 0, 4, 0, 2);
	assert_int_equal(pick(h, 0), 0);
	assert_int_equal(pick(h, 1), 0);
	start(h, 1, 5, 2, 2);
	assert_string_equal(describe(h, NO_WARP), "turn of warps 0 2");
	assert_string_equal(describe(h, 2), "has its turn: warps 0 2");
	assert_int_equal(pick(h, 2), 2);
	assert_int_equal(pick(h, 3), 0);
}

/* --- mascar ------------------------------------------------------------------------------------------------------- */

static void test_mascar(void **state)
{
	RIG(r, "l1d.mshrs=8", "l1d.miss_queue=32"); /* 87 % of 8: from 7 on */
	struct hand *h = HAND("mascar", "l1d.mshrs=8", "l1d.miss_queue=32");
	h->v.mem = r.m;
	start(h, 0, 0, 0, 4);
	at(h, 2, PC_LOAD);
	at(h, 3, PC_STORE);
	assert_int_equal(pick(h, 0), 2); /* memory first, though 0 and 1 are older */
	at(h, 1, PC_LOAD);
	assert_int_equal(pick(h, 1), 2);
	at(h, 1, PC_SHARED); /* not L1D's */
	set_state(h, 2, WS_SHORT);
	assert_int_equal(pick(h, 2), 3);
	at(h, 2, PC_LOAD);
	for (u32 i = 0; i < 6; i++)
		assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 128 * i, 0xf, i), MR_PENDING);
	assert_int_equal(pick(h, 3), 3);
	assert_string_equal(describe(h, NO_WARP), "EP mode, MSHRs 6/8, miss queue 6/32");
	assert_int_equal(rig_access(&r, 0, MO_LOAD, BASE + 128 * 6, 0xf, 6), MR_PENDING);
	assert_int_equal(pick(h, 4), 0); /* saturated: the others first */
	set_state(h, 0, WS_SHORT);
	assert_int_equal(pick(h, 5), 1);
	set_state(h, 1, WS_SHORT);
	assert_int_equal(pick(h, 6), 2); /* the owner from now on */
	const struct event *e = last_event(h, EV_MASCAR_MODE);
	assert_true(e->warp == 2 && e->arg[0] == 1 && e->arg[1] == 7);
	assert_string_equal(describe(h, 2), "owns memory");
	at(h, 0, PC_LOAD);
	assert_int_equal(pick(h, 7), 2); /* an older one does not displace it, */
	set_state(h, 2, WS_SHORT);
	assert_int_equal(pick(h, 8), -1); /* nor does one that is ready meanwhile; */
	at(h, 3, PC_SHARED);
	assert_int_equal(pick(h, 9), 3);
	set_state(h, 2, WS_MEM); /* it does when it waits for its data */
	set_state(h, 3, WS_SHORT);
	assert_int_equal(pick(h, 10), 0);
	assert_int_equal(last_event(h, EV_MASCAR_MODE)->warp, 0);
	set_state(h, 0, WS_BARRIER);
	at(h, 3, PC_STORE);
	assert_int_equal(pick(h, 11), 3);
	rig_drain(&r);
	at(h, 1, PC_ADD);
	assert_int_equal(pick(h, 12), 3); /* at rest again: memory first */
	e = last_event(h, EV_MASCAR_MODE);
	assert_true(e->arg[0] == 0 && e->warp == -1);
	rig_stop(&r);
}

/* The miss queue saturates it as well. */
static void test_mascar_queue(void **state)
{
	RIG(r, "l1d.mshrs=64", "l1d.miss_queue=4");
	struct hand *h = HAND("mascar", "l1d.mshrs=64", "l1d.miss_queue=4");
	h->v.mem = r.m;
	start(h, 0, 0, 0, 2);
	at(h, 1, PC_LOAD);
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(pick(h, i), 1);
		assert_int_equal(rig_access(&r, 0, MO_STORE, BASE + 128 * i, 0xf, i), MR_SENT);
	}
	assert_int_equal(pick(h, 4), 0);
	assert_string_equal(describe(h, NO_WARP), "MP mode, MSHRs 0/64, miss queue 4/4");
	rig_drain(&r);
	rig_stop(&r);
}

/* --- whole machines ----------------------------------------------------------------------------------------------- */

/* Each warp walks lines of its own again and again, all together far more than L1D holds, with a barrier each time; the
 * sum of what it read is its answer. p0: words, p1: answers. */
static const char thrash[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .b32 %r<20>;\n.reg .b64 %rd<10>;\n"
             ".reg .pred %p<3>;\nld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1];\n"
             "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x;\nmad.lo.u32 %r4, %r2, %r3, %r1;\n"
             "shr.u32 %r5, %r4, 5; and.b32 %r6, %r1, 31;\n"
             "mul.lo.u32 %r7, %r5, 1024; shl.b32 %r8, %r6, 2; add.u32 %r7, %r7, %r8;\n"
             "cvt.u64.u32 %rd3, %r7; add.u64 %rd3, %rd3, %rd1;\nmov.u32 %r9, 0; mov.u32 %r10, 0;\nL:\n"
             "ld.global.u32 %r11, [%rd3]; ld.global.u32 %r12, [%rd3+128]; ld.global.u32 %r13, [%rd3+256]; "
             "ld.global.u32 %r14, [%rd3+384];\n"
             "add.u32 %r9, %r9, %r11; add.u32 %r9, %r9, %r12; add.u32 %r9, %r9, %r13; add.u32 %r9, %r9, %r14;\n"
             "bar.sync 0;\nadd.u32 %r10, %r10, 1;\nsetp.lt.u32 %p1, %r10, 12;\n@%p1 bra L;\n"
             "mul.wide.u32 %rd4, %r4, 4; add.u64 %rd4, %rd4, %rd2;\nst.global.u32 [%rd4], %r9;\nret;\n}\n";
#define THREADS (12 * 256)

struct result {
	u64 cycles, hash;
	u32 events;
};

/* Runs it on 2 SMs; count: the event type to count (and watch), or EV_COUNT. */
static struct result run_thrash(const char *sched, enum event_type count, const char *change, const char *const *sets)
{
	struct err e = {0};
	struct sim *s = machine(sets);
	struct rig_log log = {0};
	if (!sim_set(s, "warp-sched", sched, &e))
		fail_msg("%s", e.msg);
	if (count != EV_COUNT)
		sim_subscribe(s, EVENT(count), rig_record, &log);
	u64 in = rig_alloc(s, THREADS * 32), out = rig_alloc(s, THREADS * 4);
	for (u32 i = 0; i < THREADS * 8; i++)
		assert_true(devmem_write(sim_devmem(s), in + i * 4, &i, 4, &e));
	rig_launch(s, rig_load(s, thrash), "k", THREADS / 256, 256, 0, (u64[]){in, out}, 2);
	if (change) {
		struct stop st;
		sim_run(s, 3000, &st);
		assert_int_equal(st.why, STOP_CYCLE);
		if (!sim_set(s, "warp-sched", change, &e))
			fail_msg("%s", e.msg);
	}
	rig_finish(s);
	for (u32 t = 0; t < THREADS; t++) {
		u32 first = t / 32 * 256 + t % 32;
		assert_int_equal(rig_u32(s, out + t * 4), 12 * (4 * first + 32 + 64 + 96));
	}
	struct result r = {sim_cycle(s), sim_hash(s), log.n};
	free(log.e);
	sim_destroy(s);
	return r;
}

/* A short way to L1D, as the policies' papers had it, and few MSHRs: mascar has to find them nearly all in use. */
#define SMALL                                                                                                          \
	"num_sms=2", "l1d.sets=4", "l1d.ways=2", "deadlock_cycles=3000", "l1d.pipe=false", "l1d.mshrs=8",                  \
	    "l1d.miss_queue_free=1"
static const char *const small[] = {SMALL, NULL};
/* One loss holds everybody back for thousands of cycles. */
static const char *const harsh[] = {SMALL, "ccws.score_cap=0", "ccws.k_throttle=1000", NULL};
static const char *const sectors[] = {"num_sms=2",        "l1d.sets=4",      "l1d.ways=2", "coalesce=sector32",
                                      "sm.issue_width=2", "sm.schedulers=4", NULL};
static const struct {
	const char *sched;
	enum event_type decision;
} scheds[] = {{"ccws", EV_CCWS_THROTTLE}, {"sca", EV_SCA_GROUP}, {"mascar", EV_MASCAR_MODE}};

static void test_barriers(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(scheds); i++) {
		assert_true(run_thrash(scheds[i].sched, scheds[i].decision, NULL, small).events > 20);
		assert_true(run_thrash(scheds[i].sched, scheds[i].decision, NULL, harsh).events > 20);
		run_thrash(scheds[i].sched, scheds[i].decision, NULL, sectors);
	}
}

static void test_deterministic(void **state)
{
	u64 gto = run_thrash("gto", EV_COUNT, NULL, small).cycles;
	for (u32 i = 0; i < ARRAY_LEN(scheds); i++) {
		struct result a = run_thrash(scheds[i].sched, EV_COUNT, NULL, small);
		struct result b = run_thrash(scheds[i].sched, scheds[i].decision, NULL, small);
		assert_true(a.cycles == b.cycles && a.hash == b.hash);
		if (!strcmp(scheds[i].sched, "sca"))
			assert_int_equal(a.cycles, gto); /* the grid has one dimension: as gto */
		else
			assert_int_not_equal(a.cycles, gto); /* it decides something */
	}
}

/* Back and forward again: the policies' states and the lines' owners are part of what is restored. */
static void test_travel(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(scheds); i++) {
		struct err e = {0};
		struct stop st;
		struct sim *s = machine(small);
		assert_true(sim_set(s, "warp-sched", scheds[i].sched, &e) && sim_history(s, 64, &e));
		u64 in = rig_alloc(s, THREADS * 32), out = rig_alloc(s, THREADS * 4), hash[6];
		rig_launch(s, rig_load(s, thrash), "k", THREADS / 256, 256, 0, (u64[]){in, out}, 2);
		for (u32 k = 0; k < ARRAY_LEN(hash); k++) {
			sim_run(s, 1500 * (k + 1), &st);
			assert_int_equal(st.why, STOP_CYCLE);
			hash[k] = sim_hash(s);
		}
		for (u32 k = 2 * ARRAY_LEN(hash); k--;) { /* each one from a later and from an earlier cycle */
			u32 to = k * 5 % ARRAY_LEN(hash);
			if (!sim_goto(s, 1500 * (to + 1), &e))
				fail_msg("%s", e.msg);
			assert_true(sim_hash(s) == hash[to]);
		}
		rig_finish(s);
		sim_destroy(s);
	}
}

/* The policy changes in the middle of a kernel, to each from each. */
static void test_change(void **state)
{
	for (u32 i = 0; i < ARRAY_LEN(scheds); i++)
		for (u32 k = 0; k < ARRAY_LEN(scheds); k++)
			run_thrash(scheds[i].sched, EV_COUNT, k == i ? "gto" : scheds[k].sched, harsh);
	assert_true(run_thrash("gto", EV_CCWS_THROTTLE, "ccws", small).events > 0);
}

/* The issue events obey the decisions: in MP mode only the owner issues memory instructions. */
static void test_owner_alone(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=2", "l1d.mshrs=6", NULL});
	struct err e = {0};
	struct rig_log log = {0};
	assert_true(sim_set(s, "warp-sched", "mascar", &e));
	sim_subscribe(s, EVENT(EV_MASCAR_MODE) | EVENT(EV_ISSUE), rig_record, &log);
	u64 in = rig_alloc(s, THREADS * 32), out = rig_alloc(s, THREADS * 4);
	struct module *m = rig_load(s, thrash);
	for (u32 i = 0; i < THREADS * 8; i++)
		assert_true(devmem_write(sim_devmem(s), in + i * 4, &i, 4, &e));
	rig_launch(s, m, "k", THREADS / 256, 256, 0, (u64[]){in, out}, 2);
	rig_finish(s);
	s32 owner[2] = {-1, -1};
	bool mp[2] = {false, false};
	u32 by_owner = 0;
	for (u32 i = 0; i < log.n; i++) {
		const struct event *x = &log.e[i];
		if (x->type == EV_MASCAR_MODE) {
			mp[x->sm] = x->arg[0];
			owner[x->sm] = x->warp;
		} else if (mp[x->sm] && m->code[x->arg[0]].cls == IC_GLOBAL) {
			assert_int_equal(x->warp, owner[x->sm]);
			by_owner++;
		}
	}
	assert_true(by_owner > 100);
	free(log.e);
	sim_destroy(s);
}

static void test_bad_configuration(void **state)
{
	struct conf c;
	struct err e = {0};
	conf_defaults(&c);
	assert_true(conf_set_pair(&c, "ccws.vta_entries=12", &e));
	assert_false(conf_check(&c, &e));
	assert_non_null(strstr(e.msg, "ccws.vta_entries: 12 is not a multiple of ccws.vta_ways 8"));
	assert_false(conf_set_pair(&c, "ccws.vta_entries=33", &e));
	assert_false(conf_set_pair(&c, "mascar.full=0", &e));
	assert_false(conf_set_pair(&c, "bcs.block=0", &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_news),        cmocka_unit_test(test_score),
	    cmocka_unit_test(test_decay),       cmocka_unit_test(test_score_cap),
	    cmocka_unit_test(test_victim_tags), cmocka_unit_test(test_barrier_rule),
	    cmocka_unit_test(test_ccws_order),  cmocka_unit_test(test_sca),
	    cmocka_unit_test(test_sca_block),   cmocka_unit_test(test_sca_latecomer),
	    cmocka_unit_test(test_mascar),      cmocka_unit_test(test_mascar_queue),
	    cmocka_unit_test(test_barriers),    cmocka_unit_test(test_deterministic),
	    cmocka_unit_test(test_travel),      cmocka_unit_test(test_change),
	    cmocka_unit_test(test_owner_alone), cmocka_unit_test(test_bad_configuration),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
