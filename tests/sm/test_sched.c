/* Warp schedulers, CTA scheduler and residency on cases with known answers, read off the machine's own events. */
#include "tests/rig/machine.h"

/* Each warp runs a row of independent additions: every warp is ready whenever its instructions are there. */
static const char kernel[] =
    PTX_HEAD ".visible .entry k(.param .u64 p0)\n{\n.reg .b32 %r<64>;\nmov.u32 %r1, 1; mov.u32 %r2, 2;\n"
             "add.u32 %r3, %r1, %r2; add.u32 %r4, %r1, %r2; add.u32 %r5, %r1, %r2; add.u32 %r6, %r1, %r2;\n"
             "add.u32 %r7, %r1, %r2; add.u32 %r8, %r1, %r2; add.u32 %r9, %r1, %r2; add.u32 %r10, %r1, %r2;\nret;\n}\n";

struct picks {
	u32 n;
	u32 warp[4096];
	u64 ready[4096];
};
static bool record(void *ctx, const struct event *e)
{
	struct picks *p = ctx;
	if (p->n < ARRAY_LEN(p->warp)) {
		p->warp[p->n] = (u32)e->warp;
		p->ready[p->n++] = e->arg[1];
	}
	return false;
}

static struct picks *picks_with(const char *sched, const char *fill, const char *group, u32 block)
{
	char set[64];
	snprintf(set, sizeof set, "warp-sched=%s", sched);
	struct sim *s = machine((const char *[]){"num_sms=1", "sm.schedulers=1", "isa.issue_cost=ptx", "sm.ibuffer=8",
	                                         "sm.fetch_width=8", set, fill, group, NULL});
	static struct picks p;
	p.n = 0;
	sim_subscribe(s, EVENT(EV_SCHED_PICK), record, &p);
	assert_int_equal(run_ptx(s, kernel, 1, block, (u64[]){0}, 1).why, STOP_IDLE);
	sim_destroy(s);
	assert_true(p.n > 20);
	return &p;
}

static struct picks *picks_of(const char *sched, u32 block)
{
	return picks_with(sched, NULL, NULL, block);
}

static void test_lrr(void **state)
{
	struct picks *p = picks_of("lrr", 256);
	for (u32 i = 1; i < p->n; i++)
		assert_int_equal(p->warp[i], bit_next_rr(p->ready[i], (p->warp[i - 1] + 1) % 64));
}

static void test_gto(void **state)
{
	struct picks *p = picks_of("gto", 256); /* one CTA: age = slot */
	for (u32 i = 1; i < p->n; i++) {
		bool greedy = p->ready[i] >> p->warp[i - 1] & 1;
		assert_int_equal(p->warp[i], greedy ? p->warp[i - 1] : bit_first(p->ready[i]));
	}
}

static void test_gty(void **state)
{
	struct picks *p = picks_of("gty", 256);
	u32 others = 0;
	for (u32 i = 1; i < p->n; i++) {
		bool greedy = p->ready[i] >> p->warp[i - 1] & 1;
		assert_int_equal(p->warp[i], greedy ? p->warp[i - 1] : 63u - (u32)__builtin_clzll(p->ready[i]));
		others += !greedy && (p->ready[i] & (p->ready[i] - 1));
	}
	assert_true(others > 0); /* there was a choice */
}

static void test_tlv(void **state)
{
	struct picks *p = picks_with("tlv", "tlv.fill=false", "tlv.group=8", 512); /* 16 warps: two groups of 8 */
	u32 switches = 0;
	for (u32 i = 1; i < p->n; i++) {
		u32 was = p->warp[i - 1] / 8, is = p->warp[i] / 8;
		switches += was != is;
		if (was == is)
			assert_int_equal(p->warp[i], bit_next_rr(p->ready[i] & (0xffull << 8 * is), (p->warp[i - 1] + 1) % 64));
		else
			assert_true(!(p->ready[i] & (0xffull << 8 * was))); /* the group was left only with nobody ready */
	}
	assert_true(switches >= 1);
}

/* Nothing here waits on memory: a group is the active one until its warps are gone. The slots that it leaves while they
 * wait for arithmetic or fetches go to the groups behind it, in order. */
