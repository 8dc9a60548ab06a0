/* How many CTAs an SM holds, decided again and again: dyncta by hand and on the machine, and kernels that share the SMs
 * (cke, mcke, spatial, smk, warped-slicer, maestro), with preemption and without. Then all CTA schedulers and
 * partitions: results are the same, resources come back, going back in time is exact. */
#include "base/rng.h"
#include "cta/sched/dyncta.h"
#include "gpu/verbs.h"
#include "sim_internal.h"
#include "sm/verbs.h"
#include "task/partition/shares.h"
#include "tests/rig/rounds.h"
#include "tests/rig/sm_rig.h"

/* --- dyncta by hand ---------------------------------------------------------------------------------------------- */

/* Thresholds of Kayiran 2013: idle 16, mem 128 and 384. */
static void test_step(void **state)
{
	static const struct {
		u32 limit, most, idle, mem, want;
	} rows[] = {
	    {4, 8, 16, 2000, 5}, /* idle comes first */
	    {4, 8, 15, 384, 3},  {4, 8, 15, 383, 4}, {4, 8, 0, 128, 4},  {4, 8, 0, 127, 5},  {4, 8, 0, 2048, 3},
	    {8, 8, 16, 0, 8},    {8, 8, 0, 0, 8},    {1, 8, 0, 2048, 1}, {1, 1, 2048, 0, 1},
	};
	struct conf c;
	conf_defaults(&c);
	for (u32 i = 0; i < ARRAY_LEN(rows); i++)
		assert_int_equal(dyncta_step(&c, rows[i].limit, rows[i].most, rows[i].idle, rows[i].mem), rows[i].want);
}

static const struct cta_sched_ops *dyncta(void)
{
	for (const struct policy *const *p = cta_policies; *p; p++)
		if (!strcmp((*p)->name, "dyncta"))
			return (const struct cta_sched_ops *)(const void *)*p;
	fail_msg("no dyncta");
	return NULL;
}

/* One SM with two schedulers whose slots are charged by hand, period after period; what counts as idle in turn. */
static void test_periods(void **state)
{
	static const enum stall idle[] = {ST_FETCH, ST_BARRIER, ST_SLEEP, ST_DONE, ST_EMPTY};
	static const struct {
		u32 idle, mem; /* cycles of the period, of both schedulers */
		u32 limit;     /* behind it */
	} rows[] = {{0, 200, 4}, {16, 1000, 5}, {16, 1000, 6}, {16, 1000, 7}, {0, 0, 8},  {40, 0, 8},
	            {0, 384, 7}, {0, 400, 6},   {15, 383, 6},  {0, 100, 7},   {0, 999, 6}};
	const struct cta_sched_ops *ops = dyncta();
	static u64 st[CTA_SCHED_STATE_MAX / 8];
	struct conf c;
	conf_defaults(&c);
	c.num_sms = 1;
	c.sm_schedulers = 2;
	c.dyncta_period = 2048;
	struct launch *l = calloc(1, sizeof *l);
	*l = (struct launch){.grid = {100, 1, 1}, .ctas = 100, .warps = 4, .id = 1};
	struct sm *sm = calloc(1, sizeof *sm);
	struct event_buf ev = {.mask = EVENT(EV_DYNCTA_STEP)};
	struct cta_view v = {.conf = &c, .launch = l, .sm = (const struct sm *const *)&sm, .num_sms = 1, .ev = &ev};
	v.now = 1000;
	sm->acct_from = 900; /* it sleeps */
	sm->stall[0][ST_MEM] = sm->stall[1][ST_MEM] = 900;
	sm->reason[0] = sm->reason[1] = ST_MEM;
	ops->init(st, &v);
	u32 limit = 4, events = 0, nidle = 0; /* half of 8 */
	assert_int_equal(ops->limit(st, &v, 0), limit);
	assert_true(ops->timer(st, &v) == 3048);
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		v.now += 2048;
		sm->stall[0][ST_MEM] += v.now - sm->acct_from - 2048; /* what it slept before */
		sm->stall[1][ST_MEM] += v.now - sm->acct_from - 2048;
		sm->stall[0][idle[nidle % 5]] += rows[i].idle;
		sm->stall[1][idle[(nidle + 1) % 5]] += rows[i].idle;
		nidle += 2 * (rows[i].idle != 0);
		sm->stall[0][ST_MEM] += rows[i].mem;
		sm->stall[1][ST_MEMBAR] += rows[i].mem - rows[i].mem / 2;
		sm->acct_from = v.now - rows[i].mem / 2; /* one of them is behind with its accounts */
		sm->reason[0] = ST_ISSUED;
		sm->reason[1] = ST_MEM;
		assert_true(ops->timer(st, &v) == v.now + 2048);
		assert_int_equal(ops->limit(st, &v, 0), rows[i].limit);
		assert_true(ops->timer(st, &v) == v.now + 2048); /* asked again: nothing new */
		if (rows[i].limit != limit) {
			const struct event *e = &ev.e[events++];
			assert_int_equal(e->arg[0], limit);
			assert_int_equal(e->arg[1], rows[i].limit);
			assert_int_equal(e->arg[2], rows[i].idle);
			assert_int_equal(e->arg[3], rows[i].mem);
		}
		assert_int_equal(ev.n, events);
		limit = rows[i].limit;
		sm->stall[1][ST_MEM] += rows[i].mem / 2; /* now they are brought up to date */
		sm->acct_from = v.now;
	}
	for (u32 i = 0; i < limit; i++) {
		assert_int_equal(ops->next(st, &v, 0), i);
		sm->cta[i] = (struct cta){.used = 1, .launch = 1, .id = i};
		sm->nctas++;
	}
	assert_true(ops->next(st, &v, 0) == NO_CTA);
	free(sm);
	free(l);
}

