/* CTA schedulers of Lee 2014: lcs by hand and on the machine, bcs' assignment and its delay, and what lcs+bcs chooses.
 * That every workload gives its results under each of them is test_matrix's. */
#include "cta/sched/bcs.h"
#include "cta/sched/lcs.h"
#include "sim_internal.h"
#include "tests/rig/sm_rig.h"

static const struct cta_sched_ops *policy(const char *name)
{
	for (const struct policy *const *p = cta_policies; *p; p++)
		if (!strcmp((*p)->name, name))
			return (const struct cta_sched_ops *)(const void *)*p;
	fail_msg("no CTA scheduler %s", name);
	return NULL;
}

/* --- by hand: two SMs without a machine around them -------------------------------------------------------------- */

#define SMS 2
struct hand {
	const struct cta_sched_ops *ops;
	struct conf c;
	struct launch *l;
	struct sm *sm[SMS];
	struct event_buf ev;
	struct cta_view v;
	u64 state[CTA_SCHED_STATE_MAX / 8];
};

static struct hand *hand(const char *name, u32 x, u32 y, const char *const *sets)
{
	struct hand *h = calloc(1, sizeof *h);
	struct err e = {0};
	conf_defaults(&h->c);
	for (; sets && *sets; sets++)
		assert_true(conf_set_pair(&h->c, *sets, &e));
	h->ops = policy(name);
	h->l = calloc(1, sizeof *h->l);
	h->l->grid = (struct dim3){x, y, 1};
	h->l->ctas = (u64)x * y;
	h->l->id = 1;
	for (u32 i = 0; i < SMS; i++)
		h->sm[i] = calloc(1, sizeof *h->sm[i]);
	h->ev.mask = EVENT(EV_LCS_THROTTLE) | EVENT(EV_BCS_PAIR);
	h->v = (struct cta_view){.conf = &h->c,
	                         .launch = h->l,
	                         .sm = (const struct sm *const *)h->sm,
	                         .num_sms = SMS,
	                         .most = h->c.sm_ctas,
	                         .ev = &h->ev};
	return h;
}

static void drop(struct hand *h)
{
	for (u32 i = 0; i < SMS; i++)
		free(h->sm[i]);
	free(h->l);
	free(h);
}

/* What the dispatcher does when the SM has room. */
static u64 next(struct hand *h, u32 sm)
{
	u64 id = h->ops->next(h->state, &h->v, sm);
	if (id == NO_CTA)
		return id;
	for (u32 i = 0; i < h->c.sm_ctas; i++) {
		struct cta *c = &h->sm[sm]->cta[i];
		if (c->used)
			continue;
		*c = (struct cta){.used = 1, .launch = h->l->id, .id = id};
		h->sm[sm]->nctas++;
		return id;
	}
	fail_msg("no slot");
	return id;
}

static struct cta *resident(struct hand *h, u32 sm, u64 id)
{
	for (u32 i = 0; i < h->c.sm_ctas; i++)
		if (h->sm[sm]->cta[i].used && h->sm[sm]->cta[i].id == id)
			return &h->sm[sm]->cta[i];
	fail_msg("CTA %llu is not on SM %u", (unsigned long long)id, sm);
	return NULL;
}

static void end(struct hand *h, u32 sm, u64 id, u64 insts)
{
	struct cta *c = resident(h, sm, id), was = *c;
	was.insts = insts;
	memset(c, 0, sizeof *c);
	h->sm[sm]->nctas--;
	if (h->ops->done)
		h->ops->done(h->state, &h->v, sm, &was);
}

/* Equation 1, with figure 7's example, (4 + 3 + 2 + 1) / 4: the equation's floor is 2, the figure says 3. The other
 * sums are those of CONV and of KMN, as measured: 8 CTAs abreast, and one that is enough. */