static void test_tlv_fill(void **state)
{
	struct picks *p = picks_with("tlv", "tlv.fill=true", "tlv.group=2", 512);
	u32 last[8], last_of_first = 0, filled = 0;
	for (u32 g = 0; g < 8; g++)
		last[g] = NO_WARP;
	for (u32 i = 0; i < p->n; i++)
		last_of_first = p->warp[i] < 2 ? i : last_of_first;
	for (u32 i = 0; i < p->n; i++) {
		u32 g = p->warp[i] / 2;
		assert_false(p->ready[i] & bit_range(2 * g)); /* nobody in the groups before it */
		if (last[g] != NO_WARP)
			assert_int_equal(p->warp[i], bit_next_rr(p->ready[i] & (3ull << 2 * g), (last[g] + 1) % 64));
		last[g] = p->warp[i];
		filled += g > 0 && i < last_of_first;
	}
	assert_true(filled > 0);
}

struct placed {
	u32 n;
	struct {
		u32 sm;
		s32 cta;
		u64 cycle;
	} at[256];
};
static bool record_cta(void *ctx, const struct event *e)
{
	struct placed *p = ctx;
	if (p->n < ARRAY_LEN(p->at)) {
		p->at[p->n].sm = (u32)e->sm;
		p->at[p->n].cta = e->cta;
		p->at[p->n++].cycle = e->cycle;
	}
	return false;
}

static void test_cta_round_robin(void **state)
{
	struct sim *s = machine((const char *[]){"num_sms=3", NULL});
	struct placed p = {0};
	sim_subscribe(s, EVENT(EV_CTA_DISPATCH), record_cta, &p);
	run_ptx(s, kernel, 40, 256, (u64[]){0}, 1);
	assert_int_equal(p.n, 40);
	for (u32 i = 0; i < 18; i++) { /* six CTAs of 8 warps fit 48 warps: three SMs take one each a cycle until full */
		assert_int_equal(p.at[i].cta, i);
		assert_int_equal(p.at[i].sm, i % 3);
		assert_int_equal(p.at[i].cycle, i / 3);
	}
	assert_true(p.at[18].cycle > 6); /* the 19th waits for room */
	sim_destroy(s);
}

static void test_cta_limit(void **state)
{
	for (u32 limit = 1; limit <= 8; limit++) {
		char set[40];
		snprintf(set, sizeof set, "max_ctas_per_sm=%u", limit);
		struct sim *s = machine((const char *[]){"num_sms=2", set, NULL});
		struct placed p = {0};
		sim_subscribe(s, EVENT(EV_CTA_DISPATCH), record_cta, &p);
		run_ptx(s, kernel, 64, 32, (u64[]){0}, 1);
		u32 first = 0; /* dispatched in the first 8 cycles: before any CTA can have ended */
		while (first < p.n && p.at[first].cycle < 8)
			first++;
		assert_int_equal(first, 2 * limit);
		sim_destroy(s);
	}
}

static void test_occupancy(void **state)
{
	struct conf c;
	conf_defaults(&c);
	struct launch l = {.warps = 8, .regs = 20, .shared_bytes = 0};
	const char *why;
	assert_int_equal(sm_occupancy(&c, &l, &why), 6); /* 48 warps */
	assert_string_equal(why, "threads");
	l.regs = 38; /* 38 * 32 = 1216, in units of 64: 1216 a warp, 9728 a CTA */
	assert_int_equal(sm_occupancy(&c, &l, &why), 3);
	assert_string_equal(why, "registers");
	l.regs = 16, l.shared_bytes = 12000; /* 12032 in units of 128 B */
	assert_int_equal(sm_occupancy(&c, &l, &why), 4);
	assert_string_equal(why, "shared memory");
	l.warps = 1, l.shared_bytes = 0;
	assert_int_equal(sm_occupancy(&c, &l, &why), 8);
	assert_string_equal(why, "CTAs");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_lrr),       cmocka_unit_test(test_gto),       cmocka_unit_test(test_gty),
	    cmocka_unit_test(test_tlv),       cmocka_unit_test(test_tlv_fill),  cmocka_unit_test(test_cta_round_robin),
	    cmocka_unit_test(test_cta_limit), cmocka_unit_test(test_occupancy),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
