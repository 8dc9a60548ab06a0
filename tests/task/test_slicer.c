/* warped-slicer: its sums by hand; on the machine, that it measures what the SMs issue, shares them out by water
 * filling or splits them, and lets a single kernel alone. (Results, resources and going back: test_cta_share.) */
#include "gpu/state.h"
#include "gpu/verbs.h"
#include "task/partition/shares.h"
#include "tests/rig/sm_rig.h"

/* --- by hand ------------------------------------------------------------------------------------------------------ */

static void test_points(void **state)
{
	static const struct {
		u32 sms, most, want[15];
	} rows[] = {{15, 8, {1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7}},
	            {7, 8, {1, 2, 3, 5, 6, 7, 8}},
	            {2, 8, {1, 8}},
	            {1, 6, {6}},
	            {3, 1, {1, 1, 1}}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		for (u32 k = 0; k < rows[i].sms; k++)
			assert_int_equal(slicer_point(k, rows[i].sms, rows[i].most), rows[i].want[k]);
}

static void test_curve(void **state)
{
	static const struct {
		u32 most;
		float got[7], want[7];
	} rows[] = {{5, {9, -1, 2, -1, 4, -1}, {0, 1, 2, 3, 4, 4}},
	            {6, {-1, -1, -1, 3, -1, -1, 1.5f}, {0, 1, 2, 3, 2.5f, 2, 1.5f}},
	            {2, {0, -1, -1}, {0, 0, 0}}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		float ipc[7];
		memcpy(ipc, rows[i].got, sizeof ipc);
		slicer_curve(ipc, rows[i].most);
		for (u32 t = 0; t <= rows[i].most; t++)
			assert_float_equal(ipc[t], rows[i].want[t], 1e-6);
	}
}

/* On an SM of 48 warps, 8 CTAs, 32768 registers and 48 KiB. */
static void test_water(void **state)
{
	static const u64 total[] = {48, 8, 32768, 49152};
#define SMALL                                                                                                          \
	{                                                                                                                  \
		{6, 1, 2048, 0}, 8                                                                                             \
	}
#define LINE                                                                                                           \
	{                                                                                                                  \
		0, 1, 2, 3, 4, 5, 6, 7, 8                                                                                      \
	}
#define FLAT                                                                                                           \
	{                                                                                                                  \
		0, 1, 1, 1, 1, 1, 1, 1, 1                                                                                      \
	}
	static const struct {
		u32 n;
		struct smk_need k[3];
		float ipc[3][SLICER_POINTS];
		u32 want[3];
		double keeps;
	} rows[] = {
	    {2, {SMALL, SMALL}, {LINE, LINE}, {4, 4}, 0.5},
	    {2, {SMALL, SMALL}, {LINE, FLAT}, {7, 1}, 0.875},
	    {2, {SMALL, SMALL}, {FLAT, LINE}, {1, 7}, 0.875},
	    /* past its peak at 3 a kernel wants no more; 1/8 3/8 1/3 2/3 ... 5/8 6/8, then no place for its third */
	    {2, {SMALL, SMALL}, {{0, 1, 2, 3, 2, 1, 1, 1, 1}, LINE}, {2, 6}, 2 / 3.0},
	    /* the next better point is three CTAs away, and there is room; or seven, and there is none */
	    {2, {SMALL, SMALL}, {{0, 1, 1, 1, 2, 2, 2, 2, 2}, LINE}, {4, 4}, 0.5},
	    {2, {SMALL, SMALL}, {{0, 1, 1, 1, 1, 1, 1, 1, 2}, LINE}, {1, 7}, 0.5},
	    /* shared memory for three of the first beside any of the second; and both want more */
	    {2, {{{4, 1, 1024, 16384}, 3}, {{4, 1, 1024, 0}, 8}}, {{0, 1, 2, 3}, LINE}, {2, 6}, 2 / 3.0},
	    {2, {{{48, 1, 0, 0}, 1}, {{48, 1, 0, 0}, 1}}, {{0, 1}, {0, 1}}, {0, 0}, 0},
	    {2, {SMALL, {{6, 1, 2048, 0}, 0}}, {LINE, LINE}, {0, 0}, 0},
	    {2, {SMALL, SMALL}, {LINE, {0}}, {7, 1}, 0}, /* one that does nothing keeps nothing */
	    {3, {SMALL, SMALL, SMALL}, {LINE, FLAT, LINE}, {4, 1, 3}, 0.375},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 got[3] = {0};
		const double keeps = slicer_counts(rows[i].n, rows[i].k, rows[i].ipc, total, got);
		for (u32 r = 0; r < rows[i].n && rows[i].keeps > 0; r++)
			if (got[r] != rows[i].want[r])
				fail_msg("row %u: kernel %u has %u CTAs, %u by hand", i, r, got[r], rows[i].want[r]);
		assert_float_equal(keeps, rows[i].keeps, 1e-6);
	}
}

/* --- on the machine ----------------------------------------------------------------------------------------------- */

/* m: each round a line from far away; c: arithmetic that waits for itself. */
static const char kernels[] = PTX_HEAD
    ".visible .entry m(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "L: ld.global.u32 %r6, [%a2]; add.u32 %r6, %r6, 1;\n"
    "st.global.u32 [%a2], %r6; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L; ret;\n}\n"
    ".visible .entry c(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r6, %r4;\n"
    "M: mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1;\n"
    "sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra M;\n"
    "st.global.u32 [%a2], %r6; ret;\n}\n";

#define SMS 8
#define PROFILE 700
struct look {
	struct sim *s;
	struct rig_log log;
	u64 issued[SMS][2]; /* so far */
	u64 at[SMS][2];     /* when the window began */
	u64 from;
};

static bool watch(void *ctx, const struct event *e)
{
	struct look *l = ctx;
	if (e->type != EV_ISSUE)
		return rig_record(&l->log, e);
	if (e->cycle >= l->from)
		l->issued[e->sm][e->kernel]++;
	return false;
}

static void open_pair(struct look *l, const char *keep, const char *technique, event_set more)
{
	char set[2][64];
	snprintf(set[0], sizeof set[0], "slicer.keep=%s", keep);
	snprintf(set[1], sizeof set[1], "preempt=%s", technique);
	*l = (struct look){.s = machine((const char *[]){"num_sms=8", "partition=warped-slicer", "slicer.warmup=400",
	                                                 "slicer.profile=700", "preempt.halt=cta", set[0], set[1], NULL}),
	                   .from = NEVER};
	sim_subscribe(l->s,
	              EVENT(EV_TRIAL) | EVENT(EV_REPARTITION) | EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) |
	                  EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) | EVENT(EV_KERNEL_DONE) | more,
	              watch, l);
}