static void test_equation(void **state)
{
	static const struct {
		u64 sum, max;
		u32 nearest, floor, ceil;
	} cases[] = {{10, 4, 3, 2, 3},      {9, 4, 2, 2, 3},       {11, 4, 3, 2, 3},      {12, 4, 3, 3, 3},
	             {4, 4, 1, 1, 1},       {800, 100, 8, 8, 8},   {7991, 1000, 8, 7, 8}, {1449, 1000, 1, 1, 2},
	             {2985, 1000, 3, 2, 3}, {2801, 1000, 3, 2, 3}, {3780, 1000, 4, 3, 4}};
	for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(lcs_equation(cases[i].sum, cases[i].max, LCS_ROUND_NEAREST), cases[i].nearest);
		assert_int_equal(lcs_equation(cases[i].sum, cases[i].max, LCS_ROUND_FLOOR), cases[i].floor);
		assert_int_equal(lcs_equation(cases[i].sum, cases[i].max, LCS_ROUND_CEIL), cases[i].ceil);
	}
}

/* Figure 7 on SM 0: as many as fit, until the first ends; then no SM gets one while it has T_new. */
static void monitored(const char *round, u32 t_new)
{
	struct hand *h = hand("lcs", 100, 1, (const char *[]){round, NULL});
	for (u32 i = 0; i < 4; i++) {
		assert_int_equal(next(h, 0), 2 * i);
		assert_int_equal(next(h, 1), 2 * i + 1);
	}
	resident(h, 0, 2)->insts = 3;
	resident(h, 0, 4)->insts = 2;
	resident(h, 0, 6)->insts = 1;
	resident(h, 1, 1)->insts = 1000; /* another SM's */
	struct cta *other = &h->sm[0]->cta[7];
	*other = (struct cta){.used = 1, .launch = 0, .insts = 1000}; /* another kernel's */
	end(h, 0, 0, 4);
	assert_int_equal(h->ev.n, 1);
	const struct event *e = &h->ev.e[0];
	assert_int_equal(e->sm, 0);
	assert_int_equal(e->cta, 0);
	assert_int_equal(e->arg[0], t_new);
	assert_int_equal(e->arg[1], 10);
	assert_int_equal(e->arg[2], 4);
	assert_int_equal(e->arg[3], 4);
	u64 id = 8;
	for (u64 gone = 2; gone <= 6; gone += 2) { /* 3, 2, 1 are left */
		u32 left = 3 - (u32)(gone - 2) / 2;
		if (left < t_new)
			break;
		assert_true(next(h, 0) == NO_CTA);
		end(h, 0, gone, 100);
	}
	assert_int_equal(next(h, 0), id++);
	assert_true(next(h, 0) == NO_CTA);
	assert_true(next(h, 1) == NO_CTA); /* it goes by SM 0's measurement: 4 are there */
	assert_int_equal(h->ev.n, 1);      /* the first one decided */
	drop(h);
}

static void test_lcs(void **state)
{
	monitored("lcs.round=floor", 2);
	monitored("lcs.round=ceil", 3);
	monitored("lcs.round=nearest", 3);
	monitored("lcs.per_sm=false", 3); /* nearest is the default */
}

static void test_lcs_per_sm(void **state)
{
	struct hand *h = hand("lcs", 100, 1, (const char *[]){"lcs.per_sm=true", NULL});
	for (u32 i = 0; i < 4; i++) {
		next(h, 0);
		next(h, 1);
	}
	end(h, 0, 0, 50); /* the others have issued nothing: T_new 1, here */
	assert_true(next(h, 0) == NO_CTA);
	assert_int_equal(next(h, 1), 8);
	struct strbuf b = STRBUF_INIT;
	h->ops->describe(h->state, &h->v, &b);
	assert_string_equal(strbuf_str(&b), "T_new 1, monitoring 1 SMs");
	for (u64 id = 3; id < 9; id += id == 7 ? 1 : 2)
		resident(h, 1, id)->insts = 20;
	end(h, 1, 1, 20);
	assert_int_equal(h->ev.e[1].arg[0], 5);
	strbuf_release(&b);
	h->ops->describe(h->state, &h->v, &b);
	assert_string_equal(strbuf_str(&b), "T_new 1 to 5");
	strbuf_release(&b);
	drop(h);
}

