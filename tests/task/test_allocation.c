/* Where CTAs' registers and shared memory lie: first fit and 2-way allocation (Park 2016, section 5.4.2), figure 5.4 by
 * hand, sums over holes against a map of units, and on a machine whose kernels come, go and are preempted. */
#include "base/rng.h"
#include "gpu/query.h"
#include "gpu/state.h"
#include "gpu/verbs.h"
#include "tests/rig/sm_rig.h"

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* First fit, by a map of units: what the machine does by default is to agree with it. */
static bool first_fit(const struct cta_block *b, u32 n, u32 total, u32 size, u32 *first)
{
	for (u32 at = 0; at + size <= total; at++) {
		bool is_free = true;
		for (u32 i = 0; i < n; i++)
			is_free &= at + size <= b[i].first || b[i].first + b[i].size <= at;
		if (is_free) {
			*first = at;
			return true;
		}
	}
	return false;
}

struct memory {
	struct cta_block b[32];
	u32 kernel[32];
	u32 n;
	bool two_way;
};
#define TOTAL 10240 /* figure 5.4: 10 kB */
static const u32 size_of[] = {2560, 3072};

/* One more CTA: kernel 1 comes first, from the bottom. */
static bool more(struct memory *m, u32 kernel)
{
	struct cta_block sorted[32];
	u32 at;
	memcpy(sorted, m->b, sizeof sorted);
	if (!(m->two_way ? blocks_two_way(sorted, m->n, TOTAL, size_of[kernel], !kernel, &at)
	                 : first_fit(m->b, m->n, TOTAL, size_of[kernel], &at)))
		return false;
	m->kernel[m->n] = kernel;
	m->b[m->n++] = (struct cta_block){at, size_of[kernel], !kernel};
	return true;
}

static void less(struct memory *m, u32 i)
{
	m->n--;
	m->b[i] = m->b[m->n];
	m->kernel[i] = m->kernel[m->n];
}

static void ends(struct memory *m, u32 kernel)
{
	for (u32 i = m->n; i-- > 0;)
		if (m->kernel[i] == kernel)
			less(m, i);
}

/* The CTA of kernel 1 that leaves: with 2-way allocation the one next to the free space, else the lowest, as in the
 * figure. */
static void leaves(struct memory *m)
{
	u32 which = 32;
	for (u32 i = 0; i < m->n; i++)
		if (m->kernel[i] == 1 && (which == 32 || (m->b[i].first > m->b[which].first) == m->two_way))
			which = i;
	less(m, which);
}

/* a: kernel 0 ends, and kernel 1 would have room. b: a CTA of kernel 1 leaves for one of kernel 0, then kernel 1 ends.
 */
static void test_figure_5_4(void **state)
{
	for (u32 two_way = 0; two_way < 2; two_way++) {
		struct memory m = {.two_way = two_way};
		assert_true(more(&m, 1) && more(&m, 0) && more(&m, 1) && !more(&m, 1) && !more(&m, 0));
		ends(&m, 0);
		struct holes h = blocks_holes(m.b, m.n, TOTAL, size_of[1]);
		assert_int_equal(h.free, 4096);
		assert_int_equal(h.largest, two_way ? 4096 : 2560);
		assert_int_equal(h.fit, two_way);
		assert_int_equal(more(&m, 1), two_way);

		m = (struct memory){.two_way = two_way};
		assert_true(more(&m, 1) && more(&m, 0) && more(&m, 1));
		leaves(&m);
		assert_true(more(&m, 0) && !more(&m, 0));
		ends(&m, 1);
		h = blocks_holes(m.b, m.n, TOTAL, size_of[0]);
		assert_int_equal(h.free, 5120); /* two CTAs' */
		assert_int_equal(h.fit, two_way ? 2 : 1);
		assert_true(more(&m, 0));
		assert_int_equal(more(&m, 0), two_way);
	}
}