/* --- on the machine ---------------------------------------------------------------------------------------------- */

/* r rounds of a load that misses and of arithmetic; s: a spell of arithmetic in shared memory's company, too. */
static const char kernels[] = PTX_HEAD
    ".visible .entry k(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %a2, %r4, 4, %a1;\n"
    "L: ld.global.u32 %r6, [%a2]; mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1;\n"
    "st.global.u32 [%a2], %r6; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra L; ret;\n}\n"
    ".visible .entry s(.param .u64 p0, .param .u64 p1)\n{\n.reg .pred %p<4>; .reg .b32 %r<32>; .reg .b64 %a<8>;\n"
    ".shared .align 4 .b8 room[6000];\n"
    "ld.param.u64 %a1, [p0]; ld.param.u64 %a3, [p1]; cvt.u32.u64 %r10, %a3;\n"
    "mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mad.lo.u32 %r4, %r2, %r3, %r1;\n"
    "mad.wide.u32 %a2, %r4, 4, %a1; mov.u32 %r5, room; mad.lo.u32 %r5, %r1, 4, %r5; mov.u32 %r6, %r4;\n"
    "M: mad.lo.u32 %r6, %r6, %r6, 1; mad.lo.u32 %r6, %r6, %r6, 1; st.shared.u32 [%r5], %r6; bar.sync 0;\n"
    "ld.shared.u32 %r6, [%r5]; sub.u32 %r10, %r10, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra M;\n"
    "st.global.u32 [%a2], %r6; ret;\n}\n";

struct pair {
	struct sim *s;
	struct module *m;
	struct rig_log log;
};

static void begin(struct pair *p, const char *const *sets, event_set events)
{
	*p = (struct pair){.s = machine(sets)};
	p->m = rig_load(p->s, kernels);
	if (events)
		sim_subscribe(p->s, events, rig_record, &p->log);
}

static u32 start(struct pair *p, const char *kernel, u32 ctas, u32 rounds, u32 stream)
{
	return rig_launch(p->s, p->m, kernel, ctas, 128, stream, (u64[]){rig_alloc(p->s, 512ull * ctas), rounds}, 2);
}

static void end(struct pair *p)
{
	sim_destroy(p->s);
	free(p->log.e);
}

struct held { /* on an SM */
	u64 of[DISPATCH_KERNELS];
};

/* Down to one CTA an SM, since everything is too much: those that came last are paused, and their warps are chosen only
 * when no other warp of the scheduler could issue. */
static void test_pause(void **state)
{
	struct pair p;
	begin(&p,
	      (const char *[]){"num_sms=2", "cta-sched=dyncta", "warp-sched=gto", "dyncta.period=300",
	                       "dyncta.idle=1000000", "dyncta.mem_low=0", "dyncta.mem_high=0", NULL},
	      EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_DYNCTA_STEP) | EVENT(EV_CTA_PAUSE) |
	          EVENT(EV_CTA_RESUME) | EVENT(EV_SCHED_PICK));
	start(&p, "k", 20, 40, 0);
	rig_finish(p.s);
	u64 warps[2][SM_MAX_CTAS] = {{0}}, low[2] = {0}, order[2] = {0}, came[2][SM_MAX_CTAS] = {{0}};
	u32 there[2] = {0}, limit[2] = {4, 4}, pauses = 0, resumed = 0, chosen = 0;
	for (u32 i = 0; i < p.log.n; i++) {
		const struct event *e = &p.log.e[i];
		const u32 sm = (u32)e->sm, slot = (u32)e->arg[0];
		switch (e->type) {
		case EV_DYNCTA_STEP:
			assert_int_equal(e->arg[0], limit[sm]);
			assert_int_equal(e->arg[1], limit[sm] - 1);
			limit[sm]--;
			break;
		case EV_CTA_DISPATCH:
			assert_true(there[sm]++ < limit[sm]);
			warps[sm][slot] = e->arg[1];
			came[sm][slot] = ++order[sm];
			break;
		case EV_CTA_PAUSE:
			assert_int_equal(e->arg[2], 1);
			assert_true(there[sm] > limit[sm]);
			for (u32 k = i + 1; k < p.log.n && p.log.e[k].cycle == e->cycle; k++) /* not one that has ended */
				assert_true(p.log.e[k].type != EV_CTA_DONE || p.log.e[k].cta != e->cta);
			for (u32 k = 0; k < SM_MAX_CTAS; k++) /* nobody younger has its priority */
				assert_true(!warps[sm][k] || (warps[sm][k] & low[sm]) || came[sm][k] <= came[sm][slot]);
			low[sm] |= warps[sm][slot];
			pauses++;
			break;
		case EV_CTA_RESUME:
			assert_int_equal(e->arg[1], 1);
			assert_true((low[sm] & warps[sm][slot]) == warps[sm][slot]);
			low[sm] &= ~warps[sm][slot];
			resumed++;
			break;
		case EV_CTA_DONE:
			there[sm]--;
			low[sm] &= ~warps[sm][slot];
			warps[sm][slot] = 0;
			break;
		default:
			if (!(low[sm] >> e->warp & 1))
				break;
			assert_int_equal(e->arg[1] & ~low[sm], 0);
			chosen++;
		}
	}
	assert_int_equal(limit[0] + limit[1], 2);
	assert_int_equal(pauses, 6);
	assert_true(resumed >= 4 && chosen > 100);
	end(&p);
}