/* A run begins when a whole one has left: one of each of two is not enough. */
static void test_bcs_delay(void **state)
{
	struct hand *h = hand("bcs", 4, 4, NULL);
	h->v.most = 5;
	for (u64 i = 0; i < 4; i++)
		assert_int_equal(next(h, 0), i);
	assert_true(next(h, 0) == NO_CTA); /* the fifth would be half a run */
	end(h, 0, 0, 1);
	end(h, 0, 2, 1);
	assert_true(next(h, 0) == NO_CTA);
	end(h, 0, 1, 1);
	assert_int_equal(next(h, 0), 4);
	assert_int_equal(next(h, 1), 6); /* 5 is SM 0's */
	assert_int_equal(next(h, 0), 5);
	assert_int_equal(next(h, 1), 7);
	assert_int_equal(h->ev.n, 4);
	assert_int_equal(h->ev.e[2].cta, 4);
	assert_int_equal(h->ev.e[2].arg[0], 4);
	assert_int_equal(h->ev.e[2].arg[1], 2);
	assert_int_equal(h->ev.e[2].arg[2], 2);
	drop(h);
	/* an SM with room for one gets them one by one; a grid may end in the middle of a run */
	h = hand("bcs", 5, 1, (const char *[]){"bcs.block=4", NULL});
	h->l->grid = (struct dim3){5, 1, 2};
	h->l->ctas = 10;
	h->v.most = 1;
	for (u64 i = 0; i < 10; i++) {
		assert_int_equal(next(h, 0), i);
		end(h, 0, i, 1);
	}
	assert_true(next(h, 0) == NO_CTA);
	drop(h);
	/* the third dimension makes neighbours as well; of one dimension there are none, and no runs are told */
	for (u32 y = 0; y < 2; y++) {
		h = hand("bcs", 8, 1, NULL);
		h->l->grid = (struct dim3){y ? 4 : 8, 1, y ? 2 : 1};
		for (u64 i = 0; i < 4; i++) {
			assert_int_equal(next(h, 0), y ? i / 2 * 4 + i % 2 : 2 * i);
			assert_int_equal(next(h, 1), y ? i / 2 * 4 + i % 2 + 2 : 2 * i + 1);
		}
		assert_int_equal(h->ev.n, y ? 4 : 0);
		drop(h);
	}
}

static u32 sm1_may_hold;
static u32 most_on(const struct cta_view *v, u32 sm)
{
	return sm == 1 ? sm1_may_hold : v->most;
}

/* The rest of a run is its SM's, unless that may hold none of the kernel's any more: another kernel has it. */
static void test_bcs_stranded(void **state)
{
	struct hand *h = hand("bcs", 4, 2, NULL);
	h->v.most = 4;
	h->v.most_on = most_on;
	sm1_may_hold = 4;
	assert_int_equal(next(h, 1), 0); /* 1 is left to it */
	for (u64 i = 2; i < 8; i++) {
		assert_int_equal(next(h, 0), i);
		end(h, 0, i, 1);
	}
	assert_true(next(h, 0) == NO_CTA);
	sm1_may_hold = 0;
	assert_int_equal(next(h, 0), 1);
	assert_true(next(h, 0) == NO_CTA);
	assert_true(next(h, 1) == NO_CTA);
	drop(h);
}