/* Blocks of two kernels at random: the place nearest to the own end, never behind the other kernel's blocks. */
static void test_against_a_map(void **state)
{
	u64 seed = 11;
	u32 found = 0;
	for (u32 round = 0; round < 20000; round++) {
		u8 map[48] = {0}; /* 1: a kernel's from the bottom, 2: from the top */
		struct cta_block b[16];
		u32 n = 0, bottom = 0, top = 48;
		while (n < 16 && rng_next(&seed) % 8) {
			const u32 first = (u32)(rng_next(&seed) % 44), size = 1 + (u32)(rng_next(&seed) % 4);
			const bool from_top = rng_next(&seed) & 1;
			bool ok = from_top ? first >= bottom : first + size <= top;
			for (u32 i = first; i < first + size; i++)
				ok &= !map[i];
			if (!ok)
				continue;
			memset(map + first, from_top ? 2 : 1, size);
			bottom = from_top ? bottom : MAX(bottom, first + size);
			top = from_top ? MIN(top, first) : top;
			b[n++] = (struct cta_block){first, size, from_top};
		}
		const u32 size = 1 + (u32)(rng_next(&seed) % 6);
		u32 run = 0, largest = 0, is_free = 0, fit = 0;
		for (u32 i = 0; i <= 48; i++) {
			if (i < 48 && !map[i]) {
				run++;
				is_free++;
				continue;
			}
			largest = MAX(largest, run);
			fit += run / size;
			run = 0;
		}
		const struct holes h = blocks_holes(b, n, 48, size);
		assert_true(h.free == is_free && h.largest == largest && h.fit == fit);
		for (u32 from_top = 0; from_top < 2; from_top++) {
			u32 want = UINT32_MAX, got = UINT32_MAX;
			for (u32 at = from_top ? bottom : 0; at + size <= (from_top ? 48 : top); at++)
				if (!memchr(map + at, 1, size) && !memchr(map + at, 2, size) && (from_top || want == UINT32_MAX))
					want = at;
			if (!blocks_two_way(b, n, 48, size, from_top, &got))
				got = UINT32_MAX;
			assert_int_equal(got, want);
			found += got != UINT32_MAX;
		}
	}
	assert_true(found > 5000);
}

/* --- on the machine ----------------------------------------------------------------------------------------------- */

/* s: 2560 bytes, t: 3072 bytes, n: 4 bytes of shared memory; rounds of arithmetic, more of them in CTAs of a higher
 * number. */
#define BODY                                                                                                           \
	"ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"                                         \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; and.b32 %r5, %r2, 7; mad.lo.u32 %r10, %r5, 3, %r10;\n"                \
	"mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r6, %r4;\n"          \
	"mov.u32 %r7, room; st.shared.u32 [%r7], %r6;\n"                                                                   \
	"M: mad.lo.u32 %r6, %r6, %r6, 1; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra M;\n"                   \
	"st.global.u32 [%a2], %r6; ret;\n}\n"
#define HEAD(name, bytes)                                                                                              \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>;\n"               \
	".reg .b64 %a<8>; .shared .align 4 .b8 room[" bytes "];\n"
static const char kernels[] = PTX_HEAD HEAD("s", "2560") BODY HEAD("t", "3072") BODY HEAD("n", "4") BODY;

struct pair {
	struct sim *s;
	struct module *m;
	u32 launch[2];
};
#define SHARED 24576

static void begin(struct pair *p, const char *allocation, const char *preempt)
{
	p->s = machine((const char *[]){"num_sms=3", "sm.shared=24576", "partition=smk", preempt, allocation, NULL});
	p->m = rig_load(p->s, kernels);
	for (u32 i = 0; i < 16; i++) /* in turns of two streams: kernels of another size come while others run */
		p->launch[i & 1] = rig_launch(p->s, p->m, i & 1 ? "t" : "s", 20 + 7 * i, 64, i & 1,
		                              (u64[]){rig_alloc(p->s, 256ull * 140), 20 + 5 * (i % 7)}, 2);
}

/* The blocks of shared memory on an SM. Whose CTAs come from the top is told by where they lie: those of a kernel that
 * lies above another one's. */
static u32 blocks_on(const struct pair *p, u32 sm, struct cta_block *b, u32 *kernel)
{
	u32 n = 0;
	for (u32 i = 0; i < gpu_conf(sim_gpu(p->s))->sm_ctas; i++) {
		struct cta_info c;
		gpu_cta_info(sim_gpu(p->s), sm, i, &c);
		if (c.used) {
			kernel[n] = c.launch & 1;
			b[n++] = (struct cta_block){c.shared_first, c.shared_size, false};
		}
	}
	return n;
}

/* Do the kernels keep to their ends: has each of them all below, or all above the other's? */
static bool apart(const struct cta_block *b, const u32 *kernel, u32 n)
{
	bool below = true, above = true;
	for (u32 i = 0; i < n; i++)
		for (u32 k = 0; k < n; k++)
			if (kernel[i] < kernel[k]) {
				below &= b[i].first < b[k].first;
				above &= b[i].first > b[k].first;
			}
	return below || above;
}