/* One that ends with the lowest priority leaves none of it to the slot's next tenant. */
static void test_ends_low(void **state)
{
	struct pair p;
	begin(&p, (const char *[]){"num_sms=1", "max_ctas_per_sm=1", NULL}, 0);
	struct gpu *g = sim_gpu(p.s);
	struct stop st;
	start(&p, "k", 2, 20, 0);
	sim_run(p.s, 50, &st);
	sm_lower_cta(&g->ctx[0], g->sm[0], 0, true, sim_cycle(p.s));
	const u64 warps = g->sm[0]->cta[0].warps;
	assert_true(g->sm[0]->low == warps);
	while (g->sm[0]->k.ctas_started < 2)
		sim_run(p.s, sim_cycle(p.s) + 10, &st);
	assert_true(g->sm[0]->cta[0].warps == warps && !g->sm[0]->low);
	rig_finish(p.s);
	end(&p);
}

/* cke: no SM has CTAs of two kernels, though the second one comes later; and both do run at once. */
static void test_cke(void **state)
{
	struct pair p;
	begin(&p, (const char *[]){"num_sms=4", "partition=cke", NULL},
	      EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_SM_QUOTA));
	start(&p, "k", 90, 20, 1);
	struct stop st;
	sim_run(p.s, 3000, &st);
	start(&p, "s", 90, 60, 2);
	rig_finish(p.s);
	struct held on[4] = {{{0}}};
	bool at_once = false;
	for (u32 i = 0; i < p.log.n; i++) {
		const struct event *e = &p.log.e[i];
		if (e->type == EV_SM_QUOTA)
			continue;
		on[e->sm].of[e->kernel] += e->type == EV_CTA_DISPATCH ? 1 : -1ull;
		assert_false(on[e->sm].of[0] && on[e->sm].of[1]);
		at_once |= (on[0].of[0] || on[1].of[0]) && (on[2].of[1] || on[3].of[1]);
	}
	assert_true(at_once);
	assert_true(rig_count(&p.log, EV_SM_QUOTA) >= 4);
	end(&p);
}

/* mcke: measured apart, then on each SM as many of each as T_new says, mixed. */
static void test_mcke(void **state)
{
	struct pair p;
	begin(&p, (const char *[]){"num_sms=4", "partition=mcke", "cta-sched=lcs", "warp-sched=gto", NULL},
	      EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_LCS_THROTTLE) | EVENT(EV_SM_QUOTA));
	start(&p, "k", 300, 30, 1);
	start(&p, "s", 300, 60, 2);
	rig_finish(p.s);
	struct held on[4] = {{{0}}}, quota[4];
	memset(quota, 0xff, sizeof quota);
	u64 t_new[2] = {0};
	bool mixed[4] = {false}, over = false;
	for (u32 i = 0; i < p.log.n; i++) {
		const struct event *e = &p.log.e[i];
		u64 *n = &on[e->sm].of[e->kernel];
		if (e->type == EV_LCS_THROTTLE)
			t_new[e->kernel] = e->arg[0];
		else if (e->type == EV_SM_QUOTA)
			quota[e->sm].of[e->kernel] = e->arg[1];
		else
			*n += e->type == EV_CTA_DISPATCH ? 1 : -1ull;
		if (e->type != EV_CTA_DISPATCH)
			continue;
		over |= *n > quota[e->sm].of[e->kernel];
		if (on[e->sm].of[0] && on[e->sm].of[1]) {
			mixed[e->sm] = true;
			assert_true(t_new[0] && t_new[1]);
			assert_true(quota[e->sm].of[0] == t_new[0] && quota[e->sm].of[1] == t_new[1]);
			assert_true(*n <= t_new[e->kernel]);
		}
	}
	assert_false(over);
	assert_true(t_new[0] && t_new[1] && mixed[0] && mixed[1] && mixed[2] && mixed[3]);
	end(&p);
}

