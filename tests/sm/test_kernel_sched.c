/* Kernel-aware warp schedulers: equations 5.3 and 5.4 of Park 2016 by hand, turns on the machine, priority of CTAs that
 * others wait for; and under all of them results are the same, resources come back, going back in time is exact. */
#include "base/rng.h"
#include "sim_internal.h"
#include "sm/kernels/kernel_sched.h"
#include "tests/rig/sm_rig.h"

/* --- by hand ------------------------------------------------------------------------------------------------------ */

/* Quotas of an epoch of 100: share of cycles in which a kernel issues alone, times its CTAs by those it would have. */
static void test_quotas(void **state)
{
	static const struct {
		u32 n, epoch;
		double percent[3];
		u32 ctas[3], alone[3], want[3];
	} rows[] = {
	    {2, 100, {80, 20}, {4, 4}, {8, 8}, {80, 20}},  /* as they issue alone */
	    {2, 100, {50, 50}, {6, 2}, {8, 8}, {75, 25}},  /* as many CTAs */
	    {2, 100, {60, 30}, {2, 6}, {8, 12}, {50, 50}}, /* 60 x 1/4 against 30 x 1/2 */
	    {2, 100, {60, -1}, {4, 2}, {8, 8}, {66, 33}},  /* not known: as the other */
	    {2, 100, {-1, -1}, {1, 3}, {4, 4}, {25, 75}},  /* neither */
	    {3, 100, {90, 30, -1}, {2, 2, 2}, {4, 4, 4}, {50, 16, 33}},
	    {2, 10, {99, 0.001}, {4, 4}, {8, 8}, {9, 1}}, /* none below 1 */
	    {1, 100, {7}, {3}, {8}, {100}},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 got[3] = {0};
		kernel_quotas(rows[i].n, rows[i].percent, rows[i].ctas, rows[i].alone, rows[i].epoch, got);
		for (u32 k = 0; k < rows[i].n; k++)
			if (got[k] != rows[i].want[k])
				fail_msg("row %u: kernel %u has %u, %u by hand", i, k, got[k], rows[i].want[k]);
	}
}

static const struct kernel_sched_ops *policy(const char *name)
{
	for (const struct policy *const *p = kernel_policies; *p; p++)
		if (!strcmp((*p)->name, name))
			return (const struct kernel_sched_ops *)(const void *)*p;
	fail_msg("no %s", name);
	return NULL;
}

/* Equation 5.3: the least issued for each ready warp goes first; of equal ones the first. */
static void test_ipr(void **state)
{
	static const struct {
		u64 issued[3], ready[3];
		u32 can, want;
	} rows[] = {
	    {{10, 5}, {20, 20}, 3, 1},      {{10, 5}, {20, 8}, 3, 0},
	    {{10, 5}, {20, 10}, 3, 0},      {{10, 0}, {20, 1}, 3, 1},
	    {{10, 5}, {20, 20}, 1, 0},      {{9, 1, 4}, {10, 9, 40}, 7, 2},
	    {{9, 1, 4}, {10, 9, 40}, 3, 1}, {{1ull << 47, 1ull << 46}, {1ull << 47, (1ull << 47) - 1}, 3, 1},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct kernel_turns st = {0};
		struct kernel_view v = {.n = 3};
		for (u32 k = 0; k < 3; k++) {
			st.k[k] = (struct kernel_turn){.issued = rows[i].issued[k], .ready = rows[i].ready[k], .launch = k + 1};
			v.k[k].turn = &st.k[k];
		}
		assert_int_equal(policy("ipr")->first(&st, &v, rows[i].can), 1u << rows[i].want);
	}
}

/* fair: who has some of its quota left goes first; the others have the slots that these cannot use, and begin no epoch
 * with that. When all have used up theirs one begins. */
static void test_epochs(void **state)
{
	static const struct {
		u32 left[3], can, want;
		bool begins;
	} rows[] = {
	    {{5, 0, 3}, 7, 5, false}, {{5, 0, 3}, 3, 1, false}, {{5, 0, 3}, 2, 2, false}, {{0, 0, 1}, 3, 3, false},
	    {{0, 1, 0}, 5, 5, false}, {{0, 0, 0}, 7, 7, true},  {{0, 0, 0}, 2, 2, true},
	};
	struct conf c;
	conf_defaults(&c);
	c.kernels_epoch = 90;
	const struct launch l = {.warps = 2, .ctas = 10};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		struct kernel_turns st = {0};
		struct kernel_view v = {.conf = &c, .n = 3};
		for (u32 k = 0; k < 3; k++) {
			st.k[k] = (struct kernel_turn){.left = rows[i].left[k], .launch = k + 1};
			v.k[k] = (struct kernel_there){.turn = &st.k[k], .ctas = 2, .spec = &l};
		}
		assert_int_equal(policy("fair")->first(&st, &v, rows[i].can), rows[i].want);
		for (u32 k = 0; k < 3; k++)
			assert_int_equal(st.k[k].left, rows[i].begins ? 30 : rows[i].left[k]);
	}
}