/* Virtual threads: CTAs without a slot count like others, in runs and among the instructions of the SM's CTAs. */
static void test_inactive(void **state)
{
	const char *vt[] = {"cta-virtual=vt", "lsu.replay=car", NULL};
	struct hand *h = hand("bcs", 4, 4, vt);
	h->v.most = 4;
	assert_int_equal(next(h, 0), 0);
	assert_int_equal(next(h, 0), 1);
	struct sm *s = h->sm[0];
	s->cta[SM_MAX_CTAS + 3] = s->cta[1];
	s->cta[SM_MAX_CTAS + 5] = s->cta[0];
	s->cta[SM_MAX_CTAS + 3].inactive = s->cta[SM_MAX_CTAS + 5].inactive = 1;
	s->cta[0].used = s->cta[1].used = 0;
	assert_int_equal(next(h, 0), 2);
	assert_int_equal(next(h, 0), 3);
	assert_true(next(h, 0) == NO_CTA); /* two runs, one of them without slots */
	drop(h);
	h = hand("lcs", 100, 1, vt);
	for (u32 i = 0; i < 3; i++)
		next(h, 0);
	s = h->sm[0];
	s->cta[1].insts = 60;
	s->cta[SM_MAX_CTAS] = s->cta[2];
	s->cta[SM_MAX_CTAS].insts = 50;
	s->cta[SM_MAX_CTAS].inactive = 1;
	s->cta[2].used = 0;
	end(h, 0, 0, 100);
	assert_int_equal(h->ev.e[0].arg[0], 2);
	assert_int_equal(h->ev.e[0].arg[1], 210);
	assert_int_equal(h->ev.e[0].arg[3], 3);
	drop(h);
}

/* T_new CTAs in whole runs: 5 are in three of them. */
static void test_both(void **state)
{
	struct hand *h = hand("lcs+bcs", 8, 8, NULL);
	for (u64 i = 0; i < 8; i++)
		assert_int_equal(next(h, 0), i);
	assert_true(next(h, 0) == NO_CTA);
	for (u64 i = 1; i < 5; i++)
		resident(h, 0, i)->insts = 100;
	end(h, 0, 0, 100);
	assert_int_equal(h->ev.e[h->ev.n - 1].arg[0], 5);
	for (u64 i = 1; i < 4; i++) { /* 1 to 3 end: four runs are left, then three, then two */
		assert_true(next(h, 0) == NO_CTA);
		end(h, 0, i, 100);
	}
	assert_int_equal(next(h, 0), 8);
	assert_int_equal(next(h, 0), 9);
	assert_true(next(h, 0) == NO_CTA);
	drop(h);
	/* of one dimension: lcs, one at a time */
	h = hand("lcs+bcs", 64, 1, NULL);
	for (u64 i = 0; i < 4; i++) {
		assert_int_equal(next(h, 0), 2 * i);
		assert_int_equal(next(h, 1), 2 * i + 1);
	}
	for (u64 i = 2; i < 6; i += 2)
		resident(h, 0, i)->insts = 100;
	end(h, 0, 0, 100); /* 300 / 100 */
	assert_true(next(h, 0) == NO_CTA);
	end(h, 0, 2, 100);
	assert_int_equal(next(h, 0), 8);
	drop(h);
}

/* --- on the machine ---------------------------------------------------------------------------------------------- */

/* Each CTA works as many rounds as its place in the SM's age order leaves it; loads miss, so that gto keeps to the
 * oldest. */
static const char kernel[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r7, %ctaid.y; mov.u32 %r8, %nctaid.x; "
    "mad.lo.u32 %r2, %r7, %r8, %r2;\n"
    "mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1; mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "L: ld.global.u32 %r6, [%a2]; mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1; "
    "mad.lo.u32 %r6, %r6, %r6, 1;\n"
    "mad.lo.u32 %r6, %r6, %r6, 1; st.global.u32 [%a2], %r6; sub.u32 %r10, %r10, 1;\n"
    "setp.ne.u32 %p1, %r10, 0; @%p1 bra L; ret;\n}\n";

struct outcome {
	u64 cycles, limit;
	struct rig_log log;
};

/* The words for people, once it has been throttled. */
static bool looked_up;
static bool look(void *ctx, const struct event *e)
{
	struct strbuf b = STRBUF_INIT;
	struct sim *s = ctx;
	char want[32];
	snprintf(want, sizeof want, "T_new %llu", (unsigned long long)e->arg[0]);
	gpu_cta_sched_text(sim_gpu(s), 0, &b);
	assert_string_equal(strbuf_str(&b), want);
	strbuf_release(&b);
	looked_up = true;
	return false;
}

static struct outcome run_grid(const char *const *sets, u32 x, u32 y, u32 rounds)
{
	struct outcome o = {0};
	struct sim *s = machine(sets);
	struct err e = {0};
	struct module *m = rig_load(s, kernel);
	struct launch_spec l = {.mod = m,
	                        .fn = module_func(m, "k", true),
	                        .grid = {x, y, 1},
	                        .block = {128, 1, 1},
	                        .params = (u64[]){rig_alloc(s, 4ull * 128 * x * y), rounds},
	                        .param_bytes = 16};
	sim_subscribe(s, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_LCS_THROTTLE), rig_record, &o.log);
	sim_subscribe(s, EVENT(EV_LCS_THROTTLE), look, s);
	assert_true(sim_launch(s, &l, &e) >= 0);
	rig_finish(s);
	o.cycles = sim_cycle(s);
	o.limit = ((const struct kernel_counters *)gpu_counters(sim_gpu(s), CG_kernel, 0))->cta_limit;
	sim_destroy(s);
	return o;
}