/* A kernel whose few CTAs have all been placed, and of which T_new will never be known, is not waited for. */
static void test_mcke_few(void **state)
{
	struct pair p;
	struct stop st;
	begin(&p, (const char *[]){"num_sms=2", "partition=mcke", "cta-sched=lcs", "warp-sched=gto", NULL},
	      EVENT(EV_LCS_THROTTLE));
	start(&p, "s", 2, 5000, 1);
	start(&p, "k", 300, 30, 2);
	while (!p.log.n)
		sim_run(p.s, sim_cycle(p.s) + 10, &st);
	assert_int_equal(p.log.e[0].kernel, 1);
	sim_run(p.s, sim_cycle(p.s) + 5000, &st); /* CTAs of k end, and the policy is asked */
	const struct dispatcher *d = sim_gpu(p.s)->dispatch.d;
	const s32 few = dispatch_slot(d, 0), many = dispatch_slot(d, 1);
	assert_true(few >= 0 && many >= 0 && d->k[few].dispatched == d->k[few].ctas && d->k[many].dispatched < 300);
	for (u32 sm = 0; sm < 2; sm++) {
		assert_int_equal(d->quota[sm][many], p.log.e[0].arg[0]);
		assert_int_equal(d->quota[sm][few], QUOTA_ANY);
		assert_true(sm_resident(sim_gpu(p.s)->sm[sm], 1) <= p.log.e[0].arg[0]);
	}
	end(&p);
}

/* Even; none gets more than it needs while others could use it; what is too little goes to those launched first. */
static void test_spatial_shares(void **state)
{
	static const struct {
		u32 n, sms, need[3], want[3];
	} rows[] = {
	    {1, 15, {15}, {15}},          {2, 15, {15, 15}, {8, 7}},         {2, 15, {15, 3}, {12, 3}},
	    {2, 15, {2, 15}, {2, 13}},    {3, 15, {15, 1, 15}, {7, 1, 7}},   {3, 15, {2, 3, 4}, {2, 3, 4}},
	    {3, 2, {15, 15, 15}, {1, 1}}, {3, 30, {9, 30, 12}, {9, 11, 10}}, {2, 4, {0, 9}, {0, 4}},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 got[3] = {77, 77, 77};
		spatial_shares(rows[i].n, rows[i].need, rows[i].sms, got);
		for (u32 r = 0; r < rows[i].n; r++)
			assert_int_equal(got[r], rows[i].want[r]);
	}
}

/* An SM of 48 warps, 8 CTAs, 32768 registers and 48 KiB: dominant shares by hand. */
static void test_smk_counts(void **state)
{
	static const u64 total[] = {48, 8, 32768, 49152};
	static const struct {
		u32 n;
		struct smk_need k[3];
		u32 want[3];
		double part[2];
	} rows[] = {
	    {1, {{{6, 1, 4096, 0}, 8}}, {8}, {0}},
	    {2, {{{6, 1, 2048, 0}, 8}, {{6, 1, 2048, 0}, 8}}, {4, 4}, {0}},
	    /* 1/4 of shared memory each against 1/8 of the places: 1, 2; 2, 4; then 3 places of 2 left: 2, 6 is full */
	    {2, {{{4, 1, 1024, 12288}, 4}, {{4, 1, 1024, 0}, 8}}, {3, 5}, {0}},
	    /* half the registers against a twelfth of the warps: one, and six of the other for as much; then it has room */
	    {2, {{{8, 1, 16384, 0}, 2}, {{4, 1, 1024, 0}, 8}}, {1, 7}, {0}},
	    {2, {{{6, 1, 2048, 0}, 2}, {{6, 1, 2048, 0}, 8}}, {2, 6}, {0}}, /* as many as it may have */
	    /* a quarter: two of eight; as good as none: the first of each, then the other's */
	    {2, {{{6, 1, 2048, 0}, 8}, {{6, 1, 2048, 0}, 8}}, {2, 6}, {0.25, 0.75}},
	    {2, {{{6, 1, 2048, 0}, 8}, {{6, 1, 2048, 0}, 8}}, {7, 1}, {0.99, 0.01}},
	    {3, {{{48, 1, 0, 0}, 1}, {{2, 1, 0, 0}, 8}, {{2, 1, 0, 0}, 8}}, {1, 0, 0}, {0}},
	};
	for (u32 i = 0; i < ARRAY_LEN(rows); i++) {
		u32 got[3] = {77, 77, 77};
		smk_counts(rows[i].n, rows[i].k, total, rows[i].part[0] > 0 ? rows[i].part : NULL, got);
		for (u32 r = 0; r < rows[i].n; r++)
			if (got[r] != rows[i].want[r])
				fail_msg("row %u: kernel %u has %u CTAs, %u by hand", i, r, got[r], rows[i].want[r]);
	}
}