static u32 go(struct look *l, struct module *m, const char *kernel, u32 ctas, u32 rounds, u32 stream)
{
	return rig_launch(l->s, m, kernel, ctas, 128, stream, (u64[]){rig_alloc(l->s, 512ull * ctas), rounds}, 2);
}

/* Runs a second kernel beside one that has all SMs, up to the decision; returns its cycle. */
static u64 decide(struct look *l, const char *keep, const char *technique, u32 rounds)
{
	struct stop st;
	open_pair(l, keep, technique, 0);
	struct module *m = rig_load(l->s, kernels);
	go(l, m, "m", 900, rounds, 1);
	sim_run(l->s, 2000, &st);
	go(l, m, "c", 700, 10 * rounds, 2);
	while (!rig_count(&l->log, EV_TRIAL) && sim_cycle(l->s) < 200000)
		sim_run(l->s, sim_cycle(l->s) + 1, &st);
	return sim_cycle(l->s);
}

/* CTAs end meanwhile: every SM's IPC is what it issued in the window, with the CTAs that it is said to have. */
static void test_measures(void **state)
{
	struct look l, again;
	const u64 at = decide(&l, "0", "switch", 7);
	u64 when = 0;
	for (u32 i = 0; i < l.log.n; i++)
		when = l.log.e[i].type == EV_TRIAL ? l.log.e[i].cycle : when;
	assert_true(when > 2000 + 1100 && when <= at);
	struct stop st;
	open_pair(&again, "0", "switch", EVENT(EV_ISSUE));
	again.from = when - PROFILE; /* the same run once more */
	struct module *m = rig_load(again.s, kernels);
	go(&again, m, "m", 900, 7, 1);
	sim_run(again.s, 2000, &st);
	go(&again, m, "c", 700, 70, 2);
	sim_run(again.s, when, &st);
	u32 trials = 0;
	for (u32 i = 0; i < l.log.n; i++) {
		const struct event *e = &l.log.e[i];
		if (e->type != EV_TRIAL)
			continue;
		const u64 issued = again.issued[e->sm][e->kernel];
		assert_int_equal(e->kernel, e->sm >= SMS / 2);
		assert_int_equal(e->arg[0], slicer_point((u32)e->sm % (SMS / 2), SMS / 2, 8));
		if (issued * 1000 / PROFILE > e->arg[2] + 3 || issued * 1000 / PROFILE + 3 < e->arg[2])
			fail_msg("SM %d issued %llu in %u cycles, measured %llu/1000", e->sm, (unsigned long long)issued, PROFILE,
			         (unsigned long long)e->arg[2]);
		trials++;
	}
	assert_int_equal(trials, SMS);
	sim_destroy(l.s);
	sim_destroy(again.s);
	free(l.log.e);
	free(again.log.e);
}