/* Figure 9: a grid of two dimensions on two cores; in turn one each with rr, pairs with bcs. */
static void test_figure9(void **state)
{
	static const s32 in_turn[8] = {0, 1, 0, 1, 0, 1, 0, 1}, pairs[8] = {0, 0, 1, 1, 0, 0, 1, 1};
	struct outcome rr = run_grid((const char *[]){"num_sms=2", NULL}, 4, 2, 4);
	struct outcome bcs = run_grid((const char *[]){"num_sms=2", "cta-sched=bcs", "warp-sched=sca", NULL}, 4, 2, 4);
	struct outcome line = run_grid((const char *[]){"num_sms=2", "cta-sched=bcs", NULL}, 8, 1, 4);
	assert_int_equal(rig_count(&rr.log, EV_CTA_DISPATCH), 8);
	assert_int_equal(rr.limit, 0);
	assert_int_equal(rig_count(&bcs.log, EV_CTA_DISPATCH), 8);
	for (u32 i = 0; i < 8; i++) {
		assert_int_equal(rig_event(&rr.log, EV_CTA_DISPATCH, i)->sm,
		                 in_turn[rig_event(&rr.log, EV_CTA_DISPATCH, i)->cta]);
		assert_int_equal(rig_event(&bcs.log, EV_CTA_DISPATCH, i)->sm,
		                 pairs[rig_event(&bcs.log, EV_CTA_DISPATCH, i)->cta]);
		assert_int_equal(rig_event(&line.log, EV_CTA_DISPATCH, i)->sm,
		                 in_turn[rig_event(&line.log, EV_CTA_DISPATCH, i)->cta]);
	}
	free(rr.log.e);
	free(bcs.log.e);
	free(line.log.e);
}

/* From the throttle on no SM is given a CTA while it has T_new of them. The kernel's CTAs are nearly abreast: rounded
 * down T_new is less than what fits. */
static void throttled(const char *sched)
{
	looked_up = false;
	struct outcome o =
	    run_grid((const char *[]){"num_sms=2", sched, "warp-sched=gto", "lcs.round=floor", NULL}, 120, 1, 12);
	assert_int_equal(rig_count(&o.log, EV_LCS_THROTTLE), 1);
	u32 resident[2] = {0}, limit = UINT32_MAX, after = 0;
	for (u32 i = 0; i < o.log.n; i++) {
		const struct event *e = &o.log.e[i];
		if (e->type == EV_LCS_THROTTLE) {
			limit = (u32)e->arg[0];
			assert_in_range(limit, 1, 7);
			assert_int_equal(limit, e->arg[1] / e->arg[2]);
			assert_int_equal(limit, o.limit);
		} else if (e->type == EV_CTA_DONE) {
			resident[e->sm]--;
		} else {
			assert_true(resident[e->sm] < limit);
			resident[e->sm]++;
			after += limit != UINT32_MAX;
		}
	}
	assert_true(after > 50 && looked_up);
	free(o.log.e);
}

static void test_throttled(void **state)
{
	throttled("cta-sched=lcs");
	throttled("cta-sched=lcs+bcs");
}

static bool note_throttle(void *ctx, const struct event *e)
{
	*(u64 *)ctx = e->cycle;
	return false;
}