/* A kernel that has the machine to itself notices nothing of any partition. */
static void test_alone(void **state)
{
	static const char *const sets[] = {"partition=fcfs", "partition=spatial", "partition=smk",
	                                   "partition=warped-slicer"};
	u64 cycles = 0;
	for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
		struct pair p;
		begin(&p, (const char *[]){"num_sms=4", sets[i], "preempt=chimera", NULL}, 0);
		start(&p, "k", 50, 10, 0);
		rig_finish(p.s);
		assert_true(!i || sim_cycle(p.s) == cycles);
		assert_int_equal(p.s->gpu->preempt.p->requests, 0);
		cycles = sim_cycle(p.s);
		end(&p);
	}
}

/* A second kernel comes while the first has all SMs. spatial: half of them are taken from it by the technique, nobody
 * meets the other there, and at its end the first has them back. smk: of the first's CTAs the last ones leave. */
static void come_later(const char *partition, const char *technique)
{
	char set[2][64];
	snprintf(set[0], sizeof set[0], "partition=%s", partition);
	snprintf(set[1], sizeof set[1], "preempt=%s", technique);
	const bool spatial = !strcmp(partition, "spatial"), none = !strcmp(technique, "none");
	struct pair p;
	begin(&p, (const char *[]){"num_sms=4", set[0], set[1], "preempt.halt=cta", NULL},
	      EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE) | EVENT(EV_CTA_SAVE) | EVENT(EV_CTA_RESTORE) |
	          EVENT(EV_REPARTITION) | EVENT(EV_KERNEL_DONE));
	start(&p, "k", 400, 20, 1);
	struct stop st;
	sim_run(p.s, 3000, &st);
	start(&p, "s", 60, 60, 2);
	rig_finish(p.s);
	struct held on[4] = {{{0}}};
	u64 ended = 0, back = 0, first = 0, share[2] = {0}, came[4][400] = {{0}}, oldest[4] = {0}, saved_at[4] = {0};
	const bool newest = !spatial && !strcmp(technique, "switch");
	u32 saves = 0;
	bool halved = false;
	for (u32 i = 0; i < p.log.n; i++) {
		const struct event *e = &p.log.e[i];
		if (e->type == EV_KERNEL_DONE) {
			ended = e->kernel == 1 ? e->cycle : ended;
		} else if (e->type == EV_REPARTITION) {
			assert_int_equal(e->arg[0], share[e->kernel]);
			share[e->kernel] = e->arg[1];
			halved |= spatial && e->kernel == 0 && e->arg[0] == 4 && e->arg[1] == 2 && e->arg[2] > 0;
		} else {
			const bool comes = e->type == EV_CTA_DISPATCH || e->type == EV_CTA_RESTORE;
			if (newest && saved_at[e->sm] && saved_at[e->sm] != e->cycle) {
				for (u32 k = 0; k < 400; k++) /* who stayed was there before those that left together */
					assert_true(came[e->sm][k] < oldest[e->sm]);
				saved_at[e->sm] = 0;
			}
			if (newest && e->kernel == 0 && e->type == EV_CTA_SAVE) {
				oldest[e->sm] = saved_at[e->sm] ? MIN(oldest[e->sm], came[e->sm][e->cta]) : came[e->sm][e->cta];
				saved_at[e->sm] = e->cycle;
				saves++;
			}
			if (e->kernel == 0)
				came[e->sm][e->cta] = comes ? i + 1 : 0;
			on[e->sm].of[e->kernel] += comes ? 1 : -1ull;
			assert_false(spatial && on[e->sm].of[0] && on[e->sm].of[1]);
			first = e->kernel == 1 && !first ? e->cycle : first;
			back += ended && e->kernel == 0 && comes && e->sm >= 0;
			assert_true(!comes || spatial || on[e->sm].of[e->kernel] <= share[e->kernel]);
		}
	}
	const struct kernel_counters *k = &p.s->gpu->task->kcb[0].k;
	assert_true(first && ended && back > 0 && halved == spatial);
	assert_int_equal(saves > 0, newest);
	assert_int_equal(k->ctas_switched > 0, !strcmp(technique, "switch"));
	assert_int_equal(k->ctas_drained > 0, !strcmp(technique, "drain"));
	assert_int_equal(p.s->gpu->preempt.p->requests > 0, !none);
	assert_true(rig_count(&p.log, EV_REPARTITION) >= 4);
	end(&p);
}

static void test_come_later(void **state)
{
	static const char *const techniques[] = {"none", "switch", "drain"};
	for (u32 i = 0; i < ARRAY_LEN(techniques); i++) {
		come_later("spatial", techniques[i]);
		come_later("smk", techniques[i]);
	}
}

