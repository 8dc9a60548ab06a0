/* Launches, preemptions and completions at random, on small machines of every partition policy, preemption technique
 * and allocation: the laws hold on the way, at the end everything is given back, and each CTA has ended exactly once -
 * what it counts up in memory is 1.
 *
 * WARPDBG_CHURN=N: so many launches (6000), 1000 on a machine; a million take five minutes. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/rng.h"
#include "tests/rig/given_back.h"
#include "tests/rig/sm_rig.h"

/* A CTA loads, waits for all its warps, loops, and counts itself at the end: `once` with an atomic, behind which it
 * cannot begin again; `any` with a store, so that it can at any time. */
#define BODY(count)                                                                                                    \
	"(.param .u64 p0, .param .u64 p1, .param .u64 p2)\n{\n"                                                            \
	".reg .b32 %r<12>; .reg .b64 %a<9>; .reg .pred %p<3>;\n"                                                           \
	"ld.param.u64 %a1, [p0]; ld.param.u64 %a2, [p1]; ld.param.u64 %a3, [p2];\n"                                        \
	"mov.u32 %r1, %tid.x; mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; cvt.u32.u64 %r4, %a3;\n"                        \
	"mad.lo.u32 %r5, %r2, %r3, %r1; and.b32 %r5, %r5, 4095; mad.wide.u32 %a4, %r5, 4, %a2;\n"                          \
	"again: ld.global.u32 %r6, [%a4]; add.u32 %r4, %r4, %r6; bar.sync 0;\n"                                            \
	"sub.u32 %r4, %r4, 1; setp.gt.s32 %p1, %r4, 0; @%p1 bra again;\n"                                                  \
	"setp.ne.u32 %p2, %r1, 0; @%p2 bra over; mad.wide.u32 %a5, %r2, 4, %a1;\n" count "\nover: ret;\n}\n"
static const char kernels[] = PTX_HEAD ".visible .entry once" BODY("red.global.add.u32 [%a5], 1;") //
    ".visible .entry any" BODY("st.global.u32 [%a5], 1;");

#define MOST_CTAS 8
#define DATA (4096 * 4)

struct totals {
	u64 launches, ctas, requests, refused, switched, drained, flushed;
};
struct machine {
	struct sim *s;
	const struct func *fn[2];
	struct module *m;
	u64 data, counts;
	u32 n, of;
	struct launch_spec *launched;
};

static const char *one_of(u64 *seed, const char *const *names)
{
	u32 n = 0;
	while (names[n])
		n++;
	return names[rng_next(seed) % n];
}

static struct sim *random_machine(u64 *seed)
{
	static const char *const partitions[] = {"fcfs",   "cke",           "mcke",    "spatial", "smk",
	                                         "smk-pw", "warped-slicer", "maestro", NULL};
	static const char *const techniques[] = {"switch", "drain", "flush", "chimera", NULL};
	static const char *const ctas[] = {"rr", "lcs", "bcs", "lcs+bcs", "dyncta", NULL};
	static const char *const kernel_scheds[] = {"none", "lrr", "ipr", "fair", NULL};
	static const char *const extras[] = {"preempt.halt=cta",      "preempt.halt=sm", "preempt.traffic=true",
	                                     "lsu.replay=newcar",     "commit.delay=3",  "preempt.idempotence=strict",
	                                     "sm.allocation=two-way", "warp-sched=lrr",  NULL};
	char set[9][48];
	snprintf(set[0], sizeof set[0], "num_sms=%u", 2 + (u32)(rng_next(seed) % 4));
	snprintf(set[1], sizeof set[1], "sm.regs=%u", 4096u << rng_next(seed) % 3);
	snprintf(set[2], sizeof set[2], "partition=%s", one_of(seed, partitions));
	snprintf(set[3], sizeof set[3], "preempt=%s", one_of(seed, techniques));
	snprintf(set[4], sizeof set[4], "cta-sched=%s", one_of(seed, ctas));
	snprintf(set[5], sizeof set[5], "kernel-sched=%s", one_of(seed, kernel_scheds));
	snprintf(set[6], sizeof set[6], "%s", one_of(seed, extras));
	snprintf(set[7], sizeof set[7], "%s", one_of(seed, extras));
	snprintf(set[8], sizeof set[8], "preempt.within=%u", (u32)(rng_next(seed) % 3));
	const char *sets[] = {set[0],
	                      set[1],
	                      set[2],
	                      set[3],
	                      set[4],
	                      set[5],
	                      set[6],
	                      set[7],
	                      set[8],
	                      "sm.threads=512",
	                      "sm.shared=16384",
	                      "maestro.epoch=200",
	                      "slicer.warmup=100",
	                      "slicer.profile=100",
	                      "dyncta.period=64",
	                      "idempotence.track=true",
	                      NULL};
	return machine(sets);
}

static void laws(const struct machine *x)
{
	struct err e = {0};
	if (!sim_check(x->s, &e))
		fail_msg("cycle %llu: %s", (unsigned long long)sim_cycle(x->s), e.msg);
}