/* The launch of that kernel that runs; else its last one. */
static u32 running(const struct pair *p, u32 kernel)
{
	struct kernel_info k;
	for (u32 i = kernel; i < 16; i += 2) {
		gpu_kernel_info(sim_gpu(p->s), i, &k);
		if (k.state == KS_RUNNING)
			return i;
	}
	return p->launch[kernel];
}

/* What gpu_room() says of a kernel is what the blocks on the SM say. */
static void rooms_agree(const struct pair *p, u32 sm, const struct cta_block *b, u32 n, u64 *fragmented)
{
	for (u32 k = 0; k < 2; k++) {
		struct room_info o;
		struct cta_block sorted[32];
		if (!gpu_room(sim_gpu(p->s), running(p, k), sm, &o))
			continue;
		memcpy(sorted, b, sizeof sorted);
		const struct holes h = blocks_holes(sorted, n, SHARED, size_of[k]);
		assert_true(o.shared == size_of[k] && o.shm.free == h.free && o.shm.largest == h.largest && o.shm.fit == h.fit);
		assert_true((o.lack == ROOM_HOLES) <= (h.free >= size_of[k]));
		assert_true((o.lack == ROOM_SHARED) == (o.lack >= ROOM_REGS && h.free < size_of[k]));
		assert_true(o.fragmented <= o.most - MIN(o.most, o.resident)); /* not more than it may have */
		*fragmented += o.fragmented;
	}
}

static u64 run(const char *allocation, const char *preempt, bool two_way, u64 *fragmented, u32 *mixed)
{
	struct pair p;
	struct err e = {0};
	struct stop st;
	begin(&p, allocation, preempt);
	*fragmented = *mixed = 0;
	do {
		sim_run(p.s, sim_cycle(p.s) + 50, &st);
		if (!sim_check_state(p.s, &e))
			fail_msg("%s", e.msg);
		for (u32 sm = 0; sm < 3; sm++) {
			struct cta_block b[32] = {{0}};
			u32 kernel[32];
			const u32 n = blocks_on(&p, sm, b, kernel);
			*mixed += !apart(b, kernel, n);
			rooms_agree(&p, sm, b, n, fragmented);
		}
	} while (st.why == STOP_CYCLE);
	rig_finish(p.s);
	const u64 hash = devmem_result_hash(sim_devmem(p.s));
	sim_destroy(p.s);
	if (two_way)
		assert_int_equal(*mixed, 0);
	return hash;
}

/* From both ends nothing is fragmented beyond what cannot be used by anybody; first fit mixes the kernels. */
static void test_on_a_machine(void **state)
{
	static const char *const how[] = {"preempt=none", "preempt=switch", "preempt=flush", "preempt=chimera"};
	u64 lost[2], sum[2] = {0}, want = 0;
	u32 mixed[2], mixes = 0;
	for (u32 i = 0; i < ARRAY_LEN(how); i++) {
		const u64 first = run("sm.allocation=first-fit", how[i], false, &lost[0], &mixed[0]);
		const u64 both = run("sm.allocation=two-way", how[i], true, &lost[1], &mixed[1]);
		want = i ? want : first;
		assert_true(first == want && both == want);
		sum[0] += lost[0];
		sum[1] += lost[1];
		mixes += mixed[0];
	}
	assert_true(mixes > 0 && sum[1] < sum[0]);
}

/* When CTAs are sent away for a second kernel, those that stay are the ones at their kernel's end: what they leave is
 * in one piece, and the second kernel has all of its share. */