/* spatial: SMs that neither of two small kernels needs are somebody's, too: no SM has CTAs of both. */
static void test_small_ones(void **state)
{
	struct pair p;
	begin(&p, (const char *[]){"num_sms=4", "partition=spatial", NULL}, EVENT(EV_CTA_DISPATCH) | EVENT(EV_CTA_DONE));
	start(&p, "s", 6, 40, 1);
	start(&p, "s", 6, 40, 2);
	rig_finish(p.s);
	u32 sms[2] = {0};
	for (u32 i = 0; i < p.log.n; i++)
		sms[p.log.e[i].kernel] |= 1u << p.log.e[i].sm;
	assert_true(sms[0] && sms[1] && !(sms[0] & sms[1]) && (sms[0] | sms[1]) == 15);
	end(&p);
}

/* spatial: an SM that the user takes from its owner is the other kernel's, until it is given back. */
static void test_user_takes(void **state)
{
	struct pair p;
	struct stop st;
	struct err e = {0};
	const u64 set[CONF_SM_WORDS] = {1};
	begin(&p, (const char *[]){"num_sms=4", "partition=spatial", "preempt=switch", NULL}, 0);
	start(&p, "k", 400, 30, 1);
	start(&p, "s", 400, 60, 2);
	sim_run(p.s, 3000, &st);
	const struct sm *sm = sim_gpu(p.s)->sm[0];
	const u32 owner = sm_resident(sm, 0) ? 0 : 1;
	assert_true(sm_resident(sm, owner) && !sm_resident(sm, !owner));
	if (!gpu_preempt(sim_gpu(p.s), &(struct sm_order){.launch = owner, .set = set, .within_us = 100}, &e))
		fail_msg("%s", e.msg);
	for (u32 i = 0; i < 8; i++) {
		sim_run(p.s, sim_cycle(p.s) + 1000, &st);
		assert_true(i < 3 || (!sm_resident(sm, owner) && sm_resident(sm, !owner)));
	}
	end(&p);
}

/* A third kernel comes while SMs that have changed hands for the second still have CTAs of the first, which nobody
 * preempts: it gets its third of the SMs all the same, from those that the others have. */
static void test_third_comes(void **state)
{
	static const char *const techniques[] = {"preempt=none", "preempt=drain", "preempt=switch"};
	for (u32 i = 0; i < ARRAY_LEN(techniques); i++) {
		struct pair p;
		struct stop st;
		begin(&p, (const char *[]){"num_sms=6", "partition=spatial", techniques[i], NULL}, EVENT(EV_REPARTITION));
		start(&p, "k", 400, 60, 1);
		sim_run(p.s, 3000, &st);
		start(&p, "s", 400, 60, 2);
		sim_run(p.s, 3100, &st);
		start(&p, "s", 400, 60, 3);
		sim_run(p.s, 3110, &st);
		u64 share[3] = {0};
		for (u32 k = 0; k < p.log.n; k++)
			share[p.log.e[k].kernel] = p.log.e[k].arg[1];
		if (share[0] != 2 || share[1] != 2 || share[2] != 2)
			fail_msg("%s: %llu, %llu and %llu of six SMs", techniques[i], (unsigned long long)share[0],
			         (unsigned long long)share[1], (unsigned long long)share[2]);
		end(&p);
	}
}

/* The third comes while CTAs of the first are being saved for the second, so that nobody can be asked for more: those
 * that are too many all the same leave as soon as that is over, not when they end, which takes a million cycles. */
static void test_third_comes_early(void **state)
{
	static const char *const sets[] = {"partition=smk", "partition=maestro", "partition=warped-slicer"};
	for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
		struct pair p;
		struct stop st;
		begin(&p,
		      (const char *[]){"num_sms=6", sets[i], "preempt=switch", "slicer.warmup=100", "slicer.profile=1000000",
		                       NULL},
		      EVENT(EV_PREEMPT_START));
		start(&p, "k", 400, 100000, 1);
		sim_run(p.s, 3000, &st);
		start(&p, "s", 400, 100000, 2);
		while (!p.log.n)
			sim_run(p.s, sim_cycle(p.s) + 10, &st);
		start(&p, "s", 400, 100000, 3);
		sim_run(p.s, sim_cycle(p.s) + 60000, &st);
		const struct gpu *g = sim_gpu(p.s);
		for (u32 sm = 0; sm < 6; sm++)
			for (u32 r = 0; r < g->dispatch.d->n; r++) {
				const u32 slot = g->dispatch.d->order[r], quota = g->dispatch.d->quota[sm][slot];
				const u32 there = sm_resident(g->sm[sm], g->dispatch.d->k[slot].launch);
				if (quota != QUOTA_ANY && there > quota)
					fail_msg("%s: SM %u has %u CTAs of kernel %u for %u", sets[i], sm, there, slot, quota);
			}
		end(&p);
	}
}