static void launch_one(struct machine *x, u64 *seed)
{
	struct err e = {0};
	const u64 args[3] = {x->counts + x->n * MOST_CTAS * 4, x->data, 1 + rng_next(seed) % 12};
	struct launch_spec l = {.mod = x->m,
	                        .fn = x->fn[rng_next(seed) % 2],
	                        .grid = {(u32)(1 + rng_next(seed) % MOST_CTAS), 1, 1},
	                        .block = {(u32)(1 + rng_next(seed) % 128), 1, 1},
	                        .params = args,
	                        .param_bytes = sizeof args,
	                        .stream = (u32)(rng_next(seed) % 4),
	                        .dynamic_shared = (u32)(rng_next(seed) % 4) * 1700,
	                        .regs = 12 + (u32)(rng_next(seed) % 12)};
	if (sim_launch(x->s, &l, &e) < 0)
		fail_msg("%s", e.msg);
	x->launched[x->n++] = l;
}

/* A running kernel gives some SMs away, at once or in a while; or all that are kept are given back. */
static void preempt_one(struct machine *x, u64 *seed, struct totals *t)
{
	static const char *const by[] = {"switch", "drain", "flush", "chimera"};
	struct gpu *g = x->s->gpu;
	const struct dispatcher *d = g->dispatch.d;
	struct err e = {0};
	if (!d->n)
		return;
	const struct sm_order o = {.launch = d->k[d->order[rng_next(seed) % d->n]].launch,
	                           .sms = (u32)(1 + rng_next(seed) % 2),
	                           .within_us = (double)(rng_next(seed) % 4),
	                           .by = by[rng_next(seed) % ARRAY_LEN(by)]};
	if (gpu_preempt(g, &o, &e))
		t->requests++;
	else
		t->refused++;
	if (rng_next(seed) % 3 == 0)
		gpu_release_sms(g, NULL, &(struct err){0});
}

static void open_machine(struct machine *x, u32 launches, u64 *seed)
{
	*x =
	    (struct machine){.s = random_machine(seed), .of = launches, .launched = xcalloc(launches, sizeof *x->launched)};
	x->m = rig_load(x->s, kernels);
	x->fn[0] = module_func(x->m, "once", true);
	x->fn[1] = module_func(x->m, "any", true);
	x->data = rig_alloc(x->s, DATA);
	x->counts = rig_alloc(x->s, (u64)launches * MOST_CTAS * 4);
}

static void close_machine(struct machine *x, struct totals *t)
{
	struct gpu *g = x->s->gpu;
	all_given_back(x->s);
	laws(x);
	for (u32 i = 0; i < x->n; i++) {
		const struct kernel_counters *k = &g->task->kcb[i].k;
		for (u32 c = 0; c < MOST_CTAS; c++) {
			const u32 ended = rig_u32(x->s, x->counts + (i * MOST_CTAS + c) * 4);
			if (ended != (c < x->launched[i].grid.x))
				fail_msg("CTA %u of launch %u has ended %u times", c, i, ended);
		}
		t->ctas += k->ctas_done;
		t->switched += k->ctas_switched;
		t->drained += k->ctas_drained;
		t->flushed += k->ctas_flushed;
	}
	t->launches += x->n;
	free(x->launched);
	sim_destroy(x->s);
}

static void churn(u32 launches, u64 *seed, struct totals *t)
{
	struct machine x;
	struct stop st;
	u32 stuck = 0; /* stops in a row at which nothing went on although no SM is kept from anybody */
	open_machine(&x, launches, seed);
	for (u32 turn = 0;; turn++) {
		sim_run(x.s, sim_cycle(x.s) + 1 + rng_next(seed) % 250, &st);
		if (st.why == STOP_IDLE && x.n == x.of)
			break;
		if (st.why != STOP_IDLE && st.why != STOP_CYCLE && st.why != STOP_DEADLOCK) {
			struct strbuf why = STRBUF_INIT;
			sim_fault_text(x.s, &why);
			fail_msg("stopped with %d at cycle %llu: %s", st.why, (unsigned long long)st.cycle, strbuf_str(&why));
		}
		stuck = st.why == STOP_DEADLOCK ? stuck + 1 : 0;
		if (stuck > 3)
			fail_msg("deadlock at cycle %llu", (unsigned long long)st.cycle);
		for (u32 k = (u32)(rng_next(seed) % 3); k && x.n < x.of; k--)
			launch_one(&x, seed);
		if (rng_next(seed) % 4 == 0)
			preempt_one(&x, seed, t);
		if (st.why == STOP_DEADLOCK || x.n == x.of)
			gpu_release_sms(x.s->gpu, NULL, &(struct err){0});
		if (turn % 64 == 0)
			laws(&x);
	}
	close_machine(&x, t);
}

static void test_churn(void **state)
{
	const char *wanted = getenv("WARPDBG_CHURN");
	const u64 launches = wanted ? strtoull(wanted, NULL, 10) : 6000;
	const u32 each = wanted ? 1000 : 100;
	struct totals t = {0};
	u64 seed = 4711;
	while (t.launches < launches)
		churn(each, &seed, &t);
	printf("%llu launches, %llu CTAs, %llu requests (%llu refused): CTAs switched %llu, drained %llu, flushed %llu\n",
	       (unsigned long long)t.launches, (unsigned long long)t.ctas, (unsigned long long)t.requests,
	       (unsigned long long)t.refused, (unsigned long long)t.switched, (unsigned long long)t.drained,
	       (unsigned long long)t.flushed);
	assert_true(t.requests > launches / 50 && t.switched && t.drained && t.flushed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_churn)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