/* Boundary CTAs: those whose registers end, below or above, where another kernel's or free ones begin. */
static void test_boundaries(void **state)
{
	static const struct {
		u32 first, size, launch;
		bool last; /* of launches 1 and 3, which have none to come */
	} rows[] = {
	    {0, 1000, 1, false},    {1000, 1000, 1, true},                            /* the next one is 2's */
	    {2000, 1000, 2, false}, {3000, 1000, 1, true},                            /* between 2 and 3 */
	    {4000, 2000, 3, true},  {6000, 2000, 3, true},                            /* above that nothing lies */
	    {9000, 1000, 1, true},  {10000, 5384, 1, false}, {15384, 1000, 1, false}, /* up to the end */
	};
	struct conf c;
	conf_defaults(&c);
	c.sm_regs = 16384;
	struct sm_ctx x = {.conf = &c, .nctas = 32};
	struct sm *s = calloc(1, sizeof *s);
	u64 want = 0;
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		s->cta[31 - i] = (struct cta){.used = 1,
		                              .launch = rows[i].launch,
		                              .warps = 3ull << 2 * i,
		                              .reg_first = rows[i].first,
		                              .reg_size = rows[i].size};
		s->nctas++;
		want |= rows[i].last ? 3ull << 2 * i : 0;
	}
	kernels_mark_last(&x, s, (u32[]){1, 3}, 2);
	assert_true(s->last == want);
	kernels_mark_last(&x, s, NULL, 0);
	assert_true(!s->last);
	free(s);
}

/* --- on the machine ----------------------------------------------------------------------------------------------- */

/* k: rounds of a load that misses; s: of arithmetic. */
static const char kernels[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "L: ld.global.u32 %r6, [%a2]; mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1;\n"
    "st.global.u32 [%a2], %r6; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L; ret;\n}\n"
    ".visible .entry s(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r6, %r4; mov.u32 %r7, %r4;\n"
    "M: mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r7, %r7, %r7, 3; mad.lo.u32 %r6, %r6, %r6, 1;\n"
    "sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra M;\n"
    "add.u32 %r6, %r6, %r7; st.global.u32 [%a2], %r6; ret;\n}\n";

struct pair {
	struct sim *s;
	struct module *m;
	/* By what came with the events. */
	u64 warps[4][SM_MAX_CTAS], of[4][2]; /* by SM and slot; by SM and kernel */
	s32 last[4][SM_MAX_SCHEDS];          /* kernel of the last turn, -1: none */
	u64 both, turns, urgent, issued[2];
	u64 drains; /* picks while a CTA of the SM was to leave */
	bool in_turn, quotas;
	s32 used_up[4][SM_MAX_SCHEDS]; /* kernel + 1 that issued last and had nothing of its quota left */
	u64 over;                      /* such a one issued on */
};

static u32 quota_left(const struct kernel_turns *t, u32 launch)
{
	for (u32 i = 0; i < KERNELS_ON_SM; i++)
		if (t->k[i].launch == launch + 1)
			return t->k[i].left;
	return 0;
}

/* Who has used up its quota issues on only in slots that the other cannot use. */
static void look_at_quota(struct pair *p, const struct event *e, bool both)
{
	const struct kernel_turns *t = &p->s->gpu->ctx[e->sm].turns[e->arg[0]];
	s32 *used_up = &p->used_up[e->sm][e->arg[0]];
	const bool none = !quota_left(t, (u32)e->kernel);
	if (none && *used_up == e->kernel + 1) {
		assert_false(both && quota_left(t, (u32)e->kernel ^ 1));
		p->over++;
	}
	*used_up = none ? e->kernel + 1 : 0;
}

static bool look(void *ctx, const struct event *e)
{
	struct pair *p = ctx;
	u64 *of = p->of[e->sm];
	const struct sm *s = p->s->gpu->sm[e->sm];
	if (e->type == EV_CTA_DISPATCH) {
		p->warps[e->sm][e->arg[0]] = e->arg[1];
		of[e->kernel] |= e->arg[1];
		return false;
	}
	if (e->type == EV_CTA_DONE) {
		of[e->kernel] &= ~p->warps[e->sm][e->arg[0]];
		return false;
	}
	s32 *last = &p->last[e->sm][e->arg[0]];
	if (e->type == EV_KERNEL_TURN) {
		assert_int_equal(e->arg[1], e->kernel ^ 1);
		p->turns++;
		return false;
	}
	const u64 urgent = s->leaving | s->last;
	p->drains += s->leaving != 0;
	assert_true(of[e->kernel] >> e->warp & 1);
	if (e->arg[1] & urgent) {
		assert_true(urgent >> e->warp & 1);
		p->urgent++;
	} else if ((e->arg[1] & of[0]) && (e->arg[1] & of[1])) {
		p->issued[e->kernel]++;
		p->both++;
		if (p->quotas)
			look_at_quota(p, e, true);
		assert_true(!p->in_turn || *last < 0 || e->kernel == (*last ^ 1));
	}
	if (p->quotas && !(e->arg[1] & urgent) && !((e->arg[1] & of[0]) && (e->arg[1] & of[1])))
		look_at_quota(p, e, false);
	*last = e->kernel;
	return false;
}

static void begin(struct pair *p, const char *const *sets)
{
	*p = (struct pair){.s = machine(sets)};
	memset(p->last, 0xff, sizeof p->last);
	p->m = rig_load(p->s, kernels);
}

static u32 start(struct pair *p, const char *kernel, u32 ctas, u32 rounds, u32 stream)
{
	return rig_launch(p->s, p->m, kernel, ctas, 128, stream, (u64[]){rig_alloc(p->s, 512ull * ctas), rounds}, 2);
}

static void share(struct pair *p, const char *kernel_sched, const char *partition, const char *preempt, bool in_turn)
{
	char set[3][64];
	snprintf(set[0], sizeof set[0], "kernel-sched=%s", kernel_sched);
	snprintf(set[1], sizeof set[1], "partition=%s", partition);
	snprintf(set[2], sizeof set[2], "preempt=%s", preempt);
	begin(p, (const char *[]){"num_sms=2", set[0], set[1], set[2], NULL});
	p->in_turn = in_turn;
	p->quotas = !strcmp(kernel_sched, "fair");
	sim_subscribe(p->s, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_SCHED_PICK) | EVENT(EV_KERNEL_TURN),
	              look, p);
	struct stop st;
	start(p, "s", 60, 60, 1);
	sim_run(p->s, 1500, &st);
	start(p, "s", 40, 60, 2);
	rig_finish(p->s);
}