struct held {
	u32 of[2], peak[2];
};

/* Shared: no SM gets more than the water filling gave, and every SM gets that; split: none serves both. */
static void divided(const char *keep, const char *technique, bool shares)
{
	struct look l;
	decide(&l, keep, technique, 30);
	rig_finish(l.s);
	struct held on[SMS] = {0};
	u64 ctas[2] = {0}, decided = 0, first_end = 0;
	u32 both = 0, over = 0, full = 0;
	for (u32 i = 0; i < l.log.n; i++) {
		const struct event *e = &l.log.e[i];
		if (e->type == EV_TRIAL)
			decided = e->cycle;
		if (e->type == EV_KERNEL_DONE && !first_end)
			first_end = e->cycle;
		if (e->type == EV_REPARTITION && shares && !first_end)
			ctas[e->kernel] = e->arg[1];
		if (e->type != EV_CTA_DISPATCH && e->type != EV_CTA_RESTORE && e->type != EV_CTA_DONE && e->type != EV_CTA_SAVE)
			continue;
		struct held *h = &on[e->sm];
		const bool comes = e->type == EV_CTA_DISPATCH || e->type == EV_CTA_RESTORE;
		const bool looks = decided && !first_end && e->cycle >= decided + 4000 && e->cycle <= decided + 9000;
		for (u32 k = 0; k < 2 && looks; k++)
			h->peak[k] = MAX(h->peak[k], h->of[k] + (comes && e->kernel == (s32)k));
		h->of[e->kernel] += comes ? 1 : -1u;
		if (!looks || !comes)
			continue;
		both += h->of[0] && h->of[1];
		over += shares && h->of[e->kernel] > ctas[e->kernel];
	}
	assert_true(decided && first_end > decided + 9000);
	assert_int_equal(over, 0);
	if (!shares)
		assert_int_equal(both, 0);
	for (u32 i = 0; i < SMS && shares; i++)
		for (u32 k = 0; k < 2; k++)
			full += on[i].peak[k] == ctas[k] && ctas[k];
	/* With `drain` an SM may have waited longer. */
	assert_true(!shares || full >= (strcmp(technique, "switch") ? SMS : 2 * SMS));
	assert_true(!shares || both);
	sim_destroy(l.s);
	free(l.log.e);
}

static void test_shares(void **state)
{
	divided("0", "switch", true);
	divided("0", "drain", true);
}

static void test_splits(void **state)
{
	divided("100", "switch", false);
}

/* slicer.keep is in times of an even split, which leaves each of two kernels a half. */
static void test_threshold(void **state)
{
	static const double beside[] = {-0.06, 0.06};
	u32 keeps = 0;
	for (u32 i = 0; i < 3; i++) {
		struct look l;
		struct strbuf text = STRBUF_INIT;
		char keep[16] = "0";
		if (i)
			snprintf(keep, sizeof keep, "%.3f", 2 * keeps / 100.0 + beside[i - 1]);
		decide(&l, keep, "switch", 7);
		gpu_partition_text(sim_gpu(l.s), &text);
		const char *line = strstr(strbuf_str(&text), "the one that loses most keeps ");
		if (!line || sscanf(line, "the one that loses most keeps %u %%", &keeps) != 1)
			fail_msg("%s", strbuf_str(&text));
		assert_true(keeps > 20 && keeps < 100);
		assert_non_null(strstr(strbuf_str(&text), i < 2 ? "shares SMs" : "splits the SMs"));
		assert_int_equal(strstr(line, ": too little") != NULL, i == 2);
		strbuf_release(&text);
		sim_destroy(l.s);
		free(l.log.e);
	}
}

/* s: two CTAs of it fit on an SM, o: one; on SMs 0, 1, 4, 5 they are fast, on the others slow. */
#define BY_SM(name, room)                                                                                              \
	".visible .entry " name "(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 "      \
	"%a<8>; .reg .f32 %f<2>;\n.shared .align 4 .b8 room[" room "];\n"                                                  \
	"ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"                                         \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"               \
	"mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r7, room; st.shared.u32 [%r7], %r4; mov.u32 %r8, %smid;\n"                \
	"and.b32 %r8, %r8, 2; setp.eq.u32 %p2, %r8, 0;\n"                                                                  \
	"L: @%p2 bra E; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1; sin.approx.f32 %f1, %f1;\n"                      \
	"E: add.u32 %r4, %r4, 3; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L;\n"                           \
	"st.global.u32 [%a2], %r4; ret;\n}\n"
static const char by_sm[] = PTX_HEAD BY_SM("s", "20000") BY_SM("o", "30000");