/* A kernel that has no CTAs to come leaves its share to the other; it has one again from the very cycle on in which one
 * of its CTAs is taken off an SM, before any CTA has ended. */
static void test_asked_again(void **state)
{
	static const char *const sets[] = {"partition=smk", "partition=smk-pw"};
	for (u32 i = 0; i < ARRAY_LEN(sets); i++) {
		struct pair p;
		struct stop st;
		struct err e = {0};
		begin(&p, (const char *[]){"num_sms=2", sets[i], "preempt=switch", NULL},
		      EVENT(EV_REPARTITION) | EVENT(EV_CTA_DONE) | EVENT(EV_CTA_SAVE));
		start(&p, "s", 2, 5000, 1);
		start(&p, "k", 200, 30, 2);
		do /* CTAs have ended, and some time ago */
			sim_run(p.s, sim_cycle(p.s) + 10, &st);
		while (!rig_count(&p.log, EV_CTA_DONE) || p.log.e[p.log.n - 1].cycle + 300 > sim_cycle(p.s));
		const u32 before = p.log.n;
		const u64 cycle = sim_cycle(p.s);
		if (!gpu_save_cta(sim_gpu(p.s), 0, 0, true, &e))
			fail_msg("%s", e.msg);
		sim_run(p.s, cycle + 100, &st);
		u32 told = 0, saved = 0;
		for (u32 k = before; k < p.log.n; k++) {
			const struct event *v = &p.log.e[k];
			assert_true(v->type != EV_CTA_DONE);
			saved += v->type == EV_CTA_SAVE;
			if (v->type != EV_REPARTITION)
				continue;
			/* Half of eight places each; what it had with nothing to come was all. */
			assert_true(v->cycle == cycle && v->arg[1] == 4 && v->arg[0] == (v->kernel ? 8 : QUOTA_ANY));
			told |= 1u << v->kernel;
		}
		assert_true(saved == 1 && told == 3);
		assert_int_equal(sim_gpu(p.s)->preempt.p->requests, 0); /* nobody is sent away but for a kernel that begins */
		end(&p);
	}
}

/* --- every CTA scheduler and partition --------------------------------------------------------------------------- */