/* lrr: when both could issue, the one that did not last. */
static void test_turns(void **state)
{
	struct pair p;
	share(&p, "lrr", "smk", "drain", true);
	assert_true(p.both > 1000 && p.turns > 500 && p.urgent > 50 && p.drains > 1000);
	assert_true(p.issued[0] * 10 > p.issued[1] * 9 && p.issued[1] * 10 > p.issued[0] * 9);
	sim_destroy(p.s);
	share(&p, "fair", "smk-pw", "drain", false);
	assert_true(p.both > 1000 && p.turns > 50 && p.urgent > 50);
	assert_true(p.over > 100);
	sim_destroy(p.s);
	share(&p, "ipr", "smk", "drain", false);
	assert_true(p.both > 1000 && p.turns > 50 && p.urgent > 50);
	sim_destroy(p.s);
}

/* All of an SM's warps can issue: those of a CTA that is drained go first, whoever is older. */
static void test_drained_first(void **state)
{
	struct pair p;
	struct stop st;
	begin(&p, (const char *[]){"num_sms=1", "kernel-sched=lrr", "warp-sched=gto", NULL});
	start(&p, "s", 60, 60, 1);
	sim_run(p.s, 1500, &st);
	struct gpu *g = sim_gpu(p.s);
	struct sm *s = g->sm[0];
	for (u32 slot = 0; slot < 8; slot++)
		for (u32 i = 0; i < 2; i++) {
			const struct sched_view v = sm_sched_view(&g->ctx[0], s, i, sim_cycle(p.s));
			s->leaving = s->cta[slot].warps;
			const u32 w = kernels_pick(&g->ctx[0], s, &v, s->used & v.mask);
			assert_true(w != NO_WARP && (s->leaving >> w & 1));
		}
	sim_destroy(p.s);
}

/* A kernel that has the machine to itself notices nothing, under any warp scheduler; smk-pw brings fair. */
static void test_alone(void **state)
{
	const struct policy *q, *w;
	for (u32 k = 0; (w = sim_policy(POLICY_WARP, k)); k++) {
		u64 cycles = 0;
		for (u32 i = 0; (q = sim_policy(POLICY_KERNELS, i)); i++) {
			char set[2][64];
			snprintf(set[0], sizeof set[0], "kernel-sched=%s", q->name);
			snprintf(set[1], sizeof set[1], "warp-sched=%s", w->name);
			struct pair p;
			begin(&p, (const char *[]){"num_sms=2", set[0], set[1], NULL});
			start(&p, "k", 20, 4, 0);
			rig_finish(p.s);
			if (i && sim_cycle(p.s) != cycles)
				fail_msg("%s: %llu cycles under %s, %llu under none", w->name, (unsigned long long)sim_cycle(p.s),
				         q->name, (unsigned long long)cycles);
			cycles = sim_cycle(p.s);
			sim_destroy(p.s);
		}
	}
	for (u32 i = 0; (q = sim_policy(POLICY_PARTITION, i)); i++)
		assert_true(strcmp(q->name, "smk-pw") || !strcmp(q->implies, "kernel-sched=fair"));
}