static void test_who_leaves(void **state)
{
	struct stop st;
	struct pair p;
	u32 had = 0;
	p.s = machine((const char *[]){"num_sms=3", "sm.shared=10240", "partition=smk", "preempt=switch",
	                               "sm.allocation=two-way", NULL});
	p.m = rig_load(p.s, kernels);
	p.launch[0] = rig_launch(p.s, p.m, "s", 3000, 64, 0, (u64[]){rig_alloc(p.s, 256ull * 3000), 10}, 2);
	sim_run(p.s, 30000, &st); /* CTAs of different lengths: the oldest are anywhere */
	p.launch[1] = rig_launch(p.s, p.m, "t", 60, 64, 1, (u64[]){rig_alloc(p.s, 256ull * 60), 300}, 2);
	for (u32 i = 0; i < 40; i++) {
		sim_run(p.s, sim_cycle(p.s) + 100, &st);
		for (u32 sm = 0; sm < 3; sm++) {
			struct cta_block b[32];
			u32 kernel[32], first = 0, end = 0;
			const u32 n = blocks_on(&p, sm, b, kernel);
			for (u32 k = 0; k < n; k++)
				if (!kernel[k]) {
					first++;
					end = MAX(end, b[k].first + b[k].size);
				}
			had += first < n; /* the second one has come */
			assert_true(first > 2 || end <= 2 * 2560);
		}
	}
	assert_true(had > 10);
	rig_finish(p.s);
	sim_destroy(p.s);
}

/* A kernel that lies at the top keeps those that are farthest from the free space, too: the uppermost. */
static void test_who_leaves_the_top(void **state)
{
	struct err e = {0};
	struct stop st;
	struct sim *s =
	    machine((const char *[]){"num_sms=1", "sm.shared=24576", "sm.allocation=two-way", "preempt=switch", NULL});
	struct module *m = rig_load(s, kernels);
	struct gpu *g = sim_gpu(s);
	rig_launch(s, m, "t", 1, 64, 0, (u64[]){rig_alloc(s, 256), 3000}, 2);
	sim_run(s, 3000, &st);
	const u32 top = rig_launch(s, m, "s", 600, 64, 1, (u64[]){rig_alloc(s, 256 * 600), 20}, 2);
	sim_run(s, 12000, &st); /* CTAs of different lengths: the oldest are anywhere */
	assert_true(sm_resident(g->sm[0], 0) == 1 && sm_resident(g->sm[0], top) == 7);
	const u64 set[CONF_SM_WORDS] = {1};
	const u32 id = preempt_request(
	    &g->preempt, &(struct preempt_ask){.launch = top, .set = set, .keep = 3, .limit = 9999}, sim_cycle(s), &e);
	assert_int_equal(id, 1);
	u64 leave = 0;
	for (u32 i = 0; i < PREEMPT_PLANS; i++)
		for (u32 c = 0; g->preempt.p->plan[i].request == id && c < g->preempt.p->plan[i].s.n; c++)
			leave |= BIT(g->preempt.p->plan[i].s.cta[c].place);
	assert_int_equal(bit_count(leave), 4);
	const struct cta *c = g->sm[0]->cta;
	for (u32 i = 0; i < 8; i++)
		for (u32 o = 0; o < 8; o++)
			if ((leave >> i & 1) && c[o].used && c[o].launch == top && !(leave >> o & 1))
				assert_true(c[i].from_top && c[i].reg_first < c[o].reg_first);
	rig_finish(s);
	sim_destroy(s);
}

/* Saved on an SM where its kernel came second, and restored on one where it is the first: from the bottom there. */
static void test_elsewhere(void **state)
{
	struct err e = {0};
	struct stop st;
	struct sim *s = machine((const char *[]){"num_sms=2", "sm.shared=24576", "sm.allocation=two-way", NULL});
	struct module *m = rig_load(s, kernels);
	struct gpu *g = sim_gpu(s);
	rig_launch(s, m, "t", 1, 64, 0, (u64[]){rig_alloc(s, 256), 3000}, 2);
	sim_run(s, 3000, &st);
	const u32 second = rig_launch(s, m, "s", 2, 64, 1, (u64[]){rig_alloc(s, 512), 3000}, 2);
	sim_run(s, 6000, &st);
	const u32 sm = g->sm[0]->nctas == 2 ? 0 : 1;
	const struct cta *c = &g->sm[sm]->cta[1];
	assert_true(c->launch == second && c->from_top && c->shared_first + c->shared_size == 24576);
	const u64 id = c->id;
	assert_true(gpu_save_cta(g, second, id, false, &e));
	sim_run(s, 9000, &st);
	if (!gpu_restore_cta(g, second, id, !sm, &e))
		fail_msg("%s", e.msg);
	sim_run(s, 12000, &st);
	c = &g->sm[!sm]->cta[1];
	assert_true(c->used && c->id == id && !c->from_top && c->shared_first == 2560);
	rig_finish(s);
	sim_destroy(s);
}

/* A CTA that was taken off while something was under way has given its place back at once: with either allocation the
 * next one lies there. */