/* Back across the throttle and on again, by state hash: what lcs has found out is forgotten before it and known after.
 */
static void test_back_across_throttle(void **state)
{
	static const char *const schedulers[] = {"cta-sched=lcs", "cta-sched=lcs+bcs"};
	for (u32 k = 0; k < ARRAY_LEN(schedulers); k++) {
		struct sim *s = machine((const char *[]){"num_sms=2", schedulers[k], "warp-sched=gto", NULL});
		struct err e = {0};
		struct stop st = {0};
		struct module *m = rig_load(s, kernel);
		struct launch_spec l = {.mod = m,
		                        .fn = module_func(m, "k", true),
		                        .grid = {40, 1, 1},
		                        .block = {128, 1, 1},
		                        .params = (u64[]){rig_alloc(s, 4ull * 128 * 40), 12},
		                        .param_bytes = 16};
		u64 at[256], hash[256], throttled = 0, first;
		u32 n = 0;
		sim_subscribe(s, EVENT(EV_LCS_THROTTLE), note_throttle, &throttled);
		assert_true(sim_history(s, 64, &e));
		sim_fork(s);
		assert_true(sim_launch(s, &l, &e) >= 0);
		sim_turn(s);
		do {
			sim_run(s, sim_cycle(s) + 97, &st);
			at[n] = sim_cycle(s);
			hash[n++] = sim_hash(s);
		} while (st.why == STOP_CYCLE && n < ARRAY_LEN(at));
		assert_true(st.why != STOP_CYCLE && throttled > at[3] && throttled < at[n - 10]);
		first = throttled;
		u32 before = 0;
		while (at[before + 1] < throttled)
			before++;
		assert_true(sim_goto(s, at[before], &e)); /* nothing is known yet ... */
		assert_true(sim_hash(s) == hash[before]);
		assert_int_equal(gpu_cta_limit(sim_gpu(s), 0, 0), 0);
		throttled = 0;
		for (u32 i = before + 1; i < n; i++) { /* ... and found out anew */
			sim_run(s, at[i], NULL);
			assert_true(sim_hash(s) == hash[i]);
		}
		assert_int_equal(throttled, first);
		for (u32 i = n - 1; i-- > 0;) {
			assert_true(sim_goto(s, at[i], &e));
			assert_true(sim_hash(s) == hash[i]);
		}
		sim_destroy(s);
	}
}

/* Figure 10: of one dimension lcs and gto, of two bcs and sca. */
static void test_figure10(void **state)
{
	const char *both[] = {"num_sms=2", "cta-sched=lcs+bcs", "warp-sched=sca", NULL};
	const char *lazy[] = {"num_sms=2", "cta-sched=lcs", "warp-sched=gto", NULL};
	const char *block[] = {"num_sms=2", "cta-sched=bcs", "warp-sched=sca", NULL};
	struct outcome a = run_grid(both, 120, 1, 12), b = run_grid(lazy, 120, 1, 12);
	assert_int_equal(a.cycles, b.cycles);
	free(a.log.e);
	free(b.log.e);
	/* no more than are there at once: nobody has ended before the last is dispatched */
	const char *oldest[] = {"num_sms=2", "cta-sched=bcs", "warp-sched=gto", NULL};
	a = run_grid(both, 8, 2, 12);
	b = run_grid(block, 8, 2, 12);
	assert_int_equal(a.cycles, b.cycles);
	free(b.log.e);
	b = run_grid(oldest, 8, 2, 12);
	assert_int_not_equal(a.cycles, b.cycles); /* sca does choose */
	free(a.log.e);
	free(b.log.e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_equation),
	    cmocka_unit_test(test_lcs),
	    cmocka_unit_test(test_lcs_per_sm),
	    cmocka_unit_test(test_bcs_delay),
	    cmocka_unit_test(test_bcs_stranded),
	    cmocka_unit_test(test_inactive),
	    cmocka_unit_test(test_both),
	    cmocka_unit_test(test_figure9),
	    cmocka_unit_test(test_throttled),
	    cmocka_unit_test(test_figure10),
	    cmocka_unit_test(test_back_across_throttle),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