/* --- all of them -------------------------------------------------------------------------------------------------- */

static void check(struct pair *p)
{
	struct err e = {0};
	if (!sim_check_state(p->s, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(p->s), e.msg);
}

/* Random launches into random streams; changes: another policy every time. */
static u64 random_launches(const char *const *sets, bool changes, u64 seed)
{
	static const char *const names[] = {"fair", "none", "ipr", "lrr"};
	struct pair p;
	struct err e = {0};
	struct stop st;
	begin(&p, sets);
	for (u32 i = 0; i < 16; i++) {
		start(&p, rng_next(&seed) & 1 ? "k" : "s", 1 + rng_next(&seed) % 40, 1 + rng_next(&seed) % 9,
		      rng_next(&seed) % 4);
		sim_run(p.s, sim_cycle(p.s) + rng_next(&seed) % 900, &st);
		check(&p);
		if (changes && !sim_set(p.s, "kernel-sched", names[i % ARRAY_LEN(names)], &e))
			fail_msg("%s", e.msg);
	}
	rig_finish(p.s);
	for (u32 i = 0; i < 3; i++) {
		const struct sm *s = sim_gpu(p.s)->sm[i];
		assert_true(!s->nctas && !s->used && !s->low && !s->leaving && !s->last && !s->regs_used && !s->shared_used);
	}
	const u64 hash = devmem_result_hash(sim_devmem(p.s));
	sim_destroy(p.s);
	return hash;
}

static void test_resources(void **state)
{
	static const char *const scheds[] = {"gto", "lrr", "tlv", "tl-rr", "ccws", "elf++", "sca", "mascar"};
	const struct policy *q;
	const u64 want = random_launches((const char *[]){"num_sms=3", NULL}, false, 5);
	u32 n = 0;
	for (u32 i = 0; (q = sim_policy(POLICY_KERNELS, i)); i++) {
		const struct policy *t;
		for (u32 k = 0; (t = sim_policy(POLICY_PREEMPT, k)); k++, n++) {
			char set[3][64];
			snprintf(set[0], sizeof set[0], "kernel-sched=%s", q->name);
			snprintf(set[1], sizeof set[1], "preempt=%s", t->name);
			snprintf(set[2], sizeof set[2], "warp-sched=%s", scheds[n % ARRAY_LEN(scheds)]);
			const char *const partition = n % 3 ? "partition=smk" : "partition=smk-pw";
			assert_true(random_launches((const char *[]){"num_sms=3", partition, set[0], set[1], set[2], NULL},
			                            n % 4 == 3, 5) == want);
		}
	}
}

static void test_time_travel(void **state)
{
	const struct policy *q;
	for (u32 i = 0; (q = sim_policy(POLICY_KERNELS, i)); i++) {
		char set[64];
		snprintf(set, sizeof set, "kernel-sched=%s", q->name);
		struct pair p;
		struct err e = {0};
		struct stop st = {0};
		u64 hash[64], n = 0, seed = 3;
		begin(&p, (const char *[]){"num_sms=2", "partition=smk", "preempt=drain", "history.mb=64", set, NULL});
		start(&p, "k", 40, 12, 1);
		start(&p, "s", 60, 60, 2);
		assert_true(sim_history(p.s, 256, &e));
		do {
			sim_run(p.s, sim_cycle(p.s) + 499, &st);
			hash[n++] = sim_hash(p.s);
		} while (st.why == STOP_CYCLE && n < ARRAY_LEN(hash));
		assert_true(n > 5);
		for (u32 k = 0; k < 12; k++) {
			const u64 to = rng_next(&seed) % (n - 1);
			assert_true(sim_goto(p.s, (to + 1) * 499, &e));
			assert_true(sim_hash(p.s) == hash[to]);
			check(&p);
		}
		sim_destroy(p.s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_quotas),     cmocka_unit_test(test_ipr),       cmocka_unit_test(test_epochs),
	    cmocka_unit_test(test_boundaries), cmocka_unit_test(test_turns),     cmocka_unit_test(test_drained_first),
	    cmocka_unit_test(test_alone),      cmocka_unit_test(test_resources), cmocka_unit_test(test_time_travel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