/* The IPC of so many CTAs of a kernel, as the policy tells it. */
static double told(struct sim *s, u32 kernel, u32 ctas)
{
	struct strbuf text = STRBUF_INIT;
	char head[8];
	double ipc[3] = {0};
	gpu_partition_text(sim_gpu(s), &text);
	snprintf(head, sizeof head, "K%u: ", kernel);
	const char *line = strstr(strbuf_str(&text), head);
	if (!line || sscanf(strchr(line, ';'), "; IPC alone with 1, 2, ... %lf %lf", &ipc[1], &ipc[2]) != 2)
		fail_msg("%s", strbuf_str(&text));
	strbuf_release(&text);
	return ipc[ctas];
}

/* Two or four SMs of a kernel with as many CTAs each: the mean counts. One that the user has taken from the kernel does
 * not, and where there is no other the point lies between its neighbours. */
static void test_same_point(void **state)
{
	static const struct {
		const char *kernel;
		u32 most;
		u64 taken;
	} rows[] = {{"s", 2, 0}, {"o", 1, 0}, {"s", 2, BIT(2)}, {"s", 2, BIT(0) | BIT(2)}};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		const u32 most_ctas = rows[i].most;
		struct look l;
		struct stop st;
		struct err e = {0};
		open_pair(&l, "0", "switch", 0);
		struct module *m = rig_load(l.s, by_sm);
		go(&l, m, rows[i].kernel, 900, 60, 1);
		sim_run(l.s, 50, &st);
		const u64 set[CONF_SM_WORDS] = {rows[i].taken};
		if (set[0] && !gpu_preempt(sim_gpu(l.s), &(struct sm_order){.launch = 0, .set = set, .within_us = 100}, &e))
			fail_msg("%s", e.msg);
		sim_run(l.s, 3000, &st);
		go(&l, m, rows[i].kernel, 900, 60, 2);
		while (!rig_count(&l.log, EV_TRIAL) && sim_cycle(l.s) < 200000)
			sim_run(l.s, sim_cycle(l.s) + 1, &st);
		double sum[2][3] = {{0}}, least = 1e9, most = 0;
		u32 n[2][3] = {{0}};
		for (u32 k = 0; k < l.log.n; k++) {
			const struct event *v = &l.log.e[k];
			if (v->type != EV_TRIAL)
				continue;
			assert_false(v->kernel == 0 && rows[i].taken >> v->sm & 1);
			sum[v->kernel][v->arg[0]] += (double)v->arg[2] / 1000;
			n[v->kernel][v->arg[0]]++;
			least = MIN(least, (double)v->arg[2]);
			most = MAX(most, (double)v->arg[2]);
		}
		assert_true(most > 2 * least); /* fast and slow */
		for (u32 k = 0; k < 2; k++)
			for (u32 t = 1; t <= most_ctas; t++) {
				const u32 taken = k == 0 && t == 1 ? bit_count(rows[i].taken) : 0;
				assert_int_equal(n[k][t], 4 / most_ctas - taken);
				assert_float_equal(told(l.s, k, t), n[k][t] ? sum[k][t] / n[k][t] : sum[k][2] / n[k][2] / 2, 0.0051);
			}
		sim_destroy(l.s);
		free(l.log.e);
	}
}

/* SMs are shared, and one of the two kernels has no CTAs to come any more: those that it has run on, and the other one
 * may have what they leave. */
static void test_last_one(void **state)
{
	struct look l;
	struct stop st;
	open_pair(&l, "0", "switch", 0);
	struct module *m = rig_load(l.s, kernels);
	const u32 rest = go(&l, m, "m", 2000, 30, 1), last = go(&l, m, "c", 60, 3000, 2);
	const struct gpu *g = sim_gpu(l.s);
	const struct dispatcher *d = g->dispatch.d;
	u32 shared = 0, alone = 0;
	while (g->task->kcb[last].state != KCB_DONE) {
		sim_run(l.s, sim_cycle(l.s) + 100, &st);
		const s32 r = dispatch_slot(d, rest), c = dispatch_slot(d, last);
		if (r < 0 || c < 0 || !rig_count(&l.log, EV_REPARTITION))
			continue;
		if (d->k[c].dispatched < d->k[c].ctas) {
			shared += d->quota[0][r] != QUOTA_ANY;
			continue;
		}
		/* The policy is asked when a CTA has ended. */
		alone += d->quota[0][r] == QUOTA_ANY;
		assert_true(!alone || d->quota[0][r] == QUOTA_ANY);
	}
	assert_true(shared > 10 && alone > 10);
	sim_destroy(l.s);
	free(l.log.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_points),     cmocka_unit_test(test_curve),    cmocka_unit_test(test_water),
	    cmocka_unit_test(test_measures),   cmocka_unit_test(test_shares),   cmocka_unit_test(test_splits),
	    cmocka_unit_test(test_same_point), cmocka_unit_test(test_last_one), cmocka_unit_test(test_threshold),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