static void test_leaving_holds_nothing(void **state)
{
	for (u32 two_way = 0; two_way < 2; two_way++) {
		struct err e = {0};
		struct stop st;
		struct sim *s = machine((const char *[]){"num_sms=1", "sm.shared=24576",
		                                         two_way ? "sm.allocation=two-way" : "sm.allocation=first-fit", NULL});
		struct module *m = rig_load(s, kernels);
		struct gpu *g = sim_gpu(s);
		struct sm *sm = g->sm[0];
		const u32 k = rig_launch(s, m, "s", 8, 64, 0, (u64[]){rig_alloc(s, 256 * 8), 3000}, 2);
		while (sm->nctas < 8 || !sm->warp[0].inflight)
			sim_run(s, sim_cycle(s) + 1, &st);
		const u32 slot = sm->warp[0].cta_slot, first = sm->cta[slot].shared_first;
		assert_true(gpu_save_cta(g, k, sm->cta[slot].id, false, &e));
		assert_true(sm->ctas_away[0]); /* it is not quiet yet */
		struct cta at = {0};
		assert_true(sm_find_resources(&g->ctx[0], sm, g->launch[k], &at));
		assert_int_equal(at.shared_first, first);
		sim_destroy(s);
	}
}

/* Every other of nine CTAs is saved: four holes of 2560 bytes and what is left behind the last one, where one CTA of t
 * (3072 bytes) fits. The four holes would have room for three more, of which so many count as its policies let it have:
 * its quota, and the slots that are free, of which three CTAs of n, which need 128 bytes each, leave one. */
static void test_fragmented(void **state)
{
	static const struct {
		u32 slots, quota, lost; /* it has one */
	} rows[] = {{32, QUOTA_ANY, 3}, {32, 3, 2}, {32, 2, 1}, {32, 1, 0}, {9, QUOTA_ANY, 1}, {9, 4, 1}, {9, 1, 0}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		char ctas[16];
		struct err e = {0};
		struct stop st;
		struct room_info o;
		snprintf(ctas, sizeof ctas, "sm.ctas=%u", rows[i].slots);
		struct sim *s = machine((const char *[]){"num_sms=1", "sm.shared=24576", ctas, NULL});
		struct module *m = rig_load(s, kernels);
		struct gpu *g = sim_gpu(s);
		rig_launch(s, m, "s", 9, 64, 0, (u64[]){rig_alloc(s, 256 * 9), 3000}, 2);
		while (g->sm[0]->nctas < 9)
			sim_run(s, sim_cycle(s) + 1, &st);
		for (u32 c = 0; c < 9; c += 2) {
			assert_int_equal(g->sm[0]->cta[c].shared_first, 2560 * c);
			assert_true(gpu_save_cta(g, 0, g->sm[0]->cta[c].id, false, &e));
		}
		const u32 t = rig_launch(s, m, "t", 30, 64, 1, (u64[]){rig_alloc(s, 256 * 30), 3000}, 2);
		sim_run(s, sim_cycle(s) + 4000, &st);
		const u32 n = rig_launch(s, m, "n", 3, 64, 2, (u64[]){rig_alloc(s, 256 * 3), 3000}, 2);
		sim_run(s, sim_cycle(s) + 4000, &st);
		assert_true(sm_resident(g->sm[0], t) == 1 && sm_resident(g->sm[0], n) == 3 && g->sm[0]->nctas == 8);
		g->dispatch.d->quota[0][dispatch_slot(g->dispatch.d, t)] = (u8)rows[i].quota;
		assert_true(gpu_room(g, t, 0, &o));
		assert_true(o.resident == 1 && !o.shm.fit && o.shm.free == 24576 - 4 * 2560 - 3072 - 3 * 128);
		assert_int_equal(o.lack, rows[i].quota == 1 ? ROOM_QUOTA : ROOM_HOLES);
		assert_int_equal(o.fragmented, rows[i].lost);
		sim_destroy(s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_leaving_holds_nothing),
	    cmocka_unit_test(test_figure_5_4),
	    cmocka_unit_test(test_against_a_map),
	    cmocka_unit_test(test_on_a_machine),
	    cmocka_unit_test(test_who_leaves),
	    cmocka_unit_test(test_who_leaves_the_top),
	    cmocka_unit_test(test_elsewhere),
	    cmocka_unit_test(test_fragmented),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