static void check(struct pair *p)
{
	struct err e = {0};
	if (!sim_check_state(p->s, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(p->s), e.msg);
}

/* maestro tries nothing on fewer than five. */
static const char *sms_of(const char *partition, const char *few)
{
	return strcmp(partition, "maestro") ? few : "num_sms=7";
}

/* Every second machine allocates from both ends. */
static const char *allocation(void)
{
	static u32 n;
	return n++ & 1 ? "sm.allocation=two-way" : "sm.allocation=first-fit";
}

/* Random launches into random streams while others run; in the end nothing is held. vt: an SM has two slots,
 * and virtual threads. */
static u64 launches_on(const char *cta, const char *partition, const char *preempt, bool changes, bool vt, u64 seed)
{
	static const char *const others[] = {"smk", "fcfs", "spatial", "maestro", "warped-slicer", "mcke", "cke"};
	char set[3][64];
	struct err e = {0};
	snprintf(set[0], sizeof set[0], "cta-sched=%s", cta);
	snprintf(set[1], sizeof set[1], "partition=%s", partition);
	snprintf(set[2], sizeof set[2], "preempt=%s", preempt);
	struct pair p;
	begin(&p,
	      (const char *[]){sms_of(partition, "num_sms=3"), set[0], set[1], set[2], "dyncta.period=100",
	                       "dyncta.mem_low=10", "dyncta.mem_high=40", "slicer.warmup=50", "slicer.profile=90",
	                       "maestro.epoch=150", vt ? "cta-virtual=vt" : allocation(), vt ? "sm.ctas=2" : NULL, NULL},
	      0);
	struct stop st;
	for (u32 i = 0; i < 24; i++) {
		start(&p, rng_next(&seed) & 1 ? "k" : "s", 1 + rng_next(&seed) % 40, 1 + rng_next(&seed) % 9,
		      rng_next(&seed) % 4);
		sim_run(p.s, sim_cycle(p.s) + rng_next(&seed) % 900, &st);
		check(&p);
		if (changes && !sim_set(p.s, "partition", others[i % ARRAY_LEN(others)], &e))
			fail_msg("%s", e.msg);
	}
	rig_finish(p.s);
	u64 unfinished = 0;
	for (u32 i = 0; i < sim_gpu(p.s)->conf.num_sms; i++) {
		const struct sm *s = sim_gpu(p.s)->sm[i];
		assert_true(!s->nctas && !s->used && !s->low && !s->regs_used && !s->shared_used);
		for (u32 k = 0; k < SM_AWAY_WORDS; k++)
			assert_true(!s->away[k]);
		unfinished += s->k.ctas_started - s->k.ctas_done; /* those that moved ended elsewhere */
		for (u32 k = 0; k < SM_CONTEXTS / 64; k++)
			assert_true(!s->contexts[k]);
	}
	assert_int_equal(unfinished, 0);
	const u64 hash = devmem_result_hash(sim_devmem(p.s));
	end(&p);
	return hash;
}

static u64 random_launches(const char *cta, const char *partition, const char *preempt, bool changes, u64 seed)
{
	return launches_on(cta, partition, preempt, changes, false, seed);
}

/* Under the sanitizers each with every third partition only, of which all take turns. */
static void test_resources(void **state)
{
	const struct policy *c, *q;
	const u32 step = rounds(NULL, 1, 3);
	for (u32 i = 0; (c = sim_policy(POLICY_CTA, i)); i++) {
		const u64 want = random_launches(c->name, "fcfs", "none", false, 7 + i);
		for (u32 k = i % step; (q = sim_policy(POLICY_PARTITION, k)); k += step)
			assert_true(random_launches(c->name, q->name, "none", false, 7 + i) == want);
	}
}

/* The same by every technique, and with a new partition every few hundred cycles. */
static void test_preempted(void **state)
{
	const struct policy *t, *q;
	const u32 step = rounds(NULL, 1, 3);
	for (u32 i = 0; (t = sim_policy(POLICY_PREEMPT, i)); i++) {
		const u64 want = random_launches("rr", "fcfs", "none", false, 70 + i);
		for (u32 k = i % step; (q = sim_policy(POLICY_PARTITION, k)); k += step)
			assert_true(random_launches("rr", q->name, t->name, false, 70 + i) == want);
		assert_true(random_launches("lcs", "spatial", t->name, true, 70 + i) == want);
		for (u32 k = i % step; (q = sim_policy(POLICY_PARTITION, k)); k += step)
			assert_true(launches_on("rr", q->name, t->name, false, true, 70 + i) == want);
		assert_true(launches_on("dyncta", "spatial", t->name, true, true, 70 + i) == want);
	}
}

/* Back and on again across throttles, steps, pauses and quotas. */
static void travel(const char *cta, const char *partition, const char *preempt)
{
	char set[3][64];
	snprintf(set[0], sizeof set[0], "cta-sched=%s", cta);
	snprintf(set[1], sizeof set[1], "partition=%s", partition);
	snprintf(set[2], sizeof set[2], "preempt=%s", preempt);
	struct pair p;
	begin(&p,
	      (const char *[]){sms_of(partition, "num_sms=2"), set[0], set[1], set[2], "history.mb=64", "dyncta.period=100",
	                       "dyncta.mem_low=10", "dyncta.mem_high=40", "slicer.warmup=200", "slicer.profile=400",
	                       "maestro.epoch=400", allocation(), NULL},
	      0);
	struct err e = {0};
	start(&p, "k", 40, 12, 1);
	start(&p, "s", 40, 20, 2);
	assert_true(sim_history(p.s, 256, &e));
	u64 hash[64], n = 0, seed = 3;
	struct stop st = {0};
	do {
		sim_run(p.s, sim_cycle(p.s) + 499, &st);
		hash[n++] = sim_hash(p.s);
	} while (st.why == STOP_CYCLE && n < ARRAY_LEN(hash));
	assert_true(n > 10);
	for (u32 i = 0; i < rounds(NULL, 30, 8); i++) {
		const u64 to = rng_next(&seed) % (n - 1);
		assert_true(sim_goto(p.s, (to + 1) * 499, &e));
		if (sim_hash(p.s) != hash[to])
			fail_msg("%s: cycle %llu of %llu", cta, (unsigned long long)(to + 1) * 499, (unsigned long long)n * 499);
		check(&p);
	}
	end(&p);
}

static void test_time_travel(void **state)
{
	const struct policy *c;
	for (u32 i = 0; (c = sim_policy(POLICY_CTA, i)); i++)
		travel(c->name, "mcke", "none");
	for (u32 i = 0; (c = sim_policy(POLICY_PREEMPT, i)); i++) {
		travel("rr", "spatial", c->name);
		travel("rr", "smk", c->name);
		travel("rr", "warped-slicer", c->name);
		travel("rr", "maestro", c->name);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_step),        cmocka_unit_test(test_periods),
	    cmocka_unit_test(test_pause),       cmocka_unit_test(test_ends_low),
	    cmocka_unit_test(test_cke),         cmocka_unit_test(test_mcke),
	    cmocka_unit_test(test_mcke_few),    cmocka_unit_test(test_spatial_shares),
	    cmocka_unit_test(test_smk_counts),  cmocka_unit_test(test_alone),
	    cmocka_unit_test(test_come_later),  cmocka_unit_test(test_asked_again),
	    cmocka_unit_test(test_third_comes), cmocka_unit_test(test_third_comes_early),
	    cmocka_unit_test(test_small_ones),  cmocka_unit_test(test_user_takes),
	    cmocka_unit_test(test_preempted),   cmocka_unit_test(test_resources),
	    cmocka_unit_test(test_time_travel),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
